//! Pages of lists (draft-ietf-netconf-list-pagination-08), over NETCONF and RESTCONF: the entries of one are held in memory, within a limit,
//! and those before and behind it are not read where the list is a table in its own order.

use std::sync::Arc;

use trunkline_core::{DataQuery, ListPage, OwnData};
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_restconf::paging::{
    Entry, Meta, Paging, Window, cursor_keys, entries, holding_in, keys_of, listed, sort, sort_path,
};
use trunkline_restconf::refusal::Refusal;
use trunkline_restconf::target::Target;
use trunkline_tree::Page;
use trunkline_tree::policy::Principal;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::Instances;
use trunkline_yang::selection::{Selection, Within};

use super::Netconf;
use super::configure::Errors;
use super::origin::Origin;
use super::xpath::{self, Filter, Gathered};

/// What a page is made of.
pub(super) struct Wanted<'w> {
    pub principal: Principal<'w>,
    pub list: List,
    /// What has to be read.
    pub selection: Selection,
    pub own: &'w dyn OwnData,
    /// Whose data it is.
    pub origin: Origin,
}

/// Which entries of which list.
#[derive(Clone)]
pub(super) struct List {
    /// The list as a whole.
    pub target: Target,
    pub node: NodeId,
    pub paging: Paging,
}

/// Entries in their order, and what is known of them.
pub(super) struct Found {
    pub instances: Instances,
    pub page: Vec<Entry>,
    pub meta: Meta,
}

/// The page of a list that a filter of NETCONF names.
pub(super) struct OfFilter {
    pub list: List,
    /// What of an entry is wanted.
    pub within: Within,
    pub found: Found,
}

/// The entries of a page of the list that a filter has selected.
///
/// # Errors
/// It has selected something else, or there is no such page, or it takes too much.
pub(super) async fn of_filter(
    door: &Arc<Netconf>,
    principal: Principal<'_>,
    selected: &Selection,
    paging: Paging,
    own: &dyn OwnData,
) -> Result<OfFilter, Errors> {
    let forest = &door.models().forest;
    let (target, node, within) = listed(selected, forest).map_err(|error| vec![error])?;
    let list = List { target, node, paging };
    let selection = selection(&list, within.clone(), forest).map_err(|refusal| refusal.errors)?;
    let wanted = Wanted { principal, list, selection, own, origin: Origin::Here };
    let found = found(door, &wanted).await.map_err(|refusal| refusal.errors)?;
    Ok(OfFilter { list: wanted.list, within, found })
}

/// The entries of a page.
///
/// # Errors
/// There is no such page, or it takes too much memory or work.
pub(super) async fn found(door: &Arc<Netconf>, wanted: &Wanted<'_>) -> Result<Found, Refusal> {
    let forest = &door.models().forest;
    let List { target, node, paging } = &wanted.list;
    let keys = match &paging.cursor {
        Some(cursor) => Some(cursor_keys(target, cursor, forest)?),
        None => None,
    };
    let values = keys.as_ref().map(|keys| keys.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>());
    let is_device = matches!(wanted.origin, Origin::Device(_));
    let unreadable = || Refusal::new(403, "there is no right to read anything here");
    let readable = || wanted.origin.readable(door, wanted.principal).ok_or_else(unreadable);
    let mut counted = None;
    // Nobody else waits for a device that takes its time.
    if is_device {
        counted = readable()?.query(door, wanted.own).count(*node, values.clone()).await;
        if let Some(refusal) =
            wanted.origin.failure().filter(|_| counted.as_ref().is_none_or(|it| it.total == 0))
        {
            return Err(refusal);
        }
    }
    // The memory of one page at a time, as of one expression.
    let turn = door.expressions.of(wanted.principal.name).await;
    let turn = turn.ok_or_else(|| Refusal::new(503, "the agent is ending"))?;
    let readable = readable()?;
    let mut query = readable.query(door, wanted.own);
    let is_plain = paging.filter.is_none() && paging.sort_by.is_none();
    if !is_device && is_plain {
        counted = query.count(*node, values).await;
    }
    let Some(counted) = counted.filter(|_| is_plain) else {
        let instances = gathered(&query, &wanted.selection).await?;
        let (door, list) = (door.clone(), wanted.list.clone());
        let work = move || of_instances(&list, instances, &door.models().forest);
        let done = xpath::beside(turn, work).await;
        return done.unwrap_or_else(|| Err(Refusal::new(500, "the agent failed; its log says why")));
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
    query.page = Some(ListPage { node: *node, page: Page { offset, limit: end - begin } });
    let instances = gathered(&query, &wanted.selection).await?;
    let mut all = entries(*node, &instances);
    if paging.is_backwards {
        all.reverse();
    }
    let part = Window { first: (window.first - begin).min(all.len()), ..window };
    Ok(Found::of(all, part, paging, instances, forest))
}

async fn gathered(query: &DataQuery<'_>, selection: &Selection) -> Result<Instances, Refusal> {
    let mut gathered = Gathered::new(query.forest);
    match query.retrieve(selection, &mut gathered).await {
        Ok(()) => Ok(gathered.instances),
        Err(_) => {
            let message =
                "the page needs too much memory here: ask for fewer entries with limit, or for less of them";
            Err(RpcError::new(Layer::Protocol, Tag::TooBig, message).into())
        }
    }
}

impl Found {
    fn of(all: Vec<Entry>, window: Window, paging: &Paging, instances: Instances, forest: &Forest) -> Found {
        let Window { first, count, remaining } = window;
        let end = (first + count).min(all.len());
        let page = all.get(first..end).unwrap_or_default().to_vec();
        let cursor = |at: usize| all.get(at).and_then(|entry| keys_of(*entry, forest, &instances));
        let is_limited = paging.limit.is_some();
        let meta = Meta {
            remaining: is_limited.then_some(remaining),
            next: if is_limited { cursor(end) } else { None },
            previous: match paging.limit {
                Some(limit) if first > 0 => {
                    cursor(first.saturating_sub(usize::try_from(limit).unwrap_or(usize::MAX)))
                }
                _ => None,
            },
            is_sorted: paging.sort_by.is_some(),
        };
        Found { page, meta, instances }
    }
}

/// A page of all entries, which were gathered.
fn of_instances(list: &List, instances: Instances, forest: &Forest) -> Result<Found, Refusal> {
    let List { target, node, paging } = list;
    let mut all = match &paging.filter {
        None => entries(*node, &instances),
        Some(expression) => {
            let filter = holding(target, expression, paging.prefixes.as_deref(), forest)?;
            let found = filter.found(forest, &instances, xpath::MOST_WORK).map_err(of_where)?;
            found.into_iter().filter(|id| instances.node(*id) == Some(*node)).collect()
        }
    };
    if let Some(leaf) = &paging.sort_by {
        sort(&mut all, &sort_path(leaf, *node, forest)?, &instances, forest);
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
    Ok(Found::of(all, window, paging, instances, forest))
}

/// The entries of a list for which an expression holds. `prefixes`: those of the expression; without them they are the names of modules.
fn holding(
    target: &Target,
    expression: &str,
    prefixes: Option<&[(String, String)]>,
    forest: &Forest,
) -> Result<Filter, Refusal> {
    let (select, scope) = holding_in(target, expression, prefixes, forest)?;
    Filter::of(&select, scope.root(), forest).map_err(of_where)
}

fn of_where(error: RpcError) -> Refusal {
    let message = error.message.unwrap_or_default().replace("the XPath expression of the filter", "where");
    RpcError { message: Some(message), layer: Layer::Application, ..error }.into()
}

/// What has to be read for a page. `within`: what of its entries is wanted.
///
/// # Errors
/// `where` or `sort-by` is wrong.
pub(super) fn selection(list: &List, within: Within, forest: &Forest) -> Result<Selection, Refusal> {
    let List { target, node, paging } = list;
    let mut selection = target.selection(within, forest);
    if let Some(leaf) = &paging.sort_by {
        let mut path = sort_path(leaf, *node, forest)?;
        let mut wanted = Within::All;
        while let Some(node) = path.pop() {
            let mut inner = Selection::default();
            inner.add(node, one(wanted));
            wanted = Within::Nodes(inner);
        }
        selection.merge(target.selection(wanted, forest));
    }
    if let Some(expression) = &paging.filter {
        let filter = holding(target, expression, paging.prefixes.as_deref(), forest)?;
        selection.merge(filter.selection);
    }
    Ok(selection)
}

fn one(within: Within) -> trunkline_yang::selection::Wanted {
    use trunkline_yang::selection::{Alternative, Wanted};
    Wanted::Some(vec![Alternative { tests: Vec::new(), within }])
}
