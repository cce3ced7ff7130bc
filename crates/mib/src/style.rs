//! How names and values are written: Net-SNMP's `-O` letters, parsed once.

/// How object names are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum NameForm {
    /// `IF-MIB::ifDescr.2` (letter `S`).
    #[default]
    Module,
    /// `ifDescr.2` (letter `s`).
    Suffix,
    /// `.iso.org.dod...ifDescr.2` (letter `f`).
    Full,
    /// `.1.3.6.1.2.1.2.2.1.2.2` (letter `n`).
    Numeric,
    /// `interfaces.ifTable.ifEntry.ifDescr.2` (letter `u`).
    Ucd,
}

/// How much is printed around a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Quick {
    /// `name = INTEGER: up(1)`.
    #[default]
    No,
    /// `name = up` (letter `Q`).
    Equals,
    /// `name up` (letter `q`).
    Space,
}

/// How octets without a display hint are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OctetStyle {
    /// As text if all of it is printable, else in hexadecimal.
    #[default]
    Guess,
    /// As text (letter `a`).
    Ascii,
    /// In hexadecimal (letter `x`).
    Hex,
}

/// The form of floating-point numbers: the part of a `printf` format between `%` and `f`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatForm {
    /// The least number of characters.
    pub width: usize,
    /// Digits after the point.
    pub places: usize,
    /// Zeros fill the width, not spaces (flag `0`).
    pub zeros: bool,
    /// The number is left-aligned (flag `-`).
    pub left: bool,
    /// `+` before numbers that are not negative (flag `+`).
    pub sign: bool,
    /// An `f` behind the number: in Net-SNMP's format a second one is text.
    pub with_f: bool,
}

impl Default for FloatForm {
    fn default() -> Self {
        FloatForm { width: 0, places: 6, zeros: false, left: false, sign: false, with_f: false }
    }
}

impl FloatForm {
    /// Parses `.2`, `8.1`, `-08.3` or `.2f`; `None` for any other form, or for more than 99 characters.
    pub fn parse(text: &str) -> Option<Self> {
        let (text, with_f) = text.strip_suffix('f').map_or((text, false), |text| (text, true));
        let flags = text.bytes().take_while(|byte| b"0-+".contains(byte)).count();
        let (flags, rest) = text.split_at(flags);
        let (width, places) = rest.split_once('.').map_or((rest, "6"), |(width, places)| (width, places));
        let number = |text: &str| if text.is_empty() { Some(0) } else { text.parse().ok() };
        let [width, places] = [number(width)?, number(places)?];
        let has = |flag| flags.contains(flag);
        let form = FloatForm { width, places, zeros: has('0'), left: has('-'), sign: has('+'), with_f };
        (width < 100 && places < 100).then_some(form)
    }

    /// The number in this form.
    pub fn format(&self, number: f64) -> String {
        let (width, places) = (self.width, self.places);
        let sign = if self.sign && number >= 0.0 { "+" } else { "" };
        let digits = format!("{sign}{number:.places$}");
        let mut digits = match (self.left, self.zeros && number.is_finite()) {
            (true, _) => format!("{digits:<width$}"),
            (false, true) => {
                let (sign, digits) =
                    digits.split_at(digits.bytes().take_while(|c| b"+-".contains(c)).count());
                format!("{sign}{digits:0>width$}", width = width.saturating_sub(sign.len()))
            }
            (false, false) => format!("{digits:>width$}"),
        };
        if self.with_f {
            digits.push('f');
        }
        digits
    }
}

/// All choices. The default is Net-SNMP's default output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Style {
    /// How object names are written.
    pub names: NameForm,
    /// How much is printed around a value.
    pub quick: Quick,
    /// How octets without a display hint are written.
    pub octets: OctetStyle,
    /// Text after hexadecimal octets (letter `T`).
    pub text_with_hex: bool,
    /// No name in front of the value (letter `v`).
    pub value_only: bool,
    /// Indexes stay numbers (letter `b`).
    pub plain_indexes: bool,
    /// Indexes in brackets (letter `X`).
    pub bracket_indexes: bool,
    /// Backslashes before the quotes of an index (letter `E`).
    pub escape_quotes: bool,
    /// Enumerations stay numbers (letter `e`).
    pub plain_enumerations: bool,
    /// TimeTicks stay numbers (letter `t`).
    pub plain_ticks: bool,
    /// No units (letter `U`).
    pub no_units: bool,
    /// Display hints are not looked at (letter `h` of `-I`).
    pub no_hints: bool,
    /// Two digits for each octet that a display hint writes in hexadecimal (letter `0`).
    pub zero_padded_hex: bool,
    /// Octets per line in hexadecimal output; 0 for all on one line.
    pub hex_line: usize,
    /// The form of floating-point numbers.
    pub floats: FloatForm,
    /// Line ends and tabs of a text are kept: only if a single value is printed, so that nothing in it can be
    /// mistaken for another value.
    pub keeps_lines: bool,
}

impl Default for Style {
    fn default() -> Self {
        Style {
            names: NameForm::default(),
            quick: Quick::default(),
            octets: OctetStyle::default(),
            text_with_hex: false,
            value_only: false,
            plain_indexes: false,
            bracket_indexes: false,
            escape_quotes: false,
            plain_enumerations: false,
            plain_ticks: false,
            no_units: false,
            no_hints: false,
            zero_padded_hex: false,
            hex_line: 16,
            floats: FloatForm::default(),
            keeps_lines: false,
        }
    }
}

/// A letter that `-O` does not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("-O has no letter {0:?}; it has 0 a b e E f n q Q s S t T u U v x X")]
pub struct UnknownLetter(pub char);

impl Style {
    /// Applies the letters of one `-O` option, in order. Letters that only switch something on toggle it, as in
    /// Net-SNMP: twice is off.
    pub fn apply(&mut self, letters: &str) -> Result<(), UnknownLetter> {
        for letter in letters.chars() {
            match letter {
                '0' => self.zero_padded_hex ^= true,
                'a' => self.octets = OctetStyle::Ascii,
                'b' => self.plain_indexes ^= true,
                'e' => self.plain_enumerations ^= true,
                'E' => self.escape_quotes ^= true,
                'f' => self.names = NameForm::Full,
                'n' => self.names = NameForm::Numeric,
                'q' => self.quick = self.quick.toggled(Quick::Space),
                'Q' => self.quick = self.quick.toggled(Quick::Equals),
                's' => self.names = NameForm::Suffix,
                'S' => self.names = NameForm::Module,
                't' => self.plain_ticks ^= true,
                'T' => self.text_with_hex ^= true,
                'u' => self.names = NameForm::Ucd,
                'U' => self.no_units ^= true,
                'v' => self.value_only ^= true,
                'x' => self.octets = OctetStyle::Hex,
                'X' => self.bracket_indexes ^= true,
                other => return Err(UnknownLetter(other)),
            }
        }
        Ok(())
    }
}

impl Quick {
    fn toggled(self, on: Self) -> Self {
        if self == Quick::No { on } else { Quick::No }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_apply_in_order() {
        let mut style = Style::default();
        style.apply("nSqv").unwrap();
        assert_eq!((style.names, style.quick, style.value_only), (NameForm::Module, Quick::Space, true));
        assert_eq!(style.apply("z"), Err(UnknownLetter('z')));
        style.apply("qv").unwrap();
        assert_eq!((style.names, style.quick, style.value_only), (NameForm::Module, Quick::No, false));
    }

    #[test]
    fn floats_are_those_of_c() {
        let of = |form, number| FloatForm::parse(form).unwrap().format(number);
        assert_eq!(FloatForm::default().format(1.5), "1.500000");
        assert_eq!(of(".2", 1.119629), "1.12");
        assert_eq!(of("8.1", -1.25), "    -1.2");
        assert_eq!(of("-8.1", 1.5), "1.5     ");
        assert_eq!(of("08.2", -1.5), "-0001.50");
        assert_eq!(of("+.0", 2.0), "+2");
        for text in ["x", "1000", ".1000", "1.2.3"] {
            assert_eq!(FloatForm::parse(text), None, "{text}");
        }
    }
}
