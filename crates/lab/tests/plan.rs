//! `trunkline lab plan` against measurement: three groups of simulated agents, whose delays are set and grow with the group,
//! foretell a larger one, which is measured then. They are in a folder, as a run leaves it, beside files that say nothing about larger groups.

#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use trunkline_delays::{Header, Metric, MetricType, Outcome, Record, Scheduling, Writer};
use trunkline_poll::{Parallel, Phase, RoundsOptions, Sample, Schedule, Shard, ShardOptions, SnmpRead};
use trunkline_sim::configuration::Plan;
use trunkline_sim::serve::{Running, ServeOptions};
use trunkline_smi::Oid;
use trunkline_snmp::wire::Version;

const ROUNDS: u64 = 3;
const PERIOD: Duration = Duration::from_secs(1);

/// The delays of a tenth of the agents each, in milliseconds: quantiles of a Weibull distribution with the shape 2, whose scale grows
/// with the root of the size. They are so long that what the machine adds is nothing beside them.
fn delays(agents: u32) -> [f64; 10] {
    let scale = 80.0 * (f64::from(agents) / 40.0).sqrt();
    std::array::from_fn(|at| scale * (-(1.0 - (at as f64 + 0.5) / 10.0).ln()).sqrt())
}

/// What is in a file of delays of such a group.
fn header(agents: u32, operation: &str) -> Header {
    let metric = Metric::new("sysUpTime", MetricType::AttributeDelay, operation, ["Manager", "Agent"], 1);
    let mut header = Header::new(metric.unwrap());
    (header.group, header.period) = (agents, PERIOD.as_nanos() as u64);
    "snmp".clone_into(&mut header.protocol);
    header
}

/// Files of a folder of a run that a plan has to leave: they would foretell ten seconds.
fn decoys(folder: &Path) {
    let bounded = [("outstanding".to_owned(), "10".to_owned())].into();
    let serial = Header { scheduling: Scheduling::Serial, ..header(1000, "Get") };
    for (name, header) in [
        ("traps.delays", header(1000, "Trap")),
        ("bounded.delays", Header { settings: bounded, ..header(1000, "Get") }),
        ("serial.delays", serial),
        // Most answers are later than a period.
        ("late.delays", header(1000, "Get")),
    ] {
        let mut octets = Vec::new();
        let mut writer = Writer::begin(&header, &mut octets).unwrap();
        for (agent, round) in (0..2_000).map(|at| (at % 1000, at / 1000)) {
            let (due, ended) = (u64::from(round) * 1_000_000_000, 10_000_000_000 + u64::from(agent));
            let record =
                Record { agent, round, due, sent: due, ended: due + ended, outcome: Outcome::Answered };
            writer.push(&record, &mut octets).unwrap();
        }
        writer.end(&mut octets);
        std::fs::write(folder.join(name), octets).unwrap();
    }
    std::fs::write(folder.join("notes.txt"), "no delays").unwrap();
    std::fs::write(folder.join("broken.delays"), "no delays either").unwrap();
}

/// Asks a group of simulated agents, and writes a file of delays.
fn measure(agents: u32, folder: &Path) -> PathBuf {
    let slow: Vec<String> =
        delays(agents).iter().map(|delay| format!("\"10%:{}us\"", (delay * 1000.0) as u64)).collect();
    let text = format!(
        "[[group]]\nname = \"g\"\nprefix = \"127.130.0.0/16\"\nagents = {agents}\nfaults.slow = [{}]\n",
        slow.join(", ")
    );
    let plan = Plan::parse(&text, Path::new("fleet")).unwrap();
    let running = Running::start(Arc::new(plan.fleet), &ServeOptions { port: 0, ..plan.serve }).unwrap();
    let peers = running.fleet().agents().map(|(address, _)| (address, running.port()).into()).collect();
    let schedule = Schedule::new(agents, PERIOD, Phase::EVEN, Some(ROUNDS)).unwrap();
    let deadline = Duration::from_secs(30);
    let rounds = RoundsOptions { parallel: Parallel::Unbounded, deadline, places: None };
    let options = ShardOptions { rounds, gather: Duration::from_micros(100), kernel_stamps: true };
    let protocol = SnmpRead::get(Version::V2c, b"public", &[Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0])]);
    let mut samples: Vec<Sample> = Vec::new();
    let shard = Shard::open(schedule, peers, options, protocol, |sample: &Sample| samples.push(*sample));
    let ended = shard.unwrap().run(Instant::now(), &AtomicBool::new(false)).unwrap();
    assert_eq!(ended.counts.answered, u64::from(agents) * ROUNDS);
    let mut octets = Vec::new();
    let mut writer = Writer::begin(&header(agents, "Get"), &mut octets).unwrap();
    for sample in &samples {
        let ns = |moment: Duration| moment.as_nanos() as u64;
        let (due, sent) = (ns(sample.due), ns(sample.sent));
        let ended = ns(sample.received().unwrap()).max(sent);
        let round = sample.round as u32;
        let record = Record { agent: sample.agent, round, due, sent, ended, outcome: Outcome::Answered };
        writer.push(&record, &mut octets).unwrap();
    }
    writer.end(&mut octets);
    let path = folder.join(format!("{agents}.delays"));
    std::fs::write(&path, octets).unwrap();
    path
}

fn lab(files: &[PathBuf], words: &[&str]) -> Output {
    let files = files.iter().map(|path| path.as_os_str());
    Command::new(env!("CARGO_BIN_EXE_trunkline-lab")).arg("plan").args(files).args(words).output().unwrap()
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_larger_group_is_foretold_within_the_stated_error() {
    let folder = tempfile::tempdir().unwrap();
    let [run, apart] = ["run/delays", "apart"].map(|name| folder.path().join(name));
    for folder in [&run, &apart] {
        std::fs::create_dir_all(folder).unwrap();
    }
    decoys(&run);
    let measured: Vec<PathBuf> = thread::scope(|scope| {
        let threads: Vec<_> = [40, 80, 160, 320]
            .map(|agents| {
                let folder = if agents == 320 { &apart } else { &run };
                scope.spawn(move || measure(agents, folder))
            })
            .into();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let known = [folder.path().join("run")];
    let held_out = &measured[3..];
    let set = delays(320);
    // Three points between two of the set delays each: 70 %, 40 % and 10 % are later.
    for (at, truth) in [(2, 0.7), (5, 0.4), (8, 0.1)] {
        let tolerable = format!("{}us", (set[at].midpoint(set[at + 1]) * 1000.0) as u64);
        let words = ["--agents", "320", "--tolerable", &tolerable, "--json"];
        let found = json(&lab(&known, &words));
        let late = &found["tables"][0]["rows"][0]["ours"];
        let [late, low, high] = [0, 1, 2].map(|at| late[at].as_f64().unwrap());
        // What was measured of the group, by the same program.
        let out = folder.path().join("report");
        let out = out.to_str().unwrap();
        let mut analyze = Command::new(env!("CARGO_BIN_EXE_trunkline-lab"));
        analyze.arg("analyze").arg(&held_out[0]).args(["--tolerable", &tolerable, "--json", "--out", out]);
        let analyzed = json(&analyze.output().unwrap());
        let quality =
            analyzed["tables"].as_array().unwrap().iter().find(|it| it["id"] == "analyze/quality").unwrap();
        let measured = quality["rows"][0]["ours"][2].as_f64().unwrap();
        assert!((measured - truth).abs() < 0.051, "{tolerable}: {measured} of {truth}");
        assert!(
            low <= measured && measured <= high,
            "{tolerable}: {measured}, foretold {late}, {low} to {high}"
        );
        assert!((late - measured).abs() < 0.12, "{tolerable}: {measured}, foretold {late}");
        assert!(high - low < 0.5, "{tolerable}: {low} to {high} says nothing");
        // Each of three groups has halves, and two others; and there is one near the limit.
        assert_eq!(found["tables"][1]["rows"].as_array().unwrap().len(), 7);
        let warnings: Vec<&str> =
            found["warnings"].as_array().unwrap().iter().filter_map(|it| it["text"].as_str()).collect();
        assert!(
            warnings.iter().any(|it| it.contains("2.00 times the greatest rate of the model")),
            "{found}"
        );
        let beyond = "from 1000 requests a second on, 100 % of the answers or more were later than a period";
        assert!(warnings.iter().any(|it| it.contains(beyond)), "{found}");
    }
}

#[test]
fn a_plan_is_read_on_a_terminal_and_mistakes_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let delays = folder.path().join("a.csv");
    let lines: String = (0..400)
        .map(|at| format!("{},{},{}\n", at % 20, at / 20, 1.0 + f64::from(at * 37 % 101) / 10.0))
        .collect();
    std::fs::write(&delays, format!("agent,round,delay\n{lines}")).unwrap();
    let files = [delays];
    let output = lab(&files, &["--agents", "20", "--tolerable", "20ms", "--rtt", "15ms", "--loss", "1%"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("20.0 requests a second") && text.contains("one rate was measured"), "{text}");
    for (words, says) in [
        (&["--agents", "2000"][..], "measure a group of another size"),
        (&["--agents", "20", "--protocol", "jmx"], "no file is of the protocol `jmx`; there are: delays"),
    ] {
        let output = lab(&files, words);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(says), "{text}");
    }
    let output = lab(&[folder.path().to_owned()], &["--agents", "20"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && text.contains("in parallel rounds"), "{text}");
    let output = lab(&files, &["--agents", "0"]);
    assert_eq!(output.status.code(), Some(2));
}
