//! Many object identifiers in two allocations: the names of a request, the
//! row indexes of a table, the values of a column of identifiers.

/// A list of object identifiers stored end to end. Clearing keeps the memory,
/// so a list that is reused stops allocating once it has seen its largest use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OidList {
    sub_ids: Vec<u32>,
    ends: Vec<u32>,
}

impl OidList {
    /// An empty list.
    pub const fn new() -> Self {
        OidList { sub_ids: Vec::new(), ends: Vec::new() }
    }

    /// How many identifiers.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Forgets all, keeps the memory.
    pub fn clear(&mut self) {
        self.sub_ids.clear();
        self.ends.clear();
    }

    /// Appends one identifier.
    #[inline]
    pub fn push(&mut self, sub_ids: &[u32]) {
        self.sub_ids.extend_from_slice(sub_ids);
        self.finish();
    }

    /// Appends one sub-identifier to the identifier under construction; [`OidList::finish`] ends it.
    #[inline]
    pub fn push_sub_id(&mut self, sub_id: u32) {
        self.sub_ids.push(sub_id);
    }

    /// Ends the identifier under construction.
    #[inline]
    pub fn finish(&mut self) {
        self.ends.push(self.sub_ids.len() as u32); // a list of 2^32 sub-identifiers would be 16 GiB
    }

    /// The identifier at a position, `None` past the end.
    #[inline]
    pub fn get(&self, at: usize) -> Option<&[u32]> {
        let end = *self.ends.get(at)? as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        Some(&self.sub_ids[start..end])
    }

    /// All of them in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|at| &self[at])
    }

    /// In a sorted list: the position of the first identifier greater than `key`.
    pub fn upper_bound(&self, key: &[u32]) -> usize {
        self.partition_point(|oid| oid <= key)
    }

    /// In a sorted list: the position of `key`.
    pub fn find(&self, key: &[u32]) -> Option<usize> {
        let at = self.partition_point(|oid| oid < key);
        (self.get(at)? == key).then_some(at)
    }

    fn partition_point(&self, before: impl Fn(&[u32]) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if before(&self[middle]) { low = middle + 1 } else { high = middle }
        }
        low
    }
}

impl std::ops::Index<usize> for OidList {
    type Output = [u32];
    fn index(&self, at: usize) -> &[u32] {
        let end = self.ends[at] as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.sub_ids[start..end]
    }
}

impl<'a> FromIterator<&'a [u32]> for OidList {
    fn from_iter<I: IntoIterator<Item = &'a [u32]>>(oids: I) -> Self {
        let mut list = OidList::new();
        oids.into_iter().for_each(|oid| list.push(oid));
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_in_a_sorted_list() {
        let list: OidList = [&[1][..], &[1, 5], &[2], &[10]].into_iter().collect();
        assert_eq!(list.find(&[1, 5]), Some(1));
        assert_eq!(list.find(&[1, 4]), None);
        assert_eq!(list.find(&[11]), None);
        assert_eq!(list.upper_bound(&[]), 0);
        assert_eq!(list.upper_bound(&[1]), 1);
        assert_eq!(list.upper_bound(&[1, 9]), 2);
        assert_eq!(list.upper_bound(&[10]), 4);
        assert_eq!(list.iter().map(<[u32]>::len).sum::<usize>(), 5);
    }
}
