//! Delays of web services, of the agent and of gSOAP's server.

use crate::experiments::pras2005::common::{Asked, Turn};
use crate::experiments::pras2005::fetch::Service;
use crate::experiments::pras2005::{DELAY, DELAY_OBJECTS, Lab};
use trunkline_labkit::error::Error;
use trunkline_labkit::stage::{Role, Stand};
use trunkline_labkit::subject::GsoapServer;

use super::ask::{self, Form};
use super::of_web;

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

/// gSOAP's servers, plain and with zlib, with made-up rows of the paper's 18 columns: only object counts that are
/// multiples of such rows.
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
        for zlib in [false, true] {
            let program = lab.wanted.gsoap.clone();
            match lab.stage.start_beside(move || GsoapServer::start(program.as_deref(), rows, zlib)) {
                Ok(server) => {
                    let service = Service { address: server.address, path: "/" };
                    let series = if zlib { GSOAP_ZLIB } else { GSOAP };
                    let asked = Asked::Post { service, body: body.clone(), zlib };
                    turns.push(Turn { series: series.to_owned(), objects, asked, is_over: false });
                    servers.push(server);
                }
                Err(source) if lab.wanted.gsoap.is_some() => {
                    return Err(Error::Start { option: "gsoap", source });
                }
                Err(error) => {
                    lab.missing(DELAY, "gSOAP's server", error)?;
                    return Ok(servers);
                }
            }
        }
    }
    Ok(servers)
}

/// gSOAP's server among the series.
pub(in super::super) const GSOAP: &str = "gSOAP";
pub(in super::super) const GSOAP_ZLIB: &str = "gSOAP, zlib";
