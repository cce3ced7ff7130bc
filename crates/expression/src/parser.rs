//! From words to a tree: precedence climbing.
//!
//! ```text
//! binary  = unary { operator binary }            (C's precedence, from the left)
//! unary   = ( "-" | "~" | "!" ) unary | primary
//! primary = constant | "$" n | "(" binary ")" | name "(" binary { "," binary } ")"
//! ```

use crate::error::{ErrorCode, Fault};
use crate::function::Function;
use crate::lexer::{Lexer, Token};
use crate::limits::{MAX_DEPTH, MAX_LENGTH};
use crate::syntax::{Node, NodeKind, Operator, Sign};

/// Reads a text.
pub(crate) fn parse(text: &str) -> Result<Node, Fault> {
    if text.len() > MAX_LENGTH {
        let message = format!("the expression has {} octets, and {MAX_LENGTH} are the most", text.len());
        return Err(Fault::whole(ErrorCode::ResourceUnavailable, message));
    }
    let mut lexer = Lexer::new(text);
    let next = lexer.next()?;
    let mut parser = Parser { lexer, next, depth: 0 };
    let node = parser.binary(1)?;
    match &parser.next {
        (_, Token::End) => Ok(node),
        (at, Token::Close) => {
            let message = "this parenthesis closes none that is open";
            Err(Fault::at(ErrorCode::UnmatchedParenthesis, *at, message))
        }
        (at, found) => Err(unexpected(*at, found, "an operator or the end")),
    }
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    next: (usize, Token),
    depth: usize,
}

impl Parser<'_> {
    fn advance(&mut self) -> Result<(usize, Token), Fault> {
        Ok(std::mem::replace(&mut self.next, self.lexer.next()?))
    }

    /// Reads a part one level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth == MAX_DEPTH {
            let message = format!("parts are nested deeper than {MAX_DEPTH} levels");
            return Err(Fault::at(ErrorCode::ResourceUnavailable, self.next.0, message));
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn binary(&mut self, least: u8) -> Result<Node, Fault> {
        let mut left = self.unary()?;
        while let (at, Token::Operator(operator)) = self.next {
            if operator.precedence() < least {
                break;
            }
            self.advance()?;
            let right = self.deeper(|parser| parser.binary(operator.precedence() + 1))?;
            left = Node { at, kind: NodeKind::Binary(operator, Box::new(left), Box::new(right)) };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Node, Fault> {
        let (at, sign) = match self.next {
            (at, Token::Operator(Operator::Subtract)) => (at, Sign::Negative),
            (at, Token::Sign(sign)) => (at, sign),
            _ => return self.primary(),
        };
        self.advance()?;
        let operand = self.deeper(Self::unary)?;
        Ok(Node { at, kind: NodeKind::Unary(sign, Box::new(operand)) })
    }

    fn primary(&mut self) -> Result<Node, Fault> {
        let (at, token) = self.advance()?;
        let kind = match token {
            Token::Constant(constant) => NodeKind::Constant(constant),
            Token::Object(object) => NodeKind::Object(object),
            Token::Open => {
                let inner = self.deeper(|parser| parser.binary(1))?;
                self.close(at)?;
                return Ok(inner);
            }
            Token::Name(name) => {
                let Some(function) = Function::named(&name) else {
                    let message = format!("there is no function {name}");
                    return Err(Fault::at(ErrorCode::UnrecognizedFunction, at, message));
                };
                let arguments = self.arguments(at, function)?;
                check(function, at, &arguments)?;
                NodeKind::Call(function, arguments)
            }
            Token::Operator(operator) => {
                let message = format!("{} has no operand on its left", operator.symbol());
                return Err(Fault::at(ErrorCode::UnrecognizedOperator, at, message));
            }
            Token::Close => {
                let message = "expected an operand in front of this parenthesis";
                return Err(Fault::at(ErrorCode::InvalidSyntax, at, message));
            }
            found => return Err(unexpected(at, &found, "an operand")),
        };
        Ok(Node { at, kind })
    }

    fn arguments(&mut self, name: usize, function: Function) -> Result<Vec<Node>, Fault> {
        let (at, found) = self.advance()?;
        if found != Token::Open {
            return Err(unexpected(at, &found, &format!("a parenthesis behind {}", function.name())));
        }
        let mut arguments = vec![self.deeper(|parser| parser.binary(1))?];
        while self.next.1 == Token::Comma {
            self.advance()?;
            arguments.push(self.deeper(|parser| parser.binary(1))?);
        }
        self.close(at)?;
        if arguments.len() != function.arity() {
            let (found, expected) = (arguments.len(), function.arity());
            let message = format!("{} has {found} arguments, and needs {expected}", function.name());
            return Err(Fault::at(ErrorCode::InvalidSyntax, name, message));
        }
        Ok(arguments)
    }

    fn close(&mut self, open: usize) -> Result<(), Fault> {
        match self.advance()? {
            (_, Token::Close) => Ok(()),
            (_, Token::End) => {
                let message = "this parenthesis is not closed";
                Err(Fault::at(ErrorCode::UnmatchedParenthesis, open, message))
            }
            (at, found) => Err(unexpected(at, &found, "an operator or a closing parenthesis")),
        }
    }
}

/// What can be known of the arguments before there are values.
fn check(function: Function, at: usize, arguments: &[Node]) -> Result<(), Fault> {
    let needs_object = function.is_aggregate() || function == Function::Exists;
    match arguments.first() {
        Some(first) if needs_object && !matches!(first.kind, NodeKind::Object(_)) => {
            let message = format!("{} needs an object, as in {0}($1)", function.name());
            Err(Fault::at(ErrorCode::InvalidOperandType, at, message))
        }
        _ => Ok(()),
    }
}

fn unexpected(at: usize, found: &Token, expected: &str) -> Fault {
    let found = match found {
        Token::Constant(constant) => constant.to_string(),
        Token::Object(object) => format!("${object}"),
        Token::Name(name) => name.clone(),
        Token::Operator(operator) => operator.symbol().into(),
        Token::Sign(sign) => sign.symbol().into(),
        Token::Open => "(".into(),
        Token::Close => ")".into(),
        Token::Comma => ",".into(),
        Token::End => "the end".into(),
    };
    Fault::at(ErrorCode::InvalidSyntax, at, format!("found {found}, expected {expected}"))
}
