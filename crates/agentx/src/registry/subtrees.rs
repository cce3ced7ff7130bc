//! Subtrees by context, root and priority: no two are the same in all three (RFC 2741 section 7.1.4).

use std::collections::BTreeMap;

use trunkline_smi::Oid;

use crate::wire::{ErrorCode, Registration};

/// A subtree that somebody answers for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subtree<'a> {
    /// In which context; empty for the default one.
    pub context: &'a [u8],
    /// Where it begins.
    pub root: &'a Oid,
    /// The lowest number wins.
    pub priority: u8,
    /// Seconds to wait for its answers; 0: as of the session.
    pub timeout: u8,
    /// Who answers.
    pub session: u32,
    /// The number of the registration that it is of.
    pub registration: u32,
    /// The root is the name of one instance.
    pub is_instance: bool,
}

/// All subtrees.
#[derive(Debug, Default)]
pub(super) struct Subtrees {
    contexts: BTreeMap<Vec<u8>, BTreeMap<(Oid, u8), Owner>>,
    count: usize,
}

#[derive(Debug)]
struct Owner {
    session: u32,
    registration: u32,
    timeout: u8,
    is_instance: bool,
}

impl Subtrees {
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn contains(&self, context: &[u8], root: &Oid, priority: u8) -> bool {
        let of_context = self.contexts.get(context);
        of_context.is_some_and(|subtrees| subtrees.contains_key(&(root.clone(), priority)))
    }

    pub fn insert(
        &mut self,
        context: &[u8],
        root: Oid,
        registration: &Registration,
        session: u32,
        number: u32,
    ) {
        let Registration { timeout, priority, is_instance, .. } = *registration;
        let owner = Owner { session, registration: number, timeout, is_instance };
        let of_context = self.contexts.entry(context.to_vec()).or_default();
        if of_context.insert((root, priority), owner).is_none() {
            self.count += 1;
        }
    }

    pub fn remove_session(&mut self, session: u32) {
        self.retain(|owner| owner.session != session);
    }

    pub fn remove_registration(&mut self, registration: u32) {
        self.retain(|owner| owner.registration != registration);
    }

    fn retain(&mut self, keep: impl Fn(&Owner) -> bool) {
        self.contexts.retain(|_, subtrees| {
            subtrees.retain(|_, owner| keep(owner));
            !subtrees.is_empty()
        });
        self.count = self.contexts.values().map(BTreeMap::len).sum();
    }

    pub fn contexts(&self) -> impl Iterator<Item = &[u8]> {
        self.contexts.keys().map(Vec::as_slice)
    }

    pub fn iter(&self) -> impl Iterator<Item = Subtree<'_>> {
        self.contexts.iter().flat_map(|(context, subtrees)| views(context, subtrees))
    }

    pub fn of_context(&self, context: &[u8]) -> impl Iterator<Item = Subtree<'_>> {
        let found = self.contexts.get_key_value(context);
        found.into_iter().flat_map(|(context, subtrees)| views(context, subtrees))
    }
}

fn views<'a>(
    context: &'a [u8],
    subtrees: &'a BTreeMap<(Oid, u8), Owner>,
) -> impl Iterator<Item = Subtree<'a>> {
    subtrees.iter().map(move |((root, priority), owner)| Subtree {
        context,
        root,
        priority: *priority,
        timeout: owner.timeout,
        session: owner.session,
        registration: owner.registration,
        is_instance: owner.is_instance,
    })
}

/// The subtrees of a registration: one, or as many as its range has numbers. A range that its subtree does not have, or
/// that ends before it begins, is an error of the subagent's; one that is too long is denied.
pub(super) fn expand(registration: &Registration, most: usize) -> Result<Vec<Oid>, ErrorCode> {
    let Registration { subtree, .. } = registration;
    let Some((which, last)) = super::range_of(registration) else { return Ok(vec![subtree.clone()]) };
    let place = usize::from(which) - 1;
    let first = *subtree.get(place).ok_or(ErrorCode::ProcessingError)?;
    if last < first {
        return Err(ErrorCode::ProcessingError);
    }
    if (last - first) as usize >= most {
        return Err(ErrorCode::RequestDenied);
    }
    let with = |number| Oid::EMPTY.child(&subtree[..place]).child(&[number]).child(&subtree[place + 1..]);
    Ok((first..=last).map(with).collect())
}
