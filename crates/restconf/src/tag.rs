//! Entity tags of configuration, and conditions on them (RFC 8040 section 3.4.1, RFC 9110 section 13).

use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};

use trunkline_datastore::{Branch, Config, Item};
use trunkline_netconf::operation::Datastore;
use trunkline_yang::forest::Forest;

use crate::media::Encoding;
use crate::refusal::Refusal;
use crate::target::{Found, Target, uri};

/// What a configuration has of a resource: equal values have equal tags.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub struct EntityTag(u64);

impl EntityTag {
    /// That of a resource. `None`: the configuration has nothing of it.
    #[must_use]
    pub fn of(target: &Target, config: &Config) -> Option<EntityTag> {
        let mut hasher = DefaultHasher::new();
        match target.find(config)? {
            Found::Leaf(value) => value.hash(&mut hasher),
            Found::Branch(branch) => add(branch, &mut hasher),
        }
        Some(EntityTag(hasher.finish()))
    }

    /// That of a secret leaf, whether it is there or not: of its place, its datastore and what is written there at all. Its value is not a part
    /// of it: whoever may write a datastore could guess by that.
    #[must_use]
    pub fn of_secret(
        target: &Target,
        forest: &Forest,
        datastore: Datastore,
        written: impl Hash,
        keys: &impl BuildHasher,
    ) -> EntityTag {
        let is_candidate = datastore == Datastore::Candidate;
        EntityTag(keys.hash_one((uri(target, forest), is_candidate, written)))
    }

    /// The value of `ETag`. Each encoding has its own: the octets differ (RFC 9110 section 8.8.3).
    #[must_use]
    pub fn field(self, encoding: Encoding) -> String {
        let suffix = match encoding {
            Encoding::Json => "json",
            Encoding::Xml => "xml",
        };
        format!("\"{:016x}-{suffix}\"", self.0)
    }
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

    /// Whether they hold only for what has one of some tags.
    #[must_use]
    pub fn names_tags(&self) -> bool {
        [self.if_match, self.if_none_match].into_iter().flatten().any(|list| !is_of_any(list))
    }

    /// Whether they hold only where nothing is there.
    #[must_use]
    pub fn are_of_nothing(&self) -> bool {
        self.if_none_match.is_some_and(is_of_any)
    }

    /// Whether an edit may be made of a resource with this tag, if it is there, which was last changed then. An edit concerns the
    /// resource in every encoding. `If-Match` compares strongly (RFC 9110 section 13.1.1), `If-None-Match` weakly (section 13.1.2).
    ///
    /// # Errors
    /// 412.
    pub fn check(&self, tag: Option<EntityTag>, modified: u64) -> Result<(), Refusal> {
        let is_any = |found: &str| {
            tag.is_some_and(|tag| [Encoding::Json, Encoding::Xml].iter().any(|it| tag.field(*it) == found))
        };
        let holds = match (self.if_match, self.unmodified_since) {
            (Some(list), _) => has(list, tag, is_any),
            (None, Some(time)) => modified <= time,
            (None, None) => true,
        };
        if holds && self.if_none_match.is_none_or(|list| !has(list, tag, |found| is_any(strong(found)))) {
            return Ok(());
        }
        Err(Refusal::new(412, NOT_SO))
    }

    /// Whether an answer may be read that has this tag, and this time of its last change (RFC 9110 section 13.2.2). Without such a time a
    /// condition on it says nothing (section 13.1.4).
    ///
    /// # Errors
    /// 412.
    pub fn check_read(&self, tag: Option<&str>, modified: Option<u64>) -> Result<(), Refusal> {
        let holds = match (self.if_match, self.unmodified_since, modified) {
            (Some(list), ..) => is_of_any(list) || items(list).any(|it| Some(it) == tag),
            (None, Some(time), Some(modified)) => modified <= time,
            _ => true,
        };
        if holds { Ok(()) } else { Err(Refusal::new(412, NOT_SO)) }
    }

    /// Whether the client has the present state in this encoding already.
    #[must_use]
    pub fn has_it(&self, tag: Option<EntityTag>, encoding: Encoding, modified: u64) -> bool {
        let field = tag.map(|tag| tag.field(encoding));
        match (self.if_none_match, self.modified_since) {
            (Some(list), _) => has(list, tag, |found| field.as_deref() == Some(strong(found))),
            (None, Some(time)) => modified <= time,
            (None, None) => false,
        }
    }
}

const NOT_SO: &str = "the resource is not in the state that the conditions of the request name; of a secret, something in its datastore \
                      was written since: read it again";

/// Whether a list of tags has one of what is there; `*` stands for any.
fn has(list: &str, tag: Option<EntityTag>, is_it: impl Fn(&str) -> bool) -> bool {
    tag.is_some() && (is_of_any(list) || items(list).any(is_it))
}

/// Whether one of a list is `*`, which should stand alone: several lines are one list, and a guard must not get lost in it.
fn is_of_any(list: &str) -> bool {
    items(list).any(|it| it == "*")
}

/// Those of a list of tags, which may have commas in them (RFC 9110 section 8.8.3).
fn items(list: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let ends = move |it: char| {
        is_quoted ^= it == '"';
        it == ',' && !is_quoted
    };
    list.split(ends).map(str::trim)
}

/// A tag without the mark of a weak one.
fn strong(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use std::hash::RandomState;

    use super::*;

    #[test]
    fn the_tag_of_a_secret_is_of_its_place_what_is_written_there_and_the_keys() {
        let forest = Forest::of(&[]).with(&trunkline_yang::own::SNMP);
        let community = |name: &str| {
            Target::read(&format!("ietf-snmp:snmp/community={name}/text-name"), &forest).unwrap()
        };
        let (a, b) = (community("a"), community("b"));
        let (keys, others) = (RandomState::new(), RandomState::new());
        let (running, candidate) = (Datastore::Running, Datastore::Candidate);
        let tag = |target: &Target, datastore, written: u64, keys: &RandomState| {
            EntityTag::of_secret(target, &forest, datastore, written, keys)
        };
        let known = tag(&a, running, 1, &keys);
        assert_eq!(known, tag(&a, running, 1, &keys));
        for (other, what) in [
            (tag(&b, running, 1, &keys), "place"),
            (tag(&a, candidate, 1, &keys), "datastore"),
            (tag(&a, running, 2, &keys), "write"),
            (tag(&a, running, 1, &others), "keys"),
        ] {
            assert_ne!(known, other, "{what}");
        }
        let names = |list| Conditions { if_match: Some(list), ..Conditions::default() }.names_tags();
        assert!(names("\"a\"") && !names("*") && !Conditions::default().names_tags());
        let names = |list| Conditions { if_none_match: Some(list), ..Conditions::default() }.names_tags();
        assert!(names("\"a\"") && !names("*, *"));
    }

    #[test]
    fn conditions_are_those_of_http() {
        let tag = Some(EntityTag(0xa));
        let [json, xml] = [Encoding::Json, Encoding::Xml].map(|it| EntityTag(0xa).field(it));
        assert_ne!(json, xml);
        let check = |conditions: Conditions<'_>, tag| conditions.check(tag, 100).is_ok();
        // Whether If-Match holds, whether If-None-Match finds it, and whether a client with JSON has it.
        for (list, strongly, weakly, in_json) in [
            (json.clone(), true, true, true),
            (xml.clone(), true, true, false),
            (format!("\"b\", {json}"), true, true, true),
            (format!("W/{json}"), false, true, true),
            (format!("W/{json},{xml}"), true, true, true),
            ("*".into(), true, true, true),
            ("*, *".into(), true, true, true),
            ("\"b\", *".into(), true, true, true),
            ("*,\"b\"".into(), true, true, true),
            ("\"b\"".into(), false, false, false),
            ("\"b,*,c\"".into(), false, false, false),
            (format!("\"b,\",{json}"), true, true, true),
        ] {
            let must = Conditions { if_match: Some(&list), ..Conditions::default() };
            assert_eq!((check(must, tag), check(must, None)), (strongly, false), "{list}");
            let must_not = Conditions { if_none_match: Some(&list), ..Conditions::default() };
            assert_eq!(
                must_not.are_of_nothing(),
                list.split(',').any(|it| it.trim() == "*") && !list.contains('c')
            );
            assert_eq!((check(must_not, tag), check(must_not, None)), (!weakly, true), "{list}");
            assert_eq!(must_not.has_it(tag, Encoding::Json, 100), in_json, "{list}");
        }
        for (list, tag, holds) in [
            ("\"a\"", Some("\"a\""), true),
            ("\"b\" , \"a\"", Some("\"a\""), true),
            ("\"b\"", Some("\"a\""), false),
            ("W/\"a\"", Some("\"a\""), false),
            ("\"a\"", None, false),
            ("*", None, true),
            ("\"b\", *", None, true),
            ("\"b,*\"", Some("\"a\""), false),
        ] {
            let must =
                Conditions { if_match: Some(list), unmodified_since: Some(0), ..Conditions::default() };
            assert_eq!(must.check_read(tag, Some(100)).is_ok(), holds, "{list}");
        }
        for (time, holds) in [(99, false), (100, true), (101, true)] {
            let since = Conditions { unmodified_since: Some(time), ..Conditions::default() };
            assert_eq!(
                (since.check_read(None, Some(100)).is_ok(), since.check_read(None, None).is_ok()),
                (holds, true)
            );
            let since = Conditions { unmodified_since: Some(time), ..Conditions::default() };
            assert_eq!(check(since, tag), holds);
            let since = Conditions { modified_since: Some(time), ..Conditions::default() };
            assert_eq!(since.has_it(tag, Encoding::Json, 100), holds);
        }
    }
}
