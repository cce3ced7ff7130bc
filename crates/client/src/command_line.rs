//! Secrets on a command line: after reading them, overwrite them in the memory that the kernel shows to everybody
//! as `/proc/PID/cmdline` (`ps`). Environment variables and files are better: they are never visible there.

use std::fs::{self, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Overwrites these secrets, and the credentials in a URL, where they occur in `words`, the arguments of this
/// process including the program's name. On systems other than Linux it does nothing.
///
/// # Errors
/// `/proc` is missing, or does not let the process write to its own memory.
pub fn wipe(words: &[String], secrets: &[&str]) -> io::Result<()> {
    if words.iter().all(|word| hidden(word, secrets).is_none()) {
        return Ok(());
    }
    let Some((start, end)) = place(&fs::read_to_string("/proc/self/stat")?) else { return Ok(()) };
    let memory = OpenOptions::new().read(true).write(true).open("/proc/self/mem")?;
    let mut octets = vec![0; usize::try_from(end.saturating_sub(start)).unwrap_or(0)];
    memory.read_exact_at(&mut octets, start)?;
    let mut at = start;
    for (word, shown) in words.iter().zip(octets.split(|octet| *octet == 0)) {
        // A word that differs from the one we were given was changed by something else: leave it alone.
        if let Some(range) = hidden(word, secrets).filter(|_| shown == word.as_bytes()) {
            memory.write_all_at(&vec![b'x'; range.len()], at + range.start as u64)?;
        }
        at += shown.len() as u64 + 1;
    }
    Ok(())
}

/// The address range of the arguments, from `/proc/PID/stat`: `arg_start` and `arg_end` (proc(5), fields 48 and
/// 49).
fn place(stat: &str) -> Option<(u64, u64)> {
    // The second field is the program's name, which may contain anything; the third follows the last bracket.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(48 - 3);
    let number = |text: Option<&str>| text?.parse().ok().filter(|place| *place > 0);
    Some((number(fields.next())?, number(fields.next())?))
}

/// The secret part of a word: the whole word, the text attached to an option, the value after a `=`, or in a URL
/// the password, or without one the community or the user.
fn hidden(word: &str, secrets: &[&str]) -> Option<Range<usize>> {
    let is_front =
        |front: &str| front.is_empty() || front.starts_with('-') || front.ends_with(['=', ' ', '\t']);
    let ends = |secret: &&&str| !secret.is_empty() && word.strip_suffix(**secret).is_some_and(is_front);
    let found = secrets.iter().filter(ends).max_by_key(|secret| secret.len());
    if let Some(secret) = found {
        return Some(word.len() - secret.len()..word.len());
    }
    let from = word.find("://")? + 3;
    let end = word[from..].find(['/', '?', '#']).map_or(word.len(), |length| from + length);
    let who = &word[from..from + word[from..end].rfind('@')?];
    let start = from + who.find(':').map_or(0, |colon| colon + 1);
    Some(start..from + who.len()).filter(|range| !range.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_in_every_position() {
        let secrets = ["hush", "quiet please", ""];
        for (word, shown) in [
            ("hush", "xxxx"),
            ("-chush", "-cxxxx"),
            ("--community=hush", "--community=xxxx"),
            ("defAuthPassphrase quiet please", "defAuthPassphrase xxxxxxxxxxxx"),
            ("snmp://hush@host/sysName.0", "snmp://xxxx@host/sysName.0"),
            ("snmp://other@host", "snmp://xxxxx@host"),
            ("soap+https://ann:pass:word@host:1/x@y", "soap+https://ann:xxxxxxxxx@host:1/x@y"),
            ("snmp://host/ifDescr.2?who=a@b", "snmp://host/ifDescr.2?who=a@b"),
            ("snmp://@host", "snmp://@host"),
            ("hushed", "hushed"),
            ("sysName.0", "sysName.0"),
        ] {
            let mut octets = word.as_bytes().to_vec();
            if let Some(range) = hidden(word, &secrets) {
                octets[range].fill(b'x');
            }
            assert_eq!(String::from_utf8(octets).unwrap(), shown);
        }
    }

    #[test]
    fn the_place_is_found_after_any_program_name() {
        let fields: Vec<String> = (3..=52).map(|field| field.to_string()).collect();
        assert_eq!(place(&format!("1 (a) b) {}", fields.join(" "))), Some((48, 49)));
        assert_eq!(place("1 (x) S 1 2"), None);
        let (start, end) = place(&fs::read_to_string("/proc/self/stat").unwrap()).unwrap();
        assert!(start < end);
    }
}
