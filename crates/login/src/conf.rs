//! `snmp.conf` for Net-SNMP's names: which files are read, and their lines. The meaning of a line is implemented
//! with the option of the same meaning.

use std::fs;
use std::path::{Path, PathBuf};

/// One line, or a `-Y` or `--` option of the same form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The first word, in lower case.
    pub name: String,
    /// What follows it, without quotes.
    pub value: String,
}

/// All lines of all files, later files after earlier ones, and their errors.
#[derive(Debug, Default)]
pub struct Conf {
    /// The lines in order; of two that conflict the later one applies.
    pub tokens: Vec<Token>,
    /// For standard error.
    pub warnings: Vec<String>,
    /// How many lines of files have values of the wrong kind.
    errors: usize,
}

impl Conf {
    /// Reads `snmp.conf` and `snmp.local.conf` in the folders of the variable `SNMPCONFPATH` (`conf_path`), or,
    /// if it is not set, in the system's and the user's.
    pub fn read(conf_path: Option<&str>, home: Option<&str>) -> Self {
        let folders: Vec<PathBuf> = match conf_path {
            Some(path) => path.split(':').filter(|part| !part.is_empty()).map(PathBuf::from).collect(),
            None => {
                let own = home.map(|home| Path::new(home).join(".snmp"));
                STANDARD_FOLDERS.iter().map(PathBuf::from).chain(own).collect()
            }
        };
        let mut conf = Conf::default();
        for folder in folders {
            for name in ["snmp.conf", "snmp.local.conf"] {
                let file = folder.join(name);
                // A file that is missing or not ours to read is ignored.
                if let Ok(text) = fs::read(&file) {
                    conf.add(&file.display().to_string(), &String::from_utf8_lossy(&text));
                }
            }
        }
        if conf.errors > 0 {
            conf.warnings.push(format!("net-snmp: {} error(s) in config file(s)", conf.errors));
        }
        conf
    }

    /// The tokens that lines begin with, as `-H` lists them.
    pub fn directives() -> String {
        let words: String = KNOWN.iter().map(|word| format!("    {word}\n")).collect();
        format!("Configuration directives understood:\n  In snmp.conf and snmp.local.conf:\n{words}")
    }

    /// Adds a `TOKEN=VALUE` or `TOKEN VALUE` of the command line; a `TOKEN` alone is turned on.
    pub fn add_option(&mut self, text: &str) {
        let line = match text.contains(['=', ' ']) {
            true => text.replacen('=', " ", 1),
            false => format!("{text} 1"),
        };
        let errors = self.errors;
        self.add("(command line)", &line);
        self.errors = errors;
    }

    /// The value of the last line with this token.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.tokens.iter().rev().find(|token| token.name == name).map(|token| token.value.as_str())
    }

    fn add(&mut self, file: &str, text: &str) {
        // A line `[TYPE]` selects the program that the following lines are for.
        let mut is_ours = true;
        for (number, line) in (1..).zip(text.lines()) {
            let mut line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some((section, rest)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                let for_us = section.trim().eq_ignore_ascii_case("snmp");
                line = rest.trim();
                if line.is_empty() {
                    is_ours = for_us;
                    continue;
                }
                if !for_us {
                    continue;
                }
            } else if !is_ours {
                continue;
            }
            let (name, value) = line.split_once([' ', '\t']).unwrap_or((line, ""));
            let value = value.trim();
            let value = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
            let token = Token { name: name.to_ascii_lowercase(), value: value.to_owned() };
            if let Err(mistake) = token.check() {
                self.warnings.push(format!("{file}: line {number}: Error: {mistake}"));
                self.errors += 1;
                continue;
            }
            let is_in = |list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(name));
            if !is_in(KNOWN) {
                self.warnings.push(format!("{file}: line {number}: Warning: Unknown token: {name}."));
            } else if is_in(WITHOUT_EFFECT) && token.is_set() != Some(false) {
                self.warnings.push(format!("{file}: line {number}: Warning: {name} has no effect here."));
            }
            self.tokens.push(token);
        }
    }
}

impl Token {
    /// Whether the value is of the token's kind; the mistake is in Net-SNMP's words.
    fn check(&self) -> Result<(), &'static str> {
        let is_in = |list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(&self.name));
        match (is_in(BOOLEANS), is_in(INTEGERS)) {
            (true, _) if self.is_set().is_none() => Err("Should be yes|no|true|false|0|1"),
            (_, true) if self.value.parse::<i32>().is_err() => Err("Bad integer value"),
            _ => Ok(()),
        }
    }

    /// Yes or no; nothing where the value is neither.
    pub fn is_set(&self) -> Option<bool> {
        match self.value.to_ascii_lowercase().as_str() {
            "1" | "yes" | "true" => Some(true),
            "0" | "no" | "false" => Some(false),
            _ => None,
        }
    }
}

const STANDARD_FOLDERS: [&str; 4] =
    ["/etc/snmp", "/usr/share/snmp", "/usr/lib/snmp", "/usr/local/share/snmp"];

/// The tokens that Net-SNMP's tools know; those without a meaning here are ignored.
const KNOWN: &[&str] = &[
    "16bitIDs",
    "alias",
    "clientaddr",
    "clientaddrUsesPort",
    "clientRecvBuf",
    "clientSendBuf",
    "commentToEOL",
    "debugLogLevel",
    "debugTokens",
    "defAuthLocalizedKey",
    "defAuthMasterKey",
    "defAuthPassphrase",
    "defAuthType",
    "defaultPort",
    "defCommunity",
    "defContext",
    "defDomain",
    "defPassphrase",
    "defPrivLocalizedKey",
    "defPrivMasterKey",
    "defPrivPassphrase",
    "defPrivType",
    "defSecurityLevel",
    "defSecurityModel",
    "defSecurityName",
    "defTarget",
    "defVersion",
    "disableSNMPv1",
    "disableSNMPv2c",
    "disableSNMPv3",
    "doDebugging",
    "dontBreakdownOids",
    "dontLoadHostConfig",
    "dontPrintUnits",
    "dumpPacket",
    "escapeQuotes",
    "extendedIndex",
    "extraX509SubDir",
    "hexOutputLength",
    "localCert",
    "logOption",
    "logTimestamp",
    "mibAllowUnderline",
    "mibdirs",
    "mibfile",
    "mibReplaceWithLatest",
    "mibs",
    "mibWarningLevel",
    "noContextEngineIDDiscovery",
    "noDisplayHint",
    "noPersistentLoad",
    "noPersistentSave",
    "noRangeCheck",
    "noTokenWarnings",
    "numericTimeticks",
    "oidOutputFormat",
    "outputPrecision",
    "peerCert",
    "persistentDir",
    "printHexText",
    "printNumericEnums",
    "printNumericOids",
    "printValueOnly",
    "quickPrinting",
    "retries",
    "reverseEncodeBER",
    "sendMessageMaxSize",
    "serverRecvBuf",
    "serverSendBuf",
    "showMibErrors",
    "strictCommentTerm",
    "suffixPrinting",
    "tempFilePattern",
    "timeout",
    "tlsAlgorithms",
    "trustCert",
    "tsmUseTransportPrefix",
    "x509CRLFile",
];

/// Those whose values are yes or no.
const BOOLEANS: &[&str] = &[
    "disableSNMPv1",
    "disableSNMPv2c",
    "disableSNMPv3",
    "dontBreakdownOids",
    "dontPrintUnits",
    "dumpPacket",
    "escapeQuotes",
    "extendedIndex",
    "noDisplayHint",
    "noRangeCheck",
    "noTokenWarnings",
    "numericTimeticks",
    "printHexText",
    "printNumericEnums",
    "printNumericOids",
    "printValueOnly",
    "quickPrinting",
];

/// Those whose values are numbers.
const INTEGERS: &[&str] =
    &["defaultPort", "hexOutputLength", "oidOutputFormat", "retries", "suffixPrinting", "timeout"];

/// Those that change what Net-SNMP's tools ask, whom and how, and nothing here.
const WITHOUT_EFFECT: &[&str] = &[
    "16bitIDs",
    "alias",
    "clientaddr",
    "clientaddrUsesPort",
    "defDomain",
    "defTarget",
    "disableSNMPv1",
    "disableSNMPv2c",
    "disableSNMPv3",
    "mibfile",
    "mibReplaceWithLatest",
    "sendMessageMaxSize",
    "tlsAlgorithms",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn later_lines_stand_and_sections_are_for_their_program() {
        let mut conf = Conf::default();
        conf.add("f", "# x\ndefVersion 1\nDEFCOMMUNITY \"a b\"\n[snmpd]\ndefVersion 3\n[snmp]\nretries 2\n[snmpd] retries 9\n");
        assert_eq!(conf.value("defversion"), Some("1"));
        assert_eq!(conf.value("defcommunity"), Some("a b"));
        assert_eq!(conf.value("retries"), Some("2"));
        conf.add_option("defVersion=2c");
        assert_eq!(conf.value("defversion"), Some("2c"));
        assert_eq!(conf.warnings, [""; 0]);
        conf.add("f", "\nbogus x");
        assert_eq!(conf.warnings, ["f: line 2: Warning: Unknown token: bogus."]);
    }

    #[test]
    fn values_of_the_wrong_kind_and_lines_without_effect_are_reported() {
        let mut conf = Conf::default();
        conf.add(
            "f",
            "defaultPort x\nquickPrinting maybe\nclientaddr 192.0.2.1\ndisableSNMPv1 no\nretries 3",
        );
        assert_eq!(
            conf.warnings,
            [
                "f: line 1: Error: Bad integer value",
                "f: line 2: Error: Should be yes|no|true|false|0|1",
                "f: line 3: Warning: clientaddr has no effect here.",
            ]
        );
        assert_eq!((conf.errors, conf.value("defaultport"), conf.value("retries")), (2, None, Some("3")));
        conf.add_option("numericTimeticks");
        assert_eq!(conf.tokens.last().and_then(Token::is_set), Some(true));
    }

    proptest! {
        #[test]
        fn any_file_is_read_without_panic(text: String) {
            let mut conf = Conf::default();
            conf.add("f", &text);
            prop_assert!(conf.tokens.len() <= text.lines().count());
        }
    }
}
