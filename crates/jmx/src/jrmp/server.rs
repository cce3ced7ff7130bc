//! The server's end of a connection: octets in, calls out.

use super::ids::{Endpoint, ObjId, Uid};
use super::message::{Argument, Buffer, Header, Message, Signature, put_endpoint, take_endpoint};
use super::octet;
use crate::error::Error;
use crate::model::Encoder;
use crate::stream::{Annotations, Graph, Input, Limits, Writer};

/// The server's end of a connection.
#[derive(Debug)]
pub struct Server {
    state: State,
    buffer: Buffer,
    limits: Limits,
    signature: SignatureOf,
    client: Endpoint,
}

/// The signature of an operation number and a hash.
type SignatureOf = fn(i32, i64) -> Option<&'static Signature>;

#[derive(Debug)]
enum State {
    /// Before the handshake.
    Begin,
    /// The client's endpoint is to come.
    Endpoint,
    /// Between messages.
    Idle,
    /// The header of a call is to come.
    Header(Message),
    /// Arguments are to come.
    Arguments { message: Message, header: Header, signature: &'static Signature, arguments: Vec<Argument> },
    /// Where the next message begins is unknown.
    Over,
}

/// A call.
#[derive(Debug)]
pub struct Call {
    /// Which method of which object.
    pub header: Header,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// The objects among them.
    pub graph: Graph,
}

/// What a client has sent.
#[derive(Debug)]
pub enum Event {
    /// A call, which is to be answered before the next.
    Call(Call),
    /// A call that cannot be read. It can be answered with an exception; then the connection is over.
    Refused {
        /// Which method of which object.
        header: Header,
        /// Why.
        error: Error,
    },
}

impl Server {
    /// The end of a new connection from a client whose address this is; `signature` knows the methods.
    pub fn new(limits: Limits, signature: SignatureOf, client: Endpoint) -> Self {
        Server { state: State::Begin, buffer: Buffer::default(), limits, signature, client }
    }

    /// Takes octets of the client.
    pub fn push(&mut self, octets: &[u8]) {
        self.buffer.space().extend_from_slice(octets);
    }

    /// Where octets of the client are added as they arrive, behind those that are not read. It has no memory when all are.
    pub fn space(&mut self) -> &mut Vec<u8> {
        self.buffer.space()
    }

    /// Whether nothing more is read of this connection. What is answered must still be sent.
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::Over)
    }

    /// The object whose call has begun to arrive.
    pub fn called(&self) -> Option<ObjId> {
        match &self.state {
            State::Arguments { header, .. } => Some(header.object),
            _ => None,
        }
    }

    /// Whether nothing of a message has arrived.
    pub fn is_between_messages(&self) -> bool {
        matches!(self.state, State::Begin | State::Idle) && self.buffer.is_empty()
    }

    /// Reads on with other limits, the rest of a call that has begun to arrive too: those of a client that is known are others than
    /// those of strangers.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        if let State::Header(message) | State::Arguments { message, .. } = &mut self.state {
            message.set_limits(limits);
        }
    }

    /// The next call, or none if octets are missing. What the protocol itself answers is added to `out`.
    ///
    /// # Errors
    /// If the octets are not JRMP, or of a form of it that is not supported. The connection is over then; what is in
    /// `out` must still be sent.
    pub fn poll(&mut self, out: &mut Vec<u8>) -> Result<Option<Event>, Error> {
        loop {
            let mut input = self.buffer.input();
            let state = std::mem::replace(&mut self.state, State::Over);
            let step = state.step(&mut input, self.limits, self.signature, &self.client, out);
            let read = input.position();
            self.buffer.advance(read);
            let (state, progress) = step?;
            self.state = state;
            match progress {
                Progress::On => {}
                Progress::Wait => return Ok(None),
                Progress::Event(event) => return Ok(Some(event)),
            }
        }
    }
}

enum Progress {
    On,
    Wait,
    Event(Event),
}

impl State {
    fn step(
        self,
        input: &mut Input<'_>,
        limits: Limits,
        signature: SignatureOf,
        client: &Endpoint,
        out: &mut Vec<u8>,
    ) -> Result<(State, Progress), Error> {
        match self {
            State::Begin => Self::begin(input, client, out),
            State::Endpoint => Ok(match take_endpoint(input)? {
                Some(_) => (State::Idle, Progress::On),
                None => (State::Endpoint, Progress::Wait),
            }),
            State::Idle => Self::idle(input, limits, out),
            State::Header(mut message) => {
                let Some(header) = Header::read(&mut message, input)? else {
                    return Ok((State::Header(message), Progress::Wait));
                };
                match signature(header.operation, header.hash) {
                    Some(signature) if signature.unread => Ok(call(message, header, Vec::new(), State::Over)),
                    Some(signature) => {
                        let arguments = Vec::with_capacity(signature.parameters.len());
                        Ok((State::Arguments { message, header, signature, arguments }, Progress::On))
                    }
                    None => {
                        let error = Error::Method { operation: header.operation, hash: header.hash };
                        Ok((State::Over, Progress::Event(Event::Refused { header, error })))
                    }
                }
            }
            State::Arguments { mut message, header, signature, mut arguments } => {
                let refused = |error| (State::Over, Progress::Event(Event::Refused { header, error }));
                while let Some(kind) = signature.parameters.get(arguments.len()) {
                    match message.argument(*kind, input) {
                        Ok(Some(argument)) => arguments.push(argument),
                        Ok(None) => {
                            return Ok((
                                State::Arguments { message, header, signature, arguments },
                                Progress::Wait,
                            ));
                        }
                        Err(error) => return Ok(refused(error)),
                    }
                }
                match message.end() {
                    Ok(()) => Ok(call(message, header, arguments, State::Idle)),
                    Err(error) => Ok(refused(error)),
                }
            }
            State::Over => Ok((State::Over, Progress::Wait)),
        }
    }

    /// JRMI, the version, and which protocol: only that with many calls on a connection.
    fn begin(
        input: &mut Input<'_>,
        client: &Endpoint,
        out: &mut Vec<u8>,
    ) -> Result<(State, Progress), Error> {
        let known = input.rest().iter().zip(octet::MAGIC.iter().chain(&octet::VERSION));
        for (found, expected) in known {
            if found != expected {
                out.push(octet::NOT_SUPPORTED);
                return Err(Error::Token { found: *found, expected: "the header of JRMP, version 2," });
            }
        }
        let Some([.., protocol]) = input.take::<7>() else { return Ok((State::Begin, Progress::Wait)) };
        if protocol != octet::STREAM {
            out.push(octet::NOT_SUPPORTED);
            return Err(Error::Protocol { found: protocol });
        }
        out.push(octet::ACK);
        put_endpoint(client, out);
        Ok((State::Endpoint, Progress::On))
    }

    fn idle(input: &mut Input<'_>, limits: Limits, out: &mut Vec<u8>) -> Result<(State, Progress), Error> {
        match input.peek() {
            None => Ok((State::Idle, Progress::Wait)),
            Some(octet::CALL) => {
                input.skip(1);
                Ok((State::Header(Message::new(limits)), Progress::On))
            }
            Some(octet::PING) => {
                input.skip(1);
                out.push(octet::PING_ACK);
                Ok((State::Idle, Progress::On))
            }
            Some(octet::DGC_ACK) => match input.after(1, Uid::LENGTH) {
                Some(_) => Ok((State::Idle, Progress::On)),
                None => Ok((State::Idle, Progress::Wait)),
            },
            Some(found) => Err(Error::Message { found }),
        }
    }
}

fn call(message: Message, header: Header, arguments: Vec<Argument>, next: State) -> (State, Progress) {
    let call = Call { header, arguments, graph: message.into_graph() };
    (next, Progress::Event(Event::Call(call)))
}

/// Writes a return: `write` writes the result, or the exception if it is `exceptional`. The number is for the
/// acknowledgement of references, which are never marked so here.
pub fn reply(out: &mut Vec<u8>, number: Uid, exceptional: bool, write: impl FnOnce(&mut Encoder<'_, '_>)) {
    out.push(octet::RETURN);
    let mut writer = Writer::new(out, Annotations::Codebase);
    writer.block(&[if exceptional { octet::EXCEPTIONAL } else { octet::NORMAL }]);
    writer.block(&number.to_octets());
    write(&mut Encoder::new(&mut writer));
    writer.finish();
}
