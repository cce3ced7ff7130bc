//! Returns freed memory to the system. The C library would keep it, and after a flood of connections the agent
//! would stay as large as at its peak.

use std::sync::Arc;
use std::time::Duration;

use trunkline_transport::Resources;

/// Returns memory to the system whenever many connections have ended, as long as it is polled.
pub async fn give_back(resources: Arc<Resources>) {
    loop {
        resources.many_ended().await;
        // Others end with them. Doing it more often would cost more than it returns.
        tokio::time::sleep(PAUSE).await;
        let given = tokio::task::spawn_blocking(trim).await;
        tracing::debug!(
            given = given.unwrap_or(false),
            "memory of ended connections was returned to the system"
        );
    }
}

#[cfg(target_env = "gnu")]
#[expect(unsafe_code, reason = "no crate wraps it")]
fn trim() -> bool {
    // SAFETY: it takes no pointer, and locks the allocator itself.
    unsafe { libc::malloc_trim(0) == 1 }
}

#[cfg(not(target_env = "gnu"))]
fn trim() -> bool {
    false
}

const PAUSE: Duration = Duration::from_secs(2);
