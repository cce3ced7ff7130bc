//! HTTP in octets: what a browser sends, and what it would not.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::restconf::ask::{Answer, read};
use crate::restconf::client::{PASSWORD, configuration};
use crate::support::{Agent, connect};

/// The configuration of an agent with the page.
pub fn with_page(more: &str) -> String {
    let http = "[http]\nlisten = [\"http://127.0.0.1:0\"]\ndoors = [\"restconf\", \"soap\", \"browser\"]\n";
    configuration(&format!("{more}{http}"))
}

/// An agent with the page.
pub fn agent() -> Agent {
    Agent::start(&with_page(""))
}

/// Sends a request and returns the connection.
pub fn send(agent: &Agent, head: &str, fields: &[(&str, &str)], body: &str) -> TcpStream {
    let mut stream = connect(agent.address("http"));
    let host = agent.address("http");
    let fields: String = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    let text = format!(
        "{head} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{fields}Content-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(text.as_bytes()).expect("send");
    stream
}

/// A request and its answer.
pub fn ask(agent: &Agent, head: &str, fields: &[(&str, &str)], body: &str) -> Answer {
    let mut octets = Vec::new();
    send(agent, head, fields, body).read_to_end(&mut octets).expect("an answer");
    read(&octets)
}

/// The origin of the page.
pub fn origin(agent: &Agent) -> String {
    format!("http://{}", agent.address("http"))
}

/// Posts the form of the login.
pub fn log_in_as(agent: &Agent, name: &str, password: &str, fields: &[(&str, &str)]) -> Answer {
    let body = format!("name={name}&password={}", password.replace(' ', "+"));
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    let fields: Vec<_> = [form].into_iter().chain(fields.iter().copied()).collect();
    ask(agent, "POST /browser/login", &fields, &body)
}

/// A browser that is logged in: its cookie, and the token of its session.
pub struct Browser<'a> {
    pub agent: &'a Agent,
    pub cookie: String,
    pub token: String,
}

impl<'a> Browser<'a> {
    pub fn log_in(agent: &'a Agent, name: &str) -> Self {
        Self::log_in_with(agent, name, PASSWORD)
    }

    pub fn log_in_with(agent: &'a Agent, name: &str, password: &str) -> Self {
        let answer = log_in_as(agent, name, password, &[("Origin", &origin(agent))]);
        assert_eq!(answer.status, 303, "{answer:?}");
        let cookie = answer.field("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let mut browser = Browser { agent, cookie, token: String::new() };
        let session = browser.session();
        assert!(session.starts_with(&format!("{{\"name\":\"{name}\",")), "{session}");
        browser.token = session.split("\"token\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        browser
    }

    /// Who the agent takes it for.
    pub fn session(&self) -> String {
        self.ask("GET /browser/session", &[], "").body
    }

    /// With its cookie, and these fields.
    pub fn ask(&self, head: &str, fields: &[(&str, &str)], body: &str) -> Answer {
        let cookie = ("Cookie", self.cookie.as_str());
        let fields: Vec<_> = [cookie].into_iter().chain(fields.iter().copied()).collect();
        ask(self.agent, head, &fields, body)
    }

    /// As the page asks: with its origin and its token.
    pub fn own(&self, head: &str, body: &str) -> Answer {
        let origin = origin(self.agent);
        let json = ("Content-Type", "application/yang-data+json");
        self.ask(head, &[("Origin", &origin), ("Trunkline-Token", &self.token), json], body)
    }
}
