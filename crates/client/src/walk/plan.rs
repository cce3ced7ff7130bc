//! What a walk requests next, without I/O: the parts of the subtree to request at the same time, how much of each,
//! and what the answers mean.
//!
//! Within one part each request needs the previous answer, so requests can only overlap when a walk has several
//! parts. It starts with one. When an answer is full and all its names share a prefix (a long column), the rest is
//! split after that prefix on each level; if such a split turns out to hold a sibling, the siblings after it are
//! guessed too. So the columns of a large table are walked side by side without knowing the table. Small tables
//! are not split: a few growing requests are all they need.
//!
//! Results come out in order. Parts that are ahead wait in a bounded buffer.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use trunkline_smi::Oid;
use trunkline_snmp::wire::{Bound, ErrorStatus, Exception, VarBind, Version};

use super::WalkOptions;
use super::segment::{Place, Segment, State};
use super::tune::Tuner;
use crate::error::Error;
use crate::exchange::Response;

/// A request to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ask {
    pub(super) ticket: u64,
    pub(super) operation: Operation,
    pub(super) names: Vec<Oid>,
    /// The number of this attempt, 1 for the first.
    pub(super) attempt: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Get,
    Next,
    Bulk(u32),
}

/// The state of a walk.
pub(super) struct Plan {
    version: Version,
    options: WalkOptions,
    retries: u32,
    tuner: Tuner,
    segments: VecDeque<Segment>,
    /// The segments of each open request, and how many repetitions it requests.
    open: HashMap<u64, (Vec<u64>, usize)>,
    /// How many names each subtree held whose siblings are walked, by parent.
    sizes: HashMap<Oid, usize>,
    /// How many names the longest sibling holds so far, by parent.
    grown: HashMap<Oid, usize>,
    last_number: u64,
    delivered: usize,
    buffered: usize,
    /// The name to Get if nothing is found.
    fallback: Option<Oid>,
    fallback_open: bool,
    finished: bool,
}

impl Plan {
    /// A walk of the subtrees `roots`, which must be sorted and must not overlap.
    pub(super) fn new(
        roots: Vec<Oid>,
        options: WalkOptions,
        version: Version,
        timeout: Duration,
        retries: u32,
    ) -> Self {
        let fallback = roots.first().filter(|_| options.get_root_if_empty && roots.len() == 1).cloned();
        let tuner = Tuner::new(&options, timeout);
        let mut plan = Self {
            version,
            retries,
            tuner,
            segments: VecDeque::new(),
            open: HashMap::new(),
            sizes: HashMap::new(),
            grown: HashMap::new(),
            last_number: 0,
            delivered: 0,
            buffered: 0,
            fallback,
            fallback_open: false,
            finished: false,
            options,
        };
        let guess = (roots.len() > 1).then_some(());
        for root in roots {
            let id = plan.number();
            let guessed = guess.and(root.len().checked_sub(1));
            plan.segments.push_back(Segment { guessed, ..Segment::of_subtree(id, root) });
        }
        for point in std::mem::take(&mut plan.options.split_at) {
            plan.split_where_it_fits(point);
        }
        plan
    }

    fn number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Whether all results, or an error, were handed out.
    pub(super) const fn is_finished(&self) -> bool {
        self.finished
    }

    /// Results that can be handed out, in order. After an error there is nothing more.
    pub(super) fn take_ready(&mut self) -> Option<Result<Vec<VarBind>, Error>> {
        let mut ready = Vec::new();
        while let Some(front) = self.segments.front_mut() {
            ready.extend(front.found.drain(..));
            if !front.is_over() || (!ready.is_empty() && matches!(front.state, State::Failed(_))) {
                break;
            }
            if let Some(Segment { state: State::Failed(error), .. }) = self.segments.pop_front() {
                self.finish();
                return Some(Err(error));
            }
        }
        self.buffered = self.buffered.saturating_sub(ready.len());
        let room = self.options.max_bindings.map_or(usize::MAX, |most| most - self.delivered);
        ready.truncate(room);
        self.delivered += ready.len();
        let nothing_to_try = self.fallback.is_none() && !self.fallback_open;
        let complete = self.segments.is_empty() && (self.delivered > 0 || nothing_to_try);
        if ready.len() == room || complete {
            self.finish();
        }
        (!ready.is_empty()).then_some(Ok(ready))
    }

    fn finish(&mut self) {
        self.finished = true;
        self.segments.clear();
    }

    /// The next request that may be sent now.
    pub(super) fn next_ask(&mut self) -> Option<Ask> {
        if self.finished {
            return None;
        }
        if self.segments.is_empty() {
            let name = self.fallback.take()?;
            self.fallback_open = true;
            let ticket = self.number();
            self.open.insert(ticket, (Vec::new(), 1));
            return Some(Ask { ticket, operation: Operation::Get, names: vec![name], attempt: 1 });
        }
        let reach = if self.buffered > self.options.buffer { 1 } else { self.segments.len() };
        let first = (0..reach).find(|&at| self.segments[at].is_idle())?;
        let (parts, repetitions) = self.bundle(first, reach);
        let ticket = self.number();
        let mut names = Vec::with_capacity(parts.len());
        let mut ids = Vec::with_capacity(parts.len());
        let mut attempt = 1;
        for at in parts {
            let segment = &mut self.segments[at];
            segment.state = State::Asked;
            attempt = attempt.max(segment.timeouts + 1);
            names.push(segment.cursor.clone());
            ids.push(segment.id);
        }
        self.open.insert(ticket, (ids, repetitions));
        let operation = match self.version {
            Version::V1 => Operation::Next,
            Version::V2c | Version::V3 if repetitions == 1 && names.len() == 1 => Operation::Next,
            Version::V2c | Version::V3 => Operation::Bulk(u32::try_from(repetitions).unwrap_or(u32::MAX)),
        };
        Some(Ask { ticket, operation, names, attempt })
    }

    /// Which segments to request in one message, and how many names of each: those that are expected to be short,
    /// or to be missing, are combined.
    fn bundle(&self, first: usize, reach: usize) -> (Vec<usize>, usize) {
        let budget = self.tuner.budget();
        let head = &self.segments[first];
        if head.small || (head.alone && self.version == Version::V1) {
            return (vec![first], 1);
        }
        let shared = self.wanted(head).filter(|_| !head.alone && !self.tuner.is_fixed());
        let Some(wanted) = shared else {
            return (vec![first], self.repetitions_of(head));
        };
        let (mut parts, mut most) = (vec![first], wanted.min(budget));
        for at in first + 1..reach {
            let segment = &self.segments[at];
            if !segment.is_idle() || segment.alone || segment.small {
                continue;
            }
            let Some(wanted) = self.wanted(segment) else { break };
            if wanted.max(most) * (parts.len() + 1) > budget.max(MAX_BUNDLE) || parts.len() == MAX_BUNDLE {
                break;
            }
            most = most.max(wanted);
            parts.push(at);
        }
        (parts, most)
    }

    /// How many names to request of one segment alone.
    fn repetitions_of(&self, segment: &Segment) -> usize {
        if !self.tuner.is_fixed()
            && let Some(left) = self.remaining(segment)
        {
            return self.tuner.budget().min(left + 1);
        }
        let Some(parent) = self.parent_of(segment) else { return self.tuner.budget() };
        let ahead = self.grown.get(&parent).map_or(0, |most| most.saturating_sub(segment.count));
        self.tuner.budget_of_part(ahead.max(segment.count))
    }

    /// How many names are still expected, judging by its siblings.
    fn remaining(&self, segment: &Segment) -> Option<usize> {
        let parent = self.parent_of(segment)?;
        self.sizes.get(&parent).and_then(|size| size.checked_sub(segment.count))
    }

    fn parent_of(&self, segment: &Segment) -> Option<Oid> {
        Oid::new(segment.cursor.get(..segment.guessed?)?).ok()
    }

    /// How many names to request of a segment that can share a message: all that are expected and one more, or a
    /// few to see whether it exists.
    fn wanted(&self, segment: &Segment) -> Option<usize> {
        if self.version == Version::V1 {
            return Some(1);
        }
        match self.remaining(segment) {
            Some(left) => Some(left + 1),
            None if segment.count == 0 && segment.guessed.is_some() => Some(PROBE),
            None => None,
        }
    }

    /// Handles the answer to a request.
    pub(super) fn handle(&mut self, ticket: u64, answer: Result<Response, Error>) {
        let Some((ids, repetitions)) = self.open.remove(&ticket) else { return };
        if self.finished {
            return;
        }
        if ids.is_empty() {
            return self.handle_fallback(answer);
        }
        match answer {
            Ok(response) if response.is_ok() => self.handle_result(&ids, repetitions, response),
            Ok(response) => self.handle_status(&ids, repetitions, &response),
            Err(error) => self.handle_error(&ids, repetitions, error),
        }
    }

    /// The instance `root` itself, if there is nothing below it.
    fn handle_fallback(&mut self, answer: Result<Response, Error>) {
        self.fallback_open = false;
        let mut segment = Segment::of_subtree(0, Oid::EMPTY);
        segment.state = State::Done;
        match answer {
            Ok(response) if response.is_ok() => {
                let values = response.bindings.into_iter().filter(|b| matches!(b.value, Bound::Value(_)));
                values.for_each(|binding| segment.push(binding));
            }
            Ok(_) => {}
            Err(error) => segment.state = State::Failed(error),
        }
        self.segments.push_back(segment);
    }

    fn at(&self, id: u64) -> Option<usize> {
        self.segments.iter().position(|segment| segment.id == id)
    }

    fn handle_result(&mut self, ids: &[u64], repetitions: usize, response: Response) {
        let (total, octets, delay) = (response.bindings.len(), response.response_octets, response.delay);
        if total == 0 {
            let error = Error::BindingCount { expected: ids.len(), found: 0 };
            return self.retry_smaller(ids, repetitions, error);
        }
        let mut lists: Vec<Vec<VarBind>> = ids.iter().map(|_| Vec::new()).collect();
        for (i, binding) in response.bindings.into_iter().enumerate() {
            lists[i % ids.len()].push(binding);
        }
        for (&id, list) in ids.iter().zip(lists) {
            let full = list.len() == repetitions && delay >= NEAR;
            let Some(at) = self.at(id) else { continue };
            self.segments[at].state = State::Idle;
            self.segments[at].timeouts = 0;
            let was_untouched = self.segments[at].count == 0;
            self.absorb(at, list);
            if let Some(at) = self.at(id) {
                self.after_answer(at, full, was_untouched);
            }
        }
        let more_to_come = ids.iter().any(|&id| self.at(id).is_some_and(|at| self.segments[at].is_idle()));
        if total == ids.len() * repetitions {
            self.tuner.full(total, octets, delay);
        } else if more_to_come {
            self.tuner.truncated(total, octets);
        }
    }

    /// Stores names that follow each other without a gap. Names after the segment are given to the next ones,
    /// while those are still untouched.
    fn absorb(&mut self, mut at: usize, list: Vec<VarBind>) {
        let mut previous = self.segments[at].cursor.clone();
        for binding in list {
            if binding.value == Bound::Exception(Exception::EndOfMibView) {
                return self.end_from(at);
            }
            if self.options.check_order && binding.name <= previous {
                let error = Error::NotIncreasing { previous, found: binding.name };
                return self.fail(at, error);
            }
            previous = binding.name.clone();
            if !self.options.check_order {
                if !self.segments[at].holds(&binding.name) {
                    return self.end(at);
                }
                self.push(at, binding);
                continue;
            }
            while self.segments[at].place(&binding.name) == Place::After {
                self.end(at);
                at += 1;
                if !self.segments.get(at).is_some_and(Segment::is_untouched) {
                    return;
                }
            }
            if self.segments[at].place(&binding.name) == Place::Before {
                return;
            }
            self.push(at, binding);
        }
    }

    fn push(&mut self, at: usize, binding: VarBind) {
        self.buffered += 1;
        self.segments[at].push(binding);
    }

    fn end(&mut self, at: usize) {
        let segment = &mut self.segments[at];
        segment.state = State::Done;
        let count = segment.count;
        if count > 0
            && let Some(parent) = self.parent_of(&self.segments[at])
        {
            let size = self.sizes.entry(parent).or_insert(0);
            *size = count.max(*size);
        }
    }

    /// The agent has nothing at all after this point.
    fn end_from(&mut self, at: usize) {
        self.end(at);
        for later in at + 1..self.segments.len() {
            if self.segments[later].is_idle() {
                self.end(later);
            }
        }
    }

    /// Results after an error are not handed out, so they are not requested.
    fn fail(&mut self, at: usize, error: Error) {
        self.segments[at].state = State::Failed(error);
        self.segments.truncate(at + 1);
    }

    /// Looks for places to split what is left of a segment.
    fn after_answer(&mut self, at: usize, full: bool, was_untouched: bool) {
        let segment = &self.segments[at];
        let count = segment.count;
        if let Some(parent) = self.parent_of(segment) {
            let grown = self.grown.entry(parent).or_insert(0);
            *grown = count.max(*grown);
        }
        let segment = &self.segments[at];
        let splits = self.options.check_order && self.options.concurrency > 1 && self.version != Version::V1;
        if !splits || !segment.is_idle() || segment.count == 0 {
            return;
        }
        match segment.guessed {
            Some(level) if was_untouched => self.guess_siblings(at, level),
            _ if full => self.guess_levels(at),
            _ => {}
        }
    }

    /// The answer is full of names with the same prefix: where they differ, level by level, there may be a sibling
    /// as long.
    fn guess_levels(&mut self, at: usize) {
        let segment = &self.segments[at];
        let Some(oldest) = segment.found.front().or(segment.found.back()) else { return };
        let recent = segment.found.len().saturating_sub(self.tuner.budget());
        let from = segment.found.get(recent).unwrap_or(oldest);
        let (name, other) = (&segment.cursor, &from.name);
        let shared = name.iter().zip(other.iter()).take_while(|(a, b)| a == b).count();
        let top = segment.open_level();
        let points: Vec<(Oid, usize)> = (top..shared.min(top + MAX_LEVELS))
            .rev()
            .filter_map(|level| Some((sibling(name, level, 1)?, level)))
            .collect();
        // The part at hand is a child like the guessed ones.
        let deepest = points.first().map(|(_, level)| *level);
        self.split(at, points);
        if let Some(level) = deepest {
            self.segments[at].guessed = Some(level);
        }
    }

    /// A guess was right: `level` holds siblings. Guess some more after this one.
    fn guess_siblings(&mut self, at: usize, level: usize) {
        let name = self.segments[at].cursor.clone();
        let points = (1..=SIBLINGS).filter_map(|step| Some((sibling(&name, level, step)?, level))).collect();
        self.split(at, points);
    }

    /// Splits a segment at points in increasing order.
    fn split(&mut self, mut at: usize, points: Vec<(Oid, usize)>) {
        for (point, level) in points {
            if self.segments.len() >= MAX_SEGMENTS || !self.segments[at].splits_at(&point) {
                continue;
            }
            let id = self.number();
            let rest = self.segments[at].split_off(id, point);
            at += 1;
            self.segments.insert(at, Segment { guessed: Some(level), ..rest });
        }
    }

    /// Splits at a point that the caller knows.
    fn split_where_it_fits(&mut self, point: Oid) {
        let Some(at) = self.segments.iter().position(|segment| segment.splits_at(&point)) else { return };
        let level = point.len() - 1;
        self.split(at, vec![(point, level)]);
    }

    fn handle_status(&mut self, ids: &[u64], repetitions: usize, response: &Response) {
        let index = usize::try_from(response.error_index).unwrap_or(0);
        let guilty = index.checked_sub(1).filter(|&at| at < ids.len());
        let guilty = guilty.or((ids.len() == 1).then_some(0)).and_then(|at| self.at(ids[at]));
        if response.status() == Some(ErrorStatus::NoSuchName)
            && let Some(at) = guilty
        {
            // RFC 1157 section 4.1.3: there is nothing after this name.
            self.make_idle(ids);
            return self.end_from(at);
        }
        let name = ids.first().and_then(|&id| self.at(id)).map(|at| self.segments[at].cursor.clone());
        let error = Error::Status { status: response.error_status, index: response.error_index, name };
        if response.status() == Some(ErrorStatus::TooBig) && ids.len() * repetitions > 1 {
            self.tuner.refused(ids.len() * repetitions);
        }
        self.retry_smaller(ids, repetitions, error);
    }

    fn make_idle(&mut self, ids: &[u64]) {
        for at in ids.iter().filter_map(|&id| self.at(id)).collect::<Vec<_>>() {
            self.segments[at].state = State::Idle;
        }
    }

    /// Retries with fewer bindings at a time, down to the minimum.
    fn retry_smaller(&mut self, ids: &[u64], repetitions: usize, error: Error) {
        self.make_idle(ids);
        let too_big = matches!(error, Error::Status { status, .. } if status == ErrorStatus::TooBig.code());
        for at in ids.iter().filter_map(|&id| self.at(id)).collect::<Vec<_>>() {
            let segment = &mut self.segments[at];
            if ids.len() > 1 {
                segment.alone = true;
            } else if repetitions > 1 {
                segment.small = segment.small || !too_big;
            } else {
                return self.fail(at, error);
            }
        }
    }

    fn handle_error(&mut self, ids: &[u64], repetitions: usize, error: Error) {
        match error {
            Error::Timeout { .. } | Error::ConnectionLost { .. } => {
                self.tuner.timed_out(ids.len() * repetitions);
                self.make_idle(ids);
                for at in ids.iter().filter_map(|&id| self.at(id)).collect::<Vec<_>>() {
                    let segment = &mut self.segments[at];
                    segment.timeouts += 1;
                    if segment.timeouts > self.retries {
                        let error = whole_wait(error, segment.timeouts);
                        return self.fail(at, error);
                    }
                }
            }
            Error::Malformed(_) | Error::AnswerTooLong { .. } | Error::BindingCount { .. } => {
                self.tuner.refused(ids.len() * repetitions);
                self.retry_smaller(ids, repetitions, error);
            }
            error => {
                if let Some(at) = ids.iter().find_map(|&id| self.at(id)) {
                    self.fail(at, error);
                }
            }
        }
    }
}

/// The time-out of the last attempt, reported as that of all of them.
fn whole_wait(error: Error, attempts: u32) -> Error {
    match error {
        Error::Timeout { waited, ignored, .. } => {
            Error::Timeout { attempts, waited: waited * attempts, ignored }
        }
        other => other,
    }
}

/// The name up to `level`, with `step` added there.
fn sibling(name: &Oid, level: usize, step: u32) -> Option<Oid> {
    let next = name.get(level)?.checked_add(step)?;
    Some(Oid::new(&name[..level]).ok()?.child(&[next]))
}

/// Levels below the root on which siblings are guessed: group, table, entry, column.
const MAX_LEVELS: usize = 4;
/// Siblings guessed at a time once one was found.
const SIBLINGS: u32 = 8;
/// Names requested of a segment that may not exist.
const PROBE: usize = 4;
/// If answers arrive faster than this, the agent is the bottleneck, not the path: splitting then gains nothing and
/// costs the names requested beyond the ends.
const NEAR: Duration = Duration::from_millis(1);
/// Maximum number of segments in one message.
const MAX_BUNDLE: usize = 16;
/// Maximum number of segments at one time; above it, nothing is split.
const MAX_SEGMENTS: usize = 64;

#[cfg(test)]
mod tests;
