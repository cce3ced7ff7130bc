//! What the master reads: Get, GetNext and GetBulk (RFC 2741 section 7.2.3).

use std::time::Instant;

use trunkline_agentx::wire::{Registration, SearchRange};
use trunkline_core::Served;
use trunkline_smi::{Bound, Exception, OidList, ValueRef, VarBind};
use trunkline_snmp::wire::ErrorStatus;
use trunkline_tree::{Access, Name, Operation, Query, Room, Sink, Walker};

use crate::registrations::hold;

/// Why there is no answer: genErr, at this binding, from 1.
pub(crate) struct Failed {
    /// The error status.
    pub status: ErrorStatus,
    /// The binding.
    pub index: u16,
}

/// The tree as the master may see it.
pub(crate) struct Reader<'r> {
    pub served: &'r Served,
    pub access: &'r Access,
    pub registrations: &'r [Registration],
    pub arrived: Instant,
}

impl Reader<'_> {
    /// The named instances.
    pub async fn get(&self, ranges: &[SearchRange]) -> Result<Vec<VarBind>, Failed> {
        let names = ranges.iter().map(|range| &*range.start);
        let mut found = self.query(Operation::Get, names, usize::MAX).await?;
        for binding in found.iter_mut().filter(|binding| !hold(self.registrations, &binding.name)) {
            binding.value = Bound::Exception(Exception::NoSuchObject);
        }
        Ok(found)
    }

    /// Of each range the first instance.
    pub async fn next(&self, ranges: &[SearchRange]) -> Result<Vec<VarBind>, Failed> {
        let mut answers: Vec<Option<VarBind>> = vec![None; ranges.len()];
        let included: Vec<usize> = (0..ranges.len()).filter(|at| ranges[*at].include).collect();
        if !included.is_empty() {
            let names = included.iter().map(|at| &*ranges[*at].start);
            let exactly = self.query(Operation::Get, names, usize::MAX).await;
            for (at, found) in included.iter().zip(exactly.map_err(|failed| moved(&failed, &included))?) {
                let is_there =
                    matches!(found.value, Bound::Value(_)) && hold(self.registrations, &found.name);
                answers[*at] = is_there.then_some(found);
            }
        }
        let others: Vec<usize> = (0..ranges.len()).filter(|at| answers[*at].is_none()).collect();
        if !others.is_empty() {
            let names = others.iter().map(|at| &*ranges[*at].start);
            let behind = self.query(Operation::Next, names, usize::MAX).await;
            for (at, found) in others.iter().zip(behind.map_err(|failed| moved(&failed, &others))?) {
                answers[*at] = Some(self.within(&ranges[*at], found));
            }
        }
        Ok(answers
            .into_iter()
            .zip(ranges)
            .map(|(found, range)| found.unwrap_or_else(|| end(range)))
            .collect())
    }

    /// The first instance of the first ranges, and several of the others, as many as fit.
    pub async fn bulk(
        &self,
        non_repeaters: usize,
        max_repetitions: usize,
        ranges: &[SearchRange],
    ) -> Result<Vec<VarBind>, Failed> {
        let (once, repeated) = ranges.split_at(non_repeaters.min(ranges.len()));
        let mut answer = if once.is_empty() { Vec::new() } else { self.next(once).await? };
        let most = max_repetitions.min(MOST_BINDINGS / repeated.len().max(1)).max(1);
        if max_repetitions == 0 || repeated.is_empty() {
            return Ok(answer);
        }
        let mut runs = Vec::with_capacity(repeated.len());
        for (at, range) in repeated.iter().enumerate() {
            let index = |_| failed(once.len() + at);
            runs.push(self.run(range, most, MOST_OCTETS / repeated.len()).await.map_err(index)?);
        }
        for repetition in 0..most {
            // A range that has ended says so as often as the others go on.
            if runs.iter().all(|run| run.found.len() <= repetition && run.is_all) && repetition > 0 {
                break;
            }
            if runs.iter().any(|run| run.found.len() <= repetition && !run.is_all) {
                break;
            }
            for (run, range) in runs.iter().zip(repeated) {
                let ended = || VarBind {
                    name: run.found.last().map_or_else(|| range.start.clone(), |last| last.name.clone()),
                    value: Bound::Exception(Exception::EndOfMibView),
                };
                answer.push(run.found.get(repetition).cloned().unwrap_or_else(ended));
            }
        }
        Ok(answer)
    }

    /// The first instances of a range.
    async fn run(&self, range: &SearchRange, most: usize, octets: usize) -> Result<Run, Failed> {
        let mut found = Vec::new();
        if range.include {
            let exactly = self.query(Operation::Get, [&*range.start].into_iter(), usize::MAX).await?;
            found.extend(exactly.into_iter().filter(|binding| {
                matches!(binding.value, Bound::Value(_)) && hold(self.registrations, &binding.name)
            }));
        }
        let wanted = most.saturating_sub(found.len());
        if wanted == 0 {
            return Ok(Run { found, is_all: false });
        }
        let operation = Operation::Bulk { non_repeaters: 0, max_repetitions: wanted };
        let behind = self.query(operation, [&*range.start].into_iter(), octets).await?;
        let is_within = |binding: &VarBind| {
            matches!(binding.value, Bound::Value(_))
                && range.end.as_ref().is_none_or(|end| binding.name < *end)
                && hold(self.registrations, &binding.name)
        };
        let count = behind.iter().take_while(|binding| is_within(binding)).count();
        let is_all = count < behind.len();
        found.extend(behind.into_iter().take(count));
        // An instance that alone is too large is left to the encoder, which refuses it.
        Ok(Run { found, is_all })
    }

    /// What was found behind a range's start, if it is in the range and registered.
    fn within(&self, range: &SearchRange, found: VarBind) -> VarBind {
        let is_before = range.end.as_ref().is_none_or(|end| found.name < *end);
        let is_value = matches!(found.value, Bound::Value(_));
        if is_value && is_before && hold(self.registrations, &found.name) { found } else { end(range) }
    }

    async fn query<'n>(
        &self,
        operation: Operation,
        names: impl Iterator<Item = &'n [u32]>,
        octets: usize,
    ) -> Result<Vec<VarBind>, Failed> {
        let names: OidList = names.collect();
        let query = Query {
            operation,
            names: &names,
            access: self.access,
            without_counter64: false,
            arrived: self.arrived,
            max_bindings: MOST_BINDINGS,
            may_end_early: false,
        };
        let (mut walker, mut found) = (Walker::new(), Found { bindings: Vec::new(), left: octets });
        match self.served.retrieve(&mut walker, &query, &mut found).await {
            Ok(_) => Ok(found.bindings),
            Err(_) => Err(failed(walker.binding())),
        }
    }
}

/// Instances of a range.
struct Run {
    found: Vec<VarBind>,
    /// Nothing follows them in the range.
    is_all: bool,
}

/// Keeps what is found, until it is too much for one packet.
struct Found {
    bindings: Vec<VarBind>,
    left: usize,
}

impl Found {
    fn keep(&mut self, name: Name<'_>, value: Bound, octets: usize) -> Room {
        let name = name.to_oid();
        let octets = octets + 4 * name.len() + 16;
        // One at least, so that a walk goes on.
        if octets > self.left && !self.bindings.is_empty() {
            return Room::Full;
        }
        self.left = self.left.saturating_sub(octets);
        self.bindings.push(VarBind { name, value });
        Room::Taken
    }
}

impl Sink for Found {
    fn value(&mut self, name: Name<'_>, value: ValueRef<'_>) -> Room {
        let octets = match value {
            ValueRef::OctetString(octets) | ValueRef::Opaque(octets) => octets.len(),
            ValueRef::ObjectIdentifier(oid) => 4 * oid.len(),
            _ => 8,
        };
        self.keep(name, Bound::Value(value.to_value()), octets)
    }

    fn exception(&mut self, name: Name<'_>, exception: Exception) -> Room {
        self.keep(name, Bound::Exception(exception), 0)
    }
}

fn end(range: &SearchRange) -> VarBind {
    VarBind { name: range.start.clone(), value: Bound::Exception(Exception::EndOfMibView) }
}

/// genErr at a binding, counted from 0.
fn failed(binding: usize) -> Failed {
    Failed { status: ErrorStatus::GenErr, index: u16::try_from(binding + 1).unwrap_or(u16::MAX) }
}

/// A failure among some of the bindings, as one among all of them.
fn moved(of_some: &Failed, some: &[usize]) -> Failed {
    let at = usize::from(of_some.index).saturating_sub(1);
    failed(some.get(at).copied().unwrap_or(at))
}

/// Bindings of one answer.
const MOST_BINDINGS: usize = 2048;

/// Octets of one answer to a GetBulk, about: as much as a datagram to the manager holds.
const MOST_OCTETS: usize = 64 * 1024;
