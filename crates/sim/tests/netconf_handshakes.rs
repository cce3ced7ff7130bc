//! Agents with NETCONF over SSH and TLS on loopback: our client reads them, strangers do not, and agents that answer nothing do not
//! even shake hands.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::future::Future;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_client::netconf::{NetconfOptions, NetconfSession};
use trunkline_client::{Defaults, Error, NetconfTarget, Secure, Session};
use trunkline_pki::{Authority, AuthorityOptions, LeafOptions, Name, SshKey};
use trunkline_sim::configuration::Plan;
use trunkline_sim::fleet::Port;
use trunkline_sim::serve::{Running, ServeOptions};
use trunkline_sim::{Count, PortOptions, SimError};
use trunkline_smi::{Bound, Oid, Value};
use trunkline_transport::ssh::{HostTrust, Identity, SshClient, SshOptions, SshPrivateKey};
use trunkline_transport::tls::{self, TlsClient, TlsClientConfig, Trust, TrustBuilder};

const SYS_NAME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 5, 0];

/// A fleet of one group, whose ports the kernel chooses; files are in this folder.
fn fleet(folder: &Path, before: &str, group: &str) -> Result<Running, Box<SimError>> {
    let text = format!("{before}\n[[group]]\nname = \"g\"\ninterfaces = [2, 6]\n{group}");
    let plan = Plan::parse(&text, &folder.join("fleet.toml")).unwrap();
    let ports = PortOptions { netconf_ssh: 0, netconf_tls: 0, ..plan.serve.ports };
    let options = ServeOptions { port: 0, ports, ..plan.serve };
    Running::start(Arc::new(plan.fleet), &options).map_err(Box::new)
}

fn with_ssh(before: &str, group: &str) -> Running {
    fleet(Path::new(""), before, group).unwrap()
}

fn addresses(running: &Running) -> Vec<IpAddr> {
    running.fleet().agents().map(|(address, _)| address).collect()
}

fn run<T>(what: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(what)
}

/// A user of SSH who trusts this host key alone.
fn user(name: &str, identity: Identity, host_key: &str) -> Secure {
    let hosts = HostTrust::Fingerprints(vec![host_key.to_owned()]);
    let client =
        SshClient { user: name.into(), identities: vec![identity], hosts, options: SshOptions::default() };
    Secure::new().with_ssh(Arc::new(client))
}

fn public(running: &Running) -> Secure {
    user("public", Identity::Password("public".into()), running.host_key().unwrap())
}

async fn open(
    running: &Running,
    address: IpAddr,
    port: Port,
    as_whom: Secure,
) -> Result<NetconfSession, Error> {
    let scheme = if port == Port::NetconfSsh { "netconf" } else { "netconf+tls" };
    let to = SocketAddr::new(address, running.port_of(port).unwrap());
    let defaults = Defaults::default().with_secure(Some(Arc::new(as_whom)));
    let target = NetconfTarget::parse(&format!("{scheme}://{to}"), &defaults).unwrap();
    NetconfSession::open(&target, NetconfOptions::default()).await
}

async fn name(session: &NetconfSession) -> Bound {
    session.get(&[Oid::from(SYS_NAME)]).await.unwrap().bindings.swap_remove(0).value
}

#[test]
fn over_ssh_a_client_reads_each_agent_in_a_session_of_its_own() {
    let running = with_ssh("", "prefix = \"127.131.0.0/24\"\nagents = 20\nnetconf-ssh = 20");
    run(async {
        let mut sessions = Vec::new();
        for address in addresses(&running) {
            sessions.push(open(&running, address, Port::NetconfSsh, public(&running)).await.unwrap());
        }
        for (at, session) in sessions.iter().enumerate() {
            assert_eq!(name(session).await, Bound::Value(Value::text(format!("sim-{at}"))));
        }
        for session in sessions {
            session.close().await;
        }
    });
    let counts = running.counts();
    let found =
        [Count::NetconfSshSessions, Count::NetconfSshRequests, Count::RefusedLogins, Count::Malformed];
    assert_eq!(found.map(|count| counts.get(count)), [20, 40, 0, 0]);
    assert_eq!(counts.get(Count::NetconfSessions), 0);
}

#[test]
fn the_host_key_follows_from_the_seed() {
    let group = "prefix = \"127.132.0.0/24\"\nagents = 1\nnetconf-ssh = 1";
    let key = |seed: u64| with_ssh(&format!("seed = {seed}"), group).host_key().unwrap().to_owned();
    assert_eq!(key(7), key(7));
    assert_ne!(key(7), key(8));
    assert!(with_ssh("", "prefix = \"127.132.1.0/24\"\nagents = 1").host_key().is_none());
}

#[test]
fn users_have_passwords_and_keys_and_strangers_get_no_session() {
    let folder = tempfile::tempdir().unwrap();
    let key = SshKey::create(&Name::new("ann").unwrap()).unwrap();
    std::fs::write(folder.path().join("ann.pub"), format!("{}\n", key.public().unwrap())).unwrap();
    let private = folder.path().join("ann");
    write_secret(&private, &key.private().unwrap());
    let users = "[[ssh-user]]\nname = \"ann\"\nauthorized-keys = \"ann.pub\"\n\
                 [[ssh-user]]\nname = \"joe\"\npassword = \"joes\"\n";
    let group = "prefix = \"127.133.0.0/24\"\nagents = 2\nnetconf-ssh = 1";
    let running = fleet(folder.path(), users, group).unwrap();
    let all = addresses(&running);
    let key = || Identity::Key(SshPrivateKey::load(&private, || None).unwrap());
    let host = running.host_key().unwrap();
    run(async {
        for good in [user("ann", key(), host), user("joe", Identity::Password("joes".into()), host)] {
            let session = open(&running, all[0], Port::NetconfSsh, good).await.unwrap();
            assert_eq!(name(&session).await, Bound::Value(Value::text("sim-0")));
            session.close().await;
        }
        let strangers = [
            user("joe", Identity::Password("anns".into()), host),
            user("joe", key(), host),
            public(&running),
        ];
        for (at, stranger) in strangers.into_iter().enumerate() {
            assert!(open(&running, all[0], Port::NetconfSsh, stranger).await.is_err(), "{at}");
        }
        // Of two agents one has this port.
        let joe = user("joe", Identity::Password("joes".into()), host);
        assert!(open(&running, all[1], Port::NetconfSsh, joe).await.is_err());
    });
    assert_eq!(at_last(&running, [Count::RefusedLogins, Count::UnknownAddress], [3, 1]), [3, 1]);
}

/// Counts that become these once the agents have noticed that their clients have gone; after a minute, what they are.
fn at_last<const N: usize>(running: &Running, counts: [Count; N], expected: [u64; N]) -> [u64; N] {
    let begin = Instant::now();
    loop {
        let found = counts.map(|count| running.counts().get(count));
        if found == expected || begin.elapsed() > Duration::from_secs(60) {
            return found;
        }
        std::thread::yield_now();
    }
}

/// Nobody else may read a key.
fn write_secret(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// What a client gets that only listens.
fn greeting(to: SocketAddr) -> Vec<u8> {
    let mut stream = TcpStream::connect(to).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let _ = stream.write_all(b"SSH-2.0-test\r\n");
    let mut octets = vec![0; 64];
    let read = stream.read(&mut octets).unwrap_or(0);
    octets.truncate(read);
    octets
}

#[test]
fn silent_agents_do_not_shake_hands_and_slow_ones_answer_late() {
    let silent =
        with_ssh("", "prefix = \"127.134.0.0/24\"\nagents = 1\nnetconf-ssh = 1\nfaults.silent = \"100%\"");
    let at = |running: &Running| {
        SocketAddr::new(addresses(running)[0], running.port_of(Port::NetconfSsh).unwrap())
    };
    assert_eq!(greeting(at(&silent)), b"");
    assert_eq!(silent.counts().get(Count::Silent), 1);
    let slow =
        with_ssh("", "prefix = \"127.134.1.0/24\"\nagents = 1\nnetconf-ssh = 1\nfaults.slow = \"100%:50ms\"");
    assert!(greeting(at(&slow)).starts_with(b"SSH-2.0-Trunkline"));
    run(async {
        let session = open(&slow, addresses(&slow)[0], Port::NetconfSsh, public(&slow)).await.unwrap();
        assert_eq!(name(&session).await, Bound::Value(Value::text("sim-0")));
        session.close().await;
    });
    assert!(slow.counts().get(Count::Slow) >= 1);
}

#[test]
fn over_tls_clients_need_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let name_of = |text: &str| Name::new(text).unwrap();
    let authority = Authority::create(&AuthorityOptions::named(name_of("Test CA"))).unwrap();
    let addresses_of_agents = ["127.135.0.0", "127.135.0.1"].map(|text| text.parse().unwrap());
    let options = LeafOptions { addresses: addresses_of_agents.to_vec(), ..LeafOptions::default() };
    let agent = authority.agent(&name_of("agents"), &options).unwrap();
    let joe = authority.manager(&name_of("joe"), &LeafOptions::default()).unwrap();
    let ca = authority.certificate().to_pem();
    for (file, text) in
        [("ca.pem", &*ca), ("agent.pem", &*agent.chain_pem()), ("agent.key", &*agent.key_pem())]
    {
        write_secret(&folder.path().join(file), text);
    }
    let files = "[tls]\ncertificate = \"agent.pem\"\nkey = \"agent.key\"\nauthorities = \"ca.pem\"\n";
    let group = "prefix = \"127.135.0.0/24\"\nagents = 2\nnetconf-tls = 2";
    let running = fleet(folder.path(), files, group).unwrap();
    let identity = tls::Identity::from_pem(joe.chain_pem().as_bytes(), joe.key_pem().as_bytes()).unwrap();
    let as_whom = |identity: Option<tls::Identity>| {
        let trust = Trust::builder().authorities_pem(ca.as_bytes()).map(TrustBuilder::build).unwrap();
        let config = TlsClientConfig::new(identity.map(Arc::new), Arc::new(trust));
        Secure::new().with_tls(Arc::new(TlsClient::new(&config).unwrap()), None)
    };
    let all = addresses(&running);
    run(async {
        let session = open(&running, all[1], Port::NetconfTls, as_whom(Some(identity))).await.unwrap();
        assert_eq!(name(&session).await, Bound::Value(Value::text("sim-1")));
        session.close().await;
        assert!(open(&running, all[0], Port::NetconfTls, as_whom(None)).await.is_err());
    });
    let counts = [Count::NetconfTlsSessions, Count::NetconfTlsRequests, Count::RefusedLogins];
    assert_eq!(at_last(&running, counts, [2, 2, 1]), [2, 2, 1]);
    let refused = fleet(folder.path(), "", group).unwrap_err().to_string();
    assert!(refused.contains("requires [tls]"), "{refused}");
}
