//! Reads a stream as its octets arrive. What is open is on a stack of frames, so that reading continues where the octets
//! ended: no octet is looked at twice but the few of an element that has not arrived wholly, and depth is bounded.

mod frames;
mod input;

pub use input::Input;

use super::graph::{Graph, Id, Node};
use super::{FIRST_HANDLE, HEADER, classes, decode_text, token};
use crate::error::Error;
use frames::Frame;

/// How much a stream may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Values within each other.
    pub depth: usize,
    /// Values in all.
    pub values: usize,
    /// Octets in all.
    pub octets: usize,
    /// Elements of an array.
    pub array: usize,
    /// Octets of a string, and of a block of data.
    pub string: usize,
}

impl Default for Limits {
    /// For requests: a deep query, a table as an argument.
    fn default() -> Self {
        Limits { depth: 200, values: 200_000, octets: 16 << 20, array: 1 << 20, string: 1 << 20 }
    }
}

impl Limits {
    /// For what a server returns that a client has chosen: names of a million MBeans.
    pub const REPLIES: Limits =
        Limits { depth: 200, values: 8_000_000, octets: 512 << 20, array: 16 << 20, string: 16 << 20 };
}

/// What a stream has at its top level.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Octets of a block of data.
    Octets(Vec<u8>),
    /// An object, or null.
    Value(Option<Id>),
    /// The writer broke off, with this exception.
    Aborted(Option<Id>),
}

/// A reader of one stream.
#[derive(Debug)]
pub struct Reader {
    limits: Limits,
    graph: Graph,
    /// How many values have no handle any more: those before the last reset.
    reset: usize,
    stack: Vec<Frame>,
    /// A value that is complete, for the frame at the top.
    done: Option<Option<Id>>,
    begun: bool,
    /// Whether the value that is read at the top level is the exception of an abort.
    aborted: bool,
}

impl Reader {
    /// A reader of a stream from its header.
    pub fn new(limits: Limits) -> Self {
        Reader {
            limits,
            graph: Graph::default(),
            reset: 0,
            stack: Vec::new(),
            done: None,
            begun: false,
            aborted: false,
        }
    }

    /// Reads on with other limits.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// The values that were read so far.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The values that were read.
    pub fn into_graph(self) -> Graph {
        self.graph
    }

    /// Whether it is within a value.
    pub fn is_within(&self) -> bool {
        !self.stack.is_empty()
    }

    /// Reads on, and returns the next item of the top level, or none if it needs more octets than the input has.
    ///
    /// # Errors
    /// If the stream is not well-formed, has a class that is not listed, or exceeds a limit.
    pub fn next(&mut self, input: &mut Input<'_>) -> Result<Option<Item>, Error> {
        let before = input.position();
        let item = self.advance(input);
        self.graph.count(input.position() - before);
        if self.graph.octets() > self.limits.octets {
            return Err(Error::Limit { what: "octets in a stream", limit: self.limits.octets });
        }
        item
    }

    fn advance(&mut self, input: &mut Input<'_>) -> Result<Option<Item>, Error> {
        if !self.begun {
            let Some(header) = input.take::<4>() else { return Ok(None) };
            if header != HEADER {
                return Err(Error::Magic { found: header });
            }
            self.begun = true;
        }
        loop {
            if let Some(value) = self.done.take() {
                match self.stack.pop() {
                    Some(frame) => self.receive(frame, value)?,
                    None => return Ok(Some(self.item(value))),
                }
                continue;
            }
            let progress = match self.stack.pop() {
                Some(frame) => self.proceed(frame, input)?,
                None => match self.top_level(input)? {
                    Some(octets) => return Ok(Some(Item::Octets(octets))),
                    None => !self.stack.is_empty() || self.done.is_some(),
                },
            };
            if !progress {
                return Ok(None);
            }
        }
    }

    fn item(&mut self, value: Option<Id>) -> Item {
        if std::mem::take(&mut self.aborted) {
            self.reset = self.graph.len();
            return Item::Aborted(value);
        }
        Item::Value(value)
    }

    /// A block of data, or the beginning of a value.
    fn top_level(&mut self, input: &mut Input<'_>) -> Result<Option<Vec<u8>>, Error> {
        while input.peek() == Some(token::RESET) {
            input.skip(1);
            self.reset = self.graph.len();
        }
        if let Some(block) = self.block(input)? {
            return Ok(block);
        }
        self.content(input)?;
        Ok(None)
    }

    /// A block of data: none if there is something else, none within if it has not arrived wholly.
    fn block(&self, input: &mut Input<'_>) -> Result<Option<Option<Vec<u8>>>, Error> {
        let (head, length) = match input.peek() {
            Some(token::BLOCK_DATA) => match input.ahead::<2>() {
                Some([_, length]) => (2, usize::from(length)),
                None => return Ok(Some(None)),
            },
            Some(token::BLOCK_DATA_LONG) => match input.ahead::<5>() {
                Some([_, a, b, c, d]) => (5, length(i32::from_be_bytes([a, b, c, d]))?),
                None => return Ok(Some(None)),
            },
            _ => return Ok(None),
        };
        self.at_most(length, self.limits.string, "octets in a block")?;
        Ok(Some(input.after(head, length).map(<[u8]>::to_vec)))
    }

    fn at_most(&self, found: usize, limit: usize, what: &'static str) -> Result<(), Error> {
        if found > limit { Err(Error::Limit { what, limit }) } else { Ok(()) }
    }

    fn push(&mut self, frame: Frame) -> Result<(), Error> {
        self.at_most(self.stack.len() + 1, self.limits.depth, "values within each other")?;
        self.stack.push(frame);
        Ok(())
    }

    /// A new value with a handle.
    fn add(&mut self, node: Node) -> Result<Id, Error> {
        self.at_most(self.graph.len() + 1, self.limits.values, "values in a stream")?;
        Ok(self.graph.add(node))
    }

    /// Begins a value at its token: false if octets are missing. It is done then, or a frame stands for it.
    fn content(&mut self, input: &mut Input<'_>) -> Result<bool, Error> {
        let Some(token) = input.peek() else { return Ok(false) };
        match token {
            token::NULL | token::REFERENCE | token::CLASS_DESC | token::PROXY_CLASS_DESC => {
                return self.descriptor(input);
            }
            token::STRING | token::LONG_STRING => return self.string(input),
            token::OBJECT => self.push(Frame::ObjectClass)?,
            token::ARRAY => self.push(Frame::ArrayClass)?,
            token::CLASS => self.push(Frame::ClassValue)?,
            token::ENUM => self.push(Frame::EnumClass)?,
            token::EXCEPTION => {
                self.stack.clear();
                self.reset = self.graph.len();
                self.aborted = true;
                self.push(Frame::Abort)?;
            }
            found => return Err(Error::Token { found, expected: "a value" }),
        }
        input.skip(1);
        Ok(true)
    }

    /// A class descriptor, a reference or null.
    fn descriptor(&mut self, input: &mut Input<'_>) -> Result<bool, Error> {
        let Some(token) = input.peek() else { return Ok(false) };
        match token {
            token::NULL => {
                input.skip(1);
                self.done = Some(None);
            }
            token::REFERENCE => {
                let Some([_, a, b, c, d]) = input.take::<5>() else { return Ok(false) };
                let found = u32::from_be_bytes([a, b, c, d]);
                let index = found.checked_sub(FIRST_HANDLE).map(|index| index as usize);
                let id = index.and_then(|index| self.graph.id(self.reset.checked_add(index)?));
                self.done = Some(Some(id.ok_or(Error::Handle { found })?));
            }
            token::CLASS_DESC => return self.class(input),
            token::PROXY_CLASS_DESC => {
                let Some([_, a, b, c, d]) = input.take::<5>() else { return Ok(false) };
                let left = length(i32::from_be_bytes([a, b, c, d]))?;
                self.at_most(left, INTERFACES, "interfaces of a proxy")?;
                let id = self.add(Node::Proxy(Vec::new()))?;
                self.push(Frame::Interfaces { id, left })?;
            }
            found => return Err(Error::Token { found, expected: "a class descriptor" }),
        }
        Ok(true)
    }

    /// The first part of a class descriptor: name, serialVersionUID, flags and the number of fields.
    fn class(&mut self, input: &mut Input<'_>) -> Result<bool, Error> {
        let Some([_, a, b]) = input.ahead::<3>() else { return Ok(false) };
        let name = usize::from(u16::from_be_bytes([a, b]));
        self.at_most(name, NAME, "octets in the name of a class")?;
        let Some(octets) = input.after(3, name + 8 + 1 + 2) else { return Ok(false) };
        let (name, rest) = octets.split_at(name);
        let class = std::str::from_utf8(name)
            .ok()
            .and_then(classes::find)
            .ok_or_else(|| Error::UnknownClass { name: String::from_utf8_lossy(name).into_owned() })?;
        let differs = |part| Error::Descriptor { class: class.name, part };
        let (suid, rest) = rest.split_first_chunk::<8>().ok_or(Error::Cut)?;
        if i64::from_be_bytes(*suid) != class.suid {
            return Err(differs("serialVersionUID"));
        }
        if rest.first() != Some(&class.flags) {
            return Err(differs("set of flags"));
        }
        if rest.get(1..3) != Some(&(class.fields.len() as u16).to_be_bytes()[..]) {
            return Err(differs("number of fields"));
        }
        let id = self.add(Node::Class(class))?;
        self.push(Frame::Fields { id, class, next: 0, named: false })?;
        Ok(true)
    }

    fn string(&mut self, input: &mut Input<'_>) -> Result<bool, Error> {
        let (head, length) = if input.peek() == Some(token::STRING) {
            let Some([_, a, b]) = input.ahead::<3>() else { return Ok(false) };
            (3, usize::from(u16::from_be_bytes([a, b])))
        } else {
            let Some([_, octets @ ..]) = input.ahead::<9>() else { return Ok(false) };
            let found = i64::from_be_bytes(octets);
            (9, usize::try_from(found).map_err(|_| Error::Length { found })?)
        };
        self.at_most(length, self.limits.string, "octets in a string")?;
        let Some(octets) = input.after(head, length) else { return Ok(false) };
        let text = decode_text(octets)?;
        self.done = Some(Some(self.add(Node::String(text))?));
        Ok(true)
    }
}

/// A length as Java has it.
fn length(found: i32) -> Result<usize, Error> {
    usize::try_from(found).map_err(|_| Error::Length { found: found.into() })
}

/// The longest name of a class that is looked up, in octets.
const NAME: usize = 1024;
/// The most interfaces of a dynamic proxy.
const INTERFACES: usize = 8;
