//! Mistakes on the command line that the parser of arguments reports in the words of the standard library.

use std::error::Error as _;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use trunkline_smi::visible;

/// The same error; if a value is not a number, it says what was expected.
pub fn in_plain_words(mut fault: Error) -> Error {
    for kind in [ContextKind::InvalidArg, ContextKind::InvalidValue, ContextKind::InvalidSubcommand] {
        // A word of the command line, which may have been taken from anywhere.
        if let Some(ContextValue::String(word)) = fault.get(kind) {
            let word = visible(word).into_owned();
            fault.insert(kind, ContextValue::String(word));
        }
    }
    let Some(source) = fault.source() else { return fault };
    let expected = match source.downcast_ref::<ParseIntError>().map(ParseIntError::kind) {
        Some(IntErrorKind::PosOverflow) => "expected a smaller number",
        Some(IntErrorKind::NegOverflow) => "expected a larger number",
        Some(_) => "expected a whole number",
        None if source.is::<ParseFloatError>() => "expected a number",
        None => return fault,
    };
    let context = |kind| fault.get(kind).map(ToString::to_string).unwrap_or_default();
    let (argument, value) = (context(ContextKind::InvalidArg), context(ContextKind::InvalidValue));
    let words = format!(
        "invalid value '{value}' for '{argument}': {expected}\n\nFor more information, try '--help'.\n"
    );
    Error::raw(ErrorKind::ValueValidation, words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, Command, value_parser};

    #[test]
    fn numbers_are_expected_in_plain_words() {
        let command = Command::new("test")
            .arg(Arg::new("small").long("small").value_parser(value_parser!(u32)))
            .arg(Arg::new("size").long("size").value_parser(value_parser!(usize)))
            .arg(Arg::new("signed").long("signed").value_parser(value_parser!(i64)))
            .arg(Arg::new("share").long("share").value_parser(value_parser!(f64)));
        let words = |option: &str, value: &str| {
            let words = ["test".to_owned(), format!("--{option}={value}")];
            let fault = in_plain_words(command.clone().try_get_matches_from(words).unwrap_err());
            assert_eq!(fault.exit_code(), 2);
            fault.to_string().lines().next().unwrap().to_owned()
        };
        let invalid = |rest: &str| format!("error: invalid value {rest}");
        assert_eq!(words("small", "x"), invalid("'x' for '--small <small>': expected a whole number"));
        assert_eq!(words("small", ""), invalid("'' for '--small <small>': expected a whole number"));
        assert_eq!(words("size", "-1"), invalid("'-1' for '--size <size>': expected a whole number"));
        let huge = "9".repeat(30);
        let larger = format!("'-{huge}' for '--signed <signed>': expected a larger number");
        assert_eq!(words("signed", &format!("-{huge}")), invalid(&larger));
        let smaller = format!("'{huge}' for '--size <size>': expected a smaller number");
        assert_eq!(words("size", &huge), invalid(&smaller));
        assert_eq!(words("share", "half"), invalid("'half' for '--share <share>': expected a number"));
        assert_eq!(words("share", "1;"), invalid("'1;' for '--share <share>': expected a number"));
        assert!(words("other", "1").contains("unexpected argument '--other'"));
        let escaped = words("o\u{1b}[2J\n\u{202e}", "1");
        assert!(
            escaped.contains("unexpected argument") && !escaped.contains(['\u{1b}', '\u{202e}']),
            "{escaped}"
        );
    }
}
