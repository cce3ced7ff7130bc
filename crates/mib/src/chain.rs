//! Names that grow while others read them: each step has all of the one before it.

use std::sync::OnceLock;

use mib_rs::mib::Mib;

use crate::catalog::Catalog;

/// What texts gave.
#[derive(Debug)]
pub(crate) struct Extended {
    pub catalog: Catalog,
    pub mib: Mib,
}

/// Steps behind one another. A step stays where it is, so that references to it last as long as the chain.
#[derive(Debug, Default)]
pub(crate) struct Chain(OnceLock<Box<Link>>);

#[derive(Debug)]
struct Link {
    step: Extended,
    next: Chain,
}

impl Chain {
    /// The steps, the first one first.
    pub fn steps(&self) -> impl Iterator<Item = &Extended> {
        let links = std::iter::successors(self.0.get(), |link| link.next.0.get());
        links.map(|link| &link.step)
    }

    /// Adds a step behind the last one.
    pub fn push(&self, step: Extended) {
        let mut link = Box::new(Link { step, next: Chain::default() });
        let mut at = self;
        while let Err(refused) = at.0.set(link) {
            let Some(taken) = at.0.get() else { return };
            (at, link) = (&taken.next, refused);
        }
    }
}
