//! What is configured, for readers without scripts: leaves and entries of lists as fields of a form, and as bodies of RESTCONF.

use trunkline_restconf::target::{Target, encode, uri};
use trunkline_yang::forest::{Forest, NodeId, Place};
use trunkline_yang::own::{Rule, Setting};
use trunkline_yang::value_type::ValueType;

use crate::field::Field;
use crate::form::Fields;
use crate::row::{NoRow, check_names};
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

    /// Its name in a form.
    pub fn name(&self) -> String {
        schema::name_within(self.forest, self.node)
    }

    /// Its field in a form of its own.
    pub fn field(&self) -> Option<Field> {
        Field::of(self.forest, self.node, "").map(Field::alone)
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

    /// The fields of its form: the keys, and the leaves that the client may change, also those of containers in an entry.
    pub fn fields(&self, may_change: MayChange<'_>) -> Vec<Field> {
        let keys = self.forest.keys(self.node);
        let mut fields: Vec<Field> = keys.filter_map(|key| Field::of(self.forest, key, "")).collect();
        self.add_fields(self.node, ("", None), may_change, &mut fields);
        fields
    }

    /// Those in a node whose fields begin so; `choice` is the one that the node is a case of.
    fn add_fields(
        &self,
        within: NodeId,
        (start, choice): (&str, Option<&str>),
        may_change: MayChange<'_>,
        fields: &mut Vec<Field>,
    ) {
        let forest = self.forest;
        let cases = cases(forest, within, start);
        for child in forest.children(Some(within)) {
            let choice = if forest[*child].place.case() > 0 { cases.as_deref() } else { choice };
            if Leaf::at(forest, *child).is_some_and(|leaf| may_change(leaf.place())) {
                let field = Field::of(forest, *child, start);
                fields.extend(field.map(|field| Field { choice: choice.map(str::to_owned), ..field }));
            } else if is_within_entry(forest, *child) {
                let start = format!("{start}{}/", schema::name_within(forest, *child));
                self.add_fields(*child, (&start, choice), may_change, fields);
            }
        }
    }

    /// The entry of a form. A leaf without a text is left out.
    ///
    /// # Errors
    /// A leaf cannot have the value of the form.
    pub fn entry(&self, fields: &Fields) -> Result<NewEntry, NoRow> {
        let forest = self.forest;
        let known: Vec<String> = self.fields(&|_| true).into_iter().map(|field| field.name).collect();
        check_names(fields, &known)?;
        let mut path = uri(&self.target, forest);
        let mut body = String::from("{");
        let module = forest.module(self.node).name;
        schema::text(&mut body, &format!("{module}:{}", forest[self.node].name));
        body.push_str(":[{");
        for (at, key) in forest.keys(self.node).enumerate() {
            let setting = forest[key].place.setting().ok_or(NoRow::Index)?;
            let text = fields.get(&schema::name_within(forest, key)).unwrap_or_default();
            path.push(if at == 0 { '=' } else { ',' });
            encode(text, &mut path);
            add(forest, key, setting, text, &mut body)?;
        }
        self.add_values(self.node, "", fields, &mut body)?;
        body.push_str("}]}");
        Ok(NewEntry { path, body: body.into_bytes() })
    }

    /// What a form has of a node whose fields begin so. A container without any is left out.
    fn add_values(
        &self,
        within: NodeId,
        start: &str,
        fields: &Fields,
        body: &mut String,
    ) -> Result<(), NoRow> {
        let forest = self.forest;
        for child in forest.children(Some(within)) {
            let name = schema::name_within(forest, *child);
            if let Some(leaf) = Leaf::at(forest, *child) {
                if let Some(text) = fields.get(&format!("{start}{name}")).filter(|text| !text.is_empty()) {
                    add(forest, *child, leaf.setting, text, body)?;
                }
            } else if is_within_entry(forest, *child) {
                let mut inner = String::from("{");
                self.add_values(*child, &format!("{start}{name}/"), fields, &mut inner)?;
                if inner != "{" {
                    begin(&name, body);
                    body.push_str(&inner);
                    body.push('}');
                }
            }
        }
        Ok(())
    }
}

/// Whether a node is a container of the configuration, whose leaves are set with the entry that it is in.
fn is_within_entry(forest: &Forest, node: NodeId) -> bool {
    let place = &forest[node].place;
    place.is_configuration() && place.syntax().is_none() && !place.is_list()
}

/// The cases of a node's choice, of which an entry has one; `None`: it has no choice.
fn cases(forest: &Forest, within: NodeId, start: &str) -> Option<String> {
    let choice = forest[within].place.rules().iter().find_map(|rule| match rule {
        Rule::Choice(name) => Some(*name),
        _ => None,
    });
    let cases = forest.children(Some(within)).iter().filter(|child| forest[**child].place.case() > 0);
    let names: Vec<&str> = cases.map(|case| forest[*case].name.as_str()).collect();
    (!names.is_empty()).then(|| format!("{start}{}: one of {}", choice.unwrap_or("choice"), names.join(", ")))
}

/// Begins a member of an object.
pub(crate) fn begin(name: &str, body: &mut String) {
    if !body.ends_with('{') {
        body.push(',');
    }
    schema::text(body, name);
    body.push(':');
}

/// Adds a leaf to an object.
pub(crate) fn add(
    forest: &Forest,
    node: NodeId,
    setting: &'static Setting,
    text: &str,
    body: &mut String,
) -> Result<(), NoRow> {
    begin(&schema::name_within(forest, node), body);
    value(forest, node, setting, text, body)
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
        let unknown = list.entry(&Fields::read(b"v.index=a&v.nonsense=1").unwrap()).unwrap_err();
        assert_eq!(unknown.to_string(), "a new row or entry here has no nonsense");
        for path in ["ietf-snmp:snmp/community=a", "ietf-snmp:snmp", "IF-MIB:IF-MIB/ifTable/ifEntry"] {
            assert!(List::of(&FOREST, &target(path)).is_none(), "{path}");
        }
    }

    #[test]
    fn an_entry_has_what_is_in_its_containers_and_says_which_exclude_each_other() {
        let list = List::of(&FOREST, &target("ietf-snmp:snmp/target")).unwrap();
        let fields = list.fields(&|_| true);
        let of = |name: &str| fields.iter().find(|it| it.name == name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(of("udp/ip").choice.as_deref(), Some("transport: one of udp, tls, dtls, ssh"));
        assert_eq!(
            (of("tls/server-identity").choice.clone(), &of("retries").choice),
            (of("udp/ip").choice.clone(), &None)
        );
        assert_eq!(of("udp/ip").expected, "required with udp");
        let given = b"v.name=a&v.udp/ip=192.0.2.1&v.udp/port=162&v.tls/ip=&v.target-params=p";
        let entry = list.entry(&Fields::read(given).unwrap()).unwrap();
        let body = String::from_utf8(entry.body).unwrap();
        assert_eq!(
            body,
            "{\"ietf-snmp:target\":[{\"name\":\"a\",\"udp\":{\"ip\":\"192.0.2.1\",\"port\":162},\"target-params\":\"p\"}]}"
        );
        // A choice within a container, and a presence.
        let users = List::of(&FOREST, &target("ietf-snmp:snmp/usm/local/user")).unwrap();
        let given = Fields::read(b"v.name=u&v.auth/sha/key=00").unwrap();
        let body = String::from_utf8(users.entry(&given).unwrap().body).unwrap();
        assert!(body.ends_with("{\"name\":\"u\",\"auth\":{\"sha\":{\"key\":\"00\"}}}]}"), "{body}");
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
