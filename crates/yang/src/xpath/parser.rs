//! From tokens to a tree.

use std::fmt;

use super::lexer::{Kind, Token, tokens};
use super::{Axis, Expr, Name, NodeTest, Operator, Path, Step};

/// Why a text cannot be read as an expression, or is beyond the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XPathError {
    /// The offset in octets.
    pub at: usize,
    /// What is wrong there.
    pub message: String,
}

impl XPathError {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        XPathError { at, message: message.into() }
    }
}

impl fmt::Display for XPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "character {}: {}", self.at + 1, self.message)
    }
}

impl std::error::Error for XPathError {}

/// Octets of an expression.
const LONGEST: usize = 64 << 10;
/// How deep parentheses, predicates and arguments may be nested.
const DEEPEST: usize = 32;

/// Operators of an expression: each is a level of the tree.
const MOST_OPERATORS: usize = 500;

/// Reads an expression.
///
/// # Errors
/// Where it is wrong, longer than 64 KiB, nested more than 32 times, or with more than 500 operators.
pub fn parse(text: &str) -> Result<Expr, XPathError> {
    if text.len() > LONGEST {
        return Err(XPathError::new(LONGEST, format!("an expression has at most {LONGEST} octets")));
    }
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, next: 0, depth: 0, operators: 0, end: text.len() };
    let expression = parser.expression()?;
    match parser.peek() {
        None => Ok(expression),
        Some(_) => Err(parser.wrong("expected the end, or an operator")),
    }
}

struct Parser<'t, 'e> {
    tokens: &'t [Token<'e>],
    next: usize,
    depth: usize,
    operators: usize,
    end: usize,
}

/// The operators, loosest first; those of one line bind alike, from left to right.
const LEVELS: [&[Operator]; 6] = [
    &[Operator::Or],
    &[Operator::And],
    &[Operator::Equal, Operator::NotEqual],
    &[Operator::Less, Operator::LessOrEqual, Operator::Greater, Operator::GreaterOrEqual],
    &[Operator::Plus, Operator::Minus],
    &[Operator::Multiply, Operator::Divide, Operator::Modulo],
];

impl<'e> Parser<'_, 'e> {
    fn peek(&self) -> Option<Kind<'e>> {
        self.tokens.get(self.next).map(|token| token.kind)
    }

    fn peek_behind(&self) -> Option<Kind<'e>> {
        self.tokens.get(self.next + 1).map(|token| token.kind)
    }

    fn wrong(&self, message: &str) -> XPathError {
        let at = self.tokens.get(self.next).map_or(self.end, |token| token.at);
        XPathError::new(at, message)
    }

    /// Takes this punctuation, if it is there.
    fn takes(&mut self, punctuation: &'static str) -> bool {
        let is_there = self.peek() == Some(Kind::Punctuation(punctuation));
        self.next += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, punctuation: &'static str) -> Result<(), XPathError> {
        match self.takes(punctuation) {
            true => Ok(()),
            false => Err(self.wrong(&format!("expected {punctuation}"))),
        }
    }

    /// Takes an operator with two operands.
    fn operator(&mut self) -> Result<(), XPathError> {
        if self.operators == MOST_OPERATORS {
            return Err(self.wrong(&format!("more than {MOST_OPERATORS} operators")));
        }
        self.operators += 1;
        self.next += 1;
        Ok(())
    }

    fn expression(&mut self) -> Result<Expr, XPathError> {
        if self.depth == DEEPEST {
            return Err(self.wrong(&format!("nested more than {DEEPEST} times")));
        }
        self.depth += 1;
        let expression = self.level(0);
        self.depth -= 1;
        expression
    }

    fn level(&mut self, level: usize) -> Result<Expr, XPathError> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while let Some(Kind::Operator(symbol)) = self.peek()
            && let Some(operator) = operators.iter().find(|operator| operator.symbol() == symbol)
        {
            self.operator()?;
            let right = self.level(level + 1)?;
            left = Expr::Binary(*operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, XPathError> {
        let mut signs = 0;
        while self.peek() == Some(Kind::Operator("-")) {
            self.next += 1;
            signs += 1;
        }
        let mut operand = self.union()?;
        // A sign twice changes nothing but that the value is a number.
        if signs > 0 {
            for _ in 0..if signs % 2 == 0 { 2 } else { 1 } {
                operand = Expr::Negate(Box::new(operand));
            }
        }
        Ok(operand)
    }

    fn union(&mut self) -> Result<Expr, XPathError> {
        let mut left = self.path()?;
        while self.peek() == Some(Kind::Operator("|")) {
            self.operator()?;
            left = Expr::Union(Box::new(left), Box::new(self.path()?));
        }
        Ok(left)
    }

    /// A location path, or a primary expression with what follows it.
    fn path(&mut self) -> Result<Expr, XPathError> {
        if !self.begins_primary() {
            return self.location_path().map(Expr::Path);
        }
        let of = self.primary()?;
        let mut predicates = Vec::new();
        while self.peek() == Some(Kind::Punctuation("[")) {
            predicates.push(self.predicate()?);
        }
        let mut steps = Vec::new();
        if self.takes("//") {
            steps.push(anything_below());
            self.steps(&mut steps)?;
        } else if self.takes("/") {
            self.steps(&mut steps)?;
        }
        match predicates.is_empty() && steps.is_empty() {
            true => Ok(of),
            false => Ok(Expr::Filter { of: Box::new(of), predicates, steps }),
        }
    }

    fn begins_primary(&self) -> bool {
        match self.peek() {
            Some(Kind::Punctuation("(") | Kind::Literal(_) | Kind::Number(_) | Kind::Variable(..)) => true,
            Some(Kind::Name(prefix, name)) => {
                self.peek_behind() == Some(Kind::Punctuation("("))
                    && !(prefix.is_empty()
                        && matches!(name, "node" | "text" | "comment" | "processing-instruction"))
            }
            _ => false,
        }
    }

    fn primary(&mut self) -> Result<Expr, XPathError> {
        let token = self.peek();
        self.next += 1;
        match token {
            Some(Kind::Literal(text)) => Ok(Expr::Literal(text.to_owned())),
            Some(Kind::Number(number)) => Ok(Expr::Number(number)),
            Some(Kind::Variable(prefix, local)) => Ok(Expr::Variable(named(prefix, local))),
            Some(Kind::Punctuation("(")) => {
                let within = self.expression()?;
                self.expect(")")?;
                Ok(within)
            }
            Some(Kind::Name(prefix, local)) => {
                self.expect("(")?;
                let mut arguments = Vec::new();
                if !self.takes(")") {
                    loop {
                        arguments.push(self.expression()?);
                        if self.takes(")") {
                            break;
                        }
                        self.expect(",")?;
                    }
                }
                Ok(Expr::Call(named(prefix, local), arguments))
            }
            _ => {
                self.next -= 1;
                Err(self.wrong("expected an expression"))
            }
        }
    }

    fn location_path(&mut self) -> Result<Path, XPathError> {
        let mut steps = Vec::new();
        let is_absolute = if self.takes("//") {
            steps.push(anything_below());
            true
        } else if self.takes("/") {
            if !self.begins_step() {
                return Ok(Path { is_absolute: true, steps });
            }
            true
        } else {
            false
        };
        self.steps(&mut steps)?;
        Ok(Path { is_absolute, steps })
    }

    fn begins_step(&self) -> bool {
        matches!(
            self.peek(),
            Some(Kind::Name(..) | Kind::Star | Kind::StarOf(_) | Kind::Punctuation("." | ".." | "@"))
        )
    }

    /// At least one step.
    fn steps(&mut self, steps: &mut Vec<Step>) -> Result<(), XPathError> {
        loop {
            steps.push(self.step()?);
            if self.takes("//") {
                steps.push(anything_below());
            } else if !self.takes("/") {
                return Ok(());
            }
        }
    }

    fn step(&mut self) -> Result<Step, XPathError> {
        let node = |axis| Step { axis, test: NodeTest::Node, predicates: Vec::new() };
        if self.takes("..") {
            return Ok(node(Axis::Parent));
        }
        if self.takes(".") {
            return Ok(node(Axis::Self_));
        }
        let axis = self.axis()?;
        let test = self.node_test()?;
        let mut predicates = Vec::new();
        while self.peek() == Some(Kind::Punctuation("[")) {
            predicates.push(self.predicate()?);
        }
        Ok(Step { axis, test, predicates })
    }

    fn axis(&mut self) -> Result<Axis, XPathError> {
        if self.takes("@") {
            return Ok(Axis::Attribute);
        }
        if let (Some(Kind::Name("", name)), Some(Kind::Punctuation("::"))) = (self.peek(), self.peek_behind())
        {
            let axis = Axis::of_name(name).ok_or_else(|| self.wrong(&format!("there is no axis {name}")))?;
            self.next += 2;
            return Ok(axis);
        }
        Ok(Axis::Child)
    }

    fn node_test(&mut self) -> Result<NodeTest, XPathError> {
        let test = match self.peek() {
            Some(Kind::Star) => NodeTest::Any,
            Some(Kind::StarOf(prefix)) => NodeTest::AnyOf(prefix.to_owned()),
            Some(Kind::Name("", name)) if self.peek_behind() == Some(Kind::Punctuation("(")) => {
                return self.node_type(name);
            }
            Some(Kind::Name(prefix, local)) => NodeTest::Name(named(prefix, local)),
            _ => return Err(self.wrong("expected the name of a node, or *")),
        };
        self.next += 1;
        Ok(test)
    }

    fn node_type(&mut self, name: &str) -> Result<NodeTest, XPathError> {
        let test = match name {
            "node" => NodeTest::Node,
            "text" => NodeTest::Text,
            "comment" => NodeTest::Comment,
            "processing-instruction" => NodeTest::Instruction(None),
            _ => return Err(self.wrong(&format!("expected a node test, found the function {name}"))),
        };
        self.next += 2;
        let test = match (test, self.peek()) {
            (NodeTest::Instruction(_), Some(Kind::Literal(name))) => {
                self.next += 1;
                NodeTest::Instruction(Some(name.to_owned()))
            }
            (test, _) => test,
        };
        self.expect(")")?;
        Ok(test)
    }

    fn predicate(&mut self) -> Result<Expr, XPathError> {
        self.expect("[")?;
        let within = self.expression()?;
        self.expect("]")?;
        Ok(within)
    }
}

/// What `//` stands for.
fn anything_below() -> Step {
    Step { axis: Axis::DescendantOrSelf, test: NodeTest::Node, predicates: Vec::new() }
}

fn named(prefix: &str, local: &str) -> Name {
    Name { prefix: (!prefix.is_empty()).then(|| prefix.to_owned()), local: local.to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn printed(text: &str) -> String {
        match parse(text) {
            Ok(expression) => {
                let printed = expression.to_string();
                assert_eq!(parse(&printed), Ok(expression), "{text}: {printed}");
                printed
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn typographic_quotes_are_quotes() {
        for text in
            ["a = \u{2019}x'\u{2018}y\u{2019}", "a = \u{201c}x'\u{2018}y\u{201d}", "a = \"x'\u{2018}y\""]
        {
            assert_eq!(parse(text).unwrap().to_string(), "(child::a = \"x'\u{2018}y\")", "{text}");
        }
    }

    #[test]
    fn abbreviations_are_written_in_full() {
        for (text, full) in [
            ("/", "/"),
            ("a", "child::a"),
            ("/a/b:c", "/child::a/child::b:c"),
            ("//a", "/descendant-or-self::node()/child::a"),
            ("a//b", "child::a/descendant-or-self::node()/child::b"),
            ("../@x", "parent::node()/attribute::x"),
            (".", "self::node()"),
            ("*", "child::*"),
            ("p:*", "child::p:*"),
            ("a[1][b='x']", "child::a[1][(child::b = \"x\")]"),
            ("a/text()", "child::a/child::text()"),
            ("self::a|b", "(self::a | child::b)"),
            ("count(a) > 2", "(count(child::a) > 2)"),
            ("(a|b)[last()]/c", "((child::a | child::b))[last()]/child::c"),
            ("id('x')//y", "(id(\"x\"))/descendant-or-self::node()/child::y"),
            ("processing-instruction('a')", "child::processing-instruction(\"a\")"),
            ("-1", "(-1)"),
            ("- - a", "(-(-child::a))"),
            (".5 + 2.", "(0.5 + 2)"),
            ("$v", "$v"),
            ("'a\"b'", "'a\"b'"),
        ] {
            assert_eq!(printed(text), full, "{text}");
        }
    }

    #[test]
    fn operators_bind_as_the_specification_says() {
        for (text, full) in [
            ("1 or 2 and 3 = 4 < 5 + 6 * 7", "(1 or (2 and (3 = (4 < (5 + (6 * 7))))))"),
            ("1 - 2 - 3", "((1 - 2) - 3)"),
            ("a = b = c", "((child::a = child::b) = child::c)"),
            ("-a | b", "(-(child::a | child::b))"),
            // Section 3.7: a name or a star is an operator only behind an operand.
            ("* * *", "(child::* * child::*)"),
            // Nor behind a slash.
            ("(/) * a", "((/) * child::a)"),
            ("(/) and /", "((/) and /)"),
            ("div div div", "(child::div div child::div)"),
            ("and and or", "(child::and and child::or)"),
            ("a-b", "child::a-b"),
            ("a -b", "(child::a - child::b)"),
            ("2*3", "(2 * 3)"),
            ("a[mod mod 2]", "child::a[(child::mod mod 2)]"),
            ("node()/div", "child::node()/child::div"),
        ] {
            assert_eq!(printed(text), full, "{text}");
        }
    }

    #[test]
    fn mistakes_have_a_place() {
        for (text, error) in [
            ("", "character 1: expected the name of a node, or *"),
            ("a[", "character 3: expected the name of a node, or *"),
            ("a]", "character 2: expected the end, or an operator"),
            ("a[1", "character 4: expected ]"),
            ("f(a b)", "character 5: expected ,"),
            ("'a", "character 1: the string has no end"),
            ("\u{2019}a'", "character 1: the string has no end"),
            ("odd::a", "character 1: there is no axis odd"),
            ("a/f()", "character 3: expected a node test, found the function f"),
            ("a ! b", "character 3: an expression has no '!'"),
            ("$", "character 1: expected the name of a variable behind $"),
            ("a/", "character 3: expected the name of a node, or *"),
            ("1 +", "character 4: expected the name of a node, or *"),
        ] {
            assert_eq!(printed(text), error, "{text}");
        }
        let deep = format!("{}a{}", "(".repeat(40), ")".repeat(40));
        assert!(printed(&deep).contains("nested more than 32 times"));
        assert!(printed(&"a".repeat(70_000)).contains("at most 65536"));
        // Not nested, however long.
        assert!(parse(&"-".repeat(60_000)).is_err());
        assert!(parse(&format!("{}a", "-".repeat(60_000))).is_ok());
        assert!(parse(&format!("a{}", "/a".repeat(30_000))).is_ok());
        assert!(printed(&format!("1{}", "+1".repeat(501))).contains("more than 500 operators"));
        assert!(printed(&"9".repeat(400)).contains("too large"));
        for exponent in ["string(1e400)", "1E+2", "a[. = 1.5e-3]"] {
            assert!(printed(exponent).contains("numbers have no exponents in XPath 1.0"), "{exponent}");
        }
        assert!(parse("1div 2").is_ok() && parse("e1 = 1").is_ok());
    }

    proptest! {
        #[test]
        fn whatever_is_composed_and_read_is_printed_and_read_the_same(
            text in "(a|\\*|/|//|\\(/\\)|\\(a|\\(|\\)|\\[1\\]| and | div |=|\\||-|1|'x'|@a|\\.\\.){1,12}",
        ) {
            if let Ok(expression) = parse(&text) {
                prop_assert_eq!(parse(&expression.to_string()), Ok(expression));
            }
        }

        #[test]
        fn whatever_is_read_is_printed_and_read_the_same(text in "[a-z0-9 /:.@*()\\[\\]|=<>!+,'\"$-]{0,40}") {
            if let Ok(expression) = parse(&text) {
                prop_assert_eq!(parse(&expression.to_string()), Ok(expression));
            }
        }
    }
}
