//! The arguments of `trunkline access`, and what they want of an agent.

use std::fmt::Debug;

use clap::{Args, Subcommand, ValueEnum};
use trunkline_smi::Oid;
use trunkline_snmp::wire::VarBind;

use crate::AccountError;
use crate::access::{AccessRow, Scope, mask};
use crate::listing::{Listing, MODELS};

const HERE: &str = "This command";

/// `access`. `A`: the agent, and as whom to ask it.
#[derive(Debug, Args)]
pub struct AccessArgs<A: Args + Debug> {
    /// What to do.
    #[command(subcommand)]
    pub command: AccessCommand<A>,
}

/// The commands of `access`.
#[derive(Debug, Subcommand)]
pub enum AccessCommand<A: Args + Debug> {
    /// List who is in which group.
    Members(A),
    /// Put a user into a group.
    #[command(after_help = "\
Example:
  trunkline access join core-1 wes readers")]
    Join(At<A, JoinArgs>),
    /// Take a user out of its group.
    Leave(At<A, NameArgs>),
    /// List what groups may do.
    Rights(A),
    /// Give a group views to read, to write and to be notified of.
    #[command(after_help = "\
What is not given is not allowed. Rights of the same group, context, model and level are replaced.

Example:
  trunkline access grant core-1 readers --read everything --notify everything")]
    Grant(At<A, GrantArgs>),
    /// Take a group's rights away.
    Revoke(At<A, ScopeArgs>),
    /// List of which subtrees views consist.
    Views(A),
    /// Include subtrees in a view, which is created with the first one.
    #[command(after_help = "\
Examples:
  trunkline access include core-1 everything iso
  trunkline access include core-1 one-interface ifEntry.0.2 --mask FF:A0      # all columns of row 2")]
    Include(At<A, MaskArgs>),
    /// Exclude subtrees from a view.
    Exclude(At<A, MaskArgs>),
    /// Delete subtrees from a view; with the last one the view is gone.
    Remove(At<A, ViewArgs>),
}

/// The agent, and what is done there.
#[derive(Debug, Args)]
pub struct At<A: Args + Debug, W: Args + Debug> {
    /// The agent.
    #[command(flatten)]
    pub agent: A,
    /// What is done there.
    #[command(flatten)]
    pub what: W,
}

/// A security model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Model {
    /// Any; only of rights.
    Any,
    /// SNMPv1.
    V1,
    /// SNMPv2c.
    V2c,
    /// SNMPv3 with users.
    Usm,
    /// Sessions over TLS, DTLS and SSH.
    Tsm,
}

impl Model {
    fn number(self) -> u32 {
        let name = self.to_possible_value().map(|value| value.get_name().to_owned());
        MODELS.iter().find(|(_, known)| name.as_deref() == Some(*known)).map_or(0, |(number, _)| *number)
    }
}

/// A security level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// Nothing is proved.
    #[value(name = "noAuthNoPriv")]
    Plain = 1,
    /// Signed.
    #[value(name = "authNoPriv")]
    Signed = 2,
    /// Signed and encrypted.
    #[value(name = "authPriv")]
    Encrypted = 3,
}

/// A user.
#[derive(Debug, Args)]
pub struct NameArgs {
    /// The user; over SNMPv1 and v2c the security name of a community.
    #[arg(id = "managed_name", value_name = "NAME", help_heading = "Arguments")]
    pub name: String,
    /// Its security model.
    #[arg(long = "model", id = "member_model", value_enum, value_name = "MODEL", default_value = "usm", help_heading = HERE)]
    pub model: Model,
}

/// `access join`.
#[derive(Debug, Args)]
pub struct JoinArgs {
    /// Who.
    #[command(flatten)]
    pub name: NameArgs,
    /// The group.
    #[arg(value_name = "GROUP", help_heading = "Arguments")]
    pub group: String,
}

/// To what rights apply.
#[derive(Debug, Args)]
pub struct ScopeArgs {
    /// The group.
    #[arg(value_name = "GROUP", help_heading = "Arguments")]
    pub group: String,
    /// The context that the rights are for [default: the one without a name].
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true, help_heading = HERE)]
    pub for_context: String,
    /// The security model that they are for.
    #[arg(long = "model", id = "group_model", value_enum, value_name = "MODEL", default_value = "any", help_heading = HERE)]
    pub model: Model,
    /// The least security level that they need: noAuthNoPriv, authNoPriv, authPriv.
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "authPriv", hide_possible_values = true, ignore_case = true, help_heading = HERE)]
    pub least_level: Level,
}

/// `access grant`.
#[derive(Debug, Args)]
pub struct GrantArgs {
    /// For what.
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// The context is what the names of contexts begin with.
    #[arg(long, help_heading = HERE)]
    pub prefix: bool,
    /// The view to read.
    #[arg(long, value_name = "VIEW", default_value = "", hide_default_value = true, help_heading = HERE)]
    pub read: String,
    /// The view to write.
    #[arg(long, value_name = "VIEW", default_value = "", hide_default_value = true, help_heading = HERE)]
    pub write: String,
    /// The view of which notifications may report.
    #[arg(long, value_name = "VIEW", default_value = "", hide_default_value = true, help_heading = HERE)]
    pub notify: String,
}

/// Subtrees of a view.
#[derive(Debug, Args)]
pub struct ViewArgs {
    /// The view.
    #[arg(value_name = "VIEW", help_heading = "Arguments")]
    pub view: String,
    /// The subtrees: names or object identifiers.
    #[arg(id = "subtrees", value_name = "OBJECT", required = true, help_heading = "Arguments")]
    pub subtrees: Vec<String>,
}

/// `access include` and `exclude`.
#[derive(Debug, Args)]
pub struct MaskArgs {
    /// The subtrees.
    #[command(flatten)]
    pub view: ViewArgs,
    /// Which of their sub-identifiers must match: a bit for each, in hexadecimal octets, as FF:A0 [default: all].
    #[arg(long, value_name = "MASK", value_parser = mask_octets, help_heading = HERE)]
    pub mask: Option<Mask>,
}

/// A mask.
#[derive(Clone, Debug)]
pub struct Mask(Vec<u8>);

fn mask_octets(text: &str) -> Result<Mask, AccountError> {
    mask(text).map(Mask)
}

/// What is wanted of the agent.
#[derive(Debug)]
pub enum AccessWork {
    /// A list.
    List(Listing),
    /// Changes of rows, one after the other.
    Change(Vec<RowChange>),
}

/// A change of a row.
#[derive(Debug)]
pub struct RowChange {
    /// An instance that the row has.
    pub probe: Oid,
    /// The Set if there is the row.
    pub if_present: Vec<VarBind>,
    /// The Set if there is none; without it that is an error.
    pub if_absent: Option<Vec<VarBind>>,
    /// The row in words.
    pub what: String,
    /// What it is then.
    pub done: String,
}

impl RowChange {
    fn set(row: &AccessRow, cells: Vec<VarBind>, what: String, done: String) -> Self {
        let (if_present, if_absent) = (cells.clone(), Some(row.create(cells)));
        RowChange { probe: row.status(), if_present, if_absent, what, done }
    }

    fn delete(row: &AccessRow, what: String, done: &str) -> Self {
        let if_present = vec![row.delete()];
        RowChange { probe: row.status(), if_present, if_absent: None, what, done: done.to_owned() }
    }
}

impl<A: Args + Debug> AccessCommand<A> {
    /// The agent, and as whom to ask it.
    pub fn agent(&self) -> &A {
        match self {
            AccessCommand::Members(agent) | AccessCommand::Rights(agent) | AccessCommand::Views(agent) => {
                agent
            }
            AccessCommand::Join(at) => &at.agent,
            AccessCommand::Leave(at) => &at.agent,
            AccessCommand::Grant(at) => &at.agent,
            AccessCommand::Revoke(at) => &at.agent,
            AccessCommand::Include(at) | AccessCommand::Exclude(at) => &at.agent,
            AccessCommand::Remove(at) => &at.agent,
        }
    }

    /// What is wanted. `object`: the object that a word names.
    ///
    /// # Errors
    /// A name that is too long, or the fault of `object`.
    pub fn work<E: From<AccountError>>(
        &self,
        object: impl Fn(&str) -> Result<Oid, E>,
    ) -> Result<AccessWork, E> {
        let one = |change| Ok(AccessWork::Change(vec![change]));
        match self {
            AccessCommand::Members(_) => Ok(AccessWork::List(Listing::Members)),
            AccessCommand::Rights(_) => Ok(AccessWork::List(Listing::Rights)),
            AccessCommand::Views(_) => Ok(AccessWork::List(Listing::Views)),
            AccessCommand::Join(At { what: JoinArgs { name, group }, .. }) => {
                let (row, who) = member(name)?;
                one(RowChange::set(
                    &row,
                    row.in_group(group.as_bytes()),
                    who,
                    format!("is in the group {group}"),
                ))
            }
            AccessCommand::Leave(At { what, .. }) => {
                let (row, who) = member(what)?;
                one(RowChange::delete(&row, who, "is in no group"))
            }
            AccessCommand::Grant(At { what, .. }) => {
                let (row, whose) = rights(&what.scope)?;
                let views = [&what.read, &what.write, &what.notify].map(|view| view.as_bytes());
                let cells = row.with_views(if what.prefix { 2 } else { 1 }, views);
                one(RowChange::set(&row, cells, whose, "are set".to_owned()))
            }
            AccessCommand::Revoke(At { what, .. }) => {
                let (row, whose) = rights(what)?;
                one(RowChange::delete(&row, whose, "are deleted"))
            }
            AccessCommand::Include(At { what, .. }) => families(what, false, object),
            AccessCommand::Exclude(At { what, .. }) => families(what, true, object),
            AccessCommand::Remove(At { what: ViewArgs { view, subtrees }, .. }) => {
                let removed = subtrees.iter().map(|word| {
                    let row = AccessRow::family(view.as_bytes(), &object(word)?)?;
                    Ok(RowChange::delete(&row, format!("{word} of the view {view}"), "is deleted"))
                });
                removed.collect::<Result<_, E>>().map(AccessWork::Change)
            }
        }
    }
}

fn member(NameArgs { name, model }: &NameArgs) -> Result<(AccessRow, String), AccountError> {
    let row = AccessRow::member(model.number(), name.as_bytes())?;
    let model = MODELS.iter().find(|(number, _)| *number == model.number()).map_or("", |(_, name)| name);
    Ok((row, format!("{name} ({model})")))
}

fn rights(arguments: &ScopeArgs) -> Result<(AccessRow, String), AccountError> {
    let ScopeArgs { group, for_context, model, least_level } = arguments;
    let (model, level) = (model.number(), *least_level as u32);
    let scope = Scope { group: group.as_bytes(), context: for_context.as_bytes(), model, level };
    Ok((AccessRow::rights(&scope)?, format!("the rights of the group {group}")))
}

fn families<E: From<AccountError>>(
    MaskArgs { view: ViewArgs { view, subtrees }, mask }: &MaskArgs,
    is_excluded: bool,
    object: impl Fn(&str) -> Result<Oid, E>,
) -> Result<AccessWork, E> {
    let octets = mask.as_ref().map_or(&[][..], |mask| &mask.0);
    let how = if is_excluded { "is excluded from" } else { "is included in" };
    let changed = subtrees.iter().map(|word| {
        let row = AccessRow::family(view.as_bytes(), &object(word)?)?;
        let done = format!("{how} the view {view}");
        Ok(RowChange::set(&row, row.with_mask(octets, is_excluded), word.clone(), done))
    });
    changed.collect::<Result<_, E>>().map(AccessWork::Change)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Args)]
    struct Agent {
        agent: String,
    }

    #[derive(Debug, Parser)]
    struct Cli {
        #[command(flatten)]
        access: AccessArgs<Agent>,
    }

    fn work(line: &str) -> Result<AccessWork, AccountError> {
        let command =
            Cli::try_parse_from(std::iter::once("access").chain(line.split(' '))).unwrap().access.command;
        assert_eq!(command.agent().agent, "core-1");
        command.work(|word| word.parse().map_err(|_| AccountError::Mask { found: word.to_owned() }))
    }

    fn change(line: &str) -> RowChange {
        match work(line).unwrap() {
            AccessWork::Change(mut changes) => changes.pop().unwrap(),
            AccessWork::List(listing) => panic!("{listing:?}"),
        }
    }

    #[test]
    fn words_become_rows() {
        for (line, listing) in
            [("members", Listing::Members), ("rights", Listing::Rights), ("views", Listing::Views)]
        {
            let work = work(&format!("{line} core-1")).unwrap();
            assert!(matches!(work, AccessWork::List(found) if found == listing));
        }
        for (line, probe, [present, absent], done) in [
            ("join core-1 bob g", "1.3.6.1.6.3.16.1.2.1.5.3.3.98.111.98", [1, 2], "is in the group g"),
            (
                "leave core-1 bob --model tsm",
                "1.3.6.1.6.3.16.1.2.1.5.4.3.98.111.98",
                [1, 0],
                "is in no group",
            ),
            ("grant core-1 g --read all --prefix", "1.3.6.1.6.3.16.1.4.1.9.1.103.0.0.3", [4, 5], "are set"),
            (
                "revoke core-1 g --model v2c --least-level noauthnopriv --for-context c",
                "1.3.6.1.6.3.16.1.4.1.9.1.103.1.99.2.1",
                [1, 0],
                "are deleted",
            ),
            (
                "include core-1 v 1.3",
                "1.3.6.1.6.3.16.1.5.2.1.6.1.118.2.1.3",
                [2, 3],
                "is included in the view v",
            ),
            (
                "exclude core-1 v 1.3 --mask 80",
                "1.3.6.1.6.3.16.1.5.2.1.6.1.118.2.1.3",
                [2, 3],
                "is excluded from the view v",
            ),
            ("remove core-1 v 1.4 1.3", "1.3.6.1.6.3.16.1.5.2.1.6.1.118.2.1.3", [1, 0], "is deleted"),
        ] {
            let change = change(line);
            let found = [change.if_present.len(), change.if_absent.as_ref().map_or(0, Vec::len)];
            assert_eq!(
                (change.probe.to_string(), found, change.done.as_str()),
                (probe.to_owned(), [present, absent], done)
            );
        }
    }

    #[test]
    fn mistakes_are_found_before_the_agent_is_asked() {
        let long = "x".repeat(33);
        assert!(work(&format!("join core-1 {long} g")).is_err());
        assert!(work(&format!("grant core-1 {long}")).is_err());
        assert!(work("include core-1 v nothing").is_err());
        let refused =
            |line: &str| Cli::try_parse_from(std::iter::once("access").chain(line.split(' '))).is_err();
        assert!(
            refused("include core-1 v 1.3 --mask zz")
                && refused("remove core-1 v")
                && refused("join core-1 bob")
        );
    }
}
