//! What must not be there, in whichever room: unfinished code, and tests that are ignored or sleep.

use super::source::Function;
use super::{Finding, RustFile};

/// Words that code must not hold.
struct Absence {
    /// In which code.
    code: Code,
    /// What must not occur there.
    words: &'static [&'static str],
    /// Tests with this in their attribute are exempt; empty for none.
    unless: &'static str,
    /// What to say then.
    because: &'static str,
}

/// Which part of the code a rule is about.
#[derive(Clone, Copy, PartialEq)]
enum Code {
    /// What only tests run.
    Test,
    /// That and what ships.
    All,
}

const ABSENCES: &[Absence] = &[
    Absence {
        code: Code::All,
        words: &["todo!", "unimplemented!"],
        unless: "",
        because: "unfinished code does not land",
    },
    Absence {
        code: Code::All,
        words: &["#[ignore"],
        unless: "",
        because: "a test that is not run proves nothing",
    },
    Absence {
        code: Code::Test,
        words: &["thread::sleep"],
        unless: "",
        because: "a test waits for an event, not for time to pass",
    },
    Absence {
        code: Code::Test,
        words: &["sleep(", "sleep_until("],
        // Tests on a paused clock sleep in no time.
        unless: "start_paused",
        because: "a test waits for an event, not for time to pass",
    },
];

/// Words that mark unfinished work in a comment.
const MARKS: &[&str] = &["FIXME", "XXX:"];

/// Checks all files.
pub fn check(files: &[RustFile]) -> Vec<Finding> {
    files
        .iter()
        .flat_map(|file| ABSENCES.iter().flat_map(|absence| present(absence, file)).chain(marks(file)))
        .collect()
}

fn present(absence: &Absence, file: &RustFile) -> Vec<Finding> {
    let whole_file = file.is_test();
    let concerned = |in_test: bool| match absence.code {
        Code::All => true,
        Code::Test => whole_file || in_test,
    };
    let mut findings = Vec::new();
    for word in absence.words {
        for (line, in_test) in file.source.occurrences(word) {
            if concerned(in_test) && !is_excused(absence, file, line) {
                findings.push(Finding::at(file, line, format!("`{word}`: {}", absence.because)));
            }
        }
    }
    findings
}

/// A test is excused by its own attribute. A helper is excused where every test of the file that runs on tokio is.
fn is_excused(absence: &Absence, file: &RustFile, line: usize) -> bool {
    if absence.unless.is_empty() {
        return false;
    }
    let lines: Vec<&str> = file.text.lines().collect();
    let functions = file.source.functions();
    let inside =
        functions.iter().filter(|function| (function.line..function.line + function.lines).contains(&line));
    let attributes = |function: &Function| -> String {
        let above = lines[..function.line - 1].iter().rev();
        above.take_while(|line| line.trim_start().starts_with("#[")).copied().collect()
    };
    let Some(function) = inside.max_by_key(|function| function.line) else { return false };
    let own = attributes(function);
    if own.contains("test") {
        return own.contains(absence.unless);
    }
    let mut others = functions.iter().map(attributes).filter(|own| own.contains("tokio::test")).peekable();
    others.peek().is_some() && others.all(|own| own.contains(absence.unless))
}

/// Marks are in comments, so the text itself is searched; this file names them.
fn marks(file: &RustFile) -> Vec<Finding> {
    if file.path == "xtask/src/tidy/absences.rs" {
        return Vec::new();
    }
    let marked =
        file.text.lines().enumerate().filter(|(_, line)| MARKS.iter().any(|mark| line.contains(mark)));
    marked
        .map(|(index, _)| Finding::at(file, index + 1, "unfinished work is an issue, not a comment"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(path: &str, text: &str) -> Vec<String> {
        let file = RustFile::new(path, text.to_owned());
        check(&[file]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn sleeping_is_found_in_tests_only() {
        let product = "fn f() { time::sleep(d).await }\n";
        assert_eq!(words("crates/lab/src/place.rs", product), [""; 0]);
        assert_eq!(words("crates/lab/tests/place.rs", product).len(), 1);
        let inline = format!("#[cfg(test)]\nmod tests {{\n {product}}}\n");
        assert_eq!(words("crates/lab/src/place.rs", &inline).len(), 1);
        let virtual_clock = "#[tokio::test(start_paused = true)]\nasync ";
        let other = "#[tokio::test]\nasync fn g() { sleep(d).await }\n";
        let hidden = format!("{virtual_clock}{product}{other}");
        assert_eq!(words("crates/lab/tests/place.rs", &hidden).len(), 1, "another test excuses nothing");
        let helper = format!("{virtual_clock}fn g() {{}}\n{product}");
        assert_eq!(words("crates/lab/tests/place.rs", &helper), [""; 0]);
        assert_eq!(words("crates/lab/tests/place.rs", &format!("{helper}{other}")).len(), 2);
        assert_eq!(words("crates/lab/tests/place.rs", &format!("{virtual_clock}{product}")), [""; 0]);
        assert_eq!(
            words("crates/lab/tests/place.rs", &format!("{virtual_clock}use std::thread::sleep;")).len(),
            1
        );
    }

    #[test]
    fn unfinished_and_ignored_code_is_found() {
        for text in
            ["fn f() { todo!() }", "fn f() { unimplemented!() }", "#[ignore]\nfn f() {}", "// FIXME later"]
        {
            assert_eq!(words("crates/cli/src/main.rs", text).len(), 1, "{text}");
        }
        assert_eq!(words("crates/cli/src/main.rs", "#[ignore = \"slow\"]\nfn f() {}").len(), 1);
    }
}
