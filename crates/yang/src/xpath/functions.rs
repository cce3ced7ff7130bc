//! The functions of XPath (section 4), and of YANG `current`, `derived-from` and `derived-from-or-self` (RFC 7950 sections 10.1.1 and 10.4).

use super::evaluate::{Context, EvaluationError, Evaluator, XNode, as_boolean};
use super::value::{Value, number_of_text};
use super::{Expr, Name};
use crate::identity::Identity;

type Outcome<T> = Result<T, EvaluationError>;

impl Evaluator<'_> {
    pub(super) fn call(&mut self, name: &Name, arguments: &[Expr], context: Context) -> Outcome<Value> {
        if name.prefix.is_some() {
            return Err(EvaluationError::Function(name.to_string()));
        }
        let here = Value::Nodes(vec![context.node]);
        Ok(match (name.local.as_str(), arguments) {
            ("last", []) => Value::Number(context.size as f64),
            ("position", []) => Value::Number(context.position as f64),
            ("current", []) => Value::Nodes(vec![self.current]),
            ("count", [of]) => Value::Number(self.nodes(of, context)?.len() as f64),
            // No data has attributes of the type ID.
            ("id", [of]) => {
                self.value(of, context)?;
                Value::Nodes(Vec::new())
            }
            ("local-name", []) => Value::Text(self.local_name(Some(context.node))),
            ("local-name", [of]) => {
                let first = self.nodes(of, context)?.first().copied();
                Value::Text(self.local_name(first))
            }
            ("namespace-uri", []) => Value::Text(self.namespace(Some(context.node))),
            ("namespace-uri", [of]) => {
                let first = self.nodes(of, context)?.first().copied();
                Value::Text(self.namespace(first))
            }
            ("name", []) => Value::Text(self.local_name(Some(context.node))),
            ("name", [of]) => {
                let first = self.nodes(of, context)?.first().copied();
                Value::Text(self.local_name(first))
            }
            ("string", []) => Value::Text(self.as_text(&here)?),
            ("string", [of]) => Value::Text(self.text(of, context)?),
            ("concat", [_, _, ..]) => {
                let parts = arguments.iter().map(|of| self.text(of, context)).collect::<Outcome<Vec<_>>>()?;
                Value::Text(parts.concat())
            }
            ("starts-with", [of, start]) => {
                let (of, start) = (self.text(of, context)?, self.text(start, context)?);
                Value::Boolean(of.starts_with(&start))
            }
            ("contains", [of, part]) => {
                let (of, part) = (self.text(of, context)?, self.text(part, context)?);
                Value::Boolean(of.contains(&part))
            }
            ("derived-from", [of, from]) => Value::Boolean(self.is_derived(of, from, false, context)?),
            ("derived-from-or-self", [of, from]) => Value::Boolean(self.is_derived(of, from, true, context)?),
            _ => return self.call_of_text(name, arguments, context),
        })
    }

    /// Whether the value of any node is an identity that is derived from one of this name, or is that one. A name without a prefix counts
    /// in every namespace, as names of nodes do.
    fn is_derived(&mut self, of: &Expr, from: &Expr, or_self: bool, context: Context) -> Outcome<bool> {
        let (nodes, from) = (self.nodes(of, context)?, self.text(from, context)?);
        self.work(nodes.len())?;
        let namespaces = self.namespaces;
        let (namespace, name) = match from.split_once(':') {
            Some((prefix, name)) => match namespaces.resolve(prefix) {
                Some(namespace) => (Some(namespace), name),
                None => return Err(EvaluationError::Prefix(prefix.to_owned())),
            },
            None => (None, &*from),
        };
        let from = Identity { namespace, name };
        Ok(nodes.iter().any(|node| {
            let leaf = self.instances.node(node.instance);
            let value = self.instances.value(node.instance);
            let identity = leaf.and_then(|leaf| self.forest.identity(leaf, value));
            identity.is_some_and(|identity| self.forest.is_derived(identity, from, or_self))
        }))
    }

    /// The functions of strings, booleans and numbers.
    fn call_of_text(&mut self, name: &Name, arguments: &[Expr], context: Context) -> Outcome<Value> {
        let here = Value::Nodes(vec![context.node]);
        Ok(match (name.local.as_str(), arguments) {
            ("substring-before", [of, part]) => {
                let (of, part) = (self.text(of, context)?, self.text(part, context)?);
                Value::Text(of.split_once(&part).map(|(before, _)| before.to_owned()).unwrap_or_default())
            }
            ("substring-after", [of, part]) => {
                let (of, part) = (self.text(of, context)?, self.text(part, context)?);
                Value::Text(of.split_once(&part).map(|(_, after)| after.to_owned()).unwrap_or_default())
            }
            ("substring", [of, from]) => {
                let (of, from) = (self.text(of, context)?, self.number(from, context)?);
                Value::Text(substring(&of, from, f64::INFINITY))
            }
            ("substring", [of, from, length]) => {
                let of = self.text(of, context)?;
                let (from, length) = (self.number(from, context)?, self.number(length, context)?);
                Value::Text(substring(&of, from, length))
            }
            ("string-length", []) => Value::Number(self.as_text(&here)?.chars().count() as f64),
            ("string-length", [of]) => Value::Number(self.text(of, context)?.chars().count() as f64),
            ("normalize-space", []) => Value::Text(normalized(&self.as_text(&here)?)),
            ("normalize-space", [of]) => Value::Text(normalized(&self.text(of, context)?)),
            ("translate", [of, from, to]) => {
                let of = self.text(of, context)?;
                let (from, to) = (self.text(from, context)?, self.text(to, context)?);
                // Each character is looked for.
                self.work(of.len().saturating_mul(from.len()) / 16)?;
                Value::Text(translated(&of, &from, &to))
            }
            ("boolean", [of]) => Value::Boolean(self.boolean(of, context)?),
            ("not", [of]) => Value::Boolean(!as_boolean(&self.value(of, context)?)),
            ("true", []) => Value::Boolean(true),
            ("false", []) => Value::Boolean(false),
            // No data has the attribute xml:lang.
            ("lang", [of]) => {
                self.text(of, context)?;
                Value::Boolean(false)
            }
            ("number", []) => Value::Number(number_of_text(&self.as_text(&here)?)),
            ("number", [of]) => Value::Number(self.number(of, context)?),
            ("sum", [of]) => {
                let mut sum = 0.0;
                for node in self.nodes(of, context)? {
                    sum += number_of_text(&self.string_value(node)?);
                }
                Value::Number(sum)
            }
            ("floor", [of]) => Value::Number(self.number(of, context)?.floor()),
            ("ceiling", [of]) => Value::Number(self.number(of, context)?.ceil()),
            ("round", [of]) => Value::Number(rounded(self.number(of, context)?)),
            (known, _) if KNOWN.contains(&known) => return Err(EvaluationError::Arguments(name.to_string())),
            _ => return Err(EvaluationError::Function(name.to_string())),
        })
    }

    fn local_name(&self, node: Option<XNode>) -> String {
        let node = node.filter(|node| !node.is_text).and_then(|node| self.instances.node(node.instance));
        node.map(|id| self.forest[id].name.clone()).unwrap_or_default()
    }

    fn namespace(&self, node: Option<XNode>) -> String {
        let node = node.filter(|node| !node.is_text).and_then(|node| self.instances.node(node.instance));
        node.map(|id| self.forest.module(id).namespace.clone()).unwrap_or_default()
    }
}

/// Whether there is a function of this name.
pub(super) fn is_known(name: &Name) -> bool {
    name.prefix.is_none() && KNOWN.contains(&&*name.local)
}

const KNOWN: [&str; 30] = [
    "last",
    "position",
    "current",
    "count",
    "id",
    "local-name",
    "namespace-uri",
    "name",
    "string",
    "concat",
    "starts-with",
    "contains",
    "derived-from",
    "derived-from-or-self",
    "substring-before",
    "substring-after",
    "substring",
    "string-length",
    "normalize-space",
    "translate",
    "boolean",
    "not",
    "true",
    "false",
    "lang",
    "number",
    "sum",
    "floor",
    "ceiling",
    "round",
];

/// Characters are counted from 1; those are kept whose position is at least the rounded start and less than that plus
/// the rounded length (section 4.2).
fn substring(text: &str, from: f64, length: f64) -> String {
    let (from, length) = (rounded(from), rounded(length));
    let end = from + length;
    let is_within = |at: usize| {
        let at = (at + 1) as f64;
        at >= from && at < end
    };
    text.chars().enumerate().filter(|(at, _)| is_within(*at)).map(|(_, character)| character).collect()
}

/// To the nearest integer; of two the greater (section 4.4).
fn rounded(number: f64) -> f64 {
    if number.is_finite() { (number + 0.5).floor() } else { number }
}

fn normalized(text: &str) -> String {
    text.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn translated(text: &str, from: &str, to: &str) -> String {
    let to: Vec<char> = to.chars().collect();
    text.chars()
        .filter_map(|character| match from.chars().position(|it| it == character) {
            Some(at) => to.get(at).copied(),
            None => Some(character),
        })
        .collect()
}
