//! Sections III.A and IV.F to IV.H, figures 11 and 12: the octets of web services in three encodings, with and
//! without zlib, and of SNMP with and without compression; of the messages alone, and of all IP packets including
//! connection set-up and release; and the four granularities of the paper's prototypes.
//!
//! A web service's answer contains rows (for one object: ifIndex of one row). SNMP fetches as many objects of
//! ifTable, starting with its first. Their contents are so nearly the same that the difference is due to the
//! protocol.

mod ask;
mod time;

use trunkline_smi::Oid;
use trunkline_snmp::wire::compression::{self, Compression as OidCompression};

use crate::kit::block::Operation;
use crate::kit::error::Error;
use crate::kit::if_table::Link;
use crate::kit::meter::ip::{IpVersion, datagram};
use crate::kit::place::link::{LinkSpec, Traffic};
use crate::kit::reading::Quantity;
use crate::kit::schedule::settled;
use crate::kit::stage::{Role, Stand};

use super::fetch::{Answer, Pipe, Service, deflated};
use super::{Lab, SERVICES};

pub(super) use ask::fault;
pub(super) use ask::{Form, Grain};
pub(super) use time::{coding, delays, dynamic_memory};

/// Octets of everything.
pub(super) fn measure(lab: &mut Lab<'_>) -> Result<(), Error> {
    if lab.agents.is_elsewhere() {
        return Ok(());
    }
    snmp(lab)?;
    web(lab)?;
    granularity(lab)
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

/// SNMP's messages unchanged, and compressed according to the drafts.
fn snmp(lab: &mut Lab<'_>) -> Result<(), Error> {
    let peer = lab.agents.here().first().map(|agent| agent.peer.clone());
    let Some(peer) = peer else { return Ok(()) };
    let objects = lab.objects();
    let seen = std::sync::Arc::new(Kept::default());
    let asked: Result<Vec<Messages>, String> = lab.runtime.block_on(async {
        let link = Link::open(&peer).await.map_err(|error| error.to_string())?;
        let walked = link.walk().await.map_err(|error| error.to_string())?;
        let instances: Vec<Oid> = walked.into_iter().map(|(name, _)| name).collect();
        link.observe(seen.clone());
        let mut messages = Vec::new();
        for operation in [Operation::Get, Operation::GetBulk] {
            for &count in &objects {
                let Some(wanted) = instances.get(..count as usize) else { break };
                link.ask(operation, wanted).await.map_err(|error| error.to_string())?;
                messages.push((operation, count, seen.last()));
            }
        }
        Ok(messages)
    });
    let messages = match asked {
        Ok(messages) => messages,
        Err(reason) => return lab.missing(SERVICES, "SNMP", reason),
    };
    for (operation, count, (request, response)) in messages {
        for (name, how) in COMPRESSIONS {
            let series = of_snmp(operation, name);
            let sizes = [&request, &response].map(|message| size(message, how));
            let [Ok(request), Ok(response)] = sizes else {
                lab.missing(SERVICES, &series, "a message could not be compressed")?;
                continue;
            };
            let at_ip: u64 = [request, response]
                .map(|octets| datagram(IpVersion::V4, octets, ETHERNET).octets)
                .iter()
                .sum();
            lab.note(SERVICES, &series, count, Quantity::RequestOctets, 1, request as f64)?;
            lab.note(SERVICES, &series, count, Quantity::ResponseOctets, 1, response as f64)?;
            lab.note(SERVICES, &series, count, Quantity::IpOctets, 1, at_ip as f64)?;
        }
    }
    Ok(())
}

/// An operation, the objects, its request and its response.
type Messages = (Operation, u32, (Vec<u8>, Vec<u8>));

/// Octets of a message under a compression.
fn size(message: &[u8], how: Option<OidCompression>) -> Result<u64, ()> {
    let Some(how) = how else { return Ok(message.len() as u64) };
    let mut out = Vec::new();
    compression::compress(message, how, &mut out).map_err(|_| ())?;
    Ok(out.len() as u64)
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
        let idle = (settled(link, std::time::Duration::ZERO) - before).at_manager();
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
                let before = link.map(crate::kit::place::link::Link::counts);
                let answer = lab.runtime.block_on(once(&service, &body, is_compressed));
                let traffic = link
                    .zip(before)
                    .map(|(link, before)| (settled(link, std::time::Duration::ZERO) - before).at_manager());
                if !note_answer(lab, &series, objects, answer, traffic)? {
                    break;
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
                }
                Ok(answer) => return lab.missing(SERVICES, &series, ask::fault(&answer)),
                Err(error) => return lab.missing(SERVICES, &series, error),
            }
        }
    }
    Ok(())
}

/// Records an answer; returns whether it was one.
fn note_answer(
    lab: &mut Lab<'_>,
    series: &str,
    objects: u32,
    answer: Result<Answer, std::io::Error>,
    traffic: Option<Traffic>,
) -> Result<bool, Error> {
    let answer = match answer {
        Ok(answer) if answer.status == 200 => answer,
        Ok(answer) => {
            lab.missing(SERVICES, series, ask::fault(&answer))?;
            return Ok(false);
        }
        Err(error) => {
            lab.missing(SERVICES, series, error)?;
            return Ok(false);
        }
    };
    lab.note(SERVICES, series, objects, Quantity::RequestOctets, 1, answer.request as f64)?;
    lab.note(SERVICES, series, objects, Quantity::ResponseOctets, 1, answer.on_wire.len() as f64)?;
    lab.note(SERVICES, series, objects, Quantity::HeaderOctets, 1, answer.heads as f64)?;
    if let Some(traffic) = traffic {
        lab.note(SERVICES, series, objects, Quantity::IpOctets, 1, traffic.ip_octets as f64)?;
        lab.note(SERVICES, series, objects, Quantity::Packets, 1, traffic.packets as f64)?;
    }
    Ok(true)
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

/// Keeps the last message of each direction.
#[derive(Debug, Default)]
struct Kept(std::sync::Mutex<(Vec<u8>, Vec<u8>)>);

impl Kept {
    fn last(&self) -> (Vec<u8>, Vec<u8>) {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

impl trunkline_client::Observer for Kept {
    fn sent(&self, octets: &[u8], _at: std::time::Instant) {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).0 = octets.to_vec();
    }

    fn received(&self, octets: &[u8], _at: std::time::Instant) {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).1 = octets.to_vec();
    }
}

/// A connection without a request, among the series.
pub(super) const IDLE: &str = "TCP connection";
/// Row counts from whose answers the size of a row and of an empty answer follow.
const ENTRIES: [u32; 3] = [1, 2, 4];
/// The MTU of the paper's Ethernet, octets.
const ETHERNET: u64 = 1500;
