//! The gSOAP server of `peers/gsoap` in figures 11, 12 and 14: the octets of its messages, and the CPU time of its
//! process for a whole request. Its rows are made up and have the paper's 18 columns, and it answers with all of them.

use crate::experiments::pras2005::fetch::{PAPERS_COLUMNS, Pipe, Service};
use crate::experiments::pras2005::{Lab, OURS, RETRIEVAL, SERVICES};
use trunkline_labkit::error::Error;
use trunkline_labkit::meter::cpu::CpuMeter;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::stage::{Role, Stand};
use trunkline_labkit::subject::{Equipped, GsoapServer};

use super::ask::{self, Form};
use super::delays::{GSOAP, GSOAP_ZLIB};
use super::{note_answer, of_web, once};

/// Whole rows whose number of objects is within an eighth of this one, as are the paper's figures beside ours.
pub(in super::super) fn rows_near(objects: u32) -> Option<u32> {
    let columns = PAPERS_COLUMNS.len() as u32;
    let rows = (objects + columns / 2) / columns;
    (rows > 0 && 8 * (rows * columns).abs_diff(objects) <= objects).then_some(rows)
}

/// A server with this many rows. One that an option names must start; without another one there are no figures, which is
/// recorded in `table`.
fn start(lab: &mut Lab<'_>, table: &str, rows: u32, zlib: bool) -> Result<Option<GsoapServer>, Error> {
    let program = lab.wanted.gsoap.clone();
    match lab.stage.start_beside(move || GsoapServer::start(program.as_deref(), rows, zlib)) {
        Ok(server) => Ok(Some(server)),
        Err(source) if lab.wanted.gsoap.is_some() => Err(Error::Start { option: "gsoap", source }),
        Err(error) => lab.missing(table, "gSOAP's server", error).map(|()| None),
    }
}

/// Figures 11 and 12: octets of its messages, over the loopback.
pub(super) fn octets(lab: &mut Lab<'_>) -> Result<(), Error> {
    let body = match ask::whole(Form::AS_IN_PAPER) {
        Ok(body) => body,
        Err(reason) => return lab.missing(SERVICES, GSOAP, reason),
    };
    for (series, zlib) in [(GSOAP, false), (GSOAP_ZLIB, true)] {
        for objects in lab.objects() {
            let Some(rows) = rows_near(objects) else { continue };
            let Some(server) = start(lab, SERVICES, rows, zlib)? else { return Ok(()) };
            let service = Service { address: server.address, path: "/" };
            let answer = lab.runtime.block_on(once(&service, &body, zlib));
            if note_answer(lab, series, objects, answer, None)?.is_none() {
                break;
            }
        }
    }
    Ok(())
}

/// Requests to a web service whose process is timed.
pub(in super::super) struct Timed {
    series: String,
    objects: u32,
    service: Service,
    body: Vec<u8>,
    zlib: bool,
    meter: CpuMeter,
    /// It runs until this is dropped.
    _server: Option<GsoapServer>,
}

/// The web services of figure 14: gSOAP's, and our agent's in the same encoding, plain and with zlib.
pub(in super::super) fn timed(lab: &mut Lab<'_>) -> Result<Vec<Timed>, Error> {
    let mut all = Vec::new();
    let pid = lab.stage.agent(Role::Shipped).map(Equipped::pid);
    let address = lab.stage.http(Role::Shipped, Stand::Beside);
    let most = lab.stage.interfaces;
    for zlib in [false, true] {
        for objects in lab.objects() {
            let meter = pid.and_then(|pid| CpuMeter::new(pid).ok());
            if let (Some(address), Some(meter), Ok(body)) =
                (address, meter, ask::first(Form::AS_IN_PAPER, objects, most))
            {
                let service = Service { address, path: "/soap" };
                let series = format!("{OURS}, {}", of_web(Form::AS_IN_PAPER, zlib));
                all.push(Timed { series, objects, service, body, zlib, meter, _server: None });
            }
        }
    }
    let Ok(body) = ask::whole(Form::AS_IN_PAPER) else { return Ok(all) };
    for (series, zlib) in [(GSOAP, false), (GSOAP_ZLIB, true)] {
        for objects in lab.objects() {
            let Some(rows) = rows_near(objects) else { continue };
            let Some(server) = start(lab, RETRIEVAL, rows, zlib)? else { return Ok(all) };
            let Ok(meter) = CpuMeter::new(server.pid()) else { continue };
            let service = Service { address: server.address, path: "/" };
            let (series, body) = (series.to_owned(), body.clone());
            all.push(Timed { series, objects, service, body, zlib, meter, _server: Some(server) });
        }
    }
    Ok(all)
}

impl Timed {
    /// The CPU time of its process for each of this many requests over one connection; a request before them is not
    /// counted. The thread of the connection, which takes its time with it, lives until both readings are taken.
    pub(in super::super) fn measure(
        &self,
        lab: &mut Lab<'_>,
        round: u32,
        requests: u32,
    ) -> Result<bool, Error> {
        match lab.runtime.block_on(self.each(requests)) {
            Ok(each) => {
                lab.note(RETRIEVAL, &self.series, self.objects, Quantity::CpuNs, round, each)?;
                Ok(true)
            }
            Err(reason) => {
                lab.missing(RETRIEVAL, &self.series, format!("{} objects: {reason}", self.objects))?;
                Ok(false)
            }
        }
    }

    async fn each(&self, requests: u32) -> Result<f64, String> {
        let failed = |error: std::io::Error| error.to_string();
        let mut pipe = Pipe::open(&self.service).await.map_err(failed)?;
        let mut before = 0;
        for request in 0..=requests {
            let answer = pipe.post(&self.body, self.zlib).await.map_err(failed)?;
            if answer.status != 200 {
                return Err(ask::fault(&answer));
            }
            if request == 0 {
                before = self.meter.read().map_err(failed)?;
            }
        }
        let after = self.meter.read().map_err(failed)?;
        pipe.close().await.map_err(failed)?;
        Ok(after.saturating_sub(before) as f64 / f64::from(requests))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_rows_stand_near_to_their_number_of_objects() {
        let rows = [1, 18, 22, 44, 54, 66, 132, 264, 270].map(rows_near);
        let expected = [0, 1, 0, 0, 3, 4, 7, 15, 15].map(|rows| Some(rows).filter(|it| *it > 0));
        assert_eq!(rows, expected);
    }
}
