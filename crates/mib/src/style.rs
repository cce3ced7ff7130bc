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

/// How much stands around a value.
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

/// All choices. The default is Net-SNMP's default output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Style {
    /// How object names are written.
    pub names: NameForm,
    /// How much stands around a value.
    pub quick: Quick,
    /// How octets without a display hint are written.
    pub octets: OctetStyle,
    /// Text behind hexadecimal octets (letter `T`).
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
}

/// A letter that `-O` does not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("-O has no letter {0:?}; it has a b e E f n q Q s S t T u U v x X")]
pub struct UnknownLetter(pub char);

impl Style {
    /// Applies the letters of one `-O` option, in order.
    pub fn apply(&mut self, letters: &str) -> Result<(), UnknownLetter> {
        for letter in letters.chars() {
            match letter {
                'a' => self.octets = OctetStyle::Ascii,
                'b' => self.plain_indexes = true,
                'e' => self.plain_enumerations = true,
                'E' => self.escape_quotes = true,
                'f' => self.names = NameForm::Full,
                'n' => self.names = NameForm::Numeric,
                'q' => self.quick = Quick::Space,
                'Q' => self.quick = Quick::Equals,
                's' => self.names = NameForm::Suffix,
                'S' => self.names = NameForm::Module,
                't' => self.plain_ticks = true,
                'T' => self.text_with_hex = true,
                'u' => self.names = NameForm::Ucd,
                'U' => self.no_units = true,
                'v' => self.value_only = true,
                'x' => self.octets = OctetStyle::Hex,
                'X' => self.bracket_indexes = true,
                other => return Err(UnknownLetter(other)),
            }
        }
        Ok(())
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
    }
}
