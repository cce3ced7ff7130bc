//! The value of an expression at one instance.

use std::collections::BTreeMap;

use trunkline_smi::Value;

use crate::budget::Sweep;
use crate::error::{ErrorCode, Fault};
use crate::function::Function;
use crate::number::Number;
use crate::syntax::{Constant, Node, NodeKind, Operator};
use crate::value::Operand;
use crate::{functions, operators};

/// There is no object with this expObjectIndex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undefined;

/// The values of the objects of one sweep.
pub trait Objects {
    /// The value of `$n` at the instance that is evaluated, if there is one.
    ///
    /// # Errors
    /// `$n` is not defined.
    fn value(&self, object: u32) -> Result<Option<&Value>, Undefined>;

    /// The values of all instances of `$n`.
    ///
    /// # Errors
    /// `$n` is not defined.
    fn instances(&self, object: u32) -> Result<Box<dyn Iterator<Item = &Value> + '_>, Undefined>;
}

/// What an evaluation keeps for the next of the same instance: the samples of average, maximum and minimum.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory(BTreeMap<usize, Samples>);

#[derive(Clone, Debug, PartialEq)]
struct Samples {
    count: i128,
    sum: i128,
    lowest: i128,
    highest: i128,
}

/// The value of a part; `None`: an object that it needs does not exist.
pub(crate) fn evaluate(
    root: &Node,
    objects: &dyn Objects,
    memory: &mut Memory,
    sweep: &mut Sweep,
) -> Result<Option<Operand>, Fault> {
    let value = Evaluation { objects, memory, sweep }.value(root)?;
    if value.is_none() {
        // What was gathered ends with an object that it needs, also where the evaluation did not come.
        memory.0.clear();
    }
    Ok(value)
}

struct Evaluation<'e> {
    objects: &'e dyn Objects,
    memory: &'e mut Memory,
    sweep: &'e mut Sweep,
}

impl Evaluation<'_> {
    fn value(&mut self, node: &Node) -> Result<Option<Operand>, Fault> {
        // Operators of one precedence make a long chain on the left, which takes no stack.
        let mut chain = Vec::new();
        let mut first = node;
        while let NodeKind::Binary(operator, left, right) = &first.kind {
            chain.push((first.at, *operator, left, right));
            first = left;
        }
        let mut value = self.single(first)?;
        while let Some((at, operator, left_node, right)) = chain.pop() {
            let Some(left) = value else { return Ok(None) };
            value = self.binary(at, operator, (left_node, left), right)?;
        }
        Ok(value)
    }

    fn single(&mut self, node: &Node) -> Result<Option<Operand>, Fault> {
        let at = node.at;
        self.sweep.budget.take(1).map_err(|code| Fault::at(code, at, reason(code)))?;
        match &node.kind {
            NodeKind::Constant(constant) => Ok(self.constant(constant)),
            NodeKind::Object(object) => match self.objects.value(*object) {
                Err(Undefined) => Err(undefined(at, *object)),
                Ok(None) => Ok(None),
                Ok(Some(value)) => self.operand(at, value).map(Some),
            },
            NodeKind::Unary(sign, operand) => {
                let Some(operand) = self.value(operand)? else { return Ok(None) };
                let value = operators::unary(*sign, &operand);
                value.map(Some).map_err(|code| Fault::at(code, at, of_operator(code, sign.symbol())))
            }
            NodeKind::Binary(..) => self.value(node),
            NodeKind::Call(function, arguments) => self.call(at, *function, arguments),
        }
    }

    fn constant(&self, constant: &Constant) -> Option<Operand> {
        match constant {
            Constant::Integer(number) => Some(Operand::Number(*number)),
            Constant::Octets(octets) => Some(Operand::Octets(octets.clone())),
            Constant::Oid(sub_ids) => Some(Operand::Oid(sub_ids.clone())),
            Constant::Hexadecimal(digits) => match Constant::hexadecimal_number(digits) {
                Some(number) => Some(Operand::Number(number)),
                None => Constant::hexadecimal_octets(digits).map(Operand::Octets),
            },
        }
    }

    fn operand(&mut self, at: usize, value: &Value) -> Result<Operand, Fault> {
        let size = match value {
            Value::OctetString(octets) => octets.len(),
            Value::ObjectIdentifier(oid) => oid.len(),
            _ => 0,
        };
        self.sweep.budget.take(size).map_err(|code| Fault::at(code, at, reason(code)))?;
        let wrong = || Fault::at(ErrorCode::InvalidOperandType, at, "the value of this object is Opaque");
        Operand::of(value).ok_or_else(wrong)
    }

    fn binary(
        &mut self,
        at: usize,
        operator: Operator,
        (left_node, left): (&Node, Operand),
        right_node: &Node,
    ) -> Result<Option<Operand>, Fault> {
        let wrong = |code| Fault::at(code, at, of_operator(code, operator.symbol()));
        if matches!(operator, Operator::BothTrue | Operator::EitherTrue) {
            let decisive = operator == Operator::EitherTrue;
            let answer = |is_true| Ok(Some(Operand::Number(Number::truth(is_true))));
            // C evaluates the right operand only if the left one does not decide.
            if operators::truth(&left).map_err(wrong)? == decisive {
                return answer(decisive);
            }
            let Some(right) = self.value(right_node)? else { return Ok(None) };
            return answer(operators::truth(&right).map_err(wrong)?);
        }
        let Some(right) = self.value(right_node)? else { return Ok(None) };
        let is_shift = matches!(operator, Operator::ShiftLeft | Operator::ShiftRight);
        let (left, right) = match (left, right) {
            (Operand::Octets(left), right) if !is_shift => (Operand::Octets(left), octets(right_node, right)),
            (left, Operand::Octets(right)) => (octets(left_node, left), Operand::Octets(right)),
            both => both,
        };
        operators::binary(operator, left, right, &mut self.sweep.budget).map(Some).map_err(wrong)
    }

    fn call(&mut self, at: usize, function: Function, arguments: &[Node]) -> Result<Option<Operand>, Fault> {
        let wrong = |code| Fault::at(code, at, of_operator(code, function.name()));
        if let (Function::Exists, [Node { kind: NodeKind::Object(object), .. }]) = (function, arguments) {
            let found = self.objects.value(*object).map_err(|Undefined| undefined(at, *object))?;
            return Ok(Some(Operand::Number(Number::truth(found.is_some()))));
        }
        if function.is_aggregate() {
            return self.aggregate(at, function, arguments);
        }
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            match self.value(argument)? {
                Some(value) if function.is_of_strings() => values.push(octets(argument, value)),
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
        if function.has_memory() {
            return match values.pop() {
                Some(Operand::Number(number)) => {
                    Ok(Some(Operand::Number(self.sampled(at, function, number))))
                }
                _ => Err(wrong(ErrorCode::InvalidOperandType)),
            };
        }
        functions::call(function, values, &mut self.sweep.budget).map(Some).map_err(wrong)
    }

    fn aggregate(
        &mut self,
        at: usize,
        function: Function,
        arguments: &[Node],
    ) -> Result<Option<Operand>, Fault> {
        let wrong = |code| Fault::at(code, at, of_operator(code, function.name()));
        let (object, percent) = match arguments {
            [Node { kind: NodeKind::Object(object), .. }, rest @ ..] => (*object, rest.first()),
            _ => return Err(wrong(ErrorCode::InvalidOperandType)),
        };
        let percent = match percent.map(|node| self.value(node)).transpose()? {
            Some(None) => return Ok(None),
            Some(Some(Operand::Number(number))) => Some(number),
            Some(Some(_)) => return Err(wrong(ErrorCode::InvalidOperandType)),
            None => None,
        };
        let known = (at, percent.map(Number::value));
        if let Some(value) = self.sweep.aggregates.get(&known) {
            return Ok(value.map(Operand::Number));
        }
        let values = self.objects.instances(object).map_err(|Undefined| undefined(at, object))?;
        let is_count = function == Function::Count;
        let numbers = values.map(|value| match Operand::of(value) {
            Some(Operand::Number(number)) => Ok(number),
            _ if is_count => Ok(Number::truth(true)),
            _ => Err(ErrorCode::InvalidOperandType),
        });
        let value =
            functions::aggregate(function, numbers, percent, &mut self.sweep.budget).map_err(wrong)?;
        self.sweep.aggregates.insert(known, value);
        Ok(value.map(Operand::Number))
    }

    fn sampled(&mut self, at: usize, function: Function, number: Number) -> Number {
        let value = number.value();
        let new = || Samples { count: 0, sum: 0, lowest: value, highest: value };
        let samples = self.memory.0.entry(at).or_insert_with(new);
        samples.count += 1;
        samples.sum += value;
        samples.lowest = samples.lowest.min(value);
        samples.highest = samples.highest.max(value);
        let result = match function {
            Function::Maximum => samples.highest,
            Function::Minimum => samples.lowest,
            _ => samples.sum / samples.count,
        };
        Number::new(number.kind(), result)
    }
}

/// A hexadecimal constant as octets where those are wanted.
pub(crate) fn octets(node: &Node, value: Operand) -> Operand {
    match &node.kind {
        NodeKind::Constant(Constant::Hexadecimal(digits)) => {
            Constant::hexadecimal_octets(digits).map_or(value, Operand::Octets)
        }
        _ => value,
    }
}

fn undefined(at: usize, object: u32) -> Fault {
    let message = format!("${object} has no active row in expObjectTable");
    Fault::at(ErrorCode::UndefinedObjectIndex, at, message)
}

fn of_operator(code: ErrorCode, name: &str) -> String {
    match code {
        ErrorCode::InvalidOperandType => format!("{name} does not take operands of these types"),
        ErrorCode::DivideByZero => format!("{name} divides by zero"),
        code => reason(code).into(),
    }
}

fn reason(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::ResourceUnavailable => "the value is too long, or the evaluation needs too many steps",
        _ => "the expression has no value",
    }
}
