//! Objects of MIB modules over JMX, from an agent that has them as MBeans (docs/jmx.md), or from a JVM, in a session like those of
//! every other protocol.
//!
//! ```text
//! caller -> client::Session -> ObjectSession -> after: what follows a name, for GetNext, GetBulk and walks
//!                                               rows:  pages of tables -> JmxSession -> agent
//!                                               beans: names of MBeans, values of Java
//!                                               jvm:   JVM-MANAGEMENT-MIB, of a server that is not an agent
//! ```

mod after;
mod jvm;
mod order;
mod rows;

use std::any::Any;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use tokio::runtime::Handle;
use tokio::sync::mpsc;
use trunkline_beans::{Attribute, Bean, Catalog, from_java};
use trunkline_client::snmp::wire::{Bound, ErrorStatus, Exception, VarBind};
use trunkline_client::{Answer, Asking, Cost, Error, Session, Table, TableLimit, Walk, WalkOptions};
use trunkline_jmx::model::{ObjectName, Value as Java};
use trunkline_jmx::stream::classes::exceptions;
use trunkline_smi::schema::Table as Schema;
use trunkline_smi::{Oid, Value};

use self::order::Kind;
use self::rows::Learned;
use crate::error::Error as JmxError;
use crate::session::{JmxOptions, JmxSession};
use crate::target::JmxTarget;

/// A session in which objects of MIB modules are read. Cheap to clone; the last one that is dropped ends the session in order.
#[derive(Clone)]
pub struct ObjectSession {
    inner: Arc<Inner>,
}

struct Inner {
    jmx: JmxSession,
    is_agent: bool,
    learned: Mutex<Learned>,
}

/// A server of JMX that is not an agent of Trunkline, where one was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the server has no MBeans of an agent of Trunkline ({}:*): read a JVM's own MBeans with `trunkline get`, `walk` and `table`",
    trunkline_beans::DOMAIN
)]
pub struct NotAnAgent;

/// A Set over JMX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("objects of MIB modules are only read over JMX: set the attribute of the MBean, or use SNMP or SOAP")]
pub struct ReadOnly;

impl ObjectSession {
    /// Opens a session. Must be called on a tokio runtime. Of a server that is not an agent of Trunkline the objects are those of
    /// JVM-MANAGEMENT-MIB, as far as it has the MBeans of a JVM.
    ///
    /// # Errors
    /// As [`JmxSession::open`].
    pub async fn open(target: &JmxTarget, options: JmxOptions) -> Result<Self, JmxError> {
        let jmx = JmxSession::open(target, options).await?;
        let is_agent = match Catalog::notifications() {
            Some(every_agent_has) => jmx.is_registered(&every_agent_has).await?,
            None => false,
        };
        Ok(ObjectSession { inner: Arc::new(Inner { jmx, is_agent, learned: Mutex::default() }) })
    }

    /// The same session.
    ///
    /// # Errors
    /// The server is not an agent of Trunkline.
    pub fn of_agent(self) -> Result<Self, NotAnAgent> {
        if self.inner.is_agent { Ok(self) } else { Err(NotAnAgent) }
    }

    async fn values(&self, names: &[Oid]) -> Result<Answer, Error> {
        if !self.inner.is_agent {
            return Ok(Answer { bindings: jvm::Jvm::default().get(self, names).await?, cost: COST });
        }
        let mut bindings = Vec::with_capacity(names.len());
        let mut wanted: BTreeMap<String, (ObjectName, Vec<Wanted>)> = BTreeMap::new();
        for (at, name) in names.iter().enumerate() {
            let place = place_of(name);
            let missing = if place.is_some() { Exception::NoSuchInstance } else { Exception::NoSuchObject };
            bindings.push(VarBind { name: name.clone(), value: Bound::Exception(missing) });
            if let Some((bean, attribute)) = place.flatten() {
                let (_, list) = wanted.entry(bean.canonical()).or_insert((bean, Vec::new()));
                list.push(Wanted { at, attribute });
            }
        }
        for (bean, list) in wanted.into_values() {
            let attributes: Vec<&Attribute> = list.iter().map(|wanted| wanted.attribute).collect();
            let values = self.attributes(&bean, &attributes).await?;
            for (Wanted { at, .. }, value) in list.into_iter().zip(values) {
                if let (Some(binding), Some(value)) = (bindings.get_mut(at), value) {
                    binding.value = Bound::Value(value);
                }
            }
        }
        Ok(Answer { bindings, cost: COST })
    }

    /// The values of attributes of an MBean, in their order; none of an MBean that is not there.
    async fn attributes(
        &self,
        bean: &ObjectName,
        wanted: &[&Attribute],
    ) -> Result<Vec<Option<Value>>, Error> {
        let names: Vec<String> = wanted.iter().map(|attribute| attribute.name.to_owned()).collect();
        let found = match self.inner.jmx.get_attributes(bean, &names).await {
            Ok(found) => found,
            Err(error) if error.is_no_mbean() => Vec::new(),
            Err(error) => return Err(refused(error)),
        };
        let value = |attribute: &&Attribute| {
            let found = found.iter().find(|found| found.name == attribute.name)?;
            from_java(&found.value, &attribute.syntax).ok().filter(|_| found.value != Java::Null)
        };
        Ok(wanted.iter().map(value).collect())
    }
}

/// An attribute, and the position of the name that it answers.
struct Wanted {
    at: usize,
    attribute: &'static Attribute,
}

/// The MBean and the attribute of an instance; `Some(None)`: there is the object, but it cannot have such an instance.
fn place_of(name: &Oid) -> Option<Option<(ObjectName, &'static Attribute)>> {
    let (object, index) = order::find(name)?;
    Some(match object.kind {
        Kind::Scalar(group, attribute) => {
            (*index == [0]).then(|| Bean::Group(group).name()).flatten().map(|bean| (bean, attribute))
        }
        Kind::Column(table, attribute) => table.name_of(index).map(|bean| (bean, attribute)),
    })
}

/// What the server's answer means in the words of all protocols. What it refuses it has answered; anything else is of the session.
fn refused(error: JmxError) -> Error {
    let is = |class| error.exception().is_some_and(|exception| exception.class.is(class));
    let status = if is(&exceptions::SECURITY_EXCEPTION) {
        ErrorStatus::AuthorizationError
    } else if is(&exceptions::MBEAN_EXCEPTION) || is(&exceptions::RUNTIME_OPERATIONS_EXCEPTION) {
        ErrorStatus::GenErr
    } else if error.is_too_long() {
        return Error::OtherProtocolTooLong(Arc::new(error));
    } else {
        return Error::OtherProtocol(Arc::new(error));
    };
    Error::Status { status: status.code(), index: 0, name: None }
}

impl Session for ObjectSession {
    fn get<'a>(&'a self, names: &'a [Oid]) -> Asking<'a, Answer> {
        Box::pin(self.values(names))
    }

    fn next<'a>(&'a self, names: &'a [Oid]) -> Asking<'a, Answer> {
        Box::pin(self.interleaved(0, 1, names))
    }

    fn bulk<'a>(&'a self, non_repeaters: u32, max_repetitions: u32, names: &'a [Oid]) -> Asking<'a, Answer> {
        Box::pin(self.interleaved(non_repeaters as usize, max_repetitions as usize, names))
    }

    fn set<'a>(&'a self, _: &'a [VarBind]) -> Asking<'a, Answer> {
        Box::pin(async { Err(Error::OtherProtocol(Arc::new(ReadOnly))) })
    }

    fn walk(&self, root: Oid, options: WalkOptions) -> Walk {
        let (batches, received) = mpsc::channel(BATCHES);
        tokio::spawn(after::walk(self.clone(), root, options, batches));
        Walk::of(received)
    }

    fn table<'a>(
        &'a self,
        schema: &'static Schema,
        columns: &'a [u32],
        limit: TableLimit,
    ) -> Asking<'a, Table> {
        Box::pin(self.whole_table(schema, columns, limit))
    }

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.inner.jmx.close())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for Inner {
    /// The server would keep the connection until its lease is over, and has few of them for one client.
    fn drop(&mut self) {
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(self.jmx.parting());
        }
    }
}

/// Octets of calls are not counted.
const COST: Cost =
    Cost { request_octets: 0, response_octets: 0, delay: std::time::Duration::ZERO, attempts: 1 };

/// Parts of a walk that wait for the reader.
const BATCHES: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_has_more_than_is_read_is_too_long() {
        let limit = trunkline_jmx::Error::Limit { what: "octets in a stream", limit: 1 };
        assert!(refused(JmxError::Malformed(limit)).is_too_long());
        assert!(!refused(JmxError::Closed).is_too_long());
    }
}
