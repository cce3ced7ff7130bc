//! `trunkline netconf capabilities`: what a server's hello announces, and its modules, as tables.

use std::io::Write;

use serde::Serialize;
use trunkline_client::netconf::protocol::hello::Hello;
use trunkline_client::netconf::protocol::modules::{
    Listed, announced, library_filter, listed, whole_libraries,
};
use trunkline_client::netconf::protocol::request::{self, Select};
use trunkline_smi::visible;

use super::Server;
use crate::arguments::netconf::CapabilitiesArgs;
use crate::command::table::width;
use crate::connect::say;
use crate::error::Error;

/// A capability; `docs/json.md` describes the fields.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Capability<'c> {
    uri: &'c str,
    /// `:candidate:1.0`, of the IETF's.
    capability: Option<&'c str>,
    module: Option<&'c str>,
    revision: Option<&'c str>,
    features: Vec<&'c str>,
    deviations: Vec<&'c str>,
    /// What else stands behind the question mark.
    parameters: Vec<&'c str>,
}

/// A module; `docs/json.md` describes the fields.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Module<'c> {
    name: &'c str,
    revision: Option<&'c str>,
    namespace: &'c str,
    features: &'c [String],
    deviations: &'c [String],
    import_only: bool,
}

/// What `--json` writes.
#[derive(Serialize)]
struct Announced<'c> {
    session: Option<u32>,
    capabilities: Vec<Capability<'c>>,
    modules: Vec<Module<'c>>,
}

/// Runs the command.
pub async fn run(options: &CapabilitiesArgs, out: &mut impl Write) -> Result<(), Error> {
    let server = Server::open(&options.server).await?;
    let hello = server.hello().await?;
    if options.uris {
        return Ok(hello.capabilities.iter().try_for_each(|it| writeln!(out, "{}", visible(it)))?);
    }
    let modules = modules(&server, &hello).await?;
    let capabilities: Vec<Capability<'_>> =
        hello.capabilities.iter().map(|uri| Capability::of(uri)).collect();
    if options.json {
        let modules = modules.iter().map(Module::of).collect();
        let announced = Announced { session: hello.session_id, capabilities, modules };
        let text = serde_json::to_string_pretty(&announced).map_err(std::io::Error::from)?;
        return Ok(writeln!(out, "{text}")?);
    }
    let width = width(None).unwrap_or(WIDTH);
    Ok(out.write_all(drawn(&capabilities, &modules, options.namespaces, width).as_bytes())?)
}

/// The modules of the hello and of the YANG library: those of YANG 1.1 are only there (RFC 7950 section 5.6.4).
async fn modules(server: &Server, hello: &Hello) -> Result<Vec<Listed>, Error> {
    let mut all = announced(hello);
    let has_library = library_filter(hello).is_some() || server.session.is_restconf();
    if !has_library {
        return Ok(all);
    }
    let mut of_library = Vec::new();
    for filter in whole_libraries() {
        let octets = server.fetch(&request::get(Select::Subtree(filter.as_bytes()), None)).await?;
        of_library = server.read(&octets)?.content().flat_map(listed).collect();
        if !of_library.is_empty() {
            break;
        }
    }
    if of_library.is_empty() {
        say(&format!(
            "{} has a YANG library that you may not read: modules of YANG 1.1 are not listed",
            server.label
        ));
    }
    // The library has more of each than the hello.
    all.retain(|it| {
        !of_library.iter().any(|other| (&it.name, &it.revision) == (&other.name, &other.revision))
    });
    all.extend(of_library);
    all.sort();
    Ok(all)
}

/// The capabilities, and below them the modules, of which those that are only imported are last.
fn drawn(capabilities: &[Capability<'_>], modules: &[Listed], with_namespaces: bool, width: usize) -> String {
    let of_protocol = capabilities.iter().filter(|it| it.module.is_none()).map(|it| {
        let name = it.capability.unwrap_or_else(|| it.namespace()).to_owned();
        (vec![name], it.parameters.iter().map(|it| (*it).to_owned()).collect())
    });
    let row = |module: &Listed| {
        let revision = if module.revision.is_empty() { "-" } else { &module.revision };
        let more = match with_namespaces {
            true => vec![module.namespace.clone()],
            false => module.features.iter().chain(&module.deviations).cloned().collect(),
        };
        (vec![module.name.clone(), revision.to_owned()], more)
    };
    let of_kind =
        |is_import_only| modules.iter().filter(move |it| it.is_import_only == is_import_only).map(row);
    let more = if with_namespaces { "Namespace" } else { "Features, deviations" };
    let mut tables = Vec::new();
    for (header, rows) in [
        (&["Capability", "Parameters"][..], of_protocol.collect::<Vec<_>>()),
        (&["Module", "Revision", more], of_kind(false).collect()),
        (&["Only imported", "Revision", more], of_kind(true).collect()),
    ] {
        if !rows.is_empty() {
            tables.push(table(header, &rows, width));
        }
    }
    tables.join("\n")
}

/// Cells that stay on one line, and words behind them that go on in the lines below.
type Row = (Vec<String>, Vec<String>);

/// A table of which the last column is as wide as the rest of the line; what does not fit goes on below.
fn table(header: &[&str], rows: &[Row], width: usize) -> String {
    let (last, front) = header.split_last().map_or(("", &[][..]), |(last, front)| (*last, front));
    let widest = |at: usize| {
        let cells = rows.iter().filter_map(|(cells, _)| cells.get(at)).map(|it| visible(it).chars().count());
        cells.chain([front[at].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..front.len()).map(widest).collect();
    let indent = widths.iter().map(|it| it + GAP).sum::<usize>();
    let rest = width.saturating_sub(indent).max(LEAST);
    let used = rows.iter().flat_map(|(_, words)| lines(words, rest)).map(|it| it.chars().count()).max();
    let used = used.unwrap_or(0).max(last.chars().count());
    let mut text = String::new();
    let mut line = |cells: &[String], last: &str, fill: char| {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(fill, width.saturating_sub(cell.chars().count())));
            line.push_str("  ");
        }
        line.push_str(last);
        text.push_str(line.trim_end());
        text.push('\n');
    };
    let names: Vec<String> = front.iter().map(|it| (*it).to_owned()).collect();
    line(&names, last, ' ');
    let dashes = vec![String::new(); front.len()];
    line(&dashes, &"-".repeat(used), '-');
    for (cells, words) in rows {
        let cells: Vec<String> = cells.iter().map(|it| visible(it).into_owned()).collect();
        let lines = lines(words, rest);
        line(&cells, lines.first().map_or("", String::as_str), ' ');
        let nothing = vec![String::new(); cells.len()];
        lines.iter().skip(1).for_each(|it| line(&nothing, it, ' '));
    }
    text
}

/// Words in lines of at most so many characters; what is longer itself is broken.
fn lines(words: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        let word: Vec<char> = visible(word).chars().collect();
        for (at, piece) in word.chunks(width).enumerate() {
            match lines.last_mut().filter(|_| at == 0) {
                Some(line) if line.chars().count() + 1 + piece.len() <= width => {
                    line.push(' ');
                    line.extend(piece);
                }
                _ => lines.push(piece.iter().collect()),
            }
        }
    }
    lines
}

/// The width where there is no terminal.
const WIDTH: usize = 80;
/// Between two columns.
const GAP: usize = 2;
/// The last column is at least so wide.
const LEAST: usize = 16;

impl<'c> Module<'c> {
    fn of(module: &'c Listed) -> Module<'c> {
        let Listed { name, revision, namespace, features, deviations, is_import_only } = module;
        let revision = (!revision.is_empty()).then_some(revision.as_str());
        Module { name, revision, namespace, features, deviations, import_only: *is_import_only }
    }
}

impl<'c> Capability<'c> {
    fn of(uri: &'c str) -> Capability<'c> {
        let (name, parameters) = uri.split_once('?').unwrap_or((uri, ""));
        let of_ietf = name
            .strip_prefix("urn:ietf:params:netconf:capability")
            .or_else(|| name.strip_prefix("urn:ietf:params:restconf:capability"))
            .or_else(|| name.strip_prefix("urn:ietf:params:netconf").filter(|it| it.starts_with(":base:")));
        let mut capability = Capability {
            uri,
            capability: of_ietf,
            module: None,
            revision: None,
            features: Vec::new(),
            deviations: Vec::new(),
            parameters: Vec::new(),
        };
        let list = |value: &'c str| value.split(',').filter(|it| !it.is_empty()).collect();
        // RFC 6020 section 5.6.4.
        for parameter in parameters.split('&').map(str::trim).filter(|it| !it.is_empty()) {
            match parameter.split_once('=') {
                Some(("module", name)) => capability.module = Some(name),
                Some(("revision", date)) if of_ietf.is_none() => capability.revision = Some(date),
                Some(("features", names)) => capability.features = list(names),
                Some(("deviations", names)) => capability.deviations = list(names),
                _ => capability.parameters.push(parameter),
            }
        }
        capability
    }

    fn namespace(&self) -> &'c str {
        self.uri.split('?').next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_read_from_their_uris() {
        let read = Capability::of("urn:x?module=a&revision=2020-01-01&features=b,c&deviations=d&other=e");
        assert_eq!((read.module, read.revision), (Some("a"), Some("2020-01-01")));
        assert_eq!(
            (read.features, read.deviations, read.parameters),
            (vec!["b", "c"], vec!["d"], vec!["other=e"])
        );
        let of = |uri| Capability::of(uri).capability;
        assert_eq!(of("urn:ietf:params:netconf:base:1.1"), Some(":base:1.1"));
        assert_eq!(of("urn:ietf:params:netconf:capability:url:1.0?scheme=file"), Some(":url:1.0"));
        assert_eq!(of("urn:ietf:params:xml:ns:netconf:base:1.0"), None);
    }

    #[test]
    fn tables_are_as_wide_as_they_may_be() {
        let uris = [
            "urn:ietf:params:netconf:base:1.1",
            "urn:ietf:params:netconf:capability:url:1.0?scheme=file,ftp",
            "urn:vendor:x",
            "urn:m?module=m",
        ];
        let hello = Hello { capabilities: uris.map(str::to_owned).to_vec(), session_id: None };
        let all: Vec<Capability<'_>> = uris.iter().map(|uri| Capability::of(uri)).collect();
        let mut modules = announced(&hello);
        let of = |name: &str, features: &str, is_import_only| Listed {
            name: name.into(),
            revision: "2018-02-20".into(),
            namespace: format!("urn:ietf:params:xml:ns:yang:{name}"),
            features: features.split_whitespace().map(str::to_owned).collect(),
            deviations: Vec::new(),
            is_import_only,
        };
        modules.push(of("ietf-interfaces", "arbitrary-names pre-provisioning if-mib", false));
        modules.push(of("ietf-yang-types", "", true));
        assert_eq!(
            drawn(&all, &modules, false, 50),
            "\
Capability    Parameters
------------  ---------------
:base:1.1
:url:1.0      scheme=file,ftp
urn:vendor:x

Module           Revision    Features, deviations
---------------  ----------  --------------------
m                -
ietf-interfaces  2018-02-20  arbitrary-names
                             pre-provisioning
                             if-mib

Only imported    Revision    Features, deviations
---------------  ----------  --------------------
ietf-yang-types  2018-02-20
"
        );
        for width in [60, 80, 120] {
            let drawn = drawn(&all, &modules, true, width);
            assert!(drawn.lines().all(|line| line.chars().count() <= width), "{width}\n{drawn}");
            let whole: String = drawn.split_whitespace().collect();
            assert!(width < 80 || whole.contains("urn:ietf:params:xml:ns:yang:ietf-interfaces"), "{drawn}");
        }
    }
}
