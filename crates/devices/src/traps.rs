//! Traps and informs of devices: received, and kept under the name of the device whose address has sent them.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::lookup_host;
use tokio::time::{interval, sleep};
use trunkline_client::snmp::engine::Engine;
use trunkline_client::{Admission, Bound, ListenOptions, ListenUrl, Listener, Received};

use crate::happenings::{Happenings, Told};

/// What receives the traps and informs of devices.
pub struct Traps {
    /// Where.
    pub places: Vec<ListenUrl>,
    /// The engine that informs are sent to, with the users that senders may be.
    pub engine: Arc<Engine>,
    /// The hosts of devices, and the names of these.
    pub hosts: Vec<(String, String)>,
}

/// Whose address it is.
type Known = Arc<Mutex<BTreeMap<IpAddr, String>>>;

impl Traps {
    /// Receives until the task is ended.
    pub async fn run(self, log: Arc<Happenings>) {
        let known = Known::default();
        self.resolve(&known).await;
        let mut listener = loop {
            match self.bind(&known) {
                Ok(listener) => break listener,
                Err(reason) => {
                    tracing::error!(reason, "traps of devices cannot be received");
                    sleep(AGAIN).await;
                }
            }
        };
        for place in listener.places() {
            tracing::info!(%place, "listening for traps of devices");
        }
        let mut resolving = interval(RESOLVED_FOR);
        resolving.tick().await;
        loop {
            tokio::select! {
                received = listener.next() => match received {
                    Some(received) => take(&received, &known, &log),
                    None => return,
                },
                _ = resolving.tick() => self.resolve(&known).await,
            }
        }
    }

    /// Only devices are answered and heard.
    fn bind(&self, known: &Known) -> Result<Listener, String> {
        let known = known.clone();
        let admission = Admission::of(move |received| device_of(received, &known).is_some());
        let options = ListenOptions::default().with_admission(admission);
        Listener::bind(&self.places, self.engine.clone(), options).map_err(|error| error.to_string())
    }

    /// The addresses of the devices, as they are now.
    async fn resolve(&self, known: &Known) {
        let mut found = BTreeMap::new();
        for (host, name) in &self.hosts {
            if let Ok(ip) = host.parse::<IpAddr>() {
                found.entry(ip.to_canonical()).or_insert_with(|| name.clone());
            } else if let Ok(addresses) = lookup_host((host.as_str(), 0)).await {
                for address in addresses {
                    found.entry(address.ip().to_canonical()).or_insert_with(|| name.clone());
                }
            }
        }
        *known.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }
}

fn device_of(received: &Received, known: &Known) -> Option<String> {
    let known = known.lock().unwrap_or_else(PoisonError::into_inner);
    known.get(&received.peer.ip().to_canonical()).cloned()
}

fn take(received: &Received, known: &Known, log: &Happenings) {
    let Some(device) = device_of(received, known) else { return };
    let objects = received.notification.bindings.iter().filter_map(|binding| match &binding.value {
        Bound::Value(value) => Some((binding.name.clone(), value.clone())),
        _ => None,
    });
    log.add(&device, Told::Objects(received.notification.trap_oid.clone(), objects.collect()));
}

/// After this time addresses are looked up again.
const RESOLVED_FOR: Duration = Duration::from_secs(300);
/// After this time listening is tried again.
const AGAIN: Duration = Duration::from_secs(10);
