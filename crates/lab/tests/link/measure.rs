//! Measures a link from its two ends with plain sockets, knowing nothing of its relay. The test and the example share it.

use std::io;
use std::net::UdpSocket;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use trunkline_lab::place::link::{End, Link};
use trunkline_lab::statistics::quantile;

/// A socket at each end, each connected to the other.
pub struct Pair {
    pub agent: UdpSocket,
    pub manager: UdpSocket,
}

impl Pair {
    pub fn open(link: &Link) -> io::Result<Pair> {
        let bind = |end: &End| end.run(|| UdpSocket::bind((end.address(), 0)))?;
        let (agent, manager) = (bind(link.agent())?, bind(link.manager())?);
        agent.connect(manager.local_addr()?)?;
        manager.connect(agent.local_addr()?)?;
        for socket in [&agent, &manager] {
            socket.set_read_timeout(Some(Duration::from_secs(2)))?;
            // Room for a receiver that waits for a processor; only root may set that much.
            let _ = rustix::net::sockopt::set_socket_recv_buffer_size_force(socket, 16 << 20);
        }
        Ok(Pair { agent, manager })
    }

    /// Sends this many packets of this many octets (of IP) to the manager as fast as the kernel takes them, and
    /// returns the bit rate at which they arrive, from the first to the last.
    pub fn rate(&self, packets: u32, octets: usize) -> io::Result<f64> {
        let ready = Barrier::new(2);
        std::thread::scope(|scope| {
            let receiver = scope.spawn(|| {
                urgent();
                ready.wait();
                let mut buffer = [0; 2048];
                self.manager.recv(&mut buffer)?;
                let first = Instant::now();
                for _ in 1..packets {
                    self.manager.recv(&mut buffer)?;
                }
                Ok(first.elapsed())
            });
            let payload = vec![7; octets - HEADERS];
            ready.wait();
            for _ in 0..packets {
                self.agent.send(&payload)?;
            }
            let took: io::Result<Duration> = receiver.join().map_err(|_| io::Error::other("panicked"))?;
            Ok(f64::from(packets - 1) * octets as f64 * 8.0 / took?.as_secs_f64())
        })
    }

    /// Sends a packet to the agent and back, repeatedly, with a pause before each; returns the round-trip times.
    pub fn round_trips(&self, count: u32, octets: usize, pause: Duration) -> io::Result<RoundTrips> {
        let ready = Barrier::new(2);
        std::thread::scope(|scope| {
            let echo = scope.spawn(|| -> io::Result<()> {
                urgent();
                ready.wait();
                let mut buffer = [0; 2048];
                for _ in 0..count {
                    let received = self.agent.recv(&mut buffer)?;
                    self.agent.send(&buffer[..received])?;
                }
                Ok(())
            });
            let ping = scope.spawn(|| {
                urgent();
                ready.wait();
                let (mut buffer, mut times) = (vec![7; octets - HEADERS], Vec::new());
                for _ in 0..count {
                    // Nobody unparks it, so it rests. The measurement does not depend on how long.
                    std::thread::park_timeout(pause);
                    let sent = Instant::now();
                    self.manager.send(&buffer)?;
                    self.manager.recv(&mut buffer)?;
                    times.push(sent.elapsed().as_secs_f64());
                }
                Ok(times)
            });
            let panicked = |_| io::Error::other("panicked");
            let times: io::Result<Vec<f64>> = ping.join().map_err(panicked)?;
            echo.join().map_err(panicked)??;
            let mut times = times?;
            times.sort_by(f64::total_cmp);
            Ok(RoundTrips { times })
        })
    }
}

/// Round-trip times, seconds.
pub struct RoundTrips {
    times: Vec<f64>,
}

impl RoundTrips {
    pub fn median(&self) -> f64 {
        quantile(&self.times, 0.5).unwrap_or(f64::NAN)
    }

    pub fn p99(&self) -> f64 {
        quantile(&self.times, 0.99).unwrap_or(f64::NAN)
    }
}

/// Gives the calling thread priority over all ordinary ones, if allowed: the link is measured, not how long this
/// thread waits for a processor in use (some milliseconds, on a busy machine).
fn urgent() {
    let thread = rustix::thread::gettid().as_raw_nonzero().to_string();
    let _ = Command::new("chrt").args(["--fifo", "--pid", "1", &thread]).stderr(Stdio::null()).status();
}

/// The headers of IPv4 and UDP.
pub const HEADERS: usize = 28;
