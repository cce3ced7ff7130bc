//! A request from its octets.

mod parameters;

use trunkline_xml::{Name, Reader};

use super::{Rejected, Request, RequestLimits};
use crate::catalog::{Catalog, Target};
use crate::encoding::Encoding;
use crate::envelope::{self, Version, excerpt, shown};
use crate::fault::{Fault, FaultKind};
use crate::namespace;
use parameters::Parameters;

/// Reads a request.
///
/// # Errors
///
/// The fault to answer with, and the version to write it in, if that is known.
pub fn read(catalog: &Catalog, octets: &[u8], limits: &RequestLimits) -> Result<Request, Rejected> {
    let mut reader = Reader::new(octets, limits.xml);
    let (version, name) =
        envelope::open(&mut reader).map_err(|(version, fault)| Rejected { version, fault })?;
    let rejected = |fault| Rejected { version: Some(version), fault };
    let Some(name) = name else {
        let fault = Fault::new(FaultKind::UnknownOperation, "the Body is empty: expected an operation");
        return Err(rejected(fault));
    };
    let request = in_body(catalog, &mut reader, version, name, limits).map_err(rejected)?;
    envelope::close(&mut reader).map_err(rejected)?;
    Ok(request)
}

fn in_body(
    catalog: &Catalog,
    reader: &mut Reader<'_>,
    version: Version,
    name: Name<'_>,
    limits: &RequestLimits,
) -> Result<Request, Fault> {
    let (encoding, what) = find(catalog, name)?;
    let mut parameters =
        Parameters { catalog, reader, limits, encoding, namespace: name.namespace, community: None };
    let operation = match what {
        What::Get => parameters.get()?,
        What::GetNext => parameters.get_next()?,
        What::Set => parameters.set()?,
        What::Target(Target::Table(verb, table)) => parameters.table(verb, table)?,
        What::Target(Target::GetGroup(group)) => parameters.group(group)?,
        What::Target(Target::SetGroup(group)) => parameters.set_group(group)?,
    };
    let community = parameters.community;
    let (name, namespace) = (name.local.to_owned(), name.namespace.to_owned());
    Ok(Request { version, encoding, name, namespace, community, operation })
}

/// The operation with a name.
#[derive(Clone, Copy, Debug)]
enum What {
    Get,
    GetNext,
    Set,
    Target(Target),
}

fn find(catalog: &Catalog, name: Name<'_>) -> Result<(Encoding, What), Fault> {
    let unknown = |reason: String| {
        Fault::new(FaultKind::UnknownOperation, reason)
            .about(excerpt(name.local))
            .near(catalog.near(name.local))
    };
    let generic = match name.local {
        "Get" => Some(What::Get),
        "GetNext" => Some(What::GetNext),
        "Set" => Some(What::Set),
        _ => None,
    };
    let own = catalog.operation(name.local).map(What::Target);
    let Some(encoding) = Encoding::of_namespace(name.namespace) else {
        let reason = format!(
            "{} is not in a namespace of an operation; expected {}",
            shown(name),
            namespace_hint(catalog, name.local)
        );
        return Err(unknown(reason));
    };
    let Some(what) = generic.or(own) else {
        let near = catalog.near(name.local);
        let hint =
            if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
        return Err(unknown(format!("there is no operation {}{hint}", shown(name))));
    };
    if encoding != Encoding::Typed {
        return Ok((encoding, what));
    }
    let module = match what {
        What::Target(target) => Some(catalog.module_of(target).name),
        _ => None,
    };
    let is_right = match module {
        Some(module) => name.namespace.strip_prefix(namespace::MODULE_PREFIX) == Some(module),
        None => name.namespace == namespace::GENERIC,
    };
    if is_right {
        return Ok((encoding, what));
    }
    let expected = module.map_or(namespace::GENERIC.to_owned(), namespace::of_module);
    let found = excerpt(name.namespace);
    Err(unknown(format!("{} is in the namespace {expected}, not in {found}", name.local)))
}

fn namespace_hint(catalog: &Catalog, local: &str) -> String {
    let typed = match catalog.operation(local) {
        Some(target) => namespace::of_module(catalog.module_of(target).name),
        None if matches!(local, "Get" | "GetNext" | "Set") => namespace::GENERIC.to_owned(),
        None => format!("{}MODULE or {}", namespace::MODULE_PREFIX, namespace::GENERIC),
    };
    format!("{typed}, {} or {}", namespace::LEAN, namespace::PAPER)
}
