//! The client's end of a connection: calls out, returns in, one at a time.

use super::ids::{Endpoint, Uid};
use super::message::{Argument, Buffer, Header, Kind, Message, put_endpoint, take_endpoint};
use super::octet;
use crate::error::Error;
use crate::model::Encoder;
use crate::stream::{Annotations, Graph, Id, Input, Limits, Writer};

/// The client's end of a connection.
#[derive(Debug)]
pub struct Client {
    state: State,
    buffer: Buffer,
    limits: Limits,
    expected: Kind,
    thrown: bool,
}

#[derive(Debug)]
enum State {
    /// The server's acknowledgement of the protocol is to come.
    Begin,
    /// The endpoint is to come as which the server sees this client.
    Endpoint,
    /// Between messages.
    Idle,
    /// The kind of return and its number are to come.
    Header(Message),
    /// The result is to come.
    Result { message: Message, number: Uid, exceptional: bool },
    /// Where the next message begins is unknown.
    Over,
}

/// What a server has sent.
#[derive(Debug)]
pub struct Return {
    /// Its number, for [`Client::acknowledge`].
    pub number: Uid,
    /// The result or the exception.
    pub outcome: Outcome,
    /// The objects in it.
    pub graph: Graph,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// With a result.
    Result(Argument),
    /// With an exception.
    Exception(Option<Id>),
    /// A ping is answered.
    PingAck,
}

impl Client {
    /// The end of a new connection: writes the handshake. Calls may follow at once.
    pub fn new(limits: Limits, local: &Endpoint, out: &mut Vec<u8>) -> Self {
        out.extend(octet::MAGIC);
        out.extend(octet::VERSION);
        out.push(octet::STREAM);
        put_endpoint(local, out);
        Client { state: State::Begin, buffer: Buffer::default(), limits, expected: Kind::Void, thrown: false }
    }

    /// How much the server may send from the next return on: less before it has proved anything than afterwards.
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Writes a call. The one before must have returned.
    pub fn call(
        &mut self,
        out: &mut Vec<u8>,
        header: Header,
        result: Kind,
        write: impl FnOnce(&mut Encoder<'_, '_>),
    ) {
        self.expected = result;
        out.push(octet::CALL);
        let mut writer = Writer::new(out, Annotations::Codebase);
        writer.block(&header.to_octets());
        write(&mut Encoder::new(&mut writer));
        writer.finish();
    }

    /// Writes a ping, which is answered before anything else.
    pub fn ping(&mut self, out: &mut Vec<u8>) {
        out.push(octet::PING);
    }

    /// Writes that the references of a return have arrived.
    pub fn acknowledge(&mut self, out: &mut Vec<u8>, number: Uid) {
        out.push(octet::DGC_ACK);
        out.extend(number.to_octets());
    }

    /// Takes octets of the server.
    pub fn push(&mut self, octets: &[u8]) {
        self.buffer.space().extend_from_slice(octets);
    }

    /// Whether what could not be read is the exception in which the call ended.
    pub fn has_thrown(&self) -> bool {
        self.thrown
    }

    /// The return of the call, or none if octets are missing.
    ///
    /// # Errors
    /// If the octets are not those of a return, or it has a class that is not listed. The connection is over then.
    pub fn poll(&mut self) -> Result<Option<Return>, Error> {
        loop {
            let mut input = self.buffer.input();
            let state = std::mem::replace(&mut self.state, State::Over);
            let exceptional = matches!(state, State::Result { exceptional: true, .. });
            let step = state.step(&mut input, self.limits, self.expected);
            let read = input.position();
            self.buffer.advance(read);
            self.thrown = exceptional && step.is_err();
            match step? {
                Step::On(state) => self.state = state,
                Step::Wait(state) => {
                    self.state = state;
                    return Ok(None);
                }
                Step::Return(returned) => {
                    self.state = State::Idle;
                    return Ok(Some(*returned));
                }
            }
        }
    }
}

enum Step {
    On(State),
    Wait(State),
    Return(Box<Return>),
}

impl State {
    fn step(self, input: &mut Input<'_>, limits: Limits, expected: Kind) -> Result<Step, Error> {
        Ok(match self {
            State::Begin => match input.peek() {
                None => Step::Wait(State::Begin),
                Some(octet::ACK) => {
                    input.skip(1);
                    Step::On(State::Endpoint)
                }
                Some(octet::NOT_SUPPORTED) => return Err(Error::Protocol { found: octet::STREAM }),
                Some(found) => return Err(Error::Message { found }),
            },
            State::Endpoint => match take_endpoint(input)? {
                Some(_) => Step::On(State::Idle),
                None => Step::Wait(State::Endpoint),
            },
            State::Idle => match input.peek() {
                None => Step::Wait(State::Idle),
                Some(octet::RETURN) => {
                    input.skip(1);
                    Step::On(State::Header(Message::new(limits)))
                }
                Some(octet::PING_ACK) => {
                    input.skip(1);
                    let number = Uid::default();
                    Step::Return(Box::new(Return {
                        number,
                        outcome: Outcome::PingAck,
                        graph: Graph::default(),
                    }))
                }
                Some(found) => return Err(Error::Message { found }),
            },
            State::Header(mut message) => match message.octets::<{ 1 + Uid::LENGTH }>(input)? {
                None => Step::Wait(State::Header(message)),
                Some([kind, number @ ..]) => {
                    let exceptional = match kind {
                        octet::NORMAL => false,
                        octet::EXCEPTIONAL => true,
                        found => return Err(Error::Token { found, expected: "the kind of a return" }),
                    };
                    Step::On(State::Result { message, number: Uid::from_octets(number), exceptional })
                }
            },
            State::Result { mut message, number, exceptional } => {
                let kind = if exceptional { Kind::Object } else { expected };
                let outcome = match message.argument(kind, input)? {
                    None => return Ok(Step::Wait(State::Result { message, number, exceptional })),
                    Some(Argument::Object(id)) if exceptional => Outcome::Exception(id),
                    Some(result) => Outcome::Result(result),
                };
                message.end()?;
                Step::Return(Box::new(Return { number, outcome, graph: message.into_graph() }))
            }
            State::Over => Step::Wait(State::Over),
        })
    }
}
