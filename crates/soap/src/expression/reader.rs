//! What the three parsers share: a position among the tokens, names, numbers, and what surrounds an expression.

use trunkline_query::services::Name;

use super::error::{ExpressionError, Kind, Problem};
use super::token::{Token, What, tokens};

/// A place among the tokens of an expression.
pub(super) struct Reader<'t> {
    pub kind: Kind,
    pub text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    is_braced: bool,
}

/// How long a name may be.
const MAX_NAME: usize = 255;

impl<'t> Reader<'t> {
    /// Before the first token after `name = {`, of which only the brace is required, or nothing.
    pub fn open(kind: Kind, text: &'t str) -> Result<Self, ExpressionError> {
        let mut reader = Reader { kind, text, tokens: tokens(kind, text)?, at: 0, is_braced: false };
        let label = reader.tokens.iter().take_while(|token| token.what == What::Word).count();
        let is_labelled = label > 0
            && reader.tokens[label].what == What::Sign('=')
            && reader.tokens.get(label + 1).is_some_and(|token| token.what == What::Sign('{'));
        if is_labelled {
            reader.at = label + 1;
        }
        reader.is_braced = reader.take('{');
        Ok(reader)
    }

    /// The closing brace if there was an opening one, an optional full stop, and the end. A filter may lack the
    /// brace: the paper's expression (21) does.
    pub fn close(mut self, expected: &'static str) -> Result<(), ExpressionError> {
        let may_lack = self.kind == Kind::Filter && *self.peek() == What::End;
        if self.is_braced && !may_lack && !self.take('}') {
            return Err(self.expected(expected));
        }
        self.take('.');
        if *self.peek() != What::End {
            return Err(self.expected(if self.is_braced { "the end of the expression" } else { expected }));
        }
        Ok(())
    }

    /// The next token.
    pub fn peek(&self) -> &What {
        &self.tokens[self.at.min(self.tokens.len() - 1)].what
    }

    fn peek_behind(&self) -> &What {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].what
    }

    /// Where the next token begins.
    pub fn place(&self) -> usize {
        self.tokens[self.at.min(self.tokens.len() - 1)].start
    }

    /// Advances to the next token.
    pub fn step(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// Consumes this sign if it is next.
    pub fn take(&mut self, sign: char) -> bool {
        let is_next = *self.peek() == What::Sign(sign);
        if is_next {
            self.step();
        }
        is_next
    }

    /// Consumes this sign, which must be next.
    pub fn need(&mut self, sign: char, expected: &'static str) -> Result<(), ExpressionError> {
        if self.take(sign) { Ok(()) } else { Err(self.expected(expected)) }
    }

    /// Whether the next token is this word, case-insensitively.
    pub fn is_word(&self, word: &str) -> bool {
        *self.peek() == What::Word && self.lexeme().eq_ignore_ascii_case(word)
    }

    /// Consumes this word, case-insensitively, if it is next and no other word follows it.
    pub fn take_lone_word(&mut self, word: &str) -> bool {
        let is_alone = self.is_word(word) && !matches!(self.peek_behind(), What::Word | What::Integer);
        if is_alone {
            self.step();
        }
        is_alone
    }

    /// The next token as it is written.
    pub fn lexeme(&self) -> &'t str {
        let token = &self.tokens[self.at.min(self.tokens.len() - 1)];
        &self.text[token.start..token.end]
    }

    /// One word, as written.
    pub fn word(&mut self, expected: &'static str) -> Result<Name, ExpressionError> {
        match self.peek() {
            What::Word if self.lexeme().len() <= MAX_NAME => {
                let name = Name { text: self.lexeme().to_owned(), at: self.place() };
                self.step();
                Ok(name)
            }
            What::Word => Err(self.limit("a name is too long", MAX_NAME)),
            _ => Err(self.expected(expected)),
        }
    }

    /// A name in quotes, or of words and numbers with or without blanks between them.
    pub fn name(&mut self, expected: &'static str) -> Result<Name, ExpressionError> {
        let at = self.place();
        let text = match self.peek() {
            What::Quoted(quoted) => {
                let quoted = trunkline_query::services::tidy(quoted);
                self.step();
                quoted
            }
            What::Word | What::Integer => {
                let mut end = at;
                while matches!(self.peek(), What::Word | What::Integer) {
                    end = self.place() + self.lexeme().len();
                    self.step();
                }
                trunkline_query::services::tidy(&self.text[at..end])
            }
            _ => return Err(self.expected(expected)),
        };
        if text.is_empty() || text.len() > MAX_NAME {
            let problem = Problem::Limit { what: "a name is empty or has too many octets", most: MAX_NAME };
            return Err(ExpressionError::new(self.kind, self.text, at, problem));
        }
        Ok(Name { text, at })
    }

    /// A number without a sign.
    pub fn integer(&mut self, expected: &'static str) -> Result<u64, ExpressionError> {
        if *self.peek() != What::Integer {
            return Err(self.expected(expected));
        }
        let number = self.lexeme().parse();
        let number = number.map_err(|_| self.too_large(u64::MAX))?;
        self.step();
        Ok(number)
    }

    /// A number that ends at `most`.
    pub fn small_integer(&mut self, expected: &'static str) -> Result<u32, ExpressionError> {
        let at = self.at;
        let number = self.integer(expected)?;
        u32::try_from(number).map_err(|_| {
            self.at = at;
            self.too_large(u64::from(u32::MAX))
        })
    }

    fn too_large(&self, most: u64) -> ExpressionError {
        self.error(Problem::TooLarge { found: shown(self.lexeme()), most })
    }

    /// Something else should be next.
    pub fn expected(&self, expected: &'static str) -> ExpressionError {
        let found = match self.peek() {
            What::End => "the end".to_owned(),
            _ => format!("`{}`", shown(self.lexeme())),
        };
        self.error(Problem::Expected { expected, found })
    }

    /// There is too much of something.
    pub fn limit(&self, what: &'static str, most: usize) -> ExpressionError {
        self.error(Problem::Limit { what, most })
    }

    /// Something is wrong at the next token.
    pub fn error(&self, problem: Problem) -> ExpressionError {
        ExpressionError::new(self.kind, self.text, self.place(), problem)
    }
}

fn shown(lexeme: &str) -> String {
    const SHOWN: usize = 32;
    if lexeme.chars().count() <= SHOWN {
        return lexeme.to_owned();
    }
    lexeme.chars().take(SHOWN).chain("...".chars()).collect()
}
