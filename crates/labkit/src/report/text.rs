//! Figures and text as a report writes them.

/// A number with three significant digits, as far as decimals go.
pub fn three_digits(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.9995 => 2,
        size if size >= 0.09995 => 3,
        _ => 4,
    };
    format!("{value:.decimals$}")
}

/// A decimal fraction without zeros at its end: `0.5`, `20`.
pub fn without_zeros(fraction: &str) -> &str {
    fraction.trim_end_matches('0').trim_end_matches('.')
}

/// A ratio: `5.1x`, `0.42x`, `130x`.
pub fn ratio(value: f64) -> String {
    let decimals = match value {
        size if size >= 9.95 => 0,
        size if size >= 0.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}x")
}

/// Escapes text for SVG and HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Escapes a text for HTML, in which backticks enclose what is typed or printed: `<code>`.
pub(super) fn marked(text: &str) -> String {
    let parts: Vec<String> = text.split('`').map(escape).collect();
    if parts.len().is_multiple_of(2) {
        return escape(text);
    }
    let mark = |(at, part): (usize, String)| if at % 2 == 1 { format!("<code>{part}</code>") } else { part };
    parts.into_iter().enumerate().map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_backticks_enclose_is_code() {
        assert_eq!(marked("the `a < b` of c"), "the <code>a &lt; b</code> of c");
        assert_eq!(marked("one ` alone"), "one ` alone");
    }

    #[test]
    fn numbers() {
        let texts = [0.0123, 0.4, 1.0, 9.999, 12.34, 99.96, 123.4, 12345.0].map(three_digits);
        assert_eq!(texts, ["0.0123", "0.400", "1.00", "10.0", "12.3", "100", "123", "12345"]);
        assert_eq!([0.424, 1.0, 5.14, 9.96, 130.2].map(ratio), ["0.42x", "1.0x", "5.1x", "10x", "130x"]);
    }
}
