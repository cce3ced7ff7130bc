//! What is configured, for readers without scripts: leaves and entries of lists as fields of a form, and as bodies of RESTCONF.

use trunkline_restconf::target::{Target, encode, uri};
use trunkline_yang::forest::{Forest, NodeId, Place};
use trunkline_yang::own::Setting;
use trunkline_yang::value_type::ValueType;

use crate::form::Fields;
use crate::plain::{Field, Kind};
use crate::row::NoRow;
use crate::schema;

/// Whether the client may change a leaf.
pub type MayChange<'a> = &'a dyn Fn(&Place) -> bool;

/// A leaf of the configuration that can be set.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'f> {
    forest: &'f Forest,
    node: NodeId,
    setting: &'static Setting,
}

impl<'f> Leaf<'f> {
    /// That of a resource; `None`: it is something else, or names the entry that it is in.
    pub fn of(forest: &'f Forest, target: &Target) -> Option<Leaf<'f>> {
        let last = target.steps.last()?;
        target.is_configuration(forest).then(|| Leaf::at(forest, last.node)).flatten()
    }

    fn at(forest: &'f Forest, node: NodeId) -> Option<Leaf<'f>> {
        let place = &forest[node].place;
        let setting = place.setting().filter(|setting| !matches!(setting.value, ValueType::Empty))?;
        let is_single = !place.is_key() && !place.is_leaf_list();
        is_single.then_some(Leaf { forest, node, setting })
    }

    /// Its place in the schema.
    pub fn place(&self) -> &Place {
        &self.forest[self.node].place
    }

    /// Whether nobody reads it.
    pub fn is_secret(&self) -> bool {
        self.setting.is_secret
    }

    /// Its field in a form.
    pub fn field(&self) -> Field {
        field(self.forest, self.node, self.setting)
    }

    /// The body with a value.
    ///
    /// # Errors
    /// The leaf cannot have it.
    pub fn body(&self, text: &str) -> Result<Vec<u8>, NoRow> {
        let mut out = String::from("{");
        schema::text(
            &mut out,
            &format!("{}:{}", self.forest.module(self.node).name, self.forest[self.node].name),
        );
        out.push(':');
        value(self.forest, self.node, self.setting, text, &mut out)?;
        out.push('}');
        Ok(out.into_bytes())
    }
}

/// A list of the configuration, of which entries can be created.
#[derive(Clone, Debug)]
pub struct List<'f> {
    forest: &'f Forest,
    target: Target,
    node: NodeId,
}

/// An entry that is to be created.
#[derive(Debug)]
pub struct NewEntry {
    /// Its path below `/restconf/data`.
    pub path: String,
    /// The body of the request that creates it.
    pub body: Vec<u8>,
}

impl<'f> List<'f> {
    /// That of a list as a whole.
    pub fn of(forest: &'f Forest, target: &Target) -> Option<List<'f>> {
        let node = target.whole_list(forest)?;
        let is_list = forest[node].place.is_list() && target.is_configuration(forest);
        is_list.then(|| List { forest, target: target.clone(), node })
    }

    /// Whether the client may change something of its entries.
    pub fn may_change(&self, may_change: MayChange<'_>) -> bool {
        may_change_in(self.forest, self.node, may_change)
    }

    /// The fields of its form: the keys, and the leaves that the client may change.
    pub fn fields(&self, may_change: MayChange<'_>) -> Vec<Field> {
        let of = |node: &NodeId| Some(field(self.forest, *node, self.forest[*node].place.setting()?));
        let keys: Vec<NodeId> = self.forest.keys(self.node).collect();
        let leaves = self.leaves().filter(|leaf| may_change(leaf.place()));
        keys.iter().filter_map(of).chain(leaves.map(|leaf| leaf.field())).collect()
    }

    fn leaves(&self) -> impl Iterator<Item = Leaf<'f>> {
        self.forest.children(Some(self.node)).iter().filter_map(|node| Leaf::at(self.forest, *node))
    }

    /// The entry of a form. A leaf without a text is left out.
    ///
    /// # Errors
    /// A leaf cannot have the value of the form.
    pub fn entry(&self, fields: &Fields) -> Result<NewEntry, NoRow> {
        let forest = self.forest;
        let mut path = uri(&self.target, forest);
        let mut body = String::from("{");
        let module = forest.module(self.node).name;
        schema::text(&mut body, &format!("{module}:{}", forest[self.node].name));
        body.push_str(":[{");
        let mut add = |node: NodeId, setting: &'static Setting, text: &str| {
            if !body.ends_with('{') {
                body.push(',');
            }
            schema::text(&mut body, &name_of(forest, node));
            body.push(':');
            value(forest, node, setting, text, &mut body)
        };
        for (at, key) in forest.keys(self.node).enumerate() {
            let setting = forest[key].place.setting().ok_or(NoRow::Index)?;
            let text = fields.get(&name_of(forest, key)).unwrap_or_default();
            path.push(if at == 0 { '=' } else { ',' });
            encode(text, &mut path);
            add(key, setting, text)?;
        }
        for leaf in self.leaves() {
            if let Some(text) = fields.get(&name_of(forest, leaf.node)).filter(|text| !text.is_empty()) {
                add(leaf.node, leaf.setting, text)?;
            }
        }
        body.push_str("}]}");
        Ok(NewEntry { path, body: body.into_bytes() })
    }
}

/// Whether a resource is an entry of a list of the configuration, of which the client may change something.
pub fn is_entry(forest: &Forest, target: &Target, may_change: MayChange<'_>) -> bool {
    let Some(last) = target.steps.last() else { return false };
    forest[last.node].place.is_list()
        && !last.keys.is_empty()
        && target.is_configuration(forest)
        && may_change_in(forest, last.node, may_change)
}

fn may_change_in(forest: &Forest, list: NodeId, may_change: MayChange<'_>) -> bool {
    let leaves = forest.children(Some(list)).iter().filter(|node| forest[**node].place.setting().is_some());
    leaves.into_iter().any(|node| may_change(&forest[*node].place))
}

fn field(forest: &Forest, node: NodeId, setting: &'static Setting) -> Field {
    let kind = match setting.value {
        _ if setting.is_secret => Kind::Secret,
        ValueType::Boolean => Kind::Choice(vec!["true".into(), "false".into()]),
        ValueType::Enumeration(names) => Kind::Choice(names.iter().map(|name| (*name).to_owned()).collect()),
        ValueType::Number(least, most) => Kind::Number(least.to_string(), most.to_string()),
        _ => Kind::Text,
    };
    let expected = match (setting.default, setting.is_mandatory) {
        (Some(""), _) => "empty by default".to_owned(),
        (Some(default), _) => format!("{default} by default"),
        (None, true) => "required".to_owned(),
        (None, false) => String::new(),
    };
    Field { name: name_of(forest, node), is_key: forest[node].place.is_key(), kind, expected }
}

/// The name of a leaf within its entry.
fn name_of(forest: &Forest, node: NodeId) -> String {
    let prefix =
        if forest.begins_namespace(node) { format!("{}:", forest.module(node).name) } else { String::new() };
    prefix + &forest[node].name
}

/// A value as JSON has it (RFC 7951 section 6).
fn value(
    forest: &Forest,
    node: NodeId,
    setting: &'static Setting,
    text: &str,
    out: &mut String,
) -> Result<(), NoRow> {
    let own = forest.module(node).name;
    let resolve = |prefix: &str| {
        let name = if prefix.is_empty() { own } else { prefix };
        forest.modules().iter().find(|module| module.name == name).map(|module| module.namespace.as_str())
    };
    // Browsers send CR LF for every end of a line.
    let text = text.replace("\r\n", "\n");
    setting.value.canonical(&text, resolve).map_err(|words| NoRow::Value {
        name: forest[node].name.clone(),
        expected: words.strip_prefix("must be ").unwrap_or(&words).to_owned(),
    })?;
    let trimmed = text.trim();
    let is_number = trimmed.parse::<i64>().is_ok_and(|number| number.to_string() == trimmed);
    match setting.value {
        ValueType::Boolean => out.push_str(trimmed),
        ValueType::Number(_, most) if is_number && u32::try_from(most).is_ok() => out.push_str(trimmed),
        ValueType::NumberOr(..) | ValueType::Integer32 if is_number => out.push_str(trimmed),
        _ => schema::text(out, &text),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    static FOREST: LazyLock<Forest> = LazyLock::new(schema::forest);

    fn target(path: &str) -> Target {
        Target::read(path, &FOREST).unwrap()
    }

    fn body(path: &str, text: &str) -> Result<String, String> {
        let leaf = Leaf::of(&FOREST, &target(path)).unwrap_or_else(|| panic!("{path}"));
        leaf.body(text).map(|body| String::from_utf8(body).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_leaf_becomes_a_body_or_says_why_not() {
        assert_eq!(
            body("ietf-system:system/contact", "a \"b\"\r\nc"),
            Ok("{\"ietf-system:contact\":\"a \\\"b\\\"\\u000ac\"}".into())
        );
        assert_eq!(
            body("ietf-interfaces:interfaces/interface=a/enabled", "true"),
            Ok("{\"ietf-interfaces:enabled\":true}".into())
        );
        let wrong = body("ietf-interfaces:interfaces/interface=a/enabled", "yes").unwrap_err();
        assert_eq!(wrong, "enabled must be true or false");
        let entry = "ietf-snmp:snmp/community=a";
        for path in [
            "ietf-system:system",
            entry,
            "ietf-snmp:snmp/community=a/index",
            "IF-MIB:IF-MIB/interfaces/ifNumber",
            "",
        ] {
            assert!(Leaf::of(&FOREST, &target(path)).is_none(), "{path}");
        }
        assert!(
            is_entry(&FOREST, &target(entry), &|_| true) && !is_entry(&FOREST, &target(entry), &|_| false)
        );
        assert!(!is_entry(&FOREST, &target("ietf-snmp:snmp/community"), &|_| true));
        assert!(!is_entry(&FOREST, &target("ietf-system:system"), &|_| true));
    }

    #[test]
    fn an_entry_has_its_keys_and_what_was_written() {
        let list = List::of(&FOREST, &target("ietf-snmp:snmp/community")).unwrap();
        let fields = list.fields(&|_| true);
        assert!(fields[0].is_key && fields[0].name == "index", "{fields:?}");
        assert!(fields.iter().any(|field| field.name == "text-name"), "{fields:?}");
        assert_eq!(list.fields(&|_| false).len(), 1);
        assert!(list.may_change(&|_| true) && !list.may_change(&|_| false));
        let given = Fields::read(b"v.index=a%2Fb&v.text-name=quiet&v.security-name=").unwrap();
        let entry = list.entry(&given).unwrap();
        assert_eq!(entry.path, "/ietf-snmp:snmp/community=a%2Fb");
        let body = String::from_utf8(entry.body).unwrap();
        assert_eq!(body, "{\"ietf-snmp:community\":[{\"index\":\"a/b\",\"text-name\":\"quiet\"}]}");
        let wrong = list.entry(&Fields::read(b"v.index=").unwrap());
        assert!(wrong.is_err(), "{wrong:?}");
        for path in ["ietf-snmp:snmp/community=a", "ietf-snmp:snmp", "IF-MIB:IF-MIB/ifTable/ifEntry"] {
            assert!(List::of(&FOREST, &target(path)).is_none(), "{path}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_json(text in "\\PC{0,40}") {
            if let Ok(body) = body("ietf-system:system/contact", &text) {
                let json = trunkline_restconf::json::Json::read(body.as_bytes());
                prop_assert!(json.is_ok(), "{}", body);
            }
        }
    }
}
