//! Asking an agent by SOAP.

use std::net::SocketAddr;

use tokio::runtime::Runtime;
use trunkline_soap::Limits;
use trunkline_soap::answer::{self, AnswerError, Object, Row};
use trunkline_soap::catalog::{Catalog, Record};
use trunkline_soap::encoding::Encoding;
use trunkline_soap::envelope::Version;
use trunkline_soap::operation::{self, Operation, Request, RowRange, TableRequest};
use trunkline_soap::{catalog::TableVerb, fault::Fault};
use trunkline_transport::http::client::{HttpAnswer, HttpLink, LinkOptions, Place};
use trunkline_transport::http::coding::Coding;
use trunkline_transport::http::{HeaderMap, HeaderValue, header};

/// A connection to the agent's HTTP listener.
pub struct Asker {
    runtime: Runtime,
    link: HttpLink,
    pub catalog: Catalog,
    pub community: Option<&'static str>,
}

pub const LIMITS: Limits = Limits { octets: 64 << 20, text: 8 << 20, ..Limits::MESSAGE };

impl Asker {
    pub fn new(agent: SocketAddr, accept: Vec<Coding>) -> Asker {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let addresses = [agent];
        let authority = agent.to_string();
        let place = Place { addresses: &addresses, authority: &authority, tls: None };
        let options = LinkOptions { accept, ..LinkOptions::default() };
        let link = runtime.block_on(HttpLink::connect(place, options)).expect("connect");
        Asker { runtime, link, catalog: Catalog::complete(), community: Some("public") }
    }

    pub fn get(&mut self, path: &str) -> HttpAnswer {
        self.runtime.block_on(self.link.get(path)).expect("an answer")
    }

    pub fn post(&mut self, content_type: &str, action: Option<&str>, body: &[u8]) -> HttpAnswer {
        self.post_to("/soap", content_type, action, body)
    }

    pub fn post_to(
        &mut self,
        path: &str,
        content_type: &str,
        action: Option<&str>,
        body: &[u8],
    ) -> HttpAnswer {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(content_type).expect("a value"));
        if let Some(action) = action {
            headers.insert("soapaction", HeaderValue::from_str(action).expect("a value"));
        }
        self.runtime.block_on(self.link.post(path, headers, body.to_vec())).expect("an answer")
    }

    /// Carries out an operation: the answer as it came.
    pub fn ask(&mut self, version: Version, encoding: Encoding, operation: Operation) -> HttpAnswer {
        let mut request = Request::new(&self.catalog, version, encoding, operation);
        request.community = self.community.map(str::to_owned);
        let mut octets = Vec::new();
        operation::write(&self.catalog, &request, &mut octets);
        let action = format!("\"{}\"", request.action());
        match version {
            Version::V1_1 => self.post(version.content_type(), Some(&action), &octets),
            Version::V1_2 => {
                self.post(&format!("{}; action={action}", version.content_type()), None, &octets)
            }
        }
    }

    pub fn table(
        &self,
        table: usize,
        verb: TableVerb,
        columns: Option<Vec<usize>>,
        range: RowRange,
    ) -> Operation {
        assert!(table < self.catalog.tables().len());
        Operation::Table(TableRequest { verb, table, columns, range })
    }

    pub fn rows(
        &mut self,
        version: Version,
        encoding: Encoding,
        operation: Operation,
        record: &Record,
    ) -> Result<Vec<Row>, AnswerError> {
        let answer = self.ask(version, encoding, operation);
        answer::read_rows(&answer.body, LIMITS, encoding, record)
    }

    pub fn objects(
        &mut self,
        version: Version,
        encoding: Encoding,
        operation: Operation,
    ) -> Result<Vec<Object>, AnswerError> {
        let answer = self.ask(version, encoding, operation);
        let syntax_of = |name: &str| {
            let name = self.catalog.object_name(name).ok()?;
            self.catalog.object_of(&name.oid).map(|(_, _, syntax, _)| syntax)
        };
        answer::read_objects(&answer.body, LIMITS, encoding, syntax_of)
    }

    /// The fault that a document is answered with, and the status.
    pub fn fault(&mut self, content_type: &str, action: Option<&str>, body: &str) -> (u16, Fault) {
        let answer = self.post(content_type, action, body.as_bytes());
        match answer::read_done(&answer.body, LIMITS, Encoding::Typed) {
            Err(AnswerError::Fault(fault)) => (answer.status.as_u16(), fault),
            other => panic!("{other:?}: {}", String::from_utf8_lossy(&answer.body)),
        }
    }
}

/// An operation in an envelope of SOAP 1.1.
pub fn envelope(body: &str) -> String {
    format!("<e:Envelope xmlns:e='{}'><e:Body>{body}</e:Body></e:Envelope>", Version::V1_1.namespace())
}
