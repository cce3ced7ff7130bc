//! SNMPv3 messages with any part under an attacker's control, signed and encrypted with the keys that the
//! attacker has, and the agent's answers.

use std::net::UdpSocket;

use trunkline_smi::Value;
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::usm::{EngineId, EngineMoment, User};
use trunkline_snmp::wire::{
    Message, MsgFlags, Pdu, PduKind, ScopedPdu, ScopedPduData, UsmParameters, V3Message, V3MessageRef,
    VarBind, Version,
};

use super::receiver::credentials;
use super::support::{Agent, get, message, oid, set, socket_to};
use super::who::Who;

/// An agent as its enemy sees it: address, engine and clock.
pub struct Victim {
    pub socket: UdpSocket,
    pub engine_id: EngineId,
}

/// A message about to be sent.
#[derive(Clone)]
pub struct Forged {
    /// Keys; its name is in the message.
    pub user: User,
    pub flags: MsgFlags,
    pub security_model: i32,
    pub engine_id: Vec<u8>,
    pub moment: EngineMoment,
    pub context_engine_id: Vec<u8>,
    pub context_name: Vec<u8>,
    pub pdu: Pdu,
    /// msgUserName, where it is not the keys' own.
    pub user_name: Option<Vec<u8>>,
    /// How many octets of the authentication code are left.
    pub code_length: Option<usize>,
}

/// What came back.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Response(Pdu),
    /// Its object, and whether it was authentic.
    Report {
        object: String,
        is_signed: bool,
    },
    Silence,
}

impl Answer {
    /// The object of a Report.
    #[track_caller]
    pub fn report(&self) -> &str {
        match self {
            Answer::Report { object, .. } => object,
            other => panic!("a Report expected, found {other:?}"),
        }
    }

    #[track_caller]
    pub fn response(&self) -> &Pdu {
        match self {
            Answer::Response(pdu) => pdu,
            other => panic!("a Response expected, found {other:?}"),
        }
    }
}

const MESSAGE_ID: i32 = 0x1357_9bdf;
const PROBE_IDS: [i32; 2] = [0x0246_8ace, 0x0246_8acf];

impl Victim {
    /// Finds out the agent's engine (RFC 3414 section 4).
    pub fn discover(agent: &Agent) -> Victim {
        let socket = socket_to(agent.udp());
        // From here on nothing waits for the group's first load.
        agent.get("1.3.6.1.2.1.1.3.0");
        let anybody = EngineId::generate(8072, *b"nobody knows");
        let asked = Forged {
            user: User::new(anybody, b"nobody").unwrap(),
            flags: MsgFlags::new(SecurityLevel::NoAuthNoPriv, true),
            security_model: 3,
            engine_id: Vec::new(),
            moment: EngineMoment::default(),
            context_engine_id: Vec::new(),
            context_name: Vec::new(),
            pdu: get(&[]),
            user_name: Some(Vec::new()),
            code_length: None,
        };
        socket.send(&asked.octets()).unwrap();
        let report = receive_v3(&socket);
        Victim { engine_id: EngineId::new(&parameters(&report).engine_id).unwrap(), socket }
    }

    /// The agent's clock, from its Reports.
    pub fn moment(&self) -> EngineMoment {
        let asked = Forged { engine_id: Vec::new(), ..self.plain(b"", get(&[])) };
        self.socket.send(&asked.octets()).unwrap();
        parameters(&receive_v3(&self.socket)).moment
    }

    /// The clock just after a second has begun: most of it is still to come.
    pub fn beginning_of_a_second(&self) -> EngineMoment {
        let before = self.moment();
        loop {
            let now = self.moment();
            if now != before {
                return now;
            }
        }
    }

    /// A user's honest request at its best level.
    pub fn request(&self, who: Who, pdu: Pdu) -> Forged {
        let user = credentials(who).localize(&self.engine_id).unwrap();
        Forged {
            flags: MsgFlags::new(user.level(), true),
            user,
            user_name: None,
            moment: self.moment(),
            ..self.plain(b"", pdu)
        }
    }

    /// A request without keys.
    pub fn plain(&self, name: &[u8], pdu: Pdu) -> Forged {
        Forged {
            user: User::new(self.engine_id, b"nobody").unwrap(),
            flags: MsgFlags::new(SecurityLevel::NoAuthNoPriv, true),
            security_model: 3,
            engine_id: self.engine_id.as_bytes().to_vec(),
            moment: EngineMoment::default(),
            context_engine_id: self.engine_id.as_bytes().to_vec(),
            context_name: Vec::new(),
            pdu,
            user_name: Some(name.to_vec()),
            code_length: None,
        }
    }

    /// Sends what is surely answered and gives the Response, which may take its time.
    #[track_caller]
    pub fn ask(&self, honest: &Forged) -> Pdu {
        self.socket.send(&honest.octets()).unwrap();
        read(&receive(&self.socket), &honest.user).response().clone()
    }

    /// Sends it; a following request that is surely answered shows that it gets nothing.
    pub fn send(&self, forged: &Forged) -> Answer {
        self.send_octets(&forged.octets(), &forged.user)
    }

    pub fn send_octets(&self, octets: &[u8], keys: &User) -> Answer {
        self.exchange(octets).map_or(Answer::Silence, |answer| read(&answer, keys))
    }

    /// Whether octets that are perhaps no message any more get a Response with data.
    pub fn answers(&self, octets: &[u8]) -> bool {
        let Some(answer) = self.exchange(octets) else { return false };
        // An encrypted message is not a Report: none of them needs to be encrypted.
        match V3Message::decode(&answer).unwrap().data {
            ScopedPduData::Plain(scoped) => {
                scoped.pdu.kind != PduKind::Report && scoped.pdu.error_status == 0
            }
            ScopedPduData::Encrypted(_) => true,
        }
    }

    /// Following requests that are surely answered show that it gets nothing: one is answered by the receiving
    /// thread, one by the runtime, and both keep their order.
    fn exchange(&self, octets: &[u8]) -> Option<Vec<u8>> {
        let object = VarBind::unspecified(oid("1.3.6.1.2.1.1.1.0"));
        let mut probes = [get(&["1.3.6.1.2.1.1.3.0"]), set(vec![object])];
        self.socket.send(octets).unwrap();
        for (probe, id) in probes.iter_mut().zip(PROBE_IDS) {
            probe.request_id = id;
            self.socket.send(&message(Version::V2c, "public", probe.clone()).encode()).unwrap();
        }
        let (mut answer, mut waiting) = (None, PROBE_IDS.to_vec());
        while !waiting.is_empty() {
            let octets = receive(&self.socket);
            match Message::decode(&octets) {
                Ok(probe) => waiting.retain(|id| *id != probe.pdu.request_id),
                Err(_) => assert_eq!(answer.replace(octets), None, "two answers"),
            }
        }
        answer
    }
}

impl Forged {
    pub fn octets(&self) -> Vec<u8> {
        let level = self.flags.level().unwrap_or(SecurityLevel::NoAuthNoPriv);
        let scoped = ScopedPdu {
            context_engine_id: self.context_engine_id.clone(),
            context_name: self.context_name.clone(),
            pdu: self.pdu.clone(),
        };
        let (mut data, mut salt) = (ScopedPduData::Plain(scoped.clone()), Vec::new());
        if let (true, Some(key)) = (level.is_encrypted(), self.user.privacy()) {
            let mut octets = scoped.encode();
            octets.resize(octets.len() + key.padding(octets.len()), 0);
            let octets_of_salt = key.salt(self.moment.boots, fastrand::u64(..));
            key.encrypt(self.moment, octets_of_salt, &mut octets).unwrap();
            (data, salt) = (ScopedPduData::Encrypted(octets), octets_of_salt.to_vec());
        }
        let key = self.user.auth().filter(|_| level.is_authenticated());
        let encode = |code: Vec<u8>| {
            let parameters = UsmParameters {
                engine_id: self.engine_id.clone(),
                moment: self.moment,
                user_name: self.user_name.clone().unwrap_or_else(|| self.user.name().to_vec()),
                authentication: code,
                privacy: salt.clone(),
            };
            V3Message {
                message_id: MESSAGE_ID,
                max_size: 65_507,
                flags: self.flags,
                security_model: self.security_model,
                security_parameters: parameters.encode(),
                data: data.clone(),
            }
            .encode()
        };
        let Some(key) = key else { return encode(Vec::new()) };
        let mut octets = encode(vec![0; key.protocol().mac_length()]);
        let range = V3MessageRef::decode(&octets).unwrap().usm().unwrap().authentication_range();
        key.sign(&mut octets, range.clone()).unwrap();
        match self.code_length {
            None => octets,
            Some(length) => {
                let mut code = octets[range].to_vec();
                code.resize(length, 0);
                encode(code)
            }
        }
    }
}

fn receive(socket: &UdpSocket) -> Vec<u8> {
    let mut octets = vec![0; 65_535];
    let length = socket.recv(&mut octets).expect("the agent answers");
    octets.truncate(length);
    octets
}

fn receive_v3(socket: &UdpSocket) -> V3Message {
    V3Message::decode(&receive(socket)).unwrap()
}

fn parameters(message: &V3Message) -> UsmParameters {
    let octets = message.encode();
    V3MessageRef::decode(&octets).unwrap().usm().unwrap().to_parameters()
}

/// Reads an answer as a manager does: its digest must be right, if it has one.
fn read(octets: &[u8], keys: &User) -> Answer {
    let answer = V3Message::decode(octets).unwrap();
    assert_eq!(answer.message_id, MESSAGE_ID);
    let parameters = V3MessageRef::decode(octets).unwrap().usm().unwrap();
    let level = answer.flags.level().expect("a level");
    if level.is_authenticated() {
        keys.auth().expect("keys").verify(octets, parameters.authentication_range()).expect("authentic");
    }
    let pdu = match answer.data {
        ScopedPduData::Plain(scoped) => scoped.pdu,
        ScopedPduData::Encrypted(mut octets) => {
            let key = keys.privacy().expect("a key");
            key.decrypt(parameters.moment, parameters.privacy, &mut octets).unwrap();
            let scoped = trunkline_snmp::wire::ScopedPduRef::decode(&octets, 8).unwrap();
            scoped.to_owned_pdu().unwrap().pdu
        }
    };
    if pdu.kind == PduKind::Response {
        return Answer::Response(pdu);
    }
    assert_eq!((pdu.kind, pdu.bindings.len()), (PduKind::Report, 1));
    assert!(matches!(pdu.bindings[0].value.value(), Some(Value::Counter32(1..))), "{pdu:?}");
    Answer::Report { object: pdu.bindings[0].name.to_string(), is_signed: level.is_authenticated() }
}
