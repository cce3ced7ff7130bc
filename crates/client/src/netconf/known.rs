//! Whether a path that selects nothing has a name that the server's schema does not have: by the models that are known here, if the server is
//! one of ours, else by the texts of its modules (RFC 6022).

use std::sync::LazyLock;

use trunkline_netconf::modules::Modules;
use trunkline_netconf::path::{Path, Step, UnknownNode};
use trunkline_netconf::reply::is_empty;
use trunkline_netconf::request;
use trunkline_yang::forest::Forest;
use trunkline_yang::own::ALL;
use trunkline_yang::smiv2;
use trunkline_yang::text::{Lookup, Texts};

use super::select::FOREST;
use super::{NetconfFault, NetconfSession, Selection};
use crate::error::Error;

/// The notifications of the modules that are known here.
pub(super) static NOTIFICATIONS: LazyLock<Forest> = LazyLock::new(|| {
    ALL.into_iter().fold(Forest::of_notifications(&smiv2::modules()), Forest::with_notifications)
});

impl NetconfSession {
    /// Carries out an operation that reads what is selected, as [`NetconfSession::data`] does.
    ///
    /// # Errors
    /// [`NetconfFault::UnknownNode`] if it selects nothing or is refused, and the schema does not have a name of its path.
    pub async fn selected(&self, operation: &[u8], selection: &Selection) -> Result<Vec<u8>, Error> {
        let read = self.data(operation).await.map(|(octets, _)| octets);
        let is_futile = match &read {
            Ok(octets) => is_empty(octets, self.inner.options.max_reply).map_err(NetconfFault::from)?,
            Err(fault) => is_refusal(fault),
        };
        match is_futile {
            true => self.check_path(selection, &FOREST).await.and(read),
            false => read,
        }
    }

    /// Checks that the server's schema may have all names of a path: `forest` has those of our agent.
    ///
    /// # Errors
    /// [`NetconfFault::UnknownNode`].
    pub(super) async fn check_path(&self, selection: &Selection, forest: &Forest) -> Result<(), Error> {
        let Selection { path: Some(path), modules, .. } = selection else { return Ok(()) };
        let is_ours = modules.iter().any(|(_, namespace)| namespace.starts_with(OURS));
        let mut texts = Texts::default();
        for names in names(path, modules).unwrap_or_default() {
            let found = match in_forest(&names, modules, forest) {
                InForest::All => None,
                InForest::Unknown(at, instead) if is_ours => Some(unknown(&names, at, instead, modules)),
                _ => self.in_texts(&names, modules, &mut texts).await?,
            };
            if let Some(unknown) = found {
                return Err(NetconfFault::from(unknown).into());
            }
        }
        Ok(())
    }

    /// The same by the texts of the modules, as far as the server returns them.
    async fn in_texts(
        &self,
        names: &[Name<'_>],
        modules: &Modules,
        texts: &mut Texts,
    ) -> Result<Option<UnknownNode>, Error> {
        let mut begin = 0;
        while begin < names.len() {
            let namespace = names[begin].namespace;
            let Some(module) = modules.name(namespace) else { return Ok(None) };
            let length = names[begin..].iter().take_while(|it| it.namespace == namespace).count();
            let within: Vec<&str> = names[begin..begin + length].iter().map(|it| it.name).collect();
            loop {
                match texts.look_up(module, &within, begin == 0) {
                    Lookup::Found => break,
                    Lookup::Missing { at, instead } => {
                        return Ok(Some(unknown(names, begin + at, instead, modules)));
                    }
                    Lookup::Needs(wanted) => {
                        let Some(text) = self.text(&wanted).await? else { return Ok(None) };
                        // One that cannot be read, or is another module, leads nowhere.
                        let is_it = texts.add(&text).is_ok() && texts.has(&wanted);
                        if !is_it {
                            return Ok(None);
                        }
                    }
                }
            }
            begin += length;
        }
        Ok(None)
    }

    /// The text of a module; `None`: the server does not return it.
    async fn text(&self, module: &str) -> Result<Option<String>, Error> {
        match self.data(&request::get_schema(module, None, Some("yang"))).await {
            Ok((octets, _)) => {
                let reply = self.reply(&octets)?;
                Ok(reply.content().next().map(|data| data.text().to_owned()))
            }
            Err(fault) if is_refusal(&fault) => Ok(None),
            Err(fault) => Err(fault),
        }
    }
}

/// Whether the server does not do it, or says something else.
fn is_refusal(fault: &Error) -> bool {
    matches!(fault, Error::Netconf(fault) if matches!(**fault, NetconfFault::Refused(_) | NetconfFault::Reply(_)))
}

/// A name of a path with its namespace.
#[derive(Clone, Copy)]
struct Name<'p> {
    namespace: &'p str,
    name: &'p str,
    /// The steps before it, of which it is a child.
    within: &'p [Step],
}

/// The names of a path, and those of each leaf that it tests; `None` if it begins without a module, or has one that is not known.
fn names<'p>(path: &'p Path, modules: &'p Modules) -> Option<Vec<Vec<Name<'p>>>> {
    let mut names = Vec::with_capacity(path.steps.len());
    let mut of_tests = Vec::new();
    let mut namespace = "";
    for (at, Step { module, name, tests }) in path.steps.iter().enumerate() {
        if let Some(module) = module {
            namespace = modules.namespace(module)?;
        }
        if namespace.is_empty() {
            return None;
        }
        names.push(Name { namespace, name, within: &path.steps[..at] });
        for test in tests.iter().filter(|test| test.module.is_none()).filter_map(|test| test.name.as_deref())
        {
            let mut tested = names.clone();
            tested.push(Name { namespace, name: test, within: &path.steps[..=at] });
            of_tests.push(tested);
        }
    }
    Some(std::iter::once(names).chain(of_tests).collect())
}

enum InForest {
    All,
    /// The name at this place, and those that are there.
    Unknown(usize, Vec<String>),
    /// A module that is not known here.
    Foreign,
}

fn in_forest(names: &[Name<'_>], modules: &Modules, forest: &Forest) -> InForest {
    let mut node = None;
    for (at, Name { namespace, name, .. }) in names.iter().enumerate() {
        match forest.child_in(node, namespace, name) {
            Some(child) => node = Some(child),
            None => {
                let is_known = forest.modules().iter().any(|it| it.namespace == *namespace);
                if !is_known || modules.name(namespace).is_none() {
                    return InForest::Foreign;
                }
                let children = forest.children(node).iter();
                let of_module = children.filter(|it| forest.module(**it).namespace == *namespace);
                return InForest::Unknown(at, of_module.map(|it| forest[*it].name.clone()).collect());
            }
        }
    }
    InForest::All
}

fn unknown(names: &[Name<'_>], at: usize, mut instead: Vec<String>, modules: &Modules) -> UnknownNode {
    let Name { namespace, name, within } = names[at];
    instead.sort_by_key(|it| distance(it, name));
    UnknownNode {
        name: name.to_owned(),
        within: if within.is_empty() { String::new() } else { Path { steps: within.to_vec() }.to_string() },
        module: modules.name(namespace).unwrap_or(namespace).to_owned(),
        instead,
    }
}

/// How many letters have to be changed, added or left out to make one name of another (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut before = at;
        row[0] = at + 1;
        for (column, of_other) in other.iter().enumerate() {
            let changed = before + usize::from(letter != *of_other);
            before = row[column + 1];
            row[column + 1] = changed.min(before + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

/// The namespaces of modules that only our agent has.
const OURS: &str = "urn:trunkline:";

#[cfg(test)]
mod tests {
    use super::*;

    const IF: &str = "urn:ietf:params:xml:ns:yang:ietf-interfaces";

    #[test]
    fn names_that_are_nowhere_are_found() {
        let mut modules = Modules::default();
        modules.add("ietf-interfaces", IF);
        modules.add("ietf-ip", "urn:ietf:params:xml:ns:yang:ietf-ip");
        modules.add("foreign", "urn:foreign");
        let said = |text: &str| {
            let path = Path::parse(text).unwrap();
            names(&path, &modules)?.iter().find_map(|names| match in_forest(names, &modules, &FOREST) {
                InForest::Unknown(at, instead) => Some(unknown(names, at, instead, &modules).to_string()),
                _ => None,
            })
        };
        for (path, words) in [
            ("/ietf-interfaces:interfaces/interface[name='x']/ietf-ip:ipv4/mtu", None),
            (
                "/ietf-interfaces:interfaces/interfacs",
                Some(
                    "/ietf-interfaces:interfaces has no interfacs in the module ietf-interfaces, but interface",
                ),
            ),
            (
                "/ietf-interfaces:interfases",
                Some("the module ietf-interfaces has no interfases at its top, but interfaces"),
            ),
            (
                "/ietf-interfaces:interfaces/interface[nmae='x']/enabled",
                Some(
                    "/ietf-interfaces:interfaces/interface[nmae='x'] has no nmae in the module ietf-interfaces, but name, ",
                ),
            ),
            (
                "/ietf-interfaces:interfaces/interface/oper-state",
                Some(" has no oper-state in the module ietf-interfaces, but oper-status, "),
            ),
            ("/foreign:x", None),
            ("/ietf-interfaces:interfaces/foreign:x", None),
            ("/x", None),
        ] {
            match (said(path), words) {
                (Some(found), Some(words)) => assert!(found.contains(words), "{path}: {found}"),
                (found, words) => assert!(found.is_none() && words.is_none(), "{path}: {found:?}"),
            }
        }
        assert_eq!([distance("", "ab"), distance("kitten", "sitting"), distance("a", "a")], [2, 3, 0]);
    }
}
