//! The workspace's directory, its files and what cargo knows about its packages.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command;

/// The workspace that this xtask was built from.
pub struct Workspace {
    root: PathBuf,
}

/// One package of the dependency graph, as reported by `cargo metadata`.
pub struct Package {
    /// The package's name.
    pub name: String,
    /// The package's version.
    pub version: String,
    /// The licence expression, if its manifest has one.
    pub license: Option<String>,
    /// Where cargo fetched it; none for members of the workspace.
    pub source: Option<String>,
    /// For members: the folder below the root, as in `crates/smi` or `xtask`.
    pub folder: Option<String>,
    /// For members: whether it is published, so that others may depend on it.
    pub published: bool,
    /// What its manifest does not say and a registry wants to know.
    pub unsaid: Vec<&'static str>,
    /// Declared dependencies.
    pub dependencies: Vec<Dependency>,
}

/// One declared dependency of a package.
pub struct Dependency {
    /// Used by tests, examples and benches only.
    pub development: bool,
    /// For a path dependency: the folder below the root.
    pub folder: Option<String>,
}

impl Workspace {
    /// The workspace whose `xtask` folder this program was compiled in.
    pub fn find() -> io::Result<Self> {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = own.parent().ok_or_else(|| io::Error::other("xtask has no parent folder"))?.to_owned();
        if root.join("Cargo.toml").is_file() {
            return Ok(Self { root });
        }
        Err(io::Error::other(format!("no Cargo.toml in {}: was the work tree moved?", root.display())))
    }

    /// The folder of the root manifest.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path below the root.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// All files with one of these endings, below the root, sorted, with paths
    /// relative to it. Build output and hidden folders other than `.ci` are left out.
    pub fn files(&self, endings: &[&str]) -> io::Result<Vec<String>> {
        let mut found = Vec::new();
        collect(&self.root, "", endings, &mut found)?;
        found.sort();
        Ok(found)
    }

    /// The text of a file below the root.
    pub fn read(&self, relative: &str) -> io::Result<String> {
        fs::read_to_string(self.path(relative))
            .map_err(|error| io::Error::new(error.kind(), format!("{relative}: {error}")))
    }

    /// Members that are published, in the order of their names.
    pub fn published(&self) -> io::Result<Vec<Package>> {
        let mut packages = self.packages()?;
        packages.retain(|package| package.folder.is_some() && package.published);
        packages.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(packages)
    }

    /// Every package of the graph, members first as cargo lists them.
    pub fn packages(&self) -> io::Result<Vec<Package>> {
        let mut cargo = command::cargo(self);
        cargo.args(["metadata", "--format-version", "1"]);
        if command::is_ci() {
            cargo.arg("--locked");
        }
        let output = command::output(&mut cargo)?;
        let metadata: Value = serde_json::from_slice(&output).map_err(io::Error::other)?;
        let packages =
            metadata["packages"].as_array().ok_or_else(|| io::Error::other("metadata without packages"))?;
        Ok(packages.iter().map(|package| self.package(package)).collect())
    }

    fn package(&self, value: &Value) -> Package {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        let source = text("source");
        let folder = match source {
            None => value["manifest_path"].as_str().and_then(|path| self.folder(Path::new(path).parent()?)),
            Some(_) => None,
        };
        let dependencies = value["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
        Package {
            name: text("name").unwrap_or_default(),
            version: text("version").unwrap_or_default(),
            license: text("license"),
            source,
            folder,
            // `publish = false` appears as a list of no registry.
            published: value["publish"].as_array().is_none_or(|registries| !registries.is_empty()),
            unsaid: WANTED.into_iter().filter(|key| is_empty(&value[*key])).collect(),
            dependencies: dependencies.iter().map(|dependency| self.dependency(dependency)).collect(),
        }
    }

    fn dependency(&self, value: &Value) -> Dependency {
        Dependency {
            development: value["kind"].as_str() == Some("dev"),
            folder: value["path"].as_str().and_then(|path| self.folder(Path::new(path))),
        }
    }

    /// A folder's path relative to the root, with `/` between its parts.
    fn folder(&self, absolute: &Path) -> Option<String> {
        Some(absolute.strip_prefix(&self.root).ok()?.to_str()?.to_owned())
    }
}

/// What the manifest of a library says beside its name and version.
const WANTED: [&str; 7] =
    ["description", "license", "documentation", "keywords", "categories", "rust_version", "metadata"];

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("") || value.as_array().is_some_and(Vec::is_empty)
}

fn collect(folder: &Path, prefix: &str, endings: &[&str], found: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let relative = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        if entry.file_type()?.is_dir() {
            let generated =
                name == "target" || name.starts_with("lab-report") || relative.starts_with("fuzz/corpus");
            if !generated && (!name.starts_with('.') || name == ".ci") {
                collect(&entry.path(), &relative, endings, found)?;
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(relative);
        }
    }
    Ok(())
}
