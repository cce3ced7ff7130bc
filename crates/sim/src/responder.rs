//! From a request to its answer. One value for each thread; nothing is allocated for SNMPv1 and SNMPv2c once its buffers
//! have grown.

use std::net::IpAddr;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_smi::{Exception, OidBuf, OidList, ValueRef};
use trunkline_snmp::engine::{Incoming, ReportReason};
use trunkline_snmp::role::responder::finish_error;
use trunkline_snmp::wire::{ErrorStatus, MessageRef, PduKind, PduRef, ResponseWriter, Version};
use trunkline_snmp::{Counters, DecodeError};

use crate::counts::{Count, Counts};
use crate::engines::Engines;
use crate::faults::{Fault, Lie};
use crate::fleet::{Agent, Fleet, Kind, Life};
use crate::objects::Objects;
use crate::recorded::Playback;
use crate::synthetic::Device;

/// What becomes of a datagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Silence,
    /// This part of the buffer is the answer.
    Answer(Range<usize>),
    /// It is, and is sent after this time.
    Later(Range<usize>, Duration),
    /// It is, and is sent from another address.
    From(Range<usize>, IpAddr),
}

/// How messages are answered.
#[derive(Clone, Copy, Debug)]
pub struct ResponderOptions {
    /// The longest answer, in octets: 484 to 65,507. Default 1,472, which one Ethernet frame carries.
    pub max_size: usize,
    /// Engines of SNMPv3 that a thread keeps. Default 8,192.
    pub engines: usize,
    /// Random: where salts of SNMPv3 begin.
    pub entropy: u64,
}

impl Default for ResponderOptions {
    fn default() -> Self {
        Self { max_size: 1_472, engines: 8_192, entropy: 0 }
    }
}

/// Answers for all agents.
pub struct Responder {
    fleet: Arc<Fleet>,
    options: ResponderOptions,
    counts: Arc<Counts>,
    engines: Engines,
    /// Requests so far, from which it is drawn which of them are lost.
    seen: u64,
    scratch: Vec<u8>,
    work: Work,
}

/// Buffers that are used again.
struct Work {
    names: OidList,
    text: Vec<u8>,
    cursors: Vec<OidBuf>,
    counters: Counters,
}

impl Responder {
    /// A responder that counts in `counts`.
    #[must_use]
    pub fn new(fleet: Arc<Fleet>, options: ResponderOptions, counts: Arc<Counts>) -> Self {
        let work = Work {
            names: OidList::new(),
            text: Vec::new(),
            cursors: Vec::new(),
            counters: Counters::default(),
        };
        let engines = Engines::new(options.engines, options.entropy);
        Self { fleet, options, counts, engines, seen: 0, scratch: Vec::new(), work }
    }

    /// Answers a datagram that was sent to the address `asked`, when the fleet has been up for `elapsed`.
    pub fn respond(
        &mut self,
        octets: &[u8],
        asked: IpAddr,
        now: Instant,
        elapsed: Duration,
        out: &mut Vec<u8>,
    ) -> Verdict {
        let fleet = Arc::clone(&self.fleet);
        let Some(agent) = fleet.at(asked) else {
            self.counts.add(Count::UnknownAddress);
            return Verdict::Silence;
        };
        self.counts.add(Count::Requests);
        self.seen = self.seen.wrapping_add(1);
        let fault = agent.fault();
        let life = agent.life(fault, elapsed);
        let lost = match fault {
            Some(Fault::Silent) => Some(Count::Silent),
            Some(Fault::Rebooting { .. }) if life.is_down => Some(Count::Rebooting),
            Some(Fault::Lossy(share)) if agent.seed.of(LOSS).happens(self.seen, share) => Some(Count::Lossy),
            _ => None,
        };
        if let Some(count) = lost {
            self.counts.add(count);
            return Verdict::Silence;
        }
        let lie = if let Some(Fault::Wrong(lie)) = fault { Some(lie) } else { None };
        let subject = Subject { agent, life, lie };
        match self.answer(octets, &subject, now, out) {
            Some(range) => self.spoilt(range, &subject, fault),
            None => Verdict::Silence,
        }
    }

    /// What the fault makes of an answer.
    fn spoilt(&self, range: Range<usize>, subject: &Subject<'_>, fault: Option<Fault>) -> Verdict {
        self.counts.add(Count::Answers);
        match fault {
            Some(Fault::Slow(delay)) => {
                self.counts.add(Count::Slow);
                Verdict::Later(range, delay)
            }
            Some(Fault::Wrong(lie)) => {
                self.counts.add(Count::Wrong);
                match lie {
                    Lie::Source => Verdict::From(range, subject.agent.other_address()),
                    Lie::Truncated => Verdict::Answer(range.start..range.start + range.len() / 2),
                    Lie::RequestId | Lie::Repeated | Lie::Endless | Lie::Type => Verdict::Answer(range),
                }
            }
            _ => Verdict::Answer(range),
        }
    }

    fn answer(
        &mut self,
        octets: &[u8],
        subject: &Subject<'_>,
        now: Instant,
        out: &mut Vec<u8>,
    ) -> Option<Range<usize>> {
        let message = match MessageRef::decode(octets) {
            Ok(message) => message,
            Err(DecodeError::UnsupportedVersion { found }) if found == Version::V3.code() => {
                return self.answer_v3(octets, subject, now, out);
            }
            Err(_) => {
                self.counts.add(Count::Malformed);
                return None;
            }
        };
        if !subject.agent.group.communities.iter().any(|community| community == message.community) {
            self.counts.add(Count::UnknownCommunity);
            return None;
        }
        if !is_request(message.pdu.kind) || !message.pdu.kind.is_in(message.version) {
            self.counts.add(Count::Malformed);
            return None;
        }
        let mut envelope = message.reply();
        if subject.lie == Some(Lie::RequestId) {
            envelope.request_id = envelope.request_id.wrapping_add(1);
        }
        let writer = ResponseWriter::new(out, self.options.max_size, envelope);
        self.work.answer(&message.pdu, writer, subject).unwrap_or_else(|_| {
            self.counts.add(Count::Malformed);
            None
        })
    }

    fn answer_v3(
        &mut self,
        octets: &[u8],
        subject: &Subject<'_>,
        now: Instant,
        out: &mut Vec<u8>,
    ) -> Option<Range<usize>> {
        let Self { engines, options, counts, scratch, work, .. } = self;
        let (engine, is_new) = engines.of(&subject.agent, subject.life, options.max_size, now);
        if is_new {
            counts.add(Count::Engines);
        }
        let incoming = engine.receive(octets, scratch, out, now, None, |_| None, &work.counters);
        let request = match incoming {
            Incoming::Request(request) => request,
            Incoming::Report { reply, .. } => {
                counts.add(Count::RefusedV3);
                return Some(reply);
            }
            Incoming::TrapV1(_) | Incoming::Drop(_) => {
                counts.add(Count::RefusedV3);
                return None;
            }
        };
        let unknown = match (request.is_local(), request.context_name) {
            (false, _) => Some(ReportReason::UnknownPduHandlers),
            (true, [_, ..]) => Some(ReportReason::UnknownContexts),
            (true, []) => None,
        };
        if let Some(reason) = unknown {
            counts.add(Count::RefusedV3);
            return engine.report(&request, reason, &work.counters, out);
        }
        let mut envelope = request.reply();
        if subject.lie == Some(Lie::RequestId) {
            envelope.request_id = envelope.request_id.wrapping_add(1);
        }
        let writer = ResponseWriter::new(out, request.max_size, envelope);
        work.answer(&request.pdu, writer, subject).unwrap_or_else(|_| {
            counts.add(Count::Malformed);
            None
        })
    }
}

/// The agent that was asked, as it is now.
struct Subject<'f> {
    agent: Agent<'f>,
    life: Life,
    lie: Option<Lie>,
}

const fn is_request(kind: PduKind) -> bool {
    matches!(kind, PduKind::Get | PduKind::GetNext | PduKind::GetBulk | PduKind::Set)
}

impl Work {
    fn answer(
        &mut self,
        pdu: &PduRef<'_>,
        writer: ResponseWriter<'_>,
        subject: &Subject<'_>,
    ) -> Result<Option<Range<usize>>, DecodeError> {
        pdu.names(&mut self.names)?;
        let Subject { agent, life, lie } = subject;
        Ok(match &agent.group.kind {
            Kind::Synthetic(interfaces) => {
                let device = Device::new(agent.seed, agent.number, *interfaces, life.uptime);
                self.answer_from(&device, pdu, writer, *lie)
            }
            Kind::Recorded { recording, vary_name } => {
                let number = vary_name.then_some(agent.number);
                let playback = Playback { recording, number, uptime: life.uptime };
                self.answer_from(&playback, pdu, writer, *lie)
            }
        })
    }

    fn answer_from(
        &mut self,
        objects: &impl Objects,
        pdu: &PduRef<'_>,
        mut writer: ResponseWriter<'_>,
        lie: Option<Lie>,
    ) -> Option<Range<usize>> {
        let written = match pdu.kind {
            PduKind::Get => self.get(objects, pdu, &mut writer, lie),
            PduKind::GetNext => self.next(objects, pdu, &mut writer, lie),
            PduKind::GetBulk => self.bulk(objects, pdu, &mut writer, lie),
            // Nothing can be written (RFC 3416 section 4.2.5).
            _ => Err((ErrorStatus::NotWritable, 1)),
        };
        match written {
            Ok(()) => writer.finish(),
            Err((status, index)) => finish_error(pdu, writer, status, index, &self.counters),
        }
    }

    fn get(
        &mut self,
        objects: &impl Objects,
        pdu: &PduRef<'_>,
        writer: &mut ResponseWriter<'_>,
        lie: Option<Lie>,
    ) -> Result<(), Failed> {
        for (at, name) in self.names.iter().enumerate() {
            let found = objects.get(name, &mut self.text);
            let has_room = match found {
                Ok(ValueRef::Counter64(_)) | Err(_) if pdu.version() == Version::V1 => {
                    return Err((ErrorStatus::NoSuchName, at as u32 + 1));
                }
                Ok(value) => writer.value_at(name, bent(value, lie)),
                Err(exception) => writer.exception(name, exception),
            };
            if !has_room {
                return Err((ErrorStatus::TooBig, 0));
            }
        }
        Ok(())
    }

    fn next(
        &mut self,
        objects: &impl Objects,
        pdu: &PduRef<'_>,
        writer: &mut ResponseWriter<'_>,
        lie: Option<Lie>,
    ) -> Result<(), Failed> {
        for (at, name) in self.names.iter().enumerate() {
            let mut cursor = cursor_at(name);
            let has_room = match step(objects, &mut cursor, &mut self.text, pdu.version(), lie) {
                Some(value) => writer.value_at(&cursor, bent(value, lie)),
                None if pdu.version() == Version::V1 => return Err((ErrorStatus::NoSuchName, at as u32 + 1)),
                None => writer.exception(name, Exception::EndOfMibView),
            };
            if !has_room {
                return Err((ErrorStatus::TooBig, 0));
            }
        }
        Ok(())
    }

    /// RFC 3416 section 4.2.3.
    fn bulk(
        &mut self,
        objects: &impl Objects,
        pdu: &PduRef<'_>,
        writer: &mut ResponseWriter<'_>,
        lie: Option<Lie>,
    ) -> Result<(), Failed> {
        let Self { names, text, cursors, .. } = self;
        cursors.clear();
        cursors.extend(names.iter().map(cursor_at));
        let non_repeaters = pdu.non_repeaters().min(cursors.len());
        let (single, repeated) = cursors.split_at_mut(non_repeaters);
        let mut go = |cursors: &mut [OidBuf]| {
            let mut all_ended = true;
            for cursor in cursors {
                let has_room = match step(objects, cursor, text, pdu.version(), lie) {
                    Some(value) => {
                        all_ended = false;
                        writer.value_at(cursor, bent(value, lie))
                    }
                    None => writer.exception(cursor, Exception::EndOfMibView),
                };
                if !has_room {
                    return Round::Full;
                }
            }
            if all_ended { Round::Ended } else { Round::Continues }
        };
        let mut round = go(single);
        let mut repetitions = 0;
        while round != Round::Full && repetitions < pdu.max_repetitions() && !repeated.is_empty() {
            round = go(repeated);
            repetitions += 1;
            if round == Round::Ended {
                break;
            }
        }
        match round == Round::Full && writer.position() == 0 {
            true => Err((ErrorStatus::TooBig, 0)),
            false => Ok(()),
        }
    }
}

/// error-status and error-index.
type Failed = (ErrorStatus, u32);

/// How a repetition of a GetBulk went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    Continues,
    Ended,
    Full,
}

fn cursor_at(name: &[u32]) -> OidBuf {
    let mut cursor = OidBuf::new();
    // A name of a message has no more sub-identifiers than a buffer.
    let _ = cursor.extend(name);
    cursor
}

/// Moves on to the next instance, as this agent and this version have it.
fn step<'s>(
    objects: &'s impl Objects,
    name: &mut OidBuf,
    text: &'s mut Vec<u8>,
    version: Version,
    lie: Option<Lie>,
) -> Option<ValueRef<'s>> {
    let requested = (lie == Some(Lie::Repeated)).then(|| name.clone());
    if version == Version::V1 {
        skip_wide(objects, name, text);
    }
    let found = objects.next(name, text);
    if let Some(requested) = requested {
        *name = requested;
    }
    match (found, lie) {
        (None, Some(Lie::Endless)) => invented(name),
        (found, _) => found,
    }
}

/// SNMPv1 has no Counter64: they are skipped (RFC 3584 section 4.2.2.1).
fn skip_wide(objects: &impl Objects, name: &mut OidBuf, text: &mut Vec<u8>) {
    loop {
        let mut next = name.clone();
        if !matches!(objects.next(&mut next, text), Some(ValueRef::Counter64(_))) {
            return;
        }
        *name = next;
    }
}

/// An instance behind all others.
fn invented(name: &mut OidBuf) -> Option<ValueRef<'static>> {
    let last = match name.strip_prefix(&BEHIND_ALL) {
        Some([last, ..]) => last.checked_add(1)?,
        Some([]) => 0,
        None if name[..] < BEHIND_ALL[..] => 0,
        None => return None,
    };
    name.clear();
    name.extend(&BEHIND_ALL).and_then(|()| name.push(last)).ok()?;
    Some(ValueRef::Integer(1))
}

const BEHIND_ALL: [u32; 3] = [2, 999, 1];

const fn bent(value: ValueRef<'_>, lie: Option<Lie>) -> ValueRef<'_> {
    match lie {
        Some(Lie::Type) => ValueRef::OctetString(b"not of this type"),
        _ => value,
    }
}

/// What is drawn.
const LOSS: u64 = 50;
