//! A bound for what queries take.

/// How much work a query may still take, over all MBeans that it is asked about: a step for each of its parts, and for each
/// character that is compared or copied.
#[derive(Clone, Debug)]
pub struct Work {
    left: u64,
    is_over: bool,
}

impl Work {
    /// So many steps.
    pub fn of(steps: u64) -> Self {
        Work { left: steps, is_over: false }
    }

    /// Whether it did not suffice: what was selected since is not all.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Takes steps; `None` if there are too few, from then on.
    pub(super) fn take(&mut self, steps: usize) -> Option<()> {
        match self.left.checked_sub(steps as u64) {
            Some(left) if !self.is_over => {
                self.left = left;
                Some(())
            }
            _ => {
                self.is_over = true;
                None
            }
        }
    }
}
