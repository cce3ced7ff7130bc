//! Over what requests go, in the groups that the tables have.

pub use trunkline_client::Transport;

/// All of them.
pub const ALL: [Transport; 7] = [
    Transport::Udp,
    Transport::Tcp,
    Transport::Tls,
    Transport::Dtls,
    Transport::Ssh,
    Transport::Http,
    Transport::Https,
];
/// Those without protection, in the order of the tables.
pub const PLAIN: [Transport; 2] = [Transport::Udp, Transport::Tcp];
/// Those whose sessions protect messages and authenticate both ends.
pub const SECURE: [Transport; 3] = [Transport::Tls, Transport::Dtls, Transport::Ssh];
/// Those inside HTTP.
pub const HTTP: [Transport; 2] = [Transport::Http, Transport::Https];
