//! Programs and limits of the configuration, as Net-SNMP's agent serves them for the same directives.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use trunkline_host::programs::{
    DiskMinimum, DiskOptions, ExecOptions, ExtendOptions, FileOptions, LoadOptions, LogMatchOptions,
    NamedDisk, ProcessOptions, Program, WatchOptions,
};
use trunkline_host::{HostOptions, providers};
use trunkline_smi::{Oid, Value, ValueRef};
use trunkline_testkit::{copy_program, write_program};
use trunkline_tree::{SetCheck, SetItem};

use crate::flat::{Instances, instances, load};
use crate::snmpd::Snmpd;

/// Prints several lines, one of them empty, and one on standard error; fails.
const SCRIPT: &str = "#!/bin/sh\necho \"line one $1\"\necho \"line two $2\"\necho\necho err >&2\nexit 3\n";

const GROUPS: [&str; 4] = ["ns-extend", "ns-extend-output", "ucd-process", "ucd-exec"];

fn program(command: &[&str]) -> Program {
    let command = command.iter().map(ToString::to_string).collect();
    Program { command, shell: false, timeout: Duration::from_secs(20) }
}

fn shell(line: &str) -> Program {
    Program { shell: true, ..program(&[line]) }
}

fn extend(name: &str, program: Program) -> ExtendOptions {
    ExtendOptions { name: name.into(), program, cache: Duration::from_secs(5), root: None }
}

fn exec(name: &str, program: Program) -> ExecOptions {
    ExecOptions { name: name.into(), program, fix: None }
}

fn process(name: &str, min: u32, max: Option<u32>) -> ProcessOptions {
    ProcessOptions { name: name.into(), min, max, fix: None }
}

fn host(options: WatchOptions) -> HostOptions {
    let host = HostOptions::host(Instant::now());
    host.programs.configure(options);
    host
}

fn ours(host: &HostOptions, wanted: impl Fn(&str) -> bool) -> Instances {
    let all = providers(host);
    let chosen = all.iter().filter(|provider| wanted(provider.group().name));
    chosen.flat_map(|provider| instances(provider.group(), &load(&**provider))).collect()
}

fn text(value: &Value) -> String {
    match value {
        Value::OctetString(octets) => format!("{:?}", String::from_utf8_lossy(octets)),
        other => format!("{other:?}"),
    }
}

/// Processes of a name that nobody else has.
struct Sleepers {
    children: Vec<Child>,
    folder: TempDir,
}

impl Sleepers {
    fn start(name: &str, count: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        copy_program(Path::new("/bin/sleep"), &path);
        let start = |_| {
            let child = Command::new(&path).arg("1000").stdout(Stdio::null()).spawn().unwrap();
            // The child bears our name until it has become the other program.
            let comm = format!("/proc/{}/comm", child.id());
            while std::fs::read_to_string(&comm).unwrap().trim() != name {
                std::thread::yield_now();
            }
            child
        };
        Sleepers { children: (0..count).map(start).collect(), folder }
    }
}

impl Drop for Sleepers {
    fn drop(&mut self) {
        for child in &mut self.children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(self.folder.path().exists());
    }
}

#[test]
fn programs_agree_with_snmpd() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("three.sh");
    write_program(&script, SCRIPT);
    let script = script.to_str().unwrap();
    let sleepers = Sleepers::start("tl-sleeper", 2);
    let directives = format!(
        "extend hello /bin/echo hello world\n\
         extend -cacheTime 1 three {script} a \"b c\"\n\
         extend-sh shelled echo a; echo b\n\
         extend missing /nonexistent/x\n\
         extend .1.3.6.1.4.1.9999.7 rooted /bin/echo rooted\n\
         extend empty /bin/true\n\
         exec one /bin/echo one out\n\
         sh two echo two; exit 2\n\
         proc tl-sleeper 3 1\n\
         proc tl-sleeper-no\n\
         proc tl-absent 0 0\n\
         procfix tl-sleeper /bin/echo fix it\n"
    );
    let root = Oid::from([1, 3, 6, 1, 4, 1, 9999, 7]);
    let options = WatchOptions {
        extends: vec![
            extend("hello", program(&["/bin/echo", "hello", "world"])),
            ExtendOptions {
                cache: Duration::from_secs(1),
                ..extend("three", program(&[script, "a", "b c"]))
            },
            extend("shelled", shell("echo a; echo b")),
            extend("missing", program(&["/nonexistent/x"])),
            ExtendOptions { root: Some(root), ..extend("rooted", program(&["/bin/echo", "rooted"])) },
            extend("empty", program(&["/bin/true"])),
        ],
        execs: vec![
            exec("one", program(&["/bin/echo", "one", "out"])),
            exec("two", shell("echo two; exit 2")),
        ],
        processes: vec![
            ProcessOptions {
                fix: Some(["/bin/echo", "fix", "it"].map(String::from).to_vec()),
                ..process("tl-sleeper", 1, Some(3))
            },
            process("tl-sleeper-no", 1, None),
            process("tl-absent", 0, Some(0)),
        ],
        ..WatchOptions::default()
    };
    let Some(snmpd) = Snmpd::start_with(&directives) else { return };
    let ours = ours(&host(options), |group| GROUPS.iter().any(|known| group.starts_with(known)));
    let theirs: Instances =
        ["1.3.6.1.4.1.8072.1.3.2", "1.3.6.1.4.1.2021.2", "1.3.6.1.4.1.2021.8", "1.3.6.1.4.1.9999"]
            .iter()
            .flat_map(|below| snmpd.walk(below))
            .collect();
    let difference: Vec<_> = ours.iter().filter(|(name, value)| theirs.get(*name) != Some(value)).collect();
    for (name, value) in &difference {
        eprintln!("{name}: ours {}, snmpd {}", text(value), theirs.get(*name).map_or("none".into(), text));
    }
    assert!(difference.is_empty(), "not as snmpd has it");
    let missing: Vec<_> = theirs.keys().filter(|name| !ours.contains_key(*name)).collect();
    assert!(missing.is_empty(), "snmpd has, and we have not: {missing:?}");
    assert!(ours.len() > 100, "only {} instances were compared", ours.len());
    drop(sleepers);
}

#[test]
fn wrong_numbers_of_processes_agree_with_snmpd() {
    let _sleepers = ["tl-many", "tl-few", "tl-not"].map(|name| Sleepers::start(name, 3));
    let directives = "proc tl-many 2 1\nproc tl-few 9 4\nproc tl-not 0 0\nproc tl-none 9 2\n";
    let processes = vec![
        process("tl-many", 1, Some(2)),
        process("tl-few", 4, Some(9)),
        process("tl-not", 0, Some(0)),
        process("tl-none", 2, Some(9)),
    ];
    let Some(snmpd) = Snmpd::start_with(directives) else { return };
    let ours =
        ours(&host(WatchOptions { processes, ..WatchOptions::default() }), |group| group == "ucd-process");
    assert_eq!(ours, snmpd.walk("1.3.6.1.4.1.2021.2"));
    let message = |row| text(&ours[&[1, 3, 6, 1, 4, 1, 2021, 2, 1, 101, row][..]]);
    assert_eq!(message(1), "\"Too many tl-many running (# = 3)\"");
}

#[test]
fn limits_of_disks_and_load_agree_with_snmpd() {
    let mounted = std::fs::read_to_string("/proc/mounts").unwrap();
    let second = if mounted.contains(" /dev/shm tmpfs") { "/dev/shm" } else { "/" };
    let disk = |path: &str, minimum| NamedDisk { path: path.into(), minimum };
    let percent = |percent| DiskMinimum::Percent(percent);
    let named = |first, other| vec![disk("/", first), disk(second, other)];
    for (directives, disks) in [
        ("disk / 100%\ndisk SECOND 0%\n", named(percent(100), percent(0))),
        (
            "disk / 1000\ndisk SECOND 2000000000\n",
            named(DiskMinimum::Kilobytes(1000), DiskMinimum::Kilobytes(2_000_000_000)),
        ),
    ] {
        if second == "/" {
            return; // two directives for one disk are one row of snmpd's
        }
        let directives = format!("{}load 0.01 0 99\n", directives.replace("SECOND", second));
        let Some(snmpd) = Snmpd::start_with(&directives) else { return };
        let theirs: Instances = ["1.3.6.1.4.1.2021.9", "1.3.6.1.4.1.2021.10"]
            .iter()
            .flat_map(|below| snmpd.walk(below))
            .collect();
        let options = WatchOptions {
            disks: DiskOptions { named: disks, others: None },
            load: LoadOptions { max: [0.01, 0.0, 99.0] },
            ..WatchOptions::default()
        };
        let ours = ours(&host(options), |group| ["ucd-disk", "ucd-load"].contains(&group));
        assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
        // Sizes and loads move; names, limits and flags do not.
        for (table, columns) in [(9, &[1, 2, 3, 4, 5, 100][..]), (10, &[1, 2, 4])] {
            let fixed = |name: &&Oid| name.get(7) == Some(&table) && columns.contains(&name[9]);
            for name in ours.keys().filter(fixed) {
                assert_eq!(ours[name], theirs[name], "{name}");
            }
        }
        let words = |all: &Instances, row| match &all[&[1, 3, 6, 1, 4, 1, 2021, 9, 1, 101, row][..]] {
            Value::OctetString(text) => {
                let text = String::from_utf8(text.clone()).unwrap();
                text.split("(=").next().unwrap().to_owned()
            }
            other => panic!("{other:?}"),
        };
        for row in [1, 2] {
            assert_eq!(words(&ours, row), words(&theirs, row));
        }
    }
}

/// hrStorageIndex, hrFSIndex and dskIndex: by them managers know their disks, also after a migration.
#[test]
fn numbers_of_disks_are_those_of_snmpd() {
    let disk = |path: &str| NamedDisk { path: path.into(), minimum: DiskMinimum::Percent(10) };
    let directives = "disk /dev/shm 10%\ndisk /nowhere/at/all 10%\ndisk / 10%\n";
    let named = ["/dev/shm", "/nowhere/at/all", "/"].map(disk).to_vec();
    for (more, others) in [("", None), ("includeAllDisks 10%\n", Some(DiskMinimum::Percent(10)))] {
        let Some(snmpd) = Snmpd::start_with(&format!("{directives}{more}")) else { return };
        let options =
            WatchOptions { disks: DiskOptions { named: named.clone(), others }, ..WatchOptions::default() };
        let ours = ours(&host(options), |group| ["ucd-disk", "hr-storage"].contains(&group));
        for column in ["1.3.6.1.2.1.25.2.3.1.3", "1.3.6.1.2.1.25.3.8.1.2", "1.3.6.1.4.1.2021.9.1.2"] {
            let column: Oid = column.parse().unwrap();
            let theirs = snmpd.walk(&column.to_string());
            let ours: Instances = ours
                .iter()
                .filter(|(name, _)| name.starts_with(&column))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            let in_both = ours.keys().filter(|name| theirs.contains_key(*name)).count();
            assert!(in_both >= 2, "{column}: {ours:?} {theirs:?}");
            for (name, value) in &ours {
                let other = theirs.iter().find(|(_, other)| *other == value);
                assert!(other.is_none_or(|(other, _)| other == name), "{value:?} is {name} and {other:?}");
            }
        }
    }
}

#[test]
fn only_the_requested_fix_is_run() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fixed");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let fix = Some(vec!["/bin/sh".into(), "-c".into(), format!("echo fixed > {}", fifo.display())]);
    let options = WatchOptions {
        processes: vec![
            process("tl-absent", 1, None),
            ProcessOptions { fix, ..process("tl-other", 1, None) },
        ],
        ..WatchOptions::default()
    };
    let providers = providers(&host(options));
    let provider = providers.iter().find(|provider| provider.group().name == "ucd-process").unwrap();
    let object = [1, 3, 6, 1, 4, 1, 2021, 2, 1, 102];
    let set = |row: u32, value: i32| {
        let (name, value) = ("prErrFix", ValueRef::Integer(value));
        provider.prepare_set(&[SetItem { binding: 4, object: &object, name, index: &[row], value }])
    };
    let refused = |row| set(row, 1).err().map(|error| (error.binding, error.check));
    assert_eq!(refused(1), Some((4, SetCheck::InconsistentValue)));
    assert_eq!(refused(3), Some((4, SetCheck::NoCreation)));
    assert_eq!(refused(0), Some((4, SetCheck::NoCreation)));
    assert!(set(1, 0).is_ok());
    set(2, 1).unwrap().commit().unwrap();
    // Blocks until the fix writes.
    assert_eq!(std::fs::read_to_string(&fifo).unwrap(), "fixed\n");
}

#[test]
fn a_new_configuration_is_applied_and_unchanged_programs_keep_their_output() {
    let folder = tempfile::tempdir().unwrap();
    let count = folder.path().join("count");
    let line = format!("echo >> '{0}'; wc -l < '{0}'", count.display());
    let counting = ExtendOptions { cache: Duration::from_secs(1000), ..extend("count", shell(&line)) };
    let host = host(WatchOptions { extends: vec![counting.clone()], ..WatchOptions::default() });
    let lines = || {
        let all = ours(&host, |group| group == "ns-extend-output");
        let lines =
            all.into_iter().filter(|(name, _)| name.starts_with(&[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 3, 1, 1]));
        lines.map(|(_, line)| line).collect::<Vec<_>>()
    };
    assert_eq!(lines(), [Value::text("1")]);
    let extends = vec![extend("a", program(&["/bin/echo", "a"])), counting];
    host.programs.configure(WatchOptions { extends, ..WatchOptions::default() });
    assert_eq!(lines(), [Value::text("a"), Value::text("1")]);
    host.programs.configure(WatchOptions::default());
    assert_eq!(lines(), []);
}

/// Sizes, and lines of a log that match, with the wording of messages; and the message about too little swap space.
#[test]
fn files_logs_and_swap_agree_with_snmpd() {
    let folder = tempfile::tempdir().unwrap();
    let (large, log) = (folder.path().join("large"), folder.path().join("log"));
    std::fs::write(&large, vec![b'x'; 5000]).unwrap();
    std::fs::write(&log, "error1\nfine\nerror22 error3\nan error\n").unwrap();
    let (large_name, log_name) = (large.display(), log.display());
    let directives = format!(
        "file {large_name} 3\nfile {large_name}.not 1\nfile {log_name}\n\
         logmatch app {log_name} 60 error[0-9]+\nswap 2000000000\n"
    );
    let file = |path: &Path, max| FileOptions { path: path.into(), max };
    let options = WatchOptions {
        files: vec![file(&large, Some(3)), file(&folder.path().join("large.not"), Some(1)), file(&log, None)],
        log_matches: vec![LogMatchOptions {
            name: "app".into(),
            path: log.clone(),
            pattern: "error[0-9]+".into(),
            every: Duration::from_secs(60),
        }],
        minimum_swap: 2_000_000_000,
        ..WatchOptions::default()
    };
    let Some(snmpd) = Snmpd::start_with(&directives) else { return };
    let host = host(options);
    let found = |wanted: &str| ours(&host, |group| group == wanted);
    assert_eq!(found("ucd-file"), snmpd.walk("1.3.6.1.4.1.2021.15"));
    let is_message = |(name, _): &(Oid, Value)| name.starts_with(&[1, 3, 6, 1, 4, 1, 2021, 4, 101]);
    let message = |instances: Instances| instances.into_iter().find(is_message).map(|(_, value)| value);
    assert_eq!(message(found("ucd-memory")), message(snmpd.walk("1.3.6.1.4.1.2021.4")));
    // What is new since the last reading is not compared: snmpd begins anew with each request of a walk.
    let lasting = |instances: Instances| -> Instances {
        let is_new = |name: &Oid| {
            [9, 10].iter().any(|column| name.starts_with(&[1, 3, 6, 1, 4, 1, 2021, 16, 2, 1, *column]))
        };
        instances.into_iter().filter(|(name, _)| !is_new(name)).collect()
    };
    assert_eq!(lasting(found("ucd-log-match")), lasting(snmpd.walk("1.3.6.1.4.1.2021.16")));
    // What is written later counts, and what is gone does not.
    std::fs::write(&log, "error9\n").unwrap();
    let counters = |instances: Instances| {
        let of = |column: u32| {
            let name = Oid::from([1, 3, 6, 1, 4, 1, 2021, 16, 2, 1, column, 1]);
            instances.get(&name).cloned()
        };
        [of(5), of(7)]
    };
    let theirs = counters(snmpd.walk("1.3.6.1.4.1.2021.16"));
    assert_eq!(counters(found("ucd-log-match")), theirs);
    assert_eq!(theirs[0], Some(Value::Counter32(3)));
}

/// The version group has snmpd's objects, of the same types.
#[test]
fn the_version_has_the_objects_of_snmpd() {
    let Some(snmpd) = Snmpd::start_with("") else { return };
    let shown = |instances: Instances| -> Vec<(Oid, trunkline_smi::ValueKind)> {
        instances.into_iter().map(|(name, value)| (name, value.kind())).collect()
    };
    let theirs: Instances =
        ["1.3.6.1.4.1.2021.100", "1.3.6.1.4.1.2021.101"].iter().flat_map(|below| snmpd.walk(below)).collect();
    let host = HostOptions::host(Instant::now());
    assert_eq!(shown(ours(&host, |group| group == "ucd-version")), shown(theirs));
}
