//! What devices lack, sent to them: a session of NETCONF with each, several at once.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;
use trunkline_client::netconf::protocol::operation::{Datastore, ErrorOption};
use trunkline_client::netconf::protocol::reply::Returns;
use trunkline_client::netconf::protocol::request::{EditConfig, edit_config};
use trunkline_client::netconf::{NetconfOptions, NetconfSession};
use trunkline_client::{Error as ClientError, NetconfTarget};
use zeroize::Zeroizing;

use crate::{Acknowledged, Content, Error, Held, Name};

/// A device to serve.
pub struct Device {
    /// Its name.
    pub name: Name,
    /// Where it is, with our credentials; or why that is not known.
    pub target: Result<NetconfTarget, String>,
}

/// How.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many devices are served at the same time.
    pub parallel: usize,
    /// How long a device may be silent.
    pub timeout: Duration,
    /// Whether everything is sent, also what was acknowledged: for a device that has lost it.
    pub whole: bool,
}

/// What became of a device.
#[derive(Debug)]
pub struct Outcome {
    /// The device.
    pub name: Name,
    /// What happened.
    pub ended: Ended,
}

/// How it went with a device.
pub type Ended = Result<Option<Deployment>, String>;

/// What a device took to acknowledge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deployment {
    /// From the beginning of the deployment to its acknowledgement.
    pub after: Duration,
    /// Octets of the edit and of its reply, as they are framed.
    pub octets: usize,
}

/// Figures of a deployment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Devices that have acknowledged now.
    pub acknowledged: usize,
    /// Devices that had everything.
    pub current: usize,
    /// Devices that still lack something.
    pub pending: usize,
    /// From the beginning to the last acknowledgement.
    pub after: Duration,
    /// Edits and replies.
    pub messages: usize,
    /// Their octets, as they are framed.
    pub octets: usize,
}

/// Serves the devices: `report` is called with each that ended, when it has ended and its acknowledgement is on the disk.
///
/// # Errors
/// An acknowledgement cannot be read or written.
pub async fn deploy(
    held: &Held,
    content: &Content<'_>,
    devices: Vec<Device>,
    options: Options,
    began: Instant,
    mut report: impl FnMut(&Outcome),
) -> Result<Totals, Error> {
    let mut totals = Totals::default();
    let mut left = Vec::new();
    for Device { name, target } in devices {
        let has =
            if options.whole { Acknowledged::default() } else { held.directory().acknowledged(&name)? };
        match content.edit(&has) {
            Some(edit) => left.push((name, target, edit)),
            None => {
                totals.current += 1;
                report(&Outcome { name, ended: Ok(None) });
            }
        }
    }
    let mut left = left.into_iter();
    let mut running = FuturesUnordered::new();
    loop {
        while running.len() < options.parallel {
            let Some((name, target, edit)) = left.next() else { break };
            running.push(async move {
                let ended = match target {
                    Ok(target) => {
                        send(&target, edit, options.timeout).await.map_err(|fault| fault.to_string())
                    }
                    Err(words) => Err(words),
                };
                (name, ended, began.elapsed())
            });
        }
        let Some((name, ended, after)) = running.next().await else { break };
        let ended = match ended {
            Ok(octets) => {
                held.acknowledge(&name, content.wanted())?;
                totals.acknowledged += 1;
                totals.after = totals.after.max(after);
                totals.messages += 2;
                totals.octets += octets;
                Ok(Some(Deployment { after, octets }))
            }
            Err(words) => {
                totals.pending += 1;
                Err(words)
            }
        };
        report(&Outcome { name, ended });
    }
    Ok(totals)
}

/// Sends an edit; the octets of both messages.
async fn send(
    target: &NetconfTarget,
    edit: Zeroizing<Vec<u8>>,
    timeout: Duration,
) -> Result<usize, ClientError> {
    let options = NetconfOptions::default().with_timeout(timeout).with_connect_time(timeout.min(CONNECT));
    let session = NetconfSession::open(target, options).await?;
    let has_rollback = session.hello().await?.has(ROLLBACK);
    let edit = Zeroizing::new(edit_config(EditConfig {
        target: Datastore::Running,
        default_operation: None,
        test_option: None,
        error_option: has_rollback.then_some(ErrorOption::RollbackOnError),
        config: &edit,
    }));
    let (reply, cost) = session.rpc_octets(&edit).await?;
    session.check(&reply, Returns::Ok)?;
    // The session ends in order, beside whatever else happens.
    Ok(cost.request_octets + cost.response_octets)
}

/// The time for making a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// The capability of taking back a whole edit.
const ROLLBACK: &str = "urn:ietf:params:netconf:capability:rollback-on-error:1.0";
