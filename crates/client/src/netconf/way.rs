//! How operations reach a server: in a session of NETCONF, or as requests of RESTCONF.

use std::sync::Arc;

use trunkline_netconf::hello::Hello;

use super::NetconfOptions;
use super::lend::Borrowed;
use super::link::{Exchanged, Line, Link, Weight};
#[cfg(feature = "http")]
use super::restconf::{Events, Restconf};
use crate::error::Error;
use crate::target::NetconfTarget;

/// One of them.
pub(super) enum Way {
    Netconf(Box<Link>),
    /// The session of another process, which lends it.
    Borrowed(Box<Borrowed>),
    #[cfg(feature = "http")]
    Restconf(Box<Restconf>),
    #[cfg(not(feature = "http"))]
    LeftOut,
}

/// Where the events of a subscription come from.
pub(super) enum Feed {
    Session(Box<Line>),
    #[cfg(feature = "http")]
    Stream(Box<Events>),
}

impl Way {
    /// The session that another process lends, if it is one with this target.
    pub async fn borrowed(
        target: &NetconfTarget,
        options: &NetconfOptions,
        identity: &str,
    ) -> Result<Option<Way>, Error> {
        let Some(socket) = options.lent.as_deref().filter(|_| !target.is_restconf()) else { return Ok(None) };
        let own = Link::new(target.clone(), options.clone());
        let borrowed = Borrowed::connect(socket, identity, own, options.max_reply).await?;
        Ok(borrowed.map(|it| Way::Borrowed(Box::new(it))))
    }

    pub fn new(target: &NetconfTarget, options: &NetconfOptions) -> Way {
        match target.is_restconf() {
            #[cfg(not(feature = "http"))]
            true => Way::LeftOut,
            #[cfg(feature = "http")]
            true => Way::Restconf(Box::new(Restconf::new(target.clone(), options.clone()))),
            false => Way::Netconf(Box::new(Link::new(target.clone(), options.clone()))),
        }
    }

    /// Makes the connection, unless there is one; returns the agent's hello, or what stands for it.
    pub async fn connect(&self) -> Result<Arc<Hello>, Error> {
        match self {
            Way::Netconf(link) => link.connect().await,
            Way::Borrowed(borrowed) => Ok(borrowed.hello()),
            #[cfg(feature = "http")]
            Way::Restconf(restconf) => restconf.hello().await,
            #[cfg(not(feature = "http"))]
            Way::LeftOut => Err(left_out()),
        }
    }

    /// Ends the session in order, if there is one; the next request opens another one.
    pub async fn close(&self) {
        match self {
            Way::Netconf(link) => link.close().await,
            // It ends with its holder.
            Way::Borrowed(_) => {}
            #[cfg(feature = "http")]
            Way::Restconf(restconf) => restconf.close().await,
            #[cfg(not(feature = "http"))]
            Way::LeftOut => {}
        }
    }

    /// From now on a session that has ended is not replaced. RESTCONF has none.
    pub fn pin(&self) {
        if let Way::Netconf(link) = self {
            link.pin();
        }
    }

    /// Sends an operation and waits for its reply.
    pub async fn ask(&self, operation: &[u8], weight: Weight) -> Result<Exchanged, Error> {
        match self {
            Way::Netconf(link) => link.ask(operation, weight).await,
            Way::Borrowed(borrowed) => borrowed.ask(operation, weight).await,
            #[cfg(feature = "http")]
            Way::Restconf(restconf) => restconf.ask(operation, weight).await,
            #[cfg(not(feature = "http"))]
            Way::LeftOut => Err(left_out()),
        }
    }

    /// Passes on a message as it is, and waits for the next one that is not a notification.
    pub async fn relay(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        match self {
            Way::Netconf(link) => link.relay(message).await,
            Way::Borrowed(borrowed) => borrowed.own.relay(message).await,
            #[cfg(feature = "http")]
            Way::Restconf(_) => Err(super::NetconfFault::from(super::ProtectFault::OverRestconf).into()),
            #[cfg(not(feature = "http"))]
            Way::LeftOut => Err(left_out()),
        }
    }

    /// Subscribes with `create-subscription`: the reply, and where the events come from. A session is used up for it: the next request
    /// makes another one.
    pub async fn subscribe(
        &self,
        operation: &[u8],
        options: &NetconfOptions,
    ) -> Result<(Vec<u8>, Feed), Error> {
        match self {
            Way::Netconf(link) => on(link, operation, options).await,
            Way::Borrowed(borrowed) => on(&borrowed.own, operation, options).await,
            #[cfg(not(feature = "http"))]
            Way::LeftOut => Err(left_out()),
            #[cfg(feature = "http")]
            Way::Restconf(restconf) => {
                let (reply, events) = restconf.subscribe(operation).await?;
                Ok((reply, Feed::Stream(Box::new(events))))
            }
        }
    }
}

/// Subscribes on a connection of its own.
async fn on(link: &Link, operation: &[u8], options: &NetconfOptions) -> Result<(Vec<u8>, Feed), Error> {
    let mut line = link.take().await?;
    let reply = line.ask(operation, options).await?;
    Ok((reply, Feed::Session(Box::new(line))))
}

impl Feed {
    /// The next message, however long it takes. Nothing is lost if it is not awaited to its end.
    pub async fn wait(&mut self, options: &NetconfOptions) -> Result<Vec<u8>, Error> {
        match self {
            Feed::Session(line) => line.wait(options).await,
            #[cfg(feature = "http")]
            Feed::Stream(events) => events.next().await,
        }
    }

    /// Ends the session in order.
    pub async fn close(self) {
        match self {
            Feed::Session(line) => line.close().await,
            #[cfg(feature = "http")]
            Feed::Stream(_) => {}
        }
    }
}

/// RESTCONF needs HTTP.
#[cfg(not(feature = "http"))]
fn left_out() -> Error {
    trunkline_transport::TransportError::NotBuilt { transport: "restconf", feature: "http" }.into()
}
