//! Services, levels and relations.

use std::collections::{BTreeMap, VecDeque};

use trunkline_smi::schema::{Scalar, Table};

use super::Name;

/// One service of a [`Graph`], by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceId(pub(super) u32);

/// A service: a part of the management data with a name and a place among the others.
#[derive(Clone, Debug)]
pub struct Service {
    /// The name in URIs and expressions, as in `TCP`. It has none of `_ . / ? # [ ] { } ( ) , ! "`: these are
    /// separators.
    pub tag: String,
    /// Other names for expressions, as in `TCP Monitor Srv`.
    pub aliases: Vec<String>,
    /// How far it is from the root; 0 is the root's level.
    pub level: u32,
    /// Its data; empty if it only groups others.
    pub holds: Vec<Holding>,
}

/// A part of a service's data.
#[derive(Clone, Debug)]
pub enum Holding {
    /// Single-instance data.
    Scalars(Vec<&'static Scalar>),
    /// A table.
    Table(&'static Table),
    /// One row of a table.
    Row {
        /// The table.
        table: &'static Table,
        /// The row's index.
        index: Vec<u32>,
    },
}

impl Holding {
    /// Whether an instance, or all of an object, is a part of it.
    #[must_use]
    pub fn has(&self, name: &[u32]) -> bool {
        match self {
            Holding::Scalars(scalars) => scalars.iter().any(|scalar| name.starts_with(scalar.oid)),
            Holding::Table(table) => name.starts_with(table.oid),
            Holding::Row { table, index } => {
                matches!(name.strip_prefix(table.oid), Some([1, _, row @ ..]) if row == index)
            }
        }
    }
}

/// A relation from one service to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// Its name, as in `contains`.
    pub name: String,
    /// The sending service.
    pub from: ServiceId,
    /// The recipient.
    pub to: ServiceId,
}

/// Why services and relations make no graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// A name that is not allowed in a URI.
    #[error(
        "`{name}` cannot be a name in a URI: a name has at least one character and none of _ . / ? # [ ] {{ }} ( ) , ! \" %"
    )]
    BadName {
        /// The name.
        name: String,
    },
    /// Two services of one name.
    #[error("there are two services `{name}`")]
    Twice {
        /// The name.
        name: String,
    },
    /// A relation from or to a service that does not exist.
    #[error("there is no service `{name}`")]
    NoService {
        /// The name.
        name: String,
    },
    /// One service with different levels.
    #[error("service `{name}` has both level {first} and level {second}")]
    Levels {
        /// The service.
        name: String,
        /// One of them.
        first: u32,
        /// The other.
        second: u32,
    },
    /// Too many services or relations.
    #[error("there are more than {most} {what}")]
    TooMany {
        /// How many there may be.
        most: usize,
        /// Services or relations.
        what: &'static str,
    },
}

/// How many services there may be.
const MAX_SERVICES: usize = 16_384;
/// How many relations there may be.
const MAX_RELATIONS: usize = 65_536;
/// How long a name may be.
const MAX_NAME: usize = 255;

/// Services and relations, complete.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub(super) services: Vec<Service>,
    pub(super) relations: Vec<Relation>,
    by_name: BTreeMap<String, ServiceId>,
    /// The ends of the relations of each name.
    pub(super) by_relation: BTreeMap<String, Vec<(ServiceId, ServiceId)>>,
}

/// Collects services and relations.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    graph: Graph,
    /// The levels that were given; `None`: found by the relations.
    levels: Vec<Option<u32>>,
}

impl Graph {
    /// All services, in the order in which they were added.
    pub fn services(&self) -> impl Iterator<Item = (ServiceId, &Service)> {
        self.services.iter().enumerate().map(|(position, service)| (ServiceId(position as u32), service))
    }

    /// All relations, in the order in which they were added.
    pub fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// The names of all relations.
    pub fn relation_names(&self) -> impl Iterator<Item = &str> {
        self.by_relation.keys().map(String::as_str)
    }

    /// A service.
    pub fn service(&self, id: ServiceId) -> &Service {
        &self.services[id.0 as usize]
    }

    /// The service of a tag or another name of it.
    pub fn find(&self, name: &str) -> Option<ServiceId> {
        self.by_name.get(name).copied()
    }

    /// The service that a name in an expression means.
    pub fn meant(&self, name: &Name) -> Option<ServiceId> {
        let without_blanks = || self.find(&name.text.split(' ').collect::<String>());
        self.find(&name.text).or_else(without_blanks)
    }

    /// The relation that a name in an expression means.
    pub(super) fn relation_meant(&self, name: &Name) -> Option<&[(ServiceId, ServiceId)]> {
        let exact = self.by_relation.get(&name.text);
        let found = exact.or_else(|| self.by_relation.get(&name.text.split(' ').collect::<String>()));
        found.map(Vec::as_slice)
    }
}

impl GraphBuilder {
    /// Adds a service; without a level it gets the least number of relations that lead to it from a service to which
    /// none leads.
    pub fn service(
        &mut self,
        tag: &str,
        aliases: &[String],
        level: Option<u32>,
        holds: Vec<Holding>,
    ) -> Result<ServiceId, GraphError> {
        if self.graph.services.len() >= MAX_SERVICES {
            return Err(GraphError::TooMany { most: MAX_SERVICES, what: "services" });
        }
        check_tag(tag)?;
        let id = ServiceId(self.graph.services.len() as u32);
        for name in std::iter::once(tag).chain(aliases.iter().map(String::as_str)) {
            if name.trim().is_empty() || name.len() > MAX_NAME {
                return Err(GraphError::BadName { name: name.to_owned() });
            }
            if self.graph.by_name.insert(super::tidy(name), id).is_some_and(|other| other != id) {
                return Err(GraphError::Twice { name: name.to_owned() });
            }
        }
        let service =
            Service { tag: tag.to_owned(), aliases: aliases.to_vec(), level: level.unwrap_or(0), holds };
        self.graph.services.push(service);
        self.levels.push(level);
        Ok(id)
    }

    /// Adds a relation between two services that are there already; once is enough.
    pub fn relation(&mut self, name: &str, from: &str, to: &str) -> Result<(), GraphError> {
        check_tag(name)?;
        let find = |service: &str| {
            let found = self.graph.find(service);
            found.ok_or_else(|| GraphError::NoService { name: service.to_owned() })
        };
        let (from, to) = (find(from)?, find(to)?);
        self.relate(name, from, to)
    }

    /// Whether no service has this name.
    pub fn is_free(&self, name: &str) -> bool {
        self.graph.find(&super::tidy(name)).is_none()
    }

    /// Whether this can be the name of a relation.
    pub fn check_relation(&self, name: &str) -> Result<(), GraphError> {
        check_tag(name)
    }

    pub(super) fn relate(&mut self, name: &str, from: ServiceId, to: ServiceId) -> Result<(), GraphError> {
        if self.graph.relations.len() >= MAX_RELATIONS {
            return Err(GraphError::TooMany { most: MAX_RELATIONS, what: "relations" });
        }
        self.graph.relations.push(Relation { name: name.to_owned(), from, to });
        self.graph.by_relation.entry(name.to_owned()).or_default().push((from, to));
        Ok(())
    }

    pub(super) fn find(&self, tag: &str) -> Option<(ServiceId, Option<u32>)> {
        let id = self.graph.find(tag)?;
        Some((id, self.levels[id.0 as usize]))
    }

    /// The graph, with a level for each service.
    pub fn build(mut self) -> Graph {
        for ends in self.graph.by_relation.values_mut() {
            ends.sort_unstable();
            ends.dedup();
        }
        let mut seen = std::collections::BTreeSet::new();
        self.graph
            .relations
            .retain(|relation| seen.insert((relation.name.clone(), relation.from, relation.to)));
        self.find_levels();
        self.graph
    }

    /// Breadth first from the roots. A cycle to which nothing leads is entered at its first service.
    fn find_levels(&mut self) {
        let count = self.graph.services.len();
        let mut out = vec![Vec::new(); count];
        let mut is_recipient = vec![false; count];
        for relation in &self.graph.relations {
            out[relation.from.0 as usize].push(relation.to.0 as usize);
            if relation.from != relation.to {
                is_recipient[relation.to.0 as usize] = true;
            }
        }
        let roots = (0..count).filter(|at| !is_recipient[*at]);
        let others = (0..count).filter(|at| is_recipient[*at]);
        let mut levels: Vec<Option<u32>> = vec![None; count];
        // All roots together, so that what several lead to is at the least distance; then what none leads to.
        let mut queue: VecDeque<usize> = roots.collect();
        queue.iter().for_each(|root| levels[*root] = Some(self.levels[*root].unwrap_or(0)));
        spread(&mut queue, &out, &self.levels, &mut levels);
        for at in others {
            if levels[at].is_none() {
                levels[at] = Some(self.levels[at].unwrap_or(0));
                queue.push_back(at);
                spread(&mut queue, &out, &self.levels, &mut levels);
            }
        }
        for (service, level) in self.graph.services.iter_mut().zip(levels) {
            service.level = level.unwrap_or(0);
        }
    }
}

fn spread(
    queue: &mut VecDeque<usize>,
    out: &[Vec<usize>],
    given: &[Option<u32>],
    levels: &mut [Option<u32>],
) {
    while let Some(at) = queue.pop_front() {
        let next = levels[at].unwrap_or(0).saturating_add(1);
        for &to in &out[at] {
            if levels[to].is_none() {
                levels[to] = Some(given[to].unwrap_or(next));
                queue.push_back(to);
            }
        }
    }
}

/// A tag or the name of a relation must survive a round trip through a secondary URI.
fn check_tag(tag: &str) -> Result<(), GraphError> {
    let is_wrong = |c: char| "_./?#[]{}(),!\"%\\".contains(c) || c.is_control();
    let is_tidy = super::tidy(tag) == tag;
    if tag.is_empty() || tag.len() > MAX_NAME || tag.contains(is_wrong) || !is_tidy {
        return Err(GraphError::BadName { name: tag.to_owned() });
    }
    Ok(())
}
