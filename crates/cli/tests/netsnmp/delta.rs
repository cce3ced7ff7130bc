//! `snmpdelta`, against an agent whose counters go on with each request.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use trunkline_smi::Value;
use trunkline_snmp::wire::{Bound, Exception, VarBind};

use crate::pair::{Pair, links};
use crate::support::{Agent, answer_next};

/// ifInOctets.1 goes on by 100 with each request, over its end; ifOutOctets.1 stands still.
fn counting() -> Agent {
    let asked = AtomicU32::new(0);
    Agent::new(move |request| {
        let round = asked.fetch_add(1, SeqCst);
        Some(answer_next(&request, |name| match &name[..] {
            [.., 2, 2, 1, 10, 1] => {
                VarBind::new(name.clone(), Value::Counter32((u32::MAX - 50).wrapping_add(100 * round)))
            }
            [.., 2, 2, 1, 16, 1] => VarBind::new(name.clone(), Value::Counter32(7)),
            [.., 1, 3, 0] => VarBind::new(name.clone(), Value::TimeTicks(200 * round)),
            _ => VarBind { name: name.clone(), value: Bound::Exception(Exception::NoSuchInstance) },
        }))
    })
}

const COUNTERS: [&str; 2] = [".1.3.6.1.2.1.2.2.1.10.1", ".1.3.6.1.2.1.2.2.1.16.1"];

/// The first lines of an endless output.
fn lines(letters: &str, objects: &[&str], count: usize) -> Vec<String> {
    let agent = counting();
    let mut child = Command::new(links().join("snmpdelta"))
        .args(["-v2c", "-c", "public", "-On", letters, &agent.target()])
        .args(objects)
        .env("SNMPCONFPATH", "/nonexistent")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let found =
        BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap).take(count).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    found
}

#[test]
fn changes_are_printed_as_lines_sums_and_tables() {
    let [first, second] = COUNTERS;
    assert_eq!(
        lines("-CSm", &COUNTERS, 3),
        [
            format!("{first} /1 sec: 100\t(Max: 100)"),
            format!("{second} /1 sec: 0\t(Max: 0)"),
            "Sum /1 sec: 100\t(Max: 100)".to_owned(),
        ]
    );
    assert_eq!(
        lines("-CTS", &COUNTERS, 2),
        [format!("\t{first}\t{second}"), "\t100.00\t0.00\t100.00".to_owned()]
    );
    // By the agent's clock a request takes two seconds.
    assert_eq!(lines("-Ct", &COUNTERS, 1), [format!("{first} /sec: 50.00")]);
    // Two messages a look: the counter goes on by 100 with each.
    assert_eq!(lines("-Cv1", &COUNTERS, 1), [format!("{first} /1 sec: 200")]);
    let missing = [".1.3.6.1.2.1.2.2.1.10.9", first];
    let expected: Vec<String> = vec![format!("{first} /1 sec: 100")];
    assert_eq!(lines("-Cf", &missing, 1), expected);
}

#[test]
fn what_cannot_be_looked_at_ends_it() {
    let pair = Pair::numbers("");
    let agent = counting();
    let target = agent.target();
    let ran = |words: &str| pair.ours(&format!("snmpdelta -v2c -c public {words}"));
    let none = ran(&format!("{target} .1.3.6.1.2.1.2.2.1.10.9"));
    assert_eq!(none.status, Some(1));
    assert!(
        none.words.contains(".10.9: No Such Instance") || none.words.contains(".9: No Such Instance"),
        "{none:?}"
    );
    for (words, what) in [
        ("-Cz localhost x", "Bad -C options: z"),
        ("-Cp 0 localhost x", "Bad -Cp option: 0"),
        ("localhost", "Missing object name"),
        ("", "No hostname specified."),
    ] {
        let ran = ran(words);
        assert!(ran.status == Some(1) && ran.usage && ran.words.starts_with(what), "{words} {ran:?}");
    }
    let ran = ran("-CF /nonexistent/objects localhost");
    assert!(ran.status == Some(1) && ran.words.starts_with("snmpdelta: /nonexistent/objects: "), "{ran:?}");
    let silent = Agent::new(|_| None);
    let ran =
        pair.ours(&format!("snmpdelta -v2c -c public -t 0.05 -r 0 {} .1.3.6.1.2.1.1.3.0", silent.target()));
    assert!(ran.status == Some(1) && ran.words.starts_with("Timeout: No Response from "), "{ran:?}");
}

#[test]
fn files_have_the_objects_and_what_changes() {
    let folder = tempfile::tempdir().unwrap();
    let objects = folder.path().join("objects");
    std::fs::write(&objects, format!("# counters\n{}\n\n{} # stands still\n", COUNTERS[0], COUNTERS[1]))
        .unwrap();
    let agent = counting();
    let target = agent.target();
    let mut child = Command::new(links().join("snmpdelta"))
        .args([
            "-v2c",
            "-c",
            "public",
            "-On",
            "-CSl",
            "-CF",
            objects.to_str().unwrap(),
            "-CL",
            "all",
            &target,
        ])
        .env("SNMPCONFPATH", "/nonexistent")
        .current_dir(folder.path())
        .spawn()
        .unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(format!("{target}-{name}")));
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while read("all").is_err() && std::time::Instant::now() < deadline {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(read("all").unwrap().lines().next(), Some("all /1 sec: 100"));
    let still = read(COUNTERS[1]).unwrap();
    assert!(still.starts_with(&format!("{} /1 sec: 0\n", COUNTERS[1])), "{still}");
}
