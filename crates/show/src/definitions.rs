//! Definitions of MIB modules as Net-SNMP's `snmptranslate` prints them: one in full, lists, and the tree.

pub mod detail;
pub mod report;
pub mod tree;

/// Words separated by `, `, broken if a line would exceed `width`. `at` is the position of the first one,
/// `next_line` the beginning of a new line and its width.
fn wrapped(out: &mut String, words: &[String], mut at: usize, width: usize, next_line: (&str, usize)) {
    for (number, word) in words.iter().enumerate() {
        if number > 0 {
            out.push_str(", ");
        }
        if at + word.len() + 2 > width {
            out.push('\n');
            out.push_str(next_line.0);
            at = next_line.1;
        }
        out.push_str(word);
        at += word.len() + 2;
    }
}

/// `0..255`, `8 | 11`.
fn ranges(ranges: &[(i64, i64)]) -> String {
    let one = |(low, high): &(i64, i64)| if low == high { low.to_string() } else { format!("{low}..{high}") };
    ranges.iter().map(one).collect::<Vec<_>>().join(" | ")
}

/// `up(1)`.
fn named_numbers(names: &[(i64, String)]) -> Vec<String> {
    names.iter().map(|(number, name)| format!("{name}({number})")).collect()
}
