//! The stage of the laboratory with a number of interfaces, and requests for their table.

use std::error::Error;
use std::net::SocketAddr;

use trunkline_lab::stage::{Role, Stage, StageOptions, Stand};
use trunkline_lab::subject::Freshness;
use trunkline_soap::catalog::{Catalog, TableVerb};
use trunkline_soap::encoding::Encoding;
use trunkline_soap::envelope::Version;
use trunkline_soap::operation::{self, Operation, Request, RowRange, TableRequest};

use crate::Options;
use crate::load;
use crate::report::Report;

/// The laboratory's agent with its counting allocator.
pub const COUNTING: Role = Role::Timed(Freshness::MaxAge);

/// A stage whose agents have this many interfaces, which have carried traffic of all sizes; this thread is in the
/// same namespace.
pub fn stage(
    options: &Options,
    rows: u32,
    roles: &[Role],
    report: &mut Report,
) -> Result<Stage, Box<dyn Error>> {
    let mut doubts = Vec::new();
    let wanted = StageOptions {
        trunklined: Some(options.agent.clone()),
        trunklined_lab: Some(options.agent_lab.clone()),
        rows,
        sessions: 100,
        seed: 1,
        roles: roles.to_vec(),
        capture: None,
        apart: false,
        more: Vec::new(),
        schemas: Vec::new(),
        brief: Vec::new(),
        users: Vec::new(),
    };
    let stage = Stage::make(&wanted, &mut doubts)?;
    doubts.iter().for_each(|doubt| report.note(doubt.to_string()));
    stage.stand(Stand::Beside)?;
    Ok(stage)
}

/// Where an agent listens on HTTP.
pub fn http(stage: &Stage, role: Role) -> Result<SocketAddr, String> {
    stage.http(role, Stand::Beside).ok_or_else(|| "the agent does not listen on HTTP".to_owned())
}

/// A request for the whole ifTable, as it goes over the connection.
pub fn whole_table(encoding: Encoding, accept: Option<&str>) -> Result<Vec<u8>, Box<dyn Error>> {
    let catalog = Catalog::complete();
    let table = catalog.tables().iter().position(|served| served.table.name == "ifTable");
    let table = TableRequest {
        verb: TableVerb::Whole,
        table: table.ok_or("no ifTable")?,
        columns: None,
        range: RowRange::All,
    };
    let mut request = Request::new(&catalog, Version::V1_1, encoding, Operation::Table(table));
    request.community = Some("public".to_owned());
    let mut body = Vec::new();
    operation::write(&catalog, &request, &mut body);
    Ok(load::post("/soap", &request.action(), accept, &body))
}
