//! What the responder asks of an agent's objects, whether they are synthetic or recorded.

use trunkline_smi::{Exception, OidBuf, ValueRef};

/// The objects of one agent at one moment, in the order of their names.
pub trait Objects {
    /// The value of an instance.
    ///
    /// # Errors
    /// There is no such object, or no such instance of it.
    fn get<'s>(&'s self, name: &[u32], text: &'s mut Vec<u8>) -> Result<ValueRef<'s>, Exception>;

    /// Moves `name` on to the next instance and returns its value; `None` behind the last one. Text that has to be made
    /// is written into `text`.
    fn next<'s>(&'s self, name: &mut OidBuf, text: &'s mut Vec<u8>) -> Option<ValueRef<'s>>;
}
