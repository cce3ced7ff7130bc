//! Views: which objects, as rules for subtrees. Named ones are `[[view]]`; everywhere else a list of rules or the
//! name of a view is allowed.

use std::collections::BTreeSet;
use std::fmt;

use serde_spanned::Spanned;
use trunkline_tree::{Family, View};

use super::value::{self, Checked, check_beginning};
use crate::{Place, WrongConfig, raw};

/// A named view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewPlan {
    /// The name: 1 to 32 octets.
    pub name: String,
    /// Its rules.
    pub rules: Rules,
}

/// The view of a role or a community.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewRef {
    /// A view of the configuration, which is there.
    Named(String),
    /// Its own rules.
    Rules(Rules),
}

/// Rules for subtrees of objects, and for places in YANG's data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Those for subtrees.
    pub subtrees: View,
    /// Those for places.
    pub paths: Vec<PathRule>,
}

/// A rule for a place in YANG's data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathRule {
    /// The path as it is written, without the `-` in front.
    pub path: String,
    /// Whether it includes.
    pub included: bool,
    /// The subtrees of objects that it stands for; none before [`Plan::set_subtrees`](crate::Plan::set_subtrees), and where nothing is
    /// there at present.
    pub families: Vec<Family>,
    /// Where it is in the file.
    at: WrongConfig,
}

impl PathRule {
    /// What is wrong with it.
    pub fn wrong(&self, message: impl fmt::Display) -> WrongConfig {
        WrongConfig { message: format!("{:?}: {message}", self.path), ..self.at.clone() }
    }
}

impl Rules {
    /// The view that they are.
    pub fn view(&self) -> View {
        let mut view = View::NOTHING;
        let mut paths: Vec<&PathRule> = self.paths.iter().collect();
        paths.sort_by_key(|rule| precedence(&rule.path, rule.included));
        paths.iter().flat_map(|rule| &rule.families).cloned().for_each(|family| view.insert(family));
        // What is written as a subtree is meant so.
        self.subtrees.families().iter().cloned().for_each(|family| view.insert(family));
        view
    }
}

/// Of rules that stand for the same subtree that of the longest path decides, and of these one that excludes: what sorts behind.
pub fn precedence(path: &str, included: bool) -> (usize, bool) {
    let mut quote = None;
    let steps = path.chars().filter(|&character| match quote {
        None => {
            quote = matches!(character, '\'' | '"').then_some(character);
            character == '/'
        }
        Some(end) => {
            quote = quote.filter(|_| character != end);
            false
        }
    });
    (steps.count(), !included)
}

impl Rules {
    /// The subtrees, if there are no paths.
    fn without_paths(self) -> Checked<View> {
        match self.paths.first() {
            None => Ok(self.subtrees),
            Some(path) => {
                Err(path.wrong("expected a subtree of objects here; paths are for roles and views of roles"))
            }
        }
    }
}

impl From<View> for Rules {
    fn from(subtrees: View) -> Self {
        Rules { subtrees, paths: Vec::new() }
    }
}

impl ViewRef {
    /// Its own rules for places.
    pub(crate) fn paths(&self) -> &[PathRule] {
        match self {
            ViewRef::Rules(rules) => &rules.paths,
            ViewRef::Named(_) => &[],
        }
    }

    /// The view itself, of subtrees alone.
    pub(super) fn subtrees(&self, views: &[ViewPlan]) -> Checked<View> {
        let named = |name: &str| views.iter().find(|known| known.name == name).map(|known| &known.rules);
        match self {
            ViewRef::Rules(rules) => rules.clone().without_paths(),
            ViewRef::Named(name) => {
                named(name).map_or(Ok(View::NOTHING), |rules| rules.clone().without_paths())
            }
        }
    }
}

pub(super) fn check_views(list: Vec<raw::View>, place: Place<'_>) -> Checked<Vec<ViewPlan>> {
    let mut seen = BTreeSet::new();
    let view = |raw: raw::View| {
        let name = value::name(&raw.name, 32, &mut seen, place)?;
        Ok(ViewPlan { name, rules: check_rules(raw.rules, place)? })
    };
    value::all(list.into_iter().map(view))
}

/// A list of rules without duplicates, since one of them would have no effect.
pub(super) fn check_rules(list: Vec<Spanned<String>>, place: Place<'_>) -> Checked<Rules> {
    let mut rules = Rules::default();
    for text in list {
        let (path, included) = match text.get_ref().strip_prefix('-') {
            Some(path) => (path, false),
            None => (text.get_ref().as_str(), true),
        };
        if path.starts_with('/') {
            if rules.paths.iter().any(|known| known.path == path) {
                let message = format!("{path:?} is there twice; expected one of them");
                return Err(place.wrong(text.span(), message));
            }
            let at = place.wrong(text.span(), String::new());
            let path = path.to_owned();
            rules.paths.push(PathRule { path, included, families: Vec::new(), at });
            continue;
        }
        let view = &mut rules.subtrees;
        let rule: Family = text.get_ref().parse().map_err(|error| {
            let message = format!(
                "{:?} is not a subtree: {error} (a leading '-' excludes, '*' stands for any number; a path of YANG begins with '/')",
                text.get_ref()
            );
            place.wrong(text.span(), message)
        })?;
        check_beginning(&rule.subtree).map_err(|message| place.wrong(text.span(), message))?;
        if let Some(known) = view.families().iter().find(|known| known.subtree == rule.subtree) {
            let message = format!("{rule} is the same subtree as {known}; expected one of them");
            return Err(place.wrong(text.span(), message));
        }
        view.insert(rule);
    }
    Ok(rules)
}

/// The same of subtrees alone.
pub(super) fn check_subtrees(list: Vec<Spanned<String>>, place: Place<'_>) -> Checked<View> {
    check_rules(list, place)?.without_paths()
}

/// Rules, or the name of one of `views`.
pub(super) fn check_ref(raw: Spanned<raw::Rules>, views: &[ViewPlan], place: Place<'_>) -> Checked<ViewRef> {
    let span = raw.span();
    match raw.into_inner() {
        raw::Rules::List(list) => Ok(ViewRef::Rules(check_rules(list, place)?)),
        raw::Rules::Name(name) if views.iter().any(|view| view.name == name) => Ok(ViewRef::Named(name)),
        raw::Rules::Name(name) => {
            let known: Vec<&str> = views.iter().map(|view| view.name.as_str()).collect();
            let known = match known.is_empty() {
                true => "a list of subtrees, or a [[view]] of that name".to_string(),
                false => format!("a list of subtrees or one of {}", known.join(", ")),
            };
            Err(place.wrong(span, format!("there is no view {name:?}, expected {known}")))
        }
    }
}
