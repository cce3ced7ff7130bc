//! The form and the style of answers, from the options; [`trunkline_show::print`] writes them.

use std::io::{self, IsTerminal};

use trunkline_mib::{FloatForm, Style};

use crate::arguments::{Colour, OutputArgs};
use crate::error::Error;
pub use trunkline_show::print::{Form, Printer, Tag};

impl OutputArgs {
    /// The form, for a command that prints all at once or (`streams`) one by one.
    pub fn form(&self, streams: bool) -> Form {
        match (self.json, self.csv, streams) {
            (true, _, false) => Form::Json,
            (true, _, true) => Form::JsonLines,
            (false, true, _) => Form::Csv,
            (false, false, _) => Form::Text,
        }
    }

    /// The style of names and values: each value is on one line.
    pub fn style(&self) -> Result<Style, Error> {
        let mut style = Style::default();
        style.hex_line = 0;
        for letters in &self.letters {
            // What follows `p` is its argument.
            let (letters, precision) =
                letters.split_once('p').map_or((&**letters, None), |(l, p)| (l, Some(p)));
            // Two letters are ours alone: `h` is -Ih of Net-SNMP, and `i` another letter for `b`.
            style.no_hints ^= letters.matches('h').count() % 2 == 1;
            let letters: String =
                letters.chars().filter(|c| *c != 'h').map(|c| if c == 'i' { 'b' } else { c }).collect();
            style.apply(&letters).map_err(|fault| Error::Usage(format!("{fault}, and h i pPRECISION")))?;
            if let Some(precision) = precision {
                let wrong =
                    || Error::Usage(format!("-Op{precision}: expected a precision such as -Op.2 or -Op8.3"));
                style.floats =
                    FloatForm::parse(precision).filter(|_| !precision.is_empty()).ok_or_else(wrong)?;
            }
        }
        Ok(style)
    }

    /// Whether to colour standard output.
    pub fn is_coloured(&self) -> bool {
        match self.colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use trunkline_mib::Names;
    use trunkline_smi::{Value, is_hidden};
    use trunkline_snmp::wire::VarBind;

    /// Octets as agents and attackers send them: any, and those that hide or end lines.
    fn octets() -> impl Strategy<Value = Vec<u8>> {
        let marks = [
            "\n",
            "\r\n",
            "\u{85}",
            "\u{2028}",
            "\u{202e}",
            "\u{200b}",
            "\u{feff}",
            "\u{e0041}",
            "\u{1b}[2J",
        ];
        let mark = proptest::sample::select(marks.to_vec()).prop_map(|mark| mark.as_bytes().to_vec());
        let part = prop_oneof![mark, any::<Vec<u8>>(), "[ -~]{0,40}".prop_map(String::into_bytes)];
        proptest::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn whatever_an_agent_sends_is_one_line_and_hides_nothing(octets in octets(), letters in "[aexTtQqUv0X]{0,3}") {
            let names = Names::built_in();
            let letters: Vec<String> = vec![letters];
            let arguments = OutputArgs { json: false, csv: false, letters, colour: Colour::Never };
            // With a hint, without one, and in the index of a name.
            let text = &octets[..octets.len().min(60)];
            let index: Vec<u32> = std::iter::once(text.len() as u32).chain(text.iter().map(|octet| u32::from(*octet))).collect();
            let names_of = [names.resolve("ifDescr.1"), names.resolve("enterprises.1"), names.resolve("hrSWInstalledDate.1")];
            let mut instances: Vec<_> = names_of.into_iter().map(Result::unwrap).collect();
            instances.push(names.resolve("vacmSecurityToGroupStatus.3").unwrap().child(&index));
            for form in [Form::Text, Form::Csv] {
                let mut out = Vec::new();
                let mut printer = Printer::new(&mut out, &names, arguments.style().unwrap(), form, false);
                for name in &instances {
                    printer.binding(&VarBind::new(name.clone(), Value::OctetString(octets.clone()))).unwrap();
                }
                printer.finish().unwrap();
                let out = String::from_utf8(out).unwrap();
                let header = usize::from(form == Form::Csv);
                prop_assert_eq!(out.matches('\n').count(), instances.len() + header, "{}", out);
                prop_assert!(!out.contains(|c| is_hidden(c) && c != '\n'), "{:?}", out);
            }
        }
    }
}
