//! YANG Patch (RFC 8072): edits of a resource in an order, all or none, and the status of each.

mod status;

use trunkline_netconf::document::{Document, Element};
use trunkline_netconf::error::{Info, Layer, RpcError, Tag};
use trunkline_netconf::operation::DefaultOperation;
use trunkline_yang::forest::Forest;

pub use self::status::Status;

use crate::body;
use crate::edit::{Config, Edit, check, named, whole};
use crate::json::Json;
use crate::media::Encoding;
use crate::order::{self, Attributes, Where};
use crate::refusal::Refusal;
use crate::target::{Target, uri};

/// The namespace of `ietf-yang-patch`, whose name is also its module's.
pub const YANG_PATCH: &str = "urn:ietf:params:xml:ns:yang:ietf-yang-patch";
/// Edits of a patch.
pub const MOST_EDITS: usize = 10_000;

/// What an edit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The resource must not be there.
    Create,
    /// It must be there.
    Delete,
    /// It is created at a place among entries that users order.
    Insert,
    /// It is created, or merged with what is there.
    Merge,
    /// It goes to another place among entries that users order.
    Move,
    /// It is created, or takes the place of what is there.
    Replace,
    /// It need not be there.
    Remove,
}

impl Operation {
    /// Each with its name.
    pub const WORDS: [(&'static str, Operation); 7] = [
        ("create", Operation::Create),
        ("delete", Operation::Delete),
        ("insert", Operation::Insert),
        ("merge", Operation::Merge),
        ("move", Operation::Move),
        ("replace", Operation::Replace),
        ("remove", Operation::Remove),
    ];

    /// Whether it has a value (RFC 8072 section 2.5).
    const fn has_value(self) -> bool {
        !matches!(self, Operation::Delete | Operation::Move | Operation::Remove)
    }

    /// The same in NETCONF.
    const fn word(self) -> &'static str {
        match self {
            Operation::Create | Operation::Insert => "create",
            Operation::Delete => "delete",
            Operation::Merge | Operation::Move => "merge",
            Operation::Replace => "replace",
            Operation::Remove => "remove",
        }
    }
}

/// A patch.
#[derive(Debug)]
pub struct Patch {
    /// `patch-id`.
    pub id: String,
    /// Its edits, in the order in which they are made.
    pub edits: Vec<PatchEdit>,
}

/// An edit of a patch.
#[derive(Debug)]
pub struct PatchEdit {
    /// `edit-id`.
    pub id: String,
    /// What it does.
    pub operation: Operation,
    /// Which resource, from the one that is patched on.
    pub target: String,
    /// Beside which entry.
    pub point: Option<String>,
    /// Where.
    pub place: Where,
    value: Option<Value>,
}

#[derive(Debug)]
enum Value {
    Json(Json),
    /// The octets of the element.
    Xml(Vec<u8>),
}

/// The leaves of an edit, before they are compared.
#[derive(Default)]
struct Leaves {
    id: Option<String>,
    operation: Option<String>,
    target: Option<String>,
    point: Option<String>,
    place: Option<String>,
    value: Option<Value>,
}

impl Patch {
    /// Reads a body.
    ///
    /// # Errors
    /// 400: it is not a patch.
    pub fn read(octets: &[u8], encoding: Encoding) -> Result<Patch, Refusal> {
        let (id, edits) = match encoding {
            Encoding::Json => of_json(Json::read(octets)?)?,
            Encoding::Xml => of_xml(&body::document(octets)?)?,
        };
        let id = id.ok_or_else(|| missing("patch-id", "yang-patch"))?;
        if edits.len() > MOST_EDITS {
            let message = format!("a patch has at most {MOST_EDITS} edits: send it in parts");
            return Err(RpcError::new(Layer::Protocol, Tag::TooBig, message).into());
        }
        let edits = edits.into_iter().map(Leaves::checked).collect::<Result<Vec<PatchEdit>, _>>()?;
        let mut ids: Vec<&str> = edits.iter().map(|edit| edit.id.as_str()).collect();
        ids.sort_unstable();
        if let Some(twice) = ids.windows(2).find(|two| two[0] == two[1]) {
            return Err(invalid("edit-id", &format!("two edits have the edit-id {}", shortened(twice[0]))));
        }
        Ok(Patch { id, edits })
    }
}

impl Leaves {
    fn checked(self) -> Result<PatchEdit, Refusal> {
        let Leaves { id, operation, target, point, place, value } = self;
        let id = id.ok_or_else(|| missing("edit-id", "edit"))?;
        let operation = operation.ok_or_else(|| missing("operation", "edit"))?;
        let target = target.ok_or_else(|| missing("target", "edit"))?;
        let operation = word("operation", &operation, &Operation::WORDS)?;
        let is_placed = matches!(operation, Operation::Insert | Operation::Move);
        if !is_placed && (point.is_some() || place.is_some()) {
            return Err(invalid("point", "point and where are for insert and move"));
        }
        let place = place.map_or(Ok(Where::default()), |place| word("where", &place, &Where::WORDS))?;
        if place.is_relative() != point.is_some() {
            return Err(invalid("point", "before and after need a point, and first and last have none"));
        }
        match (&value, operation.has_value()) {
            (None, true) => Err(missing("value", "edit")),
            (Some(_), false) => Err(invalid("value", "delete, remove and move have no value")),
            _ => Ok(PatchEdit { id, operation, target, point, place, value }),
        }
    }
}

impl PatchEdit {
    /// What must be there: what it is made in, or what is moved (RFC 8072 section 2.5).
    #[must_use]
    pub fn needed(&self, target: &Target) -> Target {
        if self.operation == Operation::Move { target.clone() } else { target.parent() }
    }

    /// The same as the content of an `edit-config`. `resource`: what is patched.
    ///
    /// # Errors
    /// 400: the value is not what the target names. 404: the model has no such node. 405: it is not configuration.
    pub fn edit(&self, resource: &Target, forest: &Forest) -> Result<Edit, Refusal> {
        let target = self.read(resource, &self.target, forest)?;
        if !target.is_configuration(forest) {
            return Err(Refusal::new(405, "this is state, which cannot be changed"));
        }
        if target.whole_list(forest).is_some() {
            return Err(Refusal::whole_list());
        }
        if target.node().is_some_and(|node| forest[node].place.is_key()) {
            return Err(Refusal::bad("a key is created and deleted with its entry: edit the entry instead"));
        }
        let document = self.document(&target, forest)?;
        let value = document.as_ref().map(Document::root);
        if let Some(value) = value {
            check(value)?;
        }
        let order = self.order(resource, &target, forest)?;
        match (target.steps.split_last(), value) {
            (None, Some(value)) => match self.operation {
                Operation::Merge => whole(crate::edit::Method::Merge, value, forest),
                Operation::Replace => whole(crate::edit::Method::Replace, value, forest),
                _ => Err(Refusal::bad("the datastore as a whole can be merged and replaced only")),
            },
            (None, None) => Err(Refusal::bad("the datastore as a whole can be merged and replaced only")),
            (Some((last, _)), value) => {
                let mut writer = Config::begin(&target.parent(), forest);
                match value {
                    Some(value) => {
                        named(last, value, forest)?;
                        writer.copy_in_order(value, self.operation.word(), &order);
                    }
                    None => writer.entry_in_order(last, self.operation.word(), &order),
                }
                Ok(writer.end(DefaultOperation::None, target.clone()))
            }
        }
    }

    /// Reads a resource that is named from the one that is patched on.
    fn read(&self, resource: &Target, offset: &str, forest: &Forest) -> Result<Target, Refusal> {
        if !offset.is_empty() && !offset.starts_with('/') {
            let message = format!("must begin with /, found {}", shortened(offset));
            return Err(invalid("target", &message));
        }
        let offset = if offset == "/" { "" } else { offset };
        Target::read(&format!("{}{offset}", uri(resource, forest)), forest)
    }

    fn document(&self, target: &Target, forest: &Forest) -> Result<Option<Document>, Refusal> {
        Ok(match &self.value {
            None => None,
            Some(Value::Xml(octets)) => Some(body::document(octets)?),
            Some(Value::Json(json)) => Some(body::of_json(json, target.parent().node(), forest)?),
        })
    }

    /// The attributes that say where an entry goes.
    fn order(&self, resource: &Target, target: &Target, forest: &Forest) -> Result<Attributes, Refusal> {
        if !matches!(self.operation, Operation::Insert | Operation::Move) {
            return Ok(Vec::new());
        }
        let point = self.point.as_ref().map(|point| self.read(resource, point, forest)).transpose()?;
        order::attributes(self.place, point.as_ref(), target, forest)
    }
}

fn of_json(json: Json) -> Result<(Option<String>, Vec<Leaves>), Refusal> {
    let expected = || Refusal::bad("the body must be {\"ietf-yang-patch:yang-patch\": {...}}");
    let Json::Object(members) = json else { return Err(expected()) };
    let Ok([(name, Json::Object(members))]) = <[_; 1]>::try_from(members) else { return Err(expected()) };
    if name != "ietf-yang-patch:yang-patch" {
        return Err(expected());
    }
    let (mut id, mut edits) = (None, Vec::new());
    for (name, value) in members {
        match (own(&name), value) {
            ("patch-id", Json::Text(text)) => id = Some(text),
            ("comment", Json::Text(_)) => {}
            ("edit", Json::Array(all)) => {
                edits = all.into_iter().map(edit_of_json).collect::<Result<_, _>>()?;
            }
            _ => return Err(unknown(&name, "yang-patch")),
        }
    }
    Ok((id, edits))
}

fn edit_of_json(json: Json) -> Result<Leaves, Refusal> {
    let Json::Object(members) = json else { return Err(Refusal::bad("an edit must be an object")) };
    let mut leaves = Leaves::default();
    for (name, value) in members {
        let own = own(&name);
        match value {
            value if own == "value" => leaves.value = Some(Value::Json(value)),
            Json::Text(text) => *leaves.place_of(own).ok_or_else(|| unknown(&name, "edit"))? = Some(text),
            _ => return Err(unknown(&name, "edit")),
        }
    }
    Ok(leaves)
}

/// A name with or without the module.
fn own(name: &str) -> &str {
    name.strip_prefix("ietf-yang-patch:").unwrap_or(name)
}

fn of_xml(document: &Document) -> Result<(Option<String>, Vec<Leaves>), Refusal> {
    let root = document.root();
    if !root.is(YANG_PATCH, "yang-patch") {
        return Err(Refusal::bad("the body must be the yang-patch of ietf-yang-patch"));
    }
    let (mut id, mut edits) = (None, Vec::new());
    for child in root.children() {
        match (child.namespace(), child.name()) {
            (YANG_PATCH, "patch-id") if id.is_none() => id = Some(child.value().to_owned()),
            (YANG_PATCH, "comment") => {}
            (YANG_PATCH, "edit") => edits.push(edit_of_xml(child)?),
            (_, name) => return Err(unknown(name, "yang-patch")),
        }
    }
    Ok((id, edits))
}

fn edit_of_xml(element: Element<'_>) -> Result<Leaves, Refusal> {
    let mut leaves = Leaves::default();
    for child in element.children() {
        let name = child.name();
        if child.is(YANG_PATCH, "value") {
            let mut inner = child.children();
            let (Some(value), None) = (inner.next(), inner.next()) else {
                return Err(invalid("value", "must hold one element, the target's"));
            };
            let mut octets = Vec::new();
            crate::edit::rewrite(value, &mut octets);
            leaves.value = Some(Value::Xml(octets));
            continue;
        }
        let place = (child.namespace() == YANG_PATCH).then(|| leaves.place_of(name)).flatten();
        let place = place.ok_or_else(|| unknown(name, "edit"))?;
        if place.replace(child.value().to_owned()).is_some() {
            return Err(invalid(name, "is given twice"));
        }
    }
    Ok(leaves)
}

impl Leaves {
    fn place_of(&mut self, name: &str) -> Option<&mut Option<String>> {
        Some(match name {
            "edit-id" => &mut self.id,
            "operation" => &mut self.operation,
            "target" => &mut self.target,
            "point" => &mut self.point,
            "where" => &mut self.place,
            _ => return None,
        })
    }
}

fn word<T: Copy>(name: &str, text: &str, words: &[(&'static str, T)]) -> Result<T, Refusal> {
    let found = words.iter().find(|(word, _)| *word == text).map(|(_, meant)| *meant);
    found.ok_or_else(|| {
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        invalid(name, &format!("must be one of {}, found {}", words.join(", "), shortened(text)))
    })
}

fn missing(name: &str, within: &str) -> Refusal {
    RpcError::missing_element(Layer::Protocol, name, within).into()
}

fn unknown(name: &str, within: &str) -> Refusal {
    let name = shortened(name);
    let error = RpcError::new(Layer::Protocol, Tag::UnknownElement, format!("{within} has no such {name}"));
    error.with(Info::BadElement(name)).into()
}

fn invalid(name: &str, words: &str) -> Refusal {
    let error = RpcError::new(Layer::Protocol, Tag::InvalidValue, format!("{name}: {words}"));
    error.with(Info::BadElement(name.to_owned())).into()
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests;
