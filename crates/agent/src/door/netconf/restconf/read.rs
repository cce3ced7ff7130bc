//! GET and HEAD of data: rows go from a snapshot to the peer, as fast as it reads.

use tokio::sync::oneshot;
use trunkline_datastore::Config;
use trunkline_netconf::nmda::Store;
use trunkline_netconf::operation::{Datastore, WithDefaults};
use trunkline_restconf::media::{Encoding, XML_LIST, quality};
use trunkline_restconf::output::Output;
use trunkline_restconf::paging::Paging;
use trunkline_restconf::query::{Content, Query};
use trunkline_restconf::refusal::Refusal;
use trunkline_restconf::tag::EntityTag;
use trunkline_restconf::target::Target;
use trunkline_smi::ValueRef;
use trunkline_transport::http::{FlowWriter, HttpFlow, HttpResponse, StatusCode, header};
use trunkline_tree::policy::Principal;
use trunkline_yang::annotation::Annotation;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::selection::{Selection, Within};

use super::super::origin::Origin;
use super::super::own::{ConfigData, DeviceData, Own};
use super::super::page::{self, List, Wanted};
use super::super::{Netconf, configure, nacm, permission, reply};
use super::{Request, held, seconds};
use trunkline_core::{DataSink, Narrow, OwnData};

impl Request<'_> {
    /// Whether the client takes all entries of a list in one element of XML.
    fn accepts_lists(&self) -> bool {
        let ranges = self.http.header(header::ACCEPT).unwrap_or_default().split(',');
        ranges
            .filter(|range| range.trim_start().starts_with(XML_LIST))
            .any(|range| quality(range, XML_LIST) > 0)
    }

    /// The answer with a resource of a datastore.
    pub(super) async fn read(&self, store: Option<Store>, target: Target) -> Result<HttpResponse, Refusal> {
        let mut query = Query::of(self.http.query.as_deref(), store)?;
        let door = self.restconf.door.clone();
        let forest = &door.models().forest;
        let (mut config, mut state) = (Config::default(), None);
        self.origin.check(&door, self.principal.as_principal(), store)?;
        if target.is_configuration(forest) && matches!(self.origin, Origin::Here) {
            let access = nacm::reader(&door, self.principal.as_principal())
                .ok_or_else(|| Refusal::new(403, "there is no right to read anything here"))?;
            let is_candidate = held(store) == Datastore::Candidate;
            let all = door.datastores.read(&door.core, forest, is_candidate, |_| true).await;
            config = permission::readable(forest, &all, &access);
            if store != Some(Store::Operational) {
                state = Some((EntityTag::of(&target, &config), self.modified(held(store), &all)));
            }
        }
        let within;
        (within, query.depth) = query.within(target.node(), forest)?;
        let list = target.whole_list(forest);
        let is_in_one = self.encoding == Encoding::Xml && self.accepts_lists();
        let paging = match (&query.paging, list) {
            (Some(_), None) => return Err(Paging::no_list()),
            (Some(paging), Some(list)) => Some((paging.clone(), list)),
            // All entries, in the one element of a list.
            (None, Some(list)) if is_in_one => Some((Paging::default(), list)),
            (None, _) => None,
        };
        let base = self.base();
        if let Some((paging, node)) = paging {
            let list = List { target, node, paging };
            let selection = kept(page::selection(&list, within.clone(), forest)?, store, &query, forest);
            let own = self.own(&door, (store, &query, &list.target), config, &base);
            let (principal, origin) = (self.principal.as_principal(), self.origin.clone());
            let wanted = Wanted { principal, list, selection, own: &*own, origin };
            return self.page(wanted, &query, &within).await;
        }
        let selection = kept(target.selection(within, forest), store, &query, forest);
        // Only of configuration does the tag say all.
        if is_configuration_alone(store, &query)
            && let Some((tag, modified)) = &state
            && self.conditions().has_it(*tag, self.encoding, seconds(*modified))
        {
            return Ok(self.tagged(HttpResponse::empty(StatusCode::NOT_MODIFIED), *tag, *modified));
        }
        let (first, found) = oneshot::channel();
        let (principal, encoding, origin) = (self.principal.clone(), self.encoding, self.origin.clone());
        let wanted = (door.clone(), target.clone(), query.clone(), config.clone(), base.clone());
        tokio::spawn(async move {
            let (door, target, query, config, base) = wanted;
            let own = own(&origin, &door, principal.as_principal(), (store, &query, &target), config, &base);
            let output = Output::begin(&target, &query, encoding, &door.models().forest);
            let mut sink = Flowing { output, begun: Err(first) };
            let principal = principal.as_principal();
            let done = reply::retrieve_from(&origin, &door, &*own, principal, &selection, &mut sink).await;
            if done.is_ok() || sink.output.is_too_many() {
                sink.end().await;
            }
        });
        let answer = match found.await {
            Ok(Found::Whole(body)) => self.origin.answered(&target).map(|()| self.whole(body))?,
            Ok(Found::Begun(flow)) => HttpResponse::flowing(StatusCode::OK, encoding.media_type(), flow),
            Ok(Found::Nothing) => {
                self.origin.failure().map_or(Ok(()), Err)?;
                let own = self.own(&door, (store, &query, &target), config, &base);
                let is_config = is_configuration_alone(store, &query);
                let place = if is_config { "in the configuration" } else { "here" };
                return Err(self.missing(&target, place, &*own).await);
            }
            Ok(Found::Refused(refusal)) => return Err(refusal),
            Err(_) => return Err(Refusal::new(500, "the agent failed; its log says why")),
        };
        Ok(match state {
            Some((tag, modified)) => self.tagged(answer, tag, modified),
            None => answer,
        })
    }
}

impl Request<'_> {
    fn own<'o>(
        &self,
        door: &'o Netconf,
        asked: (Option<Store>, &Query, &Target),
        config: Config,
        base: &'o str,
    ) -> Box<dyn OwnData + Send + 'o> {
        own(&self.origin, door, self.principal.as_principal(), asked, config, base)
    }

    /// The refusal of a resource that is not there: it names the first step of the path that is not, as far as its reader may see.
    async fn missing(&self, target: &Target, place: &str, own: &dyn OwnData) -> Refusal {
        let door = &self.restconf.door;
        let forest = &door.models().forest;
        let principal = self.principal.as_principal();
        let mut there = target.steps.len().saturating_sub(1);
        while there > 0 {
            let part = target.first(there);
            let selection = part.selection(Within::Nodes(Selection::default()), forest);
            let mut probe = Probe { level: 0, wanted: there, is_there: false };
            // It stops when it is found.
            let _ = reply::retrieve_from(&self.origin, door, own, principal, &selection, &mut probe).await;
            if probe.is_there {
                break;
            }
            there -= 1;
        }
        target.first(there + 1).missing_of(place, forest)
    }
}

/// Whether there is an instance so many levels deep.
struct Probe {
    level: usize,
    wanted: usize,
    is_there: bool,
}

impl DataSink for Probe {
    type Stop = Unwanted;

    fn open(&mut self, _node: NodeId) {
        self.level += 1;
        self.is_there |= self.level == self.wanted;
    }

    fn close(&mut self, _node: NodeId) {
        self.level -= 1;
    }

    fn leaf(&mut self, _node: NodeId, _value: ValueRef<'_>) {}

    fn leaf_text(&mut self, _node: NodeId, _value: &str) {}

    fn is_full(&self) -> bool {
        self.is_there
    }

    async fn flush(&mut self) -> Result<(), Unwanted> {
        Err(Unwanted)
    }
}

/// Whether an answer has configuration and nothing else.
fn is_configuration_alone(store: Option<Store>, query: &Query) -> bool {
    match store {
        None => query.content == Content::Config,
        // What is in force has other values than what was configured.
        Some(Store::Operational) => false,
        Some(_) => true,
    }
}

/// What of a selection a datastore can have, and the query wants.
fn kept(mut selection: Selection, store: Option<Store>, query: &Query, forest: &Forest) -> Selection {
    match (store, query.content) {
        (Some(Store::Operational), content) => narrowed(content).map_or(selection.clone(), |is_wanted| {
            selection.only(forest, &|node| forest[node].place.is_configuration() == is_wanted)
        }),
        // A configuration has no state.
        (Some(_), Content::State) => Selection::default(),
        (store, content) => {
            if store.is_some() || content == Content::Config {
                selection.nodes.retain(|it| forest[it.node].place.is_configuration());
            }
            selection
        }
    }
}

/// Whether only configuration is wanted, or only state.
const fn narrowed(content: Content) -> Option<bool> {
    match content {
        Content::All => None,
        Content::Config => Some(true),
        Content::State => Some(false),
    }
}

/// The data that is not in a tree.
fn own<'o>(
    origin: &Origin,
    door: &'o Netconf,
    principal: Principal<'_>,
    asked: (Option<Store>, &Query, &Target),
    config: Config,
    base: &'o str,
) -> Box<dyn OwnData + Send + 'o> {
    let (store, query, _) = asked;
    if let Origin::Device(_) = origin {
        // Where everything is wanted, only what the device has: nothing would tell it from one that does not answer.
        return match asked.2.steps.is_empty() {
            true => Box::new(ConfigData { config: Config::default(), explicit: None }),
            false => Box::new(DeviceData(door)),
        };
    }
    let all = configure::with_defaults(door, principal, &config, query.with_defaults);
    let is_tagged = query.with_defaults == Some(WithDefaults::ReportAllTagged);
    if is_configuration_alone(store, query) {
        return Box::new(ConfigData { config: all, explicit: is_tagged.then_some(config) });
    }
    // What the agent makes itself has the defaults in force, and marks them.
    let (config, with_all) = if is_tagged { (config, Some(all)) } else { (all, None) };
    let is_operational = store == Some(Store::Operational);
    let config_only = if is_operational { narrowed(query.content) } else { None };
    Box::new(Own {
        door,
        session_id: 0,
        config,
        with_all,
        is_operational,
        narrow: Narrow { config: config_only, origins: None },
        defaults: query.with_defaults,
        base,
    })
}

/// What is known when the answer begins.
enum Found {
    /// It is short.
    Whole(Vec<u8>),
    /// The rest is written while this is sent.
    Begun(HttpFlow),
    Nothing,
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
        let found = if self.output.is_too_many() {
            Found::Refused(Refusal::bad(
                "XML has one resource: use JSON, name an entry by its keys, or get what the list is in",
            ))
        } else if !self.output.is_found() {
            Found::Nothing
        } else {
            Found::Whole(std::mem::take(self.output.octets()))
        };
        match (self.begun, found) {
            (Err(first), found) => drop(first.send(found)),
            (Ok(writer), Found::Whole(body)) => {
                if writer.write(body).await.is_ok() {
                    writer.end().await;
                }
            }
            // The peer learns that it is not whole.
            (Ok(_), _) => {}
        }
    }
}

impl DataSink for Flowing<'_> {
    type Stop = Unwanted;

    fn note(&mut self, annotation: Annotation) {
        self.output.note(annotation);
    }

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
