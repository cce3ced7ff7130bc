//! SNMP inside SOAP: everything that SNMP does, over HTTP and HTTPS, with our client; what is refused; notifications.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use support::{Agent, BOTH, PATIENCE, oid};
use tempfile::TempDir;
use tokio::time::timeout;
use trunkline_client::{
    Credentials, Defaults, Error, HttpLogin, HttpWay, ListenOptions, Listener, Secret, Secure,
    SessionOptions, SnmpSession, Target, TsmCredentials, UsmCredentials, WalkOptions, table, walk,
};
use trunkline_pki::{AuthorityOptions, Directory, LeafOptions, Name, Role, Storing};
use trunkline_smi::Value;
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers};
use trunkline_snmp::usm::{AuthProtocol, EngineBoots, EngineClock, EngineId, PrivProtocol};
use trunkline_snmp::wire::{Bound, PduKind, VarBind, Version};
use trunkline_transport::http::client::{HttpAnswer, HttpLink, LinkOptions, Place};
use trunkline_transport::http::{HeaderMap, HeaderName, HeaderValue};
use trunkline_transport::ssh::PasswordHash;
use trunkline_transport::tls::{Identity, ServerIdentity, TlsClient, TlsClientConfig, Trust};

const HTTP: &str = "[http]\nlisten = [\"http://127.0.0.1:0\"]\n";
const NAME: &str = "1.3.6.1.2.1.1.5.0";

/// Basic authentication of `bob` with the password `maple syrup`.
const BOB: &str = "Basic Ym9iOm1hcGxlIHN5cnVw";

fn options() -> SessionOptions {
    SessionOptions::default().with_timeout(Duration::from_secs(10)).with_retries(0)
}

fn url(agent: &Agent, scheme: &str, who: &str, more: &str) -> String {
    format!("snmp+{scheme}://{who}127.0.0.1:{}{more}", agent.address(scheme).port())
}

async fn open(text: &str) -> SnmpSession {
    SnmpSession::open(&text.parse().unwrap(), options()).await.unwrap()
}

#[tokio::test]
async fn all_operations_of_communities() {
    let agent = Agent::start(&format!("{BOTH}{HTTP}"));
    for version in ["1", "2c"] {
        let session = open(&url(&agent, "http", "private@", &format!("?version={version}"))).await;
        let set = [VarBind::new(oid(NAME), Value::text(version))];
        assert_eq!(session.set(&set).await.unwrap().error_status, 0);
        let found = session.get(&[oid(NAME)]).await.unwrap();
        assert_eq!(found.bindings, set);
        assert_eq!(session.next(&[oid("1.3.6.1.2.1.1.5")]).await.unwrap().bindings, set);
        let options = WalkOptions::default();
        let system = walk(&session, oid("1.3.6.1.2.1.1"), options.clone()).collect().await.unwrap();
        assert!(system.iter().any(|found| found.name == oid(NAME)) && system.len() > 7);
        let interfaces = table(&session, &[oid("1.3.6.1.2.1.2.2.1.2")], options).await.unwrap();
        assert!(!interfaces.rows.is_empty());
    }
    let session = open(&url(&agent, "http", "public@", "")).await;
    assert_eq!(session.bulk(0, 4, &[oid("1.3.6.1.2.1.1")]).await.unwrap().bindings.len(), 4);
    let refused = session.set(&[VarBind::new(oid(NAME), Value::text("x"))]).await.unwrap();
    assert_ne!(refused.error_status, 0);
}

#[tokio::test]
async fn many_requests_share_few_connections() {
    let agent = Agent::start(&format!("{BOTH}{HTTP}"));
    let session = open(&url(&agent, "http", "public@", "")).await;
    let asking: Vec<_> = (0..40)
        .map(|_| {
            let session = session.clone();
            tokio::spawn(async move { session.get(&[oid(NAME)]).await.unwrap().bindings.len() })
        })
        .collect();
    for asked in asking {
        assert_eq!(asked.await.unwrap(), 1);
    }
    let counts = session.counts();
    assert_eq!((counts.sent, counts.received), (40, 40));
    let counted = agent.counted("http");
    assert!(counted["accepted"] <= 4, "{counted:?}");
}

#[tokio::test]
async fn silence_ends_the_request_at_once() {
    let agent = Agent::start(&format!("{BOTH}{HTTP}"));
    let session = open(&url(&agent, "http", "stranger@", "")).await;
    let began = Instant::now();
    let error = session.get(&[oid(NAME)]).await.unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
    assert!(began.elapsed() < options().timeout, "nobody waits for an answer that will not come");
    // The session continues.
    assert!(session.get(&[oid(NAME)]).await.is_err());
    assert_eq!(agent.get("1.3.6.1.2.1.11.4.0"), Bound::Value(Value::Counter32(2)), "snmpInBadCommunityNames");
}

#[tokio::test]
async fn users_keep_their_keys() {
    let ann = "[[role]]\nname = \"admin\"\nread = [\"1\"]\nlevel = \"authPriv\"\n\
               [[snmp.user]]\nname = \"ann\"\nauth = \"SHA-256\"\npriv = \"AES\"\npassword = \"maplesyrup\"\n\
               role = \"admin\"\n";
    let agent = Agent::start(&format!("{BOTH}{ann}{HTTP}"));
    let user = |password: &[u8]| {
        let user = UsmCredentials::new(b"ann").unwrap();
        let user = user.with_auth(AuthProtocol::Sha256, Secret::password(password)).unwrap();
        user.with_privacy(PrivProtocol::Aes128, Secret::password(password)).unwrap()
    };
    let ask = async |password: &[u8]| {
        let port = agent.address("http").port();
        let credentials = Credentials::from(user(password));
        let target = Target::new(trunkline_client::Transport::Http, "127.0.0.1", port, credentials);
        let session = SnmpSession::open(&target, options()).await.unwrap();
        session.get(&[oid(NAME)]).await
    };
    assert!(ask(b"maplesyrup").await.unwrap().is_ok());
    let error = ask(b"cornflakes").await.unwrap_err();
    assert!(matches!(error, Error::Report { .. }), "{error}");
}

/// An authority, an agent on localhost and the manager ann.
struct Keys {
    folder: TempDir,
    pki: Directory,
}

impl Keys {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let pki = Directory::at(folder.path().join("pki"));
        pki.init(&AuthorityOptions::named(Name::new("Test").unwrap()), false).unwrap();
        let issue = |role, name: &str| {
            pki.issue(role, &Name::new(name).unwrap(), &LeafOptions::default(), Storing::default()).unwrap();
        };
        issue(Role::Agent, "127.0.0.1");
        issue(Role::Manager, "ann");
        Keys { folder, pki }
    }

    fn config(&self, more: &str) -> String {
        let directory = self.pki.path().display().to_string();
        let listen = "[http]\nlisten = [\"http://127.0.0.1:0\", \"https://127.0.0.1:0\"]\n";
        let role = "[[role]]\nname = \"reader\"\nread = [\"1\"]\nlevel = \"authPriv\"\n";
        format!("{BOTH}[snmp.tls]\ndirectory = {directory:?}\n{more}{role}{listen}")
    }

    fn client(&self, with_certificate: bool) -> TlsClient {
        let read = |path: std::path::PathBuf| std::fs::read(path).unwrap();
        let trust =
            Trust::builder().authorities_pem(&read(self.pki.authority_certificate())).unwrap().build();
        let files = self.pki.manager_files();
        let identity = with_certificate
            .then(|| Arc::new(Identity::from_pem(&read(files.certificate), &read(files.key)).unwrap()));
        TlsClient::new(&TlsClientConfig::new(identity, Arc::new(trust))).unwrap()
    }

    fn secure(&self, with_certificate: bool) -> Arc<Secure> {
        Arc::new(Secure::new().with_tls(Arc::new(self.client(with_certificate)), None))
    }
}

#[tokio::test]
async fn principals_authenticated_by_https_need_no_keys() {
    let keys = Keys::new();
    let hash = PasswordHash::make(&"maple syrup".into()).unwrap().to_phc();
    let principals = format!(
        "[[snmp.principal]]\nname = \"ann\"\nrole = \"reader\"\n\
         [[snmp.principal]]\nname = \"bob\"\nrole = \"reader\"\npassword-hash = {hash:?}\n"
    );
    let agent = Agent::start(&keys.config(&principals));
    let place = |secure: Arc<Secure>| {
        let defaults = Defaults::default().with_secure(Some(secure));
        Target::parse(&url(&agent, "https", "", ""), &defaults).unwrap()
    };
    // By the certificate.
    let session = SnmpSession::open(&place(keys.secure(true)), options()).await.unwrap();
    assert!(session.get(&[oid(NAME)]).await.unwrap().is_ok());
    // By a password.
    let login = HttpWay::default().with_login(Some(HttpLogin::basic("bob", "maple syrup").unwrap()));
    let bob = place(keys.secure(false)).with_http(login.clone());
    let session = SnmpSession::open(&bob, options()).await.unwrap();
    assert!(session.get(&[oid(NAME)]).await.unwrap().is_ok());
    // By nothing: the fault says so.
    let session = SnmpSession::open(&place(keys.secure(false)), options()).await.unwrap();
    let error = session.get(&[oid(NAME)]).await.unwrap_err();
    assert!(error.to_string().contains("HTTPS"), "{error}");
    // Plain HTTP authenticates nothing, whatever comes with it: the requested level is not reached.
    let mut plain =
        place(keys.secure(false)).with_http(login).with_credentials(TsmCredentials::default().into());
    (plain.transport, plain.port) = (trunkline_client::Transport::Http, agent.address("http").port());
    let error = SnmpSession::open(&plain, options()).await.err().unwrap();
    assert!(matches!(error, Error::Protection { .. }), "{error}");
    drop(keys.folder);
}

async fn post(link: &mut HttpLink, fields: &[(&'static str, &str)], body: &str) -> HttpAnswer {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    }
    link.post("/snmp", headers, body.to_owned()).await.unwrap()
}

const GET: &str = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\n\
    <Message xmlns='urn:trunkline:snmp'><version>v2c</version><community>public</community><data><get-request>\n\
    <request-id>7</request-id><error-status>noError</error-status><error-index>0</error-index>\n\
    <variable-bindings><VarBind><name>1.3.6.1.2.1.1.5.0</name><unSpecified/></VarBind></variable-bindings>\n\
    </get-request></data></Message></e:Body></e:Envelope>";

#[tokio::test]
async fn errors_are_answered_with_their_fault() {
    let agent = Agent::start(&format!("{BOTH}{HTTP}"));
    let addresses = [agent.address("http")];
    let place = Place { addresses: &addresses, authority: "localhost", tls: None };
    let mut link = HttpLink::connect(place, LinkOptions::default()).await.unwrap();
    let soap_1_1 = [("content-type", "text/xml; charset=utf-8"), ("soapaction", "\"\"")];
    let soap_1_2 = [("content-type", "application/soap+xml")];
    let of_1_2 =
        GET.replace("http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope");
    /// Fields of the head, the body, the status, and a part of the answer.
    type Case<'c> = (&'c [(&'static str, &'c str)], &'c str, u16, &'c str);
    let cases: [Case<'_>; 14] = [
        (&soap_1_1, GET, 200, "<response><request-id>7</request-id>"),
        (&soap_1_2, &of_1_2, 200, "<response><request-id>7</request-id>"),
        (&soap_1_1, &GET.replace("public", "nobody"), 202, ""),
        (&[("content-type", "text/plain")], GET, 415, "text/xml (1.1) or application/soap+xml (1.2)"),
        (&[], GET, 415, "text/xml"),
        (&soap_1_1[..1], GET, 500, "SOAPAction must be"),
        (&[soap_1_1[0], ("soapaction", "\"urn:other\"")], GET, 500, "SOAPAction must be"),
        (&soap_1_2, GET, 400, "the Content-Type is of another SOAP than the Envelope"),
        (
            &soap_1_1,
            &GET.replace("trunkline:snmp", "other"),
            500,
            "line 2, column 1: Message must be in the namespace",
        ),
        (
            &soap_1_1,
            &GET.replace("unSpecified", "x"),
            500,
            "line 4, column 59: expected a value, such as integer-value",
        ),
        (&soap_1_1, &GET.replace("soap/envelope", "soap"), 500, "VersionMismatch"),
        (&soap_1_1, &GET[..GET.len() - 9], 500, "the document ends within a tag"),
        (&soap_1_1, &format!("<!DOCTYPE a [<!ENTITY b 'c'>]>{GET}"), 500, "remove &lt;!DOCTYPE"),
        (
            &soap_1_1,
            &GET.replace("v2c", "v1").replace("unSpecified", "noSuchObject"),
            500,
            "this is not a message",
        ),
    ];
    for (fields, body, status, said) in cases {
        let answer = post(&mut link, fields, body).await;
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert_eq!(answer.status.as_u16(), status, "{body}\n{text}");
        assert!(text.contains(said) && (status != 202 || text.is_empty()), "{said} is not in\n{text}");
    }
    let schema = link.get("/snmp?xsd").await.unwrap();
    assert_eq!(&schema.body[..], trunkline_snmp::wire::xml::SCHEMA.as_bytes());
}

#[tokio::test]
async fn communities_over_plain_http_can_be_refused() {
    let agent = Agent::start(&format!("{BOTH}{HTTP}plain-communities = false\n"));
    let session = open(&url(&agent, "http", "public@", "")).await;
    let error = session.get(&[oid(NAME)]).await.unwrap_err();
    assert!(error.to_string().contains("communities are not accepted over plain HTTP"), "{error}");
}

#[tokio::test]
async fn a_community_beside_a_principal_is_refused_unless_it_counts_as_that() {
    let keys = Keys::new();
    let hash = PasswordHash::make(&"maple syrup".into()).unwrap().to_phc();
    let bob = format!("[[snmp.principal]]\nname = \"bob\"\nrole = \"reader\"\npassword-hash = {hash:?}\n");
    for is_taken in [false, true] {
        let config = keys.config(&bob);
        let config =
            config.replacen("[snmp]\n", &format!("[snmp]\ncommunities-in-sessions = {is_taken}\n"), 1);
        let agent = Agent::start(&config);
        let (client, server) = (keys.client(false), ServerIdentity::Name("127.0.0.1".into()));
        for scheme in ["http", "https"] {
            let tls = (scheme == "https").then_some((&client, &server));
            let place = Place { addresses: &[agent.address(scheme)], authority: "127.0.0.1", tls };
            let mut link = HttpLink::connect(place, LinkOptions::default()).await.unwrap();
            let fields = [("content-type", "text/xml"), ("soapaction", ""), ("authorization", BOB)];
            let answer = post(&mut link, &fields, GET).await;
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            let (status, said) = match is_taken && scheme == "https" {
                true => (200, "<response><request-id>7</request-id>"),
                false => (500, "<kind>twoIdentities</kind>"),
            };
            assert!(answer.status.as_u16() == status && text.contains(said), "{is_taken} {scheme}: {text}");
        }
    }
}

fn receiver() -> Arc<Engine> {
    Arc::new(Engine::new(EngineOptions {
        id: EngineId::generate(8072, [7; 12]),
        clock: EngineClock::new(EngineBoots::default().next(), Instant::now()),
        max_size: 65_507,
        handlers: Handlers::RECEIVER,
        remote_engines: 4,
        entropy: 0,
    }))
}

#[tokio::test]
async fn traps_and_informs_are_posted() {
    let place = "http://127.0.0.1:0".parse().unwrap();
    let mut listener = Listener::bind(&[place], receiver(), ListenOptions::default()).unwrap();
    let port = listener.places().next().unwrap().port;
    let target = |name: &str, version: &str, kind: &str| {
        format!(
            "[[snmp.target]]\nname = \"{name}\"\naddress = \"snmp+http://127.0.0.1:{port}\"\n\
             community = \"{name}\"\nversion = \"{version}\"\nkind = \"{kind}\"\n"
        )
    };
    let targets =
        [target("one", "v1", "trap"), target("two", "v2c", "trap"), target("three", "v2c", "inform")];
    let agent = Agent::start(&format!("{BOTH}{}", targets.concat()));
    let mut kinds = Vec::new();
    for _ in targets {
        let received = timeout(PATIENCE, listener.next()).await.unwrap().unwrap();
        assert_eq!(received.notification.trap_oid, oid("1.3.6.1.6.3.1.1.5.1"), "coldStart");
        assert_eq!(
            (received.transport, received.is_authenticated()),
            (trunkline_client::Transport::Http, false)
        );
        kinds.push((received.community.unwrap(), received.version, received.kind));
    }
    kinds.sort_by_key(|(community, ..)| community.clone());
    let expected = [
        (b"one".to_vec(), Version::V1, PduKind::TrapV1),
        (b"three".to_vec(), Version::V2c, PduKind::Inform),
        (b"two".to_vec(), Version::V2c, PduKind::TrapV2),
    ];
    assert_eq!(kinds, expected);
    drop(agent);
}
