//! The operation of tables: `rows(from, count, columns, filter)`.

use trunkline_jmx::model::{Array, Query, Value};

use crate::{ROWS, TableBean};

/// Which rows are wanted, and what of them.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsCall {
    /// How many of the rows that are selected are left out.
    pub from: usize,
    /// How many are wanted at most.
    pub count: usize,
    /// Which attributes of rows, by their positions.
    pub columns: Vec<usize>,
    /// Which rows; `None`: all.
    pub filter: Option<Query>,
}

/// Why a call is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongCall {
    /// The MBean does not have the operation.
    #[error("no operation {operation}({signature}); a table has {ROWS}(int, int, String[], QueryExp)")]
    Operation {
        /// Its name.
        operation: String,
        /// The classes of its parameters.
        signature: String,
    },
    /// A parameter is not of its class.
    #[error("{found} as the parameter {parameter}, which is {expected}")]
    Parameter {
        /// Which.
        parameter: &'static str,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// Rows do not have the attribute.
    #[error("rows of {table} have no attribute {column:?}")]
    Column {
        /// The table.
        table: &'static str,
        /// What they do not have.
        column: String,
    },
}

impl RowsCall {
    /// The classes of the parameters.
    pub const SIGNATURE: [&'static str; 4] =
        ["int", "int", "[Ljava.lang.String;", "javax.management.QueryExp"];

    /// From the parameters of a call.
    ///
    /// # Errors
    /// [`WrongCall`]
    pub fn read(
        of: &TableBean,
        operation: &str,
        signature: Option<&[String]>,
        parameters: Value,
    ) -> Result<Self, WrongCall> {
        let no_such = || WrongCall::Operation {
            operation: operation.to_owned(),
            signature: signature.unwrap_or_default().join(", "),
        };
        let is_it = |signature: &[String]| signature.iter().map(String::as_str).eq(Self::SIGNATURE);
        if operation != ROWS || !signature.is_some_and(is_it) {
            return Err(no_such());
        }
        let Value::Array(Array::Objects { items, .. }) = parameters else { return Err(no_such()) };
        let [from, count, columns, filter] = <[Value; 4]>::try_from(items).map_err(|_| no_such())?;
        let filter = match filter {
            Value::Null => None,
            Value::Query(query) => Some(*query),
            Value::Name(name) => Some(Query::Name(name)),
            other => return Err(wrong("filter", "javax.management.QueryExp", other.class_name())),
        };
        Ok(RowsCall {
            from: number("from", &from)?.unwrap_or(0),
            count: number("count", &count)?.unwrap_or(usize::MAX),
            columns: columns_of(of, columns)?,
            filter,
        })
    }
}

/// A number of rows; `None` if it is negative.
fn number(parameter: &'static str, value: &Value) -> Result<Option<usize>, WrongCall> {
    match value {
        Value::Integer(number) => Ok(usize::try_from(*number).ok()),
        other => Err(wrong(parameter, "int", other.class_name())),
    }
}

fn columns_of(of: &TableBean, columns: Value) -> Result<Vec<usize>, WrongCall> {
    let expected = "[Ljava.lang.String;";
    let names = match columns {
        Value::Null => return Ok((0..of.attributes.len()).collect()),
        Value::Array(Array::Strings(names)) => names,
        other => return Err(wrong("columns", expected, other.class_name())),
    };
    // Each column is read once.
    if names.len() > of.attributes.len() {
        return Err(wrong("columns", expected, "more names than there are attributes"));
    }
    let place = |column: String| {
        let place = of.attributes.iter().position(|attribute| attribute.name == column);
        place.ok_or(WrongCall::Column { table: of.table.name, column })
    };
    names.into_iter().map(place).collect()
}

fn wrong(parameter: &'static str, expected: &'static str, found: &str) -> WrongCall {
    WrongCall::Parameter { parameter, expected, found: found.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bean, Catalog};

    fn read(operation: &str, signature: &[&str], items: Vec<Value>) -> Result<RowsCall, WrongCall> {
        let catalog = Catalog::new(|_| true);
        let Some(Bean::Table(bean)) = catalog.resolve(&"trunkline:type=ifTable".parse().unwrap()) else {
            panic!("no ifTable")
        };
        let signature: Vec<String> = signature.iter().map(|it| (*it).to_owned()).collect();
        RowsCall::read(bean, operation, Some(&signature), Value::Array(Array::objects(items)))
    }

    fn rows(items: Vec<Value>) -> Result<RowsCall, WrongCall> {
        read(ROWS, &RowsCall::SIGNATURE, items)
    }

    fn names(names: &[&str]) -> Value {
        Value::Array(Array::Strings(names.iter().map(|name| (*name).to_owned()).collect()))
    }

    #[test]
    fn calls_say_which_rows_and_columns() {
        let call = rows(vec![Value::Integer(2), Value::Integer(-1), Value::Null, Value::Null]).unwrap();
        assert_eq!((call.from, call.count, call.columns.len()), (2, usize::MAX, 22));
        let filter = Query::InstanceOf("a".to_owned());
        let call = rows(vec![
            Value::Integer(0),
            Value::Integer(10),
            names(&["ifMtu", "ifIndex"]),
            Value::Query(Box::new(filter.clone())),
        ]);
        let expected = RowsCall { from: 0, count: 10, columns: vec![3, 0], filter: Some(filter) };
        assert_eq!(call, Ok(expected));
    }

    #[test]
    fn other_calls_are_refused() {
        let numbers = || vec![Value::Integer(0), Value::Integer(1)];
        let with = |more: [Value; 2]| [numbers(), more.to_vec()].concat();
        for (result, words) in [
            (read("row", &RowsCall::SIGNATURE, with([Value::Null, Value::Null])), "no operation row(int"),
            (read(ROWS, &["int"], numbers()), "no operation rows(int)"),
            (rows(numbers()), "no operation"),
            (rows(with([names(&["ifNumber"]), Value::Null])), "no attribute \"ifNumber\""),
            (rows(with([names(&["ifMtu"; 23]), Value::Null])), "more names"),
            (rows(with([Value::Null, "ifMtu > 3".into()])), "java.lang.String as the parameter filter"),
            (rows(with(["ifMtu".into(), Value::Null])), "the parameter columns"),
            (
                rows(vec!["a".into(), Value::Integer(1), Value::Null, Value::Null]),
                "java.lang.String as the parameter from, which is int",
            ),
        ] {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
