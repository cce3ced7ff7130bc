//! What `where` and `cursor` say, as an expression and as keys.

use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_smi::Value;
use trunkline_xml::Writer;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::xpath::parse;

use super::Paging;
use crate::refusal::Refusal;
use crate::target::{Target, uri};

/// An expression whose value is the entries of a list for which another one holds, and an element with its prefixes. `prefixes`: those of
/// the other one; without them they are the names of modules.
///
/// # Errors
/// 400: a prefix cannot be declared.
pub fn holding_in(
    target: &Target,
    expression: &str,
    prefixes: Option<&[(String, String)]>,
    forest: &Forest,
) -> Result<(String, Document), Refusal> {
    // It is one expression, whatever it stands in.
    parse(expression).map_err(|error| super::invalid(&format!("where: {error}")))?;
    // Prefixes of the path, which the expression does not have.
    let mut own = "m".to_owned();
    while expression.contains(&own) {
        own.push('m');
    }
    let mut namespaces: Vec<(String, &str)> = Vec::new();
    let mut prefix_of = |node: NodeId| {
        let namespace = forest.module(node).namespace.as_str();
        let known = namespaces.iter().position(|(_, known)| *known == namespace);
        let at = known.unwrap_or_else(|| {
            namespaces.push((format!("{own}{}", namespaces.len()), namespace));
            namespaces.len() - 1
        });
        namespaces[at].0.clone()
    };
    let mut select = String::new();
    for step in &target.steps {
        select.push_str(&format!("/{}:{}", prefix_of(step.node), forest[step.node].name));
        for key in &step.keys {
            let (prefix, name) = (prefix_of(key.leaf), &forest[key.leaf].name);
            select.push_str(&format!("[{prefix}:{name}={}]", literal(&key.text)));
        }
    }
    select.push_str(&format!("[boolean({expression})]"));
    match prefixes {
        Some(given) => namespaces.extend(given.iter().map(|(prefix, of)| (prefix.clone(), of.as_str()))),
        None => {
            let modules = forest.modules().iter();
            let used = modules.filter(|module| expression.contains(&format!("{}:", module.name)));
            namespaces.extend(used.map(|module| (module.name.to_owned(), module.namespace.as_str())));
        }
    }
    let mut octets = Vec::new();
    let mut writer = Writer::new(&mut octets);
    writer.start("where");
    for (prefix, namespace) in &namespaces {
        writer.attribute(&format!("xmlns:{prefix}"), namespace);
    }
    writer.end("where");
    let document =
        Document::read(&octets, limits(octets.len())).map_err(|it| Refusal::bad(&it.to_string()))?;
    Ok((select, document))
}

/// A text as an expression; one with both kinds of quotes is not a literal.
fn literal(text: &str) -> String {
    match (text.contains('\''), text.contains('"')) {
        (false, _) => format!("'{text}'"),
        (true, false) => format!("\"{text}\""),
        (true, true) => {
            let parts: Vec<String> = text.split('\'').map(|part| format!("'{part}'")).collect();
            format!("concat({})", parts.join(",\"'\","))
        }
    }
}

/// The keys that a cursor stands for: texts and values.
///
/// # Errors
/// 501: it is one of a leaf-list. 404: it is not one of this list.
pub fn cursor_keys(target: &Target, cursor: &str, forest: &Forest) -> Result<Vec<(String, Value)>, Refusal> {
    if !target.is_whole_list(forest) {
        let message = "a leaf-list has no cursors: use offset";
        let error = RpcError::new(Layer::Application, Tag::OperationNotSupported, message);
        return Err(Refusal { status: 501, errors: vec![error] });
    }
    let path = format!("{}={cursor}", uri(target, forest));
    // A slash would be another step.
    let read = Target::read(&path, forest).ok().filter(|read| read.steps.len() == target.steps.len());
    let last = read.and_then(|read| read.steps.into_iter().next_back()).ok_or_else(Paging::no_cursor)?;
    Ok(last.keys.into_iter().map(|key| (key.text, key.value)).collect())
}

#[cfg(test)]
mod tests {
    use trunkline_yang::own::ALL;

    use super::*;

    #[test]
    fn an_expression_holds_of_the_entries_of_a_list() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let of = |path: &str, expression: &str, prefixes: Option<&[(String, String)]>| {
            let target = Target::read(path, &forest).unwrap();
            let (select, scope) =
                holding_in(&target, expression, prefixes, &forest).map_err(|it| it.status)?;
            parse(&select).unwrap_or_else(|error| panic!("{select}: {error}"));
            let declared =
                ["ietf-interfaces", "if", "mm0"].map(|prefix| scope.root().resolve(prefix).is_some());
            Ok::<_, u16>((select, declared))
        };
        let list = "/ietf-interfaces:interfaces/interface";
        let (select, declared) = of(list, "ietf-interfaces:name = 'mm'", None).unwrap();
        assert_eq!(select, "/mmm0:interfaces/mmm0:interface[boolean(ietf-interfaces:name = 'mm')]");
        assert_eq!(declared, [true, false, false]);
        let prefixes = [("if".to_owned(), "urn:ietf:params:xml:ns:yang:ietf-interfaces".to_owned())];
        assert_eq!(of(list, "if:enabled", Some(&prefixes)).unwrap().1, [false, true, false]);
        // The keys of what the list is in may have any characters.
        for key in ["a", "a'b", "a\"b", "a'b\"c"] {
            let mut path = format!("{list}=");
            crate::target::encode(key, &mut path);
            assert!(of(&format!("{path}/ietf-ip:ipv4/address"), "1", None).is_ok(), "{key}");
        }
        for wrong in ["", "a[", "1)][(1", "true()) and (true()"] {
            assert_eq!(of(list, wrong, None), Err(400), "{wrong}");
        }
    }
}
