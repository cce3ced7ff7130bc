//! Places of outstanding requests: as many as there may be, made once. A request-id names its place, so that an answer
//! finds it without a search; its other bits change with each use, so that an old answer does not match.

use std::time::Duration;

use crate::error::PollError;
use crate::protocol::RequestId;

/// A request that is outstanding, or that was given up and whose place has not been used again.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub agent: u32,
    pub round: u64,
    pub due: Duration,
    /// When its turn came: from here on it is waited for.
    pub begun: Duration,
    /// When it was sent; `None` as long as it waits in its session.
    pub sent: Option<Duration>,
    pub state: State,
    generation: u32,
    before: u32,
    behind: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Free,
    Outstanding,
    /// Given up; a late answer is still recognised.
    Lost,
}

/// All places. Those that are outstanding are a list in the order of their beginning, the others one in the order of their end, so
/// that the place that was given up last is used again last.
#[derive(Debug)]
pub struct Places {
    places: Vec<Place>,
    outstanding: List,
    free: List,
    count: usize,
    bits: u32,
}

#[derive(Clone, Copy, Debug)]
struct List {
    first: u32,
    last: u32,
}

impl Places {
    /// So many places; 1 to [`MOST_PLACES`].
    pub fn new(count: usize) -> Result<Self, PollError> {
        if count == 0 || count > MOST_PLACES {
            return Err(PollError::Places { most: MOST_PLACES, found: count });
        }
        let empty = Place {
            agent: 0,
            round: 0,
            due: Duration::ZERO,
            begun: Duration::ZERO,
            sent: None,
            state: State::Free,
            generation: 0,
            before: NONE,
            behind: NONE,
        };
        let list = List { first: NONE, last: NONE };
        let bits = usize::BITS - (count - 1).leading_zeros();
        let mut places = Self { places: vec![empty; count], outstanding: list, free: list, count: 0, bits };
        (0..count as u32).for_each(|at| places.append(false, at));
        Ok(places)
    }

    /// How many are outstanding.
    pub const fn outstanding(&self) -> usize {
        self.count
    }

    /// How many could still be.
    pub const fn free(&self) -> usize {
        self.places.len() - self.count
    }

    /// Takes a place, for a request that is not sent yet; `None` if all are outstanding.
    pub fn take(&mut self, agent: u32, round: u64, due: Duration, begun: Duration) -> Option<RequestId> {
        let at = self.free.first;
        let place = *self.places.get(at as usize)?;
        self.unlink(false, at);
        let generation = place.generation.wrapping_add(1) & (u32::MAX >> (2 + self.bits));
        self.places[at as usize] =
            Place { agent, round, due, begun, sent: None, state: State::Outstanding, generation, ..place };
        self.append(true, at);
        self.count += 1;
        Some(RequestId::new(generation << self.bits | at))
    }

    /// The place of a request-id, if that is its present one and it was used.
    pub fn get(&self, id: RequestId) -> Option<&Place> {
        let number = id.number()?;
        let place = self.places.get(self.at(number))?;
        (place.generation == number >> self.bits && place.state != State::Free).then_some(place)
    }

    /// Notes that a request was sent.
    pub fn send(&mut self, id: RequestId, now: Duration) {
        let Some(number) = id.number().filter(|_| self.get(id).is_some()) else { return };
        let at = self.at(number);
        self.places[at].sent = Some(now);
    }

    const fn at(&self, number: u32) -> usize {
        (number & ((1 << self.bits) - 1)) as usize
    }

    /// Ends a request: answered, or given up with its place remembered. Its id must be a present one.
    pub fn end(&mut self, id: RequestId, state: State) {
        let Some(number) = id.number() else { return };
        let at = number & ((1 << self.bits) - 1);
        let Some(place) = self.places.get_mut(at as usize) else { return };
        let was = std::mem::replace(&mut place.state, state);
        if was == State::Outstanding {
            self.unlink(true, at);
            self.append(false, at);
            self.count -= 1;
        }
    }

    /// The request that began first of those that are outstanding.
    pub fn oldest(&self) -> Option<(RequestId, &Place)> {
        let at = self.outstanding.first;
        let place = self.places.get(at as usize)?;
        Some((RequestId::new(place.generation << self.bits | at), place))
    }

    fn list(&mut self, is_outstanding: bool) -> &mut List {
        if is_outstanding { &mut self.outstanding } else { &mut self.free }
    }

    fn append(&mut self, is_outstanding: bool, at: u32) {
        let list = self.list(is_outstanding);
        let last = std::mem::replace(&mut list.last, at);
        if last == NONE {
            list.first = at;
        } else {
            self.places[last as usize].behind = at;
        }
        let place = &mut self.places[at as usize];
        (place.before, place.behind) = (last, NONE);
    }

    fn unlink(&mut self, is_outstanding: bool, at: u32) {
        let Place { before, behind, .. } = self.places[at as usize];
        match before {
            NONE => self.list(is_outstanding).first = behind,
            before => self.places[before as usize].behind = behind,
        }
        match behind {
            NONE => self.list(is_outstanding).last = before,
            behind => self.places[behind as usize].before = before,
        }
    }
}

/// No place.
const NONE: u32 = u32::MAX;

/// As many as leave six bits of the thirty of a request-id to tell uses of a place apart.
pub const MOST_PLACES: usize = 1 << 24;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn take(places: &mut Places, agent: u32) -> Option<RequestId> {
        places.take(agent, 0, Duration::ZERO, Duration::ZERO)
    }

    #[test]
    fn a_place_is_used_again_last_and_its_old_id_does_not_match() {
        let mut places = Places::new(3).unwrap();
        let ids: Vec<RequestId> = (0..3).map(|agent| take(&mut places, agent).unwrap()).collect();
        assert_eq!((take(&mut places, 3), places.outstanding(), places.free()), (None, 3, 0));
        assert_eq!(places.oldest().map(|(id, _)| id), Some(ids[0]));
        places.end(ids[1], State::Free);
        places.end(ids[0], State::Lost);
        assert_eq!(places.oldest().map(|(id, _)| id), Some(ids[2]));
        assert!(places.get(ids[1]).is_none());
        assert_eq!(places.get(ids[0]).map(|place| (place.agent, place.state)), Some((0, State::Lost)));
        // The place of the answered request is taken first.
        assert!(take(&mut places, 4).is_some());
        assert!(places.get(ids[0]).is_some());
        let again = take(&mut places, 5).unwrap();
        assert!(places.get(ids[0]).is_none());
        assert_eq!(places.get(again).map(|place| place.agent), Some(5));
    }

    #[test]
    fn every_number_of_places_has_ids_of_four_octets() {
        for count in [1, 2, 3, 1000, 1 << 20] {
            let mut places = Places::new(count).unwrap();
            let id = take(&mut places, 9).unwrap();
            assert!(id.get() >= 0x4000_0000, "{id:?}");
            assert_eq!(places.get(id).unwrap().agent, 9);
            for wrong in [0, -1, 1, id.get() ^ 1, i32::MAX] {
                assert!(places.get(RequestId::from(wrong)).is_none(), "{count} {wrong}");
            }
        }
        assert!(matches!(Places::new(0), Err(PollError::Places { .. })));
        assert!(matches!(Places::new(MOST_PLACES + 1), Err(PollError::Places { .. })));
    }

    proptest! {
        /// As a queue would do it.
        #[test]
        fn the_oldest_is_the_one_that_began_first(steps in prop::collection::vec((any::<bool>(), any::<u8>()), 0..200)) {
            let mut places = Places::new(9).unwrap();
            let mut queue: Vec<RequestId> = Vec::new();
            for (takes, which) in steps {
                if takes {
                    let id = take(&mut places, 1);
                    prop_assert_eq!(id.is_some(), queue.len() < 9);
                    queue.extend(id);
                } else if !queue.is_empty() {
                    let id = queue.remove(usize::from(which) % queue.len());
                    places.end(id, if which & 1 == 0 { State::Free } else { State::Lost });
                }
                prop_assert_eq!(places.outstanding(), queue.len());
                prop_assert_eq!(places.oldest().map(|(id, _)| id), queue.first().copied());
            }
        }
    }
}
