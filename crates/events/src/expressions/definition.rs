//! The active rows as what they mean.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use trunkline_admin::rows::{Row, Rows};
use trunkline_expression::{ErrorCode, Expression, Fault, ValueType};
use trunkline_smi::module::disman_expression_mib as mib;
use trunkline_smi::schema::Table;
use trunkline_smi::{IndexValue, Oid, OidBuf, decode_index, encode_index};

use super::columns::{DELTA, has_differences};
use super::links;
use crate::authority::Authority;
use crate::columns::{SYS_UP_TIME, TRUE};
use crate::definition::{Named, Object, authority};

/// All that is active.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    pub all: BTreeMap<Named, Arc<Definition>>,
    /// The indexes of all rows of expExpressionTable.
    rows: BTreeSet<Vec<u32>>,
    circular: BTreeSet<Named>,
}

/// A row of expExpressionTable, with those of expObjectTable.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Definition {
    pub id: Named,
    /// The row's index.
    pub index: Vec<u32>,
    pub expression: Expression,
    pub value_type: ValueType,
    /// How often it is sampled; `None`: when it is read.
    pub every: Option<Duration>,
    pub objects: BTreeMap<u32, Input>,
    pub authority: Authority,
}

/// A row of expObjectTable.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Input {
    pub object: Object,
    pub sample: Sample,
    pub conditional: Option<Object>,
    /// By whose rights the object is named: whoever reads it must have them too.
    pub authority: Authority,
}

/// What of an object is used.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sample {
    /// Its value.
    Absolute,
    /// Its growth, unless the marker tells of a discontinuity.
    Delta(Option<Object>),
    /// Whether it has changed.
    Changed(Option<Object>),
}

impl Definitions {
    /// What the active rows say.
    pub fn of(rows: &Rows) -> Self {
        let mut objects = BTreeMap::<Named, BTreeMap<u32, Input>>::new();
        for (index, row) in rows.active(&mib::EXP_OBJECT_TABLE) {
            if let Some((id, Some(number))) = named(&mib::EXP_OBJECT_TABLE, index) {
                objects.entry(id).or_default().insert(number, input(row));
            }
        }
        let (mut all, mut rows_there) = (BTreeMap::new(), BTreeSet::new());
        rows_there.extend(rows.of(&mib::EXP_EXPRESSION_TABLE).map(|(index, _)| index.to_vec()));
        for (index, row) in rows.active(&mib::EXP_EXPRESSION_TABLE) {
            let Some((id, _)) = named(&mib::EXP_EXPRESSION_TABLE, index) else { continue };
            let objects = objects.remove(&id).unwrap_or_default();
            if let Some(definition) = definition(id.clone(), index, row, objects) {
                all.insert(id, Arc::new(definition));
            }
        }
        let circular = links::circular(&all);
        Definitions { all, rows: rows_there, circular }
    }

    /// Whether an expression uses its own value.
    pub fn is_circular(&self, id: &Named) -> bool {
        self.circular.contains(id)
    }

    /// The active row with this index.
    pub fn at(&self, index: &[u32]) -> Option<&Arc<Definition>> {
        self.all.get(&named(&mib::EXP_EXPRESSION_TABLE, index)?.0)
    }

    /// Whether there is a row with this index, active or not.
    pub fn has_row(&self, index: &[u32]) -> bool {
        self.rows.contains(index)
    }
}

impl Definition {
    /// Whether its value depends on earlier samples.
    pub fn has_memory(&self) -> bool {
        let used = self.used();
        let mut inputs = self.objects.iter().filter(|(number, _)| used.contains(number));
        self.expression.has_memory() || inputs.any(|(_, input)| input.sample != Sample::Absolute)
    }

    /// The objects that the expression uses.
    pub fn used(&self) -> Vec<u32> {
        self.expression.objects().union(&self.expression.aggregated()).copied().collect()
    }

    /// How often it is sampled, whether it is read or not.
    pub fn interval(&self) -> Option<Duration> {
        self.every.filter(|_| self.has_memory())
    }

    /// The object whose wildcard makes the instances of the value (expExpressionPrefix).
    pub fn prefix(&self) -> Option<&Oid> {
        let objects = self.expression.objects();
        let mut used = objects.iter().filter_map(|number| self.objects.get(number));
        used.find(|input| input.object.wildcard).map(|input| &input.object.oid)
    }
}

impl Sample {
    /// What tells of a discontinuity.
    pub fn marker(&self) -> Option<&Object> {
        match self {
            Sample::Absolute => None,
            Sample::Delta(marker) | Sample::Changed(marker) => marker.as_ref(),
        }
    }
}

/// The owner, the name and the last part of an index.
pub(super) fn named(table: &Table, index: &[u32]) -> Option<(Named, Option<u32>)> {
    let parts = decode_index(table.index, index).ok()?;
    let [IndexValue::Octets(owner), IndexValue::Octets(name), rest @ ..] = parts.as_slice() else {
        return None;
    };
    let number = match rest.first() {
        Some(IndexValue::Integer(number)) => Some(*number),
        _ => None,
    };
    Some((Named { owner: owner.clone(), name: name.clone() }, number))
}

/// The index of a row of expExpressionTable.
pub(super) fn index_of(id: &Named) -> Vec<u32> {
    let parts = [IndexValue::Octets(id.owner.clone()), IndexValue::Octets(id.name.clone())];
    let mut index = OidBuf::default();
    // An owner and a name of 32 octets each fit.
    match encode_index(mib::EXP_EXPRESSION_TABLE.index, &parts, &mut index) {
        Ok(()) => index.to_vec(),
        Err(_) => Vec::new(),
    }
}

/// The text of a row as an expression.
pub(super) fn parse(octets: &[u8]) -> Result<Expression, Fault> {
    match std::str::from_utf8(octets) {
        Ok(text) => Expression::parse(text),
        Err(error) => Err(Fault {
            code: ErrorCode::InvalidSyntax,
            at: error.valid_up_to() + 1,
            message: "the text is not UTF-8".into(),
        }),
    }
}

fn definition(id: Named, index: &[u32], row: &Row, objects: BTreeMap<u32, Input>) -> Option<Definition> {
    let every = u64::try_from(row.integer("expExpressionDeltaInterval")).unwrap_or(0);
    Some(Definition {
        id,
        index: index.to_vec(),
        // A row without a valid expression cannot be set, nor is it read from the disk as active.
        expression: parse(row.octets("expExpression")).ok()?,
        value_type: ValueType::from_number(row.integer("expExpressionValueType"))?,
        every: (every > 0).then(|| Duration::from_secs(every)),
        objects,
        authority: authority(row),
    })
}

fn object(row: &Row, oid: &str, wildcard: &str) -> Object {
    Object { oid: Oid::EMPTY.child(row.oid(oid)), wildcard: row.integer(wildcard) == TRUE }
}

fn input(row: &Row) -> Input {
    let marker = || {
        let marker = object(row, "expObjectDeltaDiscontinuityID", "expObjectDiscontinuityIDWildcard");
        Some(marker).filter(|marker| *marker.oid != SYS_UP_TIME)
    };
    let conditional = object(row, "expObjectConditional", "expObjectConditionalWildcard");
    let sample = match row.integer("expObjectSampleType") {
        _ if !has_differences(row) => Sample::Absolute,
        DELTA => Sample::Delta(marker()),
        _ => Sample::Changed(marker()),
    };
    Input {
        object: object(row, "expObjectID", "expObjectIDWildcard"),
        sample,
        conditional: Some(conditional).filter(|conditional| *conditional.oid != [0, 0]),
        authority: authority(row),
    }
}
