//! What is logged: `info`, or `info,trunkline_transport=debug`.

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;

/// A part of a log filter that is neither a level nor a module with one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{part}` is not a log filter: expected error, warn, info, debug or trace, or MODULE=LEVEL,...")]
pub struct LogFilterError {
    part: String,
}

/// Reads a log filter: levels and `MODULE=LEVEL`, with commas between them. The level of the longest module that matches
/// counts. A filter without any part logs errors. A library that logs each misbehaving peer without a limit is silent
/// unless the filter names it: what strangers can cause is logged by us, a few lines a minute.
///
/// # Errors
/// A part that is neither.
pub fn log_filter(text: &str) -> Result<Targets, LogFilterError> {
    let mut filter = Targets::new().with_default(LevelFilter::ERROR).with_target(UNLIMITED, LevelFilter::OFF);
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let wrong = || LogFilterError { part: part.to_owned() };
        let (module, level) = match part.split_once('=') {
            Some((module, level)) => (Some(module.trim_end()), level.trim_start()),
            None => (None, part),
        };
        // The library reads no level at all as ERROR.
        let level: LevelFilter = match level {
            "" => return Err(wrong()),
            level => level.parse().map_err(|_| wrong())?,
        };
        let is_name = |module: &str| module.chars().all(|c| c.is_ascii_alphanumeric() || "_:-".contains(c));
        filter = match module {
            Some(module) if module.is_empty() || !is_name(module) => return Err(wrong()),
            Some(module) => filter.with_target(module, level),
            None => filter.with_default(level),
        };
    }
    Ok(filter)
}

/// HTTP/2 warns once for each connection that resets too many streams.
const UNLIMITED: &str = "h2";

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::Level;

    #[test]
    fn the_longest_module_that_matches_decides() {
        let enabled =
            |text: &str, module: &str, level| log_filter(text).unwrap().would_enable(module, &level);
        for (text, module, most) in [
            ("", "trunkline_host", Some(Level::ERROR)),
            (" , ", "trunkline_host", Some(Level::ERROR)),
            ("info", "trunkline_host", Some(Level::INFO)),
            ("WARN, trunkline_host = debug", "trunkline_host::source", Some(Level::DEBUG)),
            ("trunkline_host::source=trace,trunkline_host=off,info", "trunkline_host", None),
            (
                "trunkline_host::source=trace,trunkline_host=off,info",
                "trunkline_host::source",
                Some(Level::TRACE),
            ),
            ("trace", "h2::proto", None),
            ("h2=debug,info", "h2::proto", Some(Level::DEBUG)),
        ] {
            for level in [Level::ERROR, Level::WARN, Level::INFO, Level::DEBUG, Level::TRACE] {
                let expected = most.is_some_and(|most| level <= most);
                assert_eq!(enabled(text, module, level), expected, "{text} {module} {level}");
            }
        }
    }

    #[test]
    fn what_is_not_a_filter_is_quoted() {
        for (text, part) in [
            ("loud", "loud"),
            ("info,=", "="),
            ("info,h2=", "h2="),
            ("=info", "=info"),
            ("a=b=info", "a=b=info"),
            ("info,[span]=debug", "[span]=debug"),
            ("trunkline_host", "trunkline_host"),
        ] {
            assert_eq!(log_filter(text), Err(LogFilterError { part: part.into() }), "{text}");
        }
    }
}
