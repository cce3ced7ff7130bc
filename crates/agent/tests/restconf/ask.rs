//! curl as a client.

use std::process::Command;

use serde_json::Value as Json;

use crate::restconf::client::{PASSWORD, configuration};
use crate::support::Agent;

/// An agent with NETCONF's principals, over SSH and over HTTP.
pub fn agent(more: &str) -> Agent {
    Agent::start(&restconf(more))
}

/// Its configuration.
pub fn restconf(more: &str) -> String {
    configuration(&format!("{more}[http]\nlisten = [\"http://127.0.0.1:0\"]\ndoors = [\"restconf\"]\n"))
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case.
    pub fields: Vec<(String, String)>,
    pub body: String,
    /// Of all of it.
    pub octets: usize,
}

impl Answer {
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The tag of the first error.
    pub fn error_tag(&self) -> String {
        if let Some((_, rest)) = self.body.split_once("<error-tag>") {
            return rest.split('<').next().unwrap_or_default().to_owned();
        }
        let json = self.json();
        json["ietf-restconf:errors"]["error"][0]["error-tag"].as_str().unwrap_or_default().to_owned()
    }
}

/// A client with a password.
pub struct Client<'a> {
    pub agent: &'a Agent,
    pub user: &'a str,
}

impl Client<'_> {
    /// curl with these arguments and the path.
    pub fn curl(&self, arguments: &[&str], path: &str) -> Answer {
        let url = format!("http://{}{path}", self.agent.address("http"));
        let mut command = Command::new("curl");
        command.args(["-s", "-i", "-g", "--path-as-is", "--max-time", "60"]);
        if !self.user.is_empty() {
            command.args(["-u", &format!("{}:{PASSWORD}", self.user)]);
        }
        let output = command.args(arguments).arg(&url).output().expect("curl");
        assert!(output.status.success(), "{arguments:?} {path}: {output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        read(text.as_bytes())
    }

    pub fn get(&self, path: &str) -> Answer {
        self.curl(&[], path)
    }

    pub fn get_xml(&self, path: &str) -> Answer {
        self.curl(&["-H", "Accept: application/yang-data+xml"], path)
    }

    /// A request with a body in the encoding that its first character shows.
    pub fn send(&self, method: &str, path: &str, body: &str) -> Answer {
        self.send_with(&[], method, path, body)
    }

    pub fn send_with(&self, arguments: &[&str], method: &str, path: &str, body: &str) -> Answer {
        let encoding = if body.starts_with('<') { "xml" } else { "json" };
        let content_type = format!("Content-Type: application/yang-data+{encoding}");
        let mut all = vec!["-X", method];
        if !body.is_empty() {
            all.extend(["-H", &content_type, "--data-binary", body]);
        }
        all.extend(arguments);
        self.curl(&all, path)
    }
}

/// An answer in octets. What of its body is not UTF-8 is replaced.
pub fn read(octets: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(octets);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{text}"));
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap().parse().unwrap();
    let field = |line: &str| {
        let (name, value) = line.split_once(": ").unwrap();
        (name.to_ascii_lowercase(), value.to_owned())
    };
    Answer { status, fields: lines.map(field).collect(), body: body.to_owned(), octets: octets.len() }
}
