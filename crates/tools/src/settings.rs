//! The options that Net-SNMP's tools share, and what `snmp.conf` adds to them.
//!
//! Net-SNMP reads the files after the command line: if both set the version, the community or a name, the command
//! line wins; if both set the output format, the files win. Files have been written with that in mind, so it is
//! the same here.

use std::time::Duration;

use trunkline_mib::{FloatForm, NameForm, Quick, Style};

use super::choices::Choices;
use super::ended::Ended;
use super::getopt::{Item, Options};
use super::secure::SecureSettings;
use super::tool::Tool;
use super::v3::V3Settings;
use trunkline_login::{Conf, Token};

/// Everything in the command line and the files.
#[derive(Debug)]
pub struct Settings {
    /// The tool that was called.
    pub tool: Tool,
    /// How names and values are written.
    pub style: Style,
    /// How names and values are read.
    pub input: Input,
    /// `-m`, or nothing.
    pub modules: Option<String>,
    /// `-M`, or nothing.
    pub folders: Option<String>,
    /// The options of the session.
    pub session: SessionSettings,
    /// The letters of `-C`.
    pub choices: Choices,
    /// The letters of `-T`, which only `snmptranslate` has.
    pub report: String,
    /// `-w` of `snmptranslate`: characters a line.
    pub width: Option<usize>,
    /// Agent and objects.
    pub operands: Vec<String>,
    /// The form of floating-point numbers, of `-Op` or else `outputPrecision`.
    precision: Option<String>,
}

/// `-I`: how names and values are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// A label alone, of any module (`R`).
    pub random_access: bool,
    /// An expression that a label must fit (`b`).
    pub best_match: bool,
    /// Values are not compared with the object's ranges (`r`).
    pub no_range_check: bool,
    /// Values are not read by the object's display hint (`h`).
    pub no_hints: bool,
    /// Only a leading dot makes a name absolute (`u`).
    pub ucd: bool,
    /// Behind every name (`s`).
    pub suffix: String,
    /// Before every name (`S`).
    pub prefix: String,
}

/// The options of the session. `Debug` shows no secret.
#[derive(Default)]
pub struct SessionSettings {
    /// `-v`: `1`, `2c` or `3`.
    pub version: Option<String>,
    /// `-c`.
    pub community: Option<String>,
    /// `-t`.
    pub timeout: Option<Duration>,
    /// `-r`.
    pub retries: Option<u32>,
    /// `defaultPort`: the port where the agent's text has none.
    pub port: Option<u16>,
    /// `-d`: whether to show the octets.
    pub dumps: bool,
    /// The options of SNMPv3.
    pub v3: V3Settings,
    /// Certificates.
    pub secure: SecureSettings,
}

impl std::fmt::Debug for SessionSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionSettings").field("version", &self.version).finish_non_exhaustive()
    }
}

impl SessionSettings {
    /// What must not be shown.
    pub fn secrets(&self) -> Vec<&str> {
        self.community.iter().map(String::as_str).chain(self.v3.secrets()).collect()
    }
}

impl Settings {
    /// Reads a command line; `conf` becomes the files' lines and those of `-Y`.
    pub fn read(tool: Tool, words: &[String], conf: &mut Conf) -> Result<Self, Ended> {
        let mut settings = Settings::of(tool);
        let mut line = Options::new(words, letters(tool), tool.permutes());
        loop {
            let item = line.next().map_err(|fault| Ended::usage(format!("{}: {fault}", tool.name())))?;
            match item {
                Some(Item::Letter(letter, text)) => settings.letter(letter, &text, &mut line, conf)?,
                Some(Item::Long(text)) if text == "help" => return Err(Ended::usage("")),
                Some(Item::Long(text)) if text == "version" => return Err(version()),
                Some(Item::Long(text)) => conf.add_option(&text),
                None => break,
            }
        }
        settings.operands = line.operands();
        settings.tell_warnings(conf);
        conf.tokens.iter().for_each(|token| settings.configure(token));
        settings.fill(conf)?;
        settings.fill_precision(conf);
        settings.style.no_hints = settings.input.no_hints;
        settings.style.keeps_lines = settings.prints_one_value();
        Ok(settings)
    }

    /// What concerns names and values alone, for programs that are not tools.
    pub fn for_printing(
        output: &[String],
        modules: Option<String>,
        folders: Option<String>,
        conf: &Conf,
    ) -> Result<Self, String> {
        let mut settings = Settings { modules, folders, ..Settings::of(Tool::Get) };
        for letters in output {
            let applied = settings.style.apply(letters);
            applied.map_err(|fault| format!("Unknown output option passed to -O: {}.", fault.0))?;
        }
        settings.tell_warnings(conf);
        conf.tokens.iter().for_each(|token| settings.configure(token));
        settings.fill_precision(conf);
        settings.style.no_hints = settings.input.no_hints;
        Ok(settings)
    }

    /// What must not be shown: of the session, and passphrases among the operands.
    pub fn secrets(&self) -> Vec<&str> {
        let mut secrets = self.session.secrets();
        if let (Tool::Usm, [_, command, passphrases @ ..]) = (self.tool, &self.operands[..])
            && command == "passwd"
        {
            secrets.extend(passphrases.iter().take(2).map(String::as_str));
        }
        secrets
    }

    /// Whether a single value is printed: scripts read such an output as a whole, with its line ends, and nothing
    /// in it can be mistaken for another value.
    fn prints_one_value(&self) -> bool {
        let [_agent, _object] = &self.operands[..] else { return false };
        matches!(self.tool, Tool::Get | Tool::GetNext) && self.style.value_only
    }

    fn of(tool: Tool) -> Self {
        let mut style = Style::default();
        style.quick = if tool == Tool::Table { Quick::Space } else { Quick::No };
        Settings {
            tool,
            style,
            input: Input::default(),
            modules: None,
            folders: None,
            session: SessionSettings::default(),
            choices: Choices::new(tool),
            report: String::new(),
            width: None,
            operands: Vec::new(),
            precision: None,
        }
    }

    fn letter(
        &mut self,
        letter: char,
        text: &str,
        line: &mut Options<'_>,
        conf: &mut Conf,
    ) -> Result<(), Ended> {
        let some = || Some(text.to_owned());
        match letter {
            'h' => return Err(Ended::usage("")),
            'H' => return Err(Ended::with_status(Conf::directives(), 0)),
            'V' => return Err(version()),
            'Y' => conf.add_option(text),
            'm' => self.modules = some(),
            'M' => self.folders = some(),
            'O' => self.output(text, line)?,
            'I' => self.input(text, line)?,
            'P' => self.parsing(text)?,
            'L' => logging(self.tool, text, line)?,
            'T' if self.tool == Tool::Translate => self.report.push_str(text),
            'w' => self.width = Some(width(text)?),
            'C' => self.choices.letters(self.tool, text, line)?,
            'd' => self.session.dumps = true,
            't' => self.session.timeout = Some(seconds(text)?),
            'r' => self.session.retries = Some(retries(text)?),
            'v' => self.session.version = Some(version_name(text)?),
            'c' => self.session.community = some(),
            'p' => {
                let words = "Warning: -p option is no longer used - specify the remote host as HOST:PORT";
                return Err(Ended::usage(words));
            }
            'T' => self.session.secure.option(text),
            'D' | 's' => {} // nothing of theirs is done here
            _ => self.session.v3.letter(letter, text, line)?,
        }
        Ok(())
    }

    fn output(&mut self, text: &str, line: &mut Options<'_>) -> Result<(), Ended> {
        let (letters, precision) = text.split_once('p').map_or((text, None), |(l, p)| (l, Some(p)));
        self.style.apply(letters).map_err(|fault| self.unknown("output", 'O', fault.0))?;
        if let Some(precision) = precision {
            let given = if precision.is_empty() { line.take_word().unwrap_or_default() } else { precision };
            self.precision = Some(given.to_owned());
        }
        Ok(())
    }

    fn input(&mut self, text: &str, line: &mut Options<'_>) -> Result<(), Ended> {
        for (at, letter) in text.char_indices() {
            let rest = &text[at + letter.len_utf8()..];
            let mut argument = || if rest.is_empty() { line.take_word().unwrap_or_default() } else { rest };
            match letter {
                'R' => self.input.random_access = true,
                'b' => self.input.best_match = true,
                'r' => self.input.no_range_check = true,
                'h' => self.input.no_hints = true,
                'u' => self.input.ucd = true,
                's' => self.input.suffix = argument().to_owned(),
                'S' => self.input.prefix = argument().to_owned(),
                other => return Err(self.unknown("input", 'I', other)),
            }
            if matches!(letter, 's' | 'S') {
                break;
            }
        }
        Ok(())
    }

    fn parsing(&self, text: &str) -> Result<(), Ended> {
        match text.chars().find(|letter| !"ucdewWR".contains(*letter)) {
            Some(letter) => Err(self.unknown("parsing", 'P', letter)),
            None => Ok(()),
        }
    }

    fn unknown(&self, what: &str, option: char, letter: char) -> Ended {
        Ended::usage(match (self.tool, option) {
            (Tool::Translate, 'P') => format!("Unknown parser option to -P: {letter}."),
            (Tool::Translate, _) => format!("Unknown OID option to -{option}: {letter}."),
            _ => format!("Unknown {what} option passed to -{option}: {letter}."),
        })
    }

    fn tell_warnings(&self, conf: &Conf) {
        let is_quiet =
            conf.tokens.iter().any(|token| token.name == "notokenwarnings" && token.is_set() == Some(true));
        if !is_quiet {
            conf.warnings.iter().for_each(|words| super::messages::tell(words));
        }
    }

    /// One line of the files.
    fn configure(&mut self, token: &Token) {
        let style = &mut self.style;
        let flag = token.is_set();
        let set = |place: &mut bool| *place = flag.unwrap_or(*place);
        match token.name.as_str() {
            "printnumericenums" => set(&mut style.plain_enumerations),
            "printnumericoids" if flag == Some(true) => style.names = NameForm::Numeric,
            "dontbreakdownoids" => set(&mut style.plain_indexes),
            "escapequotes" => set(&mut style.escape_quotes),
            "quickprinting" => match flag {
                Some(true) if style.quick == Quick::No => style.quick = Quick::Space,
                Some(false) => style.quick = Quick::No,
                _ => {}
            },
            "printvalueonly" => set(&mut style.value_only),
            "dontprintunits" => set(&mut style.no_units),
            "numerictimeticks" => set(&mut style.plain_ticks),
            "printhextext" => set(&mut style.text_with_hex),
            "extendedindex" => set(&mut style.bracket_indexes),
            "nodisplayhint" => set(&mut self.input.no_hints),
            "norangecheck" => set(&mut self.input.no_range_check),
            "dumppacket" => set(&mut self.session.dumps),
            "hexoutputlength" => style.hex_line = token.value.parse().unwrap_or(style.hex_line),
            "defaultport" => self.session.port = token.value.parse().ok().filter(|port| *port != 0),
            "suffixprinting" | "oidoutputformat" => {
                style.names = name_form(&token.value).unwrap_or(style.names);
            }
            _ => {}
        }
    }

    /// Here alone the command line overrides the files.
    fn fill_precision(&mut self, conf: &Conf) {
        let Some(given) = self.precision.take().or_else(|| conf.value("outputprecision").map(str::to_owned))
        else {
            return;
        };
        self.style.floats = FloatForm::parse(&given).unwrap_or_else(|| {
            let words = format!("Precision {given:?} has no effect: expected [-+0][WIDTH][.PLACES][f]");
            super::messages::tell(&words);
            FloatForm::default()
        });
    }

    /// What the command line left open.
    fn fill(&mut self, conf: &Conf) -> Result<(), Ended> {
        let session = &mut self.session;
        let value = |name: &str| conf.value(name).map(str::to_owned);
        session.version =
            session.version.take().or(value("defversion").map(|text| version_name(&text)).transpose()?);
        session.community = session.community.take().or_else(|| value("defcommunity"));
        // Text that is not a number is ignored.
        session.timeout = session.timeout.or_else(|| seconds(conf.value("timeout")?).ok());
        session.retries = session.retries.or_else(|| retries(conf.value("retries")?).ok());
        session.v3.fill(value);
        session.secure.fill(value);
        Ok(())
    }
}

/// The letters of the tool, in `getopt`'s form.
const fn letters(tool: Tool) -> &'static str {
    match tool {
        Tool::Translate => "Vhm:M:w:D:P:T:O:I:L:Y:",
        Tool::Test => "Y:VhHm:M:O:I:P:D:dv:r:t:c:Z:e:E:n:u:l:x:X:a:A:p:T:3:L:s:",
        _ => "Y:VhHm:M:O:I:P:D:dv:r:t:c:Z:e:E:n:u:l:x:X:a:A:p:T:3:L:s:C:",
    }
}

fn version() -> Ended {
    Ended::with_status(format!("NET-SNMP version: 5.9.3 (Trunkline {})", env!("CARGO_PKG_VERSION")), 0)
}

fn version_name(text: &str) -> Result<String, Ended> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "2c" | "3" => Ok(text.to_ascii_lowercase()),
        _ => Err(Ended::usage(format!("Invalid version specified after -v flag: {text}"))),
    }
}

fn seconds(text: &str) -> Result<Duration, Ended> {
    // As C reads numbers: what follows the number is not looked at.
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let seconds = text[..end].parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| Ended::usage("Invalid timeout in seconds after -t flag."))
}

fn retries(text: &str) -> Result<u32, Ended> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse().map_err(|_| Ended::usage("Invalid number of retries after -r flag."))
}

fn width(text: &str) -> Result<usize, Ended> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text[..digits].parse().map_err(|_| Ended::failed(format!("Invalid width specification: {text}")))
}

fn name_form(text: &str) -> Option<NameForm> {
    match text {
        "1" => Some(NameForm::Suffix),
        "0" | "2" => Some(NameForm::Module),
        "3" => Some(NameForm::Full),
        "4" => Some(NameForm::Numeric),
        "5" => Some(NameForm::Ucd),
        _ => None,
    }
}

/// `-L`: where messages go. Ours go to standard error; Net-SNMP's values are accepted, and no others.
fn logging(tool: Tool, text: &str, line: &mut Options<'_>) -> Result<(), Ended> {
    let letter = text.chars().next().unwrap_or(' ');
    let rest = text.get(letter.len_utf8()..).unwrap_or_default();
    let arguments = match letter {
        'e' | 'o' | 'n' => 0,
        'f' | 's' | 'E' | 'O' | 'N' => 1,
        'F' | 'S' => 2,
        other => {
            let words = format!("Unknown logging option passed to -L: {other}.");
            return Err(if tool == Tool::Translate { Ended::failed(words) } else { Ended::usage(words) });
        }
    };
    for _ in usize::from(!rest.is_empty())..arguments {
        line.take_word();
    }
    Ok(())
}
