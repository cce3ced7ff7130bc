//! `-C`: the letters that are a tool's own.

use std::time::Duration;

use trunkline_client::transport::files;
use trunkline_show::delta::Layout;
use trunkline_show::figures::inet::Family;
use trunkline_show::figures::protocols::PROTOCOLS;
use trunkline_show::snmpnetstat::Columns;
use trunkline_snmp::usm::EngineId;

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
    /// `u` of df: dskTable.
    pub ucd: bool,
    /// `h` and `H` of df.
    pub units: Units,
    /// `e` of vacm.
    pub excluded: bool,
    /// The letters of table.
    pub table: TableChoices,
    /// The letters of usm.
    pub usm: UsmChoices,
    /// The letters of netstat.
    pub netstat: NetstatChoices,
    /// The letters of delta.
    pub delta: DeltaChoices,
}

/// How `snmpdelta` looks, and what it prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeltaChoices {
    /// What is printed of a change.
    pub layout: Layout,
    /// `s`: with the time of day.
    pub time: bool,
    /// `k`: with its seconds, whatever the period.
    pub seconds: bool,
    /// `f`: a refused object ends it.
    pub no_fix: bool,
    /// `l`: into a file for each value.
    pub to_files: bool,
    /// `L`: what the sum is called.
    pub sum_name: Option<String>,
    /// `F`: a file with more objects.
    pub file: Option<String>,
    /// `v`: objects in a message.
    pub at_once: usize,
}

impl Default for DeltaChoices {
    fn default() -> Self {
        DeltaChoices {
            layout: Layout { period: 1, ..Layout::default() },
            time: false,
            seconds: false,
            no_fix: false,
            to_files: false,
            sum_name: None,
            file: None,
            at_once: 60,
        }
    }
}

impl DeltaChoices {
    /// The objects of the file: one a line, without what follows `#`.
    pub fn objects(&self) -> Result<Vec<String>, Ended> {
        let Some(file) = &self.file else { return Ok(Vec::new()) };
        let text = files::read_named(std::path::Path::new(file), files::LONGEST);
        let text = text.map_err(|fault| Ended::failed(format!("snmpdelta: {file}: {fault}")))?;
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        Ok(lines.filter(|line| !line.is_empty()).map(str::to_owned).collect())
    }

    /// The time of day. Whole minutes need no seconds.
    pub fn clock(&self) -> String {
        let now = chrono::Local::now();
        let with_seconds = self.seconds || !self.layout.period.is_multiple_of(60);
        now.format(if with_seconds { "[%H:%M:%S %-m/%-d]" } else { "[%H:%M %-m/%-d]" }).to_string()
    }

    /// Applies a letter; whether the rest of the word was its argument.
    fn letter(&mut self, letter: char, rest: &str, line: &mut Options<'_>) -> Result<bool, Ended> {
        let layout = &mut self.layout;
        match letter {
            'f' => self.no_fix = true,
            's' => self.time = true,
            'k' => self.seconds = true,
            't' => layout.by_agent = true,
            'S' => layout.sum = true,
            'm' => layout.max = true,
            'T' => layout.table = true,
            'l' => self.to_files = true,
            'F' | 'L' | 'p' | 'P' | 'v' => {
                let here = (!rest.is_empty()).then_some(rest);
                let argument = here.or_else(|| line.take_word()).ok_or_else(|| Ended::usage(""))?;
                let wrong = || Ended::usage(format!("Bad -C{letter} option: {argument}"));
                let number = || argument.parse::<u32>().ok().filter(|number| *number > 0).ok_or_else(wrong);
                match letter {
                    'F' => self.file = Some(argument.to_owned()),
                    'L' => self.sum_name = Some(argument.to_owned()),
                    'p' => layout.period = number()?,
                    'P' => layout.peaks = number()?,
                    _ => self.at_once = number()? as usize,
                }
                return Ok(true);
            }
            other => return Err(Ended::usage(format!("Bad -C options: {other}"))),
        }
        Ok(false)
    }
}

/// What `snmpnetstat` lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetstatChoices {
    /// `a`: sockets that wait as well.
    pub all: bool,
    /// `n`: numbers in place of names.
    pub numbers: bool,
    /// `L`: the old tables.
    pub old_tables: bool,
    /// `f`: only this family.
    pub family: Option<Family>,
    /// `i`: the interfaces.
    pub interfaces: bool,
    /// `b`, `o` and `d`: their columns.
    pub columns: Columns,
    /// `I`: only this interface.
    pub interface: Option<String>,
    /// `w`: what the interfaces carry in this time, again and again.
    pub interval: Option<Duration>,
    /// `s`: the statistics.
    pub statistics: bool,
    /// `s` twice: without what is 0.
    pub skips_zero: bool,
    /// `p`: only this protocol.
    pub protocol: Option<String>,
    /// `r`: the routes.
    pub routes: bool,
}

/// One of the lists of `snmpnetstat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetstatView {
    /// Sockets.
    Sockets,
    /// Interfaces.
    Interfaces,
    /// Routes.
    Routes,
    /// Statistics.
    Statistics,
}

impl NetstatChoices {
    /// The list that is wanted.
    pub fn view(&self) -> NetstatView {
        let has_sockets = self.protocol.as_deref().is_none_or(|name| matches!(name, "tcp" | "udp"));
        match self {
            NetstatChoices { interfaces: true, .. } | NetstatChoices { interface: Some(_), .. } => {
                NetstatView::Interfaces
            }
            NetstatChoices { routes: true, .. } => NetstatView::Routes,
            NetstatChoices { statistics: true, .. } => NetstatView::Statistics,
            _ if has_sockets => NetstatView::Sockets,
            _ => NetstatView::Statistics,
        }
    }

    fn letter(&mut self, letter: char, rest: &str, line: &mut Options<'_>) -> Result<(), Ended> {
        match letter {
            'a' => self.all = true,
            'n' => self.numbers = true,
            'v' => {} // names are never cut
            'L' => self.old_tables = true,
            'i' => self.interfaces = true,
            'b' => self.columns.octets = true,
            'o' => self.columns.only_octets = true,
            'd' => self.columns.drops = true,
            's' => (self.skips_zero, self.statistics) = (self.statistics, true),
            'r' => self.routes = true,
            'f' | 'I' | 'p' | 'R' | 'w' => {
                let here = (letter == 'w' && !rest.is_empty()).then_some(rest);
                let argument = here.or_else(|| line.take_word()).ok_or_else(|| Ended::usage(""))?;
                self.argument(letter, argument)?;
            }
            _ => return Err(Ended::usage("")),
        }
        Ok(())
    }

    fn argument(&mut self, letter: char, argument: &str) -> Result<(), Ended> {
        match letter {
            'I' => self.interface = Some(argument.to_owned()),
            'f' => {
                self.family = Some(match argument {
                    "inet" => Family::V4,
                    "inet6" => Family::V6,
                    other => {
                        return Err(Ended::failed(format!("snmpnetstat: {other}: unknown address family")));
                    }
                });
            }
            'p' => {
                if !PROTOCOLS.contains(&argument) {
                    return Err(Ended::failed(format!("snmpnetstat: {argument}: unknown protocol")));
                }
                self.protocol = Some(argument.to_owned());
            }
            // The session chooses how many rows it asks for.
            'R' => {
                let number = argument.parse::<u32>().ok().filter(|number| *number > 0);
                number.ok_or_else(|| Ended::usage(format!("Bad -CR option: {argument}")))?;
            }
            _ => {
                let seconds = argument.parse::<u32>().ok().filter(|seconds| *seconds > 0);
                let seconds = seconds.ok_or_else(|| Ended::usage(format!("Bad -Cw option: {argument}")))?;
                self.interval = Some(Duration::from_secs(u64::from(seconds)));
            }
        }
        Ok(())
    }
}

/// What `snmpusm` changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsmChoices {
    /// `E`: the engine of the user's row.
    pub engine: Option<EngineId>,
    /// `p`: usmUserPublic.
    pub public: Option<String>,
    /// `w`: a new user is not active.
    pub inactive: bool,
    /// `a`: the key for authentication.
    pub auth: bool,
    /// `x`: the key for privacy.
    pub privacy: bool,
    /// `k`: passphrases may be localized keys.
    pub localized: bool,
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

/// In which units `snmpdf` prints sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// kB, as whole numbers.
    #[default]
    Plain,
    /// Powers of 1,024 (`-Ch`).
    Binary,
    /// Powers of 1,000 (`-CH`).
    Decimal,
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
            ucd: false,
            units: Units::Plain,
            excluded: false,
            table: TableChoices::default(),
            usm: UsmChoices::default(),
            netstat: NetstatChoices::default(),
            delta: DeltaChoices::default(),
        }
    }

    /// Applies the letters of one `-C`. `E` has its object in the next word.
    pub fn letters(&mut self, tool: Tool, text: &str, line: &mut Options<'_>) -> Result<(), Ended> {
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            match (tool, letter) {
                (Tool::Get | Tool::GetNext | Tool::Status, 'f') => self.no_fix = !self.no_fix,
                (Tool::Walk | Tool::BulkWalk, 'p') => self.says_count = !self.says_count,
                (Tool::Walk | Tool::BulkWalk, 'i') => self.includes_root = !self.includes_root,
                (Tool::Walk | Tool::BulkWalk, 'c') => self.any_order = !self.any_order,
                (Tool::Walk, 'I') => self.skips_get = !self.skips_get,
                (Tool::Walk, 't') => self.says_time = true,
                (Tool::Walk, 'T') => self.times_answers = true,
                (Tool::Walk, 'E') => self.end = Some(line.take_word().unwrap_or_default().to_owned()),
                (Tool::Df, 'u') => self.ucd = true,
                (Tool::Df, 'h') => self.units = Units::Binary,
                (Tool::Df, 'H') => self.units = Units::Decimal,
                (Tool::Vacm, 'e') => self.excluded = true,
                (Tool::Set, 'q') => self.quiet = true,
                (Tool::Trap | Tool::Inform, 'i') => self.inform = true,
                (Tool::BulkGet | Tool::BulkWalk, 'n' | 'r') => rest = self.bulk_number(tool, letter, rest)?,
                (Tool::Usm, _) => self.usm_letter(letter, line)?,
                (Tool::Table, _) => self.table_letter(letter, line)?,
                (Tool::Delta, _) => {
                    if self.delta.letter(letter, rest, line)? {
                        rest = "";
                    }
                }
                (Tool::Netstat, _) => {
                    self.netstat.letter(letter, rest, line)?;
                    if letter == 'w' {
                        rest = "";
                    }
                }
                (_, other) => return Err(Ended::failed(format!("Unknown flag passed to -C: {other}"))),
            }
        }
        Ok(())
    }

    fn usm_letter(&mut self, letter: char, line: &mut Options<'_>) -> Result<(), Ended> {
        let usm = &mut self.usm;
        match letter {
            'w' => usm.inactive = true,
            'a' => usm.auth = true,
            'x' => usm.privacy = true,
            'k' => usm.localized = true,
            'p' => usm.public = Some(line.take_word().ok_or_else(|| Ended::usage(""))?.to_owned()),
            'E' => {
                let text = line.take_word().ok_or_else(|| Ended::usage(""))?;
                let engine = EngineId::from_hex(text);
                usm.engine = Some(
                    engine
                        .map_err(|_| Ended::usage(format!("Bad engine ID value after -CE flag: {text}")))?,
                );
            }
            other => return Err(Ended::failed(format!("Unknown flag passed to -C: {other}"))),
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
