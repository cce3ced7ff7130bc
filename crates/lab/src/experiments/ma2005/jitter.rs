//! The riddle of section 4.1: latency over HTTPS had no trend, from 80 to 585 ms, and the cause was not found.
//! Here the same transaction in variants, each of which removes something, over the agent's loopback: what varies
//! is due to the programs.
//!
//! Table 2 has a clue. Over UDP, TCP and HTTP the client's instructions agree to five digits; over HTTPS they
//! differ by more than a factor of three. Neither network nor scheduler makes a program execute more instructions;
//! a search of random length does, such as for the primes of an RSA key. So one variant generates an RSA key in
//! each session, before the handshake.

use std::sync::Arc;
use std::time::Instant;

use fastrand::Rng;
use tokio::runtime::Runtime;
use trunkline_client::Session;
use trunkline_pki::{Issued, KeyKind, LeafOptions, Name, Role as LeafRole};

use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::conversation::{Observed, Peer, Wait, converse, exchange, nanos};
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::error::Error;
use trunkline_labkit::ledger::Ledger;
use trunkline_labkit::protocol::Protocol;
use trunkline_labkit::schedule::{ManagerEnd, net_snmps_patience};
use trunkline_labkit::stage::{Role, Secrets, Stand};
use trunkline_labkit::trial::{Case, Entry, SessionRecord};

use super::{DOMAINS, JITTER, Options, get};

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

/// All variants in turn, in an order drawn anew in every round, so that other load of the machine affects all alike:
/// a session for each transaction, or one more transaction in the session that is kept.
pub(super) fn measure(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let Chapter { choice, stage, runtime, ledger, .. } = chapter;
    stage.stand(Stand::Beside)?;
    let rounds = choice.rounds(ROUNDS, QUICK_ROUNDS);
    let mut all = Vec::new();
    for variant in VARIANTS {
        let manager = ManagerEnd { resume: variant.resume, ..ManagerEnd::default() };
        let peer = stage.peer(variant.protocol(), variant.role, Stand::Beside, Secrets::Ready, manager);
        match peer.and_then(|peer| Subject::of(variant, peer, runtime)) {
            Ok(subject) => all.push(subject),
            Err(reason) => left_out(variant, reason, ledger)?,
        }
    }
    let mut random = Rng::with_seed(ledger.seed);
    for round in 0..=rounds {
        random.shuffle(&mut all);
        let mut still = Vec::new();
        for subject in all {
            if ledger.is_interrupted() {
                return Ok(());
            }
            ledger.progress.inc(1);
            match subject.transaction(round, runtime, ledger)? {
                Ok(()) => still.push(subject),
                Err(reason) => left_out(subject.variant, reason, ledger)?,
            }
        }
        all = still;
    }
    Ok(())
}

/// A variant, its agent, and the session that it keeps.
struct Subject {
    variant: Variant,
    peer: Peer,
    kept: Option<Arc<dyn Session>>,
}

impl Subject {
    fn of(variant: Variant, peer: Peer, runtime: &Runtime) -> Result<Subject, String> {
        let open = || runtime.block_on(peer.open(net_snmps_patience())).map_err(|error| error.to_string());
        let kept = if variant.is_kept { Some(open()?) } else { None };
        Ok(Subject { variant, peer, kept })
    }

    fn transaction(
        &self,
        round: u32,
        runtime: &Runtime,
        ledger: &mut Ledger,
    ) -> Result<Result<(), String>, Error> {
        match self.phases(runtime) {
            Ok(phases) => {
                ledger.note_algorithms(self.variant.protocol())?;
                ledger.write(&Entry::Session(record(self.variant, round, phases))).map(Ok)
            }
            Err(reason) => Ok(Err(reason)),
        }
    }

    /// Nanoseconds to open, to exchange and to close.
    fn phases(&self, runtime: &Runtime) -> Result<[u64; 3], String> {
        if let Some(session) = &self.kept {
            let mut observed = Observed::default();
            let exchanged = runtime.block_on(exchange(&**session, &get(), &mut observed));
            exchanged.map_err(|error| error.to_string())?;
            return Ok([0, observed.each_ns.iter().sum(), 0]);
        }
        let before = Instant::now();
        if self.variant.makes_key {
            rsa_key()?;
        }
        let made = nanos(before.elapsed());
        let observed =
            runtime.block_on(converse(&self.peer, net_snmps_patience(), &get(), Wait::Awake, None));
        let observed = observed.map_err(|error| error.to_string())?;
        Ok([observed.open_ns + made, observed.exchange_ns, observed.close_ns])
    }
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

fn record(variant: Variant, round: u32, [open_ns, exchange_ns, close_ns]: [u64; 3]) -> SessionRecord {
    let case =
        Case { table: JITTER.into(), what: variant.name.into(), protocol: variant.protocol(), messages: 1 };
    SessionRecord {
        case,
        repetition: round,
        prepare_ns: 0,
        open_ns,
        exchange_ns,
        first_ns: None,
        each_ns: vec![],
        close_ns,
        release_ns: 0,
        resent: 0,
        instances: None,
        objects: None,
        message_octets: None,
        rounds: vec![],
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
