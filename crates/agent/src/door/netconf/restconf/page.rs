//! Pages of lists (draft-ietf-netconf-list-pagination-rc): the entries of one are held in memory, within a limit, and those before and
//! behind it are not read where the list is a table in its own order.

use std::time::Instant;

use trunkline_core::{Admission, Caller, DataQuery, ListPage, OwnData};
use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_restconf::media::{Encoding, XML_LIST, quality};
use trunkline_restconf::output::Output;
use trunkline_restconf::paging::{Entry, Meta, Paging, Window, entries, keys_of, sort, sort_path, write};
use trunkline_restconf::query::Query;
use trunkline_restconf::refusal::Refusal;
use trunkline_restconf::target::{Target, uri};
use trunkline_transport::http::{HttpResponse, StatusCode, header};
use trunkline_tree::Page;
use trunkline_tree::policy::ViewType;
use trunkline_xml::Writer;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::Instances;
use trunkline_yang::selection::{Selection, Within};

use super::super::xpath::{self, Filter, Gathered};
use super::Request;

/// What a page is made of.
pub(super) struct Wanted<'w> {
    pub target: &'w Target,
    pub query: &'w Query,
    pub paging: &'w Paging,
    /// The list.
    pub list: NodeId,
    pub selection: Selection,
    pub own: &'w dyn OwnData,
}

/// Entries in their order, and what is known of them.
struct Found {
    instances: Instances,
    page: Vec<Entry>,
    meta: Meta,
}

impl Request<'_> {
    /// The answer with a page.
    pub(super) async fn page(&self, wanted: Wanted<'_>) -> Result<HttpResponse, Refusal> {
        let accept = self.http.header(header::ACCEPT);
        if self.encoding == Encoding::Xml && accept.is_some_and(|accept| quality(accept, XML_LIST) == 0) {
            let message =
                format!("entries of a list have the type {XML_LIST} in XML, which Accept does not have");
            return Err(Refusal::new(406, &message));
        }
        let forest = &self.restconf.door.models().forest;
        let found = self.found(&wanted).await?;
        let Wanted { target, query, paging, .. } = &wanted;
        let mut output = Output::begin_list(target, query, self.encoding, forest);
        let how = (paging.sublist_limit, query.content);
        write(target, &found.page, &found.meta, (&found.instances, forest), how, &mut output);
        output.end();
        let media_type = if self.encoding == Encoding::Xml { XML_LIST } else { self.encoding.media_type() };
        let body = match (&found.page[..], self.encoding) {
            // A list without entries still has its name.
            ([], Encoding::Json) => {
                let (module, name) = (forest.module(wanted.list).name, &forest[wanted.list].name);
                format!("{{\"{module}:{name}\":[]}}").into_bytes()
            }
            _ => std::mem::take(output.octets()),
        };
        Ok(HttpResponse::new(StatusCode::OK, media_type, body))
    }

    async fn found(&self, wanted: &Wanted<'_>) -> Result<Found, Refusal> {
        let door = &self.restconf.door;
        let forest = &door.models().forest;
        // The memory of one page at a time, as of one expression.
        let permit = door.expressions.clone().acquire_owned().await;
        let _permit = permit.map_err(|_| Refusal::new(503, "the agent is ending"))?;
        let settings = door.core.settings();
        let caller = Caller::of_default_context(self.principal.as_principal());
        let Ok(Admission::Tree(access)) = settings.admit(&caller, ViewType::Read) else {
            return Err(Refusal::new(403, "there is no right to read anything here"));
        };
        let (served, own, arrived) = (settings.served(), wanted.own, Instant::now());
        let mut query = DataQuery { served, access, forest, own, arrived, page: None };
        let Wanted { paging, list, .. } = wanted;
        let is_plain = paging.filter.is_none() && paging.sort_by.is_none();
        let keys = match &paging.cursor {
            Some(cursor) => Some(cursor_keys(wanted.target, cursor, forest)?),
            None => None,
        };
        let values = keys.as_ref().map(|keys| keys.iter().map(|(_, value)| value.clone()).collect());
        let counted = if is_plain { query.count(*list, values).await } else { None };
        let Some(counted) = counted else {
            let instances = self.gathered(&query, wanted.selection.clone()).await?;
            return of_instances(wanted, instances, forest).await;
        };
        let direct = |before: usize| match paging.is_backwards {
            true => counted.total - 1 - before,
            false => before,
        };
        let cursor = match (&keys, counted.before) {
            (Some(_), None) => return Err(Paging::no_cursor()),
            (_, before) => before.map(direct),
        };
        let window = paging.window(counted.total, cursor)?;
        // What is read: the page, and the entries that begin those beside it.
        let around = paging.limit.map_or(0, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let begin = window.first.saturating_sub(around);
        let end = window.first + window.count + usize::from(window.remaining > 0);
        let offset = if paging.is_backwards { counted.total - end } else { begin };
        query.page = Some(ListPage { node: *list, page: Page { offset, limit: end - begin } });
        let instances = self.gathered(&query, wanted.selection.clone()).await?;
        let mut all = entries(*list, &instances);
        if paging.is_backwards {
            all.reverse();
        }
        let part = Window { first: (window.first - begin).min(all.len()), ..window };
        Ok(Found::of(all, part, wanted, instances, forest))
    }

    async fn gathered(&self, query: &DataQuery<'_>, selection: Selection) -> Result<Instances, Refusal> {
        let mut gathered = Gathered::new(query.forest);
        match query.retrieve(&selection, &mut gathered).await {
            Ok(()) => Ok(gathered.instances),
            Err(_) => {
                let message = "the page needs too much memory here: ask for fewer entries with limit, or for less of them with fields";
                Err(RpcError::new(Layer::Protocol, Tag::TooBig, message).into())
            }
        }
    }
}

impl Found {
    fn of(
        all: Vec<Entry>,
        window: Window,
        wanted: &Wanted<'_>,
        instances: Instances,
        forest: &Forest,
    ) -> Found {
        let Window { first, count, remaining } = window;
        let end = (first + count).min(all.len());
        let page = all.get(first..end).unwrap_or_default().to_vec();
        let cursor = |at: usize| all.get(at).and_then(|entry| keys_of(*entry, forest, &instances));
        let is_limited = wanted.paging.limit.is_some();
        let meta = Meta {
            remaining: is_limited.then_some(remaining),
            next: if is_limited { cursor(end) } else { None },
            previous: match wanted.paging.limit {
                Some(limit) if first > 0 => {
                    cursor(first.saturating_sub(usize::try_from(limit).unwrap_or(usize::MAX)))
                }
                _ => None,
            },
            is_sorted: wanted.paging.sort_by.is_some(),
        };
        Found { page, meta, instances }
    }
}

/// A page of all entries, which were gathered.
async fn of_instances(wanted: &Wanted<'_>, instances: Instances, forest: &Forest) -> Result<Found, Refusal> {
    let Wanted { paging, list, target, .. } = wanted;
    let mut all = match &paging.filter {
        None => entries(*list, &instances),
        Some(expression) => {
            let filter = holding(target, expression, forest)?;
            let found = filter.found(forest, &instances, xpath::MOST_WORK)?;
            // Others are answered before the rest.
            tokio::task::yield_now().await;
            found.into_iter().filter(|id| instances.node(*id) == Some(*list)).collect()
        }
    };
    if let Some(leaf) = &paging.sort_by {
        sort(&mut all, &sort_path(leaf, *list, forest)?, &instances);
    }
    if paging.is_backwards {
        all.reverse();
    }
    let cursor = match &paging.cursor {
        None => None,
        Some(cursor) => {
            let keys = cursor_keys(target, cursor, forest)?;
            let texts: Vec<&str> = keys.iter().map(|(text, _)| text.as_str()).collect();
            let is_it = |entry: &Entry| {
                let found = instances.children(*entry).take(texts.len()).map(|leaf| instances.value(leaf));
                found.eq(texts.iter().copied())
            };
            Some(all.iter().position(is_it).ok_or_else(Paging::no_cursor)?)
        }
    };
    let window = paging.window(all.len(), cursor)?;
    Ok(Found::of(all, window, wanted, instances, forest))
}

/// The entries of a list for which an expression holds. Its prefixes are the names of modules.
pub(super) fn holding(target: &Target, expression: &str, forest: &Forest) -> Result<Filter, Refusal> {
    let mut select = String::new();
    for step in &target.steps {
        let module = forest.module(step.node).name;
        select.push_str(&format!("/{module}:{}", forest[step.node].name));
        for key in &step.keys {
            let (module, name) = (forest.module(key.leaf).name, &forest[key.leaf].name);
            let quote = if key.text.contains('\'') { '"' } else { '\'' };
            select.push_str(&format!("[{module}:{name}={quote}{}{quote}]", key.text));
        }
    }
    select.push_str(&format!("[boolean({expression})]"));
    let mut octets = Vec::new();
    let mut writer = Writer::new(&mut octets);
    writer.start("where");
    for module in forest.modules().iter().filter(|module| select.contains(&format!("{}:", module.name))) {
        writer.attribute(&format!("xmlns:{}", module.name), &module.namespace);
    }
    writer.end("where");
    let document =
        Document::read(&octets, limits(octets.len())).map_err(|it| Refusal::bad(&it.to_string()))?;
    Filter::of(&select, document.root(), forest).map_err(|error| {
        let message =
            error.message.unwrap_or_default().replace("the XPath expression of the filter", "where");
        RpcError { message: Some(message), layer: Layer::Application, ..error }.into()
    })
}

/// The keys that a cursor stands for: texts and values.
fn cursor_keys(
    target: &Target,
    cursor: &str,
    forest: &Forest,
) -> Result<Vec<(String, trunkline_smi::Value)>, Refusal> {
    if !target.is_whole_list(forest) {
        let message = "a leaf-list has no cursors: use offset";
        let error = RpcError::new(Layer::Application, Tag::OperationNotSupported, message);
        return Err(Refusal { status: 501, errors: vec![error] });
    }
    let path = format!("{}={cursor}", uri(target, forest));
    // A slash would be another step.
    let read = Target::read(&path, forest).ok().filter(|read| read.steps.len() == target.steps.len());
    let last = read.and_then(|read| read.steps.into_iter().next_back()).ok_or_else(Paging::no_cursor)?;
    Ok(last.keys.into_iter().map(|key| (key.text, key.value)).collect())
}

/// What has to be read for a page.
pub(super) fn selection(
    target: &Target,
    paging: &Paging,
    within: Within,
    list: NodeId,
    forest: &Forest,
) -> Result<Selection, Refusal> {
    let mut selection = target.selection(within.clone(), forest);
    if let Some(leaf) = &paging.sort_by {
        let mut path = sort_path(leaf, list, forest)?;
        let mut wanted = Within::All;
        while let Some(node) = path.pop() {
            let mut inner = Selection::default();
            inner.add(node, one(wanted));
            wanted = Within::Nodes(inner);
        }
        selection.merge(target.selection(wanted, forest));
    }
    if let Some(expression) = &paging.filter {
        selection.merge(holding(target, expression, forest)?.selection);
    }
    Ok(selection)
}

fn one(within: Within) -> trunkline_yang::selection::Wanted {
    use trunkline_yang::selection::{Alternative, Wanted};
    Wanted::Some(vec![Alternative { tests: Vec::new(), within }])
}
