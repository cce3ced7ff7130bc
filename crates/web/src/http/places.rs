//! Those who read streams that do not end, within bounds: of all of them, and of each principal.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};

use trunkline_tree::policy::OwnedPrincipal;

/// The readers of a door's streams.
#[derive(Default)]
pub struct Places(Mutex<HashMap<Vec<u8>, usize>>);

/// The place of one of them, until it is dropped.
pub struct Place {
    of: Arc<Places>,
    name: Vec<u8>,
}

/// Why there is none left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPlace {
    /// All together have too many.
    #[error("there are too many subscribers: end another one")]
    All,
    /// This principal has too many.
    #[error("this principal has too many subscriptions: end another one")]
    OfPrincipal,
}

impl Places {
    /// A place, if there is one left.
    ///
    /// # Errors
    /// [`NoPlace`]
    pub fn enter(self: &Arc<Self>, principal: &OwnedPrincipal) -> Result<Place, NoPlace> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.values().sum::<usize>() >= MOST {
            return Err(NoPlace::All);
        }
        let theirs = all.entry(principal.name.clone()).or_default();
        if *theirs >= MOST_OF_PRINCIPAL {
            return Err(NoPlace::OfPrincipal);
        }
        *theirs += 1;
        Ok(Place { of: self.clone(), name: principal.name.clone() })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut all = self.of.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut theirs) = all.entry(std::mem::take(&mut self.name)) {
            *theirs.get_mut() -= 1;
            if *theirs.get() == 0 {
                theirs.remove();
            }
        }
    }
}

/// Readers at the same time.
const MOST: usize = 256;
/// Those of one principal.
const MOST_OF_PRINCIPAL: usize = 64;
