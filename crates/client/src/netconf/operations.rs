//! Operations of a session as octets of XML, and what their replies must have.

use std::fmt;
use std::sync::Arc;

use trunkline_netconf::error::RpcError;
use trunkline_netconf::reply::{FromServer, Reply, Returns, may_have_errors};

use super::link::{Exchanged, Weight};
use super::{NetconfFault, NetconfSession};
use crate::answer::Cost;
use crate::error::Error;

/// What is called with a warning of a reply: the operation was done nevertheless (RFC 6241 section 4.3).
#[derive(Clone)]
pub struct Warned(Arc<dyn Fn(&RpcError) + Send + Sync>);

impl Warned {
    /// Calls this function.
    #[must_use]
    pub fn new(call: impl Fn(&RpcError) + Send + Sync + 'static) -> Self {
        Warned(Arc::new(call))
    }
}

impl fmt::Debug for Warned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Warned")
    }
}

impl PartialEq for Warned {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Warned {}

impl NetconfSession {
    /// Carries out an operation: `operation` is its element. Sent once only. What the agent refuses is in the reply.
    ///
    /// # Errors
    /// [`Error`]; [`Error::OutcomeUnknown`] if the connection breaks before the reply.
    pub async fn rpc(&self, operation: &[u8]) -> Result<(Reply, Cost), Error> {
        let (message, cost) = self.rpc_octets(operation).await?;
        Ok((self.reply(&message)?, cost))
    }

    /// The same, with the whole `rpc-reply` as it was sent.
    ///
    /// # Errors
    /// As [`NetconfSession::rpc`].
    pub async fn rpc_octets(&self, operation: &[u8]) -> Result<(Vec<u8>, Cost), Error> {
        let exchanged = self.inner.way.ask(operation, Weight::Writes).await?;
        Ok((exchanged.message, exchanged.cost))
    }

    /// The same for an operation that changes nothing and does not depend on its session: it is sent again if the connection
    /// turns out to be broken.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn read_octets(&self, operation: &[u8]) -> Result<(Vec<u8>, Cost), Error> {
        let exchanged = self.inner.way.ask(operation, Weight::Reads).await?;
        Ok((exchanged.message, exchanged.cost))
    }

    /// Carries out an operation that returns nothing. Sent once only.
    ///
    /// # Errors
    /// As [`NetconfSession::rpc`]; [`NetconfFault::Refused`], and [`NetconfFault::Reply`] if the reply has no `ok`.
    pub async fn done(&self, operation: &[u8]) -> Result<(), Error> {
        self.asked(operation, Weight::Writes, Returns::Ok).await.map(drop)
    }

    /// Carries out an operation that reads; returns the whole `rpc-reply` with its data. It is sent again if the connection turns out to be
    /// broken.
    ///
    /// # Errors
    /// [`Error`]; [`NetconfFault::Refused`], and [`NetconfFault::Reply`] if the reply has no data.
    pub async fn data(&self, operation: &[u8]) -> Result<(Vec<u8>, Cost), Error> {
        let exchanged = self.asked(operation, Weight::Reads, Returns::Data).await?;
        Ok((exchanged.message, exchanged.cost))
    }

    pub(super) async fn asked(
        &self,
        operation: &[u8],
        weight: Weight,
        returns: Returns,
    ) -> Result<Exchanged, Error> {
        let exchanged = self.inner.way.ask(operation, weight).await?;
        self.check(&exchanged.message, returns)?;
        Ok(exchanged)
    }

    /// Checks that an operation was done and is answered by what it returns, and passes on warnings.
    ///
    /// # Errors
    /// [`NetconfFault::Refused`] and [`NetconfFault::Reply`].
    pub fn check(&self, message: &[u8], returns: Returns) -> Result<(), NetconfFault> {
        if !may_have_errors(message) {
            return Ok(returns.check(message, self.inner.options.max_reply)?);
        }
        let reply = self.reply(message)?;
        if !reply.is_done() {
            return Err(NetconfFault::Refused(reply.errors().collect()));
        }
        if let Some(Warned(call)) = &self.inner.options.warned {
            reply.errors().for_each(|warning| call(&warning));
        }
        Ok(reply.holds(returns)?)
    }

    pub(super) fn reply(&self, message: &[u8]) -> Result<Reply, NetconfFault> {
        match FromServer::read(message, self.inner.options.max_reply)? {
            FromServer::Reply(reply) => Ok(reply),
            // The session has skipped notifications.
            FromServer::Notification(_) => Err(NetconfFault::OnlyNotifications { count: 1 }),
        }
    }
}
