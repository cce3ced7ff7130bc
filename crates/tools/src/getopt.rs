//! Option letters as the C library's `getopt` reads them: `-Onq`, `-O n`, `-v2c`, `-Cr10`,
//! and `--name=value`. Net-SNMP's tools read their command lines so, and so do we under
//! their names.

/// The next item on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A letter with its argument, if it takes one.
    Letter(char, String),
    /// `--name` or `--name=value`, without the dashes.
    Long(String),
}

/// A command line that `getopt` would refuse, with its message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// No such letter.
    #[error("invalid option -- '{0}'")]
    Unknown(char),
    /// The letter takes an argument, and the line ends.
    #[error("option requires an argument -- '{0}'")]
    NoArgument(char),
}

/// Reads a command line from its front.
#[derive(Debug)]
pub struct Options<'w> {
    words: std::collections::VecDeque<&'w str>,
    /// Letters of the current word that have not been read yet.
    cluster: &'w str,
    /// The known letters; `:` after one means that it takes an argument.
    letters: &'static str,
    /// Whether options may follow operands.
    permutes: bool,
    operands: Vec<&'w str>,
    ended: bool,
}

impl<'w> Options<'w> {
    /// A reader of `words`. With `permutes` options may follow operands; without, everything after the first
    /// operand is an operand (values such as `-5` need that).
    pub fn new(words: &'w [String], letters: &'static str, permutes: bool) -> Self {
        let words = words.iter().map(String::as_str).collect();
        Options { words, cluster: "", letters, permutes, operands: Vec::new(), ended: false }
    }

    /// The next word, consumed: `-CE` has its argument there.
    pub fn take_word(&mut self) -> Option<&'w str> {
        self.words.pop_front()
    }

    /// The next letter or long option; `None` when only operands are left.
    pub fn next(&mut self) -> Result<Option<Item>, OptionError> {
        if let Some(letter) = self.cluster.chars().next() {
            return self.letter(letter).map(Some);
        }
        while !self.ended {
            let Some(word) = self.words.pop_front() else { break };
            if word == "--" {
                self.ended = true;
            } else if let Some(long) = word.strip_prefix("--") {
                return Ok(Some(Item::Long(long.to_owned())));
            } else if let Some(letter) = word.strip_prefix('-').and_then(|rest| rest.chars().next()) {
                self.cluster = &word[1..];
                return self.letter(letter).map(Some);
            } else {
                self.operands.push(word);
                self.ended = !self.permutes;
            }
        }
        Ok(None)
    }

    /// The operands, once [`Options::next`] has nothing more.
    pub fn operands(self) -> Vec<String> {
        self.operands.into_iter().chain(self.words).map(str::to_owned).collect()
    }

    fn letter(&mut self, letter: char) -> Result<Item, OptionError> {
        self.cluster = &self.cluster[letter.len_utf8()..];
        let mut known = self.letters.chars().skip_while(|known| *known != letter || letter == ':');
        if known.next().is_none() {
            return Err(OptionError::Unknown(letter));
        }
        if known.next() != Some(':') {
            return Ok(Item::Letter(letter, String::new()));
        }
        let rest = std::mem::take(&mut self.cluster);
        let argument = if rest.is_empty() { self.words.pop_front() } else { Some(rest) };
        argument.map(|text| Item::Letter(letter, text.to_owned())).ok_or(OptionError::NoArgument(letter))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(line: &str, permutes: bool) -> (Vec<String>, Vec<String>) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let mut options = Options::new(&words, "v:c:O:C:dV", permutes);
        let mut found = Vec::new();
        loop {
            match options.next() {
                Ok(Some(Item::Letter(letter, text))) => found.push(format!("{letter}={text}")),
                Ok(Some(Item::Long(text))) => found.push(format!("--{text}")),
                Ok(None) => return (found, options.operands()),
                Err(fault) => {
                    found.push(fault.to_string());
                    return (found, Vec::new());
                }
            }
        }
    }

    #[test]
    fn letters_cluster_and_take_arguments_near_or_far() {
        let (found, operands) = read("-v2c -c public -dOn -O q host --x=1 a", true);
        assert_eq!(found, ["v=2c", "c=public", "d=", "O=n", "O=q", "--x=1"]);
        assert_eq!(operands, ["host", "a"]);
    }

    #[test]
    fn options_after_operands_count_only_if_lines_permute() {
        assert_eq!(read("host -d x", true), (vec!["d=".to_owned()], vec!["host".to_owned(), "x".to_owned()]));
        assert_eq!(
            read("host -5 x", false),
            (vec![], vec!["host".to_owned(), "-5".to_owned(), "x".to_owned()])
        );
        assert_eq!(read("host -- -d", true), (vec![], vec!["host".to_owned(), "-d".to_owned()]));
        assert_eq!(read("-", true), (vec![], vec!["-".to_owned()]));
    }

    #[test]
    fn unknown_options_are_reported() {
        assert_eq!(read("-z", true).0, ["invalid option -- 'z'"]);
        assert_eq!(read("-:", true).0, ["invalid option -- ':'"]);
        assert_eq!(read("-dc", true).0, ["d=", "option requires an argument -- 'c'"]);
    }

    proptest! {
        #[test]
        fn any_command_line_is_read_to_its_end(words: Vec<String>, permutes: bool) {
            let mut options = Options::new(&words, "v:c:O:C:dV", permutes);
            let mut steps = 0;
            while let Ok(Some(_)) = options.next() {
                steps += 1;
                // Each step consumes a letter or a word.
                prop_assert!(steps <= words.iter().map(|word| word.chars().count() + 1).sum::<usize>());
            }
            prop_assert!(options.operands().len() <= words.len());
        }
    }
}
