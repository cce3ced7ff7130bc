//! Where a program of Net-SNMP writes its log: the places and priorities of `-L` (snmpcmd(1) "LOGGING OPTIONS").

use std::path::PathBuf;

use nix::syslog::Facility;
use tracing::Level;

/// A destination, and its minimum priority.
#[derive(Clone, Debug, PartialEq)]
pub struct LogTo {
    /// The place.
    pub destination: Destination,
    /// The least important that is written; `None`: as without an option.
    pub most: Option<Level>,
}

/// A place.
#[derive(Clone, Debug, PartialEq)]
pub enum Destination {
    /// Standard error.
    Stderr,
    /// Standard output.
    Stdout,
    /// Nowhere.
    Nowhere,
    /// A file.
    File(PathBuf),
    /// The system's log.
    Syslog(Facility),
}

/// A priority of syslog by its letter or number, alone or as the end of a range; and what follows it.
///
/// # Errors
/// What is expected.
pub fn priority(text: &str) -> Result<(Level, &str), String> {
    let wrong =
        || format!("{text:?} does not begin with a priority; expected 0 to 7 or one of ! a c e w n i d");
    let mut rest = text;
    let mut take = || {
        let letter = rest.chars().next()?;
        let level = match letter {
            '0'..='3' | '!' | 'a' | 'A' | 'c' | 'C' | 'e' | 'E' => Level::ERROR,
            '4' | 'w' | 'W' => Level::WARN,
            '5' | '6' | 'n' | 'N' | 'i' | 'I' => Level::INFO,
            '7' | 'd' | 'D' => Level::DEBUG,
            _ => return None,
        };
        rest = &rest[letter.len_utf8()..];
        let is_range = rest.starts_with('-');
        rest = rest.strip_prefix('-').unwrap_or(rest);
        Some((level, is_range))
    };
    let (first, is_range) = take().ok_or_else(wrong)?;
    let level = match is_range {
        true => first.max(take().ok_or_else(wrong)?.0),
        false => first,
    };
    Ok((level, rest))
}

/// A facility by its letter: d daemon, u user, 0 to 7 local.
///
/// # Errors
/// What is expected.
pub fn facility(text: &str) -> Result<Facility, String> {
    Ok(match text.chars().next() {
        Some('d' | 'D') => Facility::LOG_DAEMON,
        Some('u' | 'U') => Facility::LOG_USER,
        Some('0') => Facility::LOG_LOCAL0,
        Some('1') => Facility::LOG_LOCAL1,
        Some('2') => Facility::LOG_LOCAL2,
        Some('3') => Facility::LOG_LOCAL3,
        Some('4') => Facility::LOG_LOCAL4,
        Some('5') => Facility::LOG_LOCAL5,
        Some('6') => Facility::LOG_LOCAL6,
        Some('7') => Facility::LOG_LOCAL7,
        _ => return Err(format!("{text:?} is not a facility; expected d, u or 0 to 7")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_are_letters_numbers_and_ranges() {
        assert_eq!(priority("wd"), Ok((Level::WARN, "d")));
        assert_eq!(priority("0-6d"), Ok((Level::INFO, "d")));
        assert_eq!(priority("7"), Ok((Level::DEBUG, "")));
        assert_eq!(priority("! /f"), Ok((Level::ERROR, " /f")));
        assert!(priority("x").is_err() && priority("").is_err() && priority("1-").is_err());
        assert_eq!(facility("3"), Ok(Facility::LOG_LOCAL3));
        assert!(facility("k").is_err());
    }
}
