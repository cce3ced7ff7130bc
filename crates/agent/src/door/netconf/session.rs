//! One session: hellos, then requests, each answered before the next is read.

mod proof;
mod stored;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::SystemTime;

use tokio::time::Instant;
use trunkline_binding::session;
use trunkline_core::Phase;
use trunkline_netconf::NOTIFICATION;
use trunkline_netconf::compression::Agreed;
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_netconf::framing::{Deframer, Framing, FramingError};
use trunkline_netconf::hello::{self, Hello};
use trunkline_netconf::rpc::{NotRpc, Rpc, too_big};
use trunkline_transport::dial::Stream;
use trunkline_transport::talk::{Parted, Talk};
use trunkline_transport::tcp::TcpLimits;
use trunkline_transport::{SessionInfo, Visit};
use trunkline_tree::policy::{OwnedActing, OwnedPrincipal};
use trunkline_wrapping::{Guard, NotOpened, Sealing, Shared, Wrapping, nonce};
use trunkline_xmlsec::{Nonce, Time};

use super::Netconf;
use super::configure::{self, Configuring, Errors};
use super::event::{Event, Reason};
use super::push::{self, Pushes};
use super::register::{Counts, Member, Place};
use super::reply::{self, Answer};
use super::subscription::{Form, Next, Subscription};
use trunkline_commit::audit::who;

/// Serves a peer until its session ends.
pub(super) async fn serve(door: Arc<Netconf>, stream: Box<dyn Stream>, info: SessionInfo, visit: Visit) {
    let peer = session::peer_of(&info, |chain| door.core.settings_now().name_of(chain));
    if !door.is_open() {
        tracing::info!(peer = %info.peer, "a NETCONF client is refused: the configuration has no [netconf]");
        return;
    }
    // RFC 6241 section 2.2 has a transport authenticate its client. Over plain TCP, protected messages do, or the configuration says
    // whose rights it has.
    let (is_proved, principal) = match peer {
        Ok(Some(state)) => (true, Some(door.core.principal_of(&state).into_owned())),
        Ok(None) => (false, door.unprotected(info.peer)),
        Err(_) => return,
    };
    let nonce = if door.datastores.keyring().table().is_empty() { None } else { nonce() };
    if principal.is_none() && nonce.is_none() {
        tracing::info!(peer = %info.peer, "no NETCONF session: [netconf] has no community for plain TCP, and no keys of protected messages are configured");
        return;
    }
    let has_principal = principal.is_some();
    let principal = principal.unwrap_or_else(proof::nobody);
    let (name, peer) = (String::from_utf8_lossy(&principal.name).into_owned(), info.peer);
    let had_rights = has_principal && door.has_rights(principal.as_principal());
    let member = Member::new(info.transport, name, Some(peer.ip()));
    let place = door.register.open(member.of(principal.clone(), had_rights));
    let member = place.member.clone();
    let is_in_log = has_principal && door.audit.begun(place.id, &member, peer);
    let limits = door.limits(*visit.limits);
    let talk = Talk::new(stream, visit, limits, door.core.closing().clone());
    let (pushes, wrapping) = (Pushes::new(&door), Wrapping::new(talk.most_kept()));
    let mut session = Session {
        door,
        place,
        principal,
        talk,
        limits,
        input: Vec::new(),
        deframer: Deframer::new(if has_principal { hello::MOST } else { UNPROVED_HELLO }),
        wrapping,
        since: None,
        has_begun: false,
        opening: Opening { nonce, is_proved, has_principal, is_in_log, peer },
        subscription: None,
        told: None,
        is_muted: false,
        proved: None,
        relay: None,
        pushes,
    };
    let end = {
        let mut conversation = std::pin::pin!(session.converse());
        tokio::select! {
            ended = &mut conversation => ended.err().unwrap_or(End::Closed),
            by = member.killed() => match by {
                0 if member.end() => End::Revoked,
                // It may have taken its rights away itself, and gets the reply.
                0 => conversation.await.err().unwrap_or(End::Closed),
                by => End::Killed(by),
            },
        }
    };
    finish(&mut session, &end).await;
    if end.is_orderly() {
        session.talk.part().await;
    }
}

/// What is left to do after a session: what it held is free, others learn of it, and the log says why it has ended.
async fn finish(session: &mut Session, end: &End) {
    session.back();
    let (id, register, peer) = (session.place.id, session.place.register.clone(), session.opening.peer);
    let (member, is_in_log) = (session.place.member.clone(), session.opening.is_in_log);
    let name = member.name.clone();
    configure::leave(&session.door, id, &member, "its session has ended").await;
    if let Some(reason) = end.reason(session.has_begun) {
        let event = Event::session_end(&session.door.models().events, &who(&session.place), reason);
        session.door.note(event);
    }
    match end {
        End::Hello(_) | End::NoProof => drop(register.bad_hellos.fetch_add(1, Relaxed)),
        End::Closed | End::Killed(_) | End::Revoked | End::NoKeys => {}
        End::Parted(_) | End::Framing(_) | End::NotRpc(_) | End::NotOpened(_) => {
            register.dropped.fetch_add(1, Relaxed);
        }
    }
    match end.is_mistake().then(|| session.talk.misunderstood()).flatten() {
        Some(left_out) => {
            tracing::info!(%peer, session = id, %name, %end, left_out, "a NETCONF session has ended by a mistake of its client");
        }
        None if is_in_log => session.door.audit.ended(id, &member, end),
        None => tracing::debug!(%peer, session = id, %name, %end, "a NETCONF session has ended"),
    }
}

pub(super) struct Session {
    pub door: Arc<Netconf>,
    pub place: Place,
    /// Acting in the role that the present request names.
    pub principal: OwnedPrincipal,
    pub talk: Talk,
    pub limits: TcpLimits,
    /// Read, and not yet cut into messages.
    input: Vec<u8>,
    deframer: Deframer,
    pub wrapping: Wrapping,
    /// When the message that has begun did so.
    since: Option<Instant>,
    /// Whether the hellos were good.
    has_begun: bool,
    pub opening: Opening,
    subscription: Option<Subscription>,
    /// How its events are protected.
    told: Option<Sealing>,
    /// Whether a subscription has ended because its keys are over.
    pub is_muted: bool,
    /// On behalf of which role the message at hand is, by its keys.
    pub proved: Option<OwnedActing>,
    /// While a message of somebody else is carried out.
    relay: Option<Box<stored::Relay>>,
    /// Those of RFC 8639.
    pub pushes: Pushes,
}

/// What is known of a session when it begins.
pub(super) struct Opening {
    /// With which messages can protect themselves in it; `None`: there are no keys.
    pub nonce: Option<Nonce>,
    /// Whether its transport has authenticated the client.
    pub is_proved: bool,
    /// Whether its client may say something without protection.
    pub has_principal: bool,
    pub is_in_log: bool,
    pub peer: SocketAddr,
}

/// Why a session ended.
#[derive(Debug, thiserror::Error)]
pub(super) enum End {
    #[error("closed by its client")]
    Closed,
    #[error("ended by session {0}")]
    Killed(u32),
    #[error("its user has no rights any more")]
    Revoked,
    #[error(transparent)]
    Parted(#[from] Parted),
    #[error("{0}")]
    Hello(#[from] hello::HelloError),
    #[error("{0}")]
    Framing(#[from] FramingError),
    #[error("expected an rpc, found another message: {0}")]
    NotRpc(String),
    #[error("{0}")]
    NotOpened(NotOpened),
    #[error("its client protects no messages, and nothing else says who it is")]
    NoProof,
    #[error("the keys of its subscriptions are not valid any more, and it has used no others that are")]
    NoKeys,
}

impl End {
    const fn is_mistake(&self) -> bool {
        matches!(self, End::Hello(_) | End::Framing(_) | End::NotRpc(_) | End::NotOpened(_) | End::NoProof)
    }

    /// Why the session is over, for others; `None`: it never began.
    fn reason(&self, has_begun: bool) -> Option<Reason> {
        match self {
            End::Hello(_) | End::NoProof => Some(Reason::BadHello),
            _ if !has_begun => None,
            End::Closed => Some(Reason::Closed),
            End::Killed(by) => Some(Reason::Killed(*by)),
            End::Parted(Parted::Idle) => Some(Reason::Timeout),
            End::Parted(_) => Some(Reason::Dropped),
            End::Framing(_) | End::NotRpc(_) | End::NotOpened(_) | End::Revoked | End::NoKeys => {
                Some(Reason::Other)
            }
        }
    }

    const fn is_orderly(&self) -> bool {
        !matches!(self, End::Parted(parted) if !parted.is_orderly())
    }
}

impl Session {
    /// Exchanges hellos.
    async fn greet(&mut self) -> Result<(), End> {
        let ours = self.hello(self.opening.has_principal);
        let mut octets = Vec::new();
        ours.write(&mut octets);
        let mut framed = Vec::new();
        Framing::EndOfMessage.frame(&octets, &mut framed);
        // Neither end waits for the other's (RFC 6241 section 8.1).
        self.talk.send(&framed, 0).await?;
        let read = if self.door.validates() { Hello::read_valid } else { Hello::read };
        let theirs = read(&self.message().await?)?;
        let framing = ours.with_client(&theirs)?;
        self.wrapping.framing = framing;
        self.wrapping.agreed = Agreed::of(&ours, &theirs, framing);
        let protected = self.opening.nonce.filter(|_| Guard::is_wanted(&theirs));
        let is_unproved = protected.is_some() && !self.opening.has_principal;
        self.expect_at_most(if is_unproved { UNPROVED_MESSAGE } else { self.limits.max_message });
        match protected {
            Some(nonce) => {
                Box::pin(self.begin_protected(nonce)).await?;
                self.expect_at_most(self.limits.max_message);
            }
            // A client without rights of its own may relay messages of others.
            None if !self.opening.has_principal && self.device().is_some() => return Ok(()),
            None if !self.opening.has_principal => return Err(End::NoProof),
            None => {}
        }
        self.place.register.begun.fetch_add(1, Relaxed);
        self.has_begun = true;
        self.door.note(Event::session_start(&self.door.models().events, &who(&self.place)));
        Ok(())
    }

    /// The longest message from now on; there is nothing yet of the next one.
    fn expect_at_most(&mut self, octets: usize) {
        self.deframer = Deframer::new(octets);
        self.deframer.switch(self.wrapping.framing);
    }

    async fn converse(&mut self) -> Result<(), End> {
        self.greet().await?;
        let most = self.limits.max_message;
        loop {
            let message = match self.message().await {
                // Where the next message begins is not known, so that the session ends; its client learns why.
                Err(End::Framing(FramingError::TooLong { limit })) => {
                    self.count(|counts| &counts.bad_rpcs);
                    self.count(|counts| &counts.errors);
                    let mut octets = Vec::new();
                    too_big(limit, &mut octets);
                    self.answer(&octets).await?;
                    return Err(End::Framing(FramingError::TooLong { limit }));
                }
                message => message?,
            };
            let Some(message) = self.unwrapped(message).await? else { continue };
            if self.carried(&message).await? {
                continue;
            }
            self.phase(Phase::Decode);
            let rpc = match Rpc::read(&message, most).and_then(|rpc| self.valid(rpc, &message)) {
                Ok(rpc) => {
                    self.count(|counts| &counts.rpcs);
                    rpc
                }
                Err(NotRpc::Other { found }) => return Err(End::NotRpc(found)),
                // The tag is one of base 1.1 (RFC 6241 appendix A).
                Err(NotRpc::Malformed(error)) if self.wrapping.framing == Framing::EndOfMessage => {
                    self.count(|counts| &counts.bad_rpcs);
                    return Err(End::NotRpc(error.to_string()));
                }
                Err(not_rpc) => {
                    self.count(|counts| &counts.bad_rpcs);
                    self.count(|counts| &counts.errors);
                    self.answer(&not_rpc.reply()).await?;
                    continue;
                }
            };
            drop(message);
            // One with many requests at once does not keep others waiting.
            tokio::task::yield_now().await;
            let refused = self.act_for(&rpc);
            self.place.member.answers(true);
            let answer = self.obey(&rpc, refused).await?;
            if self.place.member.answers(false) {
                return Err(End::Revoked);
            }
            match answer {
                Answer::Next => {}
                Answer::Last => return Ok(()),
                Answer::Subscribe => self.subscribe(rpc).await?,
            }
        }
    }

    /// Carries out a request, unless there is something that refuses it.
    async fn obey(&mut self, rpc: &Rpc, refused: Option<RpcError>) -> Result<Answer, Parted> {
        match refused {
            Some(error) => reply::refuse(self, rpc, &[error]).await,
            // Boxed: a session that is idle keeps no room for it.
            None => Box::pin(reply::answer(self, rpc)).await,
        }
    }

    /// A request that is valid, if that is wanted.
    fn valid(&self, rpc: Rpc, message: &[u8]) -> Result<Rpc, NotRpc> {
        self.phase(Phase::Validate);
        let rpc = if self.door.validates() { rpc.valid()? } else { rpc };
        match self.door.other_check.get().map(|check| check(message)) {
            Some(Err(words)) => Err(rpc.refused(RpcError::new(Layer::Rpc, Tag::OperationFailed, words))),
            Some(Ok(())) | None => Ok(rpc),
        }
    }

    /// What it may change, if its principal may write something.
    ///
    /// # Errors
    /// It may not.
    pub fn configuring(&self) -> Result<Configuring<'_>, Errors> {
        Configuring::of(&self.place, &self.door, self.principal.as_principal())
    }

    /// Whether it is sent events.
    pub const fn is_subscribed(&self) -> bool {
        self.subscription.is_some()
    }

    async fn subscribe(&mut self, rpc: Rpc) -> Result<(), Parted> {
        if !rpc.operation().is(NOTIFICATION, "create-subscription") {
            return Box::pin(push::request(self, rpc)).await;
        }
        // The reply comes before the first event.
        let mut octets = Vec::new();
        rpc.ok(&mut octets);
        match Subscription::of(rpc, &self.door, Form::Xml) {
            Ok(subscription) => {
                self.answer(&octets).await?;
                self.told = self.wrapping.sealing.clone().map(Sealing::for_notifications);
                self.subscription = Some(subscription.acting(self.principal.acting.clone()));
                // A subscriber may have nothing to say for as long as it is there.
                self.talk.may_be_silent(true);
                Ok(())
            }
            Err(refused) => {
                let (rpc, error) = *refused;
                reply::refuse(self, &rpc, &[error]).await.map(drop)
            }
        }
    }

    /// Whether what nobody has requested can be protected in this way; the subscription ends if it cannot.
    pub fn can_tell(&mut self, sealing: Option<&Sealing>, subscription: Option<u32>) -> bool {
        let keys = self.door.datastores.keyring().table();
        let Some(over) = sealing.filter(|sealing| !sealing.is_valid(&keys)) else { return true };
        self.is_muted = true;
        self.door.audit.subscription_over(self.place.id, &self.place.member, over.key(), subscription);
        false
    }

    /// A session that said nothing but notifications, and has no keys any more.
    fn check_keys(&mut self) -> Result<(), End> {
        if !std::mem::take(&mut self.is_muted) {
            return Ok(());
        }
        let (keys, now) = (self.door.datastores.keyring().table(), Time::from(SystemTime::now()));
        match self.place.member.are_keys_over(|key| keys.has(key, now)) {
            true => Err(End::NoKeys),
            false => Ok(()),
        }
    }

    /// Sends the events that there are.
    async fn tell(&mut self) -> Result<(), Parted> {
        if self.subscription.is_none() {
            return Ok(());
        }
        let told = self.told.take();
        let can_tell = self.can_tell(told.as_ref(), None);
        self.told = told;
        if !can_tell {
            self.subscription = None;
            self.talk.may_be_silent(!self.pushes.is_empty());
        }
        while let Some(subscription) = &mut self.subscription {
            let acting = subscription.acting.clone();
            let acting = acting.as_ref().map(OwnedActing::as_acting);
            let principal = self.principal.as_principal().acting(acting);
            let (message, is_last) = match subscription.next(&self.door, self.place.id, principal).await {
                Next::Message(message) => (message, false),
                Next::Last(message) => (message, true),
                Next::Wait => return Ok(()),
            };
            self.count(|counts| &counts.notifications);
            self.wrapping.sealing.clone_from(&self.told);
            self.answer(&message).await?;
            if is_last {
                self.subscription = None;
                self.talk.may_be_silent(false);
            }
        }
        Ok(())
    }

    /// The next message.
    pub async fn message(&mut self) -> Result<Vec<u8>, End> {
        loop {
            let mut rest = &self.input[..];
            let message = self.deframer.receive(&mut rest)?;
            let used = self.input.len() - rest.len();
            self.input.drain(..used);
            if self.input.is_empty() {
                self.input = Vec::new();
            }
            if let Some(message) = message {
                self.since = None;
                self.talk.heard(self.opening.has_principal);
                return Ok(message);
            }
            self.since = match self.deframer.is_between_messages() {
                true => None,
                false => self.since.or_else(|| Some(Instant::now())),
            };
            self.tell().await?;
            if !self.pushes.is_empty() {
                Box::pin(push::act(self)).await?;
            }
            self.check_keys()?;
            self.talk.flush().await?;
            let is_waiting = self.deframer.is_between_messages();
            self.phase(if is_waiting { Phase::Wait } else { Phase::Receive });
            let Session { talk, input, subscription, pushes, .. } = self;
            let news = async {
                match subscription {
                    Some(subscription) => subscription.wake().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                received = talk.receive(input, self.since, self.deframer.held()) => received?,
                () = news => {}
                () = pushes.wake() => {}
            }
            self.phase(Phase::Receive);
        }
    }

    /// A phase of a request begins: for the laboratory's clock.
    pub fn phase(&self, phase: Phase) {
        self.door.core.phases().begin(phase);
    }

    /// Counts something, of this session and of all.
    pub fn count(&self, of: fn(&Counts) -> &AtomicU32) {
        for counts in [&self.place.member.counts, &self.place.register.counts] {
            of(counts).fetch_add(1, Relaxed);
        }
    }

    /// Sends a part of a message; what is `held` beside it meanwhile counts.
    pub async fn part(&mut self, part: &mut Vec<u8>, is_end: bool, held: usize) -> Result<(), Parted> {
        let mut framed = Vec::new();
        let wrapped =
            Wrapped { talk: &mut self.talk, wrapping: &mut self.wrapping, shared: self.door.shared() };
        wrapped.part(part, is_end, held, &mut framed)?;
        part.clear();
        if !is_end && framed.is_empty() {
            return self.talk.keep(self.wrapping.holds(0, false, held));
        }
        if is_end {
            self.talk.said();
        }
        self.talk.send(&framed, held).await
    }

    /// Sends a whole message, before the next request is waited for.
    pub async fn answer(&mut self, message: &[u8]) -> Result<(), Parted> {
        self.phase(Phase::Send);
        let mut framed = Vec::new();
        let wrapped =
            Wrapped { talk: &mut self.talk, wrapping: &mut self.wrapping, shared: self.door.shared() };
        wrapped.part(message, true, 0, &mut framed)?;
        self.talk.send_soon(framed).await?;
        self.talk.said();
        Ok(())
    }
}

/// A session's messages on their way to the peer.
pub(super) struct Wrapped<'s> {
    pub talk: &'s mut Talk,
    pub wrapping: &'s mut Wrapping,
    pub shared: Shared<'s>,
}

impl Wrapped<'_> {
    /// Appends what of a part of a message can be sent now; `held`: octets that are kept beside it. What of it waits to be protected, and what
    /// protecting it takes, counts as octets do that wait for the peer.
    pub fn part(self, part: &[u8], is_end: bool, held: usize, framed: &mut Vec<u8>) -> Result<(), Parted> {
        if self.wrapping.sealing.is_some() {
            self.talk.keep(self.wrapping.holds(part.len(), is_end, held))?;
        }
        self.wrapping.part(self.shared, part, is_end, held, framed)
    }
}

/// The longest hello of a client that nobody knows yet, in octets.
const UNPROVED_HELLO: usize = 64 << 10;

/// The longest first protected message of such a client, in octets: its hello once more, which encryption makes longer
/// by four fifths.
const UNPROVED_MESSAGE: usize = 128 << 10;
