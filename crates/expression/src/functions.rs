//! What the functions compute of values.

use std::collections::VecDeque;

use crate::budget::Budget;
use crate::error::ErrorCode;
use crate::function::Function;
use crate::number::{Kind, Number};
use crate::value::Operand;

/// What a function makes of the values of its arguments. Those over samples and instances are not here.
pub(crate) fn call(
    function: Function,
    arguments: Vec<Operand>,
    budget: &mut Budget,
) -> Result<Operand, ErrorCode> {
    let mut arguments = VecDeque::from(arguments);
    let mut next = || arguments.pop_front().ok_or(ErrorCode::InvalidOperandType);
    match function {
        Function::Counter32 => as_counter(next()?, Kind::Counter32),
        Function::Counter64 => as_counter(next()?, Kind::Counter64),
        Function::ArraySection => {
            let (array, first, last) = (next()?, next()?, next()?);
            section(array, position(&first)?, position(&last)?, budget)
        }
        _ => {
            let found = match (function.is_of_strings(), next()?, next()?) {
                (true, Operand::Octets(whole), Operand::Octets(part)) => {
                    find(function, &whole, &part, budget)?
                }
                (false, Operand::Oid(whole), Operand::Oid(part)) => find(function, &whole, &part, budget)?,
                _ => return Err(ErrorCode::InvalidOperandType),
            };
            Ok(Operand::Number(Number::new(Kind::Unsigned32, found as i128)))
        }
    }
}

/// What a function over instances makes of their values.
pub(crate) fn aggregate(
    function: Function,
    values: impl Iterator<Item = Result<Number, ErrorCode>>,
    percent: Option<Number>,
    budget: &mut Budget,
) -> Result<Option<Number>, ErrorCode> {
    let mut numbers = Vec::new();
    for value in values {
        budget.take(1)?;
        numbers.push(value?);
    }
    let Some(kind) = numbers.iter().copied().map(Number::kind).reduce(Kind::promoted) else {
        // Without instances there is no mean, though a sum and a count.
        let is_zero = matches!(function, Function::Sum | Function::Count);
        return Ok(is_zero.then(|| Number::new(Kind::Unsigned32, 0)));
    };
    let values = || numbers.iter().map(|number| number.as_kind(kind).value());
    let sum = || values().sum::<i128>();
    let count = numbers.len() as i128;
    let of = |value| Ok(Some(Number::new(kind, value)));
    match function {
        Function::Sum => of(sum()),
        Function::Mean => of(sum() / count),
        Function::Lowest => of(values().min().unwrap_or(0)),
        Function::Highest => of(values().max().unwrap_or(0)),
        Function::Quantile => {
            let percent = percent.map_or(-1, Number::value);
            if !(0..=100).contains(&percent) {
                return Err(ErrorCode::InvalidOperandType);
            }
            let mut sorted: Vec<_> = values().collect();
            sorted.sort_unstable();
            // The nearest rank.
            let rank = (percent * count + 99) / 100;
            let rank = usize::try_from(rank).unwrap_or(0).max(1);
            of(sorted.get(rank - 1).copied().unwrap_or(0))
        }
        _ => Ok(Some(Number::new(Kind::Unsigned32, count))),
    }
}

fn as_counter(operand: Operand, kind: Kind) -> Result<Operand, ErrorCode> {
    match operand {
        Operand::Number(number) => Ok(Operand::Number(number.as_kind(kind))),
        _ => Err(ErrorCode::InvalidOperandType),
    }
}

fn position(operand: &Operand) -> Result<usize, ErrorCode> {
    match operand {
        Operand::Number(number) => number.index(),
        _ => Err(ErrorCode::InvalidOperandType),
    }
}

fn section(array: Operand, first: usize, last: usize, budget: &mut Budget) -> Result<Operand, ErrorCode> {
    match array {
        Operand::Octets(octets) => Ok(Operand::Octets(part(octets, first, last, budget)?)),
        Operand::Oid(sub_ids) => Ok(Operand::Oid(part(sub_ids, first, last, budget)?)),
        Operand::Number(_) => Err(ErrorCode::InvalidOperandType),
    }
}

/// Elements from `first` to `last`, counted from 1; 0 is the first or last there is. As the RFC has it, nothing
/// if `last` is not above `first`.
fn part<T>(mut array: Vec<T>, first: usize, last: usize, budget: &mut Budget) -> Result<Vec<T>, ErrorCode> {
    budget.take(array.len())?;
    if first > array.len() || (last != 0 && last <= first) {
        return Ok(Vec::new());
    }
    if last != 0 {
        array.truncate(last);
    }
    array.drain(..first.saturating_sub(1));
    Ok(array)
}

/// Where a match begins, from 1; 0: nowhere.
fn find<T: PartialEq>(
    function: Function,
    whole: &[T],
    part: &[T],
    budget: &mut Budget,
) -> Result<usize, ErrorCode> {
    budget.take(whole.len() + part.len())?;
    Ok(match function {
        Function::StringBegins | Function::OidBegins => usize::from(whole.starts_with(part)),
        Function::StringEnds | Function::OidEnds if whole.ends_with(part) => whole.len() - part.len() + 1,
        Function::StringContains | Function::OidContains => first_match(whole, part).map_or(0, |at| at + 1),
        _ => 0,
    })
}

/// Knuth, Morris and Pratt's search, since its steps are as many as there are elements.
fn first_match<T: PartialEq>(whole: &[T], part: &[T]) -> Option<usize> {
    // For each length of a matched beginning, that of its longest proper end that is a beginning too.
    let mut borders = vec![0; part.len() + 1];
    let mut matched = 0;
    for at in 1..part.len() {
        while matched > 0 && part[at] != part[matched] {
            matched = borders[matched];
        }
        matched += usize::from(part[at] == part[matched]);
        borders[at + 1] = matched;
    }
    if part.is_empty() {
        return Some(0);
    }
    matched = 0;
    for (at, element) in whole.iter().enumerate() {
        while matched > 0 && part.get(matched) != Some(element) {
            matched = borders[matched];
        }
        matched += usize::from(part.get(matched) == Some(element));
        if matched == part.len() {
            return Some(at + 1 - matched);
        }
    }
    None
}
