//! Words of SNMP's security: levels, models, contexts.

use serde_spanned::Spanned;
use trunkline_tree::policy::{ContextMatch, SecurityLevel, SecurityModel};

use super::value::Checked;
use crate::Place;

/// A word of the configuration and its meaning.
type Words<T> = [(&'static str, T)];

const LEVELS: &Words<SecurityLevel> = &[
    ("noAuthNoPriv", SecurityLevel::NoAuthNoPriv),
    ("authNoPriv", SecurityLevel::AuthNoPriv),
    ("authPriv", SecurityLevel::AuthPriv),
];

const MODELS: &Words<SecurityModel> = &[
    ("any", SecurityModel::ANY),
    ("v1", SecurityModel::V1),
    ("v2c", SecurityModel::V2C),
    ("usm", SecurityModel::USM),
    ("tsm", SecurityModel::TSM),
];

pub(super) fn check_level(value: &Spanned<String>, place: Place<'_>) -> Checked<SecurityLevel> {
    word("level", LEVELS, value, place)
}

pub(super) fn check_model(value: &Spanned<String>, place: Place<'_>) -> Checked<SecurityModel> {
    word("model", MODELS, value, place)
}

/// A context's name; the tables of RFC 3415 have at most 32 octets for it.
pub(super) fn check_context(value: Option<Spanned<String>>, place: Place<'_>) -> Checked<String> {
    match value {
        Some(value) if value.get_ref().trim_end_matches('*').len() > 32 => {
            let message = format!("a context of {} octets, expected at most 32", value.get_ref().len());
            Err(place.wrong(value.span(), message))
        }
        value => Ok(value.map(Spanned::into_inner).unwrap_or_default()),
    }
}

/// The contexts that an access rule is for: `""`, `"lab"` (exact) or `"lab*"` (prefix).
pub(super) fn check_contexts(
    value: Option<Spanned<String>>,
    place: Place<'_>,
) -> Checked<(String, ContextMatch)> {
    let text = check_context(value, place)?;
    Ok(match text.strip_suffix('*') {
        Some(beginning) => (beginning.to_string(), ContextMatch::Prefix),
        None => (text, ContextMatch::Exact),
    })
}

/// One of several words, case-insensitively.
pub(super) fn word<T: Copy>(
    what: &str,
    words: &Words<T>,
    value: &Spanned<String>,
    place: Place<'_>,
) -> Checked<T> {
    let found = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(value.get_ref()));
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let known: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
        let message = format!("unknown {what} {:?}, expected {}", value.get_ref(), or(&known));
        place.wrong(value.span(), message)
    })
}

/// `a, b or c`.
fn or(words: &[String]) -> String {
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}
