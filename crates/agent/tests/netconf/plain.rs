//! Sessions over plain TCP: whose rights they have, and from where.

use trunkline_client::netconf::{NetconfOptions, NetconfSession};
use trunkline_client::{Bound, Defaults, Error, NetconfTarget, Session};
use trunkline_smi::Oid;

use crate::support::Agent;

fn agent(sources: &str) -> Agent {
    Agent::start(&format!(
        "[freshness]\ndefault = \"1h\"\n[netconf]\nlisten = [\"tcp://127.0.0.1:0\"]\ncommunity = \"public\"\n\
         [snmp]\nlisten = []\n[[snmp.community]]\nname = \"public\"\nrole = \"some\"\nsources = [\"{sources}\"]\n\
         [[role]]\nname = \"some\"\nread = [\"1.3.6.1.2.1.1\", \"-1.3.6.1.2.1.1.4\"]\n"
    ))
}

fn open(agent: &Agent) -> Result<NetconfSession, Error> {
    let target = format!("netconf+tcp://{}", agent.address("tcp"));
    let target = NetconfTarget::parse(&target, &Defaults::default()).unwrap();
    runtime().block_on(NetconfSession::open(&target, NetconfOptions::default()))
}

/// One for all tests of this file: a session ends on the runtime that it was opened on.
fn runtime() -> &'static tokio::runtime::Runtime {
    static RUNTIME: std::sync::LazyLock<tokio::runtime::Runtime> = std::sync::LazyLock::new(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
    });
    &RUNTIME
}

#[test]
fn a_plain_session_has_the_rights_of_its_community() {
    let agent = agent("127.0.0.0/8");
    let session = open(&agent).unwrap();
    let name = |text: &str| text.parse::<Oid>().unwrap();
    runtime().block_on(async {
        let read = session.get(&[name("1.3.6.1.2.1.1.3.0")]).await.unwrap();
        assert!(matches!(read.bindings[0].value, Bound::Value(_)));
        // Outside its view, and outside its role.
        for hidden in ["1.3.6.1.2.1.1.4.0", "1.3.6.1.2.1.2.1.0"] {
            let read = session.get(&[name(hidden)]).await.unwrap();
            assert!(!matches!(read.bindings[0].value, Bound::Value(_)), "{hidden}");
        }
        let (own, _cost) =
            session.rpc_octets(b"<get><filter><netconf-state xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring\"><sessions/></netconf-state></filter></get>").await.unwrap();
        let own = String::from_utf8(own).unwrap();
        assert!(own.contains(":netconf-tcp</transport><username>community1</username>"), "{own}");
        let refused = session.done(b"<lock><target><running/></target></lock>").await;
        assert!(refused.unwrap_err().to_string().contains("right"));
        session.close().await;
    });
    assert!(agent.terminate().path().exists());
}

#[test]
fn a_community_from_elsewhere_opens_no_session() {
    let agent = agent("192.0.2.0/24");
    assert!(matches!(open(&agent), Err(Error::ConnectionLost { .. })));
    agent.wait_for("may not be used from there");
}
