//! Section 5: some rows of a table that grows, selected in five places: by a manager that has fetched the whole table over SNMP, or over
//! SOAP; before anything is written, at the agent; by a manager that fetches one column over SNMP and then the rows it wants; and by XPath over a
//! finished document.
//!
//! The table is inetCidrRouteTable, and what is wanted are the interfaces of local routes, which are as many at every size.

use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_client::netconf::NetconfSession;
use trunkline_client::{Session, SessionOptions, TableLimit};
use trunkline_smi::module::ip_forward_mib::INET_CIDR_ROUTE_TABLE;
use trunkline_smi::{Bound, Oid, Value};

use fastrand::Rng;
use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::error::Error;
use trunkline_labkit::keyring::USER;
use trunkline_labkit::meter::cpu::CpuMeter;
use trunkline_labkit::protocol::{Protocol, Security, SnmpVersion};
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::schedule::ManagerEnd;
use trunkline_labkit::stage::{Secrets, Stage, Stand};
use trunkline_labkit::subject::Equipped;
use trunkline_labkit::transport::Transport;

use super::prepare::{Way, edit, open, without_routes};
use super::{GROWING, Options, condition, content, missing};

/// Where rows are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// At the manager, of all that GetBulk returns.
    WholeSnmp,
    /// At the manager, of all that SOAP returns.
    WholeSoap,
    /// At the agent, before rows are written: a subtree filter of NETCONF.
    Agent,
    /// At the manager, of one column.
    Manager,
    /// At the agent, over a finished document.
    Document,
}

impl Place {
    /// All of them, in the order of the checklist.
    pub(super) const ALL: [Place; 5] =
        [Place::WholeSnmp, Place::WholeSoap, Place::Agent, Place::Manager, Place::Document];

    /// Its name in the samples.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Place::WholeSnmp => "whole table by GetBulk",
            Place::WholeSoap => "whole table by SOAP",
            Place::Agent => "selected at the agent",
            Place::Manager => "selected by the manager over SNMP",
            Place::Document => "XPath over the finished document",
        }
    }
}

/// The sessions of all of them.
struct Sessions {
    snmp: Arc<dyn Session>,
    soap: Arc<dyn Session>,
    netconf: NetconfSession,
}

/// Measures them by the size of the table.
pub(super) fn measure(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    condition(
        chapter,
        "the services of SOAP have no table that can grow to this size: selection at the agent is a subtree filter of NETCONF, and XPath is evaluated \
         over the rows as NETCONF's evaluation gathers them, not over the text of a SOAP body",
    )?;
    let sizes = if chapter.choice.common.quick { QUICK_SIZES.to_vec() } else { SIZES.to_vec() };
    let rounds = chapter.choice.rounds(ROUNDS, QUICK_ROUNDS);
    let stage = chapter.stage;
    let Some(agent) = stage.agent(GROWING) else {
        let (table, switch) = (chapter.table.clone(), "the counting allocator (trunklined-lab)".into());
        return chapter.ledger.doubt(Doubt::NoSwitch { table, switch });
    };
    stage.stand(Stand::Beside)?;
    if let Err(reason) = chapter.runtime.block_on(without_routes(stage)) {
        return missing(chapter, "a table without our routes", reason);
    }
    stage.stand(far(stage))?;
    let sessions = match chapter.runtime.block_on(sessions(chapter)) {
        Ok(sessions) => sessions,
        Err(reason) => return missing(chapter, "sessions", reason),
    };
    let measured = by_size(chapter, agent, &sessions, &sizes, rounds);
    chapter.runtime.block_on(async {
        sessions.snmp.close().await;
        sessions.soap.close().await;
        sessions.netconf.close().await;
    });
    stage.stand(Stand::Beside)?;
    measured
}

/// At the other end of the link, if there is one.
fn far(stage: &Stage) -> Stand {
    if stage.link().is_some() { Stand::Link } else { Stand::Beside }
}

fn by_size(
    chapter: &mut Chapter<'_, Options>,
    agent: &Equipped,
    sessions: &Sessions,
    sizes: &[u32],
    rounds: u32,
) -> Result<(), Error> {
    let mut random = Rng::with_seed(chapter.ledger.seed);
    let (mut before, mut order) = (None, Place::ALL);
    for &size in sizes {
        chapter.stage.stand(Stand::Beside)?;
        let wanted = match chapter.runtime.block_on(grow(chapter, sessions, before, size)) {
            Ok(wanted) => wanted,
            Err(reason) => return missing(chapter, &format!("a table of {size} rows"), reason),
        };
        chapter.stage.stand(far(chapter.stage))?;
        before = Some(size);
        let mut left_out: Vec<Place> = Vec::new();
        for round in 0..=rounds {
            random.shuffle(&mut order);
            for place in order {
                if chapter.ledger.is_interrupted() {
                    return Ok(());
                }
                chapter.ledger.progress.inc(1);
                if left_out.contains(&place) {
                    continue;
                }
                if let Err(reason) = one(chapter, agent, sessions, place, (size, wanted), round)? {
                    left_out.push(place);
                    missing(chapter, &format!("{}, {size} rows", place.name()), reason)?;
                }
            }
        }
    }
    Ok(())
}

/// Adds routes, some at a time, and waits until the agent has read them; how many rows are to be selected of them all.
async fn grow(
    chapter: &Chapter<'_, Options>,
    sessions: &Sessions,
    before: Option<u32>,
    to: u32,
) -> Result<usize, String> {
    let from = before.unwrap_or(0);
    for at in (from..to).step_by(AT_ONCE as usize) {
        edit(chapter.stage, GROWING, &content::routes(at, to.min(at + AT_ONCE))).await?;
    }
    let begun = Instant::now();
    loop {
        let found = sessions.snmp.table(&INET_CIDR_ROUTE_TABLE, &[TYPE], TableLimit::default()).await;
        let found = found.map_err(|error| error.to_string())?;
        let of = |kind: i32| {
            let is = |row: &&Vec<Option<Bound>>| matches!(row.first(), Some(Some(Bound::Value(Value::Integer(it)))) if *it == kind);
            found.rows.values().filter(is).count()
        };
        match of(BLACKHOLE) {
            count if count == to as usize => return Ok(of(LOCAL)),
            count if begun.elapsed() > PATIENCE => {
                return Err(format!("the agent has {count} of our routes"));
            }
            _ => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn sessions(chapter: &Chapter<'_, Options>) -> Result<Sessions, String> {
    let stage = chapter.stage;
    let stand = far(stage);
    let soap =
        Protocol { version: SnmpVersion::Soap, transport: Transport::Http, security: Security::Community };
    let opened = |protocol| async move {
        let peer = stage.peer(protocol, GROWING, stand, Secrets::Ready, ManagerEnd::default())?;
        peer.open(SessionOptions::default()).await.map_err(|error| error.to_string())
    };
    Ok(Sessions {
        snmp: opened(Protocol::v2c(Transport::Udp)).await?,
        soap: opened(soap).await?,
        netconf: open(stage, GROWING, Way::PLAIN, stand, USER).await?,
    })
}

/// One selection: octets on the link, delay, the agent's processor time and memory.
fn one(
    chapter: &mut Chapter<'_, Options>,
    agent: &Equipped,
    sessions: &Sessions,
    place: Place,
    (size, wanted): (u32, usize),
    round: u32,
) -> Result<Result<(), String>, Error> {
    let measured = (|| -> Result<[(Quantity, f64); 5], String> {
        let meter = CpuMeter::new(agent.pid()).map_err(|error| error.to_string())?;
        let counted = || agent.counted().map_err(|error| error.to_string());
        let cpu = || meter.read().map_err(|error| error.to_string());
        let octets = || {
            chapter.stage.link().map_or(0, |link| {
                let counts = link.counts();
                counts.to_agent.sent.ip_octets + counts.to_manager.delivered.ip_octets
            })
        };
        // What is older than a second is read again now, and not in the selection.
        chapter.runtime.block_on(touch(sessions))?;
        let (before, cpu_before, octets_before) = (counted()?, cpu()?, octets());
        let begun = Instant::now();
        let found = chapter.runtime.block_on(select(sessions, place))?;
        let delay = begun.elapsed().as_nanos() as f64;
        let (cpu, octets) = (cpu()?.saturating_sub(cpu_before), octets().saturating_sub(octets_before));
        if found != wanted {
            return Err(format!("{found} rows were selected instead of {wanted}"));
        }
        let peak = counted()?.peak_octets.saturating_sub(before.live_octets);
        Ok([
            (Quantity::IpOctets, octets as f64),
            (Quantity::DelayNs, delay),
            (Quantity::AgentCpuNs, cpu as f64),
            (Quantity::Dynamic, peak as f64),
            (Quantity::Instances, found as f64),
        ])
    })();
    let table = chapter.table.clone();
    match measured {
        Ok(readings) => {
            for (quantity, figure) in readings {
                chapter.ledger.reading(&table, place.name(), size, quantity, round, figure)?;
            }
            Ok(Ok(()))
        }
        Err(reason) => Ok(Err(reason)),
    }
}

/// Reads one instance of the table.
async fn touch(sessions: &Sessions) -> Result<(), String> {
    let column = Oid::EMPTY.child(INET_CIDR_ROUTE_TABLE.oid).child(&[1, TYPE]);
    sessions.snmp.bulk(0, 1, &[column]).await.map(drop).map_err(|error| error.to_string())
}

/// How many rows were selected.
async fn select(sessions: &Sessions, place: Place) -> Result<usize, String> {
    let words = |error: trunkline_client::Error| error.to_string();
    let table = &INET_CIDR_ROUTE_TABLE;
    let is_local = |value: Option<&Bound>| matches!(value, Some(Bound::Value(Value::Integer(LOCAL))));
    match place {
        Place::WholeSnmp | Place::WholeSoap => {
            let columns: Vec<u32> = (IF_INDEX..=LAST).collect();
            let session = if place == Place::WholeSnmp { &sessions.snmp } else { &sessions.soap };
            let found = session.table(table, &columns, TableLimit::default()).await.map_err(words)?;
            let of_type = (TYPE - IF_INDEX) as usize;
            Ok(found.rows.values().filter(|row| is_local(row.get(of_type).and_then(Option::as_ref))).count())
        }
        Place::Manager => {
            let types = sessions.snmp.table(table, &[TYPE], TableLimit::default()).await.map_err(words)?;
            let wanted = types.rows.iter().filter(|(_, row)| is_local(row.first().and_then(Option::as_ref)));
            let name = |index: &[u32]| Oid::EMPTY.child(table.oid).child(&[1, IF_INDEX]).child(index);
            let names: Vec<Oid> = wanted.map(|(index, _)| name(index)).collect();
            let mut found = 0;
            for some in names.chunks(NAMES) {
                found += sessions.snmp.get(some).await.map_err(words)?.bindings.len();
            }
            Ok(found)
        }
        Place::Agent | Place::Document => {
            let operation = if place == Place::Agent { SUBTREE } else { XPATH };
            let (reply, _) = sessions.netconf.data(operation.as_bytes()).await.map_err(words)?;
            Ok(String::from_utf8_lossy(&reply).matches("<inetCidrRouteIfIndex>").count())
        }
    }
}

const IF_INDEX: u32 = 7;
const TYPE: u32 = 8;
const LAST: u32 = 17;
/// inetCidrRouteType of a route to this machine's own networks.
const LOCAL: i32 = 3;
/// inetCidrRouteType of a route that leads nowhere and says nothing.
const BLACKHOLE: i32 = 5;
/// Names in one Get.
const NAMES: usize = 20;
const SUBTREE: &str = "<get><filter type=\"subtree\"><IP-FORWARD-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:IP-FORWARD-MIB\">\
                       <inetCidrRouteTable><inetCidrRouteEntry><inetCidrRouteType>local</inetCidrRouteType><inetCidrRouteIfIndex/>\
                       </inetCidrRouteEntry></inetCidrRouteTable></IP-FORWARD-MIB></filter></get>";
/// Not a path alone, so that it is evaluated over all rows.
const XPATH: &str = "<get><filter type=\"xpath\" select=\"/IP-FORWARD-MIB/inetCidrRouteTable/inetCidrRouteEntry[contains(inetCidrRouteType, \
                     'local')]/inetCidrRouteIfIndex\"/></get>";
const SIZES: [u32; 4] = [10, 100, 1000, 10_000];
const QUICK_SIZES: [u32; 2] = [10, 100];
const ROUNDS: u32 = 30;
const QUICK_ROUNDS: u32 = 6;
/// Until the agent must have read new routes.
const PATIENCE: Duration = Duration::from_secs(20);
/// Routes in one edit.
const AT_ONCE: u32 = 1000;
