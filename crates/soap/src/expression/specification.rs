//! Services and relations as in a configuration, and the default tree.

use trunkline_query::services::{Graph, GraphBuilder, GraphError, Holding, PathSelection};
use trunkline_smi::schema::{IndexEncoding, Table};

use super::objects::{Object, object, scalars_of};
use super::{DataItem, Rows, parse_data};

/// `[[service]]`: one service, or with `each` one for each row of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServiceSpec {
    /// The tag; with `each` the part before `-` and the row's index.
    pub tag: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// The level; `None`: found by the relations.
    pub level: Option<u32>,
    /// Its data: scalars, a node with scalars below it (`tcp`), tables, single rows (`ifEntry[2]`).
    pub holds: Vec<String>,
    /// Tables with one service for each row, the first of them saying which rows there are.
    pub each: Vec<String>,
    /// A column of the first of `each` with the other name of each service.
    pub named_by: Option<String>,
}

impl ServiceSpec {
    /// The table and the row of which a service with this tag is, if it is one of those for each row.
    fn row(&self, tag: &str) -> Option<(&'static Table, u32)> {
        let table = each_table(self.each.first()?)?;
        let index = tag.strip_prefix(&*self.tag)?.strip_prefix('-')?.parse::<u32>().ok()?;
        (tag == format!("{}-{index}", self.tag)).then_some((table, index))
    }
}

/// `[[relation]]`: from every service of some tags to every service of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelationSpec {
    /// Its name.
    pub name: String,
    /// The sending service, by its tag or another name.
    pub from: String,
    /// The recipients; the tag of one with `each` means all of its services.
    pub to: Vec<String>,
}

/// What is configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specification {
    /// The services.
    pub services: Vec<ServiceSpec>,
    /// The relations between them.
    pub relations: Vec<RelationSpec>,
}

/// A service or a relation that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct SpecificationError {
    /// Which part of it.
    pub part: SpecificationPart,
    /// What is wrong.
    pub problem: SpecificationProblem,
}

/// A part of a [`Specification`], by positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecificationPart {
    /// The tag, the other names or the level of a service.
    Service(usize),
    /// One of the things that a service holds.
    Holds(usize, usize),
    /// One of its `each`.
    Each(usize, usize),
    /// Its `named_by`.
    NamedBy(usize),
    /// The name or the sender of a relation.
    Relation(usize),
    /// One of its recipients.
    To(usize, usize),
}

/// What is wrong with a part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecificationProblem {
    /// It makes no graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A name that no module has.
    #[error(
        "expected a scalar, a node with scalars below it, a table, or a row as in ifEntry[2]; no module has `{name}`"
    )]
    Unknown {
        /// The name.
        name: String,
    },
    /// Not one row.
    #[error(
        "expected one row of a table with one number for an index, as in ifEntry[2], or a table without brackets"
    )]
    NotOneRow,
    /// A table whose rows cannot be services.
    #[error("expected a table with one number for an index, such as ifTable: `{name}` is not one")]
    NotEach {
        /// The name.
        name: String,
    },
    /// A column that does not belong to the table.
    #[error("expected a column of {table}: `{name}` is not one")]
    NotColumn {
        /// The name.
        name: String,
        /// The table.
        table: &'static str,
    },
}

/// The rows of a table: for each its index, and the text of a column if one is requested.
pub type RowNames<'r> = dyn Fn(&'static Table, Option<u32>) -> Vec<(u32, Option<String>)> + 'r;

/// The maximum number of rows that become services.
const MAX_EACH: usize = 4096;

impl Default for Specification {
    /// The tree of D7.1's figure 5.10: IP, TCP with its single-instance data and its connections, and a service for each
    /// interface.
    fn default() -> Self {
        let service = |tag: &str, aliases: &[&str], holds: &[&str]| ServiceSpec {
            tag: tag.to_owned(),
            aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
            holds: holds.iter().map(|name| (*name).to_owned()).collect(),
            ..ServiceSpec::default()
        };
        let relation = |from: &str, to: &[&str]| RelationSpec {
            name: "contains".to_owned(),
            from: from.to_owned(),
            to: to.iter().map(|to| (*to).to_owned()).collect(),
        };
        let interface = ServiceSpec {
            each: vec!["ifTable".to_owned(), "ifXTable".to_owned()],
            named_by: Some("ifDescr".to_owned()),
            ..service("Interface", &[], &[])
        };
        let mut connections = vec!["tcpConnTable", "tcpConnectionTable"];
        let statistics = ["tcpEStatsConnectIdTable", "tcpEStatsPerfTable"];
        connections.extend(statistics.into_iter().filter(|table| object(table).is_some()));
        Specification {
            services: vec![
                service("Root", &["Monitoring Srv"], &[]),
                service("IP", &["IP Monitor Srv"], &["ip"]),
                service("TCP", &["TCP Monitor Srv"], &[]),
                service("TCP-Data", &["TCP single instance data"], &["tcp"]),
                service("TCP-Connections", &["TCP connections"], &connections),
                service("Interfaces", &["Interfaces Monitor Srv"], &["ifNumber"]),
                interface,
            ],
            relations: vec![
                relation("Root", &["IP", "TCP", "Interfaces"]),
                relation("TCP", &["TCP-Data", "TCP-Connections"]),
                relation("Interfaces", &["Interface"]),
            ],
        }
    }
}

impl Specification {
    /// The tables whose rows are services, with the columns that name them, as [`Specification::graph`] needs
    /// them.
    pub fn row_tables(&self) -> Vec<(&'static Table, Option<u32>)> {
        let of = |service: &ServiceSpec| {
            let table = each_table(service.each.first()?)?;
            let column = service.named_by.as_ref().and_then(|name| {
                let column = table.columns.iter().find(|column| column.name == name)?;
                Some(column.id)
            });
            Some((table, column))
        };
        self.services.iter().filter_map(of).collect()
    }

    /// The graph, with the current rows.
    pub fn graph(&self, rows: &RowNames<'_>) -> Result<Graph, SpecificationError> {
        let mut builder = GraphBuilder::default();
        let mut tags = Vec::new();
        for (at, service) in self.services.iter().enumerate() {
            let wrong = |part, problem| SpecificationError { part, problem };
            let mut holds = Vec::new();
            for (which, name) in service.holds.iter().enumerate() {
                let held =
                    holding(name).map_err(|problem| wrong(SpecificationPart::Holds(at, which), problem))?;
                holds.push(held);
            }
            let own = |problem: GraphError| wrong(SpecificationPart::Service(at), problem.into());
            if service.each.is_empty() {
                builder.service(&service.tag, &service.aliases, service.level, holds).map_err(own)?;
                tags.push((service.tag.clone(), service.aliases.clone(), vec![service.tag.clone()]));
                continue;
            }
            let made = self.each(at, &holds, rows, &mut builder)?;
            tags.push((service.tag.clone(), service.aliases.clone(), made));
        }
        for (at, relation) in self.relations.iter().enumerate() {
            relate(&mut builder, at, relation, &tags)?;
        }
        Ok(builder.build())
    }

    /// What the service of this tag and those below it hold, or all services, whichever rows there are: of a table with a
    /// service for each of its rows the whole table, unless the tag is that of one of these. `None`: there is no such service.
    pub fn below(&self, tag: Option<&str>) -> Option<Vec<Holding>> {
        let own = tag.and_then(|tag| self.services.iter().find_map(|service| service.row(tag)));
        // In place of all rows stands one that is not the service's own.
        let any = |table: &Table| match own {
            Some((of, u32::MAX)) if of.name == table.name => u32::MAX - 1,
            _ => u32::MAX,
        };
        let rows = |table: &'static Table, _: Option<u32>| {
            let own = own.filter(|(of, _)| of.name == table.name).map(|(_, index)| index);
            own.into_iter().chain([any(table)]).map(|index| (index, None)).collect()
        };
        let graph = self.graph(&rows).ok()?;
        let services = match tag {
            Some(tag) => graph.select(&PathSelection::whole(tag)).ok()?.services,
            None => graph.services().map(|(id, _)| id).collect(),
        };
        let held = services.iter().flat_map(|id| graph.service(*id).holds.iter().cloned());
        let whole = |holding| match holding {
            Holding::Row { table, index } if index == [any(table)] => Holding::Table(table),
            other => other,
        };
        Some(held.map(whole).collect())
    }

    /// A service for each row; their tags.
    fn each(
        &self,
        at: usize,
        holds: &[Holding],
        rows: &RowNames<'_>,
        builder: &mut GraphBuilder,
    ) -> Result<Vec<String>, SpecificationError> {
        let service = &self.services[at];
        let mut tables = Vec::new();
        for (which, name) in service.each.iter().enumerate() {
            let problem = || SpecificationProblem::NotEach { name: name.clone() };
            let part = SpecificationPart::Each(at, which);
            tables.push(each_table(name).ok_or_else(|| SpecificationError { part, problem: problem() })?);
        }
        let first = tables[0];
        let column = match &service.named_by {
            None => None,
            Some(name) => {
                let column = first.columns.iter().find(|column| column.name == name);
                let problem = || SpecificationProblem::NotColumn { name: name.clone(), table: first.name };
                let part = SpecificationPart::NamedBy(at);
                Some(column.ok_or_else(|| SpecificationError { part, problem: problem() })?.id)
            }
        };
        let mut made = Vec::new();
        for (index, name) in rows(first, column).into_iter().take(MAX_EACH) {
            let tag = format!("{}-{index}", service.tag);
            let row = |table: &&'static Table| Holding::Row { table, index: vec![index] };
            let held = holds.iter().cloned().chain(tables.iter().map(row)).collect();
            // Two rows of one name, or one that something else has: the first keeps it.
            let name = name.filter(|name| !name.trim().is_empty() && builder.is_free(name));
            let aliases: Vec<String> = name.into_iter().collect();
            builder.service(&tag, &aliases, service.level, held).map_err(|problem| SpecificationError {
                part: SpecificationPart::Service(at),
                problem: problem.into(),
            })?;
            made.push(tag);
        }
        Ok(made)
    }
}

/// Each service of the specification: its tag, its other names, and the tags of the services made from it.
type Tags = [(String, Vec<String>, Vec<String>)];

fn relate(
    builder: &mut GraphBuilder,
    at: usize,
    relation: &RelationSpec,
    tags: &Tags,
) -> Result<(), SpecificationError> {
    let made = |name: &str, part| {
        let is_meant = |entry: &&(String, Vec<String>, Vec<String>)| {
            entry.0 == name || entry.1.iter().any(|alias| alias == name)
        };
        let found = tags.iter().find(is_meant).map(|entry| entry.2.as_slice());
        let problem = || GraphError::NoService { name: name.to_owned() }.into();
        found.ok_or_else(|| SpecificationError { part, problem: problem() })
    };
    let from = made(&relation.from, SpecificationPart::Relation(at))?;
    for (which, to) in relation.to.iter().enumerate() {
        let to = made(to, SpecificationPart::To(at, which))?;
        for (from, to) in from.iter().flat_map(|from| to.iter().map(move |to| (from, to))) {
            builder.relation(&relation.name, from, to).map_err(|problem| SpecificationError {
                part: SpecificationPart::Relation(at),
                problem: problem.into(),
            })?;
        }
    }
    if relation.to.is_empty() {
        let check = builder.check_relation(&relation.name);
        check.map_err(|problem| SpecificationError {
            part: SpecificationPart::Relation(at),
            problem: problem.into(),
        })?;
    }
    Ok(())
}

fn each_table(name: &str) -> Option<&'static Table> {
    let Some(Object::Table(table)) = object(name) else { return None };
    has_one_number(table).then_some(table)
}

fn has_one_number(table: &Table) -> bool {
    matches!(table.index, [only] if only.encoding == IndexEncoding::Integer)
}

fn holding(text: &str) -> Result<Holding, SpecificationProblem> {
    let unknown = || SpecificationProblem::Unknown { name: text.to_owned() };
    let data = parse_data(text).map_err(|_| unknown())?;
    let [DataItem { name, rows }] = data.items.as_slice() else { return Err(unknown()) };
    match (object(&name.text), rows) {
        (Some(Object::Table(table)), None | Some(Rows::All)) => Ok(Holding::Table(table)),
        (Some(Object::Table(table)), Some(Rows::One(index))) if has_one_number(table) => {
            let index = u32::try_from(*index).map_err(|_| SpecificationProblem::NotOneRow)?;
            Ok(Holding::Row { table, index: vec![index] })
        }
        (_, Some(_)) => Err(SpecificationProblem::NotOneRow),
        (_, None) => {
            let scalars = scalars_of(&name.text);
            if scalars.is_empty() { Err(unknown()) } else { Ok(Holding::Scalars(scalars)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interfaces(table: &'static Table, column: Option<u32>) -> Vec<(u32, Option<String>)> {
        assert_eq!((table.name, column), ("ifTable", Some(2)));
        vec![(1, Some("lo".to_owned())), (2, Some("eth0".to_owned())), (7, Some("eth0".to_owned()))]
    }

    #[test]
    fn the_tree_of_figure_5_10() {
        let graph = Specification::default().graph(&interfaces).unwrap();
        let level = |name: &str| graph.service(graph.find(name).unwrap()).level;
        assert_eq!(
            ["Root", "TCP Monitor Srv", "TCP-Connections", "eth0", "Interface-7"].map(level),
            [0, 1, 2, 2, 2]
        );
        assert_eq!(graph.find("eth0"), graph.find("Interface-2"));
        assert_eq!(graph.relations().len(), 8);
    }

    #[test]
    fn a_service_has_what_it_holds_and_what_is_below_it_whichever_rows_there_are() {
        let all = Specification::default();
        let has = |tag: Option<&str>, name: &str| {
            let name: trunkline_smi::Oid = name.parse().unwrap();
            all.below(tag).unwrap().iter().any(|holding| holding.has(&name))
        };
        let (mtu, alias, counter) =
            ("1.3.6.1.2.1.2.2.1.4.7", "1.3.6.1.2.1.31.1.1.1.18.7", "1.3.6.1.2.1.6.5.0");
        for tag in ["Root", "Interfaces", "Interface-7"] {
            assert!(has(Some(tag), mtu) && has(Some(tag), alias), "{tag}");
        }
        assert!(!has(Some("Interface-8"), mtu) && !has(Some("TCP"), mtu) && has(None, mtu));
        // A column as a whole is that of all interfaces.
        assert!(
            has(Some("Interfaces"), "1.3.6.1.2.1.2.2.1.4")
                && !has(Some("Interface-7"), "1.3.6.1.2.1.2.2.1.4")
        );
        assert!(has(Some("TCP"), counter) && has(Some("Root"), counter) && !has(Some("Interfaces"), counter));
        assert!(has(Some("Interface-4294967295"), "1.3.6.1.2.1.2.2.1.4.4294967295"));
        assert!(!has(Some("Interface-4294967295"), mtu));
        // sysUpTime is in no service.
        assert!(!has(None, "1.3.6.1.2.1.1.3.0"));
        for tag in ["UDP", "Interface", "Interface-", "Interface-07", "Interface-x"] {
            assert!(all.below(Some(tag)).is_none(), "{tag}");
        }
    }

    #[test]
    fn impossible_specifications_are_refused_with_a_position() {
        let check = |change: &dyn Fn(&mut Specification)| {
            let mut specification = Specification::default();
            change(&mut specification);
            let error = specification.graph(&interfaces).unwrap_err();
            (error.part, error.to_string())
        };
        let (part, words) = check(&|all| all.services[1].holds.push("ipp".to_owned()));
        assert_eq!(part, SpecificationPart::Holds(1, 1));
        assert!(words.ends_with("no module has `ipp`"), "{words}");
        let (part, _) = check(&|all| all.services[1].holds.push("ifEntry[1-2]".to_owned()));
        assert_eq!(part, SpecificationPart::Holds(1, 1));
        let (part, _) = check(&|all| all.services[6].each[0] = "tcpConnTable".to_owned());
        assert_eq!(part, SpecificationPart::Each(6, 0));
        let (part, _) = check(&|all| all.services[6].named_by = Some("ifName".to_owned()));
        assert_eq!(part, SpecificationPart::NamedBy(6));
        let (part, words) = check(&|all| all.relations[0].to.push("UDP".to_owned()));
        assert_eq!((part, words.as_str()), (SpecificationPart::To(0, 3), "there is no service `UDP`"));
        let (part, _) = check(&|all| all.relations[1].name = "a.b".to_owned());
        assert_eq!(part, SpecificationPart::Relation(1));
        let (part, _) = check(&|all| all.services[2].tag = "IP".to_owned());
        assert_eq!(part, SpecificationPart::Service(2));
    }
}
