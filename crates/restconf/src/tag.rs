//! Entity tags of configuration, and conditions on them (RFC 8040 section 3.4.1, RFC 9110 section 13).

use std::hash::{DefaultHasher, Hash, Hasher};

use trunkline_datastore::{Branch, Config, Item};

use crate::refusal::Refusal;
use crate::target::{Found, Target};

/// The tag of what a configuration has of a resource: equal values have equal tags. `None`: it has nothing of it.
#[must_use]
pub fn entity_tag(target: &Target, config: &Config) -> Option<String> {
    let mut hasher = DefaultHasher::new();
    match target.find(config)? {
        Found::Leaf(value) => value.hash(&mut hasher),
        Found::Branch(branch) => add(branch, &mut hasher),
    }
    Some(format!("\"{:016x}\"", hasher.finish()))
}

fn add(branch: &Branch, hasher: &mut DefaultHasher) {
    for (step, item) in branch.iter() {
        step.hash(hasher);
        match item {
            Item::Leaf(value) => value.hash(hasher),
            Item::Within(within) => {
                add(within, hasher);
                u32::MAX.hash(hasher);
            }
        }
    }
}

/// The conditions of a request. Times are seconds since 1970.
#[derive(Clone, Copy, Debug, Default)]
pub struct Conditions<'h> {
    /// `If-Match`.
    pub if_match: Option<&'h str>,
    /// `If-None-Match`.
    pub if_none_match: Option<&'h str>,
    /// `If-Unmodified-Since`.
    pub unmodified_since: Option<u64>,
    /// `If-Modified-Since`.
    pub modified_since: Option<u64>,
}

impl Conditions<'_> {
    /// Whether there are none.
    #[must_use]
    pub fn are_none(&self) -> bool {
        self.if_match.is_none()
            && self.if_none_match.is_none()
            && self.unmodified_since.is_none()
            && self.modified_since.is_none()
    }

    /// Whether an edit may be made of a resource with this tag, if it is there, which was last changed then.
    ///
    /// # Errors
    /// 412.
    pub fn check(&self, tag: Option<&str>, modified: u64) -> Result<(), Refusal> {
        let holds = match (self.if_match, self.unmodified_since) {
            (Some(list), _) => has(list, tag),
            (None, Some(time)) => modified <= time,
            (None, None) => true,
        };
        if holds && self.if_none_match.is_none_or(|list| !has(list, tag)) {
            return Ok(());
        }
        Err(Refusal::new(412, "the resource is not in the state that the conditions of the request name"))
    }

    /// Whether the client has the present state already.
    #[must_use]
    pub fn has_it(&self, tag: Option<&str>, modified: u64) -> bool {
        match (self.if_none_match, self.modified_since) {
            (Some(list), _) => has(list, tag),
            (None, Some(time)) => modified <= time,
            (None, None) => false,
        }
    }
}

/// Whether a list of tags has this one; `*` stands for any.
fn has(list: &str, tag: Option<&str>) -> bool {
    let one = |it: &str| it.strip_prefix("W/").unwrap_or(it) == tag.unwrap_or_default();
    tag.is_some() && (list.trim() == "*" || list.split(',').any(|it| one(it.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_those_of_http() {
        let tag = Some("\"a\"");
        let check = |conditions: Conditions<'_>, tag| conditions.check(tag, 100).is_ok();
        for (list, of_there, of_missing) in [
            ("\"a\"", true, false),
            ("\"b\", W/\"a\"", true, false),
            ("*", true, false),
            ("\"b\"", false, false),
        ] {
            let must = Conditions { if_match: Some(list), ..Conditions::default() };
            assert_eq!((check(must, tag), check(must, None)), (of_there, of_missing), "{list}");
            let must_not = Conditions { if_none_match: Some(list), ..Conditions::default() };
            assert_eq!((check(must_not, tag), check(must_not, None)), (!of_there, !of_missing), "{list}");
            assert_eq!(must_not.has_it(tag, 100), of_there);
        }
        for (time, holds) in [(99, false), (100, true), (101, true)] {
            let since = Conditions { unmodified_since: Some(time), ..Conditions::default() };
            assert_eq!(check(since, tag), holds);
            let since = Conditions { modified_since: Some(time), ..Conditions::default() };
            assert_eq!(since.has_it(tag, 100), holds);
        }
    }
}
