//! All instances of an agent.
//!
//! What an agent answers for another program or agent may not be answered: the whole request fails, or nothing comes in
//! time. Then the rest is walked with care, and a subtree that is known as such is stepped over.

use std::collections::BTreeMap;
use std::time::Duration;

use trunkline_client::{
    Error, Response, SessionOptions, SnmpSession, Target, WalkOptions, walk as walk_subtree,
};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, ErrorStatus};

use super::error::CompareError;

/// Instances and their values.
pub type Instances = BTreeMap<Oid, Value>;

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// All instances.
    pub instances: Instances,
    /// Where the agent did not answer.
    pub silent: Vec<Silence>,
}

/// What an agent did not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silence {
    /// The last name before it.
    pub after: Oid,
    /// The subtree after which it answers again.
    pub subtree: Oid,
}

impl Silence {
    /// Whether a name is in it.
    pub fn covers(&self, name: &Oid) -> bool {
        name.starts_with(&self.subtree) || *name > self.after && *name < self.subtree
    }
}

/// snmpd answers nobody while it waits for another agent: 6 s, unless the line says otherwise.
const PATIENCE: Duration = Duration::from_secs(10);

/// A session with an agent. It serves all walks, so that its socket is the same in all of them.
pub(super) async fn open(agent: &'static str, target: &Target) -> Result<SnmpSession, CompareError> {
    let options = SessionOptions::default().with_timeout(PATIENCE).with_retries(1);
    SnmpSession::open(target, options).await.map_err(|source| CompareError::Open { agent, source })
}

/// Asks for everything below `root`. `steps` are subtrees in order that are stepped over if there is no answer where
/// they begin.
pub(super) async fn walk(
    agent: &'static str,
    session: &SnmpSession,
    root: &Oid,
    steps: &[Oid],
) -> Result<Walked, CompareError> {
    let mut walk = walk_subtree(session, root.clone(), WalkOptions::default());
    let mut found = Walked::default();
    let mut last = root.clone();
    while let Some(binding) = walk.next().await {
        match binding {
            Ok(binding) => {
                last = binding.name.clone();
                if let Bound::Value(value) = binding.value {
                    found.instances.insert(binding.name, value);
                }
            }
            Err(error) if may_be_stepped_over(&error) => {
                rest(agent, session, (root, last), steps, &mut found).await?;
                break;
            }
            Err(error) => return Err(CompareError::Walk { agent, after: last, source: Box::new(error) }),
        }
    }
    Ok(found)
}

/// No answer, or an agent's own error; not a port that is closed.
fn may_be_stepped_over(error: &Error) -> bool {
    match error.cause() {
        Error::Timeout { .. } => true,
        Error::Status { status, .. } => *status == ErrorStatus::GenErr.code(),
        _ => false,
    }
}

/// How many names are requested at once, and after a failure one by one.
const AT_ONCE: u32 = 25;

/// What follows `last`, one request after another.
async fn rest(
    agent: &'static str,
    session: &SnmpSession,
    (root, mut last): (&Oid, Oid),
    steps: &[Oid],
    found: &mut Walked,
) -> Result<(), CompareError> {
    let mut one_by_one = AT_ONCE;
    loop {
        let names = std::slice::from_ref(&last);
        let answer = match one_by_one {
            0 => session.bulk(0, AT_ONCE, names).await,
            _ => session.next(names).await,
        };
        match answer.and_then(succeeded) {
            Ok(response) => {
                one_by_one = one_by_one.saturating_sub(1);
                match take(response, root, &last, found) {
                    Some(name) => last = name,
                    None => return Ok(()),
                }
            }
            Err(error) if may_be_stepped_over(&error) && one_by_one == 0 => one_by_one = AT_ONCE,
            Err(source) => {
                let subtree = steps.iter().find(|subtree| **subtree > last || last.starts_with(subtree));
                let Some((subtree, end)) = subtree
                    .filter(|_| may_be_stepped_over(&source))
                    .and_then(|subtree| Some((subtree, after(subtree)?)))
                else {
                    return Err(CompareError::Walk { agent, after: last, source: Box::new(source) });
                };
                found.silent.push(Silence { after: last, subtree: subtree.clone() });
                if !end.starts_with(root) {
                    return Ok(());
                }
                last = end;
            }
        }
    }
}

fn succeeded(response: Response) -> Result<Response, Error> {
    match response.is_ok() {
        true => Ok(response),
        false => {
            Err(Error::Status { status: response.error_status, index: response.error_index, name: None })
        }
    }
}

/// Adds the instances of an answer; the last of them, unless it is the end.
fn take(response: Response, root: &Oid, last: &Oid, found: &mut Walked) -> Option<Oid> {
    let mut last = last.clone();
    let mut is_further = false;
    for binding in response.bindings {
        let Bound::Value(value) = binding.value else { return None };
        if !binding.name.starts_with(root) || binding.name <= last {
            return None;
        }
        is_further = true;
        last = binding.name.clone();
        found.instances.insert(binding.name, value);
    }
    is_further.then_some(last)
}

/// The first name after a subtree.
fn after(subtree: &Oid) -> Option<Oid> {
    let (last, parent) = subtree.split_last()?;
    Some(Oid::from([]).child(parent).child(&[last.checked_add(1)?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::ops::Bound::{Excluded, Unbounded};

    use trunkline_client::Defaults;
    use trunkline_client::snmp::wire::Message;
    use trunkline_client::{Exception, PduKind, VarBind};

    const BEFORE: u32 = 60;

    fn name(tail: &[u32]) -> Oid {
        Oid::from([1, 3, 6, 1, 4, 1]).child(tail)
    }

    /// An agent of which each request fails that goes from 9998 into 9999, as with a proxy whose agent is gone.
    fn agent() -> Target {
        let tree: Instances = (1..=BEFORE)
            .map(|number| name(&[9998, number]))
            .chain((1..=BEFORE).map(|number| name(&[10_000, number])))
            .map(|name| (name, Value::Integer(1)))
            .collect();
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        std::thread::spawn(move || {
            let mut buffer = [0; 65_535];
            while let Ok((length, peer)) = socket.recv_from(&mut buffer) {
                let Ok(mut message) = Message::decode(&buffer[..length]) else { continue };
                let pdu = &mut message.pdu;
                let rounds = if pdu.kind == PduKind::GetBulk { pdu.error_index } else { 1 };
                let mut found: Vec<VarBind> = Vec::new();
                let mut fails = false;
                let mut columns: Vec<Oid> = pdu.bindings.iter().map(|binding| binding.name.clone()).collect();
                for _ in 0..rounds {
                    for last in &mut columns {
                        let next = tree.range((Excluded(last.clone()), Unbounded)).next();
                        let value = next.map_or(Bound::Exception(Exception::EndOfMibView), |(_, value)| {
                            Bound::Value(value.clone())
                        });
                        let next = next.map_or(last.clone(), |(next, _)| next.clone());
                        fails |= *last < name(&[10_000]) && next > name(&[10_000]);
                        last.clone_from(&next);
                        found.push(VarBind { name: next, value });
                    }
                }
                pdu.kind = PduKind::Response;
                (pdu.error_status, pdu.error_index) = if fails { (5, 1) } else { (0, 0) };
                if !fails {
                    pdu.bindings = found;
                }
                let _ = socket.send_to(&message.encode(), peer);
            }
        });
        Target::parse(&format!("snmp://public@{address}"), &Defaults::default()).unwrap()
    }

    #[test]
    fn a_subtree_without_an_answer_is_stepped_over() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let session = open("snmpd", &agent()).await.unwrap();
            let root = Oid::from([1, 3]);
            // Nothing says which subtree it is: the error names the place.
            let error = walk("snmpd", &session, &root, &[]).await.unwrap_err().to_string();
            let place = name(&[9998, BEFORE]);
            assert!(error.contains(&format!("after {place}: the agent answered genErr")), "{error}");
            let dead = name(&[9999]);
            let found = walk("snmpd", &session, &root, std::slice::from_ref(&dead)).await.unwrap();
            assert_eq!(found.instances.len(), 2 * BEFORE as usize);
            assert_eq!(found.silent, [Silence { after: place, subtree: dead.clone() }]);
            assert!(found.silent[0].covers(&dead.child(&[1])) && !found.silent[0].covers(&name(&[10_000])));
            // What follows is not below the root.
            let root = name(&[9998]);
            assert_eq!(
                walk("snmpd", &session, &root, &[dead]).await.unwrap().instances.len(),
                BEFORE as usize
            );
        });
    }
}
