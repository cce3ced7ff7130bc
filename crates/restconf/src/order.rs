//! Where an entry goes among those that users order: `insert` and `point` of POST and PUT (RFC 8040 sections 4.8.5 and 4.8.6), `where` and
//! `point` of a YANG Patch (RFC 8072 section 2.5), both as the attributes of an edit (RFC 7950 sections 7.7.9 and 7.8.6).

use trunkline_netconf::YANG;
use trunkline_yang::forest::Forest;

use crate::refusal::Refusal;
use crate::target::Target;

/// Where an entry goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Where {
    /// Before `point`.
    Before,
    /// Behind `point`.
    After,
    /// Before all others.
    First,
    /// Behind all others.
    #[default]
    Last,
}

impl Where {
    /// Each with its name.
    pub const WORDS: [(&'static str, Where); 4] =
        [("before", Where::Before), ("after", Where::After), ("first", Where::First), ("last", Where::Last)];

    fn word(self) -> &'static str {
        Where::WORDS.iter().find(|(_, it)| *it == self).map_or("last", |(word, _)| word)
    }

    /// Whether it needs a `point`.
    #[must_use]
    pub const fn is_relative(self) -> bool {
        matches!(self, Where::Before | Where::After)
    }
}

/// What a POST or PUT says about the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    /// `insert`.
    pub place: Where,
    /// `point`: the path of an entry behind `/restconf/data`, with its escapes.
    pub point: Option<String>,
}

/// Attributes with their values, for the element of an entry.
pub(crate) type Attributes = Vec<(&'static str, String)>;

impl Insertion {
    /// The attributes of the entry.
    ///
    /// # Errors
    /// 400: users do not order what the resource is in, or `point` is not one of its entries.
    pub(crate) fn attributes(&self, resource: &Target, forest: &Forest) -> Result<Attributes, Refusal> {
        let name = resource.node().map_or("the datastore", |node| &forest[node].name);
        if !resource.node().is_some_and(|node| forest[node].place.is_ordered()) {
            let message = format!(
                "insert and point are for lists and leaf-lists that users order, which {name} is not"
            );
            return Err(Refusal::bad(&message));
        }
        let point = self.point.as_ref().map(|point| Target::read(point, forest)).transpose();
        let point = point.map_err(|refusal| Refusal { status: 400, ..refusal })?;
        attributes(self.place, point.as_ref(), resource, forest)
    }
}

/// The attributes of an entry that goes to a place, perhaps beside another entry.
///
/// # Errors
/// 400: that is not an entry of the same list.
pub(crate) fn attributes(
    place: Where,
    point: Option<&Target>,
    resource: &Target,
    forest: &Forest,
) -> Result<Attributes, Refusal> {
    let mut order = vec![("y:insert", place.word().to_owned())];
    let Some(point) = point else { return Ok(order) };
    let is_beside = point.node() == resource.node() && point.parent() == resource.parent();
    let Some(step) = point.steps.last().filter(|_| is_beside) else {
        return Err(Refusal::bad(
            "point must be the path of another entry of the list that the resource is in",
        ));
    };
    if let Some(value) = &step.value {
        order.push(("y:value", value.clone()));
        return Ok(order);
    }
    if step.keys.is_empty() {
        return Err(Refusal::bad("point must name an entry: list=key,key, or leaf-list=value"));
    }
    let mut text = String::new();
    for key in &step.keys {
        let quote = if key.text.contains('\'') { '"' } else { '\'' };
        let name = &forest[key.leaf].name;
        text.push_str(&format!("[k:{name}={quote}{}{quote}]", key.text));
    }
    order.push(("xmlns:k", forest.module(step.node).namespace.clone()));
    order.push(("y:key", text));
    Ok(order)
}

/// The attribute `insert` and its like have this prefix.
pub(crate) const ORDER: (&str, &str) = ("xmlns:y", YANG);
