//! What devices have told, as JSON for the page: an event of a stream of server-sent events.

use std::fmt::Write as _;

use trunkline_smi::module::ALL;
use trunkline_smi::schema::Syntax;
use trunkline_smi::{Oid, Value, display_oid};
use trunkline_yang::lexical;

use crate::schema::text;

/// An event: its number, when it came in milliseconds since 1970, the device, the name of the notification, and names and values of
/// what it says.
pub fn write(number: u64, time: u128, device: &str, name: &str, content: &[(String, String)]) -> String {
    let mut out = String::new();
    let _ = write!(out, "id: {number}\ndata: {{\"time\":{time},\"device\":");
    text(&mut out, device);
    out.push_str(",\"name\":");
    text(&mut out, name);
    out.push_str(",\"content\":{");
    for (at, (name, value)) in content.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        text(&mut out, name);
        out.push(':');
        text(&mut out, value);
    }
    out.push_str("}}\n\n");
    out
}

/// The name of a notification of SNMP, and its objects by name; what no built-in module has is a number.
pub fn named(notification: &Oid, objects: &[(Oid, Value)]) -> (String, Vec<(String, String)>) {
    let known = ALL.iter().flat_map(|module| module.notifications).find(|it| *it.oid == **notification);
    let name = known.map_or_else(|| notification.to_string(), |it| it.name.to_owned());
    (name, objects.iter().map(|(name, value)| object(name, value)).collect())
}

/// An object, with the row that it is of behind its name.
fn object(name: &Oid, value: &Value) -> (String, String) {
    let Some((label, oid, syntax)) = object_of(name) else {
        return (name.to_string(), written(value, None));
    };
    match &name[oid..] {
        [] | [0] => (label.to_owned(), written(value, Some(syntax))),
        row => (format!("{label}.{}", display_oid(row)), written(value, Some(syntax))),
    }
}

/// Its descriptor, the length of its identifier, and its syntax.
fn object_of(name: &Oid) -> Option<(&'static str, usize, &'static Syntax)> {
    let scalars = ALL.iter().flat_map(|module| module.scalars);
    let scalar = scalars.into_iter().find(|it| name.starts_with(it.oid));
    if let Some(scalar) = scalar {
        return Some((scalar.name, scalar.oid.len(), &scalar.syntax));
    }
    let table = ALL.iter().flat_map(|module| module.tables).find(|it| name.starts_with(it.oid))?;
    let column = match &name[table.oid.len()..] {
        [1, column, ..] => table.column(*column)?,
        _ => return None,
    };
    Some((column.name, table.oid.len() + 2, &column.syntax))
}

fn written(value: &Value, syntax: Option<&Syntax>) -> String {
    let mut out = String::new();
    match (value, syntax) {
        (value, Some(syntax)) if value.kind() == syntax.kind && !lexical::is_binary(syntax) => {
            lexical::write(value.as_value_ref(), syntax, &mut out);
        }
        (Value::OctetString(octets) | Value::Opaque(octets), _) => {
            return crate::plain::octets(octets.clone());
        }
        (value, _) => {
            let plain = match value {
                Value::Integer(_) => &Syntax::INTEGER32,
                Value::Counter64(_) => &Syntax::COUNTER64,
                Value::IpAddress(_) => &Syntax::IP_ADDRESS,
                Value::ObjectIdentifier(_) => &Syntax::OBJECT_IDENTIFIER,
                _ => &Syntax::GAUGE32,
            };
            lexical::write(value.as_value_ref(), plain, &mut out);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use trunkline_restconf::json::Json;

    use super::*;

    fn oid(text: &str) -> Oid {
        text.parse().unwrap()
    }

    #[test]
    fn notifications_have_names_where_they_are_known() {
        let objects = [
            (oid("1.3.6.1.2.1.2.2.1.1.3"), Value::Integer(3)),
            (oid("1.3.6.1.2.1.2.2.1.7.3"), Value::Integer(2)),
            (oid("1.3.6.1.2.1.1.5.0"), Value::text("sw1")),
            (oid("1.3.6.1.4.1.99999.1.0"), Value::OctetString(vec![0, 255])),
            (oid("1.3.6.1.4.1.99999.2.0"), Value::Counter64(7)),
            // Of another type than the schema's.
            (oid("1.3.6.1.2.1.2.2.1.8.3"), Value::text("x")),
        ];
        let (name, objects) = named(&oid("1.3.6.1.6.3.1.1.5.3"), &objects);
        assert_eq!(name, "linkDown");
        let objects: Vec<(&str, &str)> = objects.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(
            objects,
            [
                ("ifIndex.3", "3"),
                ("ifAdminStatus.3", "down"),
                ("sysName", "sw1"),
                ("1.3.6.1.4.1.99999.1.0", "00:ff"),
                ("1.3.6.1.4.1.99999.2.0", "7"),
                ("ifOperStatus.3", "x"),
            ]
        );
        assert_eq!(named(&oid("1.3.6.1.4.1.99999.0.1"), &[]).0, "1.3.6.1.4.1.99999.0.1");
    }

    #[test]
    fn an_event_is_one_line_of_json() {
        let event =
            write(7, 1000, "sw\n1", "a\"b", &[("x".into(), "1\n2".into()), ("y".into(), String::new())]);
        let data = event.strip_prefix("id: 7\ndata: ").and_then(|it| it.strip_suffix("\n\n")).unwrap();
        assert!(!data.contains('\n'));
        assert!(matches!(Json::read(data.as_bytes()), Ok(Json::Object(members)) if members.len() == 4));
    }
}
