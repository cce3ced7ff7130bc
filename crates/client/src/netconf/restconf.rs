//! A server of RESTCONF as one of NETCONF: operations become requests, and answers a reply (`over_http` of the room `netconf`). One kept
//! connection of HTTP carries one request at a time.

mod connection;
mod events;

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::OnceCell;
use trunkline_netconf::BASE;
use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::error::RpcError;
use trunkline_netconf::hello::Hello;
use trunkline_netconf::modules::Modules;
use trunkline_netconf::needs;
use trunkline_netconf::over_http::reply::{Answer, Reply};
use trunkline_netconf::over_http::root::{self, Stream};
use trunkline_netconf::over_http::{Server, requests};
use trunkline_transport::http::{HeaderValue, Method};

pub(super) use self::events::Events;

use self::connection::{Connection, Got};
use super::link::{Exchanged, Weight};
use super::select::FOREST;
use super::{NetconfFault, NetconfOptions};
use crate::answer::Cost;
use crate::error::Error;
use crate::target::NetconfTarget;

/// A server.
pub(super) struct Restconf {
    connection: Connection,
    options: NetconfOptions,
    known: OnceCell<Known>,
}

/// What a server says of itself.
struct Known {
    root: String,
    hello: Arc<Hello>,
    modules: Modules,
    streams: Vec<Stream>,
}

impl Restconf {
    pub fn new(target: NetconfTarget, options: NetconfOptions) -> Self {
        let connection = Connection::new(target, options.clone());
        Restconf { connection, options, known: OnceCell::new() }
    }

    /// The capabilities and modules, in the form of a hello. They are requested once.
    pub async fn hello(&self) -> Result<Arc<Hello>, Error> {
        Ok(self.known().await?.hello.clone())
    }

    pub async fn close(&self) {
        self.connection.close().await;
    }

    /// Carries out an operation: its requests one after another, and one reply of their answers.
    pub async fn ask(&self, operation: &[u8], weight: Weight) -> Result<Exchanged, Error> {
        let known = self.known().await?;
        let began = Instant::now();
        let mut cost = Cost { attempts: 0, ..Cost::default() };
        let mut reply = Reply::begin(self.options.max_reply);
        match self.requests(operation, known)? {
            Err(errors) => {
                let message = refusal(&errors);
                return Ok(Exchanged { message, cost: Cost { attempts: 1, ..cost } });
            }
            Ok(requests) => {
                // A filter without content selects nothing (RFC 6241 section 6.4.2).
                if requests.is_empty()
                    && (operation.starts_with(b"<get>") || operation.starts_with(b"<get-config>"))
                {
                    reply.nothing();
                }
                for request in requests {
                    let method = method(request.method);
                    // What only reads is repeated, if the connection turns out to be broken.
                    let weight = if method == Method::GET { Weight::Reads } else { weight };
                    let path = format!("{}{}", known.root, request.target);
                    let (octets, got) = self.connection.request(&method, &path, request.body, weight).await?;
                    cost += Cost { request_octets: octets, response_octets: got.octets, ..Cost::default() };
                    cost.attempts += got.attempts;
                    let body = got.xml()?;
                    let answer = Answer { status: got.status, body: &body };
                    if !reply.add(answer, &request.then).map_err(malformed)? {
                        break;
                    }
                }
            }
        }
        let cost = Cost { delay: began.elapsed(), attempts: cost.attempts.max(1), ..cost };
        Ok(Exchanged { message: reply.end(), cost })
    }

    fn requests(
        &self,
        operation: &[u8],
        known: &Known,
    ) -> Result<Result<Vec<trunkline_netconf::over_http::Request>, Vec<RpcError>>, Error> {
        let rpc = [format!("<rpc xmlns=\"{BASE}\">").as_bytes(), operation, b"</rpc>"].concat();
        let document = Document::read(&rpc, limits(rpc.len())).map_err(malformed)?;
        let Some(operation) = document.root().children().next() else { return Ok(Ok(Vec::new())) };
        let has = |name: &str| known.hello.has(&format!("urn:ietf:params:restconf:capability:{name}:1.0"));
        let (has_fields, has_patch) = (has("fields"), has("yang-patch"));
        let server = Server { modules: &known.modules, forest: &FOREST, has_fields, has_patch };
        Ok(requests(operation, server))
    }

    async fn known(&self) -> Result<&Known, Error> {
        self.known.get_or_try_init(|| self.discover()).await
    }

    /// Finds the root (RFC 8040 section 3.1), the capabilities (section 9.1) and the modules (RFC 8525).
    async fn discover(&self) -> Result<Known, Error> {
        let host = self.read(root::HOST_META, Some(HOST_META_TYPE)).await?;
        let root = match host {
            Some(octets) => root::of_host_meta(&octets).map_err(malformed)?,
            None => None,
        };
        let root = root.unwrap_or_else(|| root::USUAL.to_owned());
        let mut hello = Hello::default();
        let mut streams = Vec::new();
        if let Some(state) = self.read(&format!("{root}{}", root::STATE), None).await? {
            streams = root::read_state(&state, &mut hello).map_err(malformed)?;
        }
        if self.options.role.is_some() {
            needs::role(&hello).map_err(NetconfFault::Missing)?;
        }
        let has_fields = hello.has("urn:ietf:params:restconf:capability:fields:1.0");
        for (path, fields) in root::LIBRARIES {
            let query = if has_fields { fields } else { "" };
            if let Some(library) = self.read(&format!("{root}{path}{query}"), None).await? {
                root::read_library(&library, &mut hello).map_err(malformed)?;
                break;
            }
        }
        let modules = Modules::of_hello(&hello);
        Ok(Known { root, hello: Arc::new(hello), modules, streams })
    }

    /// A resource; `None`: there is none.
    async fn read(&self, path: &str, accept: Option<&'static str>) -> Result<Option<Vec<u8>>, Error> {
        let accept = accept.map(HeaderValue::from_static);
        let got = self.connection.get(path, accept).await?;
        match got.status {
            200 => got.xml().map(|octets| Some(octets.to_vec())),
            204 | 404 => Ok(None),
            _ => Err(got.refused()),
        }
    }
}

fn method(method: trunkline_netconf::over_http::Method) -> Method {
    use trunkline_netconf::over_http::Method as Of;
    match method {
        Of::Get => Method::GET,
        Of::Post => Method::POST,
        Of::Put => Method::PUT,
        Of::Patch => Method::PATCH,
        Of::Delete => Method::DELETE,
    }
}

/// A reply with errors that are found here.
fn refusal(errors: &[RpcError]) -> Vec<u8> {
    let mut octets = format!("<rpc-reply xmlns=\"{BASE}\" message-id=\"1\">").into_bytes();
    errors.iter().for_each(|error| error.write("", &mut octets));
    octets.extend_from_slice(b"</rpc-reply>");
    octets
}

fn malformed(fault: trunkline_xml::XmlError) -> Error {
    NetconfFault::Reply(fault.into()).into()
}

impl Got {
    /// The body, if it is XML. Errors may come as something else: then the status says what there is to say.
    fn xml(&self) -> Result<trunkline_transport::http::Bytes, Error> {
        if self.body.is_empty() || self.is_xml {
            // Whoever is not known needs to hear that, and not what the resource is.
            return if self.status == 401 { Err(self.refused()) } else { Ok(self.body.clone()) };
        }
        if (200..300).contains(&self.status) {
            return Err(NetconfFault::NotXml { found: self.media_type.clone() }.into());
        }
        if matches!(self.status, 404 | 409) {
            return Ok(Default::default());
        }
        Err(self.refused())
    }
}

const HOST_META_TYPE: &str = "application/xrd+xml";
