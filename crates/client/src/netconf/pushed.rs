//! Updates of a subscription to data (RFC 8641), as a person reads them.

use trunkline_netconf::document::{Document, Element, limits};
use trunkline_netconf::leaves::Naming;
use trunkline_netconf::modules::Modules;
use trunkline_netconf::push::update::{Edited, Told, Update};

use super::NetconfFault;
use super::select::FOREST;

/// A notification for a subscription.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pushed {
    /// The number of the subscription.
    pub id: Option<u32>,
    /// `push-update`, `push-change-update`, or what happened to the subscription.
    pub name: String,
    /// Whether something is missing.
    pub is_incomplete: bool,
    /// Of an update with all data: its leaves with their paths.
    pub leaves: Vec<(String, String)>,
    /// Of an update with changes: the changes in their order.
    pub edits: Vec<PushedEdit>,
    /// Why something happened to the subscription.
    pub reason: Option<String>,
}

/// A change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushedEdit {
    /// `create`, `delete`, `replace` and others.
    pub operation: String,
    /// The node: `/ietf-interfaces:interfaces/interface=eth0`.
    pub target: String,
    /// What it has now: each path begins with the target.
    pub leaves: Vec<(String, String)>,
}

impl Pushed {
    /// Reads a whole `notification`; `None`: it is for no subscription.
    ///
    /// # Errors
    /// [`NetconfFault::Reply`]: it is not well-formed.
    pub fn read(octets: &[u8], modules: &Modules) -> Result<Option<Pushed>, NetconfFault> {
        let document = Document::read(octets, limits(octets.len()))
            .map_err(|fault| NetconfFault::Reply(fault.into()))?;
        let Some(Update { id, told }) = Update::read(document.root()) else { return Ok(None) };
        let pushed = Pushed { id, ..Pushed::default() };
        Ok(Some(match told {
            Told::Whole { contents, is_incomplete } => {
                let leaves = contents.map(|contents| leaves(contents, modules)).unwrap_or_default();
                Pushed { name: "push-update".into(), is_incomplete, leaves, ..pushed }
            }
            Told::Changes { edits, is_incomplete } => {
                let edits = edits.into_iter().map(|edit| PushedEdit::of(edit, modules)).collect();
                Pushed { name: "push-change-update".into(), is_incomplete, edits, ..pushed }
            }
            Told::State { name, reason } => {
                Pushed { name: name.into(), reason: reason.map(str::to_owned), ..pushed }
            }
        }))
    }
}

impl PushedEdit {
    fn of(edit: Edited<'_>, modules: &Modules) -> PushedEdit {
        let Edited { operation, target, value } = edit;
        let all = value.map(|value| leaves(value, modules)).unwrap_or_default();
        // Its first step is the target's last one.
        let below = |path: String| match next_step(&path) {
            Some(at) => format!("{target}{}", &path[at..]),
            None => target.to_owned(),
        };
        let leaves = all.into_iter().map(|(path, value)| (below(path), value)).collect();
        PushedEdit { operation: operation.into(), target: target.into(), leaves }
    }
}

/// Where the second step of a path begins: slashes in values are not between steps.
fn next_step(path: &str) -> Option<usize> {
    let mut quote = None;
    for (at, character) in path.char_indices().skip(1) {
        match (quote, character) {
            (None, '/') => return Some(at),
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), it) if it == open => quote = None,
            _ => {}
        }
    }
    None
}

fn leaves(content: Element<'_>, modules: &Modules) -> Vec<(String, String)> {
    let mut naming = Naming::new(&FOREST);
    naming.see(content);
    let mut all = Vec::new();
    naming.leaves(content, modules, None, &mut |leaf| all.push((leaf.path, leaf.value.into_owned())));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_netconf::{NOTIFICATION, PUSH};

    const IF: &str = "urn:ietf:params:xml:ns:yang:ietf-interfaces";

    fn read(inner: &str) -> Pushed {
        let text =
            format!("<notification xmlns='{NOTIFICATION}'><eventTime>x</eventTime>{inner}</notification>");
        let mut modules = Modules::default();
        modules.add("ietf-interfaces", IF);
        Pushed::read(text.as_bytes(), &modules).unwrap().unwrap()
    }

    fn pair(path: &str, value: &str) -> (String, String) {
        (path.to_owned(), value.to_owned())
    }

    #[test]
    fn updates_have_the_paths_of_their_leaves() {
        let entry = format!("<interface xmlns='{IF}'><name>a/b</name><enabled>true</enabled></interface>");
        let whole = read(&format!(
            "<push-update xmlns='{PUSH}'><id>1</id><datastore-contents><interfaces xmlns='{IF}'>{entry}</interfaces>\
             </datastore-contents></push-update>"
        ));
        let path = "/ietf-interfaces:interfaces/interface[name='a/b']";
        let expected = [pair(&format!("{path}/name"), "a/b"), pair(&format!("{path}/enabled"), "true")];
        assert_eq!((whole.id, &whole.name[..], &whole.leaves[..]), (Some(1), "push-update", &expected[..]));
        let target = "/ietf-interfaces:interfaces/interface=a%2Fb";
        let edit = |operation: &str, target: &str, value: &str| {
            format!("<edit><operation>{operation}</operation><target>{target}</target>{value}</edit>")
        };
        let edits = [
            edit("create", target, &format!("<value>{entry}</value>")),
            edit(
                "replace",
                &format!("{target}/enabled"),
                &format!("<value><enabled xmlns='{IF}'>false</enabled></value>"),
            ),
            edit("delete", target, ""),
        ];
        let changes = read(&format!(
            "<push-change-update xmlns='{PUSH}'><id>1</id><datastore-changes><yang-patch>{}</yang-patch></datastore-changes>\
             <incomplete-update/></push-change-update>",
            edits.concat()
        ));
        assert!(changes.is_incomplete);
        let told: Vec<_> = changes.edits.iter().map(|it| (&it.operation[..], &it.leaves[..])).collect();
        assert_eq!(
            told,
            [
                (
                    "create",
                    &[pair(&format!("{target}/name"), "a/b"), pair(&format!("{target}/enabled"), "true")][..]
                ),
                ("replace", &[pair(&format!("{target}/enabled"), "false")][..]),
                ("delete", &[][..]),
            ]
        );
    }
}
