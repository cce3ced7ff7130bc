//! One answer as data: what `--json` and `--csv` write of a variable binding.

use serde::Serialize;
use trunkline_mib::{Names, Style};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, Exception, VarBind};

/// A variable binding with its names; `docs/json.md` describes the fields.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Record {
    /// The instance in numbers.
    pub oid: String,
    /// The instance by name.
    pub name: String,
    /// The SMIv2 type, or the exception.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The value for programs.
    pub value: serde_json::Value,
    /// The value for people.
    pub text: String,
    /// The unit, or null.
    pub units: Option<&'static str>,
}

impl Record {
    /// The record of a binding; names are written in `style`.
    pub fn new(names: &Names, style: &Style, binding: &VarBind) -> Self {
        let units = names.units(&binding.name);
        let (kind, value, text) = match &binding.value {
            Bound::Value(value) => {
                (value.kind().name(), plain(value), names.text(&binding.name, value.as_value_ref()))
            }
            Bound::Exception(exception) => {
                (exception.name(), serde_json::Value::Null, exception_words(*exception).to_owned())
            }
            Bound::Unspecified => ("unSpecified", serde_json::Value::Null, String::new()),
        };
        Record {
            oid: binding.name.to_string(),
            name: names.format_oid(&binding.name, style),
            kind,
            value,
            text,
            units: (!units.is_empty()).then_some(units),
        }
    }

    /// The fields in order, for CSV.
    pub fn cells(&self) -> [String; 6] {
        let value = match &self.value {
            serde_json::Value::Null => String::new(),
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let units = self.units.unwrap_or_default().to_owned();
        [self.oid.clone(), self.name.clone(), self.kind.to_owned(), value, self.text.clone(), units]
    }
}

/// The fields of something that is written as JSON, in the order of `header`, for CSV. Lists are separated by spaces.
pub fn cells_of(record: &impl Serialize, header: &[&str]) -> serde_json::Result<Vec<String>> {
    let fields = serde_json::to_value(record)?;
    let words = |value: &serde_json::Value| match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(texts) => {
            texts.iter().filter_map(|text| text.as_str()).collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    };
    Ok(header.iter().map(|name| words(&fields[*name])).collect())
}

/// The value alone, as text; nothing where there is none.
pub fn value(names: &Names, binding: &VarBind) -> String {
    match &binding.value {
        Bound::Value(value) => names.text(&binding.name, value.as_value_ref()),
        _ => String::new(),
    }
}

/// The names of [`Record::cells`].
pub const HEADER: [&str; 6] = ["oid", "name", "type", "value", "text", "units"];

/// Numbers as numbers, octets in hexadecimal, identifiers and addresses dotted.
pub fn plain(value: &Value) -> serde_json::Value {
    match value {
        Value::Integer(number) => (*number).into(),
        Value::Counter32(number) | Value::Unsigned32(number) | Value::TimeTicks(number) => (*number).into(),
        Value::Counter64(number) => (*number).into(),
        Value::OctetString(_) | Value::Opaque(_) | Value::ObjectIdentifier(_) | Value::IpAddress(_) => {
            value.as_value_ref().to_string().into()
        }
    }
}

/// A binding as Net-SNMP prints it: `IF-MIB::ifDescr.2 = STRING: eth0`.
pub fn line(names: &Names, style: &Style, binding: &VarBind) -> String {
    let value = match &binding.value {
        Bound::Value(value) => names.format_value(&binding.name, value.as_value_ref(), style),
        Bound::Exception(exception) => exception_words(*exception).to_owned(),
        Bound::Unspecified => "NULL".to_owned(),
    };
    if style.value_only {
        return value;
    }
    let separator = if style.quick == trunkline_mib::Quick::Space { " " } else { " = " };
    format!("{}{separator}{value}", names.format_oid(&binding.name, style))
}

/// The meaning of an exception (RFC 3416 section 4.2.1), in the usual words.
pub fn exception_words(exception: Exception) -> &'static str {
    match exception {
        Exception::NoSuchObject => "No Such Object available on this agent at this OID",
        Exception::NoSuchInstance => "No Such Instance currently exists at this OID",
        Exception::EndOfMibView => {
            "No more variables left in this MIB View (It is past the end of the MIB tree)"
        }
    }
}

/// The name of an instance in messages.
pub fn label(names: &Names, oid: &Oid) -> String {
    names.format_oid(oid, &Style::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binding(name: &str, value: Bound) -> VarBind {
        VarBind { name: Names::built_in().resolve(name).unwrap(), value }
    }

    #[test]
    fn records_have_stable_fields() {
        let names = Names::built_in();
        let json = |binding: &VarBind| {
            serde_json::to_string(&Record::new(&names, &Style::default(), binding)).unwrap()
        };
        assert_eq!(
            json(&binding("ifOperStatus.2", Bound::Value(Value::Integer(1)))),
            r#"{"oid":"1.3.6.1.2.1.2.2.1.8.2","name":"IF-MIB::ifOperStatus.2","type":"INTEGER","value":1,"text":"up","units":null}"#
        );
        assert_eq!(
            json(&binding("ifDescr.2", Bound::Value(Value::text("eth0")))),
            r#"{"oid":"1.3.6.1.2.1.2.2.1.2.2","name":"IF-MIB::ifDescr.2","type":"OCTET STRING","value":"65746830","text":"eth0","units":null}"#
        );
        assert_eq!(
            json(&binding("ifHCInOctets.2", Bound::Value(Value::Counter64(u64::MAX)))),
            r#"{"oid":"1.3.6.1.2.1.31.1.1.1.6.2","name":"IF-MIB::ifHCInOctets.2","type":"Counter64","value":18446744073709551615,"text":"18446744073709551615","units":"octets"}"#
        );
        assert_eq!(
            json(&binding("ifDescr.9", Bound::Exception(Exception::NoSuchInstance))),
            r#"{"oid":"1.3.6.1.2.1.2.2.1.2.9","name":"IF-MIB::ifDescr.9","type":"noSuchInstance","value":null,"text":"No Such Instance currently exists at this OID","units":null}"#
        );
    }

    #[test]
    fn lines_are_those_of_net_snmp() {
        let names = Names::built_in();
        let of = |letters: &str, binding: &VarBind| {
            let mut style = Style::default();
            style.apply(letters).unwrap();
            line(&names, &style, binding)
        };
        let status = binding("ifOperStatus.2", Bound::Value(Value::Integer(1)));
        assert_eq!(of("", &status), "IF-MIB::ifOperStatus.2 = INTEGER: up(1)");
        assert_eq!(of("n", &status), ".1.3.6.1.2.1.2.2.1.8.2 = INTEGER: up(1)");
        assert_eq!(of("v", &status), "INTEGER: up(1)");
        assert_eq!(of("qs", &status), "ifOperStatus.2 up");
        assert_eq!(of("Qe", &status), "IF-MIB::ifOperStatus.2 = 1");
        let missing = binding("ifDescr.9", Bound::Exception(Exception::NoSuchInstance));
        assert_eq!(of("", &missing), "IF-MIB::ifDescr.9 = No Such Instance currently exists at this OID");
    }
}
