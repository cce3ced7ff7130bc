//! The command line of Net-SNMP's `snmpvacm`, as rows.

use trunkline_smi::Oid;
use trunkline_snmp::wire::VarBind;

use crate::access::{AccessRow, Scope, mask};

/// What is sent, and Net-SNMP's message if the agent accepts it.
#[derive(Debug)]
pub struct VacmChange {
    /// The Set.
    pub bindings: Vec<VarBind>,
    /// The message.
    pub done: &'static str,
}

/// Why a command line is refused.
#[derive(Debug, PartialEq, Eq)]
pub enum VacmMistake {
    /// The usage may help.
    Usage(String),
    /// It does not.
    Failed(String),
}

use VacmMistake::{Failed, Usage};

/// Reads the words that follow the agent. `is_excluded`: `-Ce`. `object`: the object that a word names.
///
/// # Errors
/// Net-SNMP's message for a mistake, or ours for names that are too long.
pub fn snmpvacm(
    words: &[&str],
    is_excluded: bool,
    object: impl Fn(&str) -> Option<Oid>,
) -> Result<VacmChange, VacmMistake> {
    let usage = |words: &str| Err(Usage(words.to_owned()));
    let Some((name, rest)) = words.split_first() else {
        return usage("Please specify a operation to perform.");
    };
    let subtree = |text: &str| object(text).ok_or_else(|| Failed(format!("Error parsing subtree ({text})")));
    let change = |bindings, done| Ok(VacmChange { bindings, done });
    match (*name, rest) {
        ("createSec2Group", [model, name, group]) => {
            let row = AccessRow::member(self::model(model)?, name.as_bytes()).map_err(failed)?;
            change(row.create(row.in_group(group.as_bytes())), "Sec2group successfully created.")
        }
        ("createSec2Group", _) => usage("You must specify model, security name and group name"),
        ("deleteSec2Group", [model, name]) => {
            let row = AccessRow::member(self::model(model)?, name.as_bytes()).map_err(failed)?;
            change(vec![row.delete()], "Sec2group successfully deleted.")
        }
        ("deleteSec2Group", _) => usage("You must specify the sec2group to delete"),
        ("createView", [view, root, masks @ ..]) if masks.len() <= 1 => {
            let root = subtree(root)?;
            let row = AccessRow::family(view.as_bytes(), &root).map_err(failed)?;
            // Without a mask every sub-identifier counts. Net-SNMP has a bit for each of the whole name of the row, which an
            // agent shows.
            let octets = match masks {
                [text, ..] => mask(text).map_err(|_| Failed("invalid MASK".to_owned()))?,
                [] => vec![0xff; row.status().len().div_ceil(8)],
            };
            change(row.create(row.with_mask(&octets, is_excluded)), "View successfully created.")
        }
        ("createView", _) => usage("You must specify name, subtree and mask"),
        ("deleteView", [view, root]) => {
            let row = AccessRow::family(view.as_bytes(), &subtree(root)?).map_err(failed)?;
            change(vec![row.delete()], "View successfully deleted.")
        }
        ("deleteView", _) => usage("You must specify the view to delete"),
        _ => of_a_group(name, rest),
    }
}

/// The commands whose words begin with a group and, if there is one more than needed, a context.
fn of_a_group(name: &str, words: &[&str]) -> Result<VacmChange, VacmMistake> {
    let (needed, missing) = match name {
        "createAccess" => (7, "You must specify the access entry to create"),
        "deleteAccess" => (3, "You must specify the access entry to delete"),
        "createAuth" => (6, "You must specify the authAccess entry to create"),
        "deleteAuth" => (4, "You must specify the authAccess entry to delete"),
        _ => return Err(Usage("Unknown command".to_owned())),
    };
    let (group, context, rest) = match words {
        [group, rest @ ..] if words.len() == needed => (group, "", rest),
        [group, context, rest @ ..] if words.len() == needed + 1 => (group, *context, rest),
        _ => return Err(Usage(missing.to_owned())),
    };
    let [model, level, rest @ ..] = rest else { return Err(Usage(missing.to_owned())) };
    let (model, level) = (self::model(model)?, self::level(level)?);
    let scope = Scope { group: group.as_bytes(), context: context.as_bytes(), model, level };
    let (bindings, done) = match rest {
        [how, read, write, notify] => {
            let row = AccessRow::rights(&scope).map_err(failed)?;
            let views = [read, write, notify].map(|view| view.as_bytes());
            (row.create(row.with_views(matching(how)?, views)), "Access successfully created.")
        }
        [kind, how, view] => {
            let row = AccessRow::other_rights(&scope, kind.as_bytes()).map_err(failed)?;
            (row.create(row.with_view(matching(how)?, view.as_bytes())), "AuthAccess successfully created.")
        }
        [kind] => {
            let row = AccessRow::other_rights(&scope, kind.as_bytes()).map_err(failed)?;
            (vec![row.delete()], "AuthAccess successfully deleted.")
        }
        _ => {
            let row = AccessRow::rights(&scope).map_err(failed)?;
            (vec![row.delete()], "Access successfully deleted.")
        }
    };
    Ok(VacmChange { bindings, done })
}

fn failed(fault: crate::AccountError) -> VacmMistake {
    Failed(format!("snmpvacm: {fault}"))
}

/// A number, as Net-SNMP wants it.
fn model(text: &str) -> Result<u32, VacmMistake> {
    number(text).ok_or_else(|| Usage("invalid security model".to_owned()))
}

fn level(text: &str) -> Result<u32, VacmMistake> {
    number(text).ok_or_else(|| Usage("invalid security level".to_owned()))
}

/// Net-SNMP takes 1 as exact, and every other number as prefix; the agent checks it here.
fn matching(text: &str) -> Result<i32, VacmMistake> {
    number(text)
        .and_then(|number| i32::try_from(number).ok())
        .ok_or_else(|| Usage("invalid context match: 1 (exact) or 2 (prefix)".to_owned()))
}

fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number| i32::try_from(*number).is_ok())
}

#[cfg(test)]
mod tests {
    use trunkline_smi::Value;
    use trunkline_snmp::wire::Bound;

    use super::*;

    fn read(line: &str) -> Result<VacmChange, VacmMistake> {
        let words: Vec<&str> = line.split_whitespace().collect();
        snmpvacm(&words, false, |word| word.parse().ok())
    }

    #[test]
    fn every_command_becomes_a_row() {
        for (line, done, bindings) in [
            ("createSec2Group 3 bob g", "Sec2group successfully created.", 2),
            ("deleteSec2Group 3 bob", "Sec2group successfully deleted.", 1),
            ("createView v 1.3", "View successfully created.", 3),
            ("createView v 1.3 80", "View successfully created.", 3),
            ("deleteView v 1.3", "View successfully deleted.", 1),
            ("createAccess g 3 1 1 r w n", "Access successfully created.", 5),
            ("createAccess g ctx 3 1 2 r w n", "Access successfully created.", 5),
            ("deleteAccess g 3 1", "Access successfully deleted.", 1),
            ("deleteAccess g ctx 3 1", "Access successfully deleted.", 1),
            ("createAuth g 3 1 log 1 v", "AuthAccess successfully created.", 3),
            ("createAuth g ctx 3 1 log 1 v", "AuthAccess successfully created.", 3),
            ("deleteAuth g 3 1 log", "AuthAccess successfully deleted.", 1),
            ("deleteAuth g ctx 3 1 log", "AuthAccess successfully deleted.", 1),
        ] {
            let change = read(line).unwrap();
            assert_eq!((change.done, change.bindings.len()), (done, bindings), "{line}");
        }
    }

    #[test]
    fn without_a_mask_every_sub_identifier_counts() {
        let of = |line: &str| read(line).unwrap().bindings[1].value.clone();
        assert_eq!(of("createView v 1.3"), Bound::Value(Value::OctetString(vec![0xff; 3])));
        assert_eq!(of("createView v 1"), Bound::Value(Value::OctetString(vec![0xff; 2])));
        assert_eq!(
            of("createView v 1.3.6.1.2.1.2.2.1 FE:A0"),
            Bound::Value(Value::OctetString(vec![0xfe, 0xa0]))
        );
    }

    #[test]
    fn mistakes_have_net_snmps_words() {
        let usage =
            |line: &str, words: &str| assert_eq!(read(line).unwrap_err(), Usage(words.to_owned()), "{line}");
        usage("", "Please specify a operation to perform.");
        usage("createSec2Group usm bob g", "invalid security model");
        usage("createSec2Group -1 bob g", "invalid security model");
        usage("createSec2Group 3 bob", "You must specify model, security name and group name");
        usage("deleteSec2Group 3", "You must specify the sec2group to delete");
        usage("createView v", "You must specify name, subtree and mask");
        usage("deleteView v", "You must specify the view to delete");
        usage("createAccess g 3 authPriv 1 r w n", "invalid security level");
        usage("createAccess g 3 1 near r w n", "invalid context match: 1 (exact) or 2 (prefix)");
        usage("createAccess g 3 1 1 r w", "You must specify the access entry to create");
        usage("deleteAccess g", "You must specify the access entry to delete");
        usage("createAuth g", "You must specify the authAccess entry to create");
        usage("deleteAuth g", "You must specify the authAccess entry to delete");
        usage("create v", "Unknown command");
        let failed =
            |line: &str, words: &str| assert_eq!(read(line).unwrap_err(), Failed(words.to_owned()), "{line}");
        failed("createView v system", "Error parsing subtree (system)");
        failed("createView v 1.3 zz", "invalid MASK");
        let long = "x".repeat(33);
        let error = format!("{:?}", read(&format!("createSec2Group 3 {long} g")).unwrap_err());
        assert!(error.contains("1 to 32"), "{error}");
    }
}
