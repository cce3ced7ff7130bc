//! A receiver of notifications inside the test: an engine on a socket, which reports everything that it sees.

use std::net::UdpSocket;
use std::time::{Duration, Instant};

use trunkline_smi::{Oid, Value};
use trunkline_snmp::Counters;
use trunkline_snmp::engine::{CommunityEntry, Engine, EngineOptions, Handlers, Incoming};
use trunkline_snmp::role::originator::{Notification, SNMP_TRAP_ENTERPRISE};
use trunkline_snmp::usm::{Credentials, EngineBoots, EngineClock, EngineId, UserTable};
use trunkline_snmp::wire::{ErrorStatus, PduKind, ResponseWriter, VarBind};

use super::support::PATIENCE;
use super::who::Who;

/// The engine and its socket.
pub struct Receiver {
    pub socket: UdpSocket,
    engine: Engine,
    counters: Counters,
}

/// What came.
#[derive(Debug)]
pub struct Received {
    pub kind: PduKind,
    /// `MODEL:LEVEL:NAME`.
    pub who: String,
    pub notification: Notification,
    /// When it was taken from the socket.
    pub at: Instant,
}

impl Received {
    /// The notification's name in digits.
    pub fn name(&self) -> String {
        self.notification.trap_oid.to_string()
    }
}

impl Receiver {
    /// On a free port, or on a given one.
    pub fn on(port: u16, users: &[Who]) -> Receiver {
        let socket = UdpSocket::bind(("127.0.0.1", port)).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let id = EngineId::generate(8072, *b"the receiver");
        let engine = Engine::new(EngineOptions {
            id,
            clock: EngineClock::new(EngineBoots::new(7).unwrap(), Instant::now()),
            max_size: 65_507,
            handlers: Handlers::RECEIVER,
            remote_engines: 8,
            entropy: 0x1234_5678_9abc,
        });
        let mut table = UserTable::new();
        let made: Vec<Credentials> = users.iter().map(|who| credentials(*who)).collect();
        for user in &made {
            table.insert(user.localize(&id).unwrap());
        }
        engine.set_users(table);
        engine.set_credentials(made);
        Receiver { socket, engine, counters: Counters::default() }
    }

    pub fn port(&self) -> u16 {
        self.socket.local_addr().unwrap().port()
    }

    /// The next notification; an inform is confirmed.
    pub fn next(&self) -> Received {
        self.within(PATIENCE).expect("a notification")
    }

    /// The next one, if it comes within this time.
    pub fn within(&self, time: Duration) -> Option<Received> {
        let (deadline, mut octets) = (Instant::now() + time, vec![0; 65_535]);
        loop {
            let left = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
            self.socket.set_read_timeout(Some(left)).unwrap();
            let Ok((length, peer)) = self.socket.recv_from(&mut octets) else { continue };
            let at = Instant::now();
            let (found, answer) = self.take(&octets[..length], at);
            if let Some(answer) = answer {
                self.socket.send_to(&answer, peer).unwrap();
            }
            if found.is_some() {
                return found;
            }
        }
    }

    fn take(&self, octets: &[u8], at: Instant) -> (Option<Received>, Option<Vec<u8>>) {
        let entry = CommunityEntry { security_name: b"public", context_engine_id: None, context_name: b"" };
        let public = |community: &[u8]| (community == b"public").then_some(entry);
        let (mut scratch, mut out) = (Vec::new(), Vec::new());
        match self.engine.receive(octets, &mut scratch, &mut out, at, None, public, &self.counters) {
            Incoming::Request(request) => {
                let pdu = request.pdu.to_pdu().unwrap();
                let who = format!(
                    "{}:{}:{}",
                    request.security_model,
                    request.level,
                    String::from_utf8_lossy(request.security_name())
                );
                let answer = (pdu.kind == PduKind::Inform).then(|| {
                    let writer = ResponseWriter::new(&mut out, request.max_size, request.reply());
                    let range = writer
                        .finish_with_raw_bindings(ErrorStatus::NoError, 0, request.pdu.raw_bindings())
                        .unwrap();
                    out[range].to_vec()
                });
                let kind = pdu.kind;
                let notification = Notification::from_bindings(pdu.bindings).unwrap();
                (Some(Received { kind, who, notification, at }), answer)
            }
            Incoming::TrapV1(received) => {
                let mut notification = Notification::from_trap_v1(&received.trap).unwrap();
                let enterprise = Value::ObjectIdentifier(received.trap.enterprise.clone());
                notification.bindings.push(VarBind::new(Oid::from(SNMP_TRAP_ENTERPRISE), enterprise));
                let (kind, who) = (PduKind::TrapV1, "1:noAuthNoPriv:public".to_string());
                (Some(Received { kind, who, notification, at }), None)
            }
            Incoming::Report { reply, .. } => (None, Some(out[reply].to_vec())),
            Incoming::Drop(reason) => panic!("the agent sent what cannot be taken: {reason}"),
        }
    }
}

/// A user for any engine.
pub fn credentials(who: Who) -> Credentials {
    let (auth, privacy) = (who.auth_password(), who.priv_password());
    let auth = (who.auth != "-").then(|| (who.auth.parse().unwrap(), auth.as_bytes()));
    let privacy = (who.privacy != "-").then(|| (who.privacy.parse().unwrap(), privacy.as_bytes()));
    Credentials::from_passwords(who.name().as_bytes(), auth, privacy).unwrap()
}
