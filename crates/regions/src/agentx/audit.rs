//! What is believed of a subagent's response: a search is answered with names behind the requested one, within the
//! subtree, and with no more of them than were requested (RFC 2741 section 7.2.3).

use std::collections::VecDeque;

use trunkline_smi::{Bound, Exception, Oid, Value, check_root};
use trunkline_snmp::wire::ErrorStatus;
use trunkline_tree::{Aim, Question, RegionAnswer};

use super::link::Answer;
use super::session::Fault;

/// What is wrong with a response.
pub(super) type Wrong = (Fault, String);

/// The answer to a Get of this name.
pub(super) fn instance(answer: Answer, name: &[u32]) -> Result<RegionAnswer, Wrong> {
    let mut bindings = without_error(answer, 1)?.into_iter();
    let Some(found) = bindings.next() else { return Err(too_few()) };
    if *found.name != *name {
        let what = format!("it answers a Get of {} with {}", Oid::EMPTY.child(name), found.name);
        return Err((Fault::Backwards, what));
    }
    match found.value {
        Bound::Value(value) if cannot_be_sent(&value) => Err(no_value(&found.name)),
        Bound::Value(value) => Ok(RegionAnswer::Instance(found.name, value)),
        Bound::Exception(Exception::NoSuchObject) => Ok(RegionAnswer::NoSuchObject),
        Bound::Exception(Exception::NoSuchInstance) => Ok(RegionAnswer::Nothing),
        Bound::Exception(Exception::EndOfMibView) | Bound::Unspecified => Err(no_value(&found.name)),
    }
}

/// The answer to a search for at most so many instances below a root. What comes before something wrong counts.
pub(super) fn search(
    answer: Answer,
    question: &Question<'_>,
    root: &[u32],
    most: usize,
) -> (RegionAnswer, Option<Wrong>) {
    let bindings = match without_error(answer, most) {
        Ok(bindings) if bindings.is_empty() => return (RegionAnswer::Nothing, Some(too_few())),
        Ok(bindings) => bindings,
        Err(wrong) => return (RegionAnswer::Nothing, Some(wrong)),
    };
    let mut found: VecDeque<(Oid, Value)> = VecDeque::with_capacity(bindings.len());
    let (mut is_all, mut wrong) = (false, None);
    for binding in bindings {
        let value = match binding.value {
            Bound::Value(value) if cannot_be_sent(&value) => {
                wrong = Some(no_value(&binding.name));
                break;
            }
            Bound::Value(value) => value,
            Bound::Exception(Exception::EndOfMibView) => {
                is_all = true;
                break;
            }
            Bound::Exception(_) | Bound::Unspecified => {
                wrong = Some(no_value(&binding.name));
                break;
            }
        };
        let last = found.back().map(|(name, _)| &**name);
        if let Some(fault) = misplaced(&binding.name, last, question, root) {
            if fault == Fault::Behind && (last.is_some() || most > 1) {
                // Those of Net-SNMP's library fill a run with what comes behind its end.
                is_all = true;
                break;
            }
            let behind = Oid::EMPTY.child(last.unwrap_or(question.name));
            let what = format!("it answers a search behind {behind} with {}", binding.name);
            wrong = Some((fault, what));
            break;
        }
        found.push_back((binding.name, value));
    }
    let answer = match (found.is_empty(), question.wanted) {
        (true, _) => RegionAnswer::Nothing,
        (false, 1) => found.pop_front().into(),
        (false, _) => RegionAnswer::Run { found, is_all },
    };
    (answer, wrong)
}

/// What is wrong with the place of a name after the last one that was found.
fn misplaced(name: &[u32], last: Option<&[u32]>, question: &Question<'_>, root: &[u32]) -> Option<Fault> {
    let is_at_start = last.is_none() && question.aim == Aim::AtOrBehind && name == question.name;
    match last.unwrap_or(question.name) {
        _ if name < root => Some(Fault::Before),
        before if name <= before && !is_at_start => Some(Fault::Backwards),
        _ if !name.starts_with(root) || question.end.is_some_and(|end| name >= end) => Some(Fault::Behind),
        _ => None,
    }
}

fn without_error(answer: Answer, most: usize) -> Result<Vec<trunkline_smi::VarBind>, Wrong> {
    if answer.error != 0 {
        let status =
            ErrorStatus::from_code(answer.error.into()).map_or("an unknown error", ErrorStatus::name);
        return Err((
            Fault::Refused,
            format!("it answers {status} ({}) at variable {}", answer.error, answer.index),
        ));
    }
    if answer.bindings.len() > most {
        return Err((
            Fault::Many,
            format!("it answers with {} variables instead of {most}", answer.bindings.len()),
        ));
    }
    Ok(answer.bindings)
}

/// An object identifier that messages of SNMP have no octets for (X.690 section 8.19.4).
fn cannot_be_sent(value: &Value) -> bool {
    matches!(value, Value::ObjectIdentifier(oid) if oid.len() == 1 || check_root(oid).is_err())
}

fn too_few() -> Wrong {
    (Fault::Few, "it answers without variables".into())
}

fn no_value(name: &Oid) -> Wrong {
    (Fault::NoValue, format!("it answers {name} without a value"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_smi::VarBind;

    const ROOT: &[u32] = &[1, 5, 2];

    fn one(name: &[u32]) -> VarBind {
        VarBind::new(Oid::EMPTY.child(name), Value::Integer(7))
    }

    fn end(name: &[u32]) -> VarBind {
        VarBind { name: Oid::EMPTY.child(name), value: Bound::Exception(Exception::EndOfMibView) }
    }

    fn ok(bindings: Vec<VarBind>) -> Answer {
        Answer { error: 0, index: 0, bindings }
    }

    /// The names that are believed, whether they are all, and the fault.
    fn searched(aim: Aim, wanted: usize, answer: Answer) -> (Vec<Vec<u32>>, bool, Option<Fault>) {
        let region = trunkline_tree::RegionId::default();
        let question =
            Question { region, name: &[1, 5, 2, 4], aim, passed_over: 0, end: Some(&[1, 5, 2, 9]), wanted };
        let (answer, wrong) = search(answer, &question, ROOT, wanted);
        let (found, is_all) = match answer {
            RegionAnswer::Instance(name, _) => (vec![name.to_vec()], false),
            RegionAnswer::Run { found, is_all } => {
                (found.into_iter().map(|(name, _)| name.to_vec()).collect(), is_all)
            }
            _ => (Vec::new(), false),
        };
        (found, is_all, wrong.map(|(fault, _)| fault))
    }

    #[test]
    fn names_are_in_order_and_in_the_subtree() {
        let at = |last: &[u32]| [ROOT, last].concat();
        for (name, aim, fault) in [
            (at(&[4, 0]), Aim::Behind, None),
            (at(&[4]), Aim::AtOrBehind, None),
            (at(&[4]), Aim::Behind, Some(Fault::Backwards)),
            (at(&[3, 9]), Aim::AtOrBehind, Some(Fault::Backwards)),
            (at(&[9]), Aim::Behind, Some(Fault::Behind)),
            (vec![1, 5, 3], Aim::Behind, Some(Fault::Behind)),
            (vec![1, 5, 1, 9], Aim::Behind, Some(Fault::Before)),
            (vec![], Aim::Behind, Some(Fault::Before)),
        ] {
            let found = if fault.is_none() { vec![name.clone()] } else { vec![] };
            assert_eq!(searched(aim, 1, ok(vec![one(&name)])), (found, false, fault), "{name:?}");
        }
    }

    #[test]
    fn a_run_counts_up_to_what_is_wrong_with_it() {
        let run = |lasts: &[u32]| lasts.iter().map(|last| one(&[1, 5, 2, *last])).collect::<Vec<_>>();
        let names = |lasts: &[u32]| lasts.iter().map(|last| vec![1, 5, 2, *last]).collect::<Vec<_>>();
        assert_eq!(searched(Aim::Behind, 3, ok(run(&[5, 6]))), (names(&[5, 6]), false, None));
        assert_eq!(searched(Aim::Behind, 3, ok(run(&[5, 9, 10]))), (names(&[5]), true, None));
        let with_end = [run(&[5, 6]), vec![end(&[1, 5, 2, 6])]].concat();
        assert_eq!(searched(Aim::Behind, 3, ok(with_end)), (names(&[5, 6]), true, None));
        assert_eq!(searched(Aim::Behind, 3, ok(run(&[5, 5]))), (names(&[5]), false, Some(Fault::Backwards)));
        assert_eq!(searched(Aim::Behind, 3, ok(run(&[5, 6, 7, 8]))), (names(&[]), false, Some(Fault::Many)));
        assert_eq!(searched(Aim::Behind, 3, ok(vec![])), (names(&[]), false, Some(Fault::Few)));
        assert_eq!(searched(Aim::Behind, 3, ok(vec![end(&[1, 5, 2, 4])])), (names(&[]), false, None));
        let error = Answer { error: 5, index: 99, bindings: run(&[5]) };
        assert_eq!(searched(Aim::Behind, 3, error), (names(&[]), false, Some(Fault::Refused)));
    }

    #[test]
    fn an_instance_has_the_requested_name() {
        let name = [1, 5, 2, 4];
        let exception =
            |exception| VarBind { name: Oid::EMPTY.child(&name), value: Bound::Exception(exception) };
        let found = |binding: VarBind| instance(ok(vec![binding]), &name).map_err(|(fault, _)| fault);
        assert_eq!(found(one(&name)), Ok(RegionAnswer::Instance(Oid::EMPTY.child(&name), Value::Integer(7))));
        assert_eq!(found(exception(Exception::NoSuchObject)), Ok(RegionAnswer::NoSuchObject));
        assert_eq!(found(exception(Exception::NoSuchInstance)), Ok(RegionAnswer::Nothing));
        assert_eq!(found(exception(Exception::EndOfMibView)), Err(Fault::NoValue));
        assert_eq!(found(one(&[1, 5, 2, 5])), Err(Fault::Backwards));
        assert_eq!(instance(ok(vec![]), &name).map_err(|(fault, _)| fault), Err(Fault::Few));
    }
}
