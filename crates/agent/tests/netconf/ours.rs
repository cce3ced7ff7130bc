//! Our own client: what it reads over NETCONF, by SSH and by TLS, is what SNMP reads.

use std::sync::Arc;

use tokio::runtime::Runtime;
use trunkline_client::netconf::{CallHome, NetconfFault, NetconfOptions, NetconfSession};
use trunkline_client::ssh::{HostKeys, HostTrust, Identity as SshIdentity, SshClient, SshOptions};
use trunkline_client::tls::{Identity, TlsClient, TlsClientConfig, Trust};
use trunkline_client::{
    Bound, Defaults, Error, NetconfTarget, Secure, Session, SessionOptions, SnmpSession, TableLimit, VarBind,
    WalkOptions,
};
use trunkline_pki::{AuthorityOptions, Directory, LeafOptions, Name, Role, Storing};
use trunkline_smi::module::ALL;
use trunkline_smi::{Oid, Value};

use crate::client::PASSWORD;
use crate::support::Agent;

/// A port that nobody listens on.
fn free() -> std::net::SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// RFC 8071: the agent connects, and is the server; and again after a session has ended.
#[test]
fn an_agent_calls_its_managers() {
    let (by_ssh, by_tls) = (free(), free());
    let world = World::with(&format!("call-home = [\"ssh://{by_ssh}\", \"tls://{by_tls}\"]\n"));
    for (listen, target) in [(by_ssh, "netconf://ann@localhost"), (by_tls, "netconf+tls://localhost")] {
        let target = NetconfTarget::parse(target, &Defaults::default()).unwrap().with_secure(world.secure());
        let call = CallHome { listen, wait: crate::support::PATIENCE };
        let options = NetconfOptions::default().with_call_home(Some(call));
        for _ in 0..2 {
            // Strangers who call fail, and the wait goes on.
            let stranger = std::thread::spawn(move || while std::net::TcpStream::connect(listen).is_err() {});
            world.runtime.block_on(async {
                let session = NetconfSession::open(&target, options.clone()).await.unwrap();
                let read = session.get(&[oid("1.3.6.1.2.1.1.3.0")]).await.unwrap();
                assert_eq!(read.bindings.len(), 1);
                session.close().await;
            });
            stranger.join().unwrap();
        }
    }
    let secure = world.secure();
    // An agent that nobody answers ends at once.
    let begun = std::time::Instant::now();
    let World { agent, runtime, .. } = world;
    agent.terminate();
    assert!(begun.elapsed() < std::time::Duration::from_secs(3), "{:?}", begun.elapsed());
    // Without a call, the wait has an end.
    let wait = std::time::Duration::from_millis(50);
    let options = NetconfOptions::default().with_call_home(Some(CallHome { listen: free(), wait }));
    let target = NetconfTarget::parse("netconf://ann@localhost", &Defaults::default()).unwrap();
    let target = target.with_secure(secure);
    let error = runtime.block_on(NetconfSession::open(&target, options)).map(drop).unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
}

/// An agent that ann reads over NETCONF by SSH and TLS, and anybody over SNMP; nothing in it grows old.
struct World {
    agent: Agent,
    pki: tempfile::TempDir,
    runtime: Runtime,
}

impl World {
    fn new() -> World {
        World::with("")
    }

    /// With more in `[netconf]`.
    fn with(more: &str) -> World {
        let pki = tempfile::tempdir().unwrap();
        let directory = Directory::at(pki.path());
        let name = |text: &str| Name::new(text).unwrap();
        directory.init(&AuthorityOptions::named(name("Test CA")), false).unwrap();
        for (role, of) in [(Role::Agent, "localhost"), (Role::Manager, "ann")] {
            directory.issue(role, &name(of), &LeafOptions::default(), Storing::default()).unwrap();
        }
        let hash = trunkline_transport::ssh::PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
        let agent = Agent::start(&format!(
            "[freshness]\ndefault = \"1h\"\n[netconf]\nlisten = [\"ssh://127.0.0.1:0\", \"tls://127.0.0.1:0\"]\n{more}\
             [snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n[snmp.tls]\ndirectory = \"{}\"\n[[snmp.community]]\nname = \"public\"\naccess = \"read\"\n\
             [[role]]\nname = \"reader\"\nread = [\"1\"]\n[[snmp.principal]]\nname = \"ann\"\nrole = \"reader\"\n\
             password-hash = {hash:?}\n",
            pki.path().display()
        ));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        World { agent, pki, runtime }
    }

    fn secure(&self) -> Arc<Secure> {
        let key =
            HostKeys::load(&self.agent.folder.path().join("state/ssh_host_key")).unwrap().fingerprints();
        let ssh = SshClient {
            user: "ann".into(),
            identities: vec![SshIdentity::Password(PASSWORD.into())],
            hosts: HostTrust::Fingerprints(key),
            options: SshOptions::default(),
        };
        let directory = Directory::at(self.pki.path());
        let trust = Trust::builder().authorities_file(&directory.authority_certificate()).unwrap().build();
        let files = directory.manager_files();
        let identity = Identity::from_files(&files.certificate, &files.key).unwrap();
        let config = TlsClientConfig::new(Some(Arc::new(identity)), Arc::new(trust));
        let tls = TlsClient::new(&config).unwrap();
        Arc::new(Secure::new().with_ssh(Arc::new(ssh)).with_tls(Arc::new(tls), None))
    }

    fn open(&self, scheme: &str, transport: &str) -> NetconfSession {
        let port = self.agent.address(transport).port();
        let target =
            NetconfTarget::parse(&format!("{scheme}://localhost:{port}"), &Defaults::default()).unwrap();
        let target = target.with_secure(self.secure());
        self.runtime.block_on(NetconfSession::open(&target, NetconfOptions::default())).unwrap()
    }

    fn snmp(&self) -> SnmpSession {
        let target = format!("snmp://{}", self.agent.udp()).parse().unwrap();
        self.runtime.block_on(SnmpSession::open(&target, SessionOptions::default())).unwrap()
    }
}

fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

/// Names with their values; of those that count or tell the time only the names.
fn still(bindings: Vec<VarBind>) -> Vec<(Oid, Option<Value>)> {
    let value = |bound: Bound| match bound {
        Bound::Value(
            Value::Counter32(_) | Value::Counter64(_) | Value::TimeTicks(_) | Value::Unsigned32(_),
        ) => None,
        Bound::Value(value) => Some(value),
        other => panic!("{other:?}"),
    };
    bindings.into_iter().map(|binding| (binding.name, value(binding.value))).collect()
}

#[test]
fn netconf_reads_what_snmp_reads() {
    let world = World::new();
    let snmp = world.snmp();
    for (scheme, transport) in [("netconf", "ssh"), ("netconf+tls", "tls")] {
        let netconf = world.open(scheme, transport);
        // Groups that the test itself does not change; the tree's own counters and sockets are not among them.
        for root in [
            "1.3.6.1.2.1.1",
            "1.3.6.1.2.1.2",
            "1.3.6.1.2.1.31",
            "1.3.6.1.2.1.4.34",
            "1.3.6.1.6.3.16",
            "1.3.6.1.2.1.2.2.1.2",
        ] {
            let walk = |session: &dyn Session| {
                world
                    .runtime
                    .block_on(async { session.walk(oid(root), WalkOptions::default()).collect().await })
            };
            let (ours, theirs) = (walk(&netconf).unwrap(), walk(&snmp).unwrap());
            assert!(!theirs.is_empty() && still(ours) == still(theirs), "{scheme} {root}");
        }
        world.runtime.block_on(async {
            let names = ["1.3.6.1.2.1.1.1.0", "1.3.6.1.2.1.2.2.1.2.1", "1.3.6.1.2.1.2.2.1.2.9999"].map(oid);
            let (ours, theirs) = (Session::get(&netconf, &names).await, Session::get(&snmp, &names).await);
            let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
            assert_eq!(ours.bindings, theirs.bindings);
            assert!(ours.cost.request_octets > 100 && ours.cost.response_octets > 100);
            // The instance after a scalar, in a column, at its end, and before everything.
            let names =
                ["1.3.6.1.2.1.1.1.0", "1.3.6.1.2.1.2.2.1.2", "1.3.6.1.2.1.2.2.1.3.4294967295", "1"].map(oid);
            let (ours, theirs) = (Session::next(&netconf, &names).await, Session::next(&snmp, &names).await);
            assert_eq!(still(ours.unwrap().bindings), still(theirs.unwrap().bindings));
            let names = ["1.3.6.1.2.1.1", "1.3.6.1.2.1.2.2.1.2", "1.3.6.1.2.1.2.2.1.3"].map(oid);
            let (ours, theirs) =
                (Session::bulk(&netconf, 1, 3, &names).await, Session::bulk(&snmp, 1, 3, &names).await);
            assert_eq!(still(ours.unwrap().bindings), still(theirs.unwrap().bindings));
            for table in ALL.iter().flat_map(|module| module.tables) {
                if !["ifTable", "ifXTable", "ipAddressTable", "vacmAccessTable"].contains(&table.name) {
                    continue;
                }
                let columns: Vec<u32> =
                    table.columns.iter().filter(|it| it.access.is_readable()).map(|it| it.id).collect();
                let limit = TableLimit::default();
                let ours = Session::table(&netconf, table, &columns, limit).await.unwrap();
                let theirs = Session::table(&snmp, table, &columns, limit).await.unwrap();
                assert_eq!(ours.columns, theirs.columns);
                let indexes =
                    |table: &trunkline_client::Table| table.rows.keys().cloned().collect::<Vec<_>>();
                assert_eq!(indexes(&ours), indexes(&theirs), "{}", table.name);
            }
            let little = TableLimit { rows: 0, ..TableLimit::default() };
            let table = ALL.iter().flat_map(|module| module.tables).find(|it| it.name == "ifTable").unwrap();
            let refused = Session::table(&netconf, table, &[2], little).await;
            assert!(matches!(refused, Err(Error::TableTooLong { .. })));
            let most = WalkOptions::default().with_max_bindings(Some(3));
            let some = Session::walk(&netconf, oid("1.3.6.1.2.1.1"), most).collect().await.unwrap();
            assert_eq!(some.len(), 3);
            Session::close(&netconf).await;
        });
    }
}

#[test]
fn what_netconf_cannot_do_is_an_error() {
    let world = World::new();
    let netconf = world.open("netconf", "ssh");
    world.runtime.block_on(async {
        let fault = |error: Option<Error>| match error {
            Some(Error::Netconf(fault)) => (*fault).clone(),
            other => panic!("{other:?}"),
        };
        let unknown = Session::get(&netconf, &[oid("1.3.6.1.4.1.9.1.0")]).await;
        assert!(matches!(fault(unknown.err()), NetconfFault::NoObject { .. }));
        let set = Session::set(&netconf, &[VarBind::new(oid("1.3.6.1.2.1.1.4.0"), Value::text("x"))]).await;
        assert_eq!(fault(set.err()), NetconfFault::ReadOnly);
        let (reply, _) = netconf.rpc(b"<fly xmlns='urn:fly'/>").await.unwrap();
        assert!(!reply.is_done());
        // A session that its agent has ended is opened again for a read, and an operation is not repeated.
        let (reply, _) = netconf.rpc(b"<close-session/>").await.unwrap();
        assert!(reply.is_done());
        assert!(Session::get(&netconf, &[oid("1.3.6.1.2.1.1.1.0")]).await.is_ok());
        let (reply, _) = netconf.rpc(b"<close-session/>").await.unwrap();
        assert!(reply.is_done());
        assert!(matches!(netconf.rpc(b"<get/>").await, Err(Error::OutcomeUnknown { .. })));
        let little = NetconfOptions::default().with_max_reply(2_000_000);
        let target = NetconfTarget::parse(
            &format!("netconf://localhost:{}", world.agent.address("ssh").port()),
            &Defaults::default(),
        );
        let session = NetconfSession::on_demand(&target.unwrap().with_secure(world.secure()), little);
        let whole = session.rpc(b"<get/>").await;
        assert!(whole.is_ok() || matches!(fault(whole.err()), NetconfFault::Framing(_)));
    });
}
