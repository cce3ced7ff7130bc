//! Which row decides about a node or an operation, in lines for people: for `--explain-access`, and briefly for the log.

use std::fmt::Write;

use trunkline_smi::module::ALL;
use trunkline_smi::{IndexValue, Oid, OidBuf, encode_index, visible};
use trunkline_tree::policy::{Decision, Explanation, Policy, Principal, ViewType};
use trunkline_tree::{Coverage, Family};
use trunkline_yang::forest::{Forest, NodeId, Place as NodePlace};
use trunkline_yang::lexical;
use trunkline_yang::own::{DELEGATION, PAPER, configured_in};

use crate::governing::{Governing, Object, governing};
use crate::operation::{OPERATIONS, Right, right_of};
use crate::place::Place;
use crate::rules::{Action, Kind, Rule, RuleList, coverage, rule_lists, writes_all};
use crate::subtrees::steps;

/// What is asked, and of whom.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// All that is served.
    pub forest: &'a Forest,
    /// The policy.
    pub policy: &'a Policy,
    /// Who.
    pub principal: Principal<'a>,
}

/// Who may read or write a node, and which rows decide: of a leaf all that led to it, of others a line for each leaf in it.
#[must_use]
pub fn explain_node(asked: Asked<'_>, place: &Place, view_type: ViewType) -> String {
    let mut out = String::new();
    let Some(node) = place.node() else { return out };
    // Writing to a string cannot fail.
    let _ = match asked.forest[node].place.syntax() {
        Some(_) => asked.leaf(place, node, view_type, &mut out),
        None => asked.all_in(place, node, view_type, &mut out),
    };
    out.trim_end().to_owned()
}

/// Who may use an operation.
#[must_use]
pub fn explain_operation(asked: Asked<'_>, name: &str) -> String {
    let mut out = String::new();
    let _ = asked.operation(name, &mut out);
    out.trim_end().to_owned()
}

/// An explanation in one line: group, view, and the family that decides.
#[must_use]
pub fn brief(explanation: &Explanation) -> String {
    let quoted = |text: &str| format!("\"{}\"", visible(text));
    let group = match &explanation.group {
        Some((_, row)) => format!("group {}", quoted(&row.group.to_string())),
        None => "no group".to_owned(),
    };
    let view = explanation.access.as_ref().map(|(_, row)| row.view(explanation.view_type).to_string());
    let view = view.map(|name| match &explanation.family {
        Some((family, _)) => format!(", view {} {}", quoted(&name), words(family)),
        None => format!(", view {} has no family for it", quoted(&name)),
    });
    let verdict = match explanation.verdict {
        Ok(()) => "allowed".to_owned(),
        Err(denied) => format!("denied, {denied}"),
    };
    format!("{group}{}: {verdict}", view.unwrap_or_default())
}

fn words(family: &Family) -> String {
    let text = family.to_string();
    let verb = if family.included { "includes" } else { "excludes" };
    let subtree = text.trim_start_matches('-');
    format!("{verb} {}", if subtree.is_empty() { "everything" } else { subtree })
}

impl Asked<'_> {
    fn leaf(&self, place: &Place, node: NodeId, view_type: ViewType, out: &mut String) -> std::fmt::Result {
        let forest = self.forest;
        writeln!(out, "node      {}", place.name(forest))?;
        let of = &forest[node].place;
        if view_type == ViewType::Write && of.setting().is_none() {
            let why = match (of, self.configured_in(place)) {
                (NodePlace::Own { .. }, Some(other)) => {
                    format!("it is state; the same is configured in {other}")
                }
                (NodePlace::Own { .. }, None) => "it is state".to_owned(),
                _ => "objects of MIB modules are read-only over NETCONF (RFC 6643 section 11)".to_owned(),
            };
            return writeln!(out, "verdict   denied: {why}");
        }
        if view_type == ViewType::Write && of.is_key() {
            writeln!(out, "note      a key comes and goes with its entry")?;
        }
        let objects = self.objects(node, place, view_type);
        let may = match &objects {
            Governing::Objects(objects) => self.by_objects(place, objects, view_type, out)?,
            Governing::InPart(objects) => {
                writeln!(
                    out,
                    "note      what is the user's own may be read in any case, the rest as follows"
                )?;
                self.by_objects(place, objects, view_type, out)?
            }
            Governing::Everybody | Governing::Others => {
                let what = match objects {
                    Governing::Everybody => "everybody who may read anything may read it",
                    _ => "it is there with what may be read beside it",
                };
                writeln!(out, "object    none: {what}")?;
                self.group(view_type, out)?;
                let has_view = self.view(view_type).is_some();
                writeln!(out, "verdict   {}", if has_view { "allowed" } else { "denied" })?;
                has_view
            }
        };
        self.rule(place, view_type, may, out)
    }

    /// Where that is configured which the paper's document shows (decision 0072).
    fn configured_in(&self, place: &Place) -> Option<&'static str> {
        let forest = self.forest;
        let ((root, _), within) = place.steps.split_first()?;
        let names: Vec<&str> = within.iter().map(|(node, _)| forest[*node].name.as_str()).collect();
        configured_in(&names).filter(|_| forest.module(*root).name == PAPER.name)
    }

    /// The rows that decide about each object. Returns whether all are allowed.
    fn by_objects(
        &self,
        place: &Place,
        objects: &[Object],
        view_type: ViewType,
        out: &mut String,
    ) -> Result<bool, std::fmt::Error> {
        let mut may = true;
        for object in objects {
            let (oid, is_instance) = self.instance(place, object);
            writeln!(out, "object    {} {oid}", object.name)?;
            let explanation = self.policy.explain(&self.principal, b"", view_type, &oid);
            writeln!(out, "{explanation}")?;
            may &= explanation.verdict.is_ok();
            let is_partly = self.view(view_type).is_some_and(|view| view.coverage(&oid) == Coverage::Some);
            if is_partly && !is_instance {
                writeln!(
                    out,
                    "note      the view tells rows apart: ask about the object with its index, {oid}.INDEX"
                )?;
            }
        }
        if objects.len() > 1 {
            writeln!(out, "together  {}", if may { "allowed" } else { "denied" })?;
        }
        Ok(may)
    }

    /// A line for each leaf.
    fn all_in(&self, place: &Place, node: NodeId, view_type: ViewType, out: &mut String) -> std::fmt::Result {
        let forest = self.forest;
        let keys: Vec<NodeId> = forest.keys(node).collect();
        for &child in &forest[node].children {
            let place = place.child(child);
            let of = &forest[child].place;
            if of.syntax().is_none() {
                self.all_in(&place, child, view_type, out)?;
                continue;
            }
            if view_type == ViewType::Write && (of.setting().is_none() || keys.contains(&child)) {
                continue;
            }
            let (verdict, why) = match self.objects(child, &place, view_type) {
                Governing::Objects(objects) => self.in_short(&place, &objects, view_type),
                Governing::InPart(objects) => {
                    let (verdict, why) = self.in_short(&place, &objects, view_type);
                    (if verdict == "denied" { "in part" } else { verdict }, why)
                }
                Governing::Everybody | Governing::Others => {
                    (if self.view(view_type).is_some() { "allowed" } else { "denied" }, String::new())
                }
            };
            writeln!(out, "{verdict:<9} {view_type} {}  {why}", place.name(forest))?;
        }
        Ok(())
    }

    fn in_short(&self, place: &Place, objects: &[Object], view_type: ViewType) -> (&'static str, String) {
        let mut parts = Vec::new();
        let mut verdict = "allowed";
        for object in objects {
            let (oid, is_instance) = self.instance(place, object);
            let explanation = self.policy.explain(&self.principal, b"", view_type, &oid);
            let part = format!("{}: {}", object.name, brief(&explanation));
            let is_partly = !is_instance
                && self.view(view_type).is_some_and(|view| view.coverage(&oid) == Coverage::Some);
            match (is_partly, explanation.verdict) {
                (true, _) if verdict == "allowed" => verdict = "in part",
                (false, Err(_)) => verdict = "denied",
                _ => {}
            }
            parts.push(part);
        }
        (verdict, parts.join("; "))
    }

    /// What decides, with the keys of the entries that a leaf of our own models is in: who may not read those does not see it.
    fn objects(&self, node: NodeId, place: &Place, view_type: ViewType) -> Governing {
        let of = governing(self.forest, node);
        // What is in an entry is read with the entry's keys, and written without them.
        if view_type == ViewType::Write {
            return of;
        }
        let Governing::Objects(mut objects) = of else { return of };
        for (step, _) in &place.steps {
            for key in self.forest.keys(*step) {
                if let (NodePlace::Own { .. }, Governing::Objects(keys)) =
                    (self.forest[key].place, governing(self.forest, key))
                {
                    let new: Vec<Object> = keys.into_iter().filter(|it| !objects.contains(it)).collect();
                    objects.extend(new);
                }
            }
        }
        Governing::Objects(objects)
    }

    /// The object's instance, if the path tells which.
    fn instance(&self, place: &Place, object: &Object) -> (Oid, bool) {
        if object.is_scalar {
            return (object.oid.child(&[0]), true);
        }
        let index = place.steps.iter().find_map(|(list, keys)| {
            let NodePlace::List(table) = self.forest[*list].place else { return None };
            let values = table
                .index
                .iter()
                .zip(keys)
                .map(|(part, text)| IndexValue::of(lexical::read(text, &part.syntax)?));
            let values = values.collect::<Option<Vec<IndexValue>>>().filter(|it| !it.is_empty())?;
            let mut index = OidBuf::new();
            encode_index(table.index, &values, &mut index).ok()?;
            Some(index.to_vec())
        });
        let index = index.or_else(|| match place.steps.first() {
            Some((root, _)) if self.forest.module(*root).name == DELEGATION.name => {
                trunkline_models::delegation::instance(self.forest, &steps(place))
            }
            _ => None,
        });
        let is_of_table = ALL.iter().flat_map(|module| module.tables).any(|it| it.oid == &object.oid[..]);
        match index.filter(|_| !is_of_table) {
            Some(index) => (object.oid.child(&index), true),
            None => (object.oid.clone(), false),
        }
    }

    fn group(&self, view_type: ViewType, out: &mut String) -> std::fmt::Result {
        match self.policy.decide(&self.principal, b"") {
            Ok(Decision { access, .. }) => {
                writeln!(out, "group     {:?}", access.0.group)?;
                writeln!(out, "view      {view_type} {:?}", access.1.view(view_type))
            }
            Err(denied) => writeln!(out, "group     none with access: {denied}"),
        }
    }

    fn view(&self, view_type: ViewType) -> Option<trunkline_tree::View> {
        let Decision { access, .. } = self.policy.decide(&self.principal, b"").ok()?;
        self.policy.view(access.1.view(view_type).octets())
    }

    fn list(&self) -> Option<RuleList> {
        let group = self.policy.decide(&self.principal, b"").ok()?.access.0.group.to_string();
        rule_lists(self.forest, self.policy).into_iter().find(|list| list.group == group)
    }

    /// The rule of `/nacm` that says the same.
    fn rule(&self, place: &Place, view_type: ViewType, may: bool, out: &mut String) -> std::fmt::Result {
        let action = match view_type {
            ViewType::Read => Action::Read,
            ViewType::Write => Action::Write,
            ViewType::Notify => return Ok(()),
        };
        let Some(list) = self.list() else {
            return writeln!(out, "nacm      no rule-list is for this user: denied by default");
        };
        let (_, rule) = list.outcome(place, action);
        match rule {
            Some(rule) => self.write_rule(&list, rule, out),
            None if may => {
                writeln!(out, "nacm      rule-list \"{}\" has no rule for it", visible(&list.group))
            }
            None => writeln!(
                out,
                "nacm      rule-list \"{}\" has no rule for it: denied by default",
                visible(&list.group)
            ),
        }
    }

    fn write_rule(&self, list: &RuleList, rule: &Rule, out: &mut String) -> std::fmt::Result {
        let verb = if rule.permits { "permits" } else { "denies" };
        let what = match &rule.kind {
            Kind::Data(place) => place.text(self.forest),
            Kind::Operation(module, name) | Kind::Notification(module, name) => format!("{module} {name}"),
        };
        let comment = rule.comment.as_ref().map(|it| format!(" ({it})")).unwrap_or_default();
        let (group, name) = (visible(&list.group), &rule.name);
        writeln!(out, "nacm      rule-list \"{group}\", rule \"{name}\" {verb} {what}{comment}")
    }

    fn operation(&self, name: &str, out: &mut String) -> std::fmt::Result {
        let right = right_of(name);
        let module = OPERATIONS.iter().find(|(_, known, _)| *known == name).map_or("ietf-netconf", |it| it.0);
        let (model, level) = (self.principal.model, self.principal.level);
        let who = String::from_utf8_lossy(self.principal.name).into_owned();
        writeln!(out, "operation {} as \"{}\" ({model}, {level})", visible(name), visible(&who))?;
        let needs = match right {
            Right::Nothing => "nothing: it is always permitted",
            Right::Read => "a view to read",
            Right::Write => "a view to write that includes something",
            Right::Everything => "the right to change the whole configuration",
        };
        writeln!(out, "needs     {needs}")?;
        let view_type = if right == Right::Read { ViewType::Read } else { ViewType::Write };
        self.group(view_type, out)?;
        let view = self.view(view_type);
        let writes = view.as_ref().is_some_and(|view| view.families().iter().any(|family| family.included));
        let may = match right {
            Right::Nothing => true,
            Right::Read => view.is_some(),
            Right::Write => writes,
            Right::Everything => writes && view.as_ref().is_some_and(|view| writes_all(self.forest, view)),
        };
        if right == Right::Everything
            && !may
            && let Some(view) = &view
        {
            let roots = self.forest.roots().iter().map(|root| Place::of(*root));
            if let Some((place, object)) = roots.into_iter().find_map(|place| self.unwritable(&place, view)) {
                writeln!(out, "missing   {}: {} {}", place.name(self.forest), object.name, object.oid)?;
            }
        }
        writeln!(out, "verdict   {}", if may { "allowed" } else { "denied" })?;
        match self.list() {
            Some(list) => match list.of_operation(module, name) {
                Some(rule) => self.write_rule(&list, rule, out),
                None => Ok(()),
            },
            None => Ok(()),
        }
    }

    /// The first leaf of the configuration that a view does not let change.
    fn unwritable(&self, place: &Place, view: &trunkline_tree::View) -> Option<(Place, Object)> {
        let node = place.node()?;
        if self.forest[node].place.setting().is_some() {
            let of = governing(self.forest, node);
            return match (coverage(&of, view), of) {
                (Some(Coverage::All), _) => None,
                (_, Governing::Objects(mut objects)) => objects.pop().map(|object| (place.clone(), object)),
                _ => None,
            };
        }
        self.forest[node].children.iter().find_map(|child| self.unwritable(&place.child(*child), view))
    }
}

#[cfg(test)]
mod tests {
    use trunkline_tree::View;
    use trunkline_tree::policy::{SecurityLevel, SecurityModel};

    use super::*;
    use crate::evaluate::tests::policy;
    use crate::testing::forest;

    fn views() -> Policy {
        let view = |rules: &[&str]| View::of(rules.iter().map(|rule| rule.parse().unwrap())).unwrap();
        policy(
            &view(&["1.3.6.1.2.1", "-1.3.6.1.2.1.2.2.1.6", "1.3.6.1.2.1.2.2.1.6.2"]),
            &view(&["1.3.6.1.2.1.1.4"]),
        )
    }

    fn ask(path: &str, view_type: ViewType) -> String {
        let (forest, policy) = (forest(), views());
        let principal = Principal::new(SecurityModel::TSM, b"ann", SecurityLevel::AuthPriv);
        let place = Place::read(path, &forest).unwrap();
        explain_node(Asked { forest: &forest, policy: &policy, principal }, &place, view_type)
    }

    #[test]
    fn the_row_that_decides_about_a_leaf_is_named() {
        let found = ask("/ietf-system:system/contact", ViewType::Write);
        for words in [
            "node      /ietf-system:system/contact\nobject    sysContact 1.3.6.1.2.1.1.4.0\n",
            "group     \"g\"\n",
            "view      \"w\", decided by includes 1.3.6.1.2.1.1.4\n",
            "verdict   allowed\n",
            "nacm      rule-list \"g\", rule \"write-",
            "permits /sys:system",
        ] {
            assert!(found.contains(words), "{words}: {found}");
        }
        let found = ask("/ietf-system:system/hostname", ViewType::Write);
        assert!(
            found.contains("verdict   denied, notInView")
                && found.contains("denies /sys:system/sys:hostname"),
            "{found}"
        );
        let found = ask("/ietf-interfaces:interfaces/interface/enabled", ViewType::Write);
        assert!(found.contains("object    ifAdminStatus") && !found.contains("object    ifName"), "{found}");
        let found = ask("/ietf-interfaces:interfaces/interface/oper-status", ViewType::Write);
        assert!(found.contains("denied: it is state"), "{found}");
        let found = ask("/trunkline-netconf:netconf/network/interfaces/iface/mtu", ViewType::Write);
        assert!(
            found.contains("denied: it is state; the same is configured in /ietf-interfaces:interfaces"),
            "{found}"
        );
        let found = ask("/IF-MIB:IF-MIB/interfaces/ifNumber", ViewType::Write);
        assert!(found.contains("RFC 6643"), "{found}");
    }

    #[test]
    fn rows_and_keys_differ() {
        let found = ask("/IF-MIB:IF-MIB/ifTable/ifEntry[ifIndex='2']/ifPhysAddress", ViewType::Read);
        assert!(
            found.contains("object    ifPhysAddress 1.3.6.1.2.1.2.2.1.6.2\n")
                && found.contains("verdict   allowed"),
            "{found}"
        );
        let found = ask("/IF-MIB:IF-MIB/ifTable/ifEntry/ifPhysAddress", ViewType::Read);
        assert!(found.contains("verdict   denied") && found.contains(".INDEX"), "{found}");
        let found = ask("/ietf-interfaces:interfaces/interface/enabled", ViewType::Read);
        assert!(
            found.contains("object    ifName")
                && found.contains("permits /")
                && found.contains("together  allowed"),
            "{found}"
        );
    }

    #[test]
    fn an_entry_of_what_is_delegated_is_a_row() {
        let found =
            ask("/trunkline-delegation:delegation/event[owner='ab'][name='c']/comment", ViewType::Read);
        assert!(found.contains("object    mteEventComment 1.3.6.1.2.1.88.1.4.2.1.2.2.97.98.99\n"), "{found}");
        assert!(found.contains("verdict   allowed"), "{found}");
    }

    #[test]
    fn every_leaf_of_a_container_has_a_line() {
        let found = ask("/ietf-system:system", ViewType::Write);
        let lines: Vec<&str> = found.lines().collect();
        assert_eq!(lines.len(), 3, "{found}");
        assert!(
            lines[0].starts_with(
                "allowed   write /ietf-system:system/contact  sysContact: group \"g\", view \"w\" includes"
            ),
            "{found}"
        );
        assert!(lines[1].starts_with("denied    write /ietf-system:system/hostname"), "{found}");
        let found = ask("/ietf-interfaces:interfaces", ViewType::Read);
        assert!(
            found.contains("in part   read /ietf-interfaces:interfaces/interface/phys-address"),
            "{found}"
        );
    }

    #[test]
    fn operations_are_explained() {
        let (forest, policy) = (forest(), views());
        let principal = Principal::new(SecurityModel::TSM, b"ann", SecurityLevel::AuthPriv);
        let asked = Asked { forest: &forest, policy: &policy, principal };
        let found = explain_operation(asked, "commit");
        assert!(found.contains("verdict   allowed") && found.contains("permits * *"), "{found}");
        let found = explain_operation(asked, "kill-session");
        assert!(
            found.contains("verdict   denied")
                && found.contains("missing   /")
                && found.contains("denies ietf-netconf kill-session"),
            "{found}"
        );
        let stranger = Asked { principal: Principal { name: b"eve", ..principal }, ..asked };
        assert!(explain_operation(stranger, "get").contains("verdict   denied"));
        assert!(explain_operation(stranger, "close-session").contains("verdict   allowed"));
    }

    #[test]
    fn a_denial_in_one_line() {
        let policy = views();
        let principal = Principal::new(SecurityModel::TSM, b"ann", SecurityLevel::AuthPriv);
        let at = |name: &[u32]| brief(&policy.explain(&principal, b"", ViewType::Write, name));
        assert_eq!(
            at(&[1, 3, 6, 1, 2, 1, 1, 5, 0]),
            "group \"g\", view \"w\" has no family for it: denied, notInView"
        );
        assert_eq!(
            at(&[1, 3, 6, 1, 2, 1, 1, 4, 0]),
            "group \"g\", view \"w\" includes 1.3.6.1.2.1.1.4: allowed"
        );
        let stranger = Principal { name: b"eve", ..principal };
        assert_eq!(
            brief(&policy.explain(&stranger, b"", ViewType::Write, &[1])),
            "no group: denied, noGroupName"
        );
    }
}
