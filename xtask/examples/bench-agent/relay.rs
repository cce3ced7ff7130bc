//! The limit of any master of AgentX on this kernel: a server that answers each datagram as soon as a subagent has
//! answered a GetBulk, and looks at neither. Requests of one batch go to the subagent in one write, as they do at best.

use std::error::Error;
use std::io::{self, BufReader, Write};
use std::net::SocketAddr;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use trunkline_transport::udp::{Datagram, DatagramHandler, ReplySlot, UdpBatch, UdpOptions};

use crate::subagent::{self, GET_BULK, RESPONSE, ROOT};

/// Answers with so many octets until the process is ended, for one subagent on this socket.
pub fn serve(socket: &Path, repetitions: u16, reply_len: usize) -> Result<(), Box<dyn Error>> {
    let listener = UnixListener::bind(socket)?;
    let mut udp = UdpBatch::bind(SocketAddr::from(([127, 0, 0, 1], 0)), &UdpOptions::default())?;
    eprintln!("listening udp://{}", udp.local_addr());
    let (mut stream, _) = listener.accept()?;
    // Open and Register.
    for _ in 0..2 {
        let (header, _) = subagent::receive(&mut stream)?;
        subagent::send(&mut stream, RESPONSE, [1, header.word(8), header.word(12)], &[0; 8])?;
    }
    let mut relay = Relay {
        answers: BufReader::with_capacity(1 << 18, stream.try_clone()?),
        stream,
        repetitions,
        reply_len,
    };
    Ok(udp.run(&mut relay)?)
}

struct Relay {
    stream: UnixStream,
    answers: BufReader<UnixStream>,
    repetitions: u16,
    reply_len: usize,
}

impl Relay {
    fn ask(&mut self, count: usize) -> io::Result<()> {
        let mut payload = [[0, 0], self.repetitions.to_be_bytes()].concat();
        subagent::put_name(&mut payload, &ROOT);
        subagent::put_name(&mut payload, &[&ROOT[..ROOT.len() - 1], &[ROOT[ROOT.len() - 1] + 1]].concat());
        let mut requests = Vec::new();
        for _ in 0..count {
            subagent::send(&mut requests, GET_BULK, [1; 3], &payload)?;
        }
        self.stream.write_all(&requests)
    }
}

impl DatagramHandler for Relay {
    fn received(&mut self, count: usize) {
        // Without the subagent nothing is answered, and the benchmark says so.
        let _ = self.ask(count);
    }

    fn datagram(&mut self, datagram: Datagram<'_>, reply: &mut ReplySlot) {
        if subagent::receive(&mut self.answers).is_err() {
            return;
        }
        let buffer = reply.buffer();
        buffer.clear();
        buffer.extend_from_slice(datagram.bytes);
        buffer.resize(self.reply_len, 0);
        reply.send(0..self.reply_len);
    }
}
