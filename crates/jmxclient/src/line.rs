//! One connection: a call and its return, one at a time.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use trunkline_jmx::Error as StreamError;
use trunkline_jmx::jrmp::{Client, Endpoint, ObjId, Outcome, Return, Uid};
use trunkline_jmx::remote::{Reply, Request};
use trunkline_jmx::stream::Limits;
use trunkline_transport::TransportError;
use trunkline_transport::dial::{Stream, part};

use crate::error::Error;
use crate::place::{Dialed, Place};

/// How much a server may send before it has accepted us.
pub(crate) const BEFORE_LOGIN: Limits =
    Limits { depth: 32, values: 2_000, octets: 256 << 10, array: 10_000, string: 64 << 10 };

/// A connection.
pub(crate) struct Line {
    stream: Box<dyn Stream>,
    client: Client,
    limits: Limits,
    out: Vec<u8>,
    input: Vec<u8>,
    /// Returns with stubs that the server waits to hear of.
    unacknowledged: Vec<Uid>,
    /// Whether the server has answered anything.
    has_answered: bool,
    /// Whether its other end is on this machine.
    pub is_here: bool,
}

/// Why a connection cannot be used any more.
#[derive(Debug)]
pub(crate) enum Broken {
    /// It was closed or reset.
    Lost,
    /// What was sent is not what must be.
    Malformed(StreamError),
    /// The call has ended in an exception that is not read.
    Thrown(StreamError),
}

impl From<StreamError> for Broken {
    fn from(error: StreamError) -> Self {
        Broken::Malformed(error)
    }
}

impl From<std::io::Error> for Broken {
    fn from(_: std::io::Error) -> Self {
        Broken::Lost
    }
}

impl Line {
    /// Connects. The handshake goes out with the first call.
    pub async fn open(place: &Place, limits: Limits, limit: Duration) -> Result<Self, TransportError> {
        let Dialed { stream, local, is_here } = place.dial(limit).await?;
        let mut out = Vec::new();
        let client = Client::new(limits, &Endpoint { host: local, port: 0 }, &mut out);
        let (input, unacknowledged) = (Vec::new(), Vec::new());
        Ok(Line { stream, client, limits, out, input, unacknowledged, has_answered: false, is_here })
    }

    /// How much the server may send from the next return on.
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
        self.client.limit(limits);
    }

    /// Whether the server has answered anything.
    pub fn has_answered(&self) -> bool {
        self.has_answered
    }

    /// One call and its return. The connection is over if this fails, or is not awaited to its end.
    pub async fn call(&mut self, object: ObjId, request: &Request) -> Result<Reply, Broken> {
        // Until then the server keeps what a stub refers to; a lease is requested before, so that it is kept all the time.
        if object != ObjId::DGC {
            self.acknowledge();
        }
        request.encode(&mut self.client, object, &mut self.out);
        let returned = self.exchange().await?;
        let reply = Reply::decode(request.method(), &returned, self.limits);
        let reply = reply.map_err(|fault| match returned.outcome {
            Outcome::Exception(_) => Broken::Thrown(fault),
            _ => Broken::Malformed(fault),
        })?;
        if let Reply::Stub(stub) = &reply
            && stub.reference.acknowledged
        {
            self.unacknowledged.push(returned.number);
        }
        Ok(reply)
    }

    /// Whether the server still answers.
    pub async fn ping(&mut self) -> Result<(), Broken> {
        self.client.ping(&mut self.out);
        match self.exchange().await?.outcome {
            Outcome::PingAck => Ok(()),
            _ => Err(Broken::Malformed(StreamError::Message { found: 0 })),
        }
    }

    /// Sends what is to be sent, and ends the connection in order.
    pub async fn close(mut self) {
        self.acknowledge();
        let _ = self.stream.write_all(&self.out).await;
        part(self.stream).await;
    }

    fn acknowledge(&mut self) {
        for number in self.unacknowledged.drain(..) {
            self.client.acknowledge(&mut self.out, number);
        }
    }

    async fn exchange(&mut self) -> Result<Return, Broken> {
        self.stream.write_all(&self.out).await?;
        self.stream.flush().await?;
        self.out.clear();
        self.input.resize(READ, 0);
        loop {
            match self.client.poll() {
                Ok(Some(returned)) => return Ok(returned),
                Ok(None) => {}
                Err(fault) if self.client.has_thrown() => return Err(Broken::Thrown(fault)),
                Err(fault) => return Err(fault.into()),
            }
            match self.stream.read(&mut self.input).await? {
                0 => return Err(Broken::Lost),
                read => self.client.push(&self.input[..read]),
            }
            self.has_answered = true;
        }
    }
}

/// The first call at a place, within a time: each failure has an error of its own.
pub(crate) async fn first_call(
    line: &mut Line,
    place: &Place,
    object: ObjId,
    request: &Request,
    limit: Duration,
) -> Result<Reply, Error> {
    let at = || place.authority();
    let method = request.method().name();
    match timeout(limit, line.call(object, request)).await {
        Err(_) if !line.has_answered() => Err(Error::Silent { at: at(), waited: limit }),
        Err(_) => Err(Error::Timeout { method, waited: limit }),
        Ok(Ok(reply)) => Ok(reply),
        Ok(Err(Broken::Lost)) if line.has_answered() => Err(Error::Lost { method }),
        Ok(Err(Broken::Lost)) if place.tls.is_some() => Err(Error::NotAccepted { at: at() }),
        Ok(Err(Broken::Lost)) => Err(Error::NoAnswer { at: at() }),
        Ok(Err(Broken::Malformed(StreamError::Message { found: TLS_ALERT }))) => {
            Err(Error::TlsNeeded { at: at() })
        }
        Ok(Err(Broken::Malformed(StreamError::Message { found }))) => Err(Error::NotRmi { at: at(), found }),
        Ok(Err(Broken::Malformed(fault))) => Err(fault.into()),
        Ok(Err(Broken::Thrown(fault))) => Err(Error::Thrown(fault)),
    }
}

/// What a server of TLS begins with that does not understand us.
const TLS_ALERT: u8 = 0x15;
/// So many octets are read at once.
const READ: usize = 64 << 10;
