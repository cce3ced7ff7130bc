//! Path selection (D7.1, expressions (1) to (5)):
//!
//! ```text
//! path    = "{" start "," level "," level "," pattern "}"
//! start   = name
//! level   = [ integer | "NULL" ]
//! pattern = [ "empty" | "NULL" | step *("." step) ]
//! step    = name | "(" step *("." step) ")" "!"
//! ```

use trunkline_query::services::{MAX_STEPS, PathSelection, Pattern, Step};

use super::MAX_DEPTH;
use super::error::{ExpressionError, Kind, Problem};
use super::reader::Reader;
use super::token::What;

pub(super) fn parse(text: &str) -> Result<PathSelection, ExpressionError> {
    let mut reader = Reader::open(Kind::Path, text)?;
    let start = reader.name("the service to start from")?;
    let (mut min, mut max, mut pattern) = (None, None, Pattern::default());
    // Commas at the end may be omitted together with the parts after them: {TCP}.
    if reader.take(',') {
        min = level(&mut reader, "the minimum level, NULL or `,`")?;
    }
    if reader.take(',') {
        let at = reader.place();
        max = level(&mut reader, "the maximum level, NULL or `,`")?;
        if let (Some(least), Some(greatest)) = (min, max)
            && least > greatest
        {
            let problem = Problem::NoLevel { least, greatest };
            return Err(ExpressionError::new(Kind::Path, text, at, problem));
        }
    }
    if reader.take(',') {
        pattern = whole_pattern(&mut reader)?;
    }
    reader.close("`,` or `}`")?;
    Ok(PathSelection { start, min, max, pattern })
}

fn level(reader: &mut Reader<'_>, expected: &'static str) -> Result<Option<u32>, ExpressionError> {
    if reader.take_lone_word("NULL") || matches!(reader.peek(), What::Sign(',' | '}') | What::End) {
        return Ok(None);
    }
    reader.small_integer(expected).map(Some)
}

fn whole_pattern(reader: &mut Reader<'_>) -> Result<Pattern, ExpressionError> {
    let is_empty = reader.take_lone_word("empty") || reader.take_lone_word("NULL");
    if is_empty || matches!(reader.peek(), What::Sign('}') | What::End) {
        return Ok(Pattern::default());
    }
    pattern(reader, &mut 0, 0)
}

fn pattern(reader: &mut Reader<'_>, count: &mut usize, depth: usize) -> Result<Pattern, ExpressionError> {
    let mut steps = Vec::new();
    loop {
        *count += 1;
        if *count > MAX_STEPS {
            return Err(reader.limit("too many steps in the pattern", MAX_STEPS));
        }
        if reader.take('(') {
            if depth >= MAX_DEPTH {
                return Err(reader.limit("parentheses are nested too deep", MAX_DEPTH));
            }
            let inner = pattern(reader, count, depth + 1)?;
            reader.need(')', "`.`, another relation or `)`")?;
            reader.need('!', "`!` after the parenthesis: the relation in it cannot be followed")?;
            steps.push(Step::Fringe(inner));
        } else {
            steps.push(Step::Follow(reader.name("a relation, or `(`")?));
        }
        if !reader.take('.') {
            return Ok(Pattern { steps });
        }
        // The full stop that the paper puts after an expression without braces.
        if *reader.peek() == What::End && depth == 0 {
            return Ok(Pattern { steps });
        }
    }
}
