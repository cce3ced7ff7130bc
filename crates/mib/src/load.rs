//! MIB texts from folders, through the crate `mib-rs`, into `smi`'s schema.
//!
//! Texts import from modules that a machine often lacks (Debian ships no IETF
//! modules); those that we have built in are given to the reader as text too.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use mib_rs::mib::{Mib, Module as MibModule};
use mib_rs::{DiagnosticConfig, Loader, ResolverStrictness};
use trunkline_smi::module;

use crate::catalog::Read;
use crate::convert::convert;
use crate::error::{LoadError, SkippedText};
use crate::folder::Texts;
use crate::render::render_all;

/// The result of reading: the modules for the catalog, and the reader's own model for descriptions.
pub(crate) struct Loaded {
    /// In the order in which Net-SNMP reads them: what a module imports from is before it. Those of the folders,
    /// and built-in ones that were wanted or imported from.
    pub modules: Vec<Read>,
    pub mib: Mib,
    /// Files that are not read.
    pub skipped: Vec<SkippedText>,
}

impl Loaded {
    /// Those of the folders.
    pub fn of_texts(&self) -> impl Iterator<Item = &Read> {
        let is_built_in = |read: &&Read| module::ALL.iter().any(|module| std::ptr::eq(*module, read.module));
        self.modules.iter().filter(move |read| !is_built_in(read))
    }
}

/// Which modules of the folders to read; what they import is read too.
#[derive(Clone, Copy)]
pub(crate) enum Which<'w> {
    /// All of them.
    All,
    /// These, and it is a fault if one is missing.
    These(&'w [String]),
    /// Those of these that are there.
    AsFarAs(&'w [String]),
}

/// Reads modules of these folders. Folders that do not exist are skipped, and so are files that are not texts.
pub(crate) fn load(folders: &[PathBuf], which: Which<'_>) -> Result<Loaded, LoadError> {
    let mut loader = Loader::new()
        .resolver_strictness(ResolverStrictness::Permissive)
        .diagnostic_config(DiagnosticConfig::silent());
    let mut texts = Texts::of(&existing(folders))?;
    match which {
        Which::These(only) => {
            texts.too_deep_in(only).map_or(Ok(()), |skipped| Err(LoadError::Text(Box::new(skipped))))?
        }
        Which::All | Which::AsFarAs(_) => texts.leave_out_too_deep(),
    }
    let found = texts.newest_first();
    loader = loader.source(texts.source());
    let built_in = render_all().into_iter().map(|(name, text)| (name, text.into_bytes()));
    loader = loader.source(mib_rs::source::memory_modules(built_in));
    let is_there =
        |name: &String| found.contains(name) || module::ALL.iter().any(|module| module.name == name.as_str());
    let wanted = match which {
        Which::All => found.clone(),
        Which::AsFarAs(only) => only.iter().filter(|name| is_there(name)).cloned().collect(),
        Which::These(only) => {
            let missing: Vec<String> = only.iter().filter(|name| !is_there(name)).cloned().collect();
            if !missing.is_empty() {
                return Err(LoadError::Missing { modules: missing, folders: existing(folders) });
            }
            only.to_vec()
        }
    };
    let mib = loader.modules(wanted.clone()).load().map_err(|fault| LoadError::Texts(fault.to_string()))?;
    let modules = in_order(&mib, &wanted).into_iter().filter_map(|found| read(&found)).collect();
    Ok(Loaded { modules, mib, skipped: texts.skipped })
}

/// A module for the catalog: of a text, or built in.
fn read(found: &MibModule<'_>) -> Option<Read> {
    if found.is_base() {
        return None;
    }
    let is_text = matches!(found.source_origin(), Some(mib_rs::source::SourceOrigin::File { .. }));
    let built_in = || module::ALL.iter().find(|module| module.name == found.name()).copied();
    if is_text { Some(convert(*found)) } else { built_in().map(Read::built_in) }
}

/// These modules in order, each behind those that it imports from.
fn in_order<'m>(mib: &'m Mib, wanted: &[String]) -> Vec<MibModule<'m>> {
    let mut order = Vec::new();
    let mut met = HashSet::new();
    // Chains of imports may be long, so this is not recursive.
    let mut left: Vec<(&str, bool)> = wanted.iter().rev().map(|name| (name.as_str(), false)).collect();
    while let Some((name, is_behind_imports)) = left.pop() {
        let Some(module) = mib.module(name) else { continue };
        if is_behind_imports {
            order.push(module);
        } else if met.insert(name) {
            left.push((name, true));
            left.extend(module.imports().iter().rev().map(|import| (import.module.as_str(), false)));
        }
    }
    order
}

fn existing(folders: &[PathBuf]) -> Vec<PathBuf> {
    folders.iter().filter(|folder| Path::is_dir(folder)).cloned().collect()
}
