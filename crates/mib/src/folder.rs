//! A folder of MIB texts as a source for the reader: which of its files are read, and which are left out and why.
//!
//! Anybody may have put something into such a folder. Only regular files of a sensible size are opened, and texts
//! whose names lie deeper than an object identifier can reach are found before the reader builds them.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mib_rs::DiagnosticConfig;
use mib_rs::ast::{Definition, Module, OidAssignment, OidComponent};
use mib_rs::source::{Source, SourceCandidate, SourceDocument, SourceOrigin, SourceSet};
use trunkline_smi::MAX_SUB_IDS;

use crate::catalog::Catalog;
use crate::error::{LoadError, SkippedText};

/// The texts of some folders, in the order of the folders.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    files: Vec<PathBuf>,
    modules: Vec<Outline>,
    /// Places in `modules`, the first one first.
    by_name: HashMap<String, Vec<usize>>,
    pub skipped: Vec<SkippedText>,
}

/// What of a module decides how deep its names lie.
#[derive(Debug)]
struct Outline {
    name: String,
    file: usize,
    /// From a symbol to the module that it is imported from.
    imports: HashMap<String, String>,
    definitions: Vec<Defined>,
    /// Places in `definitions`.
    by_name: HashMap<String, usize>,
}

/// `name ::= { parent a b c }`.
#[derive(Debug)]
struct Defined {
    name: String,
    line: usize,
    parent: Option<String>,
    /// Sub-identifiers below the parent.
    below: usize,
}

/// Texts of a folder that the reader of MIB texts may see.
struct Allowed {
    files: HashMap<String, Vec<PathBuf>>,
}

impl Texts {
    /// Looks through the folders; those below them are searched too.
    pub fn of(folders: &[PathBuf]) -> Result<Self, LoadError> {
        let mut texts = Texts::default();
        for folder in folders {
            let listed = fs::read_dir(folder);
            listed.map_err(|source| LoadError::Folder { folder: folder.clone(), source })?;
            texts.search(folder);
        }
        Ok(texts)
    }

    /// The modules that the texts define, in the order in which Net-SNMP reads them if it reads all: the last file
    /// first.
    pub fn newest_first(&self) -> Vec<String> {
        let mut met = HashSet::new();
        let of_texts = self.modules.iter().filter(|module| self.by_name.contains_key(&module.name));
        let mut names: Vec<String> = of_texts.map(|module| module.name.clone()).collect();
        names.reverse();
        names.retain(|name| met.insert(name.clone()));
        names
    }

    /// The first of these modules, or of what they import, that has a name too deep for an object identifier.
    pub fn too_deep_in(&self, wanted: &[String]) -> Option<SkippedText> {
        let mut left: Vec<&str> = wanted.iter().map(String::as_str).collect();
        let mut reached = HashSet::new();
        while let Some(name) = left.pop() {
            for &module in self.by_name.get(name).into_iter().flatten() {
                if reached.insert(module) {
                    left.extend(self.modules.get(module)?.imports.values().map(String::as_str));
                }
            }
        }
        let mut found = self.too_deep().into_iter().filter(|(module, _)| reached.contains(module));
        found.next().map(|(_, skipped)| skipped)
    }

    /// Takes out the files with names that are too deep.
    pub fn leave_out_too_deep(&mut self) {
        let found = self.too_deep();
        let files: HashSet<usize> =
            found.iter().filter_map(|(module, _)| Some(self.modules.get(*module)?.file)).collect();
        let modules = &self.modules;
        self.by_name.retain(|_, places| {
            places.retain(|place| modules.get(*place).is_some_and(|module| !files.contains(&module.file)));
            !places.is_empty()
        });
        self.skipped.extend(found.into_iter().map(|(_, skipped)| skipped));
    }

    /// The texts as a source of the reader.
    pub fn source(&self) -> Box<dyn Source> {
        let path = |place: &usize| self.files.get(self.modules.get(*place)?.file).cloned();
        let files = self.by_name.iter().map(|(name, places)| {
            let paths = places.iter().filter_map(path).collect();
            (name.clone(), paths)
        });
        Box::new(Allowed { files: files.collect() })
    }

    fn search(&mut self, folder: &Path) {
        let mut left = vec![folder.to_owned()];
        while let Some(folder) = left.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            let mut entries: Vec<PathBuf> =
                entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
            entries.sort();
            for path in entries {
                match fs::symlink_metadata(&path) {
                    Ok(found) if found.is_dir() => left.push(path),
                    Ok(_) if is_text_name(&path) => self.add(path),
                    _ => {}
                }
            }
        }
    }

    fn add(&mut self, path: PathBuf) {
        let bytes = match read(&path) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return,
            Err(skipped) => return self.skipped.push(skipped),
        };
        let mut documents = SourceSet::new();
        let document = documents.insert(SourceOrigin::file(&path), "text", bytes.into());
        let Some(document) = document.ok().and_then(|id| documents.get(id)) else { return };
        let file = self.files.len();
        self.files.push(path);
        for module in mib_rs::parser::parse(document, &DiagnosticConfig::silent()) {
            let Some(outline) = Outline::of(module, file, document) else { continue };
            self.by_name.entry(outline.name.clone()).or_default().push(self.modules.len());
            self.modules.push(outline);
        }
    }

    /// The first definition of each module that has more sub-identifiers than an object identifier.
    fn too_deep(&self) -> Vec<(usize, SkippedText)> {
        let mut depths = Depths { texts: self, built_in: &built_in(), known: HashMap::new() };
        let mut found = Vec::new();
        for (place, module) in self.modules.iter().enumerate() {
            let deep = module.definitions.iter().enumerate().find_map(|(at, defined)| {
                let sub_ids = depths.of((place, at));
                (sub_ids > MAX_SUB_IDS).then_some((defined, sub_ids))
            });
            let path = self.files.get(module.file);
            if let (Some((defined, sub_ids)), Some(path)) = (deep, path) {
                let skipped = SkippedText::TooDeep {
                    path: path.clone(),
                    line: defined.line,
                    name: defined.name.clone(),
                    sub_ids,
                };
                found.push((place, skipped));
            }
        }
        found
    }
}

impl Outline {
    fn of(module: Module, file: usize, document: &SourceDocument) -> Option<Self> {
        let mut imports = HashMap::new();
        for clause in module.imports {
            for symbol in clause.symbols {
                imports.insert(symbol.name, clause.from_module.name.clone());
            }
        }
        let definitions: Vec<Defined> =
            module.body.iter().filter_map(|definition| Defined::of(definition, document)).collect();
        let by_name = definitions.iter().enumerate().map(|(at, defined)| (defined.name.clone(), at));
        let by_name = by_name.collect();
        Some(Outline { name: module.name?.name, file, imports, definitions, by_name })
    }
}

impl Defined {
    fn of(definition: &Definition, document: &SourceDocument) -> Option<Self> {
        let name = definition.name()?;
        let components = &assignment(definition)?.components;
        let (first, rest) = components.split_first()?;
        let parent = match first {
            OidComponent::Name(name)
            | OidComponent::NamedNumber { name, .. }
            | OidComponent::QualifiedName { name, .. }
            | OidComponent::QualifiedNamedNumber { name, .. } => Some(name.name.clone()),
            OidComponent::Number { .. } => None,
        };
        let below = rest.len() + usize::from(parent.is_none());
        let line = document.line_column(name.span.start()).map_or(1, |(line, _)| line);
        Some(Defined { name: name.name.clone(), line, parent, below })
    }
}

fn assignment(definition: &Definition) -> Option<&OidAssignment> {
    Some(match definition {
        Definition::ObjectType(defined) => &defined.oid,
        Definition::ModuleIdentity(defined) => &defined.oid,
        Definition::ObjectIdentity(defined) => &defined.oid,
        Definition::NotificationType(defined) => &defined.oid,
        Definition::ValueAssignment(defined) => &defined.oid,
        Definition::ObjectGroup(defined) => &defined.oid,
        Definition::NotificationGroup(defined) => &defined.oid,
        Definition::ModuleCompliance(defined) => &defined.oid,
        Definition::AgentCapabilities(defined) => &defined.oid,
        Definition::TrapType(_)
        | Definition::TextualConvention(_)
        | Definition::TypeAssignment(_)
        | Definition::MacroDefinition(_)
        | Definition::Error(_) => return None,
    })
}

/// A definition: its module, and its place there.
type Place = (usize, usize);

/// How many sub-identifiers each definition has. Chains of definitions may be long, so nothing here is recursive.
struct Depths<'a> {
    texts: &'a Texts,
    built_in: &'a Catalog,
    known: HashMap<Place, usize>,
}

impl Depths<'_> {
    fn of(&mut self, place: Place) -> usize {
        let (mut chain, mut on_chain) = (Vec::new(), HashSet::new());
        let mut at = Some(place);
        let mut depth = 0;
        while let Some(place) = at {
            if let Some(known) = self.known.get(&place) {
                depth = *known;
                break;
            }
            if !on_chain.insert(place) {
                break; // a circle: the reader leaves all of it out
            }
            chain.push(place);
            at = self.parent_of(place);
            if at.is_none() {
                depth = self.root_of(place);
            }
        }
        for place in chain.into_iter().rev() {
            depth += self.defined(place).map_or(0, |(_, defined)| defined.below);
            self.known.insert(place, depth);
        }
        depth
    }

    fn defined(&self, (module, at): Place) -> Option<(&Outline, &Defined)> {
        let module = self.texts.modules.get(module)?;
        Some((module, module.definitions.get(at)?))
    }

    fn parent_of(&self, place: Place) -> Option<Place> {
        let (module, defined) = self.defined(place)?;
        let parent = defined.parent.as_ref()?;
        if let Some(at) = module.by_name.get(parent) {
            return Some((place.0, *at));
        }
        let from = self.texts.by_name.get(module.imports.get(parent)?)?;
        from.iter().find_map(|other| Some((*other, *self.texts.modules.get(*other)?.by_name.get(parent)?)))
    }

    /// The sub-identifiers of a parent that no text defines.
    fn root_of(&self, place: Place) -> usize {
        let parent = self.defined(place).and_then(|(_, defined)| defined.parent.as_deref());
        let known = parent.and_then(|parent| self.built_in.named(parent).first());
        match known {
            Some((_, id)) => self.built_in.oid_of(*id).len(),
            None => usize::from(parent.is_some()),
        }
    }
}

fn built_in() -> Catalog {
    let mut catalog = Catalog::top();
    catalog.add_built_in();
    catalog
}

impl Source for Allowed {
    fn find(&self, name: &str) -> io::Result<Option<SourceCandidate>> {
        self.find_candidates(name).next().transpose()
    }

    fn find_candidates<'a>(
        &'a self,
        name: &'a str,
    ) -> Box<dyn Iterator<Item = io::Result<SourceCandidate>> + 'a> {
        let paths = self.files.get(name).into_iter().flatten();
        Box::new(paths.filter_map(|path| {
            let bytes: Arc<[u8]> = read(path).ok()??.into();
            let label = path.to_string_lossy();
            Some(Ok(SourceCandidate::new(&*label, SourceOrigin::file(path), &*label, bytes)))
        }))
    }

    fn list_modules(&self) -> io::Result<Vec<String>> {
        Ok(self.files.keys().cloned().collect())
    }
}

/// The octets of a regular file; `None` for what is silently not a text: a link to a folder or to nothing.
fn read(path: &Path) -> Result<Option<Vec<u8>>, SkippedText> {
    let unreadable = |fault| SkippedText::Unreadable { path: path.to_owned(), fault };
    // Before it is opened: that alone would wait for a writer of a fifo, and may do something to a device.
    match fs::metadata(path) {
        Err(_) => return Ok(None),
        Ok(found) if found.is_dir() => return Ok(None),
        Ok(found) if !found.is_file() => return Err(SkippedText::NotRegular { path: path.to_owned() }),
        Ok(found) if found.len() > LARGEST => {
            return Err(SkippedText::TooLarge { path: path.to_owned(), most: LARGEST });
        }
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    let mut file = File::open(path).map_err(unreadable)?.take(LARGEST + 1);
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST {
        return Err(SkippedText::TooLarge { path: path.to_owned(), most: LARGEST });
    }
    Ok(Some(bytes))
}

/// Whether the name is one that MIB texts have.
fn is_text_name(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    extension.is_none_or(|extension| matches!(extension.as_str(), "mib" | "smi" | "txt" | "my"))
}

/// Bytes of the largest text; the largest published ones have 2 MB.
const LARGEST: u64 = 32 * 1024 * 1024;
