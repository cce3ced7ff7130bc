//! Section V.B, table I: memory for instructions, static data, and the dynamic memory of a request.

use std::path::PathBuf;

use trunkline_client::{SessionOptions, SnmpSession};
use trunkline_smi::Oid;
use trunkline_smi::module::if_mib::IF_TABLE;

use crate::kit::doubt::Doubt;
use crate::kit::error::Error;
use crate::kit::meter::{elf, memory};
use crate::kit::protocol::Protocol;
use crate::kit::reading::Quantity;
use crate::kit::schedule::ManagerEnd;
use crate::kit::stage::{Role, Secrets, Stand};
use crate::kit::subject::Freshness;
use crate::kit::transport::Transport;

use super::{Lab, MEMORY, OURS};

/// Reads the memory of our agent and of Net-SNMP's, and the allocations of ours during a request.
pub(super) fn measure(lab: &mut Lab<'_>) -> Result<(), Error> {
    if lab.agents.is_elsewhere() {
        return Ok(());
    }
    let ours = lab.stage.agent(Role::Shipped).map(crate::kit::subject::Equipped::pid);
    let snmpd = lab.agents.snmpd().and_then(crate::kit::subject::Subject::pid);
    for (name, pid) in [(OURS, ours), (SNMPD, snmpd)] {
        if let Some(pid) = pid {
            of_process(lab, name, pid)?;
        }
    }
    for objects in [SINGLE, MANY] {
        dynamic(lab, objects)?;
    }
    super::services::dynamic_memory(lab, [SINGLE, MANY])
}

/// The resident memory of a process, and the instructions in its file.
pub(super) fn of_process(lab: &mut Lab<'_>, name: &str, pid: u32) -> Result<(), Error> {
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

/// The additional allocations of our agent during GetBulk.
fn dynamic(lab: &mut Lab<'_>, objects: u32) -> Result<(), Error> {
    let role = Role::Timed(Freshness::MaxAge);
    let protocol = Protocol::v2c(Transport::Udp);
    let target = lab.stage.target(protocol, role, Stand::Beside, Secrets::Ready, ManagerEnd::default());
    let (Some(agent), Ok(target)) = (lab.stage.agent(role), target) else {
        let (table, switch) = (MEMORY.into(), "counting allocations (trunklined-lab)".into());
        return lab.ledger.doubt(Doubt::NoSwitch { table, switch });
    };
    let ask = async |rounds: u32| -> Result<(), trunkline_client::Error> {
        let session = SnmpSession::open(&target, SessionOptions::default()).await?;
        for _ in 0..rounds {
            session.bulk(0, objects, &[Oid::EMPTY.child(IF_TABLE.oid)]).await?;
        }
        Ok(())
    };
    // What is kept between requests is there after the first few.
    let asked = lab.runtime.block_on(ask(WARM));
    let counted = || agent.counted().map_err(|error| error.to_string());
    let reading = asked.map_err(|error| error.to_string()).and_then(|()| counted()).and_then(|before| {
        lab.runtime.block_on(ask(REQUESTS)).map_err(|error| error.to_string())?;
        let after = counted()?;
        Ok((after.allocated_octets.saturating_sub(before.allocated_octets)) as f64 / f64::from(REQUESTS))
    });
    match reading {
        Ok(octets) => lab.note(MEMORY, OURS, objects, Quantity::Dynamic, 1, octets),
        Err(reason) => lab.missing(MEMORY, OURS, reason),
    }
}

/// Net-SNMP's agent among the series.
pub(super) const SNMPD: &str = "snmpd";
/// The two ends of "70-160 kB, depending on the number of objects".
pub(super) const SINGLE: u32 = 1;
/// See [`SINGLE`].
pub(super) const MANY: u32 = 270;
const WARM: u32 = 20;
const REQUESTS: u32 = 200;
