//! Who has prepared what is delegated. A candidate is shared: whoever commits it has not written what others put into it, and lends it no
//! rights.

use std::collections::BTreeMap;

use trunkline_datastore::{Change, Config, Step};
use trunkline_models::delegation;
use trunkline_tree::policy::OwnedPrincipal;
use trunkline_yang::forest::Forest;

/// The last writers of the entries of a candidate, by where these are.
#[derive(Default)]
pub(super) struct Authors(BTreeMap<Vec<Step>, OwnedPrincipal>);

impl Authors {
    /// Somebody has changed the candidate, which is this one now.
    pub fn note(&mut self, forest: &Forest, candidate: &Config, changed: &[Change], by: &OwnedPrincipal) {
        let Some(root) = delegation::root(forest) else { return };
        let delegated = changed.iter().filter(|it| it.path.first().is_some_and(|step| step.node == root));
        for change in delegated {
            self.0.insert(entry(&change.path).to_vec(), by.clone());
        }
        self.0.retain(|place, _| candidate.at(place).is_some());
    }

    /// Nothing is prepared any more.
    pub fn forget(&mut self) {
        self.0.clear();
    }

    /// Who has prepared what stands at this place of a configuration, if that is what the candidate has there.
    pub fn of(&self, candidate: Option<&Config>, new: &Config, place: &[Step]) -> Option<OwnedPrincipal> {
        let place = entry(place);
        let by = self.0.get(place)?;
        (candidate?.at(place) == new.at(place)).then(|| by.clone())
    }
}

/// The innermost entry of a list on the way to a place.
fn entry(place: &[Step]) -> &[Step] {
    let length = place.iter().rposition(|step| !step.keys.is_empty()).map_or(0, |at| at + 1);
    &place[..length]
}
