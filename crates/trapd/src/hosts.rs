//! The names of addresses, as notifications are logged with them. They are looked up one after another, and kept for a while.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use trunkline_receiver::host_name;

/// What is known of addresses.
#[derive(Default)]
pub struct Hosts {
    known: HashMap<IpAddr, (String, Instant)>,
    /// Nothing is looked up until then: the last look-up took too long.
    paused: Option<Instant>,
}

/// How long a name is kept.
const KEPT: Duration = Duration::from_secs(60);

/// How long no look-up follows one that had no answer.
const PAUSE: Duration = Duration::from_secs(10);

/// How many names are kept.
const MOST: usize = 1000;

impl Hosts {
    /// The name of an address; `<UNKNOWN>` if it has none, and the address if that is not found out in time.
    pub async fn name(&mut self, address: IpAddr) -> String {
        let now = Instant::now();
        if let Some((name, _)) = self.known.get(&address).filter(|(_, at)| now.duration_since(*at) < KEPT) {
            return name.clone();
        }
        if self.paused.is_some_and(|until| now < until) {
            return address.to_canonical().to_string();
        }
        let name = host_name(address).await;
        if name.parse::<IpAddr>().is_ok() {
            self.paused = Some(Instant::now() + PAUSE);
            return name;
        }
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.known.insert(address, (name.clone(), now));
        name
    }
}
