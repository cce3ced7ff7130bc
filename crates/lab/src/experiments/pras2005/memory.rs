//! Section V.B, table I: memory for instructions, static data, and the dynamic memory of a request, of agents that
//! are started for it: what other parts asked of an agent would count as its static memory.

use std::path::PathBuf;

use trunkline_client::{SessionOptions, SnmpSession};
use trunkline_smi::Oid;
use trunkline_smi::module::if_mib::IF_TABLE;

use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::error::Error;
use trunkline_labkit::meter::{elf, memory};
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::stage::Role;
use trunkline_labkit::subject::{Equipped, Freshness, GsoapServer, Subject};
use trunkline_labkit::transport::Transport;

use super::fetch::{Pipe, Service};
use super::services::{Form, GSOAP, fault, first_body, of_web};
use super::{Lab, MEMORY, OURS};

/// Reads the memory of agents that have just started, and the allocations of ours during requests.
pub(super) fn measure(lab: &mut Lab<'_>) -> Result<(), Error> {
    if lab.agents.is_elsewhere() {
        return Ok(());
    }
    idle(lab)?;
    let mut ways = vec![Way::Bulk];
    ways.extend(Form::ALL.into_iter().flat_map(|form| [false, true].map(|zlib| Way::Post(form, zlib))));
    for way in ways {
        for objects in [SINGLE, MANY] {
            if lab.ledger.is_interrupted() {
                return Ok(());
            }
            if let Err(reason) = dynamic(lab, way, objects)? {
                lab.missing(MEMORY, &way.series(), format!("{objects} objects: {reason}"))?;
            }
        }
    }
    Ok(())
}

/// Memory before the first request: ours, Net-SNMP's, gSOAP's.
fn idle(lab: &mut Lab<'_>) -> Result<(), Error> {
    let pid = lab.stage.fresh(Role::Shipped);
    of_agent(lab, OURS, pid, Equipped::pid)?;
    let program = lab.wanted.snmpd.clone();
    let snmpd = lab.stage.start_beside(move || Subject::snmpd(program.as_deref()));
    of_agent(lab, SNMPD, snmpd, |agent| agent.pid().unwrap_or_default())?;
    let program = lab.wanted.gsoap.clone();
    let gsoap = lab.stage.start_beside(move || GsoapServer::start(program.as_deref(), GSOAP_ROWS, false));
    of_agent(lab, GSOAP, gsoap, GsoapServer::pid)
}

fn of_agent<T>(
    lab: &mut Lab<'_>,
    name: &str,
    agent: Result<T, trunkline_labkit::subject::StartError>,
    pid: impl Fn(&T) -> u32,
) -> Result<(), Error> {
    match agent {
        Ok(agent) => of_process(lab, name, pid(&agent)),
        Err(error) => lab.missing(MEMORY, name, error),
    }
}

/// The resident memory of a process, and the instructions in its file.
fn of_process(lab: &mut Lab<'_>, name: &str, pid: u32) -> Result<(), Error> {
    match memory::read(pid) {
        Ok(found) => {
            lab.note(MEMORY, name, 0, Quantity::Instructions, 1, found.instructions as f64)?;
            lab.note(MEMORY, name, 0, Quantity::Static, 1, found.data as f64)?;
        }
        Err(error) => lab.missing(MEMORY, name, error)?,
    }
    match elf::text(&PathBuf::from(format!("/proc/{pid}/exe"))) {
        Ok(text) => lab.note(MEMORY, name, 0, Quantity::Text, 1, text as f64),
        Err(error) => lab.missing(MEMORY, name, error),
    }
}

/// The kind of request.
#[derive(Clone, Copy)]
enum Way {
    /// GetBulk over UDP.
    Bulk,
    /// Web services in an encoding, compressed or not.
    Post(Form, bool),
}

impl Way {
    fn series(self) -> String {
        match self {
            Way::Bulk => OURS.into(),
            Way::Post(form, zlib) => of_web(form, zlib),
        }
    }
}

/// What an agent of its own, which counts its allocations, holds beyond what it held before its first request: at
/// most during a request, and after it. The first requests load the data and make the buffers that it keeps.
fn dynamic(lab: &mut Lab<'_>, way: Way, objects: u32) -> Result<Result<(), String>, Error> {
    let Ok(agent) = lab.stage.fresh(Role::Timed(Freshness::MaxAge)) else {
        let (table, switch) = (MEMORY.into(), "counting allocations (trunklined-lab)".into());
        return lab.ledger.doubt(Doubt::NoSwitch { table, switch }).map(Ok);
    };
    let counted = || agent.counted().map_err(|error| error.to_string());
    let most = lab.stage.interfaces;
    let ask = |times| lab.runtime.block_on(requests(&agent, way, objects, most, times));
    let readings = || -> Result<Vec<[u64; 2]>, String> {
        let before = counted()?.live_octets;
        ask(WARM)?;
        counted()?;
        let mut all = Vec::new();
        for _ in 0..REQUESTS {
            ask(1)?;
            let after = counted()?;
            all.push([after.peak_octets, after.live_octets].map(|octets| octets.saturating_sub(before)));
        }
        Ok(all)
    };
    let readings = match readings() {
        Ok(readings) => readings,
        Err(reason) => return Ok(Err(reason)),
    };
    for (repetition, [peak, kept]) in (1..).zip(readings) {
        for (quantity, octets) in [(Quantity::Dynamic, peak), (Quantity::Kept, kept)] {
            lab.note(MEMORY, &way.series(), objects, quantity, repetition, octets as f64)?;
        }
    }
    Ok(Ok(()))
}

/// This many requests in a session.
async fn requests(agent: &Equipped, way: Way, objects: u32, most: u32, times: u32) -> Result<(), String> {
    match way {
        Way::Bulk => {
            let target = agent.target_beside(Transport::Udp).ok_or("it does not listen on UDP")?;
            let failed = |error: trunkline_client::Error| error.to_string();
            let session = SnmpSession::open(&target, SessionOptions::default()).await.map_err(failed)?;
            for _ in 0..times {
                session.bulk(0, objects, &[Oid::EMPTY.child(IF_TABLE.oid)]).await.map_err(failed)?;
            }
        }
        Way::Post(form, zlib) => {
            let port = agent.port(Transport::Http).ok_or("it does not listen on HTTP")?;
            let address = std::net::SocketAddr::from((std::net::Ipv4Addr::LOCALHOST, port));
            let body = first_body(form, objects, most)?;
            let failed = |error: std::io::Error| error.to_string();
            let mut pipe = Pipe::open(&Service { address, path: "/soap" }).await.map_err(failed)?;
            for _ in 0..times {
                let answer = pipe.post(&body, zlib).await.map_err(failed)?;
                if answer.status != 200 {
                    return Err(fault(&answer));
                }
            }
            pipe.close().await.map_err(failed)?;
        }
    }
    Ok(())
}

/// Net-SNMP's agent among the series.
pub(super) const SNMPD: &str = "snmpd";
/// The two ends of "70-160 kB, depending on the number of objects".
pub(super) const SINGLE: u32 = 1;
/// See [`SINGLE`].
pub(super) const MANY: u32 = 270;
/// 15 rows of 18 objects.
const GSOAP_ROWS: u32 = 15;
const WARM: u32 = 5;
const REQUESTS: u32 = 10;
