//! The words of an expression.

use crate::error::{ErrorCode, Fault};
use crate::limits::MAX_SUBIDENTIFIERS;
use crate::number::{Kind, Number};
use crate::syntax::{Constant, Operator, Sign};

/// A word.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    Constant(Constant),
    Object(u32),
    Name(String),
    Operator(Operator),
    /// An operator that has one operand only: `~` or `!`.
    Sign(Sign),
    Open,
    Close,
    Comma,
    End,
}

/// Reads words from a text.
pub(crate) struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Lexer { text: text.as_bytes(), at: 0 }
    }

    /// The next word and where it begins.
    pub(crate) fn next(&mut self) -> Result<(usize, Token), Fault> {
        while self.peek().is_some_and(|octet| octet.is_ascii_whitespace()) {
            self.at += 1;
        }
        let at = self.at;
        let Some(first) = self.peek() else { return Ok((at, Token::End)) };
        let token = match first {
            b'(' => self.single(Token::Open),
            b')' => self.single(Token::Close),
            b',' => self.single(Token::Comma),
            b'~' => self.single(Token::Sign(Sign::Complement)),
            b'$' => self.object()?,
            b'"' => self.string()?,
            b'\'' => self.character()?,
            b'0'..=b'9' | b'.' => self.number()?,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                Token::Name(self.run(|octet| octet.is_ascii_alphanumeric() || octet == b'_'))
            }
            _ => self.operator()?,
        };
        Ok((at, token))
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn single(&mut self, token: Token) -> Token {
        self.at += 1;
        token
    }

    /// The octets from here that pass, which are ASCII.
    fn run(&mut self, passes: impl Fn(u8) -> bool) -> String {
        let from = self.at;
        while self.peek().is_some_and(&passes) {
            self.at += 1;
        }
        self.text[from..self.at].iter().copied().map(char::from).collect()
    }

    fn fault<T>(&self, code: ErrorCode, at: usize, message: impl Into<String>) -> Result<T, Fault> {
        Err(Fault::at(code, at, message))
    }

    fn operator(&mut self) -> Result<Token, Fault> {
        let rest = &self.text[self.at..];
        if let Some(known) =
            Operator::ALL.into_iter().find(|known| rest.starts_with(known.symbol().as_bytes()))
        {
            self.at += known.symbol().len();
            return Ok(Token::Operator(known));
        }
        if rest[0] == b'!' {
            return Ok(self.single(Token::Sign(Sign::Not)));
        }
        let found = match rest[0] {
            octet @ b' '..=b'~' => format!("{:?} is not an operator of expressions", char::from(octet)),
            octet => format!("octet {octet:#04x} may stand in strings only"),
        };
        let is_punctuation = rest[0].is_ascii_punctuation() && !matches!(rest[0], b'{' | b'}' | b'\\');
        let code = if is_punctuation { ErrorCode::UnrecognizedOperator } else { ErrorCode::InvalidSyntax };
        self.fault(code, self.at, found)
    }

    fn object(&mut self) -> Result<Token, Fault> {
        let at = self.at;
        self.at += 1;
        let digits = self.run(|octet| octet.is_ascii_digit());
        match digits.parse::<u32>() {
            Ok(object) if object > 0 => Ok(Token::Object(object)),
            _ => {
                let message = "expected an expObjectIndex, 1 to 4294967295, behind $";
                self.fault(ErrorCode::InvalidSyntax, at, message)
            }
        }
    }

    fn number(&mut self) -> Result<Token, Fault> {
        let at = self.at;
        if self.text[at..].starts_with(b"0x") || self.text[at..].starts_with(b"0X") {
            return self.hexadecimal(at);
        }
        let text = self.run(|octet| octet.is_ascii_digit() || octet == b'.');
        if text.contains('.') {
            return self.oid(at, &text);
        }
        let octal = text.strip_prefix('0').filter(|rest| !rest.is_empty());
        let read = match octal {
            Some(digits) => u64::from_str_radix(digits, 8),
            None => text.parse::<u64>(),
        };
        match read {
            Ok(value) => self.suffixed(at, value),
            Err(_) if octal.is_some() => {
                self.fault(ErrorCode::InvalidSyntax, at, format!("{text} begins with 0 and is not octal"))
            }
            Err(_) => self.fault(ErrorCode::InvalidSyntax, at, format!("{text} has more than 64 bits")),
        }
    }

    fn hexadecimal(&mut self, at: usize) -> Result<Token, Fault> {
        self.at += 2;
        let digits = self.run(|octet| octet.is_ascii_hexdigit()).to_ascii_lowercase();
        let number = Constant::hexadecimal_number(&digits);
        if digits.is_empty() || (number.is_none() && !digits.len().is_multiple_of(2)) {
            let message = "expected up to 16 hexadecimal digits, or pairs of them";
            return self.fault(ErrorCode::InvalidSyntax, at, message);
        }
        match (self.peek(), number) {
            (Some(b'u' | b'U' | b'l' | b'L'), Some(number)) => {
                let value = u64::try_from(number.value()).unwrap_or(u64::MAX);
                self.suffixed(at, value)
            }
            _ => {
                self.check_end(at)?;
                Ok(Token::Constant(Constant::Hexadecimal(digits)))
            }
        }
    }

    /// An integer with what follows it: u, l or both, in any case and order. Its type is the first that has it.
    fn suffixed(&mut self, at: usize, value: u64) -> Result<Token, Fault> {
        let suffix = self.run(|octet| octet.is_ascii_alphabetic()).to_ascii_lowercase();
        let candidates: &[Kind] = match suffix.as_str() {
            "" => &[Kind::Integer32, Kind::Integer64, Kind::Unsigned64],
            "u" => &[Kind::Unsigned32, Kind::Unsigned64],
            "l" => &[Kind::Integer64, Kind::Unsigned64],
            "ul" | "lu" => &[Kind::Unsigned64],
            _ => {
                let message = format!("expected u, l or ul behind a number, not {suffix:?}");
                return self.fault(ErrorCode::InvalidSyntax, at, message);
            }
        };
        self.check_end(at)?;
        let wanted = i128::from(value);
        let number = candidates.iter().map(|kind| Number::new(*kind, wanted));
        let number = number.into_iter().find(|number| number.value() == wanted);
        Ok(Token::Constant(Constant::Integer(number.unwrap_or(Number::new(Kind::Unsigned64, wanted)))))
    }

    /// A number is not followed by letters, digits or a period.
    fn check_end(&self, at: usize) -> Result<(), Fault> {
        match self.peek() {
            Some(octet) if octet.is_ascii_alphanumeric() || octet == b'.' || octet == b'_' => {
                self.fault(ErrorCode::InvalidSyntax, at, "expected an operator behind a number")
            }
            _ => Ok(()),
        }
    }

    fn oid(&mut self, at: usize, text: &str) -> Result<Token, Fault> {
        self.check_end(at)?;
        let inner = text.strip_prefix('.').unwrap_or(text);
        let inner = inner.strip_suffix('.').unwrap_or(inner);
        let sub_ids: Result<Vec<u32>, _> = inner.split('.').map(str::parse).collect();
        match sub_ids {
            Ok(sub_ids) if sub_ids.len() <= MAX_SUBIDENTIFIERS => Ok(Token::Constant(Constant::Oid(sub_ids))),
            _ => {
                let message = format!(
                    "{text} is not an object identifier: up to 128 numbers below 2^32, one period each"
                );
                self.fault(ErrorCode::InvalidSyntax, at, message)
            }
        }
    }

    fn string(&mut self) -> Result<Token, Fault> {
        let octets = self.quoted(b'"')?;
        Ok(Token::Constant(Constant::Octets(octets)))
    }

    fn character(&mut self) -> Result<Token, Fault> {
        let at = self.at;
        match self.quoted(b'\'')?.as_slice() {
            [octet] => {
                let number = Number::new(Kind::Integer32, (*octet).into());
                Ok(Token::Constant(Constant::Integer(number)))
            }
            _ => self.fault(ErrorCode::InvalidSyntax, at, "expected one character between the quotes"),
        }
    }

    fn quoted(&mut self, quote: u8) -> Result<Vec<u8>, Fault> {
        let start = self.at;
        self.at += 1;
        let mut octets = Vec::new();
        loop {
            match self.peek() {
                None => return self.fault(ErrorCode::InvalidSyntax, start, "the closing quote is missing"),
                Some(octet) if octet == quote => {
                    self.at += 1;
                    return Ok(octets);
                }
                Some(b'\\') => octets.push(self.escape()?),
                Some(octet) => {
                    octets.push(octet);
                    self.at += 1;
                }
            }
        }
    }

    /// What stands behind a backslash (C, section 3.1.3.4 of ANSI X3.159-1989).
    fn escape(&mut self) -> Result<u8, Fault> {
        let at = self.at;
        self.at += 1;
        let named = |octet| match octet {
            b'n' => Some(b'\n'),
            b't' => Some(b'\t'),
            b'v' => Some(0x0b),
            b'b' => Some(0x08),
            b'r' => Some(b'\r'),
            b'f' => Some(0x0c),
            b'a' => Some(0x07),
            b'\\' | b'?' | b'\'' | b'"' => Some(octet),
            _ => None,
        };
        let code = match self.peek() {
            Some(b'x') => {
                self.at += 1;
                let digits = self.run(|octet| octet.is_ascii_hexdigit());
                u8::from_str_radix(&digits, 16).ok()
            }
            Some(b'0'..=b'7') => {
                let from = self.at;
                while self.at < from + 3 && self.peek().is_some_and(|octet| (b'0'..=b'7').contains(&octet)) {
                    self.at += 1;
                }
                let digits = &self.text[from..self.at];
                u8::try_from(digits.iter().fold(0_u32, |all, digit| all * 8 + u32::from(digit - b'0'))).ok()
            }
            Some(octet) => {
                self.at += 1;
                named(octet)
            }
            None => None,
        };
        match code {
            Some(octet) => Ok(octet),
            None => self.fault(ErrorCode::InvalidSyntax, at, "C has no such escape, or it is not one octet"),
        }
    }
}
