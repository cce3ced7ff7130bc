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
        let (keys, policy) = (content.edit(&has), content.policy(&has));
        if keys.is_none() && policy.is_none() {
            totals.current += 1;
            report(&Outcome { name, ended: Ok(None) });
        } else {
            left.push((name, target, has, keys, policy));
        }
    }
    let mut left = left.into_iter();
    let mut running = FuturesUnordered::new();
    loop {
        while running.len() < options.parallel {
            let Some((name, target, mut has, keys, policy)) = left.next() else { break };
            running.push(async move {
                let mut sent = Sent::default();
                let ended = match target {
                    Ok(target) => sent.all(&target, content, keys, policy, &mut has, options.timeout).await,
                    Err(words) => Err(words),
                };
                (name, ended, sent, has, began.elapsed())
            });
        }
        let Some((name, ended, sent, has, after)) = running.next().await else { break };
        if sent.messages > 0 {
            held.acknowledge(&name, &has)?;
        }
        totals.messages += sent.messages;
        totals.octets += sent.octets;
        let ended = match ended {
            Ok(()) => {
                totals.acknowledged += 1;
                totals.after = totals.after.max(after);
                Ok(Some(Deployment { after, octets: sent.octets }))
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

/// What was acknowledged.
#[derive(Clone, Copy, Default)]
struct Sent {
    messages: usize,
    octets: usize,
}

impl Sent {
    /// Sends the keys and then the policy; `has` is what the device has acknowledged, also if it refuses the policy.
    async fn all(
        &mut self,
        target: &NetconfTarget,
        content: &Content<'_>,
        keys: Option<Zeroizing<Vec<u8>>>,
        policy: Option<&str>,
        has: &mut Acknowledged,
        timeout: Duration,
    ) -> Result<(), String> {
        let options = NetconfOptions::default().with_timeout(timeout).with_connect_time(timeout.min(CONNECT));
        let session = NetconfSession::open(target, options).await.map_err(|fault| fault.to_string())?;
        if let Some(keys) = keys {
            self.edit(&session, &keys).await.map_err(|fault| fault.to_string())?;
            let wanted = content.wanted();
            *has =
                Acknowledged { policy: has.policy, roles: wanted.roles.clone(), users: wanted.users.clone() };
        }
        if let Some(policy) = policy {
            let sent = self.edit(&session, policy.as_bytes()).await;
            sent.map_err(|fault| format!("the policy: {fault}"))?;
            has.policy = content.wanted().policy;
        }
        // The session ends in order, beside whatever else happens.
        Ok(())
    }

    async fn edit(&mut self, session: &NetconfSession, config: &[u8]) -> Result<(), ClientError> {
        let has_rollback = session.hello().await?.has(ROLLBACK);
        let edit = Zeroizing::new(edit_config(EditConfig {
            target: Datastore::Running,
            default_operation: None,
            test_option: None,
            error_option: has_rollback.then_some(ErrorOption::RollbackOnError),
            config,
        }));
        let (reply, cost) = session.rpc_octets(&edit).await?;
        session.check(&reply, Returns::Ok)?;
        self.messages += 2;
        self.octets += cost.request_octets + cost.response_octets;
        Ok(())
    }
}

/// The time for making a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// The capability of taking back a whole edit.
const ROLLBACK: &str = "urn:ietf:params:netconf:capability:rollback-on-error:1.0";
