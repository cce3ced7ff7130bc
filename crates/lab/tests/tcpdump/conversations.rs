//! Captures at both ends of a link, taken apart into conversations: one for each socket of the manager. Ports decide
//! to which a packet belongs; only where a port is used again does the time.

use std::collections::HashMap;

use super::{ACK, ICMP, Packet, RST, SYN, TCP};

/// What one end sent: packets and octets from the IP header on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    pub packets: u64,
    pub octets: u64,
}

/// What was sent in one direction, and what of it arrived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Way {
    pub sent: Sum,
    pub delivered: Sum,
}

/// What one socket of the manager and its peer said.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    pub manager_port: u16,
    pub agent_port: u16,
    pub to_agent: Way,
    pub to_manager: Way,
    /// The sizes of its packets at the manager's end, in order.
    pub sizes: Vec<u64>,
    /// Packets that break a connection off (RST), or say that nobody listens (ICMP).
    pub broken_off: u64,
    start: u64,
    sequence: u32,
}

/// All conversations in the order in which they began.
pub struct Conversations {
    all: Vec<Conversation>,
    by_socket: HashMap<Socket, Vec<usize>>,
    /// The sockets of datagrams in fragments, by sender and identification.
    fragments: HashMap<([u8; 4], u16), Socket>,
    manager: [u8; 4],
}

/// Whether it is TCP, the manager's port, the agent's.
type Socket = (bool, u16, u16);

/// Takes captures at the manager's end and at the agent's apart.
pub fn conversations(at_manager: &[Packet], at_agent: &[Packet], manager: [u8; 4]) -> Vec<Conversation> {
    let (all, by_socket, fragments) = (vec![], HashMap::new(), HashMap::new());
    let mut found = Conversations { all, by_socket, fragments, manager };
    for packet in at_manager.iter().chain(at_agent) {
        found.learn(packet);
    }
    for packet in at_manager {
        found.begin(packet);
    }
    for packet in at_manager {
        let is_ours = packet.from_host == manager;
        let conversation = found.of(packet);
        conversation.sizes.push(packet.ip_octets);
        conversation.broken_off += u64::from(packet.protocol == ICMP || packet.flags & RST != 0);
        let way =
            if is_ours { &mut conversation.to_agent.sent } else { &mut conversation.to_manager.delivered };
        way.add(packet);
    }
    for packet in at_agent {
        let is_ours = packet.from_host == manager;
        let conversation = found.of(packet);
        let way =
            if is_ours { &mut conversation.to_agent.delivered } else { &mut conversation.to_manager.sent };
        way.add(packet);
    }
    found.all
}

impl Conversations {
    /// Notes to which socket the later fragments of a datagram belong.
    fn learn(&mut self, packet: &Packet) {
        if packet.is_first {
            let socket = self.by_ports(packet);
            self.fragments.insert((packet.from_host, packet.id), socket);
        }
    }

    /// A manager's packet begins a conversation: of TCP a SYN that is not sent again, otherwise one from a socket that
    /// is new, or in whose place another spoke since.
    fn begin(&mut self, packet: &Packet) {
        if packet.from_host != self.manager || packet.protocol == ICMP {
            return;
        }
        let socket = self.socket(packet);
        let known = self.by_socket.get(&socket).and_then(|all| all.last().copied());
        let is_new = match known {
            None => true,
            Some(at) if packet.protocol == TCP => {
                packet.flags & (SYN | ACK) == SYN && self.all[at].sequence != packet.sequence
            }
            Some(at) => at + 1 != self.all.len(),
        };
        if is_new {
            let (_, manager_port, agent_port) = socket;
            let (start, sequence) = (packet.time, packet.sequence);
            self.by_socket.entry(socket).or_default().push(self.all.len());
            self.all.push(Conversation {
                manager_port,
                agent_port,
                start,
                sequence,
                ..Conversation::default()
            });
        }
    }

    /// The latest conversation of the packet's socket that had begun by then.
    fn of(&mut self, packet: &Packet) -> &mut Conversation {
        let all = &self.by_socket[&self.socket(packet)];
        let begun = all.iter().rev().find(|at| self.all[**at].start <= packet.time);
        let at = *begun.unwrap_or_else(|| panic!("before its conversation: {packet:?}"));
        &mut self.all[at]
    }

    fn socket(&self, packet: &Packet) -> Socket {
        if packet.is_first { self.by_ports(packet) } else { self.fragments[&(packet.from_host, packet.id)] }
    }

    fn by_ports(&self, packet: &Packet) -> Socket {
        let (from, to) = (packet.from, packet.to);
        let (manager, agent) = if packet.from_host == self.manager { (from, to) } else { (to, from) };
        (packet.protocol == TCP, manager, agent)
    }
}

impl Sum {
    fn add(&mut self, packet: &Packet) {
        self.packets += 1;
        self.octets += packet.ip_octets;
    }
}
