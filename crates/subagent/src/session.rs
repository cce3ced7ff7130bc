//! The session with the master: opened, kept alive, and made again when it ends.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;
use trunkline_agentx::wire::{
    ByteOrder, CloseReason, ErrorCode, HeaderError, Packet, Pdu, Registration, decode, first_packet,
};
use trunkline_config::SubagentPlan;
use trunkline_core::Core;
use trunkline_local::PlainStream;
use trunkline_regions::{AgentxAnswer, AgentxLink, AgentxUnsent as Unsent};
use trunkline_smi::{Oid, VarBind};
use trunkline_snmp::wire::ErrorStatus;
use trunkline_transport::LogLimit;

use crate::answer::{Failed, Reader};
use crate::authority::Authority;
use crate::change::Changes;
use crate::registrations::hold;

/// What a session is made for.
pub(crate) struct Session {
    core: Arc<Core>,
    plan: SubagentPlan,
    registrations: Arc<[Registration]>,
    authority: Authority,
    /// Sessions that end.
    ended: LogLimit,
    /// Packets that cannot be read, registrations that are refused, answers that are lost.
    faults: LogLimit,
}

/// Why a session has ended, or never was.
#[derive(Debug, thiserror::Error)]
enum Ended {
    #[error("it cannot be reached: {0}")]
    Unreachable(io::Error),
    #[error("it does not answer within {WITHIN:?}")]
    Silent,
    #[error("it refuses the session: {0}")]
    Refused(String),
    #[error("it has closed the session: {0}")]
    Closed(String),
    #[error("the connection failed: {0}")]
    Failed(#[from] io::Error),
    #[error("the connection has ended")]
    Gone,
    #[error("what it sends is not AgentX: {0}")]
    NotAgentX(#[from] HeaderError),
    #[error("{0}")]
    Unsent(#[from] Unsent),
}

/// One session that is open, or being opened.
struct Open {
    session: Arc<Session>,
    link: AgentxLink,
    /// h.sessionID, when the master has given it.
    number: std::sync::OnceLock<u32>,
    changes: Changes,
    /// Requests that are answered at once.
    places: Arc<Semaphore>,
}

impl Session {
    pub fn new(core: Arc<Core>, plan: SubagentPlan, registrations: Arc<[Registration]>) -> Arc<Self> {
        let authority = Authority::new(plan.user.as_deref());
        Arc::new(Session {
            core,
            plan,
            registrations,
            authority,
            ended: LogLimit::for_strangers(),
            faults: LogLimit::for_strangers(),
        })
    }

    /// Keeps a session with the master until the sender of `stopped` is gone.
    pub async fn run(self: Arc<Self>, mut stopped: oneshot::Receiver<()>) {
        let mut pause = FIRST_PAUSE;
        loop {
            let began = Instant::now();
            let connected = tokio::select! {
                connected = timeout(WITHIN, PlainStream::connect(&self.plan.master)) => connected,
                _ = &mut stopped => return,
            };
            let ended = match connected {
                Err(_) => Ended::Silent,
                Ok(Err(error)) => Ended::Unreachable(error),
                Ok(Ok(stream)) => match self.clone().serve(stream, &mut stopped).await {
                    Some(ended) => ended,
                    None => return,
                },
            };
            if let Some(left_out) = self.ended.admit() {
                tracing::warn!(master = %self.plan.master, reason = %ended, left_out, "not a subagent of this master at present; it is tried again");
            }
            pause =
                if began.elapsed() > LONGEST_PAUSE { FIRST_PAUSE } else { (pause * 2).min(LONGEST_PAUSE) };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                _ = &mut stopped => return,
            }
        }
    }

    /// Serves a connection until it ends; `None`: we have ended it.
    async fn serve(
        self: Arc<Self>,
        stream: PlainStream,
        stopped: &mut oneshot::Receiver<()>,
    ) -> Option<Ended> {
        let open = Arc::new(Open {
            session: self,
            link: AgentxLink::new(stream),
            number: std::sync::OnceLock::new(),
            changes: Changes::default(),
            places: Arc::new(Semaphore::new(MOST_REQUESTS)),
        });
        let ended = tokio::select! {
            Err(ended) = open.read() => Some(ended),
            ended = open.conduct() => Some(ended),
            Err(error) = open.link.flush() => Some(Ended::Failed(error)),
            _ = stopped => None,
        };
        if ended.is_none() && open.number.get().is_some() {
            let _ = open.link.send(&open.packet(0, Pdu::Close { reason: CloseReason::Shutdown.code() }));
        }
        open.link.close();
        ended
    }
}

impl Open {
    /// Opens the session, registers, and asks from time to time whether the master is still there.
    async fn conduct(&self) -> Ended {
        match self.begin().await {
            Ok(registered) => {
                let plan = &self.session.plan;
                tracing::info!(master = %plan.master, registered, "a subagent of this master");
            }
            Err(ended) => return ended,
        }
        loop {
            tokio::time::sleep(ALIVE).await;
            match self.ask(Pdu::Ping).await {
                Ok(0) => {}
                Ok(error) => return Ended::Closed(said(error)),
                Err(ended) => return ended,
            }
        }
    }

    async fn begin(&self) -> Result<usize, Ended> {
        let plan = &self.session.plan;
        let description = format!("Trunkline {}", env!("CARGO_PKG_VERSION")).into_bytes();
        // In whole seconds, as the configuration was checked.
        let timeout = u8::try_from(plan.timeout.as_secs()).unwrap_or(u8::MAX);
        let error = self.ask(Pdu::Open { timeout, id: Oid::EMPTY, description }).await?;
        if error != 0 {
            return Err(Ended::Refused(said(error)));
        }
        let mut registered = 0;
        for registration in &*self.session.registrations {
            match self.ask(Pdu::Register(registration.clone())).await? {
                0 => registered += 1,
                error => {
                    let (subtree, reason) = (&registration.subtree, said(error));
                    if let Some(left_out) = self.session.faults.admit() {
                        tracing::warn!(master = %plan.master, %subtree, reason, left_out, "the master refuses a registration");
                    }
                }
            }
        }
        Ok(registered)
    }

    /// res.error of the response to a request of ours.
    async fn ask(&self, pdu: Pdu) -> Result<u16, Ended> {
        let mut waiting = self.link.request(self.packet(0, pdu))?;
        match timeout(WITHIN, waiting.response()).await {
            Err(_) => Err(Ended::Silent),
            Ok(None) => Err(Ended::Gone),
            Ok(Some(Err(unreadable))) => Err(Ended::Refused(unreadable)),
            Ok(Some(Ok(answer))) => Ok(answer.error),
        }
    }

    fn packet(&self, transaction: u32, pdu: Pdu) -> Packet {
        let session = self.number.get().copied().unwrap_or(0);
        Packet { order: ByteOrder::Big, session, transaction, packet: 0, context: None, pdu }
    }

    /// Reads what the master sends: responses, and requests, each of which is answered on its own.
    async fn read(self: &Arc<Self>) -> Result<Infallible, Ended> {
        let (mut buffer, mut tasks) = (Vec::new(), JoinSet::new());
        loop {
            if self.link.read(&mut buffer).await? == 0 {
                return Err(Ended::Gone);
            }
            let mut taken = 0;
            while let Some(octets) = first_packet(&buffer[taken..])? {
                taken += octets.len();
                match decode(octets) {
                    Ok(packet) => self.take(packet, &mut tasks).await?,
                    Err(error) => self.unreadable(&error),
                }
            }
            buffer.drain(..taken);
            while tasks.try_join_next().is_some() {}
        }
    }

    async fn take(self: &Arc<Self>, packet: Packet, tasks: &mut JoinSet<()>) -> Result<(), Ended> {
        match packet.pdu {
            Pdu::Response { error, index, bindings, .. } => {
                if error == 0 {
                    // The first response is the one to Open, and names the session.
                    let _ = self.number.set(packet.session);
                }
                self.link.respond(packet.packet, Ok(AgentxAnswer { error, index, bindings }));
            }
            Pdu::Close { reason } => return Err(Ended::Closed(CloseReason::name_of(reason).into())),
            _ => {
                // It fails if the places are closed, which they never are.
                if let Ok(place) = self.places.clone().acquire_owned().await {
                    let open = self.clone();
                    tasks.spawn(async move {
                        open.request(packet).await;
                        drop(place);
                    });
                }
            }
        }
        Ok(())
    }

    fn unreadable(&self, error: &trunkline_agentx::wire::DecodeError) {
        if let Some(left_out) = self.session.faults.admit() {
            tracing::warn!(master = %self.session.plan.master, %error, left_out, "a packet of the master cannot be read");
        }
        let Some(header) = error.header else { return };
        if header.is_response() {
            self.link.respond(header.packet, Err(error.to_string()));
            return;
        }
        let response = Pdu::Response {
            sys_up_time: 0,
            error: ErrorCode::ParseError.code(),
            index: 0,
            bindings: Vec::new(),
        };
        self.send(Packet { packet: header.packet, ..self.packet(header.transaction, response) });
    }

    /// Answers a request.
    async fn request(&self, packet: Packet) {
        let transaction = packet.transaction;
        if matches!(packet.pdu, Pdu::CleanupSet) {
            self.changes.forget(transaction);
            return;
        }
        let in_context = packet.context.as_ref().is_some_and(|context| !context.is_empty());
        let answer = if self.number.get() != Some(&packet.session) {
            Err((ErrorCode::NotOpen.code(), 0))
        } else if in_context {
            // Nothing is registered in it.
            Err((ErrorCode::UnsupportedContext.code(), 0))
        } else {
            self.answer(transaction, packet.pdu).await
        };
        let ((error, index), bindings) = match answer {
            Ok(bindings) => ((0, 0), bindings),
            Err(error) => (error, Vec::new()),
        };
        let response = Pdu::Response { sys_up_time: 0, error, index, bindings };
        self.send(Packet { packet: packet.packet, ..self.packet(transaction, response) });
    }

    async fn answer(&self, transaction: u32, pdu: Pdu) -> Result<Vec<VarBind>, (u16, u16)> {
        let Session { core, authority, registrations, .. } = &*self.session;
        let as_error = |failed: Failed| (failed.status.code() as u16, failed.index);
        let done = |done: Result<(), Failed>| done.map(|()| Vec::new()).map_err(as_error);
        match pdu {
            Pdu::TestSet(bindings) => {
                let strange = bindings.iter().position(|binding| !hold(registrations, &binding.name));
                if let Some(at) = strange {
                    let index = u16::try_from(at + 1).unwrap_or(u16::MAX);
                    return Err(as_error(Failed { status: ErrorStatus::NotWritable, index }));
                }
                done(self.changes.test(core, authority, transaction, bindings).await)
            }
            Pdu::CommitSet => done(self.changes.commit(core, authority, transaction).await),
            Pdu::UndoSet => done(self.changes.undo(core, authority, transaction).await),
            Pdu::Get(_) | Pdu::GetNext(_) | Pdu::GetBulk { .. } => {
                let settings = core.settings();
                let refused = || (ErrorStatus::GenErr.code() as u16, 1);
                let access = authority.read(core, &settings).ok_or_else(refused)?;
                let reader = Reader {
                    served: settings.served(),
                    access: &access,
                    registrations,
                    arrived: Instant::now(),
                };
                let read = match &pdu {
                    Pdu::Get(ranges) => reader.get(ranges).await,
                    Pdu::GetBulk { non_repeaters, max_repetitions, ranges } => {
                        reader.bulk((*non_repeaters).into(), (*max_repetitions).into(), ranges).await
                    }
                    Pdu::GetNext(ranges) => reader.next(ranges).await,
                    _ => Ok(Vec::new()),
                };
                read.map_err(as_error)
            }
            _ => Err((ErrorCode::ProcessingError.code(), 0)),
        }
    }

    fn send(&self, response: Packet) {
        match self.link.send(&response) {
            Ok(()) => {}
            Err(Unsent::TooLong) => {
                let pdu = Pdu::Response {
                    sys_up_time: 0,
                    error: ErrorStatus::TooBig.code() as u16,
                    index: 0,
                    bindings: Vec::new(),
                };
                let _ = self.link.send(&Packet { pdu, ..response });
            }
            Err(error) => {
                if let Some(left_out) = self.session.faults.admit() {
                    tracing::warn!(master = %self.session.plan.master, %error, left_out, "an answer is lost");
                }
            }
        }
    }
}

/// An error of the protocol in the words of the standard.
fn said(error: u16) -> String {
    ErrorCode::from_code(error).map_or_else(|| format!("error {error}"), |error| error.to_string())
}

/// How long the master may take for an answer.
const WITHIN: Duration = Duration::from_secs(10);

/// How often it is asked whether it is still there.
const ALIVE: Duration = Duration::from_secs(15);

/// Between attempts to connect, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// Requests that are answered at the same time.
const MOST_REQUESTS: usize = 32;
