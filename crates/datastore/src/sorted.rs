//! A sorted map whose copies share what they have in common, in chunks: a copy costs a pointer for each chunk, a change one
//! chunk, and a comparison of two copies passes over the chunks that they share.

use std::sync::Arc;

/// Entries of a chunk.
const MOST: usize = 64;

/// A sorted map; no chunk is empty.
#[derive(Clone, Debug)]
pub(crate) struct Sorted<K, V>(Vec<Arc<Vec<(K, V)>>>);

impl<K, V> Default for Sorted<K, V> {
    fn default() -> Self {
        Sorted(Vec::new())
    }
}

impl<K: Ord + Clone, V: Clone> Sorted<K, V> {
    /// The chunk in which a key is, or would be, and where in it; `None` if there are no chunks.
    fn place(&self, key: &K) -> Option<(usize, Result<usize, usize>)> {
        let after = self.0.partition_point(|chunk| chunk.first().is_some_and(|(first, _)| first <= key));
        let at = after.saturating_sub(1);
        Some((at, self.0.get(at)?.binary_search_by(|(known, _)| known.cmp(key))))
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.entry(key).map(|(_, value)| value)
    }

    /// An entry.
    pub(crate) fn entry(&self, key: &K) -> Option<(&K, &V)> {
        let (at, found) = self.place(key)?;
        let (key, value) = &self.0[at][found.ok()?];
        Some((key, value))
    }

    /// Adds an entry, or replaces its value; the value before.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let (at, within) = match self.place(&key) {
            None => {
                self.0.push(Arc::new(vec![(key, value)]));
                return None;
            }
            Some((at, Ok(within))) => {
                return Some(std::mem::replace(&mut Arc::make_mut(&mut self.0[at])[within].1, value));
            }
            Some((at, Err(within))) => (at, within),
        };
        if self.0[at].len() < MOST {
            Arc::make_mut(&mut self.0[at]).insert(within, (key, value));
        } else if within == MOST {
            // What comes in order fills its chunks.
            self.0.insert(at + 1, Arc::new(vec![(key, value)]));
        } else {
            let chunk = Arc::make_mut(&mut self.0[at]);
            let mut rest = chunk.split_off(MOST / 2);
            match within <= MOST / 2 {
                true => chunk.insert(within, (key, value)),
                false => rest.insert(within - MOST / 2, (key, value)),
            }
            self.0.insert(at + 1, Arc::new(rest));
        }
        None
    }

    /// Takes an entry away; its value.
    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let (at, within) = self.place(key)?;
        let within = within.ok()?;
        let chunk = Arc::make_mut(&mut self.0[at]);
        let (_, value) = chunk.remove(within);
        if chunk.is_empty() {
            self.0.remove(at);
            return Some(value);
        }
        // Without this, many removals would leave many chunks.
        let fits = |first: &usize| {
            self.0
                .get(*first)
                .zip(self.0.get(first + 1))
                .is_some_and(|(one, two)| one.len() + two.len() <= MOST / 2)
        };
        if let Some(first) = [Some(at), at.checked_sub(1)].into_iter().flatten().find(fits) {
            let second = self.0.remove(first + 1);
            Arc::make_mut(&mut self.0[first]).extend(second.iter().cloned());
        }
        Some(value)
    }

    /// All entries in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter().flat_map(|chunk| chunk.iter()).map(|(key, value)| (key, value))
    }

    /// Whether there is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What may differ between two maps, in order: each key that is not in a chunk that they share, with its value in either.
    pub(crate) fn beside<'m>(
        &'m self,
        other: &'m Self,
    ) -> impl Iterator<Item = (&'m K, Option<&'m V>, Option<&'m V>)> {
        let (mut one, mut two) = (Cursor::of(self), Cursor::of(other));
        std::iter::from_fn(move || {
            while let (Some(this), Some(that)) = (one.at_start(), two.at_start())
                && Arc::ptr_eq(this, that)
            {
                one.skip();
                two.skip();
            }
            match (one.entry(), two.entry()) {
                (None, None) => None,
                (Some((key, old)), Some((same, new))) if key == same => {
                    one.next();
                    two.next();
                    Some((key, Some(old), Some(new)))
                }
                (Some((key, old)), second) if second.is_none_or(|(second, _)| key < second) => {
                    one.next();
                    Some((key, Some(old), None))
                }
                (_, second) => {
                    let (key, new) = second?;
                    two.next();
                    Some((key, None, Some(new)))
                }
            }
        })
    }
}

impl<K: Ord + Clone, V: Clone + PartialEq> PartialEq for Sorted<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.beside(other).all(|(_, one, two)| one == two)
    }
}

/// A place in a map.
struct Cursor<'m, K, V> {
    chunks: &'m [Arc<Vec<(K, V)>>],
    within: usize,
}

impl<'m, K, V> Cursor<'m, K, V> {
    fn of(map: &'m Sorted<K, V>) -> Self {
        Cursor { chunks: &map.0, within: 0 }
    }

    /// The chunk that begins here.
    fn at_start(&self) -> Option<&'m Arc<Vec<(K, V)>>> {
        self.chunks.first().filter(|_| self.within == 0)
    }

    /// To the next chunk.
    fn skip(&mut self) {
        self.chunks = self.chunks.get(1..).unwrap_or_default();
        self.within = 0;
    }

    fn entry(&self) -> Option<(&'m K, &'m V)> {
        self.chunks.first()?.get(self.within).map(|(key, value)| (key, value))
    }

    fn next(&mut self) {
        self.within += 1;
        if self.chunks.first().is_some_and(|chunk| self.within >= chunk.len()) {
            self.skip();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    type Map = BTreeMap<u16, u8>;

    fn changed(map: &mut Sorted<u16, u8>, model: &mut Map, changes: &[(u16, Option<u8>)]) {
        for (key, value) in changes {
            match value {
                Some(value) => assert_eq!(map.insert(*key, *value), model.insert(*key, *value)),
                None => assert_eq!(map.remove(key), model.remove(key)),
            }
        }
    }

    fn agree(map: &Sorted<u16, u8>, model: &Map) {
        assert!(map.iter().eq(model.iter()));
        assert_eq!(map.is_empty(), model.is_empty());
        assert!(map.0.iter().all(|chunk| (1..=MOST).contains(&chunk.len())));
    }

    proptest! {
        #[test]
        fn it_is_a_map_and_its_copies_differ_in_what_was_changed(
            first in prop::collection::vec((0u16..800, prop::option::weighted(0.7, 0u8..4)), 0..900),
            second in prop::collection::vec((0u16..800, prop::option::weighted(0.5, 0u8..4)), 0..60),
        ) {
            let (mut map, mut model) = (Sorted::default(), Map::new());
            changed(&mut map, &mut model, &first);
            agree(&map, &model);
            let (copy, old) = (map.clone(), model.clone());
            changed(&mut map, &mut model, &second);
            agree(&map, &model);
            agree(&copy, &old);
            prop_assert!((0..800).all(|key| map.get(&key) == model.get(&key)));
            let differ: Vec<_> = copy.beside(&map).filter(|(_, one, two)| one != two).collect();
            let keys = old.keys().chain(model.keys()).collect::<std::collections::BTreeSet<_>>();
            let expected: Vec<_> = keys
                .into_iter()
                .map(|key| (key, old.get(key), model.get(key)))
                .filter(|(_, one, two)| one != two)
                .collect();
            prop_assert_eq!(&differ, &expected);
            prop_assert_eq!(copy == map, expected.is_empty());
        }
    }

    #[test]
    fn what_copies_share_is_passed_over() {
        let mut map = Sorted::default();
        for key in 0..6400 {
            map.insert(key, 0);
        }
        assert_eq!(map.0.len(), 100);
        let mut copy = map.clone();
        assert_eq!(map.beside(&copy).count(), 0);
        copy.insert(3000, 1);
        assert_eq!(map.beside(&copy).count(), MOST);
        // A chunk that had to be split, and the chunks after it.
        copy.remove(&3000);
        let mut grown = map.clone();
        grown.insert(7000, 0);
        let mut split = map.clone();
        split.remove(&3000);
        split.insert(3000, 0);
        assert_eq!(map.beside(&split).filter(|(_, one, two)| one != two).count(), 0);
        assert_eq!(map.beside(&grown).count(), 1);
        // What is taken away takes its chunks along.
        for key in 0..6400 {
            if key % 100 != 0 {
                map.remove(&key);
            }
        }
        assert!(map.0.len() <= 8, "{}", map.0.len());
    }
}
