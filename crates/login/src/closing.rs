//! The end of a command: its sessions close in order before the program ends.

use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::task::yield_now;
use tokio::time::sleep;

/// Lets the tasks of dropped sessions end them as their protocols say: over TLS, DTLS, SSH and HTTPS the agent answers the end
/// (RFC 8446 section 6.1), and its answer must not meet a closed socket. That takes a round trip, and `close-session` of NETCONF (RFC 6241
/// section 7.8) another one.
pub fn until_closed(runtime: &Runtime) {
    let metrics = runtime.metrics();
    let deadline = Instant::now() + PATIENCE;
    runtime.block_on(async {
        for _ in 0..STEPS {
            yield_now().await;
        }
        while metrics.num_alive_tasks() > 0 && Instant::now() < deadline {
            sleep(PAUSE).await;
        }
    });
}

/// A session waits for a second at most ([`trunkline_client::transport::dial::PARTING`]), one of NETCONF for its answer and for its end.
const PATIENCE: Duration = Duration::from_millis(2_500);
/// What needs nothing from the network ends within these.
const STEPS: u32 = 16;
const PAUSE: Duration = Duration::from_millis(1);
