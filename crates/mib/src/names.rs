//! [`Names`]: the one object that commands use for names, and when it reads MIB texts.

use std::path::PathBuf;
use std::sync::OnceLock;

use mib_rs::mib::Mib;
use trunkline_smi::{Oid, Value, ValueRef, module};

use crate::base::{ROOTS, SMI};
use crate::catalog::{Catalog, Object};
use crate::definition::{self, Definition};
use crate::describe::{Description, IndexField};
use crate::error::{LoadError, ResolveError, SkippedText, ValueError};
use crate::load::{Loaded, Which, load};
use crate::style::Style;
use crate::value::TypedValue;

/// Which modules are wanted (Net-SNMP's `-m`).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Choice {
    /// The built-in ones; the folders are read once something unknown is met.
    #[default]
    AsNeeded,
    /// As `AsNeeded`, and these from the beginning.
    And(Vec<String>),
    /// The built-in ones and these, and nothing else.
    Only(Vec<String>),
    /// These and those they import from, and of the built-in ones no others.
    Exactly(Vec<String>),
    /// The built-in ones and `at_once` from the beginning; of `later` those that the folders have,
    /// once something unknown is met.
    Listed {
        /// As `And` has them.
        at_once: Vec<String>,
        /// What may be read later; nothing else is.
        later: Vec<String>,
    },
    /// Everything in the folders.
    All,
    /// None at all, not even the built-in ones: numbers stay numbers.
    None,
}

/// Where names come from.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Sources {
    /// Folders with MIB texts, searched in this order; those that do not exist are skipped.
    pub folders: Vec<PathBuf>,
    /// Which modules are wanted.
    pub choice: Choice,
    /// Receives each file of the folders that is not read, with the reason; by default nobody does.
    pub skipped: Option<fn(&SkippedText)>,
}

impl Sources {
    /// The same, with MIB texts from these folders.
    #[must_use]
    pub fn with_folders(mut self, folders: Vec<PathBuf>) -> Self {
        self.folders = folders;
        self
    }

    /// The same, with these modules.
    #[must_use]
    pub fn with_choice(mut self, choice: Choice) -> Self {
        self.choice = choice;
        self
    }

    /// The same, and this function receives each file of the folders that is not read.
    #[must_use]
    pub fn with_skipped(mut self, skipped: fn(&SkippedText)) -> Self {
        self.skipped = Some(skipped);
        self
    }

    /// From Net-SNMP's options and variables: `-m` or `MIBS` (a list separated by `:` or `,`, `ALL`, or with a
    /// leading `+` or `-` in addition to the default) and `-M` or `MIBDIRS` (folders separated by `:`, with a
    /// leading `+` or `-` after or before the standard ones). `home` is the user's folder.
    pub fn net_snmp(modules: Option<&str>, folders: Option<&str>, home: Option<&str>) -> Self {
        let standard = standard_folders(home);
        let listed =
            |text: &str| text.split(':').filter(|part| !part.is_empty()).map(PathBuf::from).collect();
        let folders = match folders {
            None => standard,
            Some(text) => match (text.strip_prefix('+'), text.strip_prefix('-')) {
                (Some(behind), _) => [standard, listed(behind)].concat(),
                (None, Some(before)) => [listed(before), standard].concat(),
                (None, None) => listed(text),
            },
        };
        Sources { folders, choice: modules.map_or(Choice::AsNeeded, Choice::parse), skipped: None }
    }
}

impl Choice {
    /// From the text of `-m` or of the variable `MIBS`.
    pub fn parse(text: &str) -> Self {
        let listed = |text: &str| -> Vec<String> {
            text.split([':', ',']).map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
        };
        match text.strip_prefix(['+', '-']) {
            Some(more) if more.trim() == "ALL" => Choice::All,
            Some(more) => Choice::And(listed(more)),
            None => match listed(text) {
                names if names.is_empty() => Choice::None,
                names if names.iter().any(|name| name == "ALL") => Choice::All,
                names => Choice::Only(names),
            },
        }
    }
}

/// Names, enumerations, hints and units, by object identifier and back.
#[derive(Debug)]
pub struct Names {
    base: Catalog,
    /// Folders not read yet.
    folders: Vec<PathBuf>,
    /// Which of them may be read; all by default.
    later: Option<Vec<String>>,
    /// The base and what the folders had, once they were read.
    extended: OnceLock<Option<Extended>>,
    /// The built-in modules as texts, once they were needed.
    rendered: OnceLock<Option<Mib>>,
    skipped: Option<fn(&SkippedText)>,
}

#[derive(Debug)]
struct Extended {
    catalog: Catalog,
    mib: Mib,
}

impl Names {
    /// The built-in modules alone: reads no file.
    pub fn built_in() -> Self {
        let mut base = Catalog::new();
        base.add(&ROOTS);
        base.add(&SMI);
        module::ALL.iter().for_each(|module| base.add(module));
        let (extended, rendered) = (OnceLock::new(), OnceLock::new());
        Names { base, folders: Vec::new(), later: None, extended, rendered, skipped: None }
    }

    /// The names of these sources. Modules named in the choice are read at once.
    pub fn new(sources: Sources) -> Result<Self, LoadError> {
        let mut names = Names { skipped: sources.skipped, ..Names::built_in() };
        let folders = sources.folders;
        match sources.choice {
            Choice::AsNeeded => names.folders = folders,
            Choice::And(at_once) => names.begin(folders, &at_once, None)?,
            Choice::Listed { at_once, later } => names.begin(folders, &at_once, Some(later))?,
            Choice::Only(modules) => {
                names.extended = OnceLock::from(Some(names.extend(&folders, Which::These(&modules))?))
            }
            Choice::Exactly(modules) => {
                let read = names.read(&folders, Which::These(&modules))?;
                let mut catalog = Catalog::new();
                let roots = [&ROOTS, &SMI].into_iter();
                roots.chain(read.built_in).chain(read.modules).for_each(|module| catalog.add(module));
                names.extended = OnceLock::from(Some(Extended { catalog, mib: read.mib }));
            }
            Choice::All => names.extended = OnceLock::from(Some(names.extend(&folders, Which::All)?)),
            Choice::None => {
                names.base = Catalog::new();
                names.base.add(&ROOTS);
            }
        }
        Ok(names)
    }

    /// Reads some modules now, and leaves the others for later.
    fn begin(
        &mut self,
        folders: Vec<PathBuf>,
        at_once: &[String],
        later: Option<Vec<String>>,
    ) -> Result<(), LoadError> {
        if !at_once.is_empty() {
            let read = self.read(&folders, Which::These(at_once))?;
            read.modules.iter().for_each(|module| self.base.add(module));
        }
        self.folders = folders;
        self.later = later.map(|later| [at_once, &later].concat());
        Ok(())
    }

    fn extend(&self, folders: &[PathBuf], which: Which<'_>) -> Result<Extended, LoadError> {
        let read = self.read(folders, which)?;
        let mut catalog = self.base.clone();
        read.modules.iter().for_each(|module| catalog.add(module));
        Ok(Extended { catalog, mib: read.mib })
    }

    fn read(&self, folders: &[PathBuf], which: Which<'_>) -> Result<Loaded, LoadError> {
        let read = load(folders, which)?;
        if let Some(skipped) = self.skipped {
            read.skipped.iter().for_each(skipped);
        }
        Ok(read)
    }

    /// The names known at present.
    fn present(&self) -> &Catalog {
        self.extended.get().and_then(Option::as_ref).map_or(&self.base, |extended| &extended.catalog)
    }

    /// What is known after reading the folders. Texts that cannot be read are skipped: nobody requested them by
    /// name.
    fn all(&self) -> &Catalog {
        if !self.folders.is_empty() {
            let which = self.later.as_deref().map_or(Which::All, Which::AsFarAs);
            self.extended.get_or_init(|| self.extend(&self.folders, which).ok());
        }
        self.present()
    }

    /// Reads the folders now, if that was put off until an unknown name is met.
    pub fn read_folders(&self) {
        self.all();
    }

    /// The known names, with the folders read if `oid` ends below all built-in ones.
    fn for_oid(&self, oid: &[u32]) -> &Catalog {
        let known = self.present().describe(oid);
        let is_unknown = known.object.is_none() && oid.len() > known.named;
        if is_unknown { self.all() } else { self.present() }
    }

    /// The object identifier that a text names: numbers, names with or without module,
    /// paths of names, indexes as they are printed.
    pub fn resolve(&self, text: &str) -> Result<Oid, ResolveError> {
        self.resolved(text, Catalog::resolve)
    }

    /// The same, also of numbers with which no object identifier begins, such as `3.1`: Net-SNMP's tools translate
    /// them. No message can carry them.
    pub fn resolve_numbers(&self, text: &str) -> Result<Oid, ResolveError> {
        self.resolved(text, Catalog::resolve_numbers)
    }

    fn resolved(
        &self,
        text: &str,
        resolve: fn(&Catalog, &str) -> Result<Oid, ResolveError>,
    ) -> Result<Oid, ResolveError> {
        match resolve(self.present(), text) {
            Err(
                ResolveError::UnknownModule { .. }
                | ResolveError::UnknownName { .. }
                | ResolveError::UnknownChild { .. },
            ) => resolve(self.all(), text),
            other => other,
        }
    }

    /// The deepest name on the path to `oid`, and its object type.
    pub fn describe(&self, oid: &[u32]) -> Description {
        self.for_oid(oid).describe(oid)
    }

    /// The object type that `oid` is, or is an instance of.
    pub fn object(&self, oid: &[u32]) -> Option<Object> {
        self.describe(oid).object
    }

    /// The index of the row that `oid` is an instance in, part by part.
    pub fn index(&self, oid: &[u32]) -> Vec<IndexField> {
        self.for_oid(oid).index(oid)
    }

    /// `oid` as text: `IF-MIB::ifDescr.2`.
    pub fn format_oid(&self, oid: &[u32], style: &Style) -> String {
        self.for_oid(oid).format_oid(oid, style)
    }

    /// The value of the instance `oid` as printed after `NAME = `: `INTEGER: up(1)`.
    pub fn format_value(&self, oid: &[u32], value: ValueRef<'_>, style: &Style) -> String {
        if let ValueRef::ObjectIdentifier(named) = value {
            self.for_oid(named);
        }
        let object = self.object(oid);
        self.present().format_value(value, object.as_ref(), style)
    }

    /// The value alone, for tables and JSON: `up`, `eth0`, `0:00:01.23`; no type and no units.
    pub fn text(&self, oid: &[u32], value: ValueRef<'_>) -> String {
        let object = self.object(oid);
        if let ValueRef::ObjectIdentifier(named) = value {
            self.for_oid(named);
        }
        self.present().text(value, object.as_ref())
    }

    /// The unit of the instance's values, or empty.
    pub fn units(&self, oid: &[u32]) -> &'static str {
        self.object(oid).map_or("", |object| object.units)
    }

    /// Parses a value, of the type in the object's module.
    pub fn parse_value(&self, oid: &[u32], text: &str) -> Result<Value, ValueError> {
        let object = self.object(oid);
        let name = self.format_oid(oid, &Style::default());
        self.all_if_needed(text).parse_value(text, &name, object.as_ref())
    }

    /// Parses a value, of the type given by a letter of Net-SNMP's `set` (`= i u t a o s x d b c C U I F D n`);
    /// `None` for `n`, NULL.
    pub fn parse_typed(&self, oid: &[u32], letter: &str, text: &str) -> Result<TypedValue, ValueError> {
        let object = self.object(oid);
        let name = self.format_oid(oid, &Style::default());
        self.all_if_needed(text).parse_typed(letter, text, &name, object.as_ref())
    }

    /// Values may name objects that only the folders know.
    fn all_if_needed(&self, text: &str) -> &Catalog {
        if text.contains("::") && self.present().resolve(text).is_err() { self.all() } else { self.present() }
    }

    /// The DESCRIPTION of the object, where a MIB text was read that has one.
    pub fn description(&self, oid: &[u32]) -> Option<&str> {
        let mib = &self.extended.get()?.as_ref()?.mib;
        let known = self.present().describe(oid);
        let wanted = mib_oid(oid.get(..known.named)?)?;
        let node = mib.exact_node_by_oid(&wanted)?;
        let text = node.object().map_or(node.description(), |object| object.description());
        (!text.is_empty()).then_some(text)
    }

    /// The definition of the node, if it has a name.
    pub fn definition(&self, oid: &[u32]) -> Option<Definition> {
        self.for_oid(oid);
        let wanted = mib_oid(oid)?;
        let defined = |mib: &Mib| {
            let node = mib.exact_node_by_oid(&wanted)?;
            (!node.name().is_empty()).then(|| Definition::of(node))
        };
        let read =
            || self.extended.get().and_then(Option::as_ref).and_then(|extended| defined(&extended.mib));
        let rendered = || self.rendered.get_or_init(definition::rendered).as_ref().and_then(defined);
        // A module that was read at once is read again with the others: its name alone was kept.
        let is_named = || self.present().describe(oid).named == oid.len();
        let read_later = || is_named().then(|| self.all()).and_then(|_| read());
        read().or_else(rendered).or_else(read_later)
    }

    /// The children of a node: number, name and object type.
    pub fn children(&self, oid: &[u32]) -> Vec<(Oid, Description)> {
        let catalog = self.for_oid(oid);
        let (id, named) = catalog.deepest(oid);
        if named != oid.len() {
            return Vec::new();
        }
        let below = catalog.children(id).map(|child| {
            let child = catalog.oid_of(child);
            let description = catalog.describe(&child);
            (child, description)
        });
        below.collect()
    }

    /// The modules known at present.
    pub fn modules(&self) -> &[&'static str] {
        self.present().modules()
    }
}

fn mib_oid(oid: &[u32]) -> Option<mib_rs::mib::Oid> {
    trunkline_smi::display_oid(oid).to_string().parse().ok()
}

/// Net-SNMP's default search path.
fn standard_folders(home: Option<&str>) -> Vec<PathBuf> {
    let own = home.map(|home| PathBuf::from(home).join(".snmp/mibs"));
    let shared = [
        "/usr/share/snmp/mibs",
        "/usr/share/snmp/mibs/iana",
        "/usr/share/snmp/mibs/ietf",
        "/usr/local/share/snmp/mibs",
    ];
    own.into_iter().chain(shared.map(PathBuf::from)).collect()
}
