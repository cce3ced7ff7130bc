//! The requests: those of table 3.2, the twelve pairs of table 3.3, the seven of figure 3.2. The deliverable's own are lost
//! (`www.loria.fr/~cridligv/xpathSubtree.html`); ours use what it says they used.

/// The namespace of the document that the deliverable's paths begin in.
const PAPER: &str = "urn:trunkline:yang:netconf";
const BGP: &str = "urn:trunkline:yang:bgp";

/// A request: its name, and the operation's element.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub name: String,
    pub operation: String,
}

/// The pair that wants the whole document.
pub(super) const EVERYTHING: &str = "everything";

/// The same question in both ways.
pub(super) struct Pair {
    pub what: &'static str,
    pub subtree: Request,
    pub xpath: Request,
    /// Whether both answers have the same data; otherwise the manager would have to choose from the subtree's.
    pub is_same: bool,
}

fn get(filter: &str) -> String {
    format!("<get>{filter}</get>")
}

fn get_config(filter: &str) -> String {
    format!("<get-config><source><running/></source>{filter}</get-config>")
}

/// A subtree filter in the deliverable's document.
fn subtree(content: &str) -> String {
    format!("<filter type=\"subtree\"><netconf xmlns=\"{PAPER}\">{content}</netconf></filter>")
}

/// An XPath filter. Names without a prefix are found in any module, as in the deliverable's expressions.
fn xpath(expression: &str) -> String {
    format!("<filter type=\"xpath\" select=\"{}\"/>", expression.replace('<', "&lt;"))
}

fn request(name: impl Into<String>, operation: String) -> Request {
    Request { name: name.into(), operation }
}

/// What table 3.2 asks for, in the order of its rows: all with XPath, the first four of the agent with the realistic configuration, the last of
/// the one with the sample. Then the same configuration by get-config.
pub(super) fn of_table_3_2() -> Vec<(Request, Content)> {
    let [interfaces, routes, bgp, policy, sample] = super::paper::TABLE_3_2.map(|(name, _)| name);
    let of_paper = |name: &str, path: &str| request(name, get(&xpath(path)));
    vec![
        (of_paper(interfaces, "/netconf/network/interfaces"), Content::Realistic),
        (of_paper(routes, "/netconf/network/routes"), Content::Realistic),
        (of_paper(bgp, BGP_ROUTER), Content::Realistic),
        (of_paper(policy, "/netconf/security/rbac"), Content::Realistic),
        (of_paper(sample, BGP_ROUTER), Content::Sample),
        (request(format!("{bgp}, get-config"), get_config(&xpath("/bgp"))), Content::Realistic),
        (request(format!("{sample}, get-config"), get_config(&xpath("/bgp"))), Content::Sample),
    ]
}

/// Which agent is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// The one with a realistic configuration.
    Realistic,
    /// The one with a sample.
    Sample,
}

/// The request of section 3.2 and of the series of section 3.5: one leaf of one interface, the least work.
pub(super) fn small() -> Request {
    request("one leaf", get(&xpath("/netconf/network/interfaces/iface[name='lo']/mtu")))
}

/// The twelve pairs of table 3.3.
pub(super) fn pairs() -> Vec<Pair> {
    let interfaces = |content: &str| format!("<network><interfaces>{content}</interfaces></network>");
    let iface = |content: &str| interfaces(&format!("<iface>{content}</iface>"));
    let pair = |what, content: &str, expression: &str| Pair {
        what,
        subtree: request(format!("subtree: {what}"), get(&subtree(content))),
        xpath: request(format!("XPath: {what}"), get(&xpath(expression))),
        is_same: true,
    };
    let choosing =
        |what, content: &str, expression: &str| Pair { is_same: false, ..pair(what, content, expression) };
    vec![
        pair(
            "one leaf of one interface",
            &iface("<name>lo</name><mtu/>"),
            "/netconf/network/interfaces/iface[name='lo']/mtu",
        ),
        pair("one interface", &iface("<name>lo</name>"), "/netconf/network/interfaces/iface[name='lo']"),
        pair("all names", &iface("<name/>"), "/netconf/network/interfaces/iface/name"),
        pair(
            "a name that is absent",
            &iface("<name>absent0</name>"),
            "/netconf/network/interfaces/iface[name='absent0']",
        ),
        pair("two leaves of each interface", &iface("<name/><status/>"), "//iface/name | //iface/status"),
        pair(
            "interfaces and routes",
            "<network><interfaces/><routes/></network>",
            "/netconf/network/interfaces | /netconf/network/routes",
        ),
        // The event streams of RFC 5277 have a root of that name, too.
        Pair {
            xpath: request(
                format!("XPath: {EVERYTHING}"),
                get(&format!("<filter type=\"xpath\" xmlns:n=\"{PAPER}\" select=\"/n:netconf\"/>")),
            ),
            ..pair(EVERYTHING, "", "")
        },
        pair(
            "routes with two values",
            "<network><routes><route><destination>11.0.7.0/24</destination><metric>0</metric></route></routes></network>",
            "/netconf/network/routes/route[destination='11.0.7.0/24'][metric='0']",
        ),
        pair(
            "what one role may do",
            "<security><rbac><permission-assignements><permission-assignement><roleRef>role-3</roleRef></permission-assignement>\
             </permission-assignements></rbac></security>",
            "//permission-assignement[roleRef='role-3']",
        ),
        pair(
            "a value two levels down",
            "<routing><bgp><bgprouter><neighbors><neighbor><ip-address/><bind-filters><route-map><name>policy-2</name></route-map>\
             </bind-filters></neighbor></neighbors></bgprouter></bgp></routing>",
            "//neighbor/ip-address | //neighbor/bind-filters/route-map[name='policy-2']",
        ),
        choosing(
            "packages with a word",
            "<system><rpm-list/></system>",
            "/netconf/system/rpm-list/rpm[contains(text(),'java')]",
        ),
        choosing(
            "the first two interfaces",
            &interfaces("<iface/>"),
            "/netconf/network/interfaces/iface[position()<3]",
        ),
    ]
}

/// The seven requests of figure 3.2, some with subtree filters, some with XPath.
pub(super) fn of_figure_3_2() -> Vec<Request> {
    let neighbors = format!("<filter type=\"subtree\"><bgp xmlns=\"{BGP}\"><neighbors/></bgp></filter>");
    vec![
        request("all interfaces, subtree", get(&subtree("<network><interfaces/></network>"))),
        request("one interface, XPath", get(&xpath("/netconf/network/interfaces/iface[name='lo']"))),
        request(
            "packages with a word, XPath",
            get(&xpath("/netconf/system/rpm-list/rpm[contains(text(),'java')]")),
        ),
        request("routes, subtree", get(&subtree("<network><routes/></network>"))),
        request("neighbors of BGP, get-config, subtree", get_config(&neighbors)),
        request("the first two interfaces, XPath", get(&xpath("//iface[position()<3]"))),
        request("interfaces and routes, XPath", get(&xpath("//interfaces | //routes"))),
    ]
}

const BGP_ROUTER: &str = "/netconf/routing/bgp";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_as_in_the_deliverable() {
        assert_eq!((pairs().len(), of_figure_3_2().len(), of_table_3_2().len()), (12, 7, 7));
        let names: std::collections::HashSet<&str> = pairs().iter().map(|it| it.what).collect();
        assert_eq!(names.len(), 12);
        assert_eq!(pairs().iter().filter(|it| it.is_same).count(), 10);
        let last = &pairs()[11];
        assert_eq!(
            last.xpath.operation,
            "<get><filter type=\"xpath\" select=\"/netconf/network/interfaces/iface[position()&lt;3]\"/></get>"
        );
        assert!(!last.is_same && last.subtree.operation.contains("<iface/>"));
    }

    #[test]
    fn the_documentation_has_their_texts() {
        let documented = include_str!("../../../../docs/lab.md");
        for pair in pairs() {
            let (_, filter) = pair.xpath.operation.split_once("select=\"").unwrap();
            let expression = filter.split('"').next().unwrap().replace("&lt;", "<");
            let root = format!("<netconf xmlns=\"{PAPER}\">");
            let (_, template) = pair.subtree.operation.split_once(&root).unwrap();
            let template = template.split("</netconf>").next().unwrap();
            let both = format!("  {template}\n  {expression}\n");
            assert!(documented.contains(&both), "{both}");
        }
    }
}
