//! Edits of a configuration (RFC 6241 section 7.2, RFC 7950 sections 7.5.8, 7.6.7, 7.7.9 and 7.8.6).

use std::collections::HashSet;
use std::sync::Arc;

use trunkline_netconf::data::DEFAULT;
use trunkline_netconf::document::{Attribute, Element};
use trunkline_netconf::error::{Info, Layer, RpcError, Tag};
use trunkline_netconf::operation::{DefaultOperation, ErrorOption};
use trunkline_netconf::{BASE, YANG};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::{PAPER, Setting, configured_in};

use crate::config::{Branch, Config, Item, Step};
use crate::order::{Position, missing};
use crate::path::path;

/// Edits a configuration with the children of an element. Unless `option` is to continue, nothing is changed if anything is wrong, which is
/// more than the standard requires of `stop-on-error`.
///
/// # Errors
/// What is wrong; with `continue-on-error` everything else is done.
pub fn edit(
    config: &mut Config,
    forest: &Forest,
    content: Element<'_>,
    default: DefaultOperation,
    option: ErrorOption,
) -> Result<(), Vec<RpcError>> {
    let mut edited = config.clone();
    let operation = match default {
        DefaultOperation::Merge => Operation::Merge,
        DefaultOperation::Replace => {
            edited = Config::default();
            Operation::Replace
        }
        DefaultOperation::None => Operation::None,
    };
    let mut work =
        Work { forest, goes_on: option == ErrorOption::ContinueOnError, steps: vec![], errors: vec![] };
    // RFC 6241 section 7.2: operations are of what is in `config`.
    let is_ours = |it: &&Attribute| [BASE, YANG].contains(&&*it.namespace) || &*it.name == "operation";
    if let Some(Attribute { name, .. }) = content.attributes().iter().find(is_ours) {
        let message = format!("{} cannot have the attribute {name}: what is in it can", content.name());
        return Err(vec![wrong_attribute(Tag::UnknownAttribute, message, name, content)]);
    }
    let done = match content.value() {
        text if !text.is_empty() => {
            let error = work.stray(content, text);
            work.wrong(error)
        }
        _ => work.within(edited.root_mut(), None, content, operation),
    };
    if done.is_ok() && !edited.has_at_most(MOST_INSTANCES) {
        let message = format!("a configuration has at most {MOST_INSTANCES} leaves, entries and containers");
        return Err(vec![RpcError::new(Layer::Application, Tag::ResourceDenied, message)]);
    }
    if done.is_ok() || work.goes_on {
        *config = edited;
    }
    if work.errors.is_empty() { Ok(()) } else { Err(work.errors) }
}

/// A whole configuration: the children of an element.
///
/// # Errors
/// What is wrong.
pub fn read(forest: &Forest, content: Element<'_>) -> Result<Config, Vec<RpcError>> {
    let mut config = Config::default();
    edit(&mut config, forest, content, DefaultOperation::Merge, ErrorOption::RollbackOnError)?;
    Ok(config)
}

/// What an edit does with a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Merge,
    Replace,
    Create,
    Delete,
    Remove,
    None,
}

impl Operation {
    const WORDS: [(&'static str, Operation); 5] = [
        ("merge", Self::Merge),
        ("replace", Self::Replace),
        ("create", Self::Create),
        ("delete", Self::Delete),
        ("remove", Self::Remove),
    ];

    /// Whether something is there afterwards.
    const fn gives(self) -> bool {
        matches!(self, Self::Merge | Self::Replace | Self::Create)
    }
}

/// Ends the work; the reason is among its errors.
struct Stopped;

struct Work<'f> {
    forest: &'f Forest,
    goes_on: bool,
    /// Where it is.
    steps: Vec<Step>,
    errors: Vec<RpcError>,
}

impl Work<'_> {
    /// Keeps an error; whether the work goes on.
    fn wrong(&mut self, error: RpcError) -> Result<(), Stopped> {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(error);
        }
        if self.goes_on { Ok(()) } else { Err(Stopped) }
    }

    /// An error about the instance where the work is.
    fn here(&self, tag: Tag, message: String) -> RpcError {
        RpcError::new(Layer::Application, tag, message).at(path(self.forest, &self.steps))
    }

    /// Text where only elements may be.
    fn stray(&self, element: Element<'_>, text: &str) -> RpcError {
        let text: String = text.chars().take(40).collect();
        let message = match element.has_children() {
            true => format!("{} has elements and no text, found \"{text}\"", element.name()),
            false => format!("{} has elements and no value, found \"{text}\"", element.name()),
        };
        let error = match self.steps.is_empty() {
            true => RpcError::new(Layer::Application, Tag::BadElement, message),
            false => self.here(Tag::BadElement, message),
        };
        error.with(Info::BadElement(element.name().into()))
    }

    /// Does what an element's children say.
    fn within(
        &mut self,
        branch: &mut Branch,
        parent: Option<NodeId>,
        element: Element<'_>,
        inherited: Operation,
    ) -> Result<(), Stopped> {
        let mut seen = HashSet::new();
        let mut chosen = None;
        for child in element.children() {
            let one = match self.target(parent, child, inherited) {
                Ok(Some(target)) => target,
                Ok(None) => continue,
                Err(error) => {
                    self.wrong(error)?;
                    continue;
                }
            };
            let is_first = seen.insert((one.step.clone(), child.name()));
            let node = one.step.node;
            let case = self.forest[node].place.case();
            let is_other =
                one.operation.gives() && case != 0 && chosen.replace(case).is_some_and(|it| it != case);
            self.steps.push(one.step.clone());
            let done = match (is_first, is_other) {
                (true, false) => self.node(branch, one, child),
                (is_first, _) => {
                    let message = match is_first {
                        // RFC 7950 section 8.3.1.
                        true => format!(
                            "{} is one of several that exclude each other, and another is given",
                            child.name()
                        ),
                        false => format!("{} is given twice", child.name()),
                    };
                    let error = self.here(Tag::BadElement, message);
                    self.wrong(error.with(Info::BadElement(self.forest[node].name.clone())))
                }
            };
            self.steps.pop();
            done?;
        }
        Ok(())
    }

    /// Which instance a child of an edit is about; `None`: a key, which its entry has already.
    fn target(
        &self,
        parent: Option<NodeId>,
        element: Element<'_>,
        inherited: Operation,
    ) -> Result<Option<Target>, RpcError> {
        let forest = self.forest;
        let Some(node) = forest.child_in(parent, element.namespace(), element.name()) else {
            return Err(self.unknown(element));
        };
        if !forest[node].place.is_configuration() {
            let message = match configured_elsewhere(element) {
                Some(place) => format!(
                    "{} is state, which cannot be configured; the same is configured in {place}",
                    element.name()
                ),
                None => format!("{} is state, which cannot be configured", element.name()),
            };
            let error = RpcError::new(Layer::Application, Tag::BadElement, message);
            return Err(error.with(Info::BadElement(element.name().into())));
        }
        let named = operation_of(element)?;
        if forest[node].place.is_key() {
            let message = format!("{} is a key: create or delete the whole entry", element.name());
            return if named.is_none() {
                Ok(None)
            } else {
                Err(RpcError::new(Layer::Application, Tag::BadAttribute, message)
                    .with(Info::BadAttribute("operation".into()))
                    .with(Info::BadElement(element.name().into())))
            };
        }
        // Of a list, its keys are its first children; of a leaf-list, its value is what a key is.
        let keys = match forest[node].place.is_leaf_list() {
            true => [self.key_value(node, element)?].into(),
            false => {
                let keys = forest[node].children.iter().take_while(|child| forest[**child].place.is_key());
                keys.map(|key| self.key(*key, element)).collect::<Result<Arc<[_]>, _>>()?
            }
        };
        let (position, operation) = (Position::of(forest, node, element)?, named.unwrap_or(inherited));
        if position != Position::Kept
            && matches!(operation, Operation::Delete | Operation::Remove | Operation::None)
        {
            let message = "insert is for entries that are created, merged or replaced".to_owned();
            return Err(wrong_attribute(Tag::BadAttribute, message, "insert", element));
        }
        Ok(Some(Target { step: Step { node, keys }, operation, position }))
    }

    fn unknown(&self, element: Element<'_>) -> RpcError {
        if self.forest.modules().iter().any(|it| it.namespace == element.namespace()) {
            return RpcError::unknown_element(Layer::Application, element);
        }
        let message =
            format!("no module here has the namespace \"{}\" of {}", element.namespace(), element.name());
        RpcError::new(Layer::Application, Tag::UnknownNamespace, message)
            .with(Info::BadElement(element.name().into()))
            .with(Info::BadNamespace(element.namespace().into()))
    }

    /// The value of a key of an entry.
    fn key(&self, key: NodeId, entry: Element<'_>) -> Result<Box<str>, RpcError> {
        let name = &self.forest[key].name;
        let mut given = entry.children().filter(|it| it.is(&self.forest.module(key).namespace, name));
        let element =
            given.next().ok_or_else(|| RpcError::missing_element(Layer::Application, name, entry.name()))?;
        if let Some(second) = given.next() {
            return Err(RpcError::given_twice(Layer::Application, second));
        }
        self.key_value(key, element)
    }

    fn key_value(&self, key: NodeId, element: Element<'_>) -> Result<Box<str>, RpcError> {
        let name = &self.forest[key].name;
        let setting = self.forest[key].place.setting();
        let value = setting.ok_or_else(|| "must not be given".to_owned()).and_then(|it| value(it, element));
        value.map(String::into_boxed_str).map_err(|reason| {
            let message = format!("{name} {reason}");
            RpcError::new(Layer::Application, Tag::InvalidValue, message).with(Info::BadElement(name.clone()))
        })
    }

    fn node(&mut self, branch: &mut Branch, target: Target, element: Element<'_>) -> Result<(), Stopped> {
        let Target { step, operation, position } = target;
        let exists = branch.get(&step).is_some();
        if position
            .anchor()
            .is_some_and(|keys| branch.get(&Step { node: step.node, keys: keys.clone() }).is_none())
        {
            let error = missing(self.forest, step.node, element).at(path(self.forest, &self.steps));
            return self.wrong(error);
        }
        let place = step.clone();
        let done = match operation {
            // Whether it is there is not told.
            Operation::Delete | Operation::Remove if self.forest[step.node].place.is_secret() => {
                let message =
                    format!("{} is secret: give another value, or delete what it is in", element.name());
                let error = self.here(Tag::OperationNotSupported, message);
                self.wrong(error)
            }
            Operation::Delete if !exists => {
                let error = self.here(Tag::DataMissing, format!("there is no {} to delete", element.name()));
                self.wrong(error)
            }
            Operation::Delete | Operation::Remove => {
                branch.remove(&step);
                Ok(())
            }
            Operation::Create if exists => {
                let error = self.here(Tag::DataExists, format!("{} exists", element.name()));
                self.wrong(error)
            }
            Operation::None if !exists && !is_plain_container(self.forest, step.node) => {
                let error = self.here(Tag::DataMissing, format!("there is no {}", element.name()));
                self.wrong(error)
            }
            _ => match self.forest[step.node].place.setting() {
                Some(_) if operation == Operation::None => Ok(()),
                Some(setting) if is_marked_default(element) => self.default(branch, &step, setting, element),
                Some(setting) => self.leaf(branch, step, setting, element),
                None => self.branch(branch, step, operation, element),
            },
        };
        // What stopped the work is not there, or is thrown away.
        if self.forest[place.node].place.is_ordered() && branch.get(&place).is_some() {
            branch.place(&place, &position);
        }
        done
    }

    fn leaf(
        &mut self,
        branch: &mut Branch,
        step: Step,
        setting: &Setting,
        element: Element<'_>,
    ) -> Result<(), Stopped> {
        match value(setting, element) {
            Ok(value) => {
                self.choose(branch, step.node);
                branch.insert(step, Item::Leaf(value.into()));
                Ok(())
            }
            Err(reason) => {
                let error = self.here(Tag::InvalidValue, format!("{} {reason}", element.name()));
                self.wrong(error.with(Info::BadElement(element.name().into())))
            }
        }
    }

    /// A leaf that is marked as a default: nobody has set it (RFC 6243 section 4.5.2).
    fn default(
        &mut self,
        branch: &mut Branch,
        step: &Step,
        setting: &Setting,
        element: Element<'_>,
    ) -> Result<(), Stopped> {
        if setting.default.is_some() && value(setting, element).ok().as_deref() == setting.default {
            branch.remove(step);
            return Ok(());
        }
        let message = match setting.default {
            Some(default) => format!("{} is marked as a default, which is {default}", element.name()),
            None => format!("{} is marked as a default, and has none", element.name()),
        };
        let error = self.here(Tag::InvalidValue, message).with(Info::BadElement(element.name().into()));
        self.wrong(error)
    }

    /// Takes away what belongs to other cases of a node's choice (RFC 7950 section 7.9).
    fn choose(&self, branch: &mut Branch, node: NodeId) {
        let case = self.forest[node].place.case();
        if case == 0 {
            return;
        }
        for sibling in self.forest.children(self.forest[node].parent) {
            if ![0, case].contains(&self.forest[*sibling].place.case()) {
                branch.remove(&Step::to(*sibling));
            }
        }
    }

    /// A container, or an entry of a list.
    fn branch(
        &mut self,
        branch: &mut Branch,
        step: Step,
        operation: Operation,
        element: Element<'_>,
    ) -> Result<(), Stopped> {
        if let Some(text) = Some(element.value()).filter(|it| !it.is_empty()) {
            let error = self.stray(element, text);
            return self.wrong(error);
        }
        let node = step.node;
        let old = branch.within(&step).filter(|_| operation != Operation::Replace);
        let mut new = old.cloned().unwrap_or_default();
        for (key, value) in self.forest[node].children.iter().zip(step.keys.iter()) {
            new.insert(Step::to(*key), Item::Leaf((&**value).into()));
        }
        self.within(&mut new, Some(node), element, operation)?;
        // Who cannot read a secret says that there is one by what it is in.
        let is_shell = forest_has_secret(self.forest, node);
        if new.is_empty() && is_plain_container(self.forest, node) && !is_shell {
            branch.remove(&step);
        } else {
            self.choose(branch, node);
            branch.insert(step, Item::Within(Arc::new(new)));
        }
        Ok(())
    }
}

/// What a child of an edit is about.
struct Target {
    step: Step,
    operation: Operation,
    position: Position,
}

/// Whether a node has a secret in it.
fn forest_has_secret(forest: &Forest, node: NodeId) -> bool {
    forest[node].children.iter().any(|child| forest[*child].place.is_secret())
}

/// A container that is there because of what is in it.
fn is_plain_container(forest: &Forest, node: NodeId) -> bool {
    forest[node].place.is_plain_container()
}

/// Whether an element has the attribute of RFC 6243 section 6.
fn is_marked_default(element: Element<'_>) -> bool {
    matches!(element.attribute(DEFAULT.1, "default"), Some("true" | "1"))
}

fn value(setting: &Setting, element: Element<'_>) -> Result<String, String> {
    if let Some(child) = element.children().next() {
        return Err(format!("cannot contain {}", child.name()));
    }
    setting.value.canonical(element.text(), |prefix| element.resolve(prefix))
}

/// The operation that an element names.
fn operation_of(element: Element<'_>) -> Result<Option<Operation>, RpcError> {
    check_default(element)?;
    let mut found = None;
    for attribute in element.attributes() {
        let known = Operation::WORDS.iter().find(|(word, _)| **word == *attribute.value);
        match (&*attribute.namespace, &*attribute.name, known) {
            (BASE, "operation", Some((_, operation))) => found = Some(*operation),
            (BASE, "operation", None) => {
                let message = format!(
                    "operation must be merge, replace, create, delete or remove, found \"{}\"",
                    attribute.value.chars().take(40).collect::<String>()
                );
                return Err(wrong_attribute(Tag::BadAttribute, message, "operation", element));
            }
            // The order that users choose is read with the instance.
            (YANG, "insert" | "key" | "value", _) => {}
            (YANG, name, _) => {
                let message = format!("{} cannot have the attribute {name}", element.name());
                return Err(wrong_attribute(Tag::UnknownAttribute, message, name, element));
            }
            (BASE, name, _) => {
                let message =
                    format!("{} cannot have the attribute {name}: there is operation", element.name());
                return Err(wrong_attribute(Tag::UnknownAttribute, message, name, element));
            }
            ("", name @ "operation", _) => {
                let message = format!("the attribute operation must be in the namespace {BASE}");
                return Err(wrong_attribute(Tag::UnknownAttribute, message, name, element));
            }
            _ => {}
        }
    }
    Ok(found)
}

/// The attribute of RFC 6243 section 6 is a boolean.
fn check_default(element: Element<'_>) -> Result<(), RpcError> {
    match element.attribute(DEFAULT.1, "default") {
        None | Some("true" | "false" | "1" | "0") => Ok(()),
        Some(_) => {
            let message = "default must be true or false".to_owned();
            Err(wrong_attribute(Tag::BadAttribute, message, "default", element))
        }
    }
}

fn wrong_attribute(tag: Tag, message: String, name: &str, element: Element<'_>) -> RpcError {
    RpcError::new(Layer::Application, tag, message)
        .with(Info::BadAttribute(name.to_owned()))
        .with(Info::BadElement(element.name().to_owned()))
}

/// Where that is configured which an edit of the paper's document is about, by the first element on each level (decision 0072).
fn configured_elsewhere(netconf: Element<'_>) -> Option<&'static str> {
    if !netconf.is(PAPER.namespace, "netconf") {
        return None;
    }
    let levels = std::iter::successors(netconf.children().next(), |it| it.children().next());
    configured_in(&levels.map(Element::name).collect::<Vec<_>>())
}

/// Errors that one reply has.
pub(crate) const MOST_ERRORS: usize = 100;
/// Leaves, entries and containers of a configuration: some 50 MB.
const MOST_INSTANCES: usize = 100_000;

#[cfg(test)]
mod tests;
