//! Known answers: the machine of `tests/fixtures/server`, whose files are made up.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use trunkline_host::programs::{DiskIoOptions, WatchOptions};
use trunkline_host::{HostOptions, SourceRoot, providers};
use trunkline_smi::Value;
use trunkline_smi::module::{host_resources_mib as hr, tcp_mib, ucd_snmp_mib as ucd, udp_mib};
use trunkline_smi::schema::{Scalar, Table};
use trunkline_tree::{Loaded, ScalarCell, Snapshot};

use crate::flat::{load_group, table_lines};

fn server() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/server")
}

fn group(name: &str) -> Snapshot {
    load_group(&HostOptions::new(SourceRoot::recording(server()), Instant::now()), name)
}

fn check_table(group_name: &str, table: &Table, expected: &[&str]) {
    let lines = table_lines(&group(group_name), table);
    assert_eq!(lines, expected, "{}: {lines:#?}", table.name);
}

fn check_scalars(group_name: &str, expected: &[(&Scalar, &str)]) {
    let snapshot = group(group_name);
    for (scalar, text) in expected {
        let shown = match snapshot.scalar(scalar) {
            None => "-".to_owned(),
            Some(ScalarCell::Value(Value::OctetString(octets))) => String::from_utf8(octets.clone()).unwrap(),
            Some(ScalarCell::Value(value)) => value.as_value_ref().to_string(),
            Some(ScalarCell::Live(_)) => "live".to_owned(),
        };
        assert_eq!(shown, *text, "{}", scalar.name);
    }
}

#[test]
fn tcp_counters_are_cut_to_32_bits_beside_the_whole_ones() {
    check_scalars(
        "tcp",
        &[
            (&tcp_mib::TCP_RTO_ALGORITHM, "1"),
            (&tcp_mib::TCP_RTO_MIN, "200"),
            (&tcp_mib::TCP_RTO_MAX, "120000"),
            (&tcp_mib::TCP_MAX_CONN, "-1"),
            (&tcp_mib::TCP_ACTIVE_OPENS, "11"),
            (&tcp_mib::TCP_PASSIVE_OPENS, "12"),
            (&tcp_mib::TCP_ATTEMPT_FAILS, "13"),
            (&tcp_mib::TCP_ESTAB_RESETS, "14"),
            (&tcp_mib::TCP_CURR_ESTAB, "15"),
            (&tcp_mib::TCP_IN_SEGS, "5"),
            (&tcp_mib::TCP_OUT_SEGS, "10"),
            (&tcp_mib::TCP_RETRANS_SEGS, "16"),
            (&tcp_mib::TCP_IN_ERRS, "17"),
            (&tcp_mib::TCP_OUT_RSTS, "18"),
            (&tcp_mib::TCP_HC_IN_SEGS, "4294967301"),
            (&tcp_mib::TCP_HC_OUT_SEGS, "8589934602"),
        ],
    );
}

#[test]
fn udp_counters_are_those_of_both_families() {
    check_scalars(
        "udp",
        &[
            (&udp_mib::UDP_IN_DATAGRAMS, "4"),
            (&udp_mib::UDP_NO_PORTS, "22"),
            (&udp_mib::UDP_IN_ERRORS, "33"),
            (&udp_mib::UDP_OUT_DATAGRAMS, "90"),
            (&udp_mib::UDP_HC_IN_DATAGRAMS, "4294967300"),
            (&udp_mib::UDP_HC_OUT_DATAGRAMS, "90"),
        ],
    );
}

#[cfg(target_endian = "little")] // /proc/net writes addresses in the machine's order
#[test]
fn tcp_sockets_are_listeners_or_connections() {
    check_table(
        "tcp-connections",
        &tcp_mib::TCP_LISTENER_TABLE,
        &[
            "0.0.80 0",
            "1.4.0.0.0.0.22 77",
            "1.4.127.0.0.1.3306 0",
            "2.16.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.22 0",
            "2.16.254.128.0.0.0.0.0.0.0.0.0.255.0.0.0.1.8080 0",
        ],
    );
    check_table(
        "tcp-connections",
        &tcp_mib::TCP_CONNECTION_TABLE,
        &[
            "1.4.10.10.2.1.22.1.4.10.10.2.2.50000 5 0",
            "1.4.10.10.2.1.22.1.4.10.10.2.2.50001 11 0",
            "1.4.10.10.2.1.80.1.4.10.10.2.2.40000 8 0",
            "2.16.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1.80.2.16.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1.40001 7 0",
        ],
    );
    check_table(
        "tcp-connections",
        &tcp_mib::TCP_CONN_TABLE,
        &[
            "0.0.0.0.22.0.0.0.0.0 2 0.0.0.0 22 0.0.0.0 0",
            "0.0.0.0.80.0.0.0.0.0 2 0.0.0.0 80 0.0.0.0 0",
            "10.10.2.1.22.10.10.2.2.50000 5 10.10.2.1 22 10.10.2.2 50000",
            "10.10.2.1.22.10.10.2.2.50001 11 10.10.2.1 22 10.10.2.2 50001",
            "10.10.2.1.80.10.10.2.2.40000 8 10.10.2.1 80 10.10.2.2 40000",
            "127.0.0.1.3306.0.0.0.0.0 2 127.0.0.1 3306 0.0.0.0 0",
        ],
    );
}

#[cfg(target_endian = "little")]
#[test]
fn udp_sockets_on_one_port_have_instances() {
    check_table(
        "udp-endpoints",
        &udp_mib::UDP_ENDPOINT_TABLE,
        &[
            "0.0.123.0.0.0.2005 0",
            "1.4.0.0.0.0.161.0.0.0.2001 0",
            "1.4.0.0.0.0.5353.0.0.0.2003 77",
            "1.4.0.0.0.0.5353.0.0.0.2004 0",
            "1.4.127.0.0.1.33333.1.4.127.0.0.1.161.2002 0",
            "2.16.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1.123.0.0.0.2006 0",
        ],
    );
    check_table(
        "udp-endpoints",
        &udp_mib::UDP_TABLE,
        &[
            "0.0.0.0.123 0.0.0.0 123",
            "0.0.0.0.161 0.0.0.0 161",
            "0.0.0.0.5353 0.0.0.0 5353",
            "127.0.0.1.33333 127.0.0.1 33333",
        ],
    );
}

#[test]
fn the_system_reports_its_boot_parameters_and_users() {
    let parameters = format!("BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro {}", "quiet ".repeat(15));
    check_scalars(
        "hr-system",
        &[
            (&hr::HR_SYSTEM_UPTIME, "live"),
            (&hr::HR_SYSTEM_INITIAL_LOAD_DEVICE, "393216"),
            (&hr::HR_SYSTEM_INITIAL_LOAD_PARAMETERS, &parameters),
            (&hr::HR_SYSTEM_NUM_USERS, "2"), // bob and alice; the third record's process is gone
            (&hr::HR_SYSTEM_PROCESSES, "4"),
            (&hr::HR_SYSTEM_MAX_PROCESSES, "0"),
        ],
    );
    assert_eq!(parameters.len(), 128);
}

#[test]
fn uptime_goes_on_between_loads() {
    let snapshot = group("hr-system");
    let Some(ScalarCell::Live(uptime)) = snapshot.scalar(&hr::HR_SYSTEM_UPTIME) else { panic!("not live") };
    let at = |later| match uptime.read(Instant::now() + Duration::from_secs(later)) {
        trunkline_smi::ValueRef::TimeTicks(hundredths) => hundredths,
        other => panic!("{other:?}"),
    };
    let (now, later) = (at(0), at(3600));
    assert!((10_050..13_000).contains(&now), "{now}");
    assert!((360_000..363_000).contains(&(later - now)), "{now} {later}");
}

#[test]
fn storage_has_memory_and_file_systems() {
    check_scalars("hr-storage", &[(&hr::HR_MEMORY_SIZE, "8000000")]);
    check_table(
        "hr-storage",
        &hr::HR_STORAGE_TABLE,
        &[
            r#"1 1 1.3.6.1.2.1.25.2.1.2 "Physical memory" 1024 8000000 7000000 0"#,
            r#"3 3 1.3.6.1.2.1.25.2.1.3 "Virtual memory" 1024 10000000 7500000 0"#,
            r#"6 6 1.3.6.1.2.1.25.2.1.1 "Memory buffers" 1024 8000000 200000 0"#,
            r#"7 7 1.3.6.1.2.1.25.2.1.1 "Cached memory" 1024 3070000 3070000 0"#,
            r#"8 8 1.3.6.1.2.1.25.2.1.1 "Shared memory" 1024 40000 40000 0"#,
            r#"10 10 1.3.6.1.2.1.25.2.1.3 "Swap space" 1024 2000000 500000 0"#,
            r#"11 11 1.3.6.1.2.1.25.2.1.1 "Available memory" 1024 5000000 0 0"#,
            r#"32 32 1.3.6.1.2.1.25.2.1.4 "/" 4096 1000000 600000 0"#,
            r#"33 33 1.3.6.1.2.1.25.2.1.8 "/run" 4096 128 127 0"#,
            r#"34 34 1.3.6.1.2.1.25.2.1.4 "/data store" 4096 10 5 0"#,
            r#"36 36 1.3.6.1.2.1.25.2.1.7 "/media/cdrom" 2048 330000 330000 0"#,
            r#"37 37 1.3.6.1.2.1.25.2.1.10 "/net/filer" - - - 0"#,
            r#"38 38 1.3.6.1.2.1.25.2.1.4 "/huge" 16384 1073741824 805306368 0"#,
        ],
    );
    let dates = "0000010100000000 0000010100000000";
    let expected = [
        r#"2 2 "/" "" 1.3.6.1.2.1.25.3.9.23 1 1 32"#,
        r#"3 3 "/run" "" 1.3.6.1.2.1.25.3.9.1 1 2 33"#,
        r#"4 4 "/data store" "" 1.3.6.1.2.1.25.3.9.1 1 2 34"#,
        r#"6 6 "/media/cdrom" "" 1.3.6.1.2.1.25.3.9.12 2 2 36"#,
        r#"7 7 "/net/filer" "filer:/export" 1.3.6.1.2.1.25.3.9.14 1 2 37"#,
        r#"8 8 "/huge" "" 1.3.6.1.2.1.25.3.9.1 1 2 38"#,
    ]
    .map(|line| format!("{line} {dates}"));
    check_table("hr-storage", &hr::HR_FS_TABLE, &expected.each_ref().map(String::as_str));
}

#[test]
fn devices_are_processors_and_disks() {
    check_table(
        "hr-devices",
        &hr::HR_DEVICE_TABLE,
        &[
            r#"196608 196608 1.3.6.1.2.1.25.3.1.3 "GenuineThing: Thing CPU 4000" 0.0 2 0"#,
            r#"196611 196611 1.3.6.1.2.1.25.3.1.3 "GenuineThing: Thing CPU 4000" 0.0 2 0"#,
            r#"393216 393216 1.3.6.1.2.1.25.3.1.6 "ATA Some Disk 9000 (/dev/sda)" 0.0 2 0"#,
            r#"393217 393217 1.3.6.1.2.1.25.3.1.6 "DVD (/dev/sr0)" 0.0 2 0"#,
        ],
    );
    let disks = ["393216 1 3 2 2000000000", "393217 2 5 1 660000"];
    check_table("hr-devices", &hr::HR_DISK_STORAGE_TABLE, &disks);
    let partitions = [r#"393216.1 1 "/dev/sda1" "8:1" 4000000 2"#, r#"393216.2 2 "/dev/sda2" "8:2" 50 4"#];
    check_table("hr-devices", &hr::HR_PARTITION_TABLE, &partitions);
    check_table("hr-devices", &hr::HR_PRINTER_TABLE, &[]);
}

#[test]
fn the_first_processor_load_is_since_the_start() {
    // 5,000 ticks of which 2,300 idle; 5,000 of which 3,200 idle
    check_table("hr-processors", &hr::HR_PROCESSOR_TABLE, &["196608 0.0 54", "196611 0.0 36"]);
}

#[test]
fn processes_have_names_arguments_and_costs() {
    let many = "--word ".repeat(19); // 133 octets, cut to 128
    let tool = format!(r#"77 77 "a) b (c" 0.0 "/opt/tool" "{}" 4 1"#, &many[..128]);
    check_table(
        "hr-software-running",
        &hr::HR_SW_RUN_TABLE,
        &[
            r#"1 1 "systemd" 0.0 "/sbin/init" "splash" 4 2"#,
            r#"2 2 "kthreadd" 0.0 "" "" 2 3"#,
            &tool,
            r#"4711 4711 "gone" 0.0 "" "" 4 4"#,
        ],
    );
    let page = rustix::param::page_size() / 1024;
    let expected = [
        format!("1 422 {}", 2500 * page),
        "2 2 0".to_owned(),
        format!("77 2147483647 {}", 3 * page),
        "4711 0 0".to_owned(),
    ];
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check_table("hr-software-running", &hr::HR_SW_RUN_PERF_TABLE, &expected);
    check_scalars("hr-software-running", &[(&hr::HR_SW_OS_INDEX, "2")]);
}

#[test]
fn packages_are_listed_once_and_again_when_they_change() {
    let folder = tempfile::tempdir().unwrap();
    let dpkg = folder.path().join("var/lib/dpkg");
    std::fs::create_dir_all(dpkg.join("info")).unwrap();
    let status = std::fs::read(server().join("var/lib/dpkg/status")).unwrap();
    std::fs::write(dpkg.join("status"), &status).unwrap();
    for (list, seconds) in [("dash.list", 1_000_000_000), ("zlib1g:i386.list", 1_100_000_000)] {
        let file = std::fs::File::create(dpkg.join("info").join(list)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    }
    let started = Instant::now().checked_sub(Duration::from_secs(100)).unwrap();
    let options = HostOptions::new(SourceRoot::recording(folder.path()), started);
    let is_it = |provider: &std::sync::Arc<dyn trunkline_tree::Provider>| {
        provider.group().name == "hr-software-installed"
    };
    let provider = providers(&options).into_iter().find(is_it).unwrap();

    let Loaded::Snapshot(first) = provider.load(None).unwrap() else { panic!("nothing was read") };
    let lines = table_lines(&first, &hr::HR_SW_INSTALLED_TABLE);
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with(r#"1 1 "dash_0.5.12-2_amd64" 0.0 2 07d109"#), "{lines:?}"); // September 2001
    assert_eq!(lines[1], r#"2 2 "zlib1g_1:1.2.13.dfsg-1_amd64" 0.0 4 0000010100000000"#);
    assert!(lines[2].starts_with(r#"3 3 "zlib1g_1:1.2.13.dfsg-1_i386" 0.0 4 07d40b"#), "{lines:?}");
    let changed = |snapshot: &Snapshot| match snapshot.scalar(&hr::HR_SW_INSTALLED_LAST_CHANGE) {
        Some(ScalarCell::Value(Value::TimeTicks(ticks))) => *ticks,
        other => panic!("{other:?}"),
    };
    assert_eq!(changed(&first), 0);
    assert!(matches!(provider.load(Some(&first)).unwrap(), Loaded::Unchanged));

    let more = [&status[..], b"\nPackage: new\nStatus: install ok unpacked\nArchitecture: all\nVersion: 3\n"]
        .concat();
    std::fs::write(dpkg.join("status"), more).unwrap();
    let Loaded::Snapshot(second) = provider.load(Some(&first)).unwrap() else { panic!("it has changed") };
    assert_eq!(second.table(&hr::HR_SW_INSTALLED_TABLE).unwrap().len(), 4);
    assert!(changed(&second) >= 10_000);
}

#[test]
fn ucd_memory_has_both_widths() {
    check_scalars(
        "ucd-memory",
        &[
            (&ucd::MEM_INDEX, "0"),
            (&ucd::MEM_ERROR_NAME, "swap"),
            (&ucd::MEM_TOTAL_SWAP, "2000000"),
            (&ucd::MEM_AVAIL_SWAP, "1500000"),
            (&ucd::MEM_TOTAL_REAL, "8000000"),
            (&ucd::MEM_AVAIL_REAL, "1000000"),
            (&ucd::MEM_TOTAL_FREE, "2500000"),
            (&ucd::MEM_MINIMUM_SWAP, "16000"),
            (&ucd::MEM_SHARED, "40000"),
            (&ucd::MEM_BUFFER, "200000"),
            (&ucd::MEM_CACHED, "3070000"),
            (&ucd::MEM_TOTAL_SWAP_X, "2000000"),
            (&ucd::MEM_CACHED_X, "3070000"),
            (&ucd::MEM_SYS_AVAIL, "5000000"),
            (&ucd::MEM_SWAP_ERROR, "0"),
            (&ucd::MEM_SWAP_ERROR_MSG, ""),
        ],
    );
}

#[test]
fn ucd_load_averages_are_texts_numbers_and_floats() {
    check_table(
        "ucd-load",
        &ucd::LA_TABLE,
        &[
            r#"1 1 "Load-1" "0.31" "12.00" 31 9f78043e9eb852 0 """#,
            r#"2 2 "Load-5" "1.06" "12.00" 106 9f78043f87ae14 0 """#,
            r#"3 3 "Load-15" "13.24" "12.00" 1324 9f78044153d70a 1 "15 min Load Average too high (= 13.24)""#,
        ],
    );
}

#[test]
fn ucd_system_stats_are_counters_and_averages() {
    check_scalars(
        "ucd-system-stats",
        &[
            (&ucd::SS_INDEX, "1"),
            (&ucd::SS_ERROR_NAME, "systemStats"),
            (&ucd::SS_IO_RECEIVE, "100"), // 10,000 blocks in 100.5 s
            (&ucd::SS_SYS_INTERRUPTS, "9827"),
            (&ucd::SS_CPU_USER, "30"),
            (&ucd::SS_CPU_SYSTEM, "9"),
            (&ucd::SS_CPU_IDLE, "55"),
            (&ucd::SS_CPU_RAW_USER, "3000"),
            (&ucd::SS_CPU_RAW_NICE, "100"),
            (&ucd::SS_CPU_RAW_SYSTEM, "900"),
            (&ucd::SS_CPU_RAW_IDLE, "5500"),
            (&ucd::SS_CPU_RAW_WAIT, "300"),
            (&ucd::SS_CPU_RAW_KERNEL, "0"),
            (&ucd::SS_CPU_RAW_INTERRUPT, "50"),
            (&ucd::SS_IO_RAW_SENT, "2"), // 4,294,967,298 blocks
            (&ucd::SS_IO_RAW_RECEIVED, "10000"),
            (&ucd::SS_RAW_INTERRUPTS, "987654"),
            (&ucd::SS_RAW_CONTEXTS, "1000"),
            (&ucd::SS_CPU_RAW_SOFT_IRQ, "100"),
            (&ucd::SS_RAW_SWAP_IN, "70"),
            (&ucd::SS_RAW_SWAP_OUT, "80"),
            (&ucd::SS_CPU_RAW_STEAL, "50"),
            (&ucd::SS_CPU_RAW_GUEST, "20"),
            (&ucd::SS_CPU_RAW_GUEST_NICE, "10"),
            (&ucd::SS_CPU_NUM_CPUS, "2"),
        ],
    );
}

#[test]
fn disk_io_is_in_the_order_of_the_kernel() {
    use trunkline_smi::module::ucd_diskio_mib::DISK_IO_TABLE;
    let options = |disk_io| {
        let options = HostOptions::new(SourceRoot::recording(server()), Instant::now());
        options.programs.configure(WatchOptions { disk_io, ..WatchOptions::default() });
        options
    };
    let rows = |disk_io| table_lines(&load_group(&options(disk_io), "ucd-disk-io"), &DISK_IO_TABLE);
    let all = [
        r#"1 1 "loop0" 0 0 0 0 0 0 0 0 0 0"#,
        r#"2 2 "sda" 1024 4294966784 5 7 0 0 0 4294968320 8589934080 12000"#,
        r#"3 3 "sda1" 512 0 1 0 0 0 0 512 0 1000"#,
    ];
    assert_eq!(rows(DiskIoOptions::default()), all);
    // What is left out has no number.
    let exclude = DiskIoOptions { exclude: vec!["loop".into()], ..DiskIoOptions::default() };
    assert_eq!(rows(exclude), [all[1].replacen("2 2", "1 1", 1), all[2].replacen("3 3", "2 2", 1)]);
    let named = DiskIoOptions { devices: vec!["sda1".into(), "sdz".into()], ..DiskIoOptions::default() };
    assert_eq!(rows(named), [all[2].replacen("3 3", "1 1", 1)]);
}

/// As with skipNFSInHostResources: the file system stays in hrFSTable.
#[test]
fn network_disks_may_be_left_out() {
    let lines = |network_disks, table| {
        let options = HostOptions::new(SourceRoot::recording(server()), Instant::now());
        options.programs.configure(WatchOptions { network_disks, ..WatchOptions::default() });
        table_lines(&load_group(&options, "hr-storage"), table)
    };
    let all = lines(true, &hr::HR_STORAGE_TABLE);
    let (filers, others): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|line| line.contains("\"/net/filer\""));
    assert_eq!((filers.len(), lines(false, &hr::HR_STORAGE_TABLE)), (1, others));
    assert_eq!(lines(false, &hr::HR_FS_TABLE), lines(true, &hr::HR_FS_TABLE));
}

#[test]
fn ucd_disks_are_those_of_the_file_system_table() {
    check_table(
        "ucd-disk",
        &ucd::DSK_TABLE,
        &[
            r#"2 2 "/" "/dev/sda1" -1 10 4000000 1400000 2400000 60 1 4000000 0 1400000 0 2400000 0 0 """#,
            r#"3 3 "/run" "tmpfs" -1 10 512 4 508 99 90 512 0 4 0 508 0 1 "/run: less than 10% free (= 1%)""#,
            r#"4 4 "/data store" "/dev/sda2" -1 10 40 20 20 50 0 40 0 20 0 20 0 0 """#,
            r#"6 6 "/media/cdrom" "/dev/sr0" -1 10 660000 0 660000 100 0 660000 0 0 0 660000 0 0 """#,
            r#"7 7 "/net/filer" "filer:/export" -1 10 - - - - - - - - - - - - -"#,
            concat!(
                r#"8 8 "/huge" "/dev/mapper/huge" -1 10 2147483647 2147483647 2147483647 75 0 "#,
                r#"0 4 0 1 0 3 0 """#
            ),
        ],
    );
}
