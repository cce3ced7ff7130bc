//! [`Names`]: the one object that commands use for names, and when it reads MIB texts.

use std::path::PathBuf;
use std::sync::OnceLock;

use mib_rs::mib::Mib;
use trunkline_smi::{Oid, Value, ValueRef};

use crate::catalog::{Catalog, Object};
use crate::chain::{Chain, Extended};
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
    /// Folders with MIB texts.
    folders: Vec<PathBuf>,
    /// Whether they are read once something unknown is met.
    reads_later: bool,
    /// Which modules of them; all by default.
    later: Option<Vec<String>>,
    /// The base and what the folders had, once they were read.
    extended: OnceLock<Option<Extended>>,
    /// All before it, and modules that were required.
    required: Chain,
    /// The built-in modules as texts, once they were needed.
    rendered: OnceLock<Option<Mib>>,
    skipped: Option<fn(&SkippedText)>,
}

impl Names {
    /// The built-in modules alone: reads no file.
    pub fn built_in() -> Self {
        let mut base = Catalog::top();
        base.add_built_in();
        Names {
            base,
            folders: Vec::new(),
            reads_later: false,
            later: None,
            extended: OnceLock::new(),
            required: Chain::default(),
            rendered: OnceLock::new(),
            skipped: None,
        }
    }

    /// The names of these sources. Modules named in the choice are read at once.
    pub fn new(sources: Sources) -> Result<Self, LoadError> {
        let mut names = Names { skipped: sources.skipped, folders: sources.folders, ..Names::built_in() };
        let extended = |read: Extended| OnceLock::from(Some(read));
        match sources.choice {
            Choice::AsNeeded => names.reads_later = true,
            Choice::And(at_once) => names.begin(&at_once, None)?,
            Choice::Listed { at_once, later } => names.begin(&at_once, Some(later))?,
            Choice::Only(modules) => names.extended = extended(names.at_first(Which::These(&modules), true)?),
            Choice::Exactly(modules) => {
                names.extended = extended(names.at_first(Which::These(&modules), false)?);
            }
            Choice::All => names.extended = extended(names.at_first(Which::All, true)?),
            Choice::None => names.base = Catalog::roots(),
        }
        Ok(names)
    }

    /// These modules in the order in which Net-SNMP reads them, and then perhaps the other built-in ones.
    fn at_first(&self, which: Which<'_>, and_built_in: bool) -> Result<Extended, LoadError> {
        let read = self.read(which)?;
        let mut catalog = Catalog::top();
        catalog.add_as_read(&read.modules);
        if and_built_in {
            catalog.add_built_in();
        }
        Ok(Extended { catalog, mib: read.mib })
    }

    /// Reads some modules now, and leaves the others for later.
    fn begin(&mut self, at_once: &[String], later: Option<Vec<String>>) -> Result<(), LoadError> {
        if !at_once.is_empty() {
            let read = self.read(Which::These(at_once))?;
            read.of_texts().for_each(|read| self.base.add(read));
        }
        self.reads_later = true;
        self.later = later.map(|later| [at_once, &later].concat());
        Ok(())
    }

    fn read(&self, which: Which<'_>) -> Result<Loaded, LoadError> {
        let read = load(&self.folders, which)?;
        if let Some(skipped) = self.skipped {
            read.skipped.iter().for_each(skipped);
        }
        Ok(read)
    }

    /// What the folders gave, and then each required module.
    fn read_so_far(&self) -> impl Iterator<Item = &Extended> {
        self.extended.get().into_iter().flatten().chain(self.required.steps())
    }

    /// The names known at present.
    fn present(&self) -> &Catalog {
        self.read_so_far().last().map_or(&self.base, |extended| &extended.catalog)
    }

    /// What is known after reading the folders. Texts that cannot be read are skipped: nobody requested them by
    /// name.
    fn all(&self) -> &Catalog {
        if self.reads_later && !self.folders.is_empty() {
            let which = self.later.as_deref().map_or(Which::All, Which::AsFarAs);
            self.extended.get_or_init(|| {
                let read = self.read(which).ok()?;
                let mut catalog = self.base.clone();
                read.of_texts().for_each(|read| catalog.add(read));
                Some(Extended { catalog, mib: read.mib })
            });
        }
        self.present()
    }

    /// Reads the folders now, if that was put off until an unknown name is met.
    pub fn read_folders(&self) {
        self.all();
    }

    /// Reads a module, and those that it imports from, unless they are known: as Net-SNMP does when a module is
    /// named, whatever else is loaded.
    ///
    /// # Errors
    /// The module is neither built in nor in a folder, or cannot be read.
    pub fn require(&self, module: &str) -> Result<(), LoadError> {
        self.require_from(module, true)
    }

    /// The same, of the folders alone.
    ///
    /// # Errors
    /// The module is in no folder, or cannot be read.
    pub fn require_text(&self, module: &str) -> Result<(), LoadError> {
        self.require_from(module, false)
    }

    fn require_from(&self, module: &str, or_built_in: bool) -> Result<(), LoadError> {
        if self.present().has_module(module) || self.all().has_module(module) {
            return Ok(());
        }
        let read = self.read(Which::These(&[module.to_owned()]))?;
        if !or_built_in && !read.of_texts().any(|read| read.module.name == module) {
            return Err(LoadError::Missing {
                modules: vec![module.to_owned()],
                folders: self.folders.clone(),
            });
        }
        let mut catalog = self.present().clone();
        catalog.add_top();
        let new: Vec<_> =
            read.modules.into_iter().filter(|read| !catalog.has_module(read.module.name)).collect();
        catalog.add_as_read(&new);
        self.required.push(Extended { catalog, mib: read.mib });
        Ok(())
    }

    /// The object whose name fits best, as Net-SNMP finds it: the one that fits nearest to its beginning (`start`
    /// says where, or that it does not fit), and of several the first in the order in which the modules were read.
    pub fn best_match(&self, start: impl Fn(&str) -> Option<usize>) -> Option<Oid> {
        let catalog = self.all();
        let found = catalog.best_match(start)?;
        let named = catalog.named(catalog.node(found).name).first().map_or(found, |(_, id)| *id);
        Some(catalog.oid_of(named))
    }

    /// The modules that define the object under its name, in the order in which they were read.
    pub fn definers(&self, oid: &[u32]) -> Vec<&'static str> {
        let catalog = self.for_oid(oid);
        catalog.definers(catalog.deepest(oid).0)
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
        let known = self.present().describe(oid);
        let wanted = mib_oid(oid.get(..known.named)?)?;
        let texts: Vec<&Extended> = self.read_so_far().collect();
        texts
            .into_iter()
            .rev()
            .find_map(|extended| definition::description(&extended.mib, &known, &wanted))
            .filter(|text| !text.is_empty())
    }

    /// The definition of the node, if it has a name.
    pub fn definition(&self, oid: &[u32]) -> Option<Definition> {
        self.for_oid(oid);
        let wanted = mib_oid(oid)?;
        let of_texts = || {
            let known = self.present().describe(oid);
            let texts: Vec<&Extended> = self.read_so_far().collect();
            texts.into_iter().rev().find_map(|extended| Definition::of(&extended.mib, &known, &wanted))
        };
        let rendered = || {
            let known = self.present().describe(oid);
            let mib = self.rendered.get_or_init(definition::rendered).as_ref()?;
            Definition::of(mib, &known, &wanted)
        };
        // A module that was read at once is read again with the others: its name alone was kept.
        let is_named = || self.present().describe(oid).named == oid.len();
        let read_later = || {
            is_named().then(|| self.all())?;
            of_texts()
        };
        of_texts().or_else(rendered).or_else(read_later)
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
