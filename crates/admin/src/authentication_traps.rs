//! snmpEnableAuthenTraps: whether authenticationFailure is sent. The configuration takes precedence over what a
//! manager has set, and cannot be overridden, as in Net-SNMP.

use std::sync::{Arc, Mutex, PoisonError};

use super::Kept;

/// The value, and its origin.
#[derive(Debug)]
pub struct AuthenticationTraps {
    configured: Mutex<Option<bool>>,
    kept: Arc<Kept>,
}

impl AuthenticationTraps {
    /// The value of a configuration, or what managers have set.
    pub fn new(configured: Option<bool>, kept: Arc<Kept>) -> Self {
        AuthenticationTraps { configured: Mutex::new(configured), kept }
    }

    /// Applies another configuration.
    pub fn configure(&self, configured: Option<bool>) {
        *self.configured.lock().unwrap_or_else(PoisonError::into_inner) = configured;
    }

    /// Whether the configuration sets it.
    pub fn is_configured(&self) -> bool {
        self.configured.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// The value that somebody has set, and whether the configuration has.
    pub fn set_value(&self) -> Option<(bool, bool)> {
        let configured = *self.configured.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = || self.kept.state().snmp_enable_authen_traps.map(|value| (value, false));
        configured.map(|value| (value, true)).or_else(kept)
    }

    /// Whether authenticationFailure is sent; off by default.
    pub fn are_enabled(&self) -> bool {
        let configured = *self.configured.lock().unwrap_or_else(PoisonError::into_inner);
        configured.or(self.kept.state().snmp_enable_authen_traps).unwrap_or(false)
    }
}
