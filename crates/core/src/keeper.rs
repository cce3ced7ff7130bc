//! Objects that are a part of the configuration: who keeps that changes it when they are set.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use trunkline_tree::SetBinding;
use trunkline_tree::policy::Principal;

use super::set::{NotSet, in_tree};

/// A set that is to be made.
pub type Setting<'a> = Pin<Box<dyn Future<Output = Result<(), NotSet>> + Send + 'a>>;

/// Who keeps the configuration.
pub trait Keeper: Send + Sync {
    /// Makes a set, and the configuration what it then is: both or neither.
    fn keep<'a>(
        &'a self,
        principal: &'a Principal<'a>,
        bindings: &'a [SetBinding],
        set: Setting<'a>,
    ) -> Setting<'a>;
}

/// Who that is; the first one stays.
#[derive(Clone, Default)]
pub struct Keeping(Arc<OnceLock<Arc<dyn Keeper>>>);

impl Keeping {
    /// From now on this one keeps it.
    pub fn begin(&self, keeper: Arc<dyn Keeper>) {
        let _ = self.0.set(keeper);
    }

    /// Who keeps what these objects are in.
    pub(super) fn of(&self, bindings: &[SetBinding]) -> Option<Arc<dyn Keeper>> {
        let kept = || KEPT.iter().chain(in_tree());
        let is_kept = |binding: &SetBinding| kept().any(|object| binding.name.starts_with(object));
        self.0.get().filter(|_| bindings.iter().any(is_kept)).cloned()
    }
}

/// ifAdminStatus and ifAlias (RFC 8343 section 4): the kernel does not keep what is configured of them.
const KEPT: [&[u32]; 2] = [IF_ADMIN_STATUS, IF_ALIAS];
/// The column ifAdminStatus.
pub const IF_ADMIN_STATUS: &[u32] = &[1, 3, 6, 1, 2, 1, 2, 2, 1, 7];
/// The column ifAlias.
pub const IF_ALIAS: &[u32] = &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 18];
