//! `trunkline netconf capabilities`: what a server's hello announces, as two tables.

use std::io::Write;

use serde::Serialize;
use trunkline_smi::visible;

use super::Server;
use crate::arguments::netconf::CapabilitiesArgs;
use crate::command::table::width;
use crate::draw::Drawing;
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

/// What `--json` writes.
#[derive(Serialize)]
struct Announced<'c> {
    session: Option<u32>,
    capabilities: Vec<Capability<'c>>,
}

/// Runs the command.
pub async fn run(options: &CapabilitiesArgs, out: &mut impl Write) -> Result<(), Error> {
    let server = Server::open(&options.server).await?;
    let hello = server.session.hello().await.map_err(|fault| server.failed(&fault))?;
    if options.uris {
        return Ok(hello.capabilities.iter().try_for_each(|it| writeln!(out, "{}", visible(it)))?);
    }
    let capabilities: Vec<Capability<'_>> =
        hello.capabilities.iter().map(|uri| Capability::of(uri)).collect();
    if options.json {
        let announced = Announced { session: hello.session_id, capabilities };
        let text = serde_json::to_string_pretty(&announced).map_err(std::io::Error::from)?;
        return Ok(writeln!(out, "{text}")?);
    }
    Ok(out.write_all(drawn(&capabilities, width(None)).as_bytes())?)
}

/// The capabilities, and below them the modules.
fn drawn(capabilities: &[Capability<'_>], width: Option<usize>) -> String {
    let text = |names: &[&str]| names.join(" ");
    let of_protocol = capabilities
        .iter()
        .filter(|it| it.module.is_none())
        .map(|it| vec![it.capability.unwrap_or_else(|| it.namespace()).to_owned(), text(&it.parameters)]);
    let modules = capabilities.iter().filter(|it| it.module.is_some()).map(|it| {
        let name = it.module.unwrap_or_default().to_owned();
        let more: Vec<&str> = it.features.iter().chain(&it.deviations).copied().collect();
        vec![name, it.revision.unwrap_or("-").to_owned(), text(&more), it.namespace().to_owned()]
    });
    let drawing = |header: &[&str], rows: Vec<Vec<String>>| Drawing {
        header: header.iter().map(|it| (*it).to_owned()).collect(),
        keys: 1,
        numeric: vec![false; header.len()],
        rows,
    };
    let mut tables = Vec::new();
    for (header, rows) in [
        (&["Capability", "Parameters"][..], of_protocol.collect::<Vec<_>>()),
        (&["Module", "Revision", "Features, deviations", "Namespace"][..], modules.collect()),
    ] {
        if !rows.is_empty() {
            tables.push(drawing(header, rows).draw(width));
        }
    }
    tables.join("\n")
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
    fn two_tables_are_drawn() {
        let uris = [
            "urn:ietf:params:netconf:base:1.1",
            "urn:ietf:params:netconf:capability:url:1.0?scheme=file,ftp",
            "urn:vendor:x",
            "urn:ietf:params:xml:ns:yang:ietf-interfaces?module=ietf-interfaces&revision=2018-02-20&features=if-mib",
            "urn:m?module=m",
        ];
        let all: Vec<Capability<'_>> = uris.iter().map(|uri| Capability::of(uri)).collect();
        let lines: Vec<String> = drawn(&all, None).lines().map(|line| line.trim_end().to_owned()).collect();
        assert_eq!(
            lines,
            [
                "Capability    Parameters",
                "------------- ----------------",
                ":base:1.1",
                ":url:1.0      scheme=file,ftp",
                "urn:vendor:x",
                "",
                "Module           Revision    Features, deviations  Namespace",
                "---------------- ----------- --------------------- --------------------------------------------",
                "ietf-interfaces  2018-02-20  if-mib                urn:ietf:params:xml:ns:yang:ietf-interfaces",
                "m                -                                 urn:m",
            ]
        );
        assert!(drawn(&all, Some(80)).lines().all(|line| line.chars().count() <= 80));
    }
}
