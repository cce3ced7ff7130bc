//! Whether anything happened since the last query: a socket that listens and is only read when a load comes, so
//! that a large dump need not be repeated for nothing.

use super::{Received, Socket};

/// Listens to some groups of notifications.
#[derive(Debug)]
pub struct Changes {
    groups: u32,
    /// `None` for a recording, which may be another one each time.
    source: Option<Listening>,
}

#[derive(Debug, Default)]
struct Listening {
    socket: Option<Socket>,
}

impl Changes {
    /// Listens to the kernel, from the first question on.
    pub fn of_kernel(groups: u32) -> Self {
        Changes { groups, source: Some(Listening::default()) }
    }

    /// Always reports that something may have happened.
    pub fn unknown() -> Self {
        Changes { groups: 0, source: None }
    }

    /// Whether something happened since the last question. Ask before reading, so that what
    /// happens meanwhile is seen next time. At first, and in doubt, the answer is yes.
    pub fn happened(&mut self) -> bool {
        let Some(listening) = &mut self.source else { return true };
        let Some(socket) = &mut listening.socket else {
            listening.socket = Socket::listen(self.groups, SMALL_BUFFER)
                .inspect_err(|error| tracing::debug!(%error, "cannot listen to netlink"))
                .ok();
            return true;
        };
        let mut happened = false;
        loop {
            match socket.notifications(&mut |_| {}) {
                Ok(Received::Nothing) => return happened,
                Ok(Received::Messages | Received::Lost) => happened = true,
                Err(error) => {
                    tracing::debug!(%error, "cannot listen to netlink");
                    listening.socket = None;
                    return true;
                }
            }
        }
    }
}

/// One message is enough to know; what the kernel drops beyond counts as one.
const SMALL_BUFFER: usize = 32 * 1024;
