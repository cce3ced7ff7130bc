//! A condition with resolved names and literals in the types of their columns: the test for each row.

use trunkline_smi::{IndexRef, ValueRef};

use crate::literal::Bound;
use crate::{Comparison, Condition, KeyRange, Mistake, Operand, QueryError, Scope};

/// The most comparisons in a predicate.
pub const MAX_TERMS: usize = 256;

/// How deep conditions may be nested.
pub const MAX_DEPTH: usize = 32;

/// A row, as a predicate sees it.
pub trait Cells {
    /// The cell of the column of this last sub-identifier; `None` if the row has none or the principal may not
    /// read it.
    fn cell(&self, column: u32) -> Option<ValueRef<'_>>;

    /// A part of the row's index, counted from 0; `None` if there is none.
    fn part(&self, part: usize) -> Option<IndexRef<'_>>;
}

/// The test for each row of one table. A comparison with a missing cell is false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    pub(crate) root: Node,
    columns: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    Compare { operand: Operand, comparison: Comparison, bound: Bound },
    Present { operand: Operand },
}

impl Predicate {
    /// Resolves a condition in what its names may mean.
    ///
    /// # Errors
    /// Names in the condition that do not exist, each with its place.
    pub fn compile(condition: &Condition, scope: &Scope) -> Result<Self, QueryError> {
        let mut compiler = Compiler { scope, terms: 0, columns: Vec::new() };
        let root = compiler.node(condition, 0)?;
        Ok(Predicate { root, columns: compiler.columns })
    }

    /// Whether a row meets it.
    pub fn holds(&self, row: &impl Cells) -> bool {
        self.root.holds(row)
    }

    /// The columns (not the parts of the index) that it looks at, each once.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Where in index order the matching rows can be: a sound superset, so each row in it must still be tested.
    pub fn key_range(&self, index: &[trunkline_smi::schema::IndexPart]) -> KeyRange {
        KeyRange::of(&self.root, index)
    }
}

struct Compiler<'s> {
    scope: &'s Scope,
    terms: usize,
    columns: Vec<u32>,
}

impl Compiler<'_> {
    fn node(&mut self, condition: &Condition, depth: usize) -> Result<Node, QueryError> {
        if depth > MAX_DEPTH {
            return Err(QueryError { at: place(condition), mistake: Mistake::TooDeep { max: MAX_DEPTH } });
        }
        // AND, OR and NOT are bounded by the number and the depth of their operands.
        self.terms += usize::from(matches!(condition, Condition::Compare { .. } | Condition::Present { .. }));
        if self.terms > MAX_TERMS {
            return Err(QueryError {
                at: place(condition),
                mistake: Mistake::TooManyTerms { max: MAX_TERMS },
            });
        }
        match condition {
            Condition::And(all) => Ok(Node::And(self.nodes(all, depth)?)),
            Condition::Or(some) => Ok(Node::Or(self.nodes(some, depth)?)),
            Condition::Not(inner) => Ok(Node::Not(Box::new(self.node(inner, depth + 1)?))),
            Condition::Compare { at, column, comparison, literal } => {
                let field = self.scope.field(column, *at)?;
                let bound =
                    Bound::resolve(literal, field).map_err(|mistake| QueryError { at: *at, mistake })?;
                self.note(field.operand);
                Ok(Node::Compare { operand: field.operand, comparison: *comparison, bound })
            }
            Condition::Present { at, column } => {
                let operand = self.scope.field(column, *at)?.operand;
                self.note(operand);
                Ok(Node::Present { operand })
            }
        }
    }

    fn nodes(&mut self, conditions: &[Condition], depth: usize) -> Result<Vec<Node>, QueryError> {
        conditions.iter().map(|condition| self.node(condition, depth + 1)).collect()
    }

    fn note(&mut self, operand: Operand) {
        if let Operand::Column(column) = operand
            && !self.columns.contains(&column)
        {
            self.columns.push(column);
        }
    }
}

/// Where a condition begins, as far as it knows.
fn place(condition: &Condition) -> usize {
    let mut condition = condition;
    loop {
        condition = match condition {
            Condition::Compare { at, .. } | Condition::Present { at, .. } => return *at,
            Condition::Not(inner) => inner,
            Condition::And(all) | Condition::Or(all) => match all.first() {
                Some(first) => first,
                None => return 0,
            },
        };
    }
}

impl Node {
    /// Recursion ends: [`MAX_DEPTH`].
    fn holds(&self, row: &impl Cells) -> bool {
        match self {
            Node::And(all) => all.iter().all(|node| node.holds(row)),
            Node::Or(some) => some.iter().any(|node| node.holds(row)),
            Node::Not(node) => !node.holds(row),
            Node::Compare { operand, comparison, bound } => {
                let ordering = match *operand {
                    Operand::Column(column) => row.cell(column).and_then(|value| bound.order(value)),
                    Operand::Index(part) => row.part(part).and_then(|value| bound.order_index(value)),
                };
                ordering.is_some_and(|ordering| comparison.holds(ordering))
            }
            Node::Present { operand } => match *operand {
                Operand::Column(column) => row.cell(column).is_some(),
                Operand::Index(part) => row.part(part).is_some(),
            },
        }
    }
}
