//! The riddle of section 4.1: latency over HTTPS had no trend, from 80 to 585 ms, and the cause was not found.
//! Here the same transaction in variants, each of which removes something, over the agent's loopback: what varies
//! is due to the programs.
//!
//! Table 2 has a clue. Over UDP, TCP and HTTP the client's instructions agree to five digits; over HTTPS they
//! differ by more than a factor of three. Neither network nor scheduler makes a program execute more instructions;
//! a search of random length does, such as for the primes of an RSA key. So one variant generates an RSA key in
//! each session, before the handshake.

use std::time::Instant;

use tokio::runtime::Runtime;
use trunkline_pki::{Issued, KeyKind, LeafOptions, Name, Role as LeafRole};

use crate::kit::chapter::Chapter;
use crate::kit::conversation::{Peer, Script, Wait, converse, nanos};
use crate::kit::doubt::Doubt;
use crate::kit::error::Error;
use crate::kit::ledger::Ledger;
use crate::kit::protocol::Protocol;
use crate::kit::schedule::{ManagerEnd, net_snmps_patience};
use crate::kit::stage::{Role, Secrets, Stand};
use crate::kit::trial::{Case, Entry, SessionRecord};

use super::{DOMAINS, JITTER, Options, get, sys_contact};

/// A variant of the transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Variant {
    /// Its name.
    pub name: &'static str,
    /// Whether it uses HTTPS.
    pub https: bool,
    /// Whose keys it uses.
    role: Role,
    /// Whether TLS sessions are resumed.
    resume: bool,
    /// Whether one session carries all transactions.
    pub is_kept: bool,
    /// Whether an RSA key is generated in each.
    makes_key: bool,
}

const fn https(name: &'static str) -> Variant {
    Variant { name, https: true, role: Role::Shipped, resume: false, is_kept: false, makes_key: false }
}

const fn http(name: &'static str) -> Variant {
    Variant { https: false, ..https(name) }
}

/// All variants; the first is the baseline.
pub(super) const VARIANTS: [Variant; 7] = [
    https("HTTPS, full handshake, ECDSA keys"),
    Variant { role: Role::Rsa, ..https("HTTPS, full handshake, RSA keys") },
    Variant { makes_key: true, ..https("HTTPS, an RSA key made in each session") },
    Variant { resume: true, ..https("HTTPS, resumed") },
    Variant { is_kept: true, ..https("HTTPS, kept") },
    http("HTTP, a connection each"),
    Variant { is_kept: true, ..http("HTTP, kept") },
];

/// The variants with a session for each transaction in turn, so that other load of the machine affects all alike; then
/// those with one session for all.
pub(super) fn measure(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let Chapter { choice, stage, runtime, ledger, .. } = chapter;
    stage.stand(Stand::Beside)?;
    let rounds = choice.rounds(ROUNDS, QUICK_ROUNDS);
    let mut peers = Vec::new();
    for variant in VARIANTS {
        let manager = ManagerEnd { resume: variant.resume, ..ManagerEnd::default() };
        match stage.peer(variant.protocol(), variant.role, Stand::Beside, Secrets::Ready, manager) {
            Ok(peer) => peers.push((variant, peer)),
            Err(reason) => left_out(variant, reason, ledger)?,
        }
    }
    let mut failed: Vec<&str> = Vec::new();
    for round in 0..=rounds {
        for (variant, peer) in peers.iter().filter(|(variant, _)| !variant.is_kept) {
            if ledger.is_interrupted() {
                return Ok(());
            }
            if failed.contains(&variant.name) {
                continue;
            }
            ledger.progress.inc(1);
            if let Err(reason) = transaction(*variant, peer, round, runtime, ledger)? {
                failed.push(variant.name);
                left_out(*variant, reason, ledger)?;
            }
        }
    }
    for (variant, peer) in peers.iter().filter(|(variant, _)| variant.is_kept) {
        if let Err(reason) = kept(*variant, peer, rounds, runtime, ledger)? {
            left_out(*variant, reason, ledger)?;
        }
    }
    Ok(())
}

impl Variant {
    fn protocol(self) -> Protocol {
        if self.https { DOMAINS[3] } else { DOMAINS[2] }
    }
}

fn left_out(variant: Variant, reason: String, ledger: &mut Ledger) -> Result<(), Error> {
    let (table, what) = (JITTER.into(), variant.name.into());
    ledger.doubt(Doubt::LeftOut { table, what, reason })
}

fn transaction(
    variant: Variant,
    peer: &Peer,
    round: u32,
    runtime: &Runtime,
    ledger: &mut Ledger,
) -> Result<Result<(), String>, Error> {
    let before = Instant::now();
    if variant.makes_key
        && let Err(error) = rsa_key()
    {
        return Ok(Err(error));
    }
    let made = nanos(before.elapsed());
    match runtime.block_on(converse(peer, net_snmps_patience(), &get(), Wait::Awake)) {
        Ok(observed) => {
            let open = observed.open_ns + made;
            let phases = [open, observed.exchange_ns, observed.close_ns];
            ledger.note_algorithms(variant.protocol())?;
            ledger.write(&Entry::Session(record(variant, round, phases, vec![]))).map(Ok)
        }
        Err(error) => Ok(Err(error.to_string())),
    }
}

/// One session with as many requests as the others have sessions.
fn kept(
    variant: Variant,
    peer: &Peer,
    rounds: u32,
    runtime: &Runtime,
    ledger: &mut Ledger,
) -> Result<Result<(), String>, Error> {
    let script = Script::Get { name: sys_contact(), times: rounds + 1 };
    match runtime.block_on(converse(peer, net_snmps_patience(), &script, Wait::Awake)) {
        Ok(observed) => {
            for (round, each) in (0..).zip(observed.each_ns) {
                ledger.write(&Entry::Session(record(variant, round, [0, each, 0], vec![])))?;
            }
            Ok(Ok(()))
        }
        Err(error) => Ok(Err(error.to_string())),
    }
}

fn record(
    variant: Variant,
    round: u32,
    [open_ns, exchange_ns, close_ns]: [u64; 3],
    each_ns: Vec<u64>,
) -> SessionRecord {
    let case =
        Case { table: JITTER.into(), what: variant.name.into(), protocol: variant.protocol(), messages: 1 };
    SessionRecord {
        case,
        repetition: round,
        prepare_ns: 0,
        open_ns,
        exchange_ns,
        first_ns: each_ns.first().copied(),
        each_ns,
        close_ns,
        release_ns: 0,
        resent: 0,
        instances: None,
        objects: None,
        message_octets: None,
        link: None,
        frames: vec![],
        wire_ns: None,
        manager_cpu_ns: None,
        agent_cpu_ns: None,
    }
}

/// Generates an RSA key (and a certificate with it, which takes negligible time).
fn rsa_key() -> Result<(), String> {
    let options = LeafOptions { key: KeyKind::Rsa2048, ..LeafOptions::default() };
    let name = Name::new("temporary").map_err(|error| error.to_string())?;
    Issued::self_signed(LeafRole::Manager, &name, &options).map(drop).map_err(|error| error.to_string())
}

const ROUNDS: u32 = 300;
const QUICK_ROUNDS: u32 = 30;
