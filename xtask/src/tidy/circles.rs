//! Files of a room that import each other in a circle, and the size of rooms.
//!
//! An import leads to the file that defines the name, through whatever re-exports it: a module that only lists
//! its files' items depends on none of them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, RustFile};

/// The most files that may import each other in a circle.
pub const CIRCLE: usize = 3;

/// The most lines of product code in a room, without blank lines and comments.
pub const ROOM_LINES: usize = 12_000;

/// How many re-exports are followed, one after the other.
const DEPTH: usize = 16;

/// Checks every room.
pub fn check(files: &[RustFile]) -> Vec<Finding> {
    let mut rooms: BTreeMap<&str, Vec<&RustFile>> = BTreeMap::new();
    for file in files.iter().filter(|file| !file.is_test()) {
        if let Some(at) = file.path.find("/src/") {
            rooms.entry(&file.path[..=at]).or_default().push(file);
        }
    }
    let mut findings = Vec::new();
    for (room, files) in rooms {
        findings.extend(size(room, &files));
        findings.extend(circles(room, &files));
    }
    findings
}

fn size(room: &str, files: &[&RustFile]) -> Option<Finding> {
    let lines: usize = files.iter().map(|file| file.source.code_lines()).sum();
    (lines > ROOM_LINES).then(|| {
        Finding::new(room, format!("{lines} lines of product code, at most {ROOM_LINES}: split the room"))
    })
}

fn circles(room: &str, files: &[&RustFile]) -> Vec<Finding> {
    let modules = Modules::of(room, files);
    let reached: Vec<BTreeSet<usize>> = (0..modules.all.len()).map(|from| modules.reached(from)).collect();
    let mut findings = Vec::new();
    let mut seen = BTreeSet::new();
    for from in 0..modules.all.len() {
        let circle: BTreeSet<usize> =
            reached[from].iter().copied().filter(|to| reached[*to].contains(&from)).collect();
        if circle.len() > CIRCLE && seen.insert(circle.clone()) {
            let short = |at: usize| modules.all[at].file.trim_start_matches(room).trim_start_matches("src/");
            let arrows: Vec<String> = circle
                .iter()
                .map(|at| {
                    let to: Vec<&str> =
                        modules.uses[*at].intersection(&circle).map(|to| short(*to)).collect();
                    format!("{} uses {}", short(*at), to.join(", "))
                })
                .collect();
            let words = format!(
                "a circle of {} files, at most {CIRCLE}: {}; move what they share into a file below them",
                circle.len(),
                arrows.join("; ")
            );
            findings.push(Finding::new(room, words));
        }
    }
    findings
}

/// The modules of a room by their paths below `crate`.
struct Modules<'f> {
    all: Vec<Module<'f>>,
    by_path: BTreeMap<Vec<String>, usize>,
    /// For each module those that it uses.
    uses: Vec<BTreeSet<usize>>,
}

struct Module<'f> {
    file: &'f str,
    path: Vec<String>,
    code: String,
    imports: Vec<Import>,
}

/// One name of a `use`.
struct Import {
    /// `*` for a glob.
    name: String,
    path: Vec<String>,
    is_public: bool,
}

impl<'f> Modules<'f> {
    fn of(room: &str, files: &[&'f RustFile]) -> Self {
        let is_root = |name: &str| files.iter().any(|file| file.path == format!("{room}src/{name}"));
        let root = if is_root("lib.rs") { "lib.rs" } else { "main.rs" };
        let mut all = Vec::new();
        for file in files {
            let below = &file.path[room.len() + "src/".len()..];
            if below.starts_with("bin/") || (below == "main.rs" && root == "lib.rs") {
                continue;
            }
            let code = file.source.product_code();
            let imports = imports(&code);
            all.push(Module { file: &file.path, path: module_path(below, root), code, imports });
        }
        let by_path = all.iter().enumerate().map(|(at, module)| (module.path.clone(), at)).collect();
        let mut modules = Self { all, by_path, uses: Vec::new() };
        modules.uses = (0..modules.all.len()).map(|at| modules.used_by(at)).collect();
        modules
    }

    fn reached(&self, from: usize) -> BTreeSet<usize> {
        let (mut reached, mut left) = (BTreeSet::new(), vec![from]);
        while let Some(at) = left.pop() {
            left.extend(self.uses[at].iter().filter(|to| reached.insert(**to)));
        }
        reached
    }

    fn used_by(&self, at: usize) -> BTreeSet<usize> {
        let module = &self.all[at];
        let mut paths = inline_paths(&module.code);
        for import in &module.imports {
            // A re-export does not count as a use, unless the file works with the name as well.
            if !import.is_public || words(&module.code, &import.name) > 1 {
                paths.push(import.path.clone());
            }
        }
        let children =
            self.all.iter().filter(|child| child.path.split_last().is_some_and(|(_, up)| up == module.path));
        for name in children.filter_map(|child| child.path.last()) {
            paths.extend(paths_from(&module.code, name));
        }
        paths
            .iter()
            .filter_map(|path| self.resolve(at, path, DEPTH))
            .filter(|to| !self.is_own_head(at, *to))
            .collect()
    }

    /// Whether `to` is the module itself, or one that it is a part of: a module and its parts are one thing. The root of
    /// the room is not such a module.
    fn is_own_head(&self, at: usize, to: usize) -> bool {
        let (part, head) = (&self.all[at].path, &self.all[to].path);
        at == to || (!head.is_empty() && part.starts_with(head))
    }

    /// The module that defines what a path in the module `at` leads to; `None` outside the room.
    fn resolve(&self, at: usize, path: &[String], depth: usize) -> Option<usize> {
        let mut base = self.all[at].path.clone();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => (base, rest) = (Vec::new(), &rest[1..]),
            "self" => rest = &rest[1..],
            "super" => {
                while rest.first().is_some_and(|part| part == "super") {
                    base.pop()?;
                    rest = &rest[1..];
                }
            }
            first => {
                let child = [base.clone(), vec![first.to_owned()]].concat();
                if !self.by_path.contains_key(&child) {
                    return None;
                }
            }
        }
        while let Some(first) = rest.first() {
            base.push(first.clone());
            if !self.by_path.contains_key(&base) {
                base.pop();
                break;
            }
            rest = &rest[1..];
        }
        let found = *self.by_path.get(&base)?;
        let Some(name) = rest.first().filter(|_| depth > 0 && found != at) else { return Some(found) };
        let through = |import: &Import, more: &[String]| {
            self.resolve(found, &[&import.path[..], more].concat(), depth - 1)
        };
        let module = &self.all[found];
        if let Some(import) = module.imports.iter().find(|import| import.name == *name) {
            return through(import, &rest[1..]).or(Some(found));
        }
        if defines(&module.code, name) {
            return Some(found);
        }
        let globs = module.imports.iter().filter(|import| import.name == "*");
        let behind = globs.filter_map(|glob| through(glob, &[]));
        let named = behind.filter(|other| {
            let other = &self.all[*other];
            defines(&other.code, name) || other.imports.iter().any(|import| import.name == *name)
        });
        let mut named = named.filter_map(|other| {
            self.resolve(found, &[&["crate".to_owned()], &self.all[other].path[..], rest].concat(), depth - 1)
        });
        Some(named.next().unwrap_or(found))
    }
}

/// `a/b.rs` is `a::b`; the root is nothing.
fn module_path(below: &str, root: &str) -> Vec<String> {
    if below == root {
        return Vec::new();
    }
    let name = below.trim_end_matches(".rs").trim_end_matches("/mod");
    name.split('/').map(str::to_owned).collect()
}

/// Every name that `use` brings in.
fn imports(code: &str) -> Vec<Import> {
    let mut imports = Vec::new();
    for (at, end) in use_items(code) {
        let line = code[..at].rfind('\n').map_or(0, |line| line + 1);
        let is_public = code[line..at].contains("pub");
        let tree: String = code[at + "use ".len()..end].split_whitespace().collect::<Vec<_>>().join(" ");
        expand(&[], &tree, &mut |name, path| imports.push(Import { name, path, is_public }));
    }
    imports
}

/// The extents of `use` items, from the keyword to the semicolon.
fn use_items(code: &str) -> Vec<(usize, usize)> {
    let starts = code.match_indices("use ").map(|(at, _)| at).filter(|at| {
        let line = code[..*at].rfind('\n').map_or(0, |line| line + 1);
        let before = code[line..*at].trim();
        before.is_empty() || before.starts_with("pub")
    });
    starts.filter_map(|at| Some((at, at + code[at..].find(';')?))).collect()
}

/// The names of a use tree below a prefix.
fn expand(prefix: &[String], tree: &str, found: &mut impl FnMut(String, Vec<String>)) {
    let tree = tree.trim();
    if let Some((head, group)) = tree.split_once('{') {
        let prefix = [prefix, &parts(head)].concat();
        let group = group.trim_end().strip_suffix('}').unwrap_or(group);
        let (mut open, mut from) = (0, 0);
        for (at, letter) in group.char_indices() {
            match letter {
                '{' => open += 1,
                '}' => open -= 1,
                ',' if open == 0 => {
                    expand(&prefix, &group[from..at], found);
                    from = at + 1;
                }
                _ => {}
            }
        }
        return expand(&prefix, &group[from..], found);
    }
    let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias)));
    let mut path = [prefix, &parts(path)].concat();
    if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
        path.pop();
    }
    let is_glob = path.last().is_some_and(|last| last == "*");
    let Some(name) = alias.map(|alias| alias.trim().to_owned()).or_else(|| path.last().cloned()) else {
        return;
    };
    if tree.is_empty() {
        return;
    }
    if is_glob {
        path.pop();
    }
    found(name, path);
}

fn parts(path: &str) -> Vec<String> {
    path.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Paths in the code that start with `crate` or `super`, outside `use`.
fn inline_paths(code: &str) -> Vec<Vec<String>> {
    let uses = use_items(code);
    let mut plain = code.to_owned();
    for (from, to) in uses.into_iter().rev() {
        plain.replace_range(from..to, "");
    }
    ["crate", "super"].iter().flat_map(|first| paths_from(&plain, first)).collect()
}

/// Paths that start with a word.
fn paths_from(code: &str, first: &str) -> Vec<Vec<String>> {
    let start = format!("{first}::");
    let is_start = |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
    let starts = code.match_indices(&start).map(|(at, _)| at).filter(|at| is_start(*at));
    starts
        .map(|at| {
            let end = code[at..].find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
            parts(&code[at..end.map_or(code.len(), |end| at + end)])
        })
        .collect()
}

/// Whether the code has an item of this name.
fn defines(code: &str, name: &str) -> bool {
    let kinds = ["struct", "enum", "trait", "fn", "type", "const", "static", "mod", "union", "macro_rules!"];
    kinds.iter().any(|kind| words(code, &format!("{kind} {name}")) > 0)
}

/// How often something occurs as whole words.
fn words(code: &str, word: &str) -> usize {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let found = code.match_indices(word);
    found
        .filter(|(at, _)| {
            !is_word(code[..*at].chars().next_back()) && !is_word(code[at + word.len()..].chars().next())
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(files: &[(&str, &str)]) -> Vec<String> {
        let path = |name: &str| format!("crates/x/src/{name}.rs");
        let files: Vec<RustFile> =
            files.iter().map(|(name, text)| RustFile::new(&path(name), (*text).to_owned())).collect();
        check(&files).iter().map(ToString::to_string).collect()
    }

    const A: (&str, &str) = ("a", "use super::b::B;\npub struct A(B);\n");
    const LIB: (&str, &str) = ("lib", "mod a;\nmod b;\nmod c;\nmod d;\npub use d::D;\n");

    #[test]
    fn a_circle_of_four_files_is_found_and_one_of_three_is_not() {
        let [b, c] =
            [("b", "use crate::c::{self, C};\npub struct B(C);\n"), ("c", "pub struct C(crate::D);\n")];
        let found = words_of(&[LIB, A, b, c, ("d", "pub struct D(super::a::A);\n")]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("circle of 4 files") && found[0].contains("d.rs uses a.rs"), "{found:?}");
        assert!(!found[0].contains("lib.rs"), "{found:?}");
        assert_eq!(words_of(&[LIB, A, b, ("c", "use crate::a::A;\n"), ("d", "")]), [""; 0]);
        // What tests use does not count.
        let test = "pub struct D;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n";
        assert_eq!(words_of(&[LIB, A, b, c, ("d", test)]), [""; 0]);
    }

    #[test]
    fn names_are_followed_to_where_they_are_defined() {
        // All use each other's neighbour through one module that lists everything.
        let list =
            ("lib", "mod a;\nmod b;\nmod c;\nmod d;\npub use {a::*, b::*, c::C};\npub use d::D as Dee;\n");
        let [a, b, c] = [
            ("a", "pub struct A(crate::B);\n"),
            ("b", "use super::C;\npub struct B;\n"),
            ("c", "use crate::Dee;\npub struct C;\n"),
        ];
        assert_eq!(words_of(&[list, a, b, c, ("d", "pub struct D;\n")]), [""; 0]);
        let found = words_of(&[list, a, b, c, ("d", "use crate::A;\npub struct D;\n")]);
        assert!(found[0].contains("circle of 4 files"), "{found:?}");
        // A head that works with what it lists is part of the circle.
        let head = ("lib", "mod a;\nmod b;\nmod c;\npub use a::A;\npub fn f(_: A) {}\n");
        let round = [("a", "use super::b::B;\n"), ("b", "use super::c::C;\n"), ("c", "use super::f;\n")];
        assert!(words_of(&[head, round[0], round[1], round[2]])[0].contains("circle of 4 files"));
    }

    #[test]
    fn a_room_that_is_too_large_is_found() {
        let line = "const X: u8 = 0;\n// Comments and blank lines do not count.\n\n";
        assert_eq!(words_of(&[("lib", &line.repeat(ROOM_LINES))]), [""; 0]);
        let found = words_of(&[("lib", &line.repeat(ROOM_LINES + 1))]);
        assert_eq!(found, ["crates/x/: 12001 lines of product code, at most 12000: split the room"]);
    }
}
