//! What values are computed of: the instances that a value of expValueTable is about.

use std::sync::Arc;

use trunkline_smi::Oid;
use trunkline_smi::module::disman_expression_mib as mib;

use super::definition::Definition;
use super::links::{Used, used};
use super::shared::Shared;
use crate::definition::Object;

/// How many expressions are followed behind each other, as many as are computed.
const MOST_BEHIND: usize = 16;
/// How many instances are found at most.
const MOST: usize = 64;

/// Finds them.
#[derive(Clone)]
pub struct Inputs(pub(super) Arc<Shared>);

impl Inputs {
    /// The objects that the value of this instance is computed of, and of values among them what these are; none if the instance is
    /// not such a value. An object all of whose instances are used is there as a whole.
    #[must_use]
    pub fn of(&self, instance: &Oid) -> Vec<Oid> {
        let definitions = self.0.definitions.load_full();
        let (mut found, mut next) = (Vec::new(), vec![(instance.clone(), 0)]);
        while let Some((name, depth)) = next.pop() {
            let value = Object { oid: name.clone(), wildcard: false };
            let Used::Expression(id) = used(&value) else { continue };
            let Some(definition) = definitions.all.get(&id).filter(|_| depth < MOST_BEHIND) else { continue };
            for object in objects(definition, suffix(definition, &name)) {
                if found.len() < MOST && !found.contains(&object) {
                    next.push((object.clone(), depth + 1));
                    found.push(object);
                }
            }
        }
        found
    }
}

/// What stands for the wildcard in the name of a value: behind the entry's 1, the column, the index and 0.0.
fn suffix<'n>(definition: &Definition, name: &'n Oid) -> &'n [u32] {
    name.get(mib::EXP_VALUE_TABLE.oid.len() + 2 + definition.index.len() + 2..).unwrap_or_default()
}

fn objects(definition: &Definition, suffix: &[u32]) -> Vec<Oid> {
    let object = |number: &u32| definition.objects.get(number).map(|input| &input.object);
    let (single, all) = (definition.expression.objects(), definition.expression.aggregated());
    let single = single.iter().filter_map(object).map(|object| object.instance(suffix));
    single.chain(all.iter().filter_map(object).map(|object| object.oid.clone())).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use trunkline_expression::{Expression, ValueType};

    use super::super::definition::{Definitions, Input, Sample, index_of};
    use super::super::links;
    use super::*;
    use crate::authority::Authority;
    use crate::definition::Named;

    const OCTETS: [u32; 10] = [1, 3, 6, 1, 2, 1, 2, 2, 1, 10];

    fn definition(name: &str, text: &str, objects: &[(u32, &[u32], bool)]) -> Arc<Definition> {
        let id = Named { owner: b"o".to_vec(), name: name.as_bytes().to_vec() };
        let input = |(number, oid, wildcard): &(u32, &[u32], bool)| {
            let object = Object { oid: Oid::EMPTY.child(oid), wildcard: *wildcard };
            let authority = Authority::Configuration;
            (*number, Input { object, sample: Sample::Absolute, conditional: None, authority })
        };
        Arc::new(Definition {
            index: index_of(&id),
            id,
            expression: Expression::parse(text).unwrap(),
            value_type: ValueType::Integer32,
            every: None,
            objects: objects.iter().map(input).collect(),
            authority: Authority::Configuration,
        })
    }

    #[test]
    fn a_value_is_about_what_it_is_computed_of() {
        let up_time: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 3, 0];
        let rate =
            definition("rate", "$1 + $2", &[(1, &OCTETS, true), (2, up_time, false), (3, &[1, 3], true)]);
        let column = links::name(&rate, &[]);
        let (column, one) = (&column[..column.len() - 2], links::name(&rate, &[7]));
        let all = definition("all", "sum($1) + $2", &[(1, column, true), (2, &one, false)]);
        let circle =
            definition("circle", "$1", &[(1, &links::name(&definition("circle", "1", &[]), &[0]), false)]);
        let mut definitions = Definitions::default();
        for definition in [&rate, &all, &circle] {
            definitions.all.insert(definition.id.clone(), definition.clone());
        }
        let shared = Arc::new(Shared::new(Instant::now()));
        shared.definitions.store(Arc::new(definitions));
        let of = |name: &[u32]| {
            let mut found: Vec<String> =
                Inputs(shared.clone()).of(&Oid::EMPTY.child(name)).iter().map(ToString::to_string).collect();
            found.sort();
            found
        };
        // An object that the expression does not use is not there.
        assert_eq!(of(&links::name(&rate, &[7])), ["1.3.6.1.2.1.1.3.0", "1.3.6.1.2.1.2.2.1.10.7"]);
        let found = of(&links::name(&all, &[0]));
        for name in ["1.3.6.1.2.1.2.2.1.10.7", "1.3.6.1.2.1.2.2.1.10", "1.3.6.1.2.1.1.3.0"] {
            assert!(found.contains(&name.to_owned()), "{name}: {found:?}");
        }
        // One that uses itself has itself alone.
        assert_eq!(of(&links::name(&circle, &[0])).len(), 1);
        for other in [&[1, 3, 6, 1, 2, 1, 2, 2, 1, 10, 2][..], &[1, 3, 6, 1, 2, 1, 90, 1, 3, 1], &OCTETS] {
            assert!(of(other).is_empty());
        }
    }
}
