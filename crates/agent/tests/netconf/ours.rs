//! Our own client: what it reads over NETCONF, by SSH and by TLS, is what SNMP reads.

use std::sync::Arc;

use tokio::runtime::Runtime;
use trunkline_client::netconf::protocol::push::establish::When;
use trunkline_client::netconf::{
    CallHome, Event, NetconfFault, NetconfOptions, NetconfSession, Push, Pushed, Subscribe, Told,
};
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

/// Of a server that says nothing the error has the time that was waited, and not the longer one that connecting may take.
#[test]
fn a_silent_server_was_waited_for_as_long_as_the_error_says() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("netconf+tcp://{}", listener.local_addr().unwrap());
    let target = NetconfTarget::parse(&target, &Defaults::default()).unwrap();
    let hour = std::time::Duration::from_secs(3600);
    let patience = std::time::Duration::from_millis(50);
    let options = NetconfOptions::default().with_timeout(patience).with_connect_time(hour);
    let opened = Runtime::new().unwrap().block_on(NetconfSession::open(&target, options));
    let error = opened.err().unwrap();
    assert!(matches!(error, Error::Timeout { attempts: 1, waited, .. } if waited < hour), "{error}");
}

/// Each request of a session is on behalf of its role, if it has one.
#[test]
fn a_session_is_on_behalf_of_a_role() {
    let world = World::with("");
    let port = world.agent.address("ssh").port();
    let target =
        NetconfTarget::parse(&format!("netconf://ann@localhost:{port}"), &Defaults::default()).unwrap();
    let target = target.with_secure(world.secure());
    for (role, is_hers) in [("reader", true), ("writer", false), ("<&>", false)] {
        let options = NetconfOptions::default().with_role(Some(role.into()));
        world.runtime.block_on(async {
            let session = NetconfSession::open(&target, options).await.unwrap();
            let (reply, _) =
                session.rpc_octets(b"<get-config><source><running/></source></get-config>").await.unwrap();
            let reply = String::from_utf8(reply).unwrap();
            assert_eq!(reply.contains("is none of yours"), !is_hers, "{role}: {reply}");
            session.close().await;
        });
    }
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
             password-hash = {hash:?}\n[[role]]\nname = \"writer\"\nread = [\"1\"]\nwrite = [\"1\"]\n[[snmp.principal]]\n\
             name = \"max\"\nrole = \"writer\"\npassword-hash = {hash:?}\n",
            pki.path().display()
        ));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        World { agent, pki, runtime }
    }

    fn secure(&self) -> Arc<Secure> {
        self.secure_as("ann")
    }

    fn secure_as(&self, user: &str) -> Arc<Secure> {
        let ssh = ssh_of(&self.agent, user);
        let directory = Directory::at(self.pki.path());
        let trust = Trust::builder().authorities_file(&directory.authority_certificate()).unwrap().build();
        let files = directory.manager_files();
        let identity = Identity::from_files(&files.certificate, &files.key).unwrap();
        let config = TlsClientConfig::new(Some(Arc::new(identity)), Arc::new(trust));
        let tls = TlsClient::new(&config).unwrap();
        Arc::new(Secure::new().with_ssh(Arc::new(ssh)).with_tls(Arc::new(tls), None))
    }

    fn open(&self, scheme: &str, transport: &str) -> NetconfSession {
        self.open_as("ann", scheme, transport)
    }

    fn open_as(&self, user: &str, scheme: &str, transport: &str) -> NetconfSession {
        let port = self.agent.address(transport).port();
        let target =
            NetconfTarget::parse(&format!("{scheme}://localhost:{port}"), &Defaults::default()).unwrap();
        let target = target.with_secure(self.secure_as(user));
        self.runtime.block_on(NetconfSession::open(&target, NetconfOptions::default())).unwrap()
    }

    fn snmp(&self) -> SnmpSession {
        let target = format!("snmp://{}", self.agent.udp()).parse().unwrap();
        self.runtime.block_on(SnmpSession::open(&target, SessionOptions::default())).unwrap()
    }
}

/// A user of an agent, by the password of all.
fn ssh_of(agent: &Agent, user: &str) -> SshClient {
    let key = HostKeys::load(&agent.folder.path().join("state/ssh_host_key")).unwrap().fingerprints();
    SshClient {
        user: user.into(),
        identities: vec![SshIdentity::Password(PASSWORD.into())],
        hosts: HostTrust::Fingerprints(key),
        options: SshOptions::default(),
    }
}

/// A session over SSH, in the runtime of all.
pub fn open_over_ssh(agent: &Agent, user: &str, options: NetconfOptions) -> Result<NetconfSession, Error> {
    let target = format!("netconf://localhost:{}", agent.address("ssh").port());
    let target = NetconfTarget::parse(&target, &Defaults::default()).unwrap();
    let secure = Secure::new().with_ssh(Arc::new(ssh_of(agent, user)));
    crate::protected::runtime().block_on(NetconfSession::open(&target.with_secure(Arc::new(secure)), options))
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

#[test]
fn data_is_read_by_its_path() {
    let world = World::new();
    let netconf = world.open("netconf", "ssh");
    let read = |path: &str| {
        let mut found = Vec::new();
        let leaves = netconf.leaves(path, |leaf| found.push((leaf.path, leaf.value.into_owned())));
        world.runtime.block_on(leaves).map(|_| found)
    };
    let status = "/ietf-interfaces:interfaces/interface[name='lo']/oper-status";
    assert_eq!(read(status).unwrap(), [(status.to_owned(), "up".to_owned())]);
    // A module that adds to another's data; the value that a leaf-list's entry has is tested by XPath.
    let of_ip =
        "/ietf-interfaces:interfaces/interface[name='lo']/ietf-ip:ipv4/address[ip='127.0.0.1']/prefix-length";
    assert_eq!(read(of_ip).unwrap(), [(of_ip.to_owned(), "8".to_owned())]);
    let table = "/IF-MIB:IF-MIB/ifTable/ifEntry[ifIndex='1']/ifDescr";
    assert_eq!(read(table).unwrap(), [(table.to_owned(), "lo".to_owned())]);
    assert_eq!(read("/IF-MIB:IF-MIB/ifTable/ifEntry/ifDescr[.='lo']").unwrap(), read(table).unwrap());
    // What is more than a path comes with the keys of its entries.
    let expression = "/IF-MIB:IF-MIB/IF-MIB:ifTable/IF-MIB:ifEntry/IF-MIB:ifDescr[contains(., 'lo')]";
    assert!(read(expression).unwrap().contains(&(table.to_owned(), "lo".to_owned())));
    assert_eq!(read("/IF-MIB:IF-MIB/ifTable/ifEntry[ifDescr='']").unwrap(), []);
    let fault = read("/nothing:at/all").unwrap_err();
    assert!(fault.to_string().contains("announces no module nothing"), "{fault}");
}

#[test]
fn a_subscription_outlives_its_connection_and_tells_nothing_twice() {
    let world = World::new();
    let (ann, max) = (world.open("netconf", "ssh"), world.open_as("max", "netconf", "ssh"));
    world.runtime.block_on(async {
        let path = "/ietf-netconf-notifications:netconf-session-start";
        let subscribe = Subscribe {
            selection: Some(ann.selection(path, &[]).await.unwrap()),
            since: Some("2026-01-01T00:00:00Z".to_owned()),
            ..Subscribe::default()
        };
        let modules = ann.modules().await.unwrap().clone();
        let hello = ann.hello().await.unwrap();
        let mut subscription = ann.subscribe(subscribe).await.unwrap();
        let mut seen = Vec::new();
        let mut is_killed = false;
        let mut is_resumed = false;
        while seen.len() < 3 {
            match subscription.next().await.unwrap().unwrap() {
                Event::Notification { octets, .. } => {
                    let told = Told::read(&octets, &modules).unwrap();
                    assert_eq!(told.name, "ietf-netconf-notifications:netconf-session-start");
                    let id = told.leaves.iter().find(|(path, _)| path.ends_with("/session-id")).unwrap();
                    assert!(!seen.contains(&id.1), "{told:?}");
                    seen.push(id.1.clone());
                }
                Event::ReplayComplete if !is_killed => {
                    let id = hello.session_id.unwrap();
                    let kill = format!("<kill-session><session-id>{id}</session-id></kill-session>");
                    assert!(max.rpc(kill.as_bytes()).await.unwrap().0.is_done());
                    is_killed = true;
                }
                Event::ReplayComplete => {}
                Event::Lost { .. } => assert!(is_killed),
                Event::Resumed { is_replayed } => {
                    assert!(is_replayed && is_killed);
                    is_resumed = true;
                }
            }
        }
        // Both sessions from the past, and the one that goes on.
        assert!(is_resumed);
        subscription.close().await;
        let refused = ann.subscribe(Subscribe { stream: Some("nothing".to_owned()), ..Subscribe::default() });
        assert!(matches!(refused.await, Err(Error::Netconf(_))));
    });
}

/// A lock ends with its session: work under one must not go on in another session.
#[test]
fn a_session_that_is_pinned_is_not_replaced() {
    let world = World::new();
    let (ann, max) = (world.open("netconf", "ssh"), world.open_as("max", "netconf", "ssh"));
    world.runtime.block_on(async {
        for is_pinned in [false, true] {
            let id = ann.hello().await.unwrap().session_id.unwrap();
            if is_pinned {
                ann.pin();
            }
            let kill = format!("<kill-session><session-id>{id}</session-id></kill-session>");
            assert!(max.rpc(kill.as_bytes()).await.unwrap().0.is_done());
            let read = ann.read_octets(b"<get-config><source><running/></source></get-config>").await;
            let write = ann.rpc_octets(b"<discard-changes/>").await;
            match is_pinned {
                false => assert!(read.is_ok() && write.is_ok()),
                true => assert!(
                    matches!(
                        (&read, &write),
                        (Err(Error::ConnectionLost { .. }), Err(Error::ConnectionLost { .. }))
                    ),
                    "{read:?} {write:?}"
                ),
            }
        }
    });
}

/// Data (RFC 8641): after a broken connection it is subscribed to again, and sent as a whole again.
#[test]
fn a_subscription_to_data_outlives_its_connection() {
    let world = World::new();
    for scheme in [("netconf", "ssh"), ("netconf+tls", "tls")] {
        let (ann, max) = (world.open(scheme.0, scheme.1), world.open_as("max", "netconf", "ssh"));
        world.runtime.block_on(async {
            let path = "/ietf-system:system/contact";
            let push = Push {
                store: "running".into(),
                when: When::OnChange { dampening: 0, syncs: true },
            };
            let subscribe = Subscribe {
                selection: Some(ann.selection(path, &[]).await.unwrap()),
                push: Some(push),
                ..Subscribe::default()
            };
            let set = async |contact: &str| {
                let edit = format!(
                    "<edit-config><target><running/></target><config><system xmlns='urn:ietf:params:xml:ns:yang:ietf-system'>\
                     <contact>{contact}</contact></system></config></edit-config>"
                );
                assert!(max.rpc(edit.as_bytes()).await.unwrap().0.is_done());
            };
            set("one").await;
            let modules = ann.modules().await.unwrap().clone();
            let id = ann.hello().await.unwrap().session_id.unwrap();
            let mut subscription = ann.subscribe(subscribe).await.unwrap();
            let mut told = Vec::new();
            while told.len() < 4 {
                match subscription.next().await.unwrap().unwrap() {
                    Event::Notification { octets, .. } => {
                        let update = Pushed::read(&octets, &modules).unwrap().unwrap();
                        let edited = update.edits.iter().flat_map(|edit| &edit.leaves);
                        let leaves = update.leaves.iter().chain(edited);
                        told.push(leaves.map(|(path, value)| format!("{path} = {value}")).collect::<String>());
                        match told.len() {
                            1 => set("two").await,
                            2 => {
                                let kill = format!("<kill-session><session-id>{id}</session-id></kill-session>");
                                assert!(max.rpc(kill.as_bytes()).await.unwrap().0.is_done());
                            }
                            3 => set("three").await,
                            _ => {
                                let state = "<get><filter><subscriptions xmlns='urn:ietf:params:xml:ns:yang:ietf-subscribed-notifications'/>\
                                             </filter></get>";
                                let (reply, _) = max.rpc_octets(state.as_bytes()).await.unwrap();
                                let text = String::from_utf8(reply).unwrap();
                                // The session that was ended has none any more.
                                assert_eq!(text.matches("<subscription>").count(), 1, "{text}");
                            }
                        }
                    }
                    Event::Lost { .. } | Event::Resumed { is_replayed: false } => assert_eq!(told.len(), 2),
                    event => panic!("{event:?}"),
                }
            }
            let leaf = |value: &str| format!("{path} = {value}");
            assert_eq!(told, [leaf("one"), leaf("two"), leaf("two"), leaf("three")]);
            subscription.close().await;
            let push = Push { store: "running".into(), when: When::Periodic { period: 1 } };
            let refused = ann.subscribe(Subscribe { push: Some(push), ..Subscribe::default() }).await;
            let words = refused.map(drop).unwrap_err().to_string();
            assert!(words.contains("a period of 100 hundredths of a second would do"), "{words}");
        });
    }
}
