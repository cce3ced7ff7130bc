//! Authentication over HTTPS, and the resulting access: with a client certificate, a token or a password, over
//! HTTP/1.1 and HTTP/2, under the one access policy.

use std::sync::Arc;
use trunkline_smi::SetStatus;

use tokio::runtime::Runtime;
use trunkline_pki::{Files, Token};
use trunkline_smi::Value;
use trunkline_snmp::wire::Bound;
use trunkline_soap::answer::{self, AnswerError};
use trunkline_soap::encoding::Encoding;
use trunkline_soap::envelope::Version;
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_transport::http::client::{HttpAnswer, HttpLink, HttpVersion, LinkOptions, Place};
use trunkline_transport::http::{HeaderMap, HeaderValue, header};
use trunkline_transport::ssh::PasswordHash;
use trunkline_transport::tls::{Identity, ServerIdentity, TlsClient, TlsClientConfig, Trust};

use super::ask::{LIMITS, envelope};
use super::support::Agent;
use super::world::World;

const PASSWORD: &str = "maple syrup";
const CONTACT: &str = "1.3.6.1.2.1.1.4.0";

/// What a principal shows.
enum Shows {
    Certificate(Files),
    Field(String),
    Nothing,
}

/// An agent at HTTPS with a reader, a writer and one who may nothing, each of them by each of the ways.
struct Stage {
    world: World,
    agent: Agent,
    runtime: Runtime,
    /// The role, and what shows it.
    principals: Vec<(&'static str, Shows)>,
}

impl Stage {
    fn start() -> Stage {
        let world = World::usual();
        let mut text = String::from(
            "[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n\
             [[snmp.community]]\nname = \"public\"\naccess = \"read\"\n\
             [[role]]\nname = \"reader\"\nlevel = \"authPriv\"\n\
             read = [\"1.3.6.1.2.1.1\", \"1.3.6.1.2.1.2.2.1.2\"]\n\
             [[role]]\nname = \"writer\"\nlevel = \"authPriv\"\nread = [\"1\"]\nwrite = [\"1.3.6.1.2.1.1\"]\n\
             [http]\nlisten = [\"https://127.0.0.1:0\"]\n[freshness]\ndefault = \"1h\"\n",
        );
        text += &format!("[snmp.tls]\ndirectory = {:?}\n", world.pki.path().display().to_string());
        let mut principals = Vec::new();
        for role in ["reader", "writer"] {
            let mut principal = |way: &str, secret: &str| {
                let name = format!("{role}-by-{way}");
                text += &format!("[[snmp.principal]]\nname = {name:?}\nrole = {role:?}\n{secret}\n");
                name
            };
            let named = principal("certificate", "");
            principals.push((role, Shows::Certificate(world.manager(&named))));
            let token = Token::create().unwrap();
            principal("token", &format!("token-hash = {:?}", token.hash()));
            principals.push((role, Shows::Field(format!("Bearer {}", token.text()))));
            let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
            let named = principal("password", &format!("password-hash = {hash:?}"));
            principals.push((role, Shows::Field(basic(&named, PASSWORD))));
        }
        principals.push(("stranger", Shows::Certificate(world.manager("stranger"))));
        principals.push(("nobody", Shows::Nothing));
        let agent = Agent::start(&text);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Stage { world, agent, runtime, principals }
    }

    fn asker(&self, shows: &Shows, version: HttpVersion) -> Asker<'_> {
        let trust =
            Trust::builder().authorities_file(&self.world.pki.authority_certificate()).unwrap().build();
        let identity = match shows {
            Shows::Certificate(files) => {
                Some(Arc::new(Identity::from_files(&files.certificate, &files.key).unwrap()))
            }
            _ => None,
        };
        let client = TlsClient::new(&TlsClientConfig::new(identity, Arc::new(trust))).unwrap();
        let (addresses, server) = ([self.agent.address("https")], ServerIdentity::Name("localhost".into()));
        let place = Place { addresses: &addresses, authority: "localhost", tls: Some((&client, &server)) };
        let options = LinkOptions { version, ..LinkOptions::default() };
        let link = self.runtime.block_on(HttpLink::connect(place, options)).unwrap();
        let field = if let Shows::Field(field) = shows { Some(field.clone()) } else { None };
        Asker { runtime: &self.runtime, link, field }
    }
}

/// A connection of one who shows the same with each request.
struct Asker<'s> {
    runtime: &'s Runtime,
    link: HttpLink,
    field: Option<String>,
}

impl Asker<'_> {
    fn post(&mut self, path: &str, body: &str) -> HttpAnswer {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(Version::V1_1.content_type()));
        headers.insert("soapaction", HeaderValue::from_static("\"\""));
        if let Some(field) = &self.field {
            headers.insert(header::AUTHORIZATION, HeaderValue::from_str(field).unwrap());
        }
        self.runtime.block_on(self.link.post(path, headers, envelope(body))).unwrap()
    }

    fn says(&mut self, path: &str, body: &str) -> String {
        let answer = self.post(path, body);
        let text = String::from_utf8(answer.body.to_vec()).unwrap();
        assert_eq!(answer.status.as_u16(), 200, "{text}");
        text
    }

    fn refused(&mut self, path: &str, body: &str) -> (u16, Fault) {
        let answer = self.post(path, body);
        match answer::read_done(&answer.body, LIMITS, Encoding::Typed) {
            Err(AnswerError::Fault(fault)) => (answer.status.as_u16(), fault),
            other => panic!("{other:?}: {body}: {}", String::from_utf8_lossy(&answer.body)),
        }
    }
}

fn basic(name: &str, password: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text = format!("{name}:{password}");
    let mut field = String::from("Basic ");
    for three in text.as_bytes().chunks(3) {
        let bits =
            three.iter().fold(0_u32, |bits, octet| bits << 8 | u32::from(*octet)) << (8 * (3 - three.len()));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize] as char;
            field.push(if at <= three.len() { letter } else { '=' });
        }
    }
    field
}

fn get(name: &str, community: &str) -> String {
    format!("<Get xmlns='urn:trunkline:soap'>{community}<name>{name}</name></Get>")
}

fn set(name: &str, value: &str, community: &str) -> String {
    format!(
        "<Set xmlns='urn:trunkline:soap'>{community}<object><name>{name}</name><value>{value}</value></object></Set>"
    )
}

fn select(community: &str) -> String {
    format!(
        "<SelectAll xmlns='urn:trunkline:select'><path>{{Interfaces}}</path><data>{{ifDescr, ifMtu}}</data>\
         {community}</SelectAll>"
    )
}

const COMMUNITY: &str = "<community>public</community>";

#[test]
fn certificates_tokens_and_passwords_are_under_one_policy() {
    let stage = Stage::start();
    let before = stage.agent.get(CONTACT);
    for version in [HttpVersion::One, HttpVersion::Two] {
        for (at, (role, shows)) in stage.principals.iter().enumerate() {
            let mut asker = stage.asker(shows, version);
            let value = format!("{at} by {version:?}");
            match *role {
                "reader" => {
                    reads(&mut asker);
                    let (status, fault) = asker.refused("/soap", &set("sysContact.0", &value, ""));
                    assert_eq!((status, fault.kind), (500, FaultKind::NotSet(SetStatus::NoAccess)));
                    assert!(stage.agent.get(CONTACT) != Bound::Value(Value::text(&value)));
                }
                "writer" => {
                    asker.says("/soap", &set("sysContact.0", &value, ""));
                    assert_eq!(stage.agent.get(CONTACT), Bound::Value(Value::text(&value)));
                    let (_, fault) = asker.refused("/soap", &set("snmpEnableAuthenTraps.0", "1", ""));
                    assert_eq!(
                        fault.kind,
                        FaultKind::NotSet(SetStatus::NoAccess),
                        "outside of what may be written"
                    );
                    assert!(asker.says("/soap", &get("ifMtu.1", "")).contains("65536"));
                    assert!(asker.says("/", &select("")).contains("<ifMtu>"));
                    counts_as_one(&mut asker, &value);
                    assert_eq!(stage.agent.get(CONTACT), Bound::Value(Value::text(&value)));
                }
                "stranger" => may_nothing(&mut asker, 403, FaultKind::Forbidden),
                _ => may_nothing(&mut asker, 401, FaultKind::Unauthorized),
            }
        }
    }
    assert!(stage.agent.get(CONTACT) != before);
    let counted = stage.agent.counted("https");
    assert_eq!(counted["http2"], stage.principals.len() as u64, "{counted:?}");
}

/// What the role of readers has, and nothing else, by each door.
fn reads(asker: &mut Asker<'_>) {
    assert!(asker.says("/soap", &get("sysServices.0", "")).contains("<integer>76</integer>"));
    let table = "<GetIfTable xmlns='urn:trunkline:mib:IF-MIB'/>";
    let rows = asker.says("/soap", table);
    assert!(rows.contains("<ifDescr>lo</ifDescr>") && !rows.contains("ifMtu"), "{rows}");
    for hidden in [get("ifMtu.1", ""), "<GetIpAddressTable xmlns='urn:trunkline:mib:IP-MIB'/>".to_owned()] {
        let (status, fault) = asker.refused("/soap", &hidden);
        assert_eq!((status, fault.kind), (500, FaultKind::NoSuchObject), "{hidden}");
    }
    let selected = asker.says("/", &select(""));
    assert!(selected.contains("<ifDescr>") && !selected.contains("<ifMtu>"), "{selected}");
    counts_as_one(asker, "nothing");
}

/// A message of SNMP with a community, for sysName.0.
const MESSAGE: &str = "<Message xmlns='urn:trunkline:snmp'><version>v2c</version><community>public</community><data>\
    <get-request><request-id>7</request-id><error-status>noError</error-status><error-index>0</error-index>\
    <variable-bindings><VarBind><name>1.3.6.1.2.1.1.5.0</name><unSpecified/></VarBind></variable-bindings>\
    </get-request></data></Message>";

/// With a principal there must be no community, in no operation of any door.
fn counts_as_one(asker: &mut Asker<'_>, value: &str) {
    let row = format!("<GetIfEntry xmlns='urn:trunkline:lean'>{COMMUNITY}<ifIndex>1</ifIndex></GetIfEntry>");
    let paper = format!("<u:GetIfTable xmlns:u='urn:UTMON'>{COMMUNITY}</u:GetIfTable>");
    for (path, body) in [
        ("/soap", get("sysName.0", COMMUNITY)),
        ("/soap", set("sysContact.0", &format!("not {value}"), COMMUNITY)),
        ("/soap", row),
        ("/soap/paper", paper),
        ("/", select(COMMUNITY)),
        ("/snmp", MESSAGE.to_owned()),
    ] {
        let (status, fault) = asker.refused(path, &body);
        assert_eq!((status, fault.kind), (500, FaultKind::TwoIdentities), "{body}");
    }
}

fn may_nothing(asker: &mut Asker<'_>, expected: u16, kind: FaultKind) {
    for (path, body) in [
        ("/soap", get("sysName.0", "")),
        ("/soap", set("sysContact.0", "by a stranger", "")),
        ("/soap", "<GetIfTable xmlns='urn:trunkline:mib:IF-MIB'/>".to_owned()),
        ("/", select("")),
    ] {
        let (status, fault) = asker.refused(path, &body);
        assert_eq!((status, &fault.kind), (expected, &kind), "{body}: {fault}");
    }
}
