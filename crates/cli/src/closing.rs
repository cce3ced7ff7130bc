//! The end of a command: its sessions close in order before the program ends.

use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::task::yield_now;

/// Lets the tasks of dropped sessions send what ends them, such as the close_notify of TLS (RFC 8446 section 6.1),
/// without which the agent cannot tell the end from a cut. Nothing is awaited from the network.
pub fn until_closed(runtime: &Runtime) {
    let metrics = runtime.metrics();
    let deadline = Instant::now() + PATIENCE;
    runtime.block_on(async {
        while metrics.num_alive_tasks() > 0 && Instant::now() < deadline {
            yield_now().await;
        }
    });
}

/// A session whose peer does not take its last octets ends without them.
const PATIENCE: Duration = Duration::from_millis(100);
