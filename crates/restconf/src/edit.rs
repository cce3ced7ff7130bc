//! What a request changes, as the content of an `edit-config` (RFC 8040 sections 4.4 to 4.7).

use trunkline_netconf::document::Element;
use trunkline_netconf::operation::DefaultOperation;
use trunkline_netconf::{BASE, error};
use trunkline_xml::Writer;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::{PAPER, configured_in};

use crate::RESTCONF;
use crate::order::{Attributes, Insertion, ORDER};
use crate::refusal::Refusal;
use crate::target::{Step, Target, encode, uri, value_text};

/// How a resource is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// POST: a child is created.
    Create,
    /// PUT if nothing is there: the resource that the path names is created.
    CreateNamed,
    /// PUT: the resource is created or replaced.
    Replace,
    /// PATCH: the body is merged into the resource, which is there.
    Merge,
    /// DELETE.
    Delete,
    /// The same, and it need not be there: of YANG Patch.
    Remove,
}

/// An edit of running.
#[derive(Debug)]
pub struct Edit {
    /// A `config` element.
    pub xml: Vec<u8>,
    /// What is done where it says nothing.
    pub default: DefaultOperation,
    /// What is created, replaced, changed or deleted.
    pub resource: Target,
}

impl Edit {
    /// What a request changes. `body`: the outermost element, of all but a deletion. `order`: of POST and PUT, where the entry goes.
    ///
    /// # Errors
    /// 405: it is not configuration. 400: the body is not what the path names, or users do not order what it is in.
    pub fn of(
        method: Method,
        target: &Target,
        body: Option<Element<'_>>,
        order: Option<&Insertion>,
        forest: &Forest,
    ) -> Result<Edit, Refusal> {
        if !target.is_configuration(forest) {
            return Err(of_state(target, forest));
        }
        if target.whole_list(forest).is_some() {
            return Err(Refusal::whole_list());
        }
        if let Some(key) = target.node().filter(|node| forest[*node].place.is_key()) {
            let name = &forest[key].name;
            let message = format!("{name} is a key of its entry: create or delete the entry instead");
            return Err(Refusal::bad(&message));
        }
        if let Some(body) = body.filter(|_| method != Method::Delete) {
            check(body)?;
        }
        match (method, target.steps.split_last(), body) {
            (Method::Delete | Method::Remove, Some((last, _)), _) => {
                let operation = if method == Method::Delete { "delete" } else { "remove" };
                let mut writer = Config::begin(&target.parent(), forest);
                writer.entry(last, operation);
                Ok(writer.end(DefaultOperation::None, target.clone()))
            }
            (Method::Delete | Method::Remove, None, _) => {
                Err(Refusal::new(405, "the datastore cannot be deleted"))
            }
            (_, _, None) => Err(Refusal::bad("a body is missing")),
            (Method::Create, _, Some(body)) => created(target, body, order, forest),
            (_, None, Some(body)) => {
                attributes_of(order, target, forest)?;
                whole(method, body, forest)
            }
            (_, Some((last, _)), Some(body)) => {
                named(last, body, forest)?;
                let operation = match method {
                    Method::Replace => "replace",
                    Method::CreateNamed => "create",
                    _ => "merge",
                };
                let order = attributes_of(order, target, forest)?;
                let mut writer = Config::begin(&target.parent(), forest);
                writer.copy_in_order(body, operation, &order);
                Ok(writer.end(DefaultOperation::None, target.clone()))
            }
        }
    }
}

fn attributes_of(
    order: Option<&Insertion>,
    resource: &Target,
    forest: &Forest,
) -> Result<Attributes, Refusal> {
    order.map_or(Ok(Attributes::new()), |order| order.attributes(resource, forest))
}

/// Refuses to change state; of what the paper's document shows with where it is configured (decision 0072).
#[must_use]
pub fn of_state(target: &Target, forest: &Forest) -> Refusal {
    let names: Vec<&str> = target.steps.iter().map(|step| forest[step.node].name.as_str()).collect();
    let is_paper = target.steps.first().is_some_and(|it| forest.module(it.node).name == PAPER.name);
    match configured_in(&names[names.len().min(1)..]).filter(|_| is_paper) {
        Some(place) => {
            let message =
                format!("this is state, which cannot be changed; the same is configured in {place}");
            Refusal::new(405, &message)
        }
        None => Refusal::new(405, "this is state, which cannot be changed"),
    }
}

/// A child of a resource.
fn created(
    parent: &Target,
    body: Element<'_>,
    order: Option<&Insertion>,
    forest: &Forest,
) -> Result<Edit, Refusal> {
    let node = forest.child_in(parent.node(), body.namespace(), body.name());
    let node = node.ok_or_else(|| error::RpcError::unknown_element(error::Layer::Application, body))?;
    let mut path = uri(parent, forest);
    path.push('/');
    path.push_str(&format!("{}:{}", forest.module(node).name, forest[node].name));
    for (at, key) in forest.keys(node).enumerate() {
        path.push(if at == 0 { '=' } else { ',' });
        encode(&key_of(body, key, forest)?, &mut path);
    }
    if forest[node].place.is_leaf_list() {
        path.push('=');
        encode(&value_of(body, node, forest), &mut path);
    }
    // The keys are the body's: what is wrong with them is not the path's.
    let resource = Target::read(&path, forest).map_err(Refusal::of_body)?;
    if !resource.is_configuration(forest) {
        return Err(of_state(&resource, forest));
    }
    let order = attributes_of(order, &resource, forest)?;
    let mut writer = Config::begin(parent, forest);
    writer.copy_in_order(body, "create", &order);
    Ok(writer.end(DefaultOperation::None, resource))
}

/// The datastore as a whole.
pub(crate) fn whole(method: Method, body: Element<'_>, forest: &Forest) -> Result<Edit, Refusal> {
    if !body.is(RESTCONF, "data") {
        return Err(Refusal::bad("the body must be ietf-restconf's data"));
    }
    let default = match method {
        Method::Replace | Method::CreateNamed => DefaultOperation::Replace,
        _ => DefaultOperation::Merge,
    };
    let mut writer = Config::begin(&Target::default(), forest);
    body.children().for_each(|child| writer.copy(child, None));
    Ok(writer.end(default, Target::default()))
}

/// The body must be the resource that the path names (section 4.5).
pub(crate) fn named(last: &Step, body: Element<'_>, forest: &Forest) -> Result<(), Refusal> {
    let (name, module) = (&forest[last.node].name, forest.module(last.node));
    if !body.is(&module.namespace, name) {
        return Err(Refusal::bad(&format!("the body must be {}:{name}, which the path names", module.name)));
    }
    for key in &last.keys {
        if key_of(body, key.leaf, forest)? != key.text {
            let name = &forest[key.leaf].name;
            return Err(Refusal::bad(&format!("the key {name} of the body is not that of the path")));
        }
    }
    if last.value.as_ref().is_some_and(|value| *value != value_of(body, last.node, forest)) {
        return Err(Refusal::bad(&format!("the value of {name} in the body is not that of the path")));
    }
    Ok(())
}

/// The value of a key in a body, in the form that a configuration keeps.
fn key_of(body: Element<'_>, key: NodeId, forest: &Forest) -> Result<String, Refusal> {
    let name = &forest[key].name;
    let found = body.child(&forest.module(key).namespace, name);
    let found = found
        .ok_or_else(|| error::RpcError::missing_element(error::Layer::Application, name, body.name()))?;
    Ok(value_of(found, key, forest))
}

/// A value in a body, in the form that a configuration keeps.
fn value_of(element: Element<'_>, leaf: NodeId, forest: &Forest) -> String {
    // What is wrong with a value is for the edit to say.
    value_text(element.text(), leaf, |it| element.resolve(it), forest)
        .unwrap_or_else(|| element.text().to_owned())
}

/// Operations are not the body's to say.
pub(crate) fn check(element: Element<'_>) -> Result<(), Refusal> {
    if element.attribute(BASE, "operation").is_some() {
        let error = error::RpcError::new(
            error::Layer::Application,
            error::Tag::BadAttribute,
            "the attribute operation is NETCONF's: here the method says what is done",
        );
        return Err(error.into());
    }
    element.children().try_for_each(check)
}

/// Writes an element of a body and what is in it, with the attributes that say what is done.
pub(crate) fn rewrite(element: Element<'_>, octets: &mut Vec<u8>) {
    let mut writer = Writer::new(octets);
    begin(element, &mut writer);
    if let Some(operation) = element.attribute(BASE, "operation") {
        writer.attribute("xmlns:nc", BASE).attribute("nc:operation", operation);
    }
    match element.has_children() {
        true => {
            writer.raw(b"");
            element.children().for_each(|child| rewrite(child, octets));
        }
        false => {
            writer.text(element.text());
        }
    }
    Writer::new(octets).end(element.name());
}

/// The begin of its start tag, with the prefix of an identity.
fn begin(element: Element<'_>, writer: &mut Writer<'_>) {
    writer.start(element.name()).attribute("xmlns", element.namespace());
    if element.has_children() {
        return;
    }
    let prefix = element.value().split_once(':').map(|(prefix, _)| prefix);
    if let Some((prefix, namespace)) =
        prefix.filter(|it| !it.is_empty()).and_then(|it| Some((it, element.resolve(it)?)))
    {
        writer.attribute(&format!("xmlns:{prefix}"), namespace);
    }
}

/// A `config` element that is being written.
pub(crate) struct Config<'f> {
    forest: &'f Forest,
    octets: Vec<u8>,
    open: Vec<NodeId>,
}

impl<'f> Config<'f> {
    /// Up to a resource.
    pub(crate) fn begin(within: &Target, forest: &'f Forest) -> Self {
        let mut octets = Vec::new();
        Writer::new(&mut octets).start("config").attribute("xmlns:nc", BASE).raw(b"");
        let mut config = Config { forest, octets, open: Vec::new() };
        for step in &within.steps {
            config.start(step, None, &[]);
            config.open.push(step.node);
        }
        config
    }

    fn start(&mut self, step: &Step, operation: Option<&str>, order: Order<'_>) {
        let forest = self.forest;
        let mut writer = Writer::new(&mut self.octets);
        writer.start(&forest[step.node].name).attribute("xmlns", &forest.module(step.node).namespace);
        attributes(operation, order, &mut writer);
        for key in &step.keys {
            writer.leaf(&forest[key.leaf].name, &key.text);
        }
        writer.raw(b"");
    }

    /// A node without its content but with its keys.
    fn entry(&mut self, step: &Step, operation: &str) {
        self.entry_in_order(step, operation, &[]);
    }

    /// The same at a place among others.
    pub(crate) fn entry_in_order(&mut self, step: &Step, operation: &str, order: Order<'_>) {
        self.start(step, Some(operation), order);
        if let Some(value) = &step.value {
            Writer::new(&mut self.octets).text(value);
        }
        Writer::new(&mut self.octets).end(&self.forest[step.node].name);
    }

    /// An element of a body and what is in it, without its attributes.
    fn copy(&mut self, element: Element<'_>, operation: Option<&str>) {
        self.copied(element, operation, &[]);
    }

    /// The same at a place among others.
    pub(crate) fn copy_in_order(&mut self, element: Element<'_>, operation: &str, order: Order<'_>) {
        self.copied(element, Some(operation), order);
    }

    fn copied(&mut self, element: Element<'_>, operation: Option<&str>, order: Order<'_>) {
        let mut writer = Writer::new(&mut self.octets);
        begin(element, &mut writer);
        attributes(operation, order, &mut writer);
        if element.has_children() {
            writer.raw(b"");
            element.children().for_each(|child| self.copy(child, None));
        } else {
            writer.text(element.text());
        }
        Writer::new(&mut self.octets).end(element.name());
    }

    pub(crate) fn end(mut self, default: DefaultOperation, resource: Target) -> Edit {
        let mut writer = Writer::new(&mut self.octets);
        while let Some(node) = self.open.pop() {
            writer.end(&self.forest[node].name);
        }
        writer.end("config");
        Edit { xml: self.octets, default, resource }
    }
}

/// Attributes that say where an entry goes among those that users order, and their values.
type Order<'o> = &'o [(&'static str, String)];

fn attributes(operation: Option<&str>, order: Order<'_>, writer: &mut Writer<'_>) {
    if let Some(operation) = operation {
        writer.attribute("nc:operation", operation);
    }
    if !order.is_empty() {
        let (name, namespace) = ORDER;
        writer.attribute(name, namespace);
    }
    for (name, value) in order {
        writer.attribute(name, value);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use trunkline_datastore::{Branch, Config as Configuration, Item, edit};
    use trunkline_netconf::document::{Document, limits};
    use trunkline_netconf::operation::ErrorOption;
    use trunkline_yang::own::ALL;

    use super::*;
    use crate::body;
    use crate::media::Encoding;
    use crate::output::Output;
    use crate::query::{Content, Query};
    use crate::tag::EntityTag;

    static FOREST: LazyLock<Forest> = LazyLock::new(|| ALL.into_iter().fold(Forest::of(&[]), Forest::with));

    /// A request with a body in the encoding that its first character shows; or the status.
    fn change(config: &mut Configuration, method: Method, path: &str, body: &str) -> Result<Target, u16> {
        placed(config, method, path, body, None).map_err(|refusal| refusal.status)
    }

    fn placed(
        config: &mut Configuration,
        method: Method,
        path: &str,
        body: &str,
        order: Option<&Insertion>,
    ) -> Result<Target, Refusal> {
        let target = Target::read(path, &FOREST)?;
        let parent = if method == Method::Create { target.node() } else { target.parent().node() };
        let encoding = if body.starts_with('<') { Encoding::Xml } else { Encoding::Json };
        let edited = match body {
            "" => Edit::of(method, &target, None, order, &FOREST),
            _ => body::read(body.as_bytes(), encoding, parent, &FOREST)
                .and_then(|document| Edit::of(method, &target, Some(document.root()), order, &FOREST)),
        }?;
        let document = Document::read(&edited.xml, limits(1 << 20)).unwrap();
        let done = edit(config, &FOREST, document.root(), edited.default, ErrorOption::RollbackOnError);
        done.map_err(Refusal::from)?;
        Ok(edited.resource)
    }

    /// What a selection of the path would give.
    fn put(branch: &Branch, output: &mut Output<'_>, path: &[Step]) {
        for (step, item) in branch.iter() {
            if path.first().is_some_and(|it| it.node != step.node) && !FOREST[step.node].place.is_key() {
                continue;
            }
            match item {
                Item::Leaf(value) => output.leaf_text(step.node, value),
                Item::Within(within) => {
                    output.open(step.node);
                    put(within, output, path.get(1..).unwrap_or_default());
                    output.close(step.node);
                }
            }
        }
    }

    fn shown(config: &Configuration, path: &str, query: &Query, encoding: Encoding) -> String {
        let target = Target::read(path, &FOREST).unwrap();
        let mut output = Output::begin(&target, query, encoding, &FOREST);
        put(config.root(), &mut output, &target.steps);
        output.end();
        String::from_utf8(std::mem::take(output.octets())).unwrap()
    }

    const INTERFACES: &str = "/ietf-interfaces:interfaces";
    const ETH0: &str = r#"{"ietf-interfaces:interface":[{"name":"eth/0","type":"iana-if-type:ethernetCsmacd","enabled":false}]}"#;

    #[test]
    fn each_method_does_its_edit() {
        let mut config = Configuration::default();
        let mut ask = |method, path: &str, body: &str| {
            change(&mut config, method, path, body).map(|it| crate::target::uri(&it, &FOREST))
        };
        let eth0 = format!("{INTERFACES}/interface=eth%2F0");
        assert_eq!(ask(Method::Create, INTERFACES, ETH0).as_deref(), Ok(&*eth0));
        assert_eq!(ask(Method::Create, INTERFACES, ETH0), Err(409));
        assert_eq!(ask(Method::CreateNamed, &eth0, ETH0), Err(409));
        assert_eq!(ask(Method::Replace, &eth0, ETH0).as_deref(), Ok(&*eth0));
        let xml = "<mtu xmlns='urn:ietf:params:xml:ns:yang:ietf-ip'>1400</mtu>";
        assert!(ask(Method::Replace, &format!("{eth0}/ietf-ip:ipv4"), "{\"ietf-ip:ipv4\":{}}").is_ok());
        assert!(ask(Method::Create, &format!("{eth0}/ietf-ip:ipv4"), xml).is_ok());
        let contact = "{\"ietf-system:contact\":\"a <b> & \\\"c\\\"\"}";
        assert!(ask(Method::Replace, "/ietf-system:system/contact", contact).is_ok());
        let expected = r#"{"ietf-restconf:data":{"ietf-system:system":{"contact":"a <b> & \"c\""},"ietf-interfaces:interfaces":{"interface":[{"name":"eth/0","type":"iana-if-type:ethernetCsmacd","enabled":false,"ietf-ip:ipv4":{"mtu":1400}}]}}}"#;
        assert_eq!(shown(&config, "", &Query::default(), Encoding::Json), expected);
        let mut ask = |method, path: &str, body: &str| change(&mut config, method, path, body).map(drop);
        // The whole datastore, as it was.
        assert_eq!(ask(Method::Replace, "", expected), Ok(()));
        assert_eq!(
            ask(Method::Merge, "", "{\"ietf-restconf:data\":{\"ietf-system:system\":{\"location\":\"x\"}}}"),
            Ok(())
        );
        assert_eq!(ask(Method::Delete, &format!("{eth0}/enabled"), ""), Ok(()));
        assert_eq!(ask(Method::Delete, &format!("{eth0}/enabled"), ""), Err(409));
        assert_eq!(ask(Method::Remove, &format!("{eth0}/enabled"), ""), Ok(()));
        let expected = r#"{"ietf-interfaces:interface":[{"name":"eth/0","type":"iana-if-type:ethernetCsmacd","ietf-ip:ipv4":{"mtu":1400}}]}"#;
        assert_eq!(shown(&config, &eth0, &Query::default(), Encoding::Json), expected);
    }

    /// RFC 8040 sections 4.8.5 and 4.8.6, appendices B.3.4 and B.3.5.
    #[test]
    fn entries_go_where_their_users_want_them() {
        let mut config = Configuration::default();
        let policy = "/trunkline-bgp:bgp/policies/policy=p.1";
        let neighbor = "/trunkline-bgp:bgp/neighbors/neighbor=192.0.2.2";
        let begin = r#"{"trunkline-bgp:bgp":{"policies":{"policy":[{"name":"p.1","statement":[{"name":"b"}]}]},"neighbors":{"neighbor":[{"remote-address":"192.0.2.2","apply-policy":{"import-policy":["b"]}}]}}}"#;
        change(&mut config, Method::Create, "", begin).unwrap();
        let mut ask = |method, path: &str, body: &str, query: &str| {
            let order = crate::query::insertion(Some(query))
                .map_err(|it| (it.status, it.errors[0].app_tag.clone()))?;
            placed(&mut config, method, path, body, order.as_ref())
                .map(|it| crate::target::uri(&it, &FOREST))
                .map_err(|it| (it.status, it.errors[0].app_tag.clone()))
        };
        let statement = |name: &str| format!("{{\"trunkline-bgp:statement\":[{{\"name\":\"{name}\"}}]}}");
        let beside = |path: &str| format!("point={}", path.replace('%', "%25"));
        let named = |name: &str| format!("{policy}/statement={name}");
        let point = beside(&named("b"));
        let imports = format!("{neighbor}/apply-policy");
        let import = |name: &str| format!("{{\"trunkline-bgp:import-policy\":[\"{name}\"]}}");
        let put = |name: &str| format!("{imports}/import-policy={name}");
        for (method, path, body, query, expected) in [
            (Method::Create, policy, statement("a"), "insert=first".to_owned(), Ok(named("a"))),
            (Method::Create, policy, statement("d"), String::new(), Ok(named("d"))),
            (Method::Create, policy, statement("c"), format!("insert=after&{point}"), Ok(named("c"))),
            // One that is there goes there.
            (Method::Replace, &named("d"), statement("d"), format!("insert=before&{point}"), Ok(named("d"))),
            (Method::Create, &imports, import("c"), "insert=last".to_owned(), Ok(put("c"))),
            (
                Method::Create,
                &imports,
                import("a"),
                format!("insert=before&{}", beside(&put("b"))),
                Ok(put("a")),
            ),
            (Method::Replace, &put("c"), import("c"), "insert=first".to_owned(), Ok(put("c"))),
            (Method::Create, policy, statement("x"), "insert=after".to_owned(), Err((400, None))),
            // RFC 7950 section 15.7.
            (
                Method::Create,
                policy,
                statement("x"),
                format!("insert=after&{}", beside(&named("none"))),
                Err((400, Some("missing-instance".into()))),
            ),
            (
                Method::Create,
                policy,
                statement("x"),
                format!("insert=after&{}", beside(policy)),
                Err((400, None)),
            ),
            (
                Method::Create,
                policy,
                statement("x"),
                format!("insert=after&{}", beside(&put("b"))),
                Err((400, None)),
            ),
            (
                Method::Create,
                policy,
                statement("x"),
                "insert=after&point=/odd:odd".to_owned(),
                Err((400, None)),
            ),
            (Method::Replace, policy, begin.to_owned(), "insert=first".to_owned(), Err((400, None))),
            (
                Method::Create,
                "/ietf-system:system",
                "{\"ietf-system:contact\":\"x\"}".to_owned(),
                "insert=first".to_owned(),
                Err((400, None)),
            ),
            (
                Method::Replace,
                "",
                "{\"ietf-restconf:data\":{}}".to_owned(),
                "insert=first".to_owned(),
                Err((400, None)),
            ),
            // The value is the path's.
            (Method::Replace, &put("c"), import("d"), String::new(), Err((400, None))),
            (
                Method::Replace,
                &format!("{imports}/import-policy"),
                import("d"),
                String::new(),
                Err((400, None)),
            ),
        ] {
            assert_eq!(ask(method, path, &body, &query), expected, "{path} {body} {query}");
        }
        let expected = r#"{"trunkline-bgp:policy":[{"name":"p.1","statement":[{"name":"a"},{"name":"d"},{"name":"b"},{"name":"c"}]}]}"#;
        assert_eq!(shown(&config, policy, &Query::default(), Encoding::Json), expected);
        let expected = r#"{"trunkline-bgp:apply-policy":{"import-policy":["c","a","b"]}}"#;
        assert_eq!(shown(&config, &imports, &Query::default(), Encoding::Json), expected);
        // A value of a leaf-list is a resource.
        let target = |name: &str| Target::read(&put(name), &FOREST).unwrap();
        assert!(target("a").exists(&config, &FOREST) && !target("x").exists(&config, &FOREST));
        assert!(change(&mut config, Method::Delete, &put("a"), "").is_ok());
        assert_eq!(change(&mut config, Method::Delete, &put("a"), "").map(drop), Err(409));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut config = Configuration::default();
        let system = "/ietf-system:system";
        for (method, path, body, status) in [
            (Method::Replace, "/ietf-interfaces:interfaces/interface=other", ETH0, 400),
            (Method::Replace, "/ietf-interfaces:interfaces/interface", ETH0, 400),
            (Method::Replace, system, ETH0, 400),
            (Method::Replace, system, "", 400),
            (Method::Replace, system, "{}", 400),
            (Method::Replace, system, "[]", 400),
            (Method::Replace, system, "{\"ietf-system:system\":{\"nothing\":1}}", 400),
            (Method::Replace, system, "{\"ietf-system:system\":{\"contact\":1}}", 400),
            (Method::Replace, system, "{\"ietf-system:system\":[]}", 400),
            (Method::Replace, system, "{\"ietf-system:system\":{\"@contact\":{}}}", 400),
            (Method::Replace, system, "<system/>", 400),
            (Method::Replace, system, "<system", 400),
            (Method::Create, "/ietf-interfaces:interfaces", "{\"interface\":[{\"enabled\":true}]}", 400),
            (Method::Create, "/ietf-interfaces:interfaces", "{\"interface\":{\"name\":\"a\"}}", 400),
            (Method::Create, "", "{\"ietf-system:system-state\":{}}", 405),
            (Method::Merge, "", ETH0, 400),
            (Method::Delete, "", "", 405),
            (Method::Delete, "/ietf-system:system-state", "", 405),
            (Method::Delete, "/ietf-system:nothing", "", 404),
            (Method::Delete, "/trunkline-netconf:netconf/routing/bgp", "", 405),
            (
                Method::Merge,
                system,
                "<system xmlns='urn:ietf:params:xml:ns:yang:ietf-system' xmlns:n='urn:ietf:params:xml:ns:netconf:base:1.0'><contact n:operation='delete'/></system>",
                400,
            ),
        ] {
            assert_eq!(change(&mut config, method, path, body).map(drop), Err(status), "{path} {body}");
        }
        assert_eq!(config, Configuration::default());
        let shown = Target::read("/trunkline-netconf:netconf/routing/bgp", &FOREST).unwrap();
        let refused = Edit::of(Method::Delete, &shown, None, None, &FOREST).unwrap_err();
        let words = refused.errors[0].to_string();
        assert!(words.contains("is configured in /trunkline-bgp:bgp"), "{words}");
    }

    #[test]
    fn depth_and_content_leave_out_what_they_say() {
        let mut config = Configuration::default();
        change(&mut config, Method::Create, INTERFACES, ETH0).unwrap();
        change(
            &mut config,
            Method::Replace,
            "/ietf-system:system",
            "{\"ietf-system:system\":{\"contact\":\"a\"}}",
        )
        .unwrap();
        let all = Query::default();
        let deep = |depth| Query { depth: Some(depth), ..Query::default() };
        let state = Query { content: Content::State, ..Query::default() };
        let eth0 = "/ietf-interfaces:interfaces/interface=eth%2F0";
        for (path, query, encoding, expected) in [
            ("", &deep(1), Encoding::Json, r#"{"ietf-restconf:data":{}}"#),
            (
                "",
                &deep(2),
                Encoding::Json,
                r#"{"ietf-restconf:data":{"ietf-system:system":{},"ietf-interfaces:interfaces":{}}}"#,
            ),
            (INTERFACES, &deep(1), Encoding::Json, r#"{"ietf-interfaces:interfaces":{}}"#),
            (
                INTERFACES,
                &deep(2),
                Encoding::Json,
                r#"{"ietf-interfaces:interfaces":{"interface":[{"name":"eth/0"}]}}"#,
            ),
            (eth0, &state, Encoding::Json, r#"{"ietf-interfaces:interface":[{"name":"eth/0"}]}"#),
            (&format!("{eth0}/enabled"), &all, Encoding::Json, r#"{"ietf-interfaces:enabled":false}"#),
            (
                &format!("{eth0}/enabled"),
                &all,
                Encoding::Xml,
                r#"<enabled xmlns="urn:ietf:params:xml:ns:yang:ietf-interfaces">false</enabled>"#,
            ),
            (
                "/ietf-system:system",
                &all,
                Encoding::Xml,
                r#"<system xmlns="urn:ietf:params:xml:ns:yang:ietf-system"><contact>a</contact></system>"#,
            ),
            (
                "",
                &deep(2),
                Encoding::Xml,
                r#"<data xmlns="urn:ietf:params:xml:ns:yang:ietf-restconf"><system xmlns="urn:ietf:params:xml:ns:yang:ietf-system"></system><interfaces xmlns="urn:ietf:params:xml:ns:yang:ietf-interfaces"></interfaces></data>"#,
            ),
        ] {
            assert_eq!(shown(&config, path, query, encoding), expected, "{path} {query:?}");
        }
        let tag = |path: &str| EntityTag::of(&Target::read(path, &FOREST).unwrap(), &config);
        assert!(tag("").is_some() && tag(eth0).is_some() && tag(eth0) != tag(INTERFACES));
        assert_eq!(tag("/ietf-interfaces:interfaces/interface=eth1"), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            contact in "[^\\p{Cc}]{0,30}",
            links in prop::collection::btree_map("[^\\p{Cc}]{1,8}", (any::<bool>(), 68_u32..9000), 0..4),
        ) {
            let mut config = Configuration::default();
            let mut text = Vec::new();
            trunkline_yang::json::string(&contact, &mut text);
            let body = format!("{{\"ietf-system:contact\":{}}}", String::from_utf8(text).unwrap());
            change(&mut config, Method::Replace, "/ietf-system:system/contact", &body).unwrap();
            for (name, (enabled, mtu)) in links {
                let mut quoted = Vec::new();
                trunkline_yang::json::string(&name, &mut quoted);
                let name = String::from_utf8(quoted).unwrap();
                let body = format!(
                    "{{\"interface\":[{{\"name\":{name},\"type\":\"iana-if-type:other\",\"enabled\":{enabled},\"ietf-ip:ipv4\":{{\"mtu\":{mtu}}}}}]}}"
                );
                change(&mut config, Method::Create, INTERFACES, &body).unwrap();
            }
            for encoding in [Encoding::Json, Encoding::Xml] {
                let written = shown(&config, "", &Query::default(), encoding);
                let mut again = Configuration::default();
                change(&mut again, Method::Replace, "", &written).unwrap();
                prop_assert_eq!(&again, &config, "{}", written);
            }
        }
    }
}
