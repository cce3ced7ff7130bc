//! GET and HEAD of data: rows go from a snapshot to the peer, as fast as it reads.

use tokio::sync::oneshot;
use trunkline_datastore::Config;
use trunkline_netconf::operation::WithDefaults;
use trunkline_restconf::media::{Encoding, XML_LIST, quality};
use trunkline_restconf::output::Output;
use trunkline_restconf::paging::Paging;
use trunkline_restconf::query::{self, Content, Query};
use trunkline_restconf::refusal::Refusal;
use trunkline_restconf::tag::EntityTag;
use trunkline_restconf::target::Target;
use trunkline_smi::ValueRef;
use trunkline_transport::http::{FlowWriter, HttpFlow, HttpResponse, StatusCode, header};
use trunkline_yang::forest::NodeId;
use trunkline_yang::selection::Within;

use super::super::own::{ConfigData, Own};
use super::super::{Netconf, nacm, permission, reply};
use super::page::{self, Wanted};
use super::{Request, seconds};
use trunkline_core::{DataSink, Narrow, OwnData};

impl Request<'_> {
    /// Whether the client takes all entries of a list in one element of XML.
    fn accepts_lists(&self) -> bool {
        let ranges = self.http.header(header::ACCEPT).unwrap_or_default().split(',');
        ranges
            .filter(|range| range.trim_start().starts_with(XML_LIST))
            .any(|range| quality(range, XML_LIST) > 0)
    }

    /// The answer with a resource.
    pub(super) async fn read(&self, target: Target) -> Result<HttpResponse, Refusal> {
        let query = Query::read(self.http.query.as_deref())?;
        let door = self.restconf.door.clone();
        let forest = &door.models().forest;
        let access = nacm::reader(&door, self.principal.as_principal())
            .ok_or_else(|| Refusal::new(403, "there is no right to read anything here"))?;
        let (mut config, mut state) = (Config::default(), None);
        if target.is_configuration(forest) {
            let guard = door.datastores.lock().await;
            let running = door.datastores.running(&door.core, forest, &guard).await;
            drop(guard);
            config = permission::readable(forest, &running, &access);
            state = Some((EntityTag::of(&target, &config), self.restconf.modified(&running)));
        }
        let within = match &query.fields {
            Some(fields) => Within::Nodes(query::fields(fields, target.node(), forest)?),
            None => Within::All,
        };
        let list = target.whole_list(forest);
        let is_in_one = self.encoding == Encoding::Xml && self.accepts_lists();
        let paging = match (&query.paging, list) {
            (Some(_), None) => return Err(Paging::no_list()),
            (Some(paging), Some(list)) => Some((paging.clone(), list)),
            // All entries, in the one element of a list.
            (None, Some(list)) if is_in_one => Some((Paging::default(), list)),
            (None, _) => None,
        };
        if let Some((paging, list)) = paging {
            let mut selection = page::selection(&target, &paging, within, list, forest)?;
            if query.content == Content::Config {
                selection.nodes.retain(|it| forest[it.node].place.is_configuration());
            }
            let config = query.defaults(config, forest);
            let base = self.base();
            let own = own(&door, &query, config, &base);
            let wanted =
                Wanted { target: &target, query: &query, paging: &paging, list, selection, own: &*own };
            return self.page(wanted).await;
        }
        let mut selection = target.selection(within, forest);
        if query.content == Content::Config {
            selection.nodes.retain(|it| forest[it.node].place.is_configuration());
            // Only of configuration does the tag say all.
            if let Some((tag, modified)) = &state
                && self.conditions().has_it(*tag, self.encoding, seconds(*modified))
            {
                return Ok(self.tagged(HttpResponse::empty(StatusCode::NOT_MODIFIED), *tag, *modified));
            }
        }
        let (first, found) = oneshot::channel();
        let (principal, encoding) = (self.principal.clone(), self.encoding);
        let base = self.base();
        let wanted = door.clone();
        tokio::spawn(async move {
            let door = wanted;
            let config = query.defaults(config, &door.models().forest);
            let own = own(&door, &query, config, &base);
            let output = Output::begin(&target, &query, encoding, &door.models().forest);
            let mut sink = Flowing { output, begun: Err(first) };
            let done = reply::retrieve(&door, &*own, principal.as_principal(), &selection, &mut sink).await;
            if done.is_ok() || sink.output.is_too_many() {
                sink.end().await;
            }
        });
        let answer = match found.await {
            Ok(Found::Whole(body)) => self.whole(body),
            Ok(Found::Begun(flow)) => HttpResponse::flowing(StatusCode::OK, encoding.media_type(), flow),
            Ok(Found::Refused(refusal)) => return Err(refusal),
            Err(_) => return Err(Refusal::new(500, "the agent failed; its log says why")),
        };
        Ok(match state {
            Some((tag, modified)) => self.tagged(answer, tag, modified),
            None => answer,
        })
    }
}

/// The data that is not in the tree.
fn own<'o>(door: &'o Netconf, query: &Query, config: Config, base: &'o str) -> Box<dyn OwnData + Send + 'o> {
    match query.content {
        Content::Config => Box::new(ConfigData { config, explicit: None }),
        _ => Box::new(Own {
            door,
            session_id: 0,
            config,
            is_operational: false,
            narrow: Narrow::default(),
            trims: query.with_defaults == Some(WithDefaults::Trim),
            base,
        }),
    }
}

/// What is known when the answer begins.
enum Found {
    /// It is short.
    Whole(Vec<u8>),
    /// The rest is written while this is sent.
    Begun(HttpFlow),
    Refused(Refusal),
}

/// A resource that is being written.
struct Flowing<'f> {
    output: Output<'f>,
    /// Where it goes, or who waits for its begin.
    begun: Result<FlowWriter, oneshot::Sender<Found>>,
}

/// Nobody wants the rest.
struct Unwanted;

impl Flowing<'_> {
    async fn end(mut self) {
        self.output.end();
        let refusal = if self.output.is_too_many() {
            Some(Refusal::bad(
                "XML has one resource: use JSON, name an entry by its keys, or get what the list is in",
            ))
        } else if !self.output.is_found() {
            Some(Refusal::nothing())
        } else {
            None
        };
        let body = std::mem::take(self.output.octets());
        match (self.begun, refusal) {
            (Err(first), None) => drop(first.send(Found::Whole(body))),
            (Err(first), Some(refusal)) => drop(first.send(Found::Refused(refusal))),
            (Ok(writer), None) => {
                if writer.write(body).await.is_ok() {
                    writer.end().await;
                }
            }
            // The peer learns that it is not whole.
            (Ok(_), Some(_)) => {}
        }
    }
}

impl DataSink for Flowing<'_> {
    type Stop = Unwanted;

    fn open(&mut self, node: NodeId) {
        self.output.open(node);
    }

    fn close(&mut self, node: NodeId) {
        self.output.close(node);
    }

    fn leaf(&mut self, node: NodeId, value: ValueRef<'_>) {
        self.output.leaf(node, value);
    }

    fn leaf_text(&mut self, node: NodeId, value: &str) {
        self.output.leaf_text(node, value);
    }

    fn is_full(&self) -> bool {
        self.output.len() >= FULL || self.output.is_too_many()
    }

    async fn flush(&mut self) -> Result<(), Unwanted> {
        if self.output.is_too_many() {
            return Err(Unwanted);
        }
        if let Err(first) = &mut self.begun {
            let (writer, flow) = HttpFlow::new();
            let (unused, _) = oneshot::channel();
            std::mem::replace(first, unused).send(Found::Begun(flow)).map_err(|_| Unwanted)?;
            self.begun = Ok(writer);
        }
        let Ok(writer) = &self.begun else { return Err(Unwanted) };
        let part = std::mem::take(self.output.octets());
        writer.write(part).await.map_err(|_| Unwanted)
    }
}

/// Octets that are collected before they are sent.
const FULL: usize = 32 << 10;
