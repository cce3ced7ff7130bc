//! A thread with one socket, and the devices that it reads.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use trunkline_snmp::FrameError;
use trunkline_snmp::wire::frame_length;
use trunkline_transport::TransportError;
use trunkline_transport::udp::{BATCH, UdpClient, UdpClientOptions};

use crate::collector::{AGAIN, Health, Report, Setting, Sink, Way};
use crate::device::{Begun, Device, Limits, REMEMBERED};
use crate::speaker::{Said, Speaker, id_of};
use crate::wakes::Wakes;

pub(crate) struct Shard {
    socket: UdpClient,
    places: Vec<Place>,
    /// Which device each number belongs to.
    ids: HashMap<i32, usize>,
    /// Which device has an address: the first of several.
    addresses: HashMap<SocketAddr, usize>,
    next_id: u32,
    /// When a device is to be looked at.
    wakes: Wakes,
    out: Vec<(SocketAddr, Vec<u8>)>,
    start: Instant,
    sink: Sink,
    stop: Arc<AtomicBool>,
}

/// A device and its address.
struct Place {
    key: u64,
    device: Device,
    speaker: Speaker,
    address: SocketAddr,
    interval: Duration,
    /// When the next cycle begins.
    due: Duration,
}

impl Shard {
    pub fn open(
        v6: bool,
        devices: &[Setting],
        start: Instant,
        sink: Sink,
        stop: Arc<AtomicBool>,
    ) -> Result<Self, TransportError> {
        // Each device has a window: the kernel's own size is enough for a few hundred of them.
        let receive_buffer = (devices.len() * ROOM).clamp(256 << 10, 64 << 20);
        let options =
            UdpClientOptions { receive_buffer, send_buffer: 1 << 20, ..UdpClientOptions::default() };
        let socket = UdpClient::open(v6, &options)?;
        let place = |setting: &Setting| {
            let Way::Datagrams { address, credentials } = &setting.way else { return None };
            Some(Place {
                key: setting.key,
                device: Device::new(
                    setting.wanted.clone(),
                    Limits { has_tables: false, ..setting.limits.clone() },
                )
                .with_account(setting.account.clone()),
                speaker: Speaker::new(credentials, start)?,
                address: *address,
                interval: setting.interval,
                due: start.elapsed() + setting.phase,
            })
        };
        let places: Vec<Place> = devices.iter().filter_map(place).collect();
        let mut wakes = Wakes::of(places.len());
        places.iter().enumerate().for_each(|(which, place)| wakes.at(place.due, which));
        let next_id = fastrand::u32(..);
        let (ids, out) = (HashMap::new(), Vec::new());
        let mut addresses = HashMap::new();
        for (which, place) in places.iter().enumerate() {
            addresses.entry(place.address).or_insert(which);
        }
        Ok(Shard { socket, places, ids, addresses, next_id, wakes, out, start, sink, stop })
    }

    /// Reads until it is stopped, or the socket is unusable.
    pub fn run(mut self) {
        while !self.stop.load(Ordering::Relaxed) {
            let now = self.start.elapsed();
            while let Some(which) = self.wakes.due(now) {
                self.look(which, now);
            }
            self.send();
            match self.receive() {
                Ok(BATCH) => continue,
                Ok(_) => {}
                Err(error) => {
                    tracing::error!(%error, "devices cannot be read any more over UDP");
                    return;
                }
            }
            let next = self.wakes.soonest().unwrap_or(LONGEST_REST);
            let rest = next.saturating_sub(self.start.elapsed()).min(LONGEST_REST);
            if !rest.is_zero() && self.socket.wait(rest).is_err() {
                return;
            }
        }
    }

    /// Does what is due for a device.
    fn look(&mut self, which: usize, now: Duration) {
        let Some(place) = self.places.get_mut(which) else { return };
        if now >= place.due {
            // A machine that was asleep begins one cycle, not all that it has missed.
            let missed = (now - place.due).as_nanos() / place.interval.as_nanos().max(1);
            place.due += place.interval * (u32::try_from(missed).unwrap_or(u32::MAX - 1) + 1);
            match place.device.begin(now) {
                Begun::Paused(_) => {
                    (self.sink)(Report { key: place.key, snapshot: None, health: Health::of(&place.device) });
                }
                Begun::Full => place.due = now + AGAIN,
                Begun::Cycle | Begun::Busy => {}
            }
        }
        loop {
            let next_id = &mut self.next_id;
            let request = place.device.request(now, || {
                *next_id = next_id.wrapping_add(1);
                // Four octets, and positive.
                ((*next_id & 0x3fff_ffff) | 0x4000_0000) as i32
            });
            let Some(request) = request else { break };
            self.ids.insert(request.id, which);
            if let Some(octets) = place.speaker.encode(request.id, &request.ask, self.start + now) {
                self.out.push((place.address, octets));
            }
        }
        if let Some(snapshot) = place.device.take(now) {
            let health = Health::of(&place.device);
            (self.sink)(Report { key: place.key, snapshot: Some(snapshot), health });
        }
        let next = place.device.next().map_or(place.due, |next| next.min(place.due));
        self.wakes.at(next.max(now + GRAIN), which);
        if self.ids.len() > self.places.len() * KEPT_IDS + BATCH {
            let places = &self.places;
            self.ids.retain(|id, which| places.get(*which).is_some_and(|place| place.device.knows(*id)));
        }
    }

    fn send(&mut self) {
        for batch in self.out.chunks(BATCH) {
            let messages = batch.iter().map(|(to, octets)| (*to, octets.as_slice()));
            self.socket.send(messages, |error| tracing::debug!(%error, "a request cannot be sent"));
        }
        self.out.clear();
    }

    fn receive(&mut self) -> std::io::Result<usize> {
        let count = self.socket.receive()?;
        let now = self.start.elapsed();
        let mut heard = Vec::new();
        for arrived in self.socket.arrived() {
            let id = id_of(arrived.bytes);
            let Some((id, which)) = id.and_then(|id| Some((id, *self.ids.get(&id)?))) else {
                let place = self.addresses.get(&arrived.peer).and_then(|which| self.places.get_mut(*which));
                match (place, id) {
                    (Some(place), Some(_)) => place.device.strayed(),
                    (Some(place), None) => {
                        if let Some(reason) = cut(arrived.bytes) {
                            place.device.suspect(&reason);
                        }
                        place.device.disbelieved();
                    }
                    (None, _) => {}
                }
                continue;
            };
            let Some(place) = self.places.get_mut(which) else { continue };
            if place.address != arrived.peer {
                place.device.disbelieved();
                continue;
            }
            match place.speaker.read(id, arrived.bytes, self.start + now) {
                Said::Answer(answer) => {
                    place.device.answered(id, answer, now);
                    heard.push(which);
                }
                Said::Again => {
                    if let Some(ask) = place.device.again(id)
                        && let Some(octets) = place.speaker.encode(id, &ask, self.start + now)
                    {
                        self.out.push((place.address, octets));
                    }
                }
                Said::Doubt(reason) => place.device.suspect(reason),
                Said::Nothing => place.device.disbelieved(),
            }
        }
        heard.dedup();
        for which in heard {
            self.look(which, now);
        }
        self.send();
        Ok(count)
    }
}

/// What is wrong with a datagram that is the beginning of a message, in words.
fn cut(octets: &[u8]) -> Option<String> {
    let found = octets.len();
    match frame_length(octets) {
        Ok(Some(whole)) if whole > found => {
            Some(format!("its answer was cut: {found} of {whole} octets arrived"))
        }
        Err(FrameError::TooLarge { found, limit }) => {
            Some(format!("its answer is too long: {found} octets, {limit} are accepted"))
        }
        _ => None,
    }
}

/// Octets of receive buffer for a device.
const ROOM: usize = 16 << 10;

/// Numbers of requests that are kept for a device, on average. Devices know fewer of them by far, so that what is forgotten is
/// worth the search.
const KEPT_IDS: usize = 4 * REMEMBERED;

/// After this time it is looked whether to stop.
const LONGEST_REST: Duration = Duration::from_millis(250);

/// Timers are this coarse.
const GRAIN: Duration = Duration::from_millis(1);
