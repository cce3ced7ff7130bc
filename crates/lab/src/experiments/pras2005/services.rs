//! Sections III.A and IV.F to IV.H, figures 11 and 12: the octets of web services in three encodings, with and
//! without zlib, and of SNMP with and without compression; of the messages alone, and of all IP packets including
//! connection set-up and release; and the four granularities of the paper's prototypes.
//!
//! A web service's answer contains rows (for one object: ifIndex of one row). SNMP fetches as many objects of
//! ifTable, starting with its first, which are columns. What the values of both take in BER is recorded, so that the
//! difference that is due to the protocol can be told from that of the values.

mod ask;
mod coding;
mod delays;
mod gsoap;

use std::time::Duration;

use trunkline_client::{SessionOptions, SnmpSession, Target};
use trunkline_smi::Oid;
use trunkline_smi::module::if_mib::IF_TABLE;
use trunkline_snmp::wire::compression::Compression as OidCompression;

use trunkline_labkit::block::Operation;
use trunkline_labkit::error::Error;
use trunkline_labkit::if_table::Link;
use trunkline_labkit::octets::LastMessages;
use trunkline_labkit::place::link::{Link as EmulatedLink, LinkSpec, Traffic};
use trunkline_labkit::protocol::Protocol;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::schedule::{ManagerEnd, settled};
use trunkline_labkit::stage::{Role, Secrets, Stand};
use trunkline_labkit::transport::Transport;

use super::fetch::{Answer, Pipe, Service, deflated};
use super::{Lab, SERVICES};

pub(super) use ask::{Form, Grain, fault, first as first_body};
pub(super) use coding::{coding, rows};
pub(super) use delays::{GSOAP, GSOAP_ZLIB, delays};
pub(super) use gsoap::timed;

/// Octets of everything.
pub(super) fn measure(lab: &mut Lab<'_>) -> Result<(), Error> {
    if lab.agents.is_elsewhere() {
        return Ok(());
    }
    snmp(lab)?;
    web(lab)?;
    granularity(lab)?;
    gsoap::octets(lab)
}

/// An SNMP message under a compression; `None`: unchanged.
pub(super) const COMPRESSIONS: [(&str, Option<OidCompression>); 4] = [
    ("", None),
    (", OPC", Some(OidCompression::Opc)),
    (", ODC", Some(OidCompression::Odc)),
    (", zlib", Some(OidCompression::Zlib)),
];

/// SNMP among the series.
pub(super) fn of_snmp(operation: Operation, compression: &str) -> String {
    format!("SNMP {operation}{compression}")
}

/// Web services among the series.
pub(super) fn of_web(form: Form, is_compressed: bool) -> String {
    format!("WS {form}{}", if is_compressed { ", zlib" } else { "" })
}

/// What SNMP's values take in BER, among the series.
pub(super) const VALUES_OF_SNMP: &str = "values, SNMP";
/// What the values of a web service's rows take in BER, among the series.
pub(super) const VALUES_OF_WEB: &str = "values, WS";

/// SNMP's messages as the client and the agent exchange them, unchanged and compressed according to the drafts; on
/// the link, if there is one.
fn snmp(lab: &mut Lab<'_>) -> Result<(), Error> {
    let on_link = lab.stage.stand(Stand::Link)?;
    let stand = if on_link { Stand::Link } else { Stand::Beside };
    if let Some(link) = lab.stage.link().filter(|_| on_link) {
        link.set(LinkSpec::default());
    }
    let udp = Protocol::v2c(Transport::Udp);
    let target = lab.stage.target(udp, Role::Shipped, stand, Secrets::Ready, ManagerEnd::default());
    let result = match target {
        Ok(target) => of_snmp_on(lab, &target),
        Err(reason) => lab.missing(SERVICES, "SNMP", reason),
    };
    lab.stage.stand(Stand::Beside)?;
    result
}

fn of_snmp_on(lab: &mut Lab<'_>, target: &Target) -> Result<(), Error> {
    let walked = {
        let peer = target.clone().into();
        lab.runtime.block_on(async { Link::open(&peer).await?.walk().await })
    };
    let walked = match walked {
        Ok(walked) => walked,
        Err(error) => return lab.missing(SERVICES, "SNMP", error),
    };
    let rows = rows(&walked);
    let instances: Vec<Oid> = walked.into_iter().map(|(name, _)| name).collect();
    for objects in lab.objects() {
        match coding::octets_of_values(&rows, objects) {
            Ok(octets) => {
                lab.note(SERVICES, VALUES_OF_WEB, objects, Quantity::ValueOctets, 1, octets as f64)?
            }
            Err(reason) => lab.missing(SERVICES, VALUES_OF_WEB, reason)?,
        }
    }
    for operation in [Operation::Get, Operation::GetBulk] {
        for (name, how) in COMPRESSIONS {
            for objects in lab.objects() {
                let Some(wanted) = instances.get(..objects as usize) else { break };
                let series = of_snmp(operation, name);
                if let Err(reason) = interaction(lab, target, &series, operation, how, wanted)? {
                    lab.missing(SERVICES, &series, format!("{objects} objects: {reason}"))?;
                }
            }
        }
    }
    Ok(())
}

/// One interaction in a session of its own: the octets of its messages as they were sent, and those of its packets
/// on the link.
fn interaction(
    lab: &mut Lab<'_>,
    target: &Target,
    series: &str,
    operation: Operation,
    how: Option<OidCompression>,
    wanted: &[Oid],
) -> Result<Result<(), String>, Error> {
    let seen = LastMessages::new();
    let link = lab.stage.link();
    let before = link.map(EmulatedLink::counts);
    let brought = lab.runtime.block_on(async {
        let options = SessionOptions::default().with_compression(how);
        let session = SnmpSession::open(target, options).await?;
        session.observe(seen.clone());
        let answer = match operation {
            Operation::GetBulk => {
                let name = Oid::EMPTY.child(IF_TABLE.oid);
                session.bulk(0, wanted.len() as u32, std::slice::from_ref(&name)).await?
            }
            _ => session.get(wanted).await?,
        };
        Ok::<usize, trunkline_client::Error>(answer.bindings.len())
    });
    match brought {
        Ok(brought) if brought == wanted.len() => {}
        Ok(brought) => return Ok(Err(format!("{brought} objects came"))),
        Err(error) => return Ok(Err(error.to_string())),
    }
    let objects = wanted.len() as u32;
    let (request, response) = seen.sizes();
    lab.note(SERVICES, series, objects, Quantity::RequestOctets, 1, request as f64)?;
    lab.note(SERVICES, series, objects, Quantity::ResponseOctets, 1, response as f64)?;
    if let Some(octets) = seen.octets().filter(|_| how.is_none() && operation == Operation::GetBulk) {
        let values = octets.value_octets as f64;
        lab.note(SERVICES, VALUES_OF_SNMP, objects, Quantity::ValueOctets, 1, values)?;
    }
    if let Some((link, before)) = link.zip(before) {
        let traffic = (settled(link, Duration::ZERO) - before).at_manager();
        lab.note(SERVICES, series, objects, Quantity::IpOctets, 1, traffic.ip_octets as f64)?;
        lab.note(SERVICES, series, objects, Quantity::Packets, 1, traffic.packets as f64)?;
    }
    Ok(Ok(()))
}

/// Web services, every encoding, with and without zlib, one connection for each.
fn web(lab: &mut Lab<'_>) -> Result<(), Error> {
    let on_link = lab.stage.stand(Stand::Link)?;
    let stand = if on_link { Stand::Link } else { Stand::Beside };
    let result = over_connections(lab, stand);
    lab.stage.stand(Stand::Beside)?;
    result
}

fn over_connections(lab: &mut Lab<'_>, stand: Stand) -> Result<(), Error> {
    let Some(address) = lab.stage.http(Role::Shipped, stand) else {
        return lab.missing(SERVICES, "web services", "the agent does not listen on HTTP");
    };
    let service = Service { address, path: "/soap" };
    let link = lab.stage.link().filter(|_| stand == Stand::Link);
    if let Some(link) = link {
        link.set(LinkSpec::default());
        // A connection without a request: the cost of set-up and release.
        let before = link.counts();
        let opened = lab.runtime.block_on(async { Pipe::open(&service).await?.close().await });
        let idle = (settled(link, Duration::ZERO) - before).at_manager();
        match opened {
            Ok(()) => lab.note(SERVICES, IDLE, 0, Quantity::IdleIpOctets, 1, idle.ip_octets as f64)?,
            Err(error) => lab.missing(SERVICES, IDLE, error)?,
        }
    }
    let most = lab.stage.interfaces;
    entries(lab, &service)?;
    for form in Form::ALL {
        for is_compressed in [false, true] {
            let series = of_web(form, is_compressed);
            for objects in lab.objects() {
                let body = match ask::first(form, objects, most) {
                    Ok(body) => body,
                    Err(reason) => {
                        lab.missing(SERVICES, &series, reason)?;
                        continue;
                    }
                };
                let before = link.map(EmulatedLink::counts);
                let answer = lab.runtime.block_on(once(&service, &body, is_compressed));
                let traffic = link
                    .zip(before)
                    .map(|(link, before)| (settled(link, Duration::ZERO) - before).at_manager());
                let noted = note_answer(lab, &series, objects, answer, traffic)?;
                let Some(answer) = noted else { break };
                if !is_compressed {
                    let series = of_web(form, true);
                    let octets = (deflated(&body).len() + deflated(&answer.body).len()) as f64;
                    lab.note(SERVICES, &series, objects, Quantity::LibraryOctets, 1, octets)?;
                }
            }
        }
    }
    Ok(())
}

/// The parts of the messages that the paper describes: the request for a whole table, and rows of its 18 columns.
fn entries(lab: &mut Lab<'_>, service: &Service) -> Result<(), Error> {
    for form in Form::ALL {
        let series = of_web(form, false);
        if let Ok(request) = ask::whole(form) {
            lab.note(SERVICES, &series, 0, Quantity::WholeRequestOctets, 1, request.len() as f64)?;
        }
        for rows in ENTRIES {
            let Ok(body) = ask::papers_rows(form, rows) else { continue };
            match lab.runtime.block_on(once(service, &body, false)) {
                Ok(answer) if answer.status == 200 => {
                    let octets = answer.body.len() as f64;
                    lab.note(SERVICES, &series, rows, Quantity::EntryOctets, 1, octets)?;
                    let Markup { names, types, type_names } = markup(&answer.body);
                    lab.note(SERVICES, &series, rows, Quantity::EntryNames, 1, names as f64)?;
                    lab.note(SERVICES, &series, rows, Quantity::EntryTypes, 1, types as f64)?;
                    lab.note(SERVICES, &series, rows, Quantity::EntryTypeNames, 1, type_names as f64)?;
                }
                Ok(answer) => return lab.missing(SERVICES, &series, ask::fault(&answer)),
                Err(error) => return lab.missing(SERVICES, &series, error),
            }
        }
    }
    Ok(())
}

/// Octets of the markup of a message.
#[derive(Debug, Default, PartialEq)]
struct Markup {
    /// The names of elements, in start and end tags.
    names: usize,
    /// The attributes of type, whole.
    types: usize,
    /// The names of the types alone, without prefix.
    type_names: usize,
}

fn markup(message: &[u8]) -> Markup {
    let text = String::from_utf8_lossy(message);
    let mut found = Markup::default();
    for tag in text.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
        let tag = tag.trim_start_matches('/');
        if tag.starts_with('?') {
            continue;
        }
        found.names += tag.find([' ', '/']).unwrap_or(tag.len());
        for word in tag.split(' ').filter(|word| word.starts_with("xsi:type=")) {
            let word = word.trim_end_matches('/');
            found.types += word.len() + " ".len();
            found.type_names += word.trim_end_matches('"').rsplit([':', '"']).next().map_or(0, str::len);
        }
    }
    found
}

/// Records an answer, and returns it, if it was one.
fn note_answer(
    lab: &mut Lab<'_>,
    series: &str,
    objects: u32,
    answer: Result<Answer, std::io::Error>,
    traffic: Option<Traffic>,
) -> Result<Option<Answer>, Error> {
    let answer = match answer {
        Ok(answer) if answer.status == 200 => answer,
        Ok(answer) => {
            lab.missing(SERVICES, series, ask::fault(&answer))?;
            return Ok(None);
        }
        Err(error) => {
            lab.missing(SERVICES, series, error)?;
            return Ok(None);
        }
    };
    lab.note(SERVICES, series, objects, Quantity::RequestOctets, 1, answer.request as f64)?;
    lab.note(SERVICES, series, objects, Quantity::ResponseOctets, 1, answer.on_wire.len() as f64)?;
    lab.note(SERVICES, series, objects, Quantity::HeaderOctets, 1, answer.heads as f64)?;
    if let Some(traffic) = traffic {
        lab.note(SERVICES, series, objects, Quantity::IpOctets, 1, traffic.ip_octets as f64)?;
        lab.note(SERVICES, series, objects, Quantity::Packets, 1, traffic.packets as f64)?;
    }
    Ok(Some(answer))
}

/// Connects, sends one request, closes.
async fn once(service: &Service, body: &[u8], zlib: bool) -> Result<Answer, std::io::Error> {
    let mut pipe = Pipe::open(service).await?;
    let answer = pipe.post(body, zlib).await?;
    pipe.close().await?;
    Ok(answer)
}

/// The paper's four prototypes: a table fetched object by object, row by row, column by column, and as a whole,
/// over one kept connection.
fn granularity(lab: &mut Lab<'_>) -> Result<(), Error> {
    let Some(address) = lab.stage.http(Role::Shipped, Stand::Beside) else { return Ok(()) };
    let service = Service { address, path: "/soap" };
    let rows = lab.stage.interfaces;
    for form in Form::ALL {
        for grain in Grain::ALL {
            let series = format!("WS {form}, {grain}");
            let bodies = match lab.runtime.block_on(ask::all(&service, form, grain)) {
                Ok(bodies) => bodies,
                Err(reason) => {
                    lab.missing(SERVICES, &series, reason)?;
                    continue;
                }
            };
            let asked = lab.runtime.block_on(async {
                let mut pipe = Pipe::open(&service).await?;
                let mut sums = [0u64; 3];
                for body in &bodies {
                    let answer = pipe.post(body, false).await?;
                    if answer.status != 200 {
                        return Err(std::io::Error::other(ask::fault(&answer)));
                    }
                    let packed = deflated(&answer.body).len() as u64;
                    for (sum, octets) in
                        sums.iter_mut().zip([answer.request, answer.on_wire.len() as u64, packed])
                    {
                        *sum += octets;
                    }
                }
                pipe.close().await?;
                Ok(sums)
            });
            let asked: Result<[u64; 3], std::io::Error> = asked;
            match asked {
                Ok([request, response, packed]) => {
                    let at = rows;
                    lab.note(SERVICES, &series, at, Quantity::Interactions, 1, bodies.len() as f64)?;
                    lab.note(SERVICES, &series, at, Quantity::GrainRequestOctets, 1, request as f64)?;
                    lab.note(SERVICES, &series, at, Quantity::GrainResponseOctets, 1, response as f64)?;
                    lab.note(SERVICES, &series, at, Quantity::GrainPackedOctets, 1, packed as f64)?;
                }
                Err(error) => lab.missing(SERVICES, &series, error)?,
            }
        }
    }
    Ok(())
}

/// A connection without a request, among the series.
pub(super) const IDLE: &str = "TCP connection";
/// Row counts from whose answers the size of a row and of an empty answer follow.
const ENTRIES: [u32; 3] = [1, 2, 4];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_types_of_a_message_are_counted() {
        let message = b"<?xml version=\"1.0\"?><a:row xmlns:a=\"b\"><ifMtu xsi:type=\"xsd:int\">15</ifMtu><none/></a:row>";
        let names = 2 * "a:row".len() + 2 * "ifMtu".len() + "none".len();
        let (types, type_names) = (" xsi:type=\"xsd:int\"".len(), "int".len());
        assert_eq!(markup(message), Markup { names, types, type_names });
    }
}
