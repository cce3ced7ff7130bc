//! `-C`: the letters that are a tool's own.

use super::ended::Ended;
use super::getopt::Options;
use super::tool::Tool;

/// The parsed letters; each tool uses its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// `f` of get and getnext: a refused object is not left out.
    pub no_fix: bool,
    /// `n` of bulkget and bulkwalk.
    pub non_repeaters: u32,
    /// `r` of bulkget, bulkwalk and table.
    pub repetitions: u32,
    /// `p` of walks.
    pub says_count: bool,
    /// `i` of walks.
    pub includes_root: bool,
    /// `I` of walk.
    pub skips_get: bool,
    /// `c` of walks.
    pub any_order: bool,
    /// `t` of walk.
    pub says_time: bool,
    /// `T` of walk.
    pub times_answers: bool,
    /// `E` of walk.
    pub end: Option<String>,
    /// `q` of set.
    pub quiet: bool,
    /// `i` of trap.
    pub inform: bool,
    /// The letters of table.
    pub table: TableChoices,
}

/// How `snmptable` draws.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableChoices {
    /// `b`: what all names of columns begin with is left out.
    pub brief: bool,
    /// `B`: no GetBulk.
    pub no_bulk: bool,
    /// `c`: columns of this width.
    pub column_width: usize,
    /// `f`: this between columns, which are as wide as their cells.
    pub separator: Option<String>,
    /// `h`: only the heading.
    pub heading_only: bool,
    /// `H`: no heading.
    pub no_heading: bool,
    /// `i`: the index as the first column.
    pub index: bool,
    /// `l`: to the left.
    pub left: bool,
    /// `w`: parts of this width.
    pub width: usize,
}

impl Choices {
    /// What holds without letters.
    pub fn new(tool: Tool) -> Self {
        Choices {
            no_fix: false,
            non_repeaters: 0,
            repetitions: 10,
            says_count: false,
            includes_root: false,
            skips_get: false,
            any_order: false,
            says_time: false,
            times_answers: false,
            end: None,
            quiet: false,
            inform: tool == Tool::Inform,
            table: TableChoices::default(),
        }
    }

    /// Applies the letters of one `-C`. `E` has its object in the next word.
    pub fn letters(&mut self, tool: Tool, text: &str, line: &mut Options<'_>) -> Result<(), Ended> {
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            match (tool, letter) {
                (Tool::Get | Tool::GetNext, 'f') => self.no_fix = !self.no_fix,
                (Tool::Walk | Tool::BulkWalk, 'p') => self.says_count = !self.says_count,
                (Tool::Walk | Tool::BulkWalk, 'i') => self.includes_root = !self.includes_root,
                (Tool::Walk | Tool::BulkWalk, 'c') => self.any_order = !self.any_order,
                (Tool::Walk, 'I') => self.skips_get = !self.skips_get,
                (Tool::Walk, 't') => self.says_time = true,
                (Tool::Walk, 'T') => self.times_answers = true,
                (Tool::Walk, 'E') => self.end = Some(line.take_word().unwrap_or_default().to_owned()),
                (Tool::Set, 'q') => self.quiet = true,
                (Tool::Trap | Tool::Inform, 'i') => self.inform = true,
                (Tool::BulkGet | Tool::BulkWalk, 'n' | 'r') => rest = self.bulk_number(tool, letter, rest)?,
                (Tool::Table, _) => self.table_letter(letter, line)?,
                (_, other) => return Err(Ended::failed(format!("Unknown flag passed to -C: {other}"))),
            }
        }
        Ok(())
    }

    fn bulk_number<'t>(&mut self, tool: Tool, letter: char, text: &'t str) -> Result<&'t str, Ended> {
        let (name, place) = match letter {
            'n' => ("non-repeaters", &mut self.non_repeaters),
            _ => ("max-repetitions", &mut self.repetitions),
        };
        let (number, rest) = leading_number(text).ok_or_else(|| Ended::usage(""))?;
        // A negative number is not a number of repetitions.
        *place = u32::try_from(number)
            .map_err(|_| Ended::failed(format!("{}: Bad value for {name}", tool.name())))?;
        Ok(rest)
    }

    /// Arguments are in the next word, never in the same one.
    fn table_letter(&mut self, letter: char, line: &mut Options<'_>) -> Result<(), Ended> {
        let table = &mut self.table;
        match letter {
            'b' => table.brief = true,
            'B' => table.no_bulk = true,
            'h' => table.heading_only = true,
            'H' => table.no_heading = true,
            'i' => table.index = true,
            'l' => table.left = true,
            'f' | 'c' | 'w' | 'r' => {
                let argument = line.take_word().ok_or_else(|| Ended::usage(""))?;
                self.table_argument(letter, argument)?;
            }
            other => return Err(Ended::usage(format!("Bad option after -C: {other}"))),
        }
        Ok(())
    }

    fn table_argument(&mut self, letter: char, argument: &str) -> Result<(), Ended> {
        if letter == 'f' {
            self.table.separator = Some(argument.to_owned());
            return Ok(());
        }
        let number = leading_number(argument).map_or(0, |(number, _)| number);
        let number = u32::try_from(number).ok().filter(|number| *number > 0);
        let number = number.ok_or_else(|| Ended::usage(""))?;
        match letter {
            'c' => self.table.column_width = number as usize,
            'w' => self.table.width = number as usize,
            _ => self.repetitions = number,
        }
        Ok(())
    }
}

/// A number with its sign at the front of a text, and what follows it.
fn leading_number(text: &str) -> Option<(i64, &str)> {
    let sign = usize::from(text.starts_with(['-', '+']));
    let digits = text[sign..].bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(sign + digits);
    number.parse().ok().map(|number| (number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tool: Tool, text: &str, behind: &str) -> Result<Choices, Ended> {
        let words: Vec<String> = behind.split_whitespace().map(str::to_owned).collect();
        let mut line = Options::new(&words, "C:", true);
        let mut choices = Choices::new(tool);
        choices.letters(tool, text, &mut line).map(|()| choices)
    }

    #[test]
    fn letters_are_the_tools_own() {
        let bulk = read(Tool::BulkGet, "n1r25", "").unwrap();
        assert_eq!((bulk.non_repeaters, bulk.repetitions), (1, 25));
        let walk = read(Tool::Walk, "pE", "1.3 x").unwrap();
        assert_eq!((walk.says_count, walk.end.as_deref()), (true, Some("1.3")));
        let table = read(Tool::Table, "fb", ",").unwrap().table;
        assert_eq!((table.brief, table.separator.as_deref()), (true, Some(",")));
        assert_eq!(read(Tool::Table, "w", "80").unwrap().table.width, 80);
        assert_eq!(read(Tool::Get, "p", ""), Err(Ended::failed("Unknown flag passed to -C: p")));
        assert_eq!(
            read(Tool::BulkWalk, "n-1", ""),
            Err(Ended::failed("snmpbulkwalk: Bad value for non-repeaters"))
        );
        assert_eq!(read(Tool::BulkWalk, "r", ""), Err(Ended::usage("")));
    }
}
