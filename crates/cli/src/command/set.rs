//! `trunkline set`: writes instances, all or none.

use std::io::Write;

use trunkline_client::netconf::protocol::assign::Assignment;
use trunkline_client::netconf::protocol::path::Path;
use trunkline_mib::Names;
use trunkline_snmp::wire::{Bound, VarBind};

use super::paths::netconf;

use crate::connect::Connection;
use crate::destination::is_target;
use crate::error::Error;
use crate::print::Printer;

/// What is set: objects of MIB modules, or leaves at paths of YANG.
pub enum Assignments {
    /// Objects.
    Objects(Vec<VarBind>),
    /// Leaves.
    Leaves(Vec<(String, Assignment)>),
}

impl Assignments {
    /// Reads the words of the command line.
    pub fn read(words: &[String], names: &Names) -> Result<Self, Error> {
        if words.is_empty() {
            let expected = "nothing is set: expected OBJECT=VALUE after the agent, as in `trunkline set AGENT sysContact.0=me`";
            return Err(Error::Usage(expected.to_owned()));
        }
        if !words.first().is_some_and(|word| word.starts_with('/')) {
            return assignments(words, names).map(Assignments::Objects);
        }
        words.iter().map(|word| leaf(word)).collect::<Result<_, _>>().map(Assignments::Leaves)
    }

    /// Sets all, or none.
    pub async fn run<W: Write>(
        &self,
        connection: &Connection<'_>,
        printer: &mut Printer<'_, W>,
    ) -> Result<(), Error> {
        match self {
            Assignments::Objects(bindings) => run(bindings, connection, printer).await,
            Assignments::Leaves(leaves) => {
                let session = netconf(connection)?;
                let all: Vec<Assignment> = leaves.iter().map(|(_, leaf)| leaf.clone()).collect();
                session.assign(&all).await.map_err(|fault| connection.failed(&fault))?;
                for (path, (_, value)) in leaves {
                    printer.leaf(path, Some(value))?;
                }
                Ok(printer.finish()?)
            }
        }
    }
}

/// `PATH=VALUE`.
fn leaf(word: &str) -> Result<(String, Assignment), Error> {
    let missing = || Error::Usage(format!("{word}: a value is missing; write PATH=VALUE"));
    let at = equals_sign_of_path(word).ok_or_else(missing)?;
    let (path, value) = (&word[..at], &word[at + 1..]);
    let parsed = Path::parse(path).map_err(|fault| Error::Usage(fault.to_string()))?;
    if parsed.steps[0].module.is_none() {
        let words = "begins without the name of a module: write /MODULE:NAME/...";
        return Err(Error::Usage(format!("{path} {words}")));
    }
    Ok((path.to_owned(), (parsed, value.to_owned())))
}

/// The first `=` outside of brackets and quotes.
fn equals_sign_of_path(word: &str) -> Option<usize> {
    let (mut quote, mut is_within) = (None, false);
    word.char_indices().find_map(|(at, c)| {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if is_within => quote = Some(c),
            (None, '[') => is_within = true,
            (None, ']') => is_within = false,
            (None, '=') if !is_within => return Some(at),
            _ => {}
        }
        None
    })
}

/// Runs the command with [`assignments`].
async fn run<W: Write>(
    bindings: &[VarBind],
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let answer = connection.agent.set(bindings).await;
    connection.show_octets(printer)?;
    let answer = answer.map_err(|fault| connection.failed(&fault))?;
    for binding in &answer.bindings {
        printer.binding(binding)?;
    }
    Ok(printer.finish()?)
}

/// The bindings of `OBJECT=VALUE ...` and of `OBJECT TYPE VALUE ...`, also mixed.
pub fn assignments(words: &[String], names: &Names) -> Result<Vec<VarBind>, Error> {
    let mut bindings = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (object, letter, value) = match equals_sign(word) {
            Some(at) => (&word[..at], "=", &word[at + 1..]),
            None => {
                let missing = || {
                    Error::Usage(match is_target(word) && names.resolve(word).is_err() {
                        true => second_agent(word),
                        false => {
                            format!("{word}: a value is missing; write {word}=VALUE, or {word} TYPE VALUE")
                        }
                    })
                };
                let letter = words.next().ok_or_else(missing)?;
                (word.as_str(), letter.as_str(), words.next().ok_or_else(missing)?.as_str())
            }
        };
        let name = names.resolve(object).map_err(|fault| match is_target(object) {
            true => Error::Usage(second_agent(object)),
            false => fault.into(),
        })?;
        let value = names
            .parse_typed(&name, letter, value)
            .map_err(|fault| Error::Value { object: object.to_owned(), fault })?;
        bindings.push(VarBind { name, value: value.map_or(Bound::Unspecified, Bound::Value) });
    }
    Ok(bindings)
}

fn second_agent(word: &str) -> String {
    format!(
        "{word} stands where an object is expected but looks like an agent, and the word before it was taken for the agent; \
         a community is given with -c, or in the URL, as in snmp://public@host"
    )
}

/// The first `=` outside quotes.
fn equals_sign(word: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in word.char_indices() {
        match (quote, c) {
            (None, '=') => return (at > 0).then_some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_smi::Value;

    fn parse(words: &[&str]) -> Result<Vec<VarBind>, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        assignments(&words, &Names::built_in()).map_err(|fault| fault.to_string())
    }

    fn binding(name: &str, value: Value) -> VarBind {
        VarBind::new(Names::built_in().resolve(name).unwrap(), value)
    }

    #[test]
    fn both_forms_are_understood_and_mix() {
        let given =
            ["ifAdminStatus.2=down", "ifAlias.2", "s", "a=b", "1.3.6.1.4.1.9.1", "i", "-5", "ifAlias.3=x=y"];
        assert_eq!(
            parse(&given).unwrap(),
            [
                binding("ifAdminStatus.2", Value::Integer(2)),
                binding("ifAlias.2", Value::text("a=b")),
                binding("1.3.6.1.4.1.9.1", Value::Integer(-5)),
                binding("ifAlias.3", Value::text("x=y")),
            ]
        );
        assert_eq!(parse(&["ifAlias.2", "=", "up"]).unwrap(), [binding("ifAlias.2", Value::text("up"))]);
        assert_eq!(parse(&["ifAlias.2", "n", ""]).unwrap()[0].value, Bound::Unspecified);
    }

    #[test]
    fn leaves_have_paths_with_the_names_of_modules() {
        let read = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            Assignments::read(&words, &Names::built_in()).map_err(|fault| fault.to_string())
        };
        let Ok(Assignments::Leaves(leaves)) = read(&["/a:x[k='a=]b']/y=1=2", "/a:z="]) else { panic!() };
        let found: Vec<(&str, &str)> =
            leaves.iter().map(|(path, (_, value))| (path.as_str(), value.as_str())).collect();
        assert_eq!(found, [("/a:x[k='a=]b']/y", "1=2"), ("/a:z", "")]);
        for (word, words) in
            [("/a:x", "a value is missing"), ("/x=1", "MODULE:NAME"), ("/a:x[=1", "a value is missing")]
        {
            let error = read(&[word]).err().unwrap();
            assert!(error.contains(words), "{word}: {error}");
        }
        assert!(matches!(read(&["ifAlias.2=/a:x=1"]), Ok(Assignments::Objects(_))));
        // `trunkline set URL/sysContact.0=me` names an agent only.
        let error = read(&[]).err().unwrap();
        assert!(error.contains("nothing is set") && error.contains("OBJECT=VALUE"), "{error}");
    }

    #[test]
    fn mistakes_are_reported() {
        assert!(parse(&["ifAlias.2"]).unwrap_err().contains("a value is missing"));
        assert!(parse(&["ifAlias.2", "s"]).unwrap_err().contains("a value is missing"));
        for agent in [&["127.0.0.1:161", "ifAlias.2", "s"][..], &["snmp://h/", "s", "x"], &["h:161"]] {
            assert!(parse(agent).unwrap_err().contains("a community is given with -c"), "{agent:?}");
        }
        assert!(parse(&["ifAlas.2=x"]).unwrap_err().contains("ifAlias"));
        assert!(parse(&["ifAdminStatus.2=left"]).unwrap_err().contains("up(1) down(2)"));
        assert!(parse(&["ifAdminStatus.2", "y", "1"]).unwrap_err().contains("value type"));
    }
}
