//! An interrupted run stops its children and keeps its samples. In a separate program: the signal is sent to the
//! whole process.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

use std::fs;
use std::time::{Duration, Instant};

use clap::Parser;
use rustix::process::{Signal, getpid, kill_process};
use trunkline_lab::doubt::Doubt;
use trunkline_lab::trial;
use trunkline_lab::{Error, LabArguments};
use trunkline_testkit::has;

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    lab: LabArguments,
}

#[test]
fn an_interrupted_run_keeps_its_samples() {
    if !has("snmpd", "snmpd") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_owned();
    let words = ["lab", "--objects", "1,4", "--repeat", "1000000", "--out", out.to_str().unwrap()];
    let lab = Program::try_parse_from(words).unwrap().lab;
    let run = std::thread::spawn(move || lab.run(&mut Vec::new(), &mut Vec::new()));
    let file = out.join(trial::FILE_NAME);
    let deadline = Instant::now() + Duration::from_secs(60);
    // Samples of a round on disk show that the run is in progress and handles signals.
    while !fs::read_to_string(&file).unwrap_or_default().contains("\"round\":1,") {
        assert!(Instant::now() < deadline && !run.is_finished(), "no round was measured");
        std::thread::yield_now();
    }
    kill_process(getpid(), Signal::INT).unwrap();
    match run.join().unwrap() {
        Err(Error::Interrupted { samples }) => assert_eq!(samples, file),
        other => panic!("{other:?}"),
    }
    let trials = trial::read(&out).unwrap();
    assert!(trials.blocks("iftable/delay").count() > 0);
    assert!(trials.doubts().iter().any(|it| matches!(it, Doubt::CutOff { .. })));
}
