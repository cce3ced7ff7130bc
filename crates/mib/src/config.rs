//! The settings for MIB texts in Net-SNMP's `snmp.conf`, which users have written already.

use std::fs;
use std::path::{Path, PathBuf};

/// The lines `mibs` and `mibdirs`, in the form of the options `-m` and `-M`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configured {
    /// `mibs`.
    pub modules: Option<String>,
    /// `mibdirs`.
    pub folders: Option<String>,
}

impl Configured {
    /// Reads `snmp.conf` in Net-SNMP's folders, a later one over an earlier one: those of
    /// the variable `SNMPCONFPATH` (`conf_path`) if it is set, else the system's and the user's.
    pub fn read(conf_path: Option<&str>, home: Option<&str>) -> Self {
        let folders: Vec<PathBuf> = match conf_path {
            Some(path) => path.split(':').filter(|part| !part.is_empty()).map(PathBuf::from).collect(),
            None => {
                let own = home.map(|home| Path::new(home).join(".snmp"));
                ["/etc/snmp", "/usr/share/snmp", "/usr/lib/snmp"]
                    .iter()
                    .map(PathBuf::from)
                    .chain(own)
                    .collect()
            }
        };
        let mut configured = Configured::default();
        for folder in folders {
            // A file that is missing or not ours to read is ignored.
            let text = fs::read(folder.join("snmp.conf")).unwrap_or_default();
            configured.apply(&String::from_utf8_lossy(&text));
        }
        configured
    }

    fn apply(&mut self, text: &str) {
        for line in text.lines() {
            let Some((word, value)) = line.trim().split_once([' ', '\t']) else { continue };
            let value = value.trim();
            match word.to_ascii_lowercase().as_str() {
                // Debian's `mibs :` means that it ships no texts, not that none are wanted.
                "mibs" if value.trim_matches(':').is_empty() => self.modules = None,
                "mibs" => self.modules = Some(joined(self.modules.take(), value)),
                "mibdirs" if !value.is_empty() => self.folders = Some(joined(self.folders.take(), value)),
                _ => {}
            }
        }
    }
}

/// A list with `+` is appended to the earlier one.
fn joined(before: Option<String>, value: &str) -> String {
    match (before, value.strip_prefix('+')) {
        (Some(before), Some(more)) => format!("{before}:{more}"),
        _ => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configured(texts: &[&str]) -> (Option<String>, Option<String>) {
        let mut configured = Configured::default();
        texts.iter().for_each(|text| configured.apply(text));
        (configured.modules, configured.folders)
    }

    #[test]
    fn later_lines_stand_and_lists_with_a_plus_are_added() {
        assert_eq!(configured(&["# mibs x\nmibs :\n"]), (None, None));
        assert_eq!(
            configured(&["mibs +A-MIB\nmibdirs /a\n", "mibs +B-MIB\nMIBDIRS\t+/b\ndefCommunity secret"]),
            (Some("+A-MIB:B-MIB".into()), Some("/a:/b".into()))
        );
        assert_eq!(configured(&["mibdirs /a", "mibdirs /b"]), (None, Some("/b".into())));
    }
}
