//! The NOC: it polls what a way asks for when it is due, and listens for notifications. All of it is on one thread, whose processor time is
//! the NOC's.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use trunkline_client::{
    Admission, Credentials, EngineId, ListenOptions, ListenUrl, Listener, Oid, Session, SessionOptions,
    SnmpSession, Target, Value, Version,
};
use trunkline_labkit::subject::COMMUNITY;
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers};
use trunkline_snmp::usm::{EngineBoots, EngineClock};

use super::arrivals::{Arrival, Heard};
use super::population::{Device, Population};
use super::rows;
use super::schedule::{Asked, Task};

/// The NOC's ears.
pub(super) struct Ears {
    heard: Arc<Mutex<Vec<Heard>>>,
    /// The port that it listens on.
    pub port: u16,
    _listener: Listener,
}

/// The NOC, with a session for each agent.
pub(super) struct Noc {
    population: Population,
    devices: Vec<(Device, Arc<dyn Session>)>,
    /// The interfaces of all agents, by ifIndex.
    interfaces: Vec<u32>,
    /// The statistic that crosses its limit.
    pub watched: u32,
}

/// A request that is ready to be sent.
#[derive(Clone)]
pub(super) struct Ready {
    task: Task,
    session: Arc<dyn Session>,
    names: Arc<[Oid]>,
    /// Rows of a table; 0 for a Get.
    rows: u32,
    /// How many of the values are wanted.
    wanted: usize,
    /// Whether the age of each value, in milliseconds, stands behind all of them.
    with_ages: bool,
}

impl Ears {
    /// Listens at this address; must be called in the runtime, at the NOC's end.
    pub(super) fn open(at: Ipv4Addr) -> Result<Ears, String> {
        let heard: Arc<Mutex<Vec<Heard>>> = Arc::default();
        let engine = Engine::new(EngineOptions {
            id: EngineId::generate(8072, *b"the lab, NOC"),
            clock: EngineClock::new(EngineBoots::default().next(), Instant::now()),
            max_size: 65_507,
            handlers: Handlers::RECEIVER,
            remote_engines: 4,
            entropy: fastrand::u64(..),
        });
        let all = Arc::clone(&heard);
        let admission = Admission::of(move |received| {
            let (at, notification) = (Instant::now(), &received.notification);
            let hot = notification.bindings.iter().find(|it| it.name[..] == *rows::HOT_TRIGGER);
            if let Some(Value::OctetString(trigger)) = hot.and_then(|it| it.value.value())
                && notification.trap_oid[..] == *rows::RISING
            {
                let heard = Heard { at, trigger: trigger.clone() };
                all.lock().unwrap_or_else(PoisonError::into_inner).push(heard);
            }
            false
        });
        let options = ListenOptions::default()
            .with_communities(Some(vec![COMMUNITY.as_bytes().to_vec()]))
            .with_admission(admission);
        let place = format!("udp://{at}:0").parse::<ListenUrl>().map_err(|error| error.to_string())?;
        let listener = Listener::bind(&[place], Arc::new(engine), options);
        let listener = listener.map_err(|error| error.to_string())?;
        let port = listener.places().next().map_or(0, |place| place.port);
        Ok(Ears { heard, port, _listener: listener })
    }

    /// What was heard since it was taken before.
    pub(super) fn take(&self) -> Vec<Heard> {
        std::mem::take(&mut *self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A session of SNMPv2c over UDP.
pub(super) async fn session(at: Ipv4Addr, port: u16, community: &str) -> Result<Arc<dyn Session>, String> {
    let credentials = Credentials::community(Version::V2c, community.as_bytes());
    let target = Target::new(trunkline_client::Transport::Udp, &at.to_string(), port, credentials);
    // Nothing is lost on the link: what is late is late because the machine is busy.
    let options = SessionOptions::default().with_timeout(PATIENCE).with_retries(1);
    let session = SnmpSession::open(&target, options).await;
    Ok(Arc::new(session.map_err(|error| error.to_string())?))
}

impl Noc {
    /// A NOC with these sessions, one for each device. The interface with this name is the one whose octets sent cross their limit.
    pub(super) async fn new(
        population: Population,
        sessions: Vec<Arc<dyn Session>>,
        surging: &str,
    ) -> Result<Noc, String> {
        let devices: Vec<(Device, Arc<dyn Session>)> =
            population.devices().into_iter().zip(sessions).collect();
        let most = devices.iter().map(|(device, _)| device.rows()).max().unwrap_or(0);
        let (_, first) = devices.first().ok_or("there is no device")?;
        let names = first.bulk(0, most, &[Oid::EMPTY.child(rows::IF_NAME)]).await;
        let (mut interfaces, mut row) = (Vec::new(), None);
        for binding in names.map_err(|error| error.to_string())?.bindings {
            if let Some(Value::OctetString(name)) = binding.value.value() {
                row = row.or((name == surging.as_bytes()).then_some(interfaces.len() as u32));
                interfaces.extend(binding.name.last());
            }
        }
        let row = row.ok_or_else(|| format!("{surging} is not among the first {most} interfaces"))?;
        let watched = 2 * row + 1;
        match devices.iter().all(|(device, _)| watched < device.statistics) {
            true => Ok(Noc { population, devices, interfaces, watched }),
            false => Err(format!("the octets of {surging} are not among the statistics of each device")),
        }
    }

    /// The devices, and the session with each.
    pub(super) fn devices(&self) -> &[(Device, Arc<dyn Session>)] {
        &self.devices
    }

    /// The requests of these tasks, to the devices and to the managers of the networks.
    pub(super) fn ready(&self, tasks: &[Task], managers: &[Arc<dyn Session>]) -> Result<Vec<Ready>, String> {
        let none = || "nobody to ask".to_owned();
        let one = |task: &Task| {
            let ready = |session: &Arc<dyn Session>, names: Vec<Oid>, rows, wanted| Ready {
                task: *task,
                session: Arc::clone(session),
                names: names.into(),
                rows,
                wanted,
                with_ages: false,
            };
            match task.asked {
                Asked::Statistic { device, number } => {
                    let (_, session) = self.devices.get(device as usize).ok_or_else(none)?;
                    let name = rows::statistic(number, &self.interfaces).ok_or("too few interfaces")?;
                    Ok(ready(session, vec![name], 0, 1))
                }
                Asked::Table { device } => {
                    let (device, session) = self.devices.get(device as usize).ok_or_else(none)?;
                    Ok(ready(session, rows::columns().into(), device.rows(), device.statistics as usize))
                }
                Asked::Aggregates { group } => {
                    let session = managers.get(group).ok_or_else(none)?;
                    let names = rows::aggregates(self.population.groups[group].name);
                    let wanted = names.len() / 2;
                    Ok(Ready { with_ages: true, ..ready(session, names, 0, wanted) })
                }
            }
        };
        tasks.iter().map(one).collect()
    }

    /// Polls so many rounds from `begun` on; `boundary` is called at the start of each, and at the end. It returns false to end at once.
    /// What was not answered is counted.
    pub(super) async fn poll(
        &self,
        requests: &[Ready],
        rounds: u32,
        (begun, period): (Instant, Duration),
        mut boundary: impl FnMut() -> bool,
    ) -> (Vec<Arrival>, u32) {
        let (mut asking, mut arrivals, mut failed) = (JoinSet::new(), Vec::new(), 0);
        let mut take = |answer: Result<Result<Arrival, String>, _>| match answer {
            Ok(Ok(arrival)) => arrivals.push(arrival),
            Ok(Err(_)) | Err(_) => failed += 1,
        };
        for round in 0..rounds {
            tokio::time::sleep_until((begun + period * round).into()).await;
            if !boundary() {
                return (arrivals, failed);
            }
            for request in requests {
                let due = begun + period * round + period.mul_f64(request.task.at);
                tokio::time::sleep_until(due.into()).await;
                asking.spawn(request.clone().answer(round));
                while let Some(answer) = asking.try_join_next() {
                    take(answer);
                }
            }
        }
        tokio::time::sleep_until((begun + period * rounds).into()).await;
        while let Some(answer) = asking.join_next().await {
            take(answer);
        }
        boundary();
        (arrivals, failed)
    }

    /// Asks everything once, one request after another.
    pub(super) async fn once(&self, requests: &[Ready]) -> Result<Vec<Arrival>, String> {
        let mut arrivals = Vec::new();
        for request in requests {
            arrivals.push(request.clone().answer(0).await?);
        }
        Ok(arrivals)
    }
}

impl Ready {
    async fn answer(self, round: u32) -> Result<Arrival, String> {
        let sent = Instant::now();
        let answer = match self.rows {
            0 => self.session.get(&self.names).await,
            rows => self.session.bulk(0, rows, &self.names).await,
        };
        let answer = answer.map_err(|error| error.to_string())?;
        let at = Instant::now();
        let number = |value: &Value| match *value {
            Value::Counter64(number) => Some(number),
            Value::Unsigned32(number) | Value::Counter32(number) => Some(number.into()),
            _ => None,
        };
        let values = answer.bindings.iter().map(|it| it.value.value().and_then(number));
        let mut values: Vec<u64> = values.collect::<Option<_>>().ok_or("an object is not there")?;
        let oldest = values.iter().skip(self.wanted).max().filter(|_| self.with_ages);
        let age = Duration::from_millis(oldest.copied().unwrap_or(0));
        values.truncate(self.wanted);
        if values.len() < self.wanted {
            return Err("an answer is too short".into());
        }
        Ok(Arrival { asked: self.task.asked, round, sent, at, values, age, attempts: answer.cost.attempts })
    }
}

/// How long the NOC waits for an answer.
const PATIENCE: Duration = Duration::from_secs(10);
