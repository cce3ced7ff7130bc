//! Views: which objects, as rules for subtrees. Named ones are `[[view]]`; everywhere else a list of rules or the
//! name of a view is allowed.

use std::collections::BTreeSet;

use serde_spanned::Spanned;
use trunkline_tree::{Family, View};

use super::value::{self, Checked, check_beginning};
use crate::{Place, raw};

/// A named view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewPlan {
    /// The name: 1 to 32 octets.
    pub name: String,
    /// Its rules.
    pub view: View,
}

/// The view of a role or a community.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewRef {
    /// A view of the configuration, which is there.
    Named(String),
    /// Its own rules.
    Rules(View),
}

impl ViewRef {
    /// The view itself.
    pub fn view(&self, views: &[ViewPlan]) -> View {
        match self {
            ViewRef::Rules(view) => view.clone(),
            ViewRef::Named(name) => views
                .iter()
                .find(|known| known.name == *name)
                .map_or(View::NOTHING, |known| known.view.clone()),
        }
    }
}

pub(super) fn check_views(list: Vec<raw::View>, place: Place<'_>) -> Checked<Vec<ViewPlan>> {
    let mut seen = BTreeSet::new();
    let view = |raw: raw::View| {
        let name = value::name(&raw.name, 32, &mut seen, place)?;
        Ok(ViewPlan { name, view: check_rules(raw.rules, place)? })
    };
    value::all(list.into_iter().map(view))
}

/// A list of rules without duplicates, since one of them would have no effect.
pub(super) fn check_rules(list: Vec<Spanned<String>>, place: Place<'_>) -> Checked<View> {
    let mut view = View::NOTHING;
    for text in list {
        let rule: Family = text.get_ref().parse().map_err(|error| {
            let message = format!(
                "{:?} is not a subtree: {error} (a leading '-' excludes, '*' stands for any number)",
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
    Ok(view)
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
