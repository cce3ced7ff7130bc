//! Section 5: some rows of a table that grows, selected in five places: by a manager that has fetched the whole table over SNMP, or over
//! SOAP; at the agent, before the body of SOAP is made; by a manager that fetches one column over SNMP and then the rows it wants; and at the
//! agent, by XPath over the finished body of SOAP. Beside them, selection at the agent by the two filters of NETCONF.
//!
//! The table is inetCidrRouteTable, and what is wanted are the interfaces of local routes, which are as many at every size.

use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_client::netconf::NetconfSession;
use trunkline_client::soap::{Encoding, SoapVersion};
use trunkline_client::{Session, SessionOptions, TableLimit};
use trunkline_smi::module::ip_forward_mib::INET_CIDR_ROUTE_TABLE;
use trunkline_smi::{Bound, Oid, Value};
use trunkline_soap::expression::View;
use trunkline_soap::expression::message::SelectRequest;

use fastrand::Rng;
use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::conversation::Peer;
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
use super::{GROWING, Options, content, missing};

/// Where rows are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// At the manager, of all that GetBulk returns.
    WholeSnmp,
    /// At the manager, of all that SOAP returns.
    WholeSoap,
    /// At the agent, before rows are written: a selection over SOAP, as section 5 has it.
    Agent,
    /// At the manager, of one column.
    Manager,
    /// At the agent, over the finished body of SOAP.
    Document,
    /// At the agent, before rows are written: a subtree filter of NETCONF.
    Subtree,
    /// At the agent, over the rows that NETCONF gathers for XPath.
    Gathered,
}

impl Place {
    /// All of them, in the order of the checklist, and then those of NETCONF.
    pub(super) const ALL: [Place; 7] = [
        Place::WholeSnmp,
        Place::WholeSoap,
        Place::Agent,
        Place::Manager,
        Place::Document,
        Place::Subtree,
        Place::Gathered,
    ];

    /// Its name in the samples.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Place::WholeSnmp => "whole table by GetBulk",
            Place::WholeSoap => "whole table by SOAP",
            Place::Agent => "selected at the agent",
            Place::Manager => "selected by the manager over SNMP",
            Place::Document => "XPath over the finished SOAP body",
            Place::Subtree => "NETCONF, subtree filter",
            Place::Gathered => "NETCONF, XPath",
        }
    }
}

/// The sessions of all of them.
struct Sessions {
    snmp: Arc<dyn Session>,
    /// With lists of values.
    soap: Arc<dyn Session>,
    /// At the services of D7.1.
    selecting: Arc<dyn Session>,
    /// Where XPath is evaluated over finished answers.
    finished: Arc<dyn Session>,
    netconf: NetconfSession,
}

/// Measures them by the size of the table.
pub(super) fn measure(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
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
        for session in [&sessions.snmp, &sessions.soap, &sessions.selecting, &sessions.finished] {
            session.close().await;
        }
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
        let (rows, wanted) = match chapter.runtime.block_on(grow(chapter, sessions, before, size)) {
            Ok(found) => found,
            Err(reason) => return missing(chapter, &format!("a table with {size} static routes"), reason),
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
                if let Err(reason) = one(chapter, agent, sessions, place, (rows, wanted), round)? {
                    left_out.push(place);
                    missing(chapter, &format!("{}, {rows} rows", place.name()), reason)?;
                }
            }
        }
    }
    Ok(())
}

/// Adds routes, some at a time, and waits until the agent has read them: how many rows there are, those of the place included, and how many of them are to be selected.
async fn grow(
    chapter: &Chapter<'_, Options>,
    sessions: &Sessions,
    before: Option<u32>,
    to: u32,
) -> Result<(u32, usize), String> {
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
            count if count == to as usize => return Ok((found.rows.len() as u32, of(LOCAL))),
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
    let over_http =
        Protocol { version: SnmpVersion::Soap, transport: Transport::Http, security: Security::Community };
    let opened = |protocol, path: Option<&'static str>| async move {
        let mut peer = stage.peer(protocol, GROWING, stand, Secrets::Ready, ManagerEnd::default())?;
        if let (Peer::Soap(_, options), Some(path)) = (&mut peer, path) {
            *options = options.clone().with_path(path.to_owned()).with_encoding(Encoding::Typed);
        }
        peer.open(SessionOptions::default()).await.map_err(|error| error.to_string())
    };
    Ok(Sessions {
        snmp: opened(Protocol::v2c(Transport::Udp), None).await?,
        soap: opened(over_http, None).await?,
        selecting: opened(over_http, Some("/")).await?,
        finished: opened(over_http, Some(FINISHED)).await?,
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
        Place::WholeSnmp | Place::WholeSoap | Place::Document => {
            let columns: Vec<u32> = (IF_INDEX..=LAST).collect();
            let session = match place {
                Place::WholeSnmp => &sessions.snmp,
                Place::WholeSoap => &sessions.soap,
                _ => &sessions.finished,
            };
            let found = session.table(table, &columns, TableLimit::default()).await.map_err(words)?;
            let of_type = (TYPE - IF_INDEX) as usize;
            let local = |row: &&Vec<Option<Bound>>| is_local(row.get(of_type).and_then(Option::as_ref));
            match (place, found.rows.values().filter(local).count()) {
                (Place::Document, local) if local != found.rows.len() => {
                    Err(format!("the agent answered with {} rows, {local} of them local", found.rows.len()))
                }
                (_, local) => Ok(local),
            }
        }
        Place::Agent => {
            let request = SelectRequest {
                data: Some("{inetCidrRouteIfIndex}".to_owned()),
                filter: Some(SELECTED.to_owned()),
                ..SelectRequest::new(SoapVersion::V1_2, View::Tables)
            };
            let (answer, _) = match sessions.selecting.select(&request) {
                Some(answer) => answer.await.map_err(words)?,
                None => return Err("the session has no selections".to_owned()),
            };
            Ok(answer.services.iter().flat_map(|it| &it.tables).map(|it| it.rows.len()).sum())
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
        Place::Subtree | Place::Gathered => {
            let operation = if place == Place::Subtree { SUBTREE } else { XPATH };
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
pub(super) const SUBTREE: &str = "<get><filter type=\"subtree\"><IP-FORWARD-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:IP-FORWARD-MIB\">\
                       <inetCidrRouteTable><inetCidrRouteEntry><inetCidrRouteType>local</inetCidrRouteType><inetCidrRouteIfIndex/>\
                       </inetCidrRouteEntry></inetCidrRouteTable></IP-FORWARD-MIB></filter></get>";
/// The filter of SelectTables.
pub(super) const SELECTED: &str = "{inetCidrRouteType = local}";
/// Not a path alone, so that it is evaluated over all rows.
pub(super) const XPATH: &str = "<get><filter type=\"xpath\" select=\"/IP-FORWARD-MIB/inetCidrRouteTable/inetCidrRouteEntry[contains(inetCidrRouteType, \
                     'local')]/inetCidrRouteIfIndex\"/></get>";
/// Where the laboratory's agent selects the elements of local routes from the finished answer (`[m:inetCidrRouteType=3]`).
pub(super) const FINISHED: &str = "/soap?xpath=/*/*/*/m:inetCidrRouteEntry%5Bm:inetCidrRouteType=3%5D";
/// The service of the agent that selections are about.
pub(super) const SERVICE: &str = "[[service]]\ntag = \"Routes\"\nholds = [\"inetCidrRouteTable\"]\n";
/// Static routes, beside the routes that the place has.
const SIZES: [u32; 4] = [10, 100, 1000, 10_000];
const QUICK_SIZES: [u32; 2] = [10, 100];
const ROUNDS: u32 = 30;
const QUICK_ROUNDS: u32 = 6;
/// Until the agent must have read new routes.
const PATIENCE: Duration = Duration::from_secs(20);
/// Routes in one edit.
const AT_ONCE: u32 = 1000;
