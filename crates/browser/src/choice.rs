//! Choices of the configuration: what a value of a leaf removes, because it is in another case than what is there (RFC 7950 section 7.9).

use trunkline_restconf::json::Json;
use trunkline_restconf::target::{Target, uri};
use trunkline_yang::forest::{Forest, NodeId, Place};

use crate::plain::{only, text_of_value};
use crate::row::NoRow;
use crate::schema;
use crate::setting::{add, begin};

/// The choices that a leaf is in.
#[derive(Clone, Copy, Debug)]
pub struct Choices<'t> {
    forest: &'t Forest,
    target: &'t Target,
    /// Steps of its path that are outside of all of them.
    outside: usize,
}

/// What there is of other cases.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Others {
    /// A line for each leaf, which a value removes.
    pub lines: Vec<String>,
    /// Whether the cases that the leaf is in are those in use.
    pub is_used: bool,
}

impl<'t> Choices<'t> {
    /// Those of a leaf; `None`: it is in no case of a choice.
    pub fn of(forest: &'t Forest, target: &'t Target) -> Option<Choices<'t>> {
        let outside = target.steps.iter().position(|step| forest[step.node].place.case() > 0)?;
        (outside > 0).then_some(Choices { forest, target, outside })
    }

    /// The path of what has the outermost one.
    pub fn path(&self) -> String {
        uri(&self.target.first(self.outside), self.forest)
    }

    /// The body of a request that writes a value of the leaf into what has the outermost choice.
    ///
    /// # Errors
    /// The leaf cannot have it.
    pub fn body(&self, text: &str) -> Result<Vec<u8>, NoRow> {
        let forest = self.forest;
        let (above, within) = self.target.steps.split_at(self.outside);
        let (Some(above), Some((leaf, between))) = (above.last(), within.split_last()) else {
            return Err(NoRow::Index);
        };
        let is_list = forest[above.node].place.is_list();
        let mut body = String::from("{");
        begin(&format!("{}:{}", forest.module(above.node).name, forest[above.node].name), &mut body);
        body.push_str(if is_list { "[{" } else { "{" });
        for key in &above.keys {
            let setting = forest[key.leaf].place.setting().ok_or(NoRow::Index)?;
            add(forest, key.leaf, setting, &key.text, &mut body)?;
        }
        for step in between {
            begin(&schema::name_within(forest, step.node), &mut body);
            body.push('{');
        }
        let setting = forest[leaf.node].place.setting().ok_or(NoRow::Index)?;
        add(forest, leaf.node, setting, text, &mut body)?;
        body.push_str(&"}".repeat(between.len()));
        body.push_str(if is_list { "}]}" } else { "}}" });
        Ok(body.into_bytes())
    }

    /// What there is of other cases, by the body of what has the outermost choice.
    pub fn others(&self, above: Option<&[u8]>, is_hidden: &dyn Fn(&Place) -> bool) -> Others {
        let json = above.and_then(only);
        let mut data = json.as_ref();
        let mut others = Others { is_used: true, ..Others::default() };
        let mut start = String::new();
        for pair in self.target.steps[self.outside - 1..].windows(2) {
            let node = pair[1].node;
            if self.forest[node].place.case() > 0 && self.member(data, node).is_none() {
                others.is_used = false;
                self.add_others((pair[0].node, node), (data, &start), is_hidden, &mut others.lines);
            }
            data = self.member(data, node);
            start.push_str(&format!("{}/", schema::name_within(self.forest, node)));
        }
        others
    }

    /// Those of one choice: that of the first node, in which the second one is in a case.
    fn add_others(
        &self,
        (within, node): (NodeId, NodeId),
        (data, start): (Option<&Json>, &str),
        is_hidden: &dyn Fn(&Place) -> bool,
        lines: &mut Vec<String>,
    ) {
        let case = |node: NodeId| self.forest[node].place.case();
        let cases = self.forest.children(Some(within)).iter().filter(|it| case(**it) > 0);
        // What is not read may be there, unless another case is.
        let is_known = cases.clone().any(|it| self.member(data, *it).is_some());
        for other in cases.filter(|it| case(**it) != case(node)) {
            let value = self.member(data, *other);
            if value.is_some() || !is_known {
                self.add_lines(*other, (value, start), is_hidden, lines);
            }
        }
    }

    fn add_lines(
        &self,
        node: NodeId,
        (data, start): (Option<&Json>, &str),
        is_hidden: &dyn Fn(&Place) -> bool,
        lines: &mut Vec<String>,
    ) {
        let place = &self.forest[node].place;
        let name = format!("{start}{}", schema::name_within(self.forest, node));
        if place.syntax().is_none() && !place.is_list() {
            for child in self.forest.children(Some(node)) {
                let value = self.member(data, *child);
                self.add_lines(*child, (value, &format!("{name}/")), is_hidden, lines);
            }
        } else if is_hidden(place) {
            lines.push(format!("{name}: not shown, if it is set"));
        } else if let Some(value) = data {
            lines.push(format!("{name}: {}", text_of_value(value)));
        }
    }

    /// What there is of a node, in the data of what it is in.
    fn member<'j>(&self, data: Option<&'j Json>, node: NodeId) -> Option<&'j Json> {
        let Json::Object(members) = data? else { return None };
        let name = schema::name_within(self.forest, node);
        members.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    static FOREST: LazyLock<Forest> = LazyLock::new(schema::forest);

    fn others(path: &str, above: Option<&str>) -> (Vec<String>, bool) {
        let target = Target::read(path, &FOREST).unwrap();
        let choices = Choices::of(&FOREST, &target).unwrap();
        let is_secret = |place: &Place| place.setting().is_some_and(|setting| setting.is_secret);
        let others = choices.others(above.map(str::as_bytes), &is_secret);
        (others.lines, others.is_used)
    }

    #[test]
    fn a_value_in_another_case_removes_what_is_there() {
        let udp =
            Some(r#"{"a:target":[{"name":"x","udp":{"ip":"192.0.2.1","port":7},"target-params":"p"}]}"#);
        let lost = ["udp/ip: 192.0.2.1", "udp/port: 7"].map(str::to_owned).to_vec();
        assert_eq!(others("ietf-snmp:snmp/target=x/tls/ip", udp), (lost, false));
        assert_eq!(others("ietf-snmp:snmp/target=x/udp/port", udp), (Vec::new(), true));
        assert_eq!(others("ietf-snmp:snmp/target=x/udp/port", None), (Vec::new(), false));
        // Nobody reads secrets.
        let name = others("ietf-snmp:snmp/community=a/text-name", Some(r#"{"a:community":[{"index":"a"}]}"#));
        assert_eq!(name, (vec!["binary-name: not shown, if it is set".to_owned()], false));
        let user = |auth| others("ietf-snmp:snmp/usm/local/user=u/auth/sha/key", auth);
        assert_eq!(user(None), (vec!["md5/key: not shown, if it is set".to_owned()], false));
        assert_eq!(user(Some(r#"{"a:auth":{"sha":{}}}"#)), (Vec::new(), true));
    }

    #[test]
    fn it_is_written_into_what_has_the_choice() {
        let target = Target::read("ietf-snmp:snmp/target=a%2Fb/udp/port", &FOREST).unwrap();
        let choices = Choices::of(&FOREST, &target).unwrap();
        assert_eq!(choices.path(), "/ietf-snmp:snmp/target=a%2Fb");
        let body = String::from_utf8(choices.body("162").unwrap()).unwrap();
        assert_eq!(body, r#"{"ietf-snmp:target":[{"name":"a/b","udp":{"port":162}}]}"#);
        assert!(choices.body("x").is_err());
        for path in ["ietf-system:system/contact", "ietf-snmp:snmp/target=a/retries"] {
            assert!(Choices::of(&FOREST, &Target::read(path, &FOREST).unwrap()).is_none(), "{path}");
        }
        let target = Target::read("ietf-snmp:snmp/usm/local/user=u/auth/sha/key", &FOREST).unwrap();
        let body = Choices::of(&FOREST, &target).unwrap().body("00").unwrap();
        assert_eq!(String::from_utf8(body).unwrap(), r#"{"ietf-snmp:auth":{"sha":{"key":"00"}}}"#);
    }
}
