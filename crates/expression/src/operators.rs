//! What the operators do with operands of which types (RFC 2982, expExpression).

use crate::budget::Budget;
use crate::error::ErrorCode;
use crate::limits::{MAX_OCTETS, MAX_SUBIDENTIFIERS};
use crate::number::{Kind, Number};
use crate::syntax::{Operator, Sign};
use crate::value::Operand;

/// An operator with one operand.
pub(crate) fn unary(sign: Sign, operand: &Operand) -> Result<Operand, ErrorCode> {
    let Operand::Number(number) = operand else { return Err(ErrorCode::InvalidOperandType) };
    let is_plain = !matches!(number.kind(), Kind::TimeTicks | Kind::IpAddress);
    match sign {
        Sign::Not => Ok(Operand::Number(Number::truth(!number.is_true()))),
        Sign::Negative if is_plain => Ok(Operand::Number(negative(*number))),
        Sign::Complement if is_plain => Ok(Operand::Number(Number::new(number.kind(), !number.value()))),
        _ => Err(ErrorCode::InvalidOperandType),
    }
}

/// Always an Integer32, as the RFC has it; but a long constant that an Integer32 cannot hold stays a long.
fn negative(number: Number) -> Number {
    let value = -number.value();
    let small = Number::new(Kind::Integer32, value);
    match number.kind() {
        Kind::Integer64 if small.value() != value => Number::new(Kind::Integer64, value),
        _ => small,
    }
}

/// An operator with two operands, other than `&&` and `||`.
pub(crate) fn binary(
    operator: Operator,
    left: Operand,
    right: Operand,
    budget: &mut Budget,
) -> Result<Operand, ErrorCode> {
    match (left, right) {
        (Operand::Number(left), Operand::Number(right)) => {
            numbers(operator, left, right).map(Operand::Number)
        }
        (Operand::Octets(left), Operand::Octets(right)) => {
            budget.take(left.len() + right.len())?;
            match operator {
                Operator::Add => joined(left, &right, MAX_OCTETS).map(Operand::Octets),
                Operator::And => Ok(Operand::Octets(bitwise(left, right, |left, right| left & right))),
                Operator::Or => Ok(Operand::Octets(bitwise(left, right, |left, right| left | right))),
                _ => equal(operator, left == right),
            }
        }
        (Operand::Octets(octets), Operand::Number(by)) => {
            budget.take(octets.len())?;
            shifted(operator, &octets, by).map(Operand::Octets)
        }
        (Operand::Oid(left), Operand::Oid(right)) => {
            budget.take(left.len() + right.len())?;
            match operator {
                Operator::Add => joined(left, &right, MAX_SUBIDENTIFIERS).map(Operand::Oid),
                _ => equal(operator, left == right),
            }
        }
        _ => Err(ErrorCode::InvalidOperandType),
    }
}

/// Whether an operand counts as true.
pub(crate) fn truth(operand: &Operand) -> Result<bool, ErrorCode> {
    match operand {
        Operand::Number(number) => Ok(number.is_true()),
        _ => Err(ErrorCode::InvalidOperandType),
    }
}

fn equal(operator: Operator, are_equal: bool) -> Result<Operand, ErrorCode> {
    match operator {
        Operator::Equal => Ok(Operand::Number(Number::truth(are_equal))),
        Operator::NotEqual => Ok(Operand::Number(Number::truth(!are_equal))),
        _ => Err(ErrorCode::InvalidOperandType),
    }
}

fn numbers(operator: Operator, left: Number, right: Number) -> Result<Number, ErrorCode> {
    if !takes(operator, left.kind(), right.kind()) {
        return Err(ErrorCode::InvalidOperandType);
    }
    if matches!(operator, Operator::ShiftLeft | Operator::ShiftRight) {
        return shift(operator, left, right);
    }
    let kind = left.kind().promoted(right.kind());
    // C's conversion: the same bits, in the common type.
    let (a, b) = (left.as_kind(kind).value(), right.as_kind(kind).value());
    let of = |value| Ok(Number::new(kind, value));
    let divisor = || if b == 0 { Err(ErrorCode::DivideByZero) } else { Ok(b) };
    match operator {
        // A product of 64-bit integers may exceed 127 bits, and its low 64 are right all the same.
        Operator::Multiply => of(a.wrapping_mul(b)),
        Operator::Divide => of(a / divisor()?),
        Operator::Remainder => of(a % divisor()?),
        Operator::Add => of(a + b),
        Operator::Subtract => of(a - b),
        Operator::And => of(a & b),
        Operator::ExclusiveOr => of(a ^ b),
        Operator::Or => of(a | b),
        Operator::Less => Ok(Number::truth(a < b)),
        Operator::LessOrEqual => Ok(Number::truth(a <= b)),
        Operator::Greater => Ok(Number::truth(a > b)),
        Operator::GreaterOrEqual => Ok(Number::truth(a >= b)),
        Operator::Equal => Ok(Number::truth(a == b)),
        Operator::NotEqual => Ok(Number::truth(a != b)),
        Operator::ShiftLeft | Operator::ShiftRight | Operator::BothTrue | Operator::EitherTrue => {
            Err(ErrorCode::InvalidOperandType)
        }
    }
}

/// Which operators work with TimeTicks and IpAddress; with the other integers all do.
fn takes(operator: Operator, left: Kind, right: Kind) -> bool {
    use Operator::{
        Add, And, Divide, Equal, ExclusiveOr, Greater, GreaterOrEqual, Less, LessOrEqual, Multiply, NotEqual,
        Or, Remainder, ShiftLeft, ShiftRight, Subtract,
    };
    let takes_ticks = matches!(
        operator,
        Add | Subtract
            | Multiply
            | Divide
            | Remainder
            | Less
            | LessOrEqual
            | Greater
            | GreaterOrEqual
            | Equal
            | NotEqual
    );
    let takes_address = |is_left| match operator {
        And | Or | ExclusiveOr | Equal | NotEqual => true,
        ShiftLeft | ShiftRight => is_left,
        _ => false,
    };
    let fits = |kind, is_left| match kind {
        Kind::TimeTicks => takes_ticks,
        Kind::IpAddress => takes_address(is_left),
        _ => true,
    };
    fits(left, true) && fits(right, false)
}

/// The type is that of the left operand. Beyond its width nothing is left but the sign.
fn shift(operator: Operator, left: Number, right: Number) -> Result<Number, ErrorCode> {
    let by = right.index()?;
    let bits = left.kind().bits() as usize;
    let value = match operator {
        Operator::ShiftLeft if by >= bits => 0,
        Operator::ShiftLeft => left.value() << by,
        _ => left.value() >> by.min(bits),
    };
    Ok(Number::new(left.kind(), value))
}

fn joined<T: Copy>(mut left: Vec<T>, right: &[T], most: usize) -> Result<Vec<T>, ErrorCode> {
    left.extend_from_slice(right);
    if left.len() > most { Err(ErrorCode::ResourceUnavailable) } else { Ok(left) }
}

/// The shorter one continues with zeros.
fn bitwise(left: Vec<u8>, right: Vec<u8>, operate: impl Fn(u8, u8) -> u8) -> Vec<u8> {
    let (mut longer, shorter) = if left.len() >= right.len() { (left, right) } else { (right, left) };
    for (position, octet) in longer.iter_mut().enumerate() {
        *octet = operate(*octet, shorter.get(position).copied().unwrap_or(0));
    }
    longer
}

/// As one big integer of the same length; zeros are shifted in.
fn shifted(operator: Operator, octets: &[u8], by: Number) -> Result<Vec<u8>, ErrorCode> {
    if !takes(operator, Kind::Unsigned32, by.kind()) {
        return Err(ErrorCode::InvalidOperandType);
    }
    let by = by.index()?;
    let (whole, bits) = (by / 8, by % 8);
    let octet = |position: Option<usize>| position.and_then(|at| octets.get(at)).copied().unwrap_or(0);
    let pair = |high: u8, low: u8| u16::from_be_bytes([high, low]);
    let shifted = |at: usize| match operator {
        Operator::ShiftLeft => {
            let from = at.checked_add(whole);
            let next = from.and_then(|from| from.checked_add(1));
            ((pair(octet(from), octet(next)) << bits) >> 8) as u8
        }
        _ => {
            let from = at.checked_sub(whole);
            let before = from.and_then(|from| from.checked_sub(1));
            (pair(octet(before), octet(from)) >> bits) as u8
        }
    };
    match operator {
        Operator::ShiftLeft | Operator::ShiftRight => Ok((0..octets.len()).map(shifted).collect()),
        _ => Err(ErrorCode::InvalidOperandType),
    }
}
