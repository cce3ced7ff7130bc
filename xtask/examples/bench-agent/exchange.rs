//! The messages that the benchmarks send, and what is accepted as an answer.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, Message, MessageRef, Pdu, PduKind, Version};
use trunkline_transport::load::{LoadReport, UdpLoad, Until};

/// SNMPv2-MIB::sysUpTime.0
pub const SYS_UP_TIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];
/// IF-MIB::ifNumber.0
pub const IF_NUMBER: [u32; 9] = [1, 3, 6, 1, 2, 1, 2, 1, 0];
/// IF-MIB::ifTable
pub const IF_TABLE: [u32; 8] = [1, 3, 6, 1, 2, 1, 2, 2];
/// IF-MIB::ifIndex
pub const IF_INDEX: [u32; 10] = [1, 3, 6, 1, 2, 1, 2, 2, 1, 1];
/// IF-MIB::ifInOctets
pub const IF_IN_OCTETS: [u32; 10] = [1, 3, 6, 1, 2, 1, 2, 2, 1, 10];

/// How long an answer may take: snmpd reads ten thousand sockets for one.
const PATIENCE: Duration = Duration::from_secs(60);

/// Every request-id has this bit and not the one above it, so that each takes
/// four octets and can be written in place.
const ID_BASE: u32 = 0x4000_0000;

/// A request that is sent again and again with another request-id, and its answer's size.
pub struct Exchange {
    request: Vec<u8>,
    id_at: usize,
    reply_len: usize,
}

impl Exchange {
    /// Makes the request and asks `agent` once to learn the size of the answer.
    pub fn probe(agent: SocketAddr, pdu: Pdu) -> io::Result<Self> {
        // An ID that occurs nowhere else in the message shows its position.
        let id: u32 = ID_BASE | 0x0a5b_6c7d;
        let request = message(Pdu { request_id: id as i32, ..pdu }).encode();
        let found = request.windows(4).position(|window| window == id.to_be_bytes());
        let id_at = found.ok_or_else(|| io::Error::other("the request-id is not in the request"))?;
        let reply_len = round_trip(agent, &request)?.len();
        Ok(Self { request, id_at, reply_len })
    }

    /// Octets of the answer.
    pub fn reply_len(&self) -> usize {
        self.reply_len
    }

    /// Puts load on an agent; only whole, errorless responses count.
    pub fn load_agent(&self, agent: SocketAddr, window: u32, seconds: f64) -> io::Result<LoadReport> {
        self.load(agent, window, seconds, |octets| {
            let pdu = MessageRef::decode(octets).ok()?.pdu;
            let is_answer = pdu.kind == PduKind::Response && pdu.error_status == 0;
            is_answer.then_some(pdu.request_id as u32)
        })
    }

    /// Puts the same load on the echo server.
    pub fn load_echo(&self, echo: SocketAddr, window: u32, seconds: f64) -> io::Result<LoadReport> {
        let at = self.id_at;
        self.load(echo, window, seconds, |octets| {
            let id = octets.get(at..at + 4)?;
            Some(u32::from_be_bytes([id[0], id[1], id[2], id[3]]))
        })
    }

    fn load(
        &self,
        target: SocketAddr,
        window: u32,
        seconds: f64,
        id: impl Fn(&[u8]) -> Option<u32>,
    ) -> io::Result<LoadReport> {
        let until = Until::Elapsed(Duration::from_secs_f64(seconds));
        let load = UdpLoad { target, window, until, timeout: Duration::from_secs(1) };
        let request = |number: u32, buffer: &mut Vec<u8>| {
            buffer.extend_from_slice(&self.request);
            buffer[self.id_at..self.id_at + 4].copy_from_slice(&(ID_BASE | number).to_be_bytes());
        };
        let answered = |octets: &[u8]| {
            let is_whole = octets.len() == self.reply_len;
            is_whole.then(|| id(octets)).flatten().map(|id| id & !ID_BASE)
        };
        load.run(request, answered).map_err(io::Error::other)
    }
}

/// A GetBulk of one name.
pub fn bulk(name: &[u32], repetitions: i32) -> io::Result<Pdu> {
    Ok(Pdu::bulk(1, 0, repetitions, &[oid(name)?]))
}

/// A Get of one name.
pub fn get_pdu(name: &[u32]) -> io::Result<Pdu> {
    Ok(Pdu::read(PduKind::Get, 1, &[oid(name)?]))
}

/// The value of one instance.
pub fn get(agent: SocketAddr, name: &[u32]) -> io::Result<Value> {
    let response = ask(agent, get_pdu(name)?)?;
    match response.bindings.into_iter().next().map(|binding| binding.value) {
        Some(Bound::Value(value)) => Ok(value),
        other => Err(io::Error::other(format!("{agent} gave {other:?} for {name:?}"))),
    }
}

/// Walks a subtree with GetBulk: the names found, in the order of the agent.
pub fn walk(agent: SocketAddr, root: &[u32], repetitions: i32) -> io::Result<Vec<Oid>> {
    let mut found: Vec<Oid> = Vec::new();
    let mut last = oid(root)?;
    loop {
        let response = ask(agent, bulk(&last, repetitions)?)?;
        if response.bindings.is_empty() {
            return Err(io::Error::other(format!("{agent} answers GetBulk with nothing")));
        }
        for binding in response.bindings {
            let is_end = matches!(binding.value, Bound::Exception(_)) || !binding.name.starts_with(root);
            if is_end {
                return Ok(found);
            }
            if binding.name[..] <= last[..] {
                return Err(io::Error::other(format!("{agent} goes from {last} back to {}", binding.name)));
            }
            last = binding.name.clone();
            found.push(binding.name);
        }
    }
}

fn ask(agent: SocketAddr, pdu: Pdu) -> io::Result<Pdu> {
    let response = round_trip(agent, &message(pdu).encode())?;
    let message = Message::decode(&response).map_err(io::Error::other)?;
    match message.pdu.error_status {
        0 => Ok(message.pdu),
        status => Err(io::Error::other(format!("{agent} answers with error-status {status}"))),
    }
}

/// One message and its answer.
pub fn round_trip(agent: SocketAddr, request: &[u8]) -> io::Result<Vec<u8>> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket.connect(agent)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.send(request)?;
    let mut buffer = vec![0; 65_536];
    let size = socket.recv(&mut buffer)?;
    buffer.truncate(size);
    Ok(buffer)
}

fn message(pdu: Pdu) -> Message {
    Message { version: Version::V2c, community: b"public".to_vec(), pdu }
}

fn oid(name: &[u32]) -> io::Result<Oid> {
    Oid::new(name).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use trunkline_snmp::wire::VarBind;

    use super::*;

    /// An agent that answers as many requests as `answer` says.
    fn agent(requests: usize, answer: impl Fn(Pdu) -> Pdu + Send + 'static) -> SocketAddr {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = socket.local_addr().unwrap();
        thread::spawn(move || {
            for _ in 0..requests {
                let mut buffer = [0; 2048];
                let (size, peer) = socket.recv_from(&mut buffer).unwrap();
                let request = Message::decode(&buffer[..size]).unwrap();
                let pdu =
                    Pdu { kind: PduKind::Response, error_status: 0, error_index: 0, ..answer(request.pdu) };
                socket.send_to(&message(pdu).encode(), peer).unwrap();
            }
        });
        address
    }

    fn binding(name: &[u32]) -> VarBind {
        VarBind::new(Oid::new(name).unwrap(), Value::Integer(1))
    }

    #[test]
    fn a_walk_ends_behind_its_root_and_refuses_to_go_back() {
        let ordered = agent(1, |pdu| Pdu {
            bindings: vec![binding(&[1, 3, 1]), binding(&[1, 3, 2]), binding(&[1, 4])],
            ..pdu
        });
        assert_eq!(walk(ordered, &[1, 3], 10).unwrap().len(), 2);
        let looping = agent(1, |pdu| Pdu { bindings: vec![binding(&[1, 3, 2]), binding(&[1, 3, 1])], ..pdu });
        assert!(walk(looping, &[1, 3], 10).unwrap_err().to_string().contains("back to"));
    }

    #[test]
    fn a_load_counts_whole_answers_only() {
        let honest = agent(usize::MAX, |pdu| Pdu { bindings: vec![binding(&[1, 3, 1])], ..pdu });
        let exchange = Exchange::probe(honest, get_pdu(&[1, 3, 1]).unwrap()).unwrap();
        let report = exchange.load_agent(honest, 4, 0.05).unwrap();
        assert!(report.completed > 0 && report.rejected == 0, "{report:?}");

        let short = agent(usize::MAX, |pdu| Pdu { bindings: Vec::new(), ..pdu });
        let report = exchange.load_agent(short, 4, 0.05).unwrap();
        assert!(report.completed == 0 && report.rejected > 0, "{report:?}");
    }
}
