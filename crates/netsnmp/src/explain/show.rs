//! An explanation as text of a width, and as JSON.

use std::fmt::Write;

use serde_json::{Value, json as value};

use super::{Line, Outcome};

/// The narrowest text; a terminal that is narrower folds it.
const LEAST_WIDTH: usize = 40;

/// For people: each line of the old files, and below it what became of it, at most `width` characters wide where words
/// and lists can be folded.
pub fn text(lines: &[Line], width: usize) -> String {
    let width = width.max(LEAST_WIDTH);
    let mut text = String::new();
    for line in lines {
        let head = format!("{}: {} {}", line.origin, line.directive, line.arguments);
        folded(&mut text, "", "    ", head.trim_end(), width);
        for block in &line.became {
            for (at, setting) in block.iter().enumerate() {
                let indent = if at == 0 { "  -> " } else { "     " };
                folded(&mut text, indent, "         ", setting, width);
            }
        }
        for words in &line.words {
            let mark = match line.outcome {
                Outcome::CarriedOver => "note: ",
                Outcome::InPart => "in part: ",
                Outcome::NoEffect => "no effect here: ",
                Outcome::NotSupported => "not supported: ",
            };
            folded(&mut text, "  ", "    ", &format!("{mark}{words}"), width);
        }
    }
    let count = |outcome| lines.iter().filter(|line| line.outcome == outcome).count();
    let _ = writeln!(
        text,
        "{} carried over, {} in part, {} without effect here, {} not supported",
        counted(count(Outcome::CarriedOver)),
        count(Outcome::InPart),
        count(Outcome::NoEffect),
        count(Outcome::NotSupported)
    );
    text
}

fn counted(count: usize) -> String {
    if count == 1 { "1 line".into() } else { format!("{count} lines") }
}

/// Words over as many lines as they need; a word that is wider than a line keeps its own.
fn folded(text: &mut String, first: &str, next: &str, words: &str, width: usize) {
    let words = words.replace(char::is_control, "\u{fffd}");
    let mut line = first.to_string();
    let mut is_empty = true;
    for word in words.split(' ') {
        let needs = line.chars().count() + usize::from(!is_empty) + word.chars().count();
        if !is_empty && needs > width {
            text.push_str(line.trim_end());
            text.push('\n');
            line = next.to_string();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

/// An array with an object for each line.
pub fn json(lines: &[Line]) -> String {
    let lines: Vec<Value> = lines
        .iter()
        .map(|line| {
            let became = line.became.iter().map(|block| {
                let (section, settings) = block
                    .split_first()
                    .map_or(("", block.as_slice()), |(section, rest)| (section.as_str(), rest));
                value!({"section": section, "settings": settings})
            });
            value!({
                "file": line.origin.file.as_ref(),
                "line": line.origin.line,
                "directive": line.directive,
                "arguments": line.arguments,
                "outcome": line.outcome.name(),
                "became": became.collect::<Vec<_>>(),
                "notes": line.words,
            })
        })
        .collect();
    Value::Array(lines).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Origin;

    fn line(outcome: Outcome, became: &[&[&str]], words: &[&str]) -> Line {
        Line {
            origin: Origin { file: "snmpd.conf".into(), line: 7 },
            directive: "directive".into(),
            arguments: "with some arguments".into(),
            outcome,
            became: became.iter().map(|block| block.iter().map(ToString::to_string).collect()).collect(),
            words: words.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn text_is_folded_to_the_width() {
        let long = "an explanation with so many words that neither eighty nor a hundred and twenty characters are \
                    enough for all of them on one line";
        let lines = [
            line(Outcome::CarriedOver, &[&["[snmp]", "listen = [\"udp://127.0.0.1:161\"]"]], &[]),
            line(Outcome::NotSupported, &[], &[long]),
        ];
        for width in [80, 120] {
            let text = text(&lines, width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
            assert!(text.lines().any(|line| line.chars().count() > width - 20), "{text}");
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words(&text).contains(&words(long)), "{text}");
        }
        assert_eq!(
            text(&lines[..1], 80),
            "snmpd.conf:7: directive with some arguments\n  -> [snmp]\n     listen = [\"udp://127.0.0.1:161\"]\n\
             1 line carried over, 0 in part, 0 without effect here, 0 not supported\n"
        );
    }

    #[test]
    fn the_same_in_json() {
        let parsed: Value =
            serde_json::from_str(&json(&[line(Outcome::InPart, &[&["[a]", "b = 1"]], &["why"])])).unwrap();
        assert_eq!(
            parsed,
            value!([{"file": "snmpd.conf", "line": 7, "directive": "directive", "arguments": "with some arguments",
                "outcome": "in-part", "became": [{"section": "[a]", "settings": ["b = 1"]}], "notes": ["why"]}])
        );
    }
}
