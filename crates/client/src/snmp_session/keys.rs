//! A user's keys, made outside the task that carries octets: hashing a password takes milliseconds.

use std::future::pending;

use tokio::task::{JoinHandle, spawn_blocking};
use trunkline_snmp::usm::{CredentialsError, User};

use super::{Reply, Shared};
use crate::error::Error;
use crate::exchange::Exchanges;

/// Keys being made, or none.
#[derive(Default)]
pub(super) struct Keys(Option<JoinHandle<Result<User, CredentialsError>>>);

impl Keys {
    /// Begins making the keys that are needed.
    pub(super) fn begin(&mut self, exchanges: &mut Exchanges<Reply>) {
        if let Some(work) = exchanges.key_work() {
            self.0 = Some(spawn_blocking(move || work.make()));
        }
    }

    /// The keys once they are made; never resolves if none are being made. Cancel safe.
    pub(super) async fn made(&mut self) -> Result<User, Error> {
        let Some(making) = &mut self.0 else { return pending().await };
        let made = making.await;
        self.0 = None;
        Ok(made.map_err(|_| Error::SessionClosed)??)
    }
}

/// Accepts the keys, or ends the requests that need them.
pub(super) fn take_keys(made: Result<User, Error>, exchanges: &mut Exchanges<Reply>, shared: &Shared) {
    if let Ok(user) = &made {
        shared.found_engine(user.engine_id());
    }
    match made {
        Ok(user) => exchanges.handle_user(user),
        Err(error) => super::reply(exchanges.fail_all(&error)),
    }
}
