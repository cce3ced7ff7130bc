//! Time and memory of web services: coding in this process, delays of the agent and of gSOAP's server, allocations
//! of the agent.

use std::collections::BTreeMap;
use std::hint::black_box;

use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::Bound;
use trunkline_soap::encoding::{self, Template};
use trunkline_soap::operation::{self, Operation, RequestLimits};

use crate::experiments::pras2005::common::{Asked, Turn, XML, timed, value_of};
use crate::experiments::pras2005::fetch::{Pipe, Service, deflated};
use crate::experiments::pras2005::{CODING, DELAY, DELAY_OBJECTS, Lab, MEMORY};
use crate::kit::error::Error;
use crate::kit::reading::Quantity;
use crate::kit::stage::{Role, Stand};
use crate::kit::subject::{Freshness, GsoapServer};

use super::ask::{self, Form};
use super::of_web;

/// Decoding a request and encoding its answer, and compressing it, for the rows that a walk found.
pub(in super::super) fn coding(lab: &mut Lab<'_>, walked: &[(Oid, Bound)], rounds: u32) -> Result<(), Error> {
    let rows = rows(walked);
    for form in Form::ALL {
        let series = format!("{XML} {form}");
        for objects in lab.objects() {
            let prepared = match Prepared::of(form, objects, &rows) {
                Ok(prepared) => prepared,
                Err(reason) => {
                    lab.missing(CODING, &series, reason)?;
                    continue;
                }
            };
            let mut into = Vec::with_capacity(1 << 16);
            for round in 0..=rounds {
                let each = timed(objects, || prepared.code(&mut into));
                lab.note(CODING, &series, objects, Quantity::CodingNs, round, each)?;
            }
            for round in 0..=rounds {
                let each = timed(objects, || {
                    black_box(deflated(black_box(&into)));
                });
                lab.note(CODING, &series, objects, Quantity::CompressionNs, round, each)?;
            }
        }
    }
    Ok(())
}

/// The values of each row by column.
type Rows = BTreeMap<Oid, BTreeMap<u32, Value>>;

fn rows(walked: &[(Oid, Bound)]) -> Rows {
    let table = trunkline_smi::module::if_mib::IF_TABLE.oid;
    let mut rows = Rows::new();
    for (name, bound) in walked {
        let Some([_, column, index @ ..]) = name.get(table.len()..) else { continue };
        if let Some(value) = value_of(bound) {
            rows.entry(Oid::EMPTY.child(index)).or_default().insert(*column, value.clone());
        }
    }
    rows
}

/// A request, and the contents of its answer.
struct Prepared<'a> {
    form: Form,
    request: Vec<u8>,
    template: Template,
    rows: Vec<(&'a Oid, Vec<Option<&'a Value>>)>,
}

impl Prepared<'_> {
    fn of(form: Form, objects: u32, rows: &Rows) -> Result<Prepared<'_>, String> {
        let request = ask::first(form, objects, rows.len() as u32)?;
        let (count, columns) = ask::shape(objects);
        let (_, fields) = ask::fields(columns)?;
        let record = ask::record(&fields)?;
        let template = Template::new(form.0, &record);
        let rows = rows
            .iter()
            .take(count as usize)
            .map(|(index, row)| (index, record.fields.iter().map(|field| row.get(&field.id)).collect()));
        Ok(Prepared { form, request, rows: rows.collect(), template })
    }

    /// The agent's work on it.
    fn code(&self, into: &mut Vec<u8>) {
        let Ok(request) = operation::read(ask::catalog(), black_box(&self.request), &RequestLimits::DEFAULT)
        else {
            return;
        };
        debug_assert!(matches!(request.operation, Operation::Table(_)));
        into.clear();
        encoding::begin(into, request.version, self.form.0, &request.namespace, &request.name);
        self.template.begin(into);
        for (index, cells) in &self.rows {
            let values = cells.iter().map(|cell| cell.map(Value::as_value_ref));
            self.template.row(into, index, values);
        }
        encoding::end(into, self.form.0, &request.name);
        black_box(into);
    }
}

/// Adds the agent's web services to the measured delays, plain and with zlib, and gSOAP's servers, which run until
/// the returned value is dropped.
pub(in super::super) fn delays(lab: &mut Lab<'_>, turns: &mut Vec<Turn>) -> Result<Vec<GsoapServer>, Error> {
    if lab.agents.is_elsewhere() {
        return Ok(Vec::new());
    }
    let Some(address) = lab.stage.http(Role::Shipped, Stand::Beside) else {
        lab.missing(DELAY, "web services", "the agent does not listen on HTTP")?;
        return Ok(Vec::new());
    };
    let service = Service { address, path: "/soap" };
    let most = lab.stage.interfaces;
    for form in Form::ALL {
        for zlib in [false, true] {
            let series = of_web(form, zlib);
            for objects in DELAY_OBJECTS {
                match ask::first(form, objects, most) {
                    Ok(body) => {
                        let asked = Asked::Post { service: service.clone(), body, zlib };
                        turns.push(Turn { series: series.clone(), objects, asked, is_over: false });
                    }
                    Err(reason) => lab.missing(DELAY, &series, reason)?,
                }
            }
        }
    }
    gsoap(lab, turns)
}

/// gSOAP's server, with made-up rows of the paper's 18 columns: only object counts that are multiples of such
/// rows.
fn gsoap(lab: &mut Lab<'_>, turns: &mut Vec<Turn>) -> Result<Vec<GsoapServer>, Error> {
    let mut servers = Vec::new();
    for objects in DELAY_OBJECTS {
        let (rows, columns) = ask::shape(objects);
        if columns != 18 {
            continue;
        }
        let body = match ask::whole(Form::AS_IN_PAPER) {
            Ok(body) => body,
            Err(reason) => {
                lab.missing(DELAY, "gSOAP's server", reason)?;
                break;
            }
        };
        let program = lab.wanted.gsoap.clone();
        match lab.stage.start_beside(move || GsoapServer::start(program.as_deref(), rows)) {
            Ok(server) => {
                let service = Service { address: server.address, path: "/" };
                let asked = Asked::Post { service, body, zlib: false };
                turns.push(Turn { series: GSOAP.to_owned(), objects, asked, is_over: false });
                servers.push(server);
            }
            Err(source) if lab.wanted.gsoap.is_some() => {
                return Err(Error::Start { option: "gsoap", source });
            }
            Err(error) => {
                lab.missing(DELAY, "gSOAP's server", error)?;
                break;
            }
        }
    }
    Ok(servers)
}

/// The allocations of our agent for a request, and the memory of gSOAP's server.
pub(in super::super) fn dynamic_memory(lab: &mut Lab<'_>, counts: [u32; 2]) -> Result<(), Error> {
    let role = Role::Timed(Freshness::MaxAge);
    if let (Some(agent), Some(address)) = (lab.stage.agent(role), lab.stage.http(role, Stand::Beside)) {
        let service = Service { address, path: "/soap" };
        for (form, zlib) in [(Form::TYPED, false), (Form::TYPED, true), (Form::LEAN, false)] {
            let series = of_web(form, zlib);
            for objects in counts {
                let body = match ask::first(form, objects, lab.stage.interfaces) {
                    Ok(body) => body,
                    Err(reason) => {
                        lab.missing(MEMORY, &series, reason)?;
                        continue;
                    }
                };
                let again = async |pipe: &mut Pipe| -> Result<(), std::io::Error> {
                    for _ in 0..REQUESTS {
                        let answer = pipe.post(&body, zlib).await?;
                        if answer.status != 200 {
                            return Err(std::io::Error::other(ask::fault(&answer)));
                        }
                    }
                    Ok(())
                };
                let allocated = || {
                    let counted = agent.counted().map_err(|error| std::io::Error::other(error.to_string()));
                    counted.map(|it| it.allocated_octets)
                };
                let reading: Result<f64, std::io::Error> = lab.runtime.block_on(async {
                    let mut pipe = Pipe::open(&service).await?;
                    again(&mut pipe).await?;
                    let before = allocated()?;
                    again(&mut pipe).await?;
                    Ok((allocated()? - before) as f64 / f64::from(REQUESTS))
                });
                match reading {
                    Ok(octets) => lab.note(MEMORY, &series, objects, Quantity::Dynamic, 1, octets)?,
                    Err(error) => lab.missing(MEMORY, &series, error)?,
                }
            }
        }
    }
    let program = lab.wanted.gsoap.clone();
    match lab.stage.start_beside(move || GsoapServer::start(program.as_deref(), GSOAP_ROWS)) {
        Ok(server) => super::super::memory::of_process(lab, GSOAP, server.pid()),
        Err(error) => lab.missing(MEMORY, "gSOAP's server", error),
    }
}

/// gSOAP's server among the series.
const GSOAP: &str = "gSOAP";
/// 15 rows of 18 objects.
const GSOAP_ROWS: u32 = 15;
const REQUESTS: u32 = 50;
