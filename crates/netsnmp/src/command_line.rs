//! The command line of Net-SNMP's daemons, split into its parts: options of one letter, alone or in clusters, with their values
//! attached or in the next word, directives, and addresses to listen on.

use std::path::PathBuf;

use crate::log_to::{Destination, LogTo, facility, priority};

/// A part.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// `-h`, `--help`.
    Help,
    /// `-v`, `--version`.
    Version,
    /// `-H`.
    Directives,
    /// The word by which the program starts itself in the background.
    Detached,
    /// `--NAME=VALUE`.
    Directive(String, String),
    /// A word that is neither an option nor its value.
    Address(String),
    /// Another option, whose value is the next thing to be taken.
    Letter(char),
}

/// The words that are left.
pub struct CommandLine<I> {
    words: I,
    detached: &'static str,
    /// What follows the last letter in its word.
    cluster: String,
    letter: char,
    only_addresses: bool,
}

impl<I: Iterator<Item = String>> CommandLine<I> {
    /// The words after the program's name. `detached` is the word of [`Part::Detached`].
    pub fn new(words: I, detached: &'static str) -> Self {
        CommandLine { words, detached, cluster: String::new(), letter: ' ', only_addresses: false }
    }

    /// The next part.
    ///
    /// # Errors
    /// What is wrong with its word.
    pub fn next_part(&mut self) -> Result<Option<Part>, String> {
        if let Some(letter) = self.cluster.chars().next() {
            self.cluster.remove(0);
            return Ok(Some(self.letter(letter)));
        }
        let Some(word) = self.words.next() else { return Ok(None) };
        if self.only_addresses {
            return Ok(Some(Part::Address(word)));
        }
        Ok(Some(match word.as_str() {
            word if word == self.detached => Part::Detached,
            "--help" => Part::Help,
            "--version" => Part::Version,
            "--" => {
                self.only_addresses = true;
                return self.next_part();
            }
            _ => match (word.strip_prefix("--"), word.strip_prefix('-')) {
                (Some(directive), _) => {
                    let (name, value) =
                        directive.split_once('=').ok_or_else(|| format!("--{directive} lacks its =VALUE"))?;
                    Part::Directive(name.to_owned(), value.to_owned())
                }
                (None, Some(cluster)) if !cluster.is_empty() => {
                    self.cluster = cluster.to_owned();
                    return self.next_part();
                }
                _ => Part::Address(word),
            },
        }))
    }

    fn letter(&mut self, letter: char) -> Part {
        self.letter = letter;
        match letter {
            'h' => Part::Help,
            'v' => Part::Version,
            'H' => Part::Directives,
            _ => Part::Letter(letter),
        }
    }

    /// The value of the last letter: the rest of its word, or the next word.
    ///
    /// # Errors
    /// There is none.
    pub fn value(&mut self) -> Result<String, String> {
        match self.cluster.is_empty() {
            false => Ok(self.attached()),
            true => self.words.next().ok_or_else(|| format!("-{} lacks its value", self.letter)),
        }
    }

    /// The rest of the last letter's word, which may be empty.
    pub fn attached(&mut self) -> String {
        std::mem::take(&mut self.cluster)
    }

    /// The value as a path that is the same in any folder: the background has another one.
    ///
    /// # Errors
    /// There is none.
    pub fn path(&mut self) -> Result<PathBuf, String> {
        Ok(absolute(&self.value()?))
    }

    /// Several of them, with commas between.
    ///
    /// # Errors
    /// There is none.
    pub fn paths(&mut self) -> Result<Vec<PathBuf>, String> {
        Ok(self.value()?.split(',').map(absolute).collect())
    }

    /// The value of `-L`: `e`, `o`, `n`, `f FILE`, `s FACILITY`, and with a priority `E w`, `F w FILE`, `S w d`; each part attached
    /// to the previous one, or in the next word.
    ///
    /// # Errors
    /// What is expected.
    pub fn log_to(&mut self) -> Result<LogTo, String> {
        let text = self.value()?;
        log_to(&text, &mut self.words)
    }
}

/// The same path from any folder.
pub fn absolute(path: &str) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path))
}

/// A place for the log; its parts may be further words.
///
/// # Errors
/// What is expected.
pub fn log_to(text: &str, words: &mut dyn Iterator<Item = String>) -> Result<LogTo, String> {
    let letter = text.chars().next().ok_or("-L lacks a destination")?;
    let mut rest = text[letter.len_utf8()..].trim().to_string();
    let mut more = |rest: &mut String, what: &str| {
        if rest.is_empty() {
            *rest = words.next().ok_or_else(|| format!("-L{letter} lacks its {what}"))?;
        }
        Ok::<_, String>(())
    };
    let mut most = None;
    if letter.is_ascii_uppercase() && letter != 'N' {
        more(&mut rest, "priority")?;
        let (level, behind) = priority(&rest)?;
        most = Some(level);
        rest = behind.trim().to_string();
    }
    let destination = match letter.to_ascii_lowercase() {
        'e' => Destination::Stderr,
        'o' => Destination::Stdout,
        'n' => Destination::Nowhere,
        'f' => {
            more(&mut rest, "file")?;
            Destination::File(absolute(&rest))
        }
        's' => {
            more(&mut rest, "facility")?;
            Destination::Syslog(facility(&rest)?)
        }
        _ => return Err(format!("-L{letter} is not a log destination; expected e, o, n, f or s")),
    };
    Ok(LogTo { destination, most })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Result<Vec<Part>, String> {
        let mut line = CommandLine::new(text.split_whitespace().map(str::to_owned), "--detached");
        let mut parts = Vec::new();
        while let Some(part) = line.next_part()? {
            if part == Part::Letter('c') {
                parts.push(Part::Address(format!("c={}", line.value()?)));
            } else if part == Part::Letter('D') {
                line.attached();
            } else {
                parts.push(part);
            }
        }
        Ok(parts)
    }

    #[test]
    fn words_are_split_into_parts() {
        use Part::{Address, Detached, Directive, Directives, Help, Letter, Version};
        let address = |text: &str| Address(text.into());
        for (text, expected) in [
            ("-fc/a -c b", vec![Letter('f'), address("c=/a"), address("c=b")]),
            ("-Dall -fDx udp:161 -", vec![Letter('f'), address("udp:161"), address("-")]),
            ("-h -v -H --help --version", vec![Help, Version, Directives, Help, Version]),
            ("--a=b=c --detached", vec![Directive("a".into(), "b=c".into()), Detached]),
            ("-- -f --detached", vec![address("-f"), address("--detached")]),
        ] {
            assert_eq!(parts(text).as_ref(), Ok(&expected), "{text}");
        }
        assert_eq!(parts("-c"), Err("-c lacks its value".into()));
        assert_eq!(parts("--name"), Err("--name lacks its =VALUE".into()));
    }
}
