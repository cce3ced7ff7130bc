//! The file of `--services`: the sections `[[service]]` and `[[relation]]` of the agent's configuration.

use std::path::Path;

use serde::Deserialize;
use trunkline_client::transport::files;
use trunkline_soap::expression::{RelationSpec, ServiceSpec, Specification};

use crate::error::Error;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct File {
    service: Vec<Service>,
    relation: Vec<Relation>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Service {
    tag: String,
    #[serde(default)]
    names: Vec<String>,
    level: Option<u32>,
    #[serde(default)]
    holds: Vec<String>,
    #[serde(default)]
    each_row_of: Vec<String>,
    named_by: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Relation {
    name: String,
    from: String,
    to: Vec<String>,
}

/// The services of a file, or the default ones.
pub fn read(path: Option<&Path>) -> Result<Specification, Error> {
    let mut specification = Specification::default();
    let Some(path) = path else { return Ok(specification) };
    let wrong = |words: String| Error::Usage(format!("{}: {words}", path.display()));
    let text = files::read_named(path, files::LONGEST).map_err(|fault| wrong(fault.to_string()))?;
    let file: File = toml::from_str(&text).map_err(|fault| wrong(fault.to_string()))?;
    if !file.service.is_empty() {
        specification = Specification { services: Vec::new(), relations: Vec::new() };
    }
    specification.services.extend(file.service.into_iter().map(|service| ServiceSpec {
        tag: service.tag,
        aliases: service.names,
        level: service.level,
        holds: service.holds,
        each: service.each_row_of,
        named_by: service.named_by,
    }));
    specification.relations.extend(file.relation.into_iter().map(|relation| RelationSpec {
        name: relation.name,
        from: relation.from,
        to: relation.to,
    }));
    specification.graph(&|_, _| vec![(1, None)]).map_err(|fault| wrong(fault.to_string()))?;
    Ok(specification)
}
