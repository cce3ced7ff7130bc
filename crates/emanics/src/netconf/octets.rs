//! Octets of requests and answers at application level, for whole rows of ifTable.

use trunkline_client::{Session, SessionOptions};
use trunkline_smi::Oid;
use trunkline_smi::module::if_mib::IF_TABLE;

use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::conversation::Peer;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::error::Error;
use trunkline_labkit::octets::Passed;
use trunkline_labkit::packing::Packing;
use trunkline_labkit::place::IF_TABLE_COLUMNS;
use trunkline_labkit::protocol::{Protocol, Security, SnmpVersion};
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::schedule::ManagerEnd;
use trunkline_labkit::stage::{Role, Secrets, Stand};
use trunkline_labkit::transport::Transport;

use super::{Options, SHIPPED};

/// How rows are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// One Get with the names of all instances.
    Get,
    /// One GetBulk.
    Bulk,
    /// Web services: the first rows, in lists of values.
    Soap,
    /// NETCONF: an XPath filter with the number of rows.
    Netconf,
}

impl How {
    /// All of them.
    pub(super) const ALL: [How; 4] = [How::Get, How::Bulk, How::Soap, How::Netconf];

    /// Its name in the samples.
    pub(super) const fn name(self) -> &'static str {
        match self {
            How::Get => "SNMP Get",
            How::Bulk => "SNMP GetBulk",
            How::Soap => "SOAP, lean",
            How::Netconf => "NETCONF",
        }
    }

    /// Without protection, as in the papers.
    pub(super) const fn protocol(self) -> Protocol {
        match self {
            How::Get | How::Bulk => Protocol::v2c(Transport::Udp),
            How::Soap => Protocol {
                version: SnmpVersion::Soap,
                transport: Transport::Http,
                security: Security::Community,
            },
            How::Netconf => Protocol::netconf(Transport::Tcp),
        }
    }

    const fn compressed(self) -> Packing {
        match self {
            How::Soap => Packing::Gzip,
            _ => Packing::Zlib,
        }
    }

    /// A session with an agent in this way.
    pub(super) async fn open(
        self,
        stage: &trunkline_labkit::stage::Stage,
        role: Role,
        packing: Packing,
        passed: Option<std::sync::Arc<Passed>>,
    ) -> Result<std::sync::Arc<dyn Session>, String> {
        let manager = ManagerEnd { packing, ..ManagerEnd::default() };
        let peer: Peer = stage.peer(self.protocol(), role, Stand::Beside, Secrets::Ready, manager)?;
        let peer = match passed {
            Some(passed) => peer.observed(passed),
            None => peer,
        };
        let options = SessionOptions::default().with_compression(packing.of_snmp());
        peer.open(options).await.map_err(|error| error.to_string())
    }

    /// Fetches so many rows; the octets of request and answer where the client reports them, and how many objects came.
    pub(super) async fn fetch(self, session: &dyn Session, rows: u32) -> Result<([usize; 2], u32), String> {
        let objects = rows * IF_TABLE_COLUMNS;
        let table = Oid::EMPTY.child(IF_TABLE.oid);
        let words = |error: trunkline_client::Error| error.to_string();
        match self {
            How::Get | How::Bulk => {
                let answer = match self {
                    How::Get => session.get(&names(session, rows).await?).await,
                    _ => session.bulk(0, objects, &[table]).await,
                };
                let answer = answer.map_err(words)?;
                let octets = [answer.cost.request_octets, answer.cost.response_octets];
                Ok((octets, answer.bindings.len() as u32))
            }
            How::Soap => {
                let soap = session.as_soap().ok_or("this is not a session of SOAP")?;
                let columns: Vec<u32> = (1..=IF_TABLE_COLUMNS).collect();
                let found = soap.next_rows(&IF_TABLE, &columns, &[], rows as usize).await.map_err(words)?;
                Ok(([0; 2], found.rows.values().flatten().flatten().count() as u32))
            }
            How::Netconf => {
                let netconf = session.as_netconf().ok_or("this is not a session of NETCONF")?;
                let (reply, cost) = netconf.data(request(rows).as_bytes()).await.map_err(words)?;
                let entries = String::from_utf8_lossy(&reply).matches("<ifIndex>").count() as u32;
                Ok(([cost.request_octets, cost.response_octets], entries * IF_TABLE_COLUMNS))
            }
        }
    }
}

/// The names of all instances of the first rows.
async fn names(session: &dyn Session, rows: u32) -> Result<Vec<Oid>, String> {
    let mut names = Vec::new();
    for column in 1..=IF_TABLE_COLUMNS {
        let head = Oid::EMPTY.child(IF_TABLE.oid).child(&[1, column]);
        let answer = session.bulk(0, rows, &[head]).await.map_err(|error| error.to_string())?;
        names.extend(answer.bindings.into_iter().map(|binding| binding.name));
    }
    Ok(names)
}

/// The operation for the first rows.
fn request(rows: u32) -> String {
    format!("<get><filter type=\"xpath\" select=\"/IF-MIB/ifTable/ifEntry[position()&lt;={rows}]\"/></get>")
}

/// The series of a way, plain or compressed.
pub(super) fn series(how: How, is_compressed: bool) -> String {
    format!("{}{}", how.name(), if is_compressed { ", zlib" } else { "" })
}

/// Pras, figures 11 and 12. Octets are the same each time.
pub(super) fn measure(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    chapter.stage.stand(Stand::Beside)?;
    for how in How::ALL {
        for is_compressed in [false, true] {
            let packing = if is_compressed { how.compressed() } else { Packing::None };
            for rows in chapter.options.rows.clone() {
                let name = series(how, is_compressed);
                match chapter.runtime.block_on(octets(chapter.stage, how, packing, rows)) {
                    Ok([request, response]) => {
                        let (table, objects) = (chapter.table.clone(), rows * IF_TABLE_COLUMNS);
                        let ledger = &mut chapter.ledger;
                        ledger.reading(&table, &name, objects, Quantity::RequestOctets, 1, request as f64)?;
                        ledger.reading(
                            &table,
                            &name,
                            objects,
                            Quantity::ResponseOctets,
                            1,
                            response as f64,
                        )?;
                    }
                    Err(reason) => {
                        let (table, what) = (chapter.table.clone(), format!("{name}, {rows} rows"));
                        chapter.ledger.doubt(Doubt::LeftOut { table, what, reason })?;
                    }
                }
            }
        }
    }
    Ok(())
}

async fn octets(
    stage: &trunkline_labkit::stage::Stage,
    how: How,
    packing: Packing,
    rows: u32,
) -> Result<[usize; 2], String> {
    let passed = std::sync::Arc::new(Passed::default());
    let session = how.open(stage, SHIPPED, packing, Some(passed.clone())).await?;
    // The first of a session may hold more than the request.
    how.fetch(&*session, rows).await?;
    let _ = passed.take();
    let (octets, objects) = how.fetch(&*session, rows).await?;
    session.close().await;
    if objects != rows * IF_TABLE_COLUMNS {
        return Err(format!("{objects} objects came"));
    }
    Ok(match how {
        How::Soap => passed.take().into(),
        _ => octets,
    })
}
