//! Users and roles of the agents in these tests, and what an agent has counted of SNMPv3.

use std::collections::BTreeMap;

use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, Pdu, PduKind, Version};

use super::support::{Agent, message, net_snmp, oid};

/// Net-SNMP's names of the protocols that hash.
pub const HASHES: [&str; 6] = ["MD5", "SHA", "SHA-224", "SHA-256", "SHA-384", "SHA-512"];

/// Net-SNMP's names of the protocols that encrypt, `-` for none.
pub const CIPHERS: [&str; 7] = ["-", "DES", "AES", "AES-192", "AES-256", "AES-192-C", "AES-256-C"];

/// A user with its protocols; passwords follow from its name.
#[derive(Clone, Copy, Debug)]
pub struct Who {
    pub auth: &'static str,
    pub privacy: &'static str,
}

impl Who {
    pub const fn new(auth: &'static str, privacy: &'static str) -> Who {
        Who { auth, privacy }
    }

    /// A user for each pair.
    pub fn all() -> impl Iterator<Item = Who> {
        HASHES.into_iter().flat_map(|auth| CIPHERS.into_iter().map(move |privacy| Who { auth, privacy }))
    }

    pub fn name(self) -> String {
        format!("{}+{}", self.auth, self.privacy)
    }

    pub fn auth_password(self) -> String {
        format!("auth{}syrup", self.auth)
    }

    pub fn priv_password(self) -> String {
        format!("priv{}maple", self.privacy)
    }

    pub fn level(self) -> &'static str {
        match (self.auth, self.privacy) {
            ("-", _) => "noAuthNoPriv",
            (_, "-") => "authNoPriv",
            _ => "authPriv",
        }
    }

    /// `LEVEL:NAME`, as the foreign peers expect it.
    pub fn with_level(self) -> String {
        let number = match self.level() {
            "noAuthNoPriv" => 1,
            "authNoPriv" => 2,
            _ => 3,
        };
        format!("{number}:{}", self.name())
    }

    /// Its entry in the agent's configuration.
    pub fn section(self, role: &str) -> String {
        let mut text = format!("[[snmp.user]]\nname = {:?}\nrole = {role:?}\n", self.name());
        if self.auth != "-" {
            text += &format!("auth = {:?}\nauth-password = {:?}\n", self.auth, self.auth_password());
        }
        if self.privacy != "-" {
            text += &format!("priv = {:?}\npriv-password = {:?}\n", self.privacy, self.priv_password());
        }
        text
    }

    /// The options for Net-SNMP's tools.
    pub fn options(self) -> Vec<String> {
        let mut options = ["-v3", "-u", &self.name(), "-l", self.level()].map(String::from).to_vec();
        if self.auth != "-" {
            options.extend(["-a", self.auth, "-A", &self.auth_password()].map(String::from));
        }
        if self.privacy != "-" {
            options.extend(["-x", self.privacy, "-X", &self.priv_password()].map(String::from));
        }
        options
    }
}

/// Runs a tool and returns its exit code, stdout and stderr; `None` if it is not installed.
pub fn run(tool: &str, options: &[String], more: &[&str]) -> Option<(i32, String, String)> {
    let options: Vec<&str> =
        options.iter().map(String::as_str).chain(["-On"]).chain(more.iter().copied()).collect();
    let output = net_snmp(tool, &options)?;
    let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
    Some((output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr)))
}

/// A role that may read everything and write the system group.
pub const OPERATOR: &str = r#"
[[role]]
name = "operator"
read = ["1"]
write = ["1.3.6.1.2.1.1"]
notify = ["1"]
"#;

/// What the agent has counted of SNMPv3.
pub const COUNTERS: [(&str, &str); 11] = [
    ("UnsupportedSecLevels", "1.3.6.1.6.3.15.1.1.1.0"),
    ("NotInTimeWindows", "1.3.6.1.6.3.15.1.1.2.0"),
    ("UnknownUserNames", "1.3.6.1.6.3.15.1.1.3.0"),
    ("UnknownEngineIDs", "1.3.6.1.6.3.15.1.1.4.0"),
    ("WrongDigests", "1.3.6.1.6.3.15.1.1.5.0"),
    ("DecryptionErrors", "1.3.6.1.6.3.15.1.1.6.0"),
    ("UnavailableContexts", "1.3.6.1.6.3.12.1.4.0"),
    ("UnknownContexts", "1.3.6.1.6.3.12.1.5.0"),
    ("UnknownSecurityModels", "1.3.6.1.6.3.11.2.1.1.0"),
    ("InvalidMsgs", "1.3.6.1.6.3.11.2.1.2.0"),
    ("UnknownPDUHandlers", "1.3.6.1.6.3.11.2.1.3.0"),
];

/// [`COUNTERS`] at this moment, read with v2c.
pub fn counts(agent: &Agent) -> BTreeMap<&'static str, u32> {
    let names: Vec<Oid> = COUNTERS.iter().map(|(_, name)| oid(name)).collect();
    let answer = agent.ask(&message(Version::V2c, "public", Pdu::read(PduKind::Get, 1, &names)));
    let count = |bound: &Bound| match bound {
        Bound::Value(Value::Counter32(count)) => *count,
        other => panic!("a counter expected, found {other:?}"),
    };
    COUNTERS.iter().zip(&answer.pdu.bindings).map(|((name, _), found)| (*name, count(&found.value))).collect()
}

/// `work` makes exactly these counters grow by these numbers.
#[track_caller]
pub fn counting<T>(agent: &Agent, expected: &[(&'static str, u32)], work: impl FnOnce() -> T) -> T {
    let before = counts(agent);
    let done = work();
    let mut grown = counts(agent);
    grown.iter_mut().for_each(|(name, count)| *count -= before[name]);
    grown.retain(|_, count| *count != 0);
    assert_eq!(grown, expected.iter().copied().collect::<BTreeMap<_, _>>());
    done
}
