//! The octets of 500 interfaces: lean XML, compressed, and GetBulk.

use std::error::Error;
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use serde_json::json;
use trunkline_lab::stage::Role;
use trunkline_lab::transport::Transport;
use trunkline_smi::Oid;
use trunkline_smi::module::if_mib::IF_TABLE;
use trunkline_snmp::wire::{Bound, Message, Pdu, Version};
use trunkline_soap::encoding::Encoding;

use crate::load::Connection;
use crate::report::{Bar, Report};
use crate::{Measured, Options, place};

const ROWS: u32 = 500;
const BAR: f64 = 0.5;
/// So many objects fill a message of 64 KB.
const REPETITIONS: i32 = 3000;

pub fn measure(options: &Options, report: &mut Report) -> Measured {
    let stage = place::stage(options, ROWS, &[Role::Shipped], report)?;
    let agent = stage.agent(Role::Shipped).ok_or("there is no agent")?;
    let port = agent.port(Transport::Udp).ok_or("the agent does not listen on UDP")?;
    let bulk = bulk(SocketAddr::from(([127, 0, 0, 1], port)))?;
    let address = place::http(&stage, Role::Shipped)?;
    let mut raw = Vec::new();
    for (encoding, accept) in [
        (Encoding::Lean, Some("deflate")),
        (Encoding::Lean, Some("gzip")),
        (Encoding::Lean, None),
        (Encoding::Typed, Some("deflate")),
        (Encoding::Typed, None),
    ] {
        let request = place::whole_table(encoding, accept)?;
        let answer = Connection::open(address)?.ask(&request)?;
        let octets = request.len() + answer.octets.len();
        let ratio = octets as f64 / bulk.octets as f64;
        let how = accept.unwrap_or("plain");
        raw.push(
            json!({ "encoding": encoding.name(), "coding": how, "octets": octets, "times GetBulk": ratio }),
        );
        if (encoding, accept) == (Encoding::Lean, Some("deflate")) {
            let title =
                format!("octets of {} interfaces: lean XML with zlib, times GetBulk", stage.interfaces);
            report.count(title, "", Bar::AtMost(BAR), ratio);
        }
        report.note(format!(
            "octets of {} interfaces: {} {how}: {octets} ({ratio:.2} times GetBulk: {} in {} exchanges of {} objects); \
             requests and HTTP's heads included",
            stage.interfaces,
            encoding.name(),
            bulk.octets,
            bulk.exchanges,
            bulk.objects
        ));
    }
    report.keep("octets of 500 interfaces", json!({ "GetBulk": bulk.octets, "XML": raw }));
    Ok(())
}

struct Bulk {
    octets: usize,
    exchanges: usize,
    objects: usize,
}

/// A walk over ifTable by GetBulk of one name, the fewest octets that SNMPv2c has for it: requests and answers.
fn bulk(agent: SocketAddr) -> Result<Bulk, Box<dyn Error>> {
    let socket = UdpSocket::bind(("127.0.0.1", 0))?;
    socket.connect(agent)?;
    socket.set_read_timeout(Some(Duration::from_secs(10)))?;
    let table = Oid::EMPTY.child(IF_TABLE.oid);
    let mut found = Bulk { octets: 0, exchanges: 0, objects: 0 };
    let mut last = table.clone();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let pdu = Pdu::bulk(found.exchanges as i32, 0, REPETITIONS, std::slice::from_ref(&last));
        let request = Message { version: Version::V2c, community: b"public".to_vec(), pdu }.encode();
        socket.send(&request)?;
        let len = socket.recv(&mut buffer)?;
        let answer = Message::decode(&buffer[..len])?;
        found.exchanges += 1;
        found.octets += request.len() + len;
        let mut inside = 0;
        for binding in &answer.pdu.bindings {
            if !binding.name.starts_with(&table) || !matches!(binding.value, Bound::Value(_)) {
                break;
            }
            inside += 1;
            last = binding.name.clone();
        }
        found.objects += inside;
        if inside == 0 || inside < answer.pdu.bindings.len() {
            return Ok(found);
        }
    }
}
