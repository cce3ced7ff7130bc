//! Carries packets from one TUN device to the other at the times that the [`Shaper`] sets.
//!
//! ```text
//! manager's TUN -- read, stamp --> Shaper --> write when due --> agent's TUN        and the same the other way
//! ```
//!
//! A relay thread waits in `poll` until [`SPIN`] before the next departure and then watches the clock without
//! sleeping: a sleeping thread wakes up tens of microseconds late. Its timer slack is 1 ns (the kernel's 50 us
//! would be added to each sleep), and if allowed it has priority over all ordinary threads: on a machine with
//! other work its 99th percentile of lateness is then some microseconds instead of some milliseconds. [`Spinners`]
//! keep idle processors awake, because a sleeping one responds late; they run in the idle class and so take time
//! from nobody.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;
use rustix::thread::{CpuSet, gettid, sched_getaffinity, sched_setaffinity, set_current_timer_slack};

use super::capture::{Capture, Way};
use super::counts::{Direction, DirectionCounts, Histogram, Traffic};
use super::shaper::{Fate, Nanos, Shaper};
use super::spec::LinkSpec;
use super::sys::{self, Turn};

/// One direction: its source and destination, and its state.
#[derive(Debug)]
pub(super) struct Lane {
    direction: Direction,
    from: Arc<OwnedFd>,
    to: Arc<OwnedFd>,
    state: Mutex<LaneState>,
    capture: Option<Arc<Mutex<Capture>>>,
    clock: Clock,
}

/// The state shared by a relay thread and its users.
#[derive(Debug)]
pub(super) struct LaneState {
    pub(super) shaper: Shaper<Box<[u8]>>,
    pub(super) counts: DirectionCounts,
    pub(super) lateness: Histogram,
}

/// The relay's clock: nanoseconds since the link was opened, and the time of that moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    opened: Instant,
    since_1970: Duration,
}

impl Clock {
    pub(super) fn start() -> Clock {
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Clock { opened: Instant::now(), since_1970 }
    }

    fn now(&self) -> Nanos {
        self.opened.elapsed().as_nanos() as u64
    }
}

impl Lane {
    pub(super) fn new(
        direction: Direction,
        (from, to): (&Arc<OwnedFd>, &Arc<OwnedFd>),
        spec: LinkSpec,
        capture: Option<Arc<Mutex<Capture>>>,
        clock: Clock,
    ) -> Lane {
        let number = match direction {
            Direction::ToAgent => 0,
            Direction::ToManager => 1,
        };
        let state = LaneState {
            shaper: Shaper::new(spec, number),
            counts: DirectionCounts::default(),
            lateness: Histogram::new(),
        };
        let (from, to) = (Arc::clone(from), Arc::clone(to));
        Lane { direction, from, to, state: Mutex::new(state), capture, clock }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, LaneState> {
        lock(&self.state)
    }

    /// Reads what the sending end has sent, at most [`BATCH`] packets. Fails if the device is gone.
    fn take(&self, state: &mut LaneState, buffer: &mut [u8]) -> io::Result<()> {
        for _ in 0..BATCH {
            let octets = match rustix::io::read(&*self.from, &mut *buffer) {
                Ok(octets) => octets,
                Err(Errno::AGAIN | Errno::INTR) => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            let now = self.clock.now();
            let packet = &buffer[..octets];
            state.counts.sent += Traffic::packet(octets);
            if self.direction == Direction::ToAgent {
                self.capture(now, Way::Outbound, packet);
            }
            match state.shaper.arrive(now, octets as u64, packet.into()) {
                Fate::Passes | Fate::Held => {}
                Fate::Lost => state.counts.lost += 1,
                Fate::Overflows => state.counts.overflowed += 1,
            }
        }
        Ok(())
    }

    /// Writes what is due to the receiving end.
    fn give(&self, state: &mut LaneState) -> io::Result<()> {
        for _ in 0..BATCH {
            let now = self.clock.now();
            let Some(departure) = state.shaper.depart(now) else { break };
            let packet = &departure.packet;
            match rustix::io::write(&*self.to, packet) {
                Ok(_) => {}
                Err(Errno::BADFD | Errno::NXIO) => return Err(Errno::BADFD.into()),
                // The interface is down, or the kernel has no memory.
                Err(_) => {
                    state.counts.refused += 1;
                    continue;
                }
            }
            state.counts.delivered += Traffic::packet(packet.len());
            state.counts.overtaken += u64::from(departure.overtaken);
            state.lateness.add(now - departure.due);
            if self.direction == Direction::ToManager {
                self.capture(now, Way::Inbound, packet);
            }
        }
        Ok(())
    }

    fn capture(&self, now: Nanos, way: Way, packet: &[u8]) {
        if let Some(capture) = &self.capture {
            lock(capture).add(self.clock.since_1970 + Duration::from_nanos(now), way, packet);
        }
    }
}

/// A relay thread; dropping it stops it.
#[derive(Debug)]
pub(super) struct Relay {
    thread: Option<JoinHandle<()>>,
    bell: Arc<Bell>,
    /// The kernel's thread id.
    pub(super) id: i32,
}

/// Wakes a relay thread, to stop or to check the departures again.
#[derive(Debug)]
struct Bell {
    event: OwnedFd,
    ended: AtomicBool,
}

impl Relay {
    /// Starts a thread for these directions.
    pub(super) fn start(lanes: Vec<Arc<Lane>>) -> io::Result<Relay> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let bell = Arc::new(Bell { event, ended: AtomicBool::new(false) });
        let (tell, told) = std::sync::mpsc::sync_channel(1);
        let theirs = Arc::clone(&bell);
        let thread = std::thread::Builder::new().name("link-relay".into()).spawn(move || {
            // On a single processor nothing else would run while it watches the clock. Without real-time priority
            // it is only later when others need the processor too.
            if sched_getaffinity(None).is_ok_and(|allowed| allowed.count() > 1) {
                let _ = sys::take_turn(Turn::First);
            }
            let _ = set_current_timer_slack(std::num::NonZeroU64::new(1));
            let _ = tell.send(gettid().as_raw_nonzero().get());
            // It also ends when a device is gone: nothing can be sent any more.
            let _ = relay(&lanes, &theirs);
        })?;
        let id = told.recv().map_err(|_| io::Error::other("the relay thread ended at once"))?;
        Ok(Relay { thread: Some(thread), bell, id })
    }

    /// Makes the thread check the departures again, after a change of the specification.
    pub(super) fn wake(&self) {
        // A full counter wakes it too.
        let _ = rustix::io::write(&self.bell.event, &1u64.to_ne_bytes());
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.bell.ended.store(true, Ordering::Release);
        self.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn relay(lanes: &[Arc<Lane>], bell: &Bell) -> io::Result<()> {
    let mut buffer = vec![0; 65_536];
    while !bell.ended.load(Ordering::Acquire) {
        let mut next: Option<Nanos> = None;
        for lane in lanes {
            let mut state = lane.state();
            lane.take(&mut state, &mut buffer)?;
            lane.give(&mut state)?;
            next = next.into_iter().chain(state.shaper.next_departure()).min();
        }
        let left = next.map(|due| due.saturating_sub(lanes[0].clock.now()));
        match left.map(|left| left.checked_sub(SPIN)) {
            None => wait(lanes, bell, None)?,
            Some(Some(sleep)) => wait(lanes, bell, Some(sleep))?,
            Some(None) => std::hint::spin_loop(),
        }
    }
    Ok(())
}

/// Waits until a packet arrives, the bell rings or the time is over.
fn wait(lanes: &[Arc<Lane>], bell: &Bell, nanos: Option<Nanos>) -> io::Result<()> {
    let mut files = vec![PollFd::new(&bell.event, PollFlags::IN)];
    files.extend(lanes.iter().map(|lane| PollFd::from_borrowed_fd(lane.from.as_fd(), PollFlags::IN)));
    let timeout = nanos.map(|nanos| Timespec {
        tv_sec: (nanos / 1_000_000_000) as i64,
        tv_nsec: (nanos % 1_000_000_000) as i64,
    });
    match poll(&mut files, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    // Whether or not it rang, it is silent afterwards.
    let _ = rustix::io::read(&bell.event, &mut [0; 8]);
    Ok(())
}

/// Threads that keep each processor from going to sleep and yield to everything else; dropping them stops them.
#[derive(Debug)]
pub(super) struct Spinners {
    threads: Vec<JoinHandle<()>>,
    ended: Arc<AtomicBool>,
}

impl Spinners {
    /// Starts one on each processor that this thread may use.
    pub(super) fn start() -> io::Result<Spinners> {
        let mut spinners = Spinners { threads: Vec::new(), ended: Arc::new(AtomicBool::new(false)) };
        let allowed = sched_getaffinity(None)?;
        for processor in (0..CpuSet::MAX_CPU).filter(|processor| allowed.is_set(*processor)) {
            let ended = Arc::clone(&spinners.ended);
            let name = "link-spinner".into();
            let thread = std::thread::Builder::new().name(name).spawn(move || spin(processor, &ended))?;
            spinners.threads.push(thread);
        }
        Ok(spinners)
    }
}

fn spin(processor: usize, ended: &AtomicBool) {
    let mut only = CpuSet::new();
    only.set(processor);
    // One that could not be lowered or pinned would take time from others.
    if sys::take_turn(Turn::Last).is_ok() && sched_setaffinity(None, &only).is_ok() {
        while !ended.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    }
}

impl Drop for Spinners {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// The state after a panic is as good as ever: counts and queues are consistent at every step.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long before a departure the relay stops sleeping, nanoseconds.
const SPIN: Nanos = 80_000;
/// The maximum number of packets that one direction handles before the other has its turn.
const BATCH: usize = 32;
