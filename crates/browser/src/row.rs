//! Rows of MIB tables that are created here: those of tables with a RowStatus (RFC 2579), with all their columns at once
//! (`createAndGo`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use trunkline_restconf::target::{Target, encode, uri};
use trunkline_smi::schema::{MaxAccess, Syntax};
use trunkline_smi::{Value, ValueKind};
use trunkline_yang::forest::{Forest, NodeId, Place};
use trunkline_yang::lexical;

use crate::field::Field;
use crate::form::Fields;
use crate::object::{Object, Octets, expected, octets_of};
use crate::schema;

/// A table of which rows can be created.
#[derive(Clone, Debug)]
pub struct Creation<'f> {
    forest: &'f Forest,
    list: Target,
    node: NodeId,
    /// The name of the column with the RowStatus.
    status: String,
    /// The object without the instance.
    pub status_object: Vec<u32>,
}

/// A row that is to be created.
#[derive(Clone, Debug)]
pub struct NewRow {
    /// Its path below `/restconf/data`.
    pub path: String,
    /// What is to be set, the RowStatus first.
    pub bindings: Vec<(Object, Value)>,
}

/// Why there is no such row: a sentence without its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRow {
    /// A column or a part of the index has no such value.
    #[error("{name} must be {expected}")]
    Value {
        /// Its descriptor.
        name: String,
        /// What it may be.
        expected: String,
    },
    /// The parts of the index are each right, and together they name no row.
    #[error("no row of this table can have this index")]
    Index,
    /// It has fields that no row has, or that cannot be set in a new one.
    #[error("a new row or entry here has no {}", listed(.0))]
    Unknown(Vec<String>),
}

/// Some of these names, none of them long: they are as somebody wrote them.
fn listed(names: &[String]) -> String {
    let short = |name: &String| name.chars().take(LONGEST_SHOWN).collect::<String>();
    let mut shown: Vec<String> = names.iter().take(MOST_SHOWN).map(short).collect();
    if names.len() > MOST_SHOWN {
        shown.push(format!("{} others", names.len() - MOST_SHOWN));
    }
    shown.join(", ")
}

impl<'f> Creation<'f> {
    /// That of the list that a path below `/restconf/data` names; `None`: its rows are not created by managers.
    pub fn find(forest: &'f Forest, path: &str) -> Option<Creation<'f>> {
        Creation::of(forest, &Target::read(path, forest).ok()?)
    }

    /// That of a list as a whole; `None`: its rows are not created by managers.
    pub fn of(forest: &'f Forest, target: &Target) -> Option<Creation<'f>> {
        let node = target.whole_list(forest)?;
        let Place::List(list) = forest[node].place else { return None };
        let is_status = |id: &&NodeId| {
            matches!(forest[**id].place, Place::Column(table, column)
            if table.oid == list.oid && column.syntax.convention == "RowStatus" && column.access == MaxAccess::ReadCreate)
        };
        let status = forest.children(Some(node)).iter().find(is_status)?;
        let Place::Column(table, column) = forest[*status].place else { return None };
        let status_object = [table.oid, &[1, column.id]].concat();
        let status = schema::name_within(forest, *status);
        Some(Creation { forest, list: target.clone(), node, status, status_object })
    }

    /// The fields of its form: the parts of the index, and the columns that `may_set` lets the client set.
    pub fn fields(&self, may_set: impl Fn(&[u32]) -> bool) -> Vec<Field> {
        let columns = self.columns().filter(|(_, object)| may_set(object)).map(|(id, _)| id);
        let all = self.forest.keys(self.node).chain(columns);
        all.filter_map(|id| Field::of(self.forest, id, "")).collect()
    }

    /// The columns that managers may set, without the RowStatus.
    fn columns(&self) -> impl Iterator<Item = (NodeId, Vec<u32>)> {
        self.forest.children(Some(self.node)).iter().filter_map(|id| match self.forest[*id].place {
            Place::Column(table, column)
                if column.access.is_writable() && schema::name_within(self.forest, *id) != self.status =>
            {
                Some((*id, [table.oid, &[1, column.id]].concat()))
            }
            _ => None,
        })
    }

    /// The row of a form. A column without a text is left out: the agent has a default for it, or refuses.
    ///
    /// # Errors
    /// [`NoRow`]
    pub fn row(&self, fields: &Fields) -> Result<NewRow, NoRow> {
        let name_of = |id: NodeId| schema::name_within(self.forest, id);
        let known = self.forest.keys(self.node).chain(self.columns().map(|(id, _)| id)).map(name_of);
        check_names(fields, &known.collect::<Vec<_>>())?;
        let mut path = uri(&self.list, self.forest);
        for (at, key) in self.forest.keys(self.node).enumerate() {
            let (syntax, name) = (self.forest[key].place.syntax().ok_or(NoRow::Index)?, name_of(key));
            let text = fields.get(&name).unwrap_or_default();
            path.push(if at == 0 { '=' } else { ',' });
            encode(&key_of(text, fields.octets(&name), syntax, &name)?, &mut path);
        }
        let object = |name: &str| Object::find(self.forest, &format!("{path}/{name}")).ok_or(NoRow::Index);
        let mut bindings = vec![(object(&self.status)?, Value::Integer(CREATE_AND_GO))];
        for (id, _) in self.columns() {
            let name = name_of(id);
            let Some(text) = fields.get(&name).filter(|text| !text.is_empty()) else { continue };
            let object = object(&name)?;
            let value = object.value(text, fields.octets(&name));
            let value = value.map_err(|_| NoRow::Value { name, expected: object.expected() })?;
            bindings.push((object, value));
        }
        Ok(NewRow { path, bindings })
    }
}

/// Whether a form has no other fields than these: one that is written wrong must not be left out silently.
///
/// # Errors
/// [`NoRow::Unknown`]
pub(crate) fn check_names(fields: &Fields, known: &[String]) -> Result<(), NoRow> {
    let others = fields.others(known);
    if others.is_empty() { Ok(()) } else { Err(NoRow::Unknown(others)) }
}

/// A part of the index as paths have it.
fn key_of(text: &str, octets: Octets, syntax: &'static Syntax, name: &str) -> Result<String, NoRow> {
    let wrong = || NoRow::Value { name: name.to_owned(), expected: expected(syntax) };
    let (text, value) = if lexical::is_binary(syntax) {
        let octets = octets_of(text, octets).ok_or_else(wrong)?;
        (STANDARD.encode(&octets), Value::OctetString(octets))
    } else {
        (text.to_owned(), lexical::read(text, syntax).ok_or_else(wrong)?)
    };
    if syntax.check(value.as_value_ref()).is_err() || value.kind() != syntax.kind {
        return Err(wrong());
    }
    // As it will be read: a number without zeros before it.
    match syntax.kind {
        ValueKind::OctetString | ValueKind::Opaque => Ok(text),
        _ => {
            let mut written = String::new();
            lexical::write(value.as_value_ref(), syntax, &mut written);
            Ok(written)
        }
    }
}

/// RFC 2579: the row is there at once, with the values that come with it.
const CREATE_AND_GO: i32 = 4;
/// Characters of an unknown name that an error repeats.
const LONGEST_SHOWN: usize = 64;
/// Unknown names that an error repeats.
const MOST_SHOWN: usize = 5;

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::field::Kind;
    use crate::schema::forest;

    static FOREST: LazyLock<Forest> = LazyLock::new(forest);

    fn creation(path: &str) -> Option<Creation<'static>> {
        Creation::of(&FOREST, &Target::read(path, &FOREST).unwrap())
    }

    const GROUPS: &str =
        "SNMP-VIEW-BASED-ACM-MIB:SNMP-VIEW-BASED-ACM-MIB/vacmSecurityToGroupTable/vacmSecurityToGroupEntry";

    #[test]
    fn tables_with_a_row_status_have_a_form() {
        let creation = creation(GROUPS).unwrap();
        let fields = creation.fields(|_| true);
        let of = |name: &str| fields.iter().find(|field| field.name == name).unwrap();
        assert!(of("vacmSecurityModel").is_key && of("vacmSecurityName").is_key);
        assert!(!of("vacmGroupName").is_key && of("vacmGroupName").kind == Kind::Text);
        assert!(
            matches!(&of("vacmSecurityToGroupStorageType").kind, Kind::Choice(names) if names.contains(&"volatile".to_owned()))
        );
        assert!(fields.iter().all(|field| field.name != "vacmSecurityToGroupStatus"));
        assert_eq!(creation.fields(|_| false).len(), 2);
        for path in ["IF-MIB:IF-MIB/ifTable/ifEntry", "IF-MIB:IF-MIB/ifTable", "ietf-snmp:snmp/community", ""]
        {
            assert!(self::creation(path).is_none(), "{path}");
        }
        assert!(self::creation(&format!("{GROUPS}=3,ann")).is_none());
    }

    fn row(body: &str) -> Result<NewRow, NoRow> {
        creation(GROUPS).unwrap().row(&Fields::read(body.as_bytes()).unwrap())
    }

    #[test]
    fn a_form_becomes_a_row() {
        let made = row("v.vacmSecurityModel=03&v.vacmSecurityName=a%2Cn&v.vacmGroupName=ops&v.vacmSecurityToGroupStorageType=").unwrap();
        assert_eq!(made.path, format!("/{GROUPS}=3,a%2Cn"));
        let bindings: Vec<(String, Value)> =
            made.bindings.iter().map(|(object, value)| (object.name.to_string(), value.clone())).collect();
        assert_eq!(
            bindings,
            [
                ("1.3.6.1.6.3.16.1.2.1.5.3.3.97.44.110".to_owned(), Value::Integer(4)),
                ("1.3.6.1.6.3.16.1.2.1.3.3.3.97.44.110".to_owned(), Value::text("ops")),
            ]
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (body, words) in [
            ("v.vacmSecurityModel=x&v.vacmSecurityName=a", "vacmSecurityModel must be a number from"),
            ("v.vacmSecurityModel=3", "vacmSecurityName must be "),
            (
                "v.vacmSecurityModel=3&v.vacmSecurityName=a&v.vacmSecurityToGroupStorageType=x",
                "vacmSecurityToGroupStorageType must be one of",
            ),
        ] {
            let error = row(body).unwrap_err().to_string();
            assert!(error.starts_with(words), "{error}");
        }
        // What nobody could set is not left out: the row would not be what its author thinks.
        for (body, words) in [
            ("v.nonsense=1", "a new row or entry here has no nonsense"),
            (
                "v.vacmSecurityToGroupStatus=active",
                "a new row or entry here has no vacmSecurityToGroupStatus",
            ),
            ("o.nonsense=hex&v.Nonsense=", "a new row or entry here has no Nonsense, nonsense"),
        ] {
            let error = row(&format!("v.vacmSecurityModel=3&v.vacmSecurityName=a&{body}")).unwrap_err();
            assert_eq!(error.to_string(), words);
        }
        let many = NoRow::Unknown(vec!["x".repeat(99); 7]).to_string();
        assert!(many.ends_with(", 2 others") && many.len() < 400, "{many}");
        assert_eq!(NoRow::Index.to_string(), "no row of this table can have this index");
    }

    #[test]
    fn a_column_of_another_module_has_that_in_its_name() {
        let path = "SNMP-TARGET-MIB:SNMP-TARGET-MIB/snmpTargetAddrTable/snmpTargetAddrEntry";
        let creation = creation(path).unwrap();
        let name = "SNMP-COMMUNITY-MIB:snmpTargetAddrMMS";
        assert!(creation.fields(|_| true).iter().any(|field| field.name == name));
        let given = Fields::read(format!("v.snmpTargetAddrName=a&v.{name}=500").as_bytes()).unwrap();
        let row = creation.row(&given).unwrap();
        assert_eq!((row.bindings.len(), row.bindings[1].0.label), (2, "snmpTargetAddrMMS"));
    }

    proptest! {
        #[test]
        fn a_name_of_any_octets_comes_back(name in "\\PC{1,10}", group in "[a-z]{1,8}") {
            let escaped = |text: &str| text.bytes().map(|octet| format!("%{octet:02x}")).collect::<String>();
            prop_assume!(name.len() <= 32);
            let made = row(&format!("v.vacmSecurityModel=3&v.vacmSecurityName={}&v.vacmGroupName={group}", escaped(&name)));
            let made = made.unwrap();
            let index: Vec<u32> = name.bytes().map(u32::from).collect();
            prop_assert!(made.bindings[1].0.name.ends_with(&index));
            prop_assert_eq!(&made.bindings[1].1, &Value::text(&group));
        }
    }
}
