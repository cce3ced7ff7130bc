//! `snmpstatus`: a machine in three lines.

use std::io::Write;

use trunkline_client::{Session as _, TableLimit};
use trunkline_smi::Value;
use trunkline_smi::module::if_mib::IF_TABLE;
use trunkline_smi::module::ip_mib::{IP_IN_RECEIVES, IP_OUT_REQUESTS};
use trunkline_smi::module::snmpv2_mib::{SYS_DESCR, SYS_UP_TIME};

use super::ended::Ended;
use super::names::Dictionary;
use super::session::{self, Agent};
use super::settings::Settings;
use trunkline_show::figures::{cell, number, scalars, text};
use trunkline_show::print::Printer;

/// ifOperStatus: up. Everything else counts as down.
const UP: u64 = 1;

/// Runs the tool.
pub async fn run(
    settings: &Settings,
    dictionary: &Dictionary,
    printer: &mut Printer<'_, impl Write>,
) -> Result<(), Ended> {
    let (host, _) = session::operands(settings)?;
    let agent = Agent::open(settings, host).await?;
    let objects = [SYS_DESCR.oid, SYS_UP_TIME.oid, IP_IN_RECEIVES.oid, IP_OUT_REQUESTS.oid];
    let system = scalars(&agent.session, &objects).await.map_err(|fault| agent.failed(&fault))?;
    let description = system[0].as_ref().and_then(text).unwrap_or_default();
    let up = system[1].as_ref().filter(|value| matches!(value, Value::TimeTicks(_)));
    let up = up.map(|ticks| dictionary.names.text(SYS_UP_TIME.oid, ticks.as_value_ref())).unwrap_or_default();
    let [received, sent] = [2, 3].map(|at| system[at].as_ref().and_then(number).unwrap_or(0));
    // ifOperStatus, and the packets of both directions.
    let columns = [8, 11, 12, 17, 18];
    let table = agent.session.table(&IF_TABLE, &columns, TableLimit::default()).await;
    let table = table.map_err(|fault| agent.failed(&fault))?;
    let of = |index: &Vec<u32>, column| cell(&table, index, column).and_then(number).unwrap_or(0);
    let down = table.rows.keys().filter(|index| of(index, 0) != UP).count();
    let sum = |columns: [usize; 2]| {
        table
            .rows
            .keys()
            .flat_map(|index| columns.map(|column| of(index, column)))
            .fold(0, u64::saturating_add)
    };
    let peer = agent.peer();
    let description = trunkline_smi::visible(&description).into_owned();
    printer.text(&format!("[{peer}]=>[{description}] Up: {up}\n"))?;
    printer.text(&format!(
        "Interfaces: {}, Recv/Trans packets: {}/{} | IP: {received}/{sent}\n",
        table.rows.len(),
        sum([1, 2]),
        sum([3, 4]),
    ))?;
    match down {
        0 => {}
        1 => printer.text("1 interface is down!\n")?,
        _ => printer.text(&format!("{down} interfaces are down!\n"))?,
    }
    Ok(printer.finish()?)
}
