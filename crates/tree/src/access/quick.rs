//! A view in which a name is found without looking at all families, as far as none of them has wildcards.

use std::sync::Arc;

use crate::view::{Coverage, View};

/// A view with an order in which its families are found.
#[derive(Debug)]
pub(crate) struct Quick {
    view: Arc<View>,
    /// `None`: there are wildcards, and all families are looked at.
    order: Option<Order>,
}

/// Families by their subtrees: what is in one comes right behind it.
#[derive(Debug)]
struct Order {
    /// Positions of the families.
    families: Vec<u32>,
    /// For each of these, where in the order the narrowest is that it is in.
    within: Vec<Option<u32>>,
}

impl Quick {
    pub fn new(view: Arc<View>) -> Self {
        let is_plain = view.families().iter().all(|family| family.mask.is_empty());
        let order = is_plain.then(|| Order::of(&view));
        Quick { view, order }
    }

    pub const fn view(&self) -> &Arc<View> {
        &self.view
    }

    /// As [`View::contains`].
    pub fn contains(&self, name: &[u32]) -> bool {
        match &self.order {
            Some(order) => order.contains(&self.view, name),
            None => self.view.contains(name),
        }
    }

    /// As [`View::coverage`].
    pub fn coverage(&self, prefix: &[u32]) -> Coverage {
        let Some(order) = &self.order else { return self.view.coverage(prefix) };
        let whole = order.contains(&self.view, prefix);
        if order.below(&self.view, prefix).any(|included| included != whole) {
            Coverage::Some
        } else if whole {
            Coverage::All
        } else {
            Coverage::None
        }
    }
}

impl Order {
    fn of(view: &View) -> Self {
        let all = view.families();
        let mut families: Vec<u32> = (0_u32..).take(all.len()).collect();
        families.sort_by(|one, other| all[*one as usize].subtree.cmp(&all[*other as usize].subtree));
        let mut within: Vec<Option<u32>> = Vec::with_capacity(all.len());
        for at in 0..families.len() {
            let subtree = &all[families[at] as usize].subtree;
            let mut holder = at.checked_sub(1).and_then(|before| u32::try_from(before).ok());
            while let Some(before) = holder {
                if subtree.starts_with(&all[families[before as usize] as usize].subtree) {
                    break;
                }
                holder = within[before as usize];
            }
            within.push(holder);
        }
        Order { families, within }
    }

    /// How many families have subtrees up to this name.
    fn up_to(&self, view: &View, name: &[u32]) -> usize {
        self.families.partition_point(|at| view.families()[*at as usize].subtree[..] <= *name)
    }

    fn contains(&self, view: &View, name: &[u32]) -> bool {
        let mut at = self.up_to(view, name).checked_sub(1);
        while let Some(found) = at {
            let family = &view.families()[self.families[found] as usize];
            if name.starts_with(&family.subtree) {
                return family.included;
            }
            at = self.within[found].map(|within| within as usize);
        }
        false
    }

    /// Of the families that are narrower than a prefix and in it, whether they include.
    fn below<'v>(&'v self, view: &'v View, prefix: &'v [u32]) -> impl Iterator<Item = bool> + 'v {
        let families =
            self.families[self.up_to(view, prefix)..].iter().map(|at| &view.families()[*at as usize]);
        families.take_while(|family| family.subtree.starts_with(prefix)).map(|family| family.included)
    }
}
