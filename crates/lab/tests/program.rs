//! The program `trunkline-lab`: its help and its exit status.

#![allow(clippy::unwrap_used, reason = "a test fails by panic")]

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use trunkline_testkit::leave_out;

fn lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_trunkline-lab")).args(arguments).output().unwrap()
}

#[test]
fn help_shows_the_command_as_a_user_types_it() {
    for (arguments, usage) in [
        (["du2001", "--help"], "Usage: trunkline lab du2001"),
        (["sim", "--help"], "Usage: trunkline sim [OPTIONS]"),
    ] {
        let output = lab(&arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains(usage), "{text}");
    }
}

#[test]
fn a_mistake_on_the_command_line_exits_with_2() {
    for (arguments, says) in [
        (&["du2001", "--gsoap", "x"][..], "Usage: trunkline lab du2001"),
        (&["du2001", "table-99"], "there is no `table-99` in this experiment"),
        (&["sim", "--nothing"], "Usage: trunkline sim"),
        (&["du2001", "--repeat", "-1"], "invalid value '-1' for '--repeat <N>'"),
        (&["emanics2006", "section-2", "--period", "2", "--sampling", "3600"], "--sampling"),
        (&["nothing"], "unrecognized subcommand 'nothing'"),
    ] {
        let output = lab(arguments);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(says), "{text}");
    }
}

/// A browser that ends: whichever of its tables is measured, nothing is, and the words of the browser are why.
#[test]
fn a_browser_that_ends_is_a_failure() {
    use std::os::unix::fs::PermissionsExt as _;
    if !Path::new(env!("CARGO_BIN_EXE_trunkline-lab")).with_file_name("trunklined").is_file() {
        leave_out("trunklined is not built");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("chromium");
    fs::write(&program, "#!/bin/sh\necho boom >&2\nexit 3\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", directory.path().display(), std::env::var("PATH").unwrap_or_default());
    for table in ["table-3", "figure-7"] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_trunkline-lab"));
        program
            .args(["ma2005", table, "--quick", "--repeat", "1", "--out"])
            .arg(directory.path().join("report"));
        let output = program.env("PATH", &path).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{table}: {text}");
        if text.contains("packets are counted on the emulated link") {
            leave_out("no emulated link");
            return;
        }
        assert!(text.contains("the browser has ended (exit status: 3); it said: boom"), "{table}: {text}");
        assert!(!directory.path().join("report/samples.jsonl").exists(), "{table}");
    }
}

#[test]
fn samples_that_are_not_there_are_an_error() {
    let output = lab(&["du2001", "--analyse", "/nonexistent"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.starts_with("trunkline lab: cannot read /nonexistent"), "{text}");
}

#[test]
fn stored_delays_are_analysed_and_a_bad_line_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let (delays, out) = (directory.path().join("delays.csv"), directory.path().join("report"));
    let out = out.to_str().unwrap();
    std::fs::write(&delays, "agent,round,delay\na,0,1.5\nb,0,lost\na,1,2.5\nb,1,900us\n").unwrap();
    let output = lab(&["analyze", delays.to_str().unwrap(), "--tolerable", "2ms", "--json", "--out", out]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let quality = json["tables"].as_array().unwrap().iter().find(|it| it["id"] == "analyze/quality").unwrap();
    // Of four answers one is lost and one too late; so is a request of each round.
    let error = |row: usize| quality["rows"][row]["ours"][2].as_f64();
    assert_eq!([error(0), error(2)], [Some(0.5), Some(1.0)]);
    assert!(std::path::Path::new(out).join("index.html").is_file());
    std::fs::write(&delays, "1.5\n2.5\nslow\n").unwrap();
    let output = lab(&["analyze", delays.to_str().unwrap(), "--out", out]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("line 3: `slow` is not a delay"), "{text}");
}

/// The example of docs/lab.md with a ping that loses two of five.
#[test]
fn the_losses_of_ping_are_in_its_analysis() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/lab.md")).unwrap();
    let example = page.lines().find(|line| line.starts_with("ping ")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let program = |name: &str, text: &str| {
        use std::os::unix::fs::PermissionsExt as _;
        let path = directory.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let lines = "cat <<'X'\nPING router (10.0.0.1) 56(84) bytes of data.\n64 bytes from router: icmp_seq=1 ttl=64 time=0.402 ms\n\
                 64 bytes from router: icmp_seq=2 ttl=64 time=21.5 ms\n64 bytes from router: icmp_seq=4 ttl=64 time=0.310 ms\n\n\
                 --- router ping statistics ---\n5 packets transmitted, 3 received, 40% packet loss, time 4095ms\n\
                 rtt min/avg/max/mdev = 0.310/7.404/21.500/9.9 ms\nX";
    program("ping", lines);
    let lab = env!("CARGO_BIN_EXE_trunkline-lab");
    program(
        "trunkline",
        &format!("shift; exec '{lab}' \"$@\" --json --out '{}'", directory.path().display()),
    );
    let path = format!("{}:{}", directory.path().display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh").arg("-c").arg(example).env("PATH", path).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let answer = json["answer"][0].as_str().unwrap();
    assert!(answer.contains("60.0 % of requests (40.0 % have no answer)"), "{answer}");
}

#[test]
fn every_experiment_has_a_page_and_completions() {
    let share = tempfile::tempdir().unwrap();
    assert!(lab(&["manual", share.path().to_str().unwrap()]).status.success());
    for file in [
        "man/man1/trunkline-lab.1",
        "man/man1/trunkline-lab-du2001.1",
        "bash-completion/completions/trunkline-lab",
    ] {
        assert!(share.path().join(file).is_file(), "{file}");
    }
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    let Some(directory) = small_run() else { return };
    let from = directory.path().display().to_string();
    for arguments in [&["iftable", "--analyse", &from][..], &["iftable", "--analyse", &from, "--json"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline-lab"));
        let output = command.args(arguments).stdout(full).stderr(Stdio::piped()).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("cannot write the output: No space left on device"), "{text}");
    }
}

#[test]
fn samples_of_another_experiment_are_named() {
    let Some(directory) = small_run() else { return };
    let from = directory.path().display().to_string();
    let output = lab(&["du2001", "--analyse", &from]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains(&format!("these are samples of iftable: trunkline lab iftable --analyse {from}")),
        "{text}"
    );
}

/// The samples of a run.
fn small_run() -> Option<tempfile::TempDir> {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let output = lab(&["iftable", "--objects", "1", "--repeat", "1", "--out", out]);
    if output.status.success() {
        return Some(directory);
    }
    leave_out(String::from_utf8_lossy(&output.stderr));
    None
}

/// Whatever ends it, and whenever: the folders with keys are gone, and the message does not mislead.
#[test]
fn a_signal_leaves_no_keys_behind() {
    for (signal, measuring) in [(Signal::HUP, true), (Signal::TERM, false), (Signal::INT, true)] {
        let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline-lab"));
        command.args(["du2001", "table-2", "--repeat", "100000", "--out", out.path().to_str().unwrap()]);
        command.env("TMPDIR", folder.path()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        let mut run = command.spawn().unwrap();
        let samples = out.path().join("samples.jsonl");
        let is_there = || match measuring {
            true => samples.exists(),
            false => !is_empty(folder.path()),
        };
        if !until(&mut run, is_there) {
            let output = run.wait_with_output().unwrap();
            return leave_out(String::from_utf8_lossy(&output.stderr));
        }
        // As a terminal does: to all that it started, too.
        kill_process_group(Pid::from_raw(run.id().cast_signed()).unwrap(), signal).unwrap();
        let output = run.wait_with_output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{signal:?}: {text}");
        assert!(text.contains("interrupted") && !text.contains("os error"), "{signal:?}: {text}");
        assert!(is_empty(folder.path()), "{signal:?} left files behind");
    }
}

/// Whatever a run waits for, a signal ends it.
#[test]
fn a_run_that_waits_for_an_agent_ends_with_a_signal() {
    for signal in [Signal::INT, Signal::QUIT] {
        let silent = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        silent.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(out.path().join("report.json"), "of another run").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline-lab"));
        command.args(["iftable", "--no-local", "--out", out.path().to_str().unwrap(), "--subject"]);
        command.arg(format!("snmp://{}", silent.local_addr().unwrap()));
        command.env("TMPDIR", folder.path()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        let run = command.spawn().unwrap();
        silent.recv_from(&mut [0; 1500]).unwrap();
        let asked = Instant::now();
        kill_process_group(Pid::from_raw(run.id().cast_signed()).unwrap(), signal).unwrap();
        let output = run.wait_with_output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{signal:?}: {text}");
        assert!(asked.elapsed() < Duration::from_secs(2), "{signal:?}: {:?}", asked.elapsed());
        assert!(text.contains("trunkline lab: interrupted") && is_empty(folder.path()), "{text}");
        let left: Vec<_> = fs::read_dir(out.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(left, ["report.json"]);
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

/// Waits until something is so; false if the run ends before.
fn until(run: &mut Child, mut is_so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < deadline, "it does not begin");
        if run.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::yield_now();
    }
    true
}
