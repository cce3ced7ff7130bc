//! MBeans as queries see them.

use trunkline_jmx::model::{Mbean, ObjectName, Operand, Query, Value};

use crate::Bean;

/// An MBean with the attributes that a query needs.
#[derive(Debug)]
pub struct Seen<'b> {
    /// The MBean.
    pub bean: &'b Bean<'b>,
    /// Its name.
    pub name: &'b ObjectName,
    /// The name of its class.
    pub class: &'b str,
    /// Its attributes, those that have values.
    pub attributes: &'b [(&'b str, Value)],
}

impl Mbean for Seen<'_> {
    fn name(&self) -> &ObjectName {
        self.name
    }

    fn class_name(&self) -> &str {
        self.class
    }

    fn is_instance_of(&self, class: &str) -> bool {
        self.bean.is_instance_of(class)
    }

    fn attribute(&self, name: &str) -> Option<Value> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    }
}

/// The attributes that a query looks at, each once.
#[must_use]
pub fn attributes_of(query: &Query) -> Vec<String> {
    let mut names = Vec::new();
    of_query(query, &mut names);
    names.sort_unstable();
    names.dedup();
    names
}

fn of_query(query: &Query, names: &mut Vec<String>) {
    match query {
        Query::And(left, right) | Query::Or(left, right) => {
            of_query(left, names);
            of_query(right, names);
        }
        Query::Not(inner) => of_query(inner, names),
        Query::Relation(_, left, right) => [left, right].into_iter().for_each(|it| of_operand(it, names)),
        Query::Between(value, low, high) => {
            [value, low, high].into_iter().for_each(|it| of_operand(it, names));
        }
        Query::In(value, list) => {
            of_operand(value, names);
            list.iter().for_each(|it| of_operand(it, names));
        }
        Query::Match(value, _) => of_operand(value, names),
        Query::InstanceOf(_) | Query::Name(_) => {}
    }
}

fn of_operand(operand: &Operand, names: &mut Vec<String>) {
    match operand {
        Operand::Attribute(attribute) | Operand::Qualified { attribute, .. } => names.push(attribute.clone()),
        Operand::Operation(_, left, right) => {
            of_operand(left, names);
            of_operand(right, names);
        }
        Operand::Class
        | Operand::String(_)
        | Operand::Boolean(_)
        | Operand::Whole(_)
        | Operand::Fraction(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use trunkline_jmx::model::{Arithmetic, Relation, Work};

    use super::*;
    use crate::Catalog;

    #[test]
    fn queries_see_the_attributes_that_they_look_at() {
        let of = |name: &str| Operand::Attribute(name.to_owned());
        let sum = Operand::Operation(Arithmetic::Plus, Box::new(of("b")), Box::new(Operand::Whole(1)));
        let between = Query::Between(of("a"), sum, of("c"));
        let qualified =
            Operand::Qualified { class: "trunkline.ifEntry".to_owned(), attribute: "a".to_owned() };
        let listed = Query::In(qualified, vec![of("d"), Operand::Class]);
        let text = Query::Match(of("e"), "*".to_owned().into());
        let query = Query::And(
            Box::new(Query::Not(Box::new(between))),
            Box::new(Query::Or(Box::new(listed), Box::new(text))),
        );
        assert_eq!(attributes_of(&query), ["a", "b", "c", "d", "e"]);
    }

    #[test]
    fn a_row_is_what_its_attributes_are() {
        let catalog = Catalog::new(|_| true);
        let name: ObjectName = "trunkline:type=ifEntry,ifIndex=1".parse().unwrap();
        let bean = catalog.resolve(&name).unwrap();
        let attributes = [("ifMtu", Value::Integer(1500))];
        let class = bean.class_name();
        let seen = Seen { bean: &bean, name: &name, class: &class, attributes: &attributes };
        let mtu = |least| {
            Query::Relation(
                Relation::GreaterOrEqual,
                Operand::Attribute("ifMtu".to_owned()),
                Operand::Whole(least),
            )
        };
        let selects = |query: Query| query.selects(&seen, &mut Work::of(100));
        assert!(selects(mtu(1500)) && !selects(mtu(1501)));
        assert!(selects(Query::InstanceOf("trunkline.ifEntry".to_owned())));
    }
}
