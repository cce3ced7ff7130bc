//! How messages leave a session: compressed, if both ends have it, and framed.

use std::sync::{Arc, Mutex, PoisonError};

use trunkline_core::{Phase, Phases};
use trunkline_netconf::compression::{Agreed, Algorithm, Deflater};
use trunkline_netconf::framing::Framing;
use trunkline_transport::talk::Parted;

/// What is done with the messages of a session on their way out.
pub(super) struct Outbound {
    pub framing: Framing,
    /// What both ends have.
    pub agreed: Agreed,
    pool: Arc<Deflaters>,
    /// While a message has begun.
    deflater: Option<(Algorithm, Deflater)>,
    /// Whether a part of a message has come.
    has_begun: bool,
}

/// Compressors that no message needs just now: they are large, and sessions that say nothing have none.
#[derive(Default)]
pub(super) struct Deflaters(Mutex<Vec<(Algorithm, Deflater)>>);

impl Deflaters {
    fn take(&self, algorithm: Algorithm) -> Result<Deflater, Parted> {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = free.iter().position(|(of, _)| *of == algorithm);
        let found = at.map(|at| free.swap_remove(at).1);
        drop(free);
        found.map_or_else(|| Deflater::new(algorithm).map_err(|_| Parted::Failed), Ok)
    }

    fn give_back(&self, algorithm: Algorithm, deflater: Deflater) {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < MOST_FREE {
            free.push((algorithm, deflater));
        }
    }
}

impl Outbound {
    /// Before the hellos.
    pub fn new(pool: Arc<Deflaters>) -> Self {
        let (framing, agreed) = (Framing::EndOfMessage, Agreed::default());
        Outbound { framing, agreed, pool, deflater: None, has_begun: false }
    }

    /// Appends what of a part of a message can be sent now.
    ///
    /// # Errors
    /// It cannot be compressed: there is no memory.
    pub fn part(
        &mut self,
        phases: &Phases,
        part: &[u8],
        is_end: bool,
        framed: &mut Vec<u8>,
    ) -> Result<(), Parted> {
        let begins = !self.has_begun;
        self.has_begun = !is_end;
        if begins
            && let Some(algorithm) = self.agreed.preferred()
            // What is short gets longer.
            && (!is_end || part.len() >= LEAST)
        {
            self.deflater = Some((algorithm, self.pool.take(algorithm)?));
        }
        if let Some((_, deflater)) = &mut self.deflater {
            phases.begin(Phase::Deflate);
            let mut compressed = Vec::with_capacity(part.len() / 4);
            deflater.part(part, is_end, &mut compressed).map_err(|_| Parted::Failed)?;
            phases.begin(Phase::Send);
            self.framing.part(&compressed, framed);
        } else {
            self.framing.part(part, framed);
        }
        if is_end {
            self.framing.end(framed);
            if let Some((algorithm, deflater)) = self.deflater.take() {
                self.pool.give_back(algorithm, deflater);
            }
        }
        Ok(())
    }
}

/// Octets of a message that is worth compressing.
const LEAST: usize = 1000;
/// Compressors that are kept: as many as processors that a small machine has.
const MOST_FREE: usize = 4;
