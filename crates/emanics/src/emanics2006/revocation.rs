//! A revocation (section 3.1): from the start of `trunkline rbac revoke` to the last refusal and to the last acknowledgement, and what is sent
//! meanwhile, by the number of devices.
//!
//! ```text
//! trunkline rbac revoke  ==TLS==>  process 1, 2, ...           each one device of the authority, or several
//! sessions of ann        --TCP-->  process 1, ..., the last    protected by the keys that are revoked
//! ```

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio::time::sleep;
use trunkline_client::netconf::{MessageKeys, NetconfFault, NetconfOptions, NetconfSession};
use trunkline_client::{Defaults, Error as ClientError, NetconfTarget};
use trunkline_rbac::{Directory, Held, Name};
use trunkline_xmlsec::Time;

use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::duration::Left;
use trunkline_labkit::error::Error;
use trunkline_labkit::leftovers::temporary_folder;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::stage::Stand;
use trunkline_labkit::subject::{Equipment, Equipped, program_of_ours};
use trunkline_labkit::transport::Transport;

use super::{Options, condition, missing};

/// What is timed, as the samples name it.
pub(super) const LAST_REFUSAL: &str = "last refusal";
/// See [`LAST_REFUSAL`].
pub(super) const FIRST_REFUSAL: &str = "first refusal";
/// See [`LAST_REFUSAL`].
pub(super) const LAST_ACKNOWLEDGEMENT: &str = "last acknowledgement";
/// See [`LAST_REFUSAL`].
pub(super) const END: &str = "end of the command";

/// Measures revocations by the number of devices.
pub(super) fn measure(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let (sizes, processes) = match chapter.choice.common.quick {
        true => (&QUICK_SIZES[..], QUICK_PROCESSES),
        false => (&SIZES[..], PROCESSES),
    };
    let rounds = chapter.choice.rounds(ROUNDS, QUICK_ROUNDS);
    let most = sizes.iter().copied().max().unwrap_or(0);
    say_conditions(chapter, most, processes)?;
    chapter.stage.stand(Stand::Beside)?;
    let program = match program_of_ours("trunkline") {
        Ok(program) => program,
        Err(reason) => return missing(chapter, "a revocation", reason),
    };
    let agents = match start(chapter, processes.min(most)) {
        Ok(agents) => agents,
        Err(reason) => return missing(chapter, "a revocation", reason),
    };
    let left = Left::of((u64::from(rounds) + 1) * sizes.len() as u64);
    let mut done = 0;
    for &size in sizes {
        let what = format!("a revocation on {size} devices");
        let office = match Office::open(chapter, &program, &agents, size) {
            Ok(office) => office,
            Err(reason) => {
                missing(chapter, &what, reason)?;
                continue;
            }
        };
        for round in 0..=rounds {
            left.announce(chapter.ledger, done);
            done += 1;
            if chapter.ledger.is_interrupted() {
                return Ok(());
            }
            match office.revoke(chapter) {
                Ok(found) => found.record(chapter, size, round)?,
                Err(reason) => {
                    missing(chapter, &what, reason)?;
                    break;
                }
            }
        }
    }
    Ok(())
}

fn say_conditions(chapter: &mut Chapter<'_, Options>, most: u32, processes: u32) -> Result<(), Error> {
    let each = most.div_ceil(processes.min(most));
    condition(
        chapter,
        format!(
            "engines in few processes: the devices are at most {processes} processes of one machine, which also runs the command. With {most} devices a \
             process is {each} of them, which have one set of keys: it refuses the old ones once it is served as the first of its devices. Devices are \
             served in the order of the processes, so that the last refusal is that of the last process; no device refuses later than it acknowledges"
        ),
    )?;
    condition(
        chapter,
        format!(
            "refusals are those of a sample: an open session with each of at most {SAMPLE} processes, the first and the last among them, sends a message \
             every {} ms times the number of sessions (with ten: {} ms, and more while the machine is busy), so that a refusal is seen as much later at most",
            EVERY.as_millis(),
            10 * EVERY.as_millis()
        ),
    )
}

/// The processes.
fn start(chapter: &Chapter<'_, Options>, count: u32) -> Result<Vec<Equipped>, String> {
    let equipment = Equipment {
        program: chapter.choice.common.trunklined.clone(),
        sessions: 64,
        netconf: vec![Transport::Tls, Transport::Tcp],
        ..Equipment::new(chapter.stage.keyring(), LOOPBACK.into(), &[])
    };
    let mut agents = Vec::new();
    while agents.len() < count as usize && !chapter.ledger.is_interrupted() {
        let equipment = equipment.clone();
        agents.push(chapter.stage.start_beside(move || equipment.start()).map_err(words)?);
    }
    Ok(agents)
}

/// The process of each device, the first process's devices first.
fn devices(size: usize, processes: usize) -> impl Iterator<Item = usize> {
    let count = processes.min(size);
    (0..size).map(move |at| at * count / size)
}

/// Which of so many processes are sampled: some that are evenly spread, the first and the last among them.
fn sample(processes: usize) -> impl Iterator<Item = usize> {
    let count = SAMPLE.min(processes);
    (0..count).map(move |at| if count == 1 { 0 } else { at * (processes - 1) / (count - 1) })
}

/// An authority whose devices are the processes.
struct Office {
    program: PathBuf,
    directory: Directory,
    keys: PathBuf,
    /// The sampled processes.
    sampled: Vec<NetconfTarget>,
    size: u32,
    folder: TempDir,
}

/// What a revocation took.
struct Found {
    refused: Vec<Duration>,
    acknowledged: Duration,
    ended: Duration,
    messages: f64,
    octets: f64,
}

impl Office {
    fn open(
        chapter: &Chapter<'_, Options>,
        program: &Path,
        agents: &[Equipped],
        size: u32,
    ) -> Result<Office, String> {
        let folder = temporary_folder().map_err(words)?;
        let directory = Directory::at(folder.path().join("rbac"));
        directory.init().map_err(words)?;
        let held = directory.hold(&mut || {}).map_err(words)?;
        let mut authority = directory.authority().map_err(words)?;
        let role = name(ROLE)?;
        authority.add_role(&role, Held::secrets().map_err(words)?).map_err(words)?;
        for user in [REVOKED, STAYING] {
            authority.assign(&name(user)?, &role).map_err(words)?;
        }
        // Devices that have served a smaller authority accept no older epochs.
        let (above, now) = (size.saturating_mul(EPOCHS), Time::from(SystemTime::now()));
        authority.renew(&role, above, now, Held::secrets().map_err(words)?).map_err(words)?;
        let processes = agents.len().min(size as usize);
        for (at, process) in devices(size as usize, agents.len()).enumerate() {
            let port = agents[process].netconf_port(Transport::Tls).ok_or("a process has no TLS")?;
            let url = format!("netconf+tls://{LOOPBACK}:{port}");
            authority.add_device(&name(&format!("device-{at:04}"))?, &url).map_err(words)?;
        }
        held.save(&authority).map_err(words)?;
        let target = |process: usize| {
            let port = agents[process].netconf_port(Transport::Tcp).ok_or("a process has no TCP")?;
            NetconfTarget::parse(&format!("netconf+tcp://{LOOPBACK}:{port}"), &Defaults::default())
                .map_err(words)
        };
        let sampled = sample(processes).map(target).collect::<Result<_, String>>()?;
        std::fs::write(folder.path().join("targets.toml"), "").map_err(words)?;
        let keys = chapter.stage.keyring().directory().to_owned();
        let program = program.to_owned();
        let office = Office { program, directory, keys, sampled, size, folder };
        drop(held);
        report(office.command(&["deploy"]).output(), size)?;
        Ok(office)
    }

    /// A command of the authority, as the user whom the devices let write keys.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["rbac", "--dir"]).arg(self.directory.path()).args(words);
        for (option, file) in
            [("--certificate", "manager.pem"), ("--key", "manager.key"), ("--authorities", "ca.pem")]
        {
            command.arg(option).arg(self.keys.join(file));
        }
        command.arg("--config").arg(self.folder.path().join("targets.toml")).args(["--json", "-t", "60"]);
        command.stdin(Stdio::null());
        command
    }

    /// Gives the role once more to the user who lost it.
    fn assign(&self) -> Result<MessageKeys, String> {
        let held = self.directory.hold(&mut || {}).map_err(words)?;
        let mut authority = self.directory.authority().map_err(words)?;
        let (user, role) = (name(REVOKED)?, name(ROLE)?);
        authority.assign(&user, &role).map_err(words)?;
        held.save(&authority).map_err(words)?;
        Ok(authority.token(&user, &role).map_err(words)?.into_keys())
    }

    /// One revocation, with its sample of open sessions.
    fn revoke(&self, chapter: &Chapter<'_, Options>) -> Result<Found, String> {
        let keys = self.assign()?;
        let revocation = async {
            let mut sessions = Vec::new();
            for target in &self.sampled {
                let options = NetconfOptions::default().with_keys(Some(keys.clone()));
                let session = NetconfSession::open(target, options).await.map_err(words)?;
                session.data(READS).await.map_err(words)?;
                sessions.push(session);
            }
            let (ended, begun) = (Arc::new(AtomicBool::new(false)), Instant::now());
            let (mut command, is_over) = (self.command(&["revoke", REVOKED, ROLE]), Arc::clone(&ended));
            // On a thread that begins now, in the namespace of this one.
            let running = std::thread::spawn(move || {
                let output = command.output();
                is_over.store(true, Ordering::Relaxed);
                (output, begun.elapsed())
            });
            let every = EVERY * sessions.len() as u32;
            let mut watching = JoinSet::new();
            for (at, session) in sessions.into_iter().enumerate() {
                watching.spawn(watch(session, begun, EVERY * at as u32, every, Arc::clone(&ended)));
            }
            let mut refused = Vec::new();
            while let Some(found) = watching.join_next().await {
                refused.push(found.map_err(words)?);
            }
            let (output, ended) = running.join().map_err(|_| "the command's thread ended".to_owned())?;
            let report = report(output, self.size)?;
            let refused = refused.into_iter().collect::<Result<Vec<Duration>, String>>()?;
            let figure = |key: &str| report[key].as_f64().unwrap_or_default();
            let acknowledged = Duration::from_secs_f64(figure("seconds").max(0.0));
            Ok(Found { refused, acknowledged, ended, messages: figure("messages"), octets: figure("octets") })
        };
        chapter.runtime.block_on(revocation)
    }
}

/// Sends messages until one is refused: when that was.
async fn watch(
    session: NetconfSession,
    begun: Instant,
    first: Duration,
    every: Duration,
    ended: Arc<AtomicBool>,
) -> Result<Duration, String> {
    sleep(first).await;
    let mut since: Option<Instant> = None;
    loop {
        match session.data(READS).await {
            Ok(_) => {}
            Err(ClientError::Netconf(fault)) if matches!(*fault, NetconfFault::Protection(_)) => {
                return Ok(begun.elapsed());
            }
            Err(fault) => return Err(fault.to_string()),
        }
        if ended.load(Ordering::Relaxed) && since.get_or_insert_with(Instant::now).elapsed() > AFTERWARDS {
            return Err("a session was not refused".into());
        }
        sleep(every).await;
    }
}

impl Found {
    fn record(&self, chapter: &mut Chapter<'_, Options>, size: u32, round: u32) -> Result<(), Error> {
        let table = chapter.table.clone();
        let refusal = |of: Option<&Duration>| of.copied().unwrap_or_default();
        for (series, time) in [
            (FIRST_REFUSAL, refusal(self.refused.iter().min())),
            (LAST_REFUSAL, refusal(self.refused.iter().max())),
            (LAST_ACKNOWLEDGEMENT, self.acknowledged),
            (END, self.ended),
        ] {
            let ns = time.as_nanos() as f64;
            chapter.ledger.reading(&table, series, size, Quantity::ElapsedNs, round, ns)?;
        }
        for (quantity, figure) in
            [(Quantity::Messages, self.messages), (Quantity::MessageOctets, self.octets)]
        {
            chapter.ledger.reading(&table, "sent", size, quantity, round, figure)?;
        }
        Ok(())
    }
}

/// What a command printed, which must have served so many devices.
fn report(output: std::io::Result<std::process::Output>, size: u32) -> Result<Value, String> {
    let output = output.map_err(words)?;
    let report = serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default();
    match report["acknowledged"].as_u64() == Some(size.into()) && output.status.success() {
        true => Ok(report),
        false => {
            let said = String::from_utf8_lossy(&output.stderr);
            let fault =
                report["devices"].as_array().and_then(|all| all.iter().find_map(|it| it["error"].as_str()));
            Err(format!("the command did not serve all devices: {}", fault.unwrap_or_else(|| said.trim())))
        }
    }
}

fn name(text: &str) -> Result<Name, String> {
    text.parse().map_err(words)
}

fn words(fault: impl std::fmt::Display) -> String {
    fault.to_string()
}

/// How many devices.
const SIZES: [u32; 4] = [1, 10, 100, 1000];
const QUICK_SIZES: [u32; 3] = [1, 10, 100];
/// The most processes: with 100 of them only the largest number of devices has several in one.
const PROCESSES: u32 = 100;
const QUICK_PROCESSES: u32 = 20;
const ROUNDS: u32 = 10;
const QUICK_ROUNDS: u32 = 6;
/// The most sessions.
const SAMPLE: usize = 10;
/// Between two messages of all sessions together.
const EVERY: Duration = Duration::from_millis(2);
/// How long a session may still be answered after the command.
const AFTERWARDS: Duration = Duration::from_secs(10);
/// Where the devices are.
const LOOPBACK: std::net::Ipv4Addr = std::net::Ipv4Addr::LOCALHOST;
/// Epochs between those of one number of devices and of the next one: more than there are repetitions.
const EPOCHS: u32 = 10_000;
/// A role of the laboratory's agents.
const ROLE: &str = "configurer";
const REVOKED: &str = "ann";
const STAYING: &str = "bob";
const READS: &[u8] =
    b"<get><filter><SNMPv2-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:SNMPv2-MIB\"><system><sysName/></system></SNMPv2-MIB></filter></get>";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_in_the_order_of_their_processes() {
        let of = |size, processes| devices(size, processes).collect::<Vec<_>>();
        assert_eq!(of(1, 100), [0]);
        assert_eq!(of(3, 100), [0, 1, 2]);
        assert_eq!(of(4, 2), [0, 0, 1, 1]);
        assert_eq!(of(7, 3), [0, 0, 0, 1, 1, 2, 2]);
        let many = of(1000, 100);
        assert_eq!((many[9], many[10], many[989], many[999]), (0, 1, 98, 99));
    }

    #[test]
    fn the_first_and_the_last_process_are_sampled() {
        let of = |processes| sample(processes).collect::<Vec<_>>();
        assert_eq!(of(1), [0]);
        assert_eq!(of(2), [0, 1]);
        assert_eq!(of(10), (0..10).collect::<Vec<_>>());
        assert_eq!(of(100), [0, 11, 22, 33, 44, 55, 66, 77, 88, 99]);
    }

    #[test]
    fn a_command_that_left_a_device_out_gives_nothing() {
        use std::os::unix::process::ExitStatusExt;
        let output = |status, text: &str| {
            let status = std::process::ExitStatus::from_raw(status << 8);
            Ok(std::process::Output { status, stdout: text.into(), stderr: b"said".to_vec() })
        };
        assert_eq!(report(output(0, "{\"acknowledged\":2,\"octets\":7}"), 2).unwrap()["octets"], 7);
        let fault = report(output(1, "{\"acknowledged\":1,\"devices\":[{\"error\":\"away\"}]}"), 2);
        assert!(fault.unwrap_err().ends_with("away"));
        assert!(report(output(1, ""), 2).unwrap_err().ends_with("said"));
    }
}
