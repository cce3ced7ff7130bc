//! `pass`: well-behaved, hanging, crashing, flooding and lying programs.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::regions::proxy::Snmpd;
use crate::regions::{Bound, Exception, Value, Version, ask, ask_v1, executable, set, shown, texts, walk};
use crate::support::{self, Agent, BOTH, PATIENCE, get, message, next, receive, socket_to};

/// One instance of each type, from `$P.1` on; sets of some are refused.
const TYPES: &str = r#"#!/bin/sh
P=.1.3.6.1.4.1.9999.1
N=${2#$P.}
if [ "$1" = "-s" ]; then
    case "$N" in
        2) echo not-writable ;;
        3) echo wrong-type ;;
        4) echo wrong-length ;;
        5) echo wrong-value ;;
        6) echo inconsistent-value ;;
        7) echo no-creation ;;
        8) echo gibberish ;;
        9) echo "$3 $4" > "$(dirname "$0")/set" ;;
    esac
    exit 0
fi
if [ "$1" = "-n" ]; then
    if [ "$2" = "$P" ]; then N=1; else N=$((N + 1)); fi
fi
case "$N" in
    1) set integer -42 ;;
    2) set gauge 4294967295 ;;
    3) set counter 12.5 ;;
    4) set counter64 18446744073709551615 ;;
    5) set timeticks 363136200 ;;
    6) set ipaddress 127.0.0.1 ;;
    7) set objectid .1.3.6.1.4.255 ;;
    8) set octet "de ad be ef 0" ;;
    9) set string "Life, the Universe, and Everything" ;;
    10) set STRING "" ;;
    11) set unsigned 7 ;;
    12) set Counter32 9 ;;
    *) exit 0 ;;
esac
echo "$P.$N"
echo "$1"
echo "$2"
"#;

const ROOT: &str = "1.3.6.1.4.1.9999.1";

#[test]
fn programs_written_for_snmpd_work_the_same_here() {
    let folder = tempfile::tempdir().unwrap();
    let program = executable(folder.path(), "types.sh", TYPES);
    let config = format!(
        "{BOTH}[[pass]]\noid = \"{ROOT}\"\ncommand = [\"{}\"]\ntimeout = \"20s\"\n",
        program.display()
    );
    let agent = crate::regions::start(&config);
    let all = walk(&agent, ROOT, None);
    assert_eq!(all.len(), 12);
    assert_eq!(walk(&agent, ROOT, Some(30)), all);
    let bindings = ask(&agent, get(&["1.3.6.1.4.1.9999.1.77", ROOT, "1.3.6.1.4.1.9999.1.1"])).bindings;
    let values: Vec<Bound> = bindings.into_iter().map(|binding| binding.value).collect();
    let missing = Bound::Exception(Exception::NoSuchInstance);
    assert_eq!(values, [missing.clone(), missing, Bound::Value(Value::Integer(-42))]);

    let sets: Vec<(i32, i32)> =
        (1..=9).map(|n| set(&agent, &[(&format!("{ROOT}.{n}"), Value::text("a  b"))])).collect();
    assert_eq!(sets, [(0, 0), (17, 1), (7, 1), (8, 1), (10, 1), (12, 1), (11, 1), (0, 0), (0, 0)]);
    assert_eq!(std::fs::read_to_string(folder.path().join("set")).unwrap(), "string a  b\n");

    let Some(snmpd) = Snmpd::start(&format!("pass .{ROOT} {}\n", program.display())) else { return };
    let theirs: BTreeMap<String, String> = snmpd.walk(ROOT).into_iter().collect();
    for (name, value) in &all {
        let ours = match value {
            Value::OctetString(octets) if octets.contains(&0xde) => "DE AD BE EF 00".to_owned(),
            value => shown(value),
        };
        assert_eq!(Some(&ours), theirs.get(name).map(|text| plain(text)).as_ref(), "{name}");
    }
    assert_eq!(theirs.len(), all.len());
    for (n, (status, _)) in (1..=9).zip(sets) {
        assert_eq!(snmpd.set(&format!("{ROOT}.{n}"), "a  b"), status == 0, "{n}");
    }
}

/// A value of Net-SNMP's tools without what it puts around it.
fn plain(text: &str) -> String {
    text.trim_matches(['"', ' ']).trim_start_matches('.').to_owned()
}

#[test]
fn version_1_skips_unknown_types() {
    let folder = tempfile::tempdir().unwrap();
    let program = executable(folder.path(), "types.sh", TYPES);
    let agent = crate::regions::start(&format!(
        "{BOTH}[[pass]]\noid = \"{ROOT}\"\ncommand = [\"{}\"]\n",
        program.display()
    ));
    let answer = ask_v1(&agent, get(&["1.3.6.1.4.1.9999.1.4"]));
    assert_eq!((answer.error_status, answer.error_index), (2, 1));
    let answer = ask_v1(&agent, next(&["1.3.6.1.4.1.9999.1.3"]));
    assert_eq!(answer.bindings[0].value, Bound::Value(Value::TimeTicks(363_136_200)));
    let answer = ask_v1(&agent, get(&["1.3.6.1.4.1.9999.1.77"]));
    assert_eq!((answer.error_status, answer.error_index), (2, 1));
}

/// Several programs, each for a separate subtree: `1.3.6.1.4.1.9999.N`.
fn with_programs(programs: &[(u32, &str)], timeout: &str) -> (Agent, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut config = BOTH.to_owned();
    for (n, text) in programs {
        let program = executable(folder.path(), &format!("program-{n}"), text);
        config += &format!(
            "[[pass]]\noid = \"1.3.6.1.4.1.9999.{n}\"\ncommand = [\"{}\"]\ntimeout = \"{timeout}\"\n",
            program.display()
        );
    }
    (crate::regions::start(&config), folder)
}

#[test]
fn a_hanging_program_delays_only_its_own_requests() {
    let well = "#!/bin/sh\necho .1.3.6.1.4.1.9999.2.0; echo integer; echo 5\n";
    // It says on the fifo that it runs; its child would live on.
    let hanging = "#!/bin/sh\necho $$ > \"$(dirname \"$0\")/fifo\"\nsleep 1000 & sleep 1000\n";
    let (agent, folder) = with_programs(&[(1, hanging), (2, well)], "8s");
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let waiting = socket_to(agent.udp());
    let begun = Instant::now();
    waiting.send(&message(Version::V2c, "public", get(&["1.3.6.1.4.1.9999.1.0"])).encode()).unwrap();
    let pid = std::fs::read_to_string(&fifo).unwrap();
    // It hangs now; others are answered.
    assert_eq!(agent.get("1.3.6.1.4.1.9999.2.0"), Bound::Value(Value::Integer(5)));
    assert!(matches!(agent.get("1.3.6.1.2.1.1.3.0"), Bound::Value(Value::TimeTicks(_))));
    assert!(begun.elapsed() < Duration::from_secs(8), "the others waited for it");
    waiting.set_nonblocking(true).unwrap();
    assert!(waiting.recv(&mut [0; 100]).is_err(), "it has hung not long enough for this test");
    waiting.set_nonblocking(false).unwrap();
    let answer = receive(&waiting).unwrap().pdu;
    assert_eq!((answer.error_status, answer.error_index), (5, 1), "genErr at its limit");
    assert!(begun.elapsed() < PATIENCE / 2);
    assert!(!std::path::Path::new(&format!("/proc/{}", pid.trim())).exists(), "it was killed");
}

#[test]
fn the_number_of_requests_waiting_for_a_hanging_program_is_limited() {
    let (agent, _folder) = with_programs(&[(1, "#!/bin/sh\nexec sleep 1000\n")], "1s");
    let request = message(Version::V2c, "public", get(&["1.3.6.1.4.1.9999.1.0"])).encode();
    let sockets: Vec<_> = (0..64).map(|_| socket_to(agent.udp())).collect();
    sockets.iter().for_each(|socket| _ = socket.send(&request).unwrap());
    // All get their error, and most of them before the first program has come to its limit.
    let begun = Instant::now();
    for socket in &sockets {
        assert_eq!(receive(socket).unwrap().pdu.error_status, 5);
    }
    assert!(begun.elapsed() < Duration::from_secs(16), "the askers queued up: {:?}", begun.elapsed());
}

#[test]
fn programs_that_crash_flood_or_lie_are_passed_over() {
    let answer = |name: &str| format!("#!/bin/sh\necho {name}; echo integer; echo 1\n");
    let (same, lower) = (answer(".1.3.6.1.4.1.9999.5"), answer(".1.3.6.1.4.1.9999.1"));
    let (outside, unusable) =
        (answer(".1.3.6.1.6.3.1"), "#!/bin/sh\necho .1.3.6.1.4.1.9999.8.1; echo real; echo 1.5\n");
    let programs = [
        (1, "#!/bin/sh\necho .1.3.6.1.4.1.9999.1.1\nkill -9 $$\n"),
        (2, "#!/bin/sh\nexec yes\n"),
        (3, "#!/bin/sh\nexec head -c 1000000 /dev/zero\n"),
        (5, &same),
        (6, &lower),
        (7, &outside),
        (8, unusable),
        (9, "#!/bin/sh\nif [ $2 = .1.3.6.1.4.1.9999.9 ]; then echo $2.1; echo string; echo end; fi\n"),
    ];
    let (agent, _folder) = with_programs(&programs, "20s");
    // The one that says its own root again and again is believed once; a walk comes to the last one.
    let all = ["1.3.6.1.4.1.9999.5=1", "1.3.6.1.4.1.9999.9.1=end"];
    assert_eq!(texts(&walk(&agent, "1.3.6.1.4.1.9999", None)), all);
    assert_eq!(texts(&walk(&agent, "1.3.6.1.4.1.9999", Some(10))), all);
    for n in [1, 2, 3, 5, 6, 7, 8] {
        assert_eq!(
            agent.get(&format!("1.3.6.1.4.1.9999.{n}.1")),
            Bound::Exception(Exception::NoSuchInstance),
            "{n}"
        );
    }
    // One that cannot be started at all is not an empty subtree.
    let config =
        format!("{BOTH}[[pass]]\noid = \"1.3.6.1.4.1.9999.1\"\ncommand = [\"/nonexistent/program\"]\n");
    let agent = crate::regions::start(&config);
    let answer = ask(&agent, support::get(&["1.3.6.1.2.1.1.3.0", "1.3.6.1.4.1.9999.1.1"]));
    assert_eq!((answer.error_status, answer.error_index), (5, 2));
    agent.wait_for("/nonexistent/program");
}
