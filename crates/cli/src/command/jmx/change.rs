//! `set` and `invoke`: attributes are written, operations called.

use std::io::Write;

use trunkline_jmxclient::Error as JmxError;
use trunkline_jmxclient::jmx::model::{Attribute, Info, ObjectName, OperationInfo, Value};
use trunkline_jmxclient::leaves::leaves;
use trunkline_jmxclient::{json, path, words};
use trunkline_smi::visible;

use super::{Found, Mbeans};
use crate::arguments::InvokeArgs;
use crate::destination::Destination;
use crate::error::Error;
use crate::print::{Form, Printer};

/// What is to be set.
pub struct Assignment {
    name: ObjectName,
    attribute: String,
    text: String,
}

/// Reads the words of the command line.
pub fn assignments(words: &[String]) -> Result<Vec<Assignment>, Error> {
    words.iter().map(|word| assignment(word)).collect()
}

fn assignment(word: &str) -> Result<Assignment, Error> {
    let expected = "expected NAME/ATTRIBUTE=VALUE, as in java.lang:type=Memory/Verbose=true";
    let (name, attribute, text) =
        path::assignment(word).ok_or_else(|| Error::Usage(format!("{word}: {expected}")))?;
    if name.is_pattern() {
        let words = "a pattern of MBeans is read, not set: name one";
        return Err(Error::Usage(format!("{}: {words}", name.to_text())));
    }
    Ok(Assignment { name, attribute, text })
}

/// Sets attributes one after the other: JMX has no transactions. All are checked before the first is set.
pub async fn set<W: Write>(
    assignments: &[Assignment],
    mbeans: &Mbeans,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let of_url = match (assignments, mbeans.path()) {
        ([], Some(path)) => vec![assignment(path)?],
        _ => Vec::new(),
    };
    let assignments = if of_url.is_empty() { assignments } else { &of_url };
    if assignments.is_empty() {
        let expected = "nothing is set: expected NAME/ATTRIBUTE=VALUE after the JVM, as in java.lang:type=Memory/Verbose=true";
        return Err(Error::Usage(expected.to_owned()));
    }
    let mut values = Vec::with_capacity(assignments.len());
    for assignment in assignments {
        values.push(value(assignment, mbeans).await?);
    }
    for (Assignment { name, attribute, .. }, value) in assignments.iter().zip(values) {
        let new = Attribute { name: attribute.clone(), value: value.clone() };
        let done = mbeans.session.set_attribute(name, new).await;
        if let Err(fault) = done {
            printer.finish()?;
            let outcome = if fault.has_thrown() { " was not set" } else { "" };
            return Err(mbeans.failed_at(&format!("{}/{attribute}{outcome}", name.to_text()), &fault));
        }
        let found = Found::new(name.to_text(), attribute.clone(), Ok(value));
        found.print(printer)?;
    }
    Ok(printer.finish()?)
}

/// The value of the attribute's class.
async fn value(assignment: &Assignment, mbeans: &Mbeans) -> Result<Value, Error> {
    let Assignment { name, attribute, text } = assignment;
    let info = info(name, mbeans).await?;
    let place = format!("{}/{attribute}", name.to_text());
    let known = info.attributes.iter().find(|known| known.feature.name.as_deref() == Some(attribute));
    let Some(known) = known else {
        let all = info.attributes.iter().filter(|known| known.writable);
        let all: Vec<&str> = all.filter_map(|known| known.feature.name.as_deref()).collect();
        let all = if all.is_empty() { "none".to_owned() } else { all.join(" ") };
        return Err(Error::Usage(format!("{place}: no such attribute; those that can be set: {all}")));
    };
    if !known.writable {
        return Err(Error::Usage(format!("{place} can only be read")));
    }
    let class = known.class.as_deref().unwrap_or("java.lang.Object");
    words::parse(class, text).map_err(|fault| Error::Usage(format!("{place}: {fault}")))
}

async fn info(name: &ObjectName, mbeans: &Mbeans) -> Result<Info, Error> {
    mbeans.session.info(name).await.map_err(|fault| mbeans.failed_at(&name.to_text(), &fault))
}

/// `invoke`: calls one operation.
pub async fn invoke<W: Write>(
    arguments: &InvokeArgs,
    destination: &Destination,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let mbeans = Mbeans::open(destination, false).await?;
    let (place, parameters) = match (mbeans.path(), arguments.words.split_first()) {
        (Some(path), _) => (path, &arguments.words[..]),
        (None, Some((place, parameters))) => (place.as_str(), parameters),
        (None, None) => {
            let expected = "no operation is given: expected NAME/OPERATION, as in java.lang:type=Memory/gc";
            return Err(Error::Usage(expected.to_owned()));
        }
    };
    let expected =
        || Error::Usage(format!("{place}: expected NAME/OPERATION, as in java.lang:type=Memory/gc"));
    let (name, operation, signature) = path::operation(place).ok_or_else(expected)?;
    let info = info(&name, &mbeans).await?;
    let (values, signature) = fitting(&info, &operation, signature.as_deref(), parameters)?;
    let result = mbeans.session.invoke(&name, &operation, values, signature).await;
    let result = result.map_err(|fault| match fault {
        // What it has done is done; only the result has a class that is not read.
        JmxError::Malformed(fault) => {
            let words = format!("{place} was carried out; its result cannot be read: {fault}");
            Error::Runtime(visible(&words).into_owned())
        }
        fault => mbeans.failed_at(place, &fault),
    })?;
    print(&name, &operation, &result, printer)?;
    printer.finish()?;
    mbeans.close().await;
    Ok(())
}

fn print<W: Write>(
    name: &ObjectName,
    operation: &str,
    result: &Value,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let mbean = name.to_text();
    match printer.form() {
        Form::Json | Form::JsonLines => {
            let result = serde_json::json!({
                "mbean": mbean, "operation": operation, "class": result.class_name(), "value": json::json(result),
            });
            printer.object(&result)?;
        }
        Form::Csv => {
            for leaf in leaves(result) {
                let cells = [mbean.clone(), format!("{operation}{}", leaf.way), leaf.text];
                printer.row(&["mbean", "operation", "value"], &cells)?;
            }
        }
        // Reports, such as those of DiagnosticCommand, have lines of their own.
        Form::Text if matches!(result, Value::String(text) if text.contains('\n')) => {
            let mut lines = visible(&format!("{mbean}/{operation}() =")).into_owned();
            for line in leaves(result).iter().flat_map(|leaf| leaf.text.lines()) {
                lines.push_str(&format!("\n  {}", visible(line)));
            }
            printer.text(&(lines + "\n"))?;
        }
        Form::Text => {
            for leaf in leaves(result) {
                printer.leaf(&format!("{mbean}/{operation}(){}", leaf.way), Some(&leaf.text))?;
            }
        }
    }
    Ok(())
}

/// The parameters as values of the one operation of this name that they fit, with its signature.
fn fitting(
    info: &Info,
    name: &str,
    signature: Option<&[String]>,
    texts: &[String],
) -> Result<(Vec<Value>, Vec<String>), Error> {
    let classes = |operation: &OperationInfo| -> Vec<String> {
        operation.parameters.iter().map(|one| one.class.clone().unwrap_or_default()).collect()
    };
    let named = info.operations.iter().filter(|operation| operation.feature.name.as_deref() == Some(name));
    let signatures: Vec<Vec<String>> = named.map(classes).collect();
    if signatures.is_empty() {
        let mut all: Vec<&str> =
            info.operations.iter().filter_map(|operation| operation.feature.name.as_deref()).collect();
        all.dedup();
        let all = if all.is_empty() { "none".to_owned() } else { all.join(" ") };
        return Err(Error::Usage(format!("no operation is called {name}; the MBean has {all}")));
    }
    let is_meant = |classes: &&Vec<String>| match signature {
        Some(signature) => classes[..] == *signature,
        None => classes.len() == texts.len(),
    };
    let mut fault = None;
    let mut fits = Vec::new();
    for classes in signatures.iter().filter(is_meant) {
        let values = classes.iter().zip(texts).map(|(class, text)| words::parse(class, text));
        match values.collect::<Result<Vec<Value>, _>>() {
            Ok(values) if values.len() == classes.len() => fits.push((values, classes.clone())),
            Ok(_) => {}
            Err(wrong) => fault = Some(wrong),
        }
    }
    let shown = || {
        let one = |classes: &Vec<String>| format!("{name}({})", classes.join(","));
        signatures.iter().map(one).collect::<Vec<_>>().join(" ")
    };
    match (fits.len(), fits.pop(), fault) {
        (1, Some(one), _) => Ok(one),
        (0, _, Some(fault)) => Err(Error::Usage(format!("{name}: {fault}"))),
        (0, ..) => Err(Error::Usage(format!(
            "{name} is not called with {} parameters; there are {}",
            texts.len(),
            shown()
        ))),
        _ => Err(Error::Usage(format!("{name} may be several operations: write one of {}", shown()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_jmxclient::jmx::model::{Feature, ParameterInfo};

    fn operation(name: &str, classes: &[&str]) -> OperationInfo {
        let parameter = |class: &&str| ParameterInfo {
            feature: Feature::new("p", ""),
            class: Some((*class).to_owned()),
            open: None,
        };
        OperationInfo {
            feature: Feature::new(name, ""),
            parameters: classes.iter().map(parameter).collect(),
            ..OperationInfo::default()
        }
    }

    #[test]
    fn parameters_choose_the_operation() {
        let operations = vec![
            operation("f", &["long"]),
            operation("f", &["long", "int"]),
            operation("f", &["[J"]),
            operation("g", &["java.lang.Thread"]),
            operation("h", &["int"]),
            operation("h", &["long"]),
        ];
        let info = Info { operations, ..Info::default() };
        let fit = |name: &str, signature: Option<&[&str]>, texts: &[&str]| {
            let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
            let found = fitting(&info, name, signature.map(own).as_deref(), &own(texts));
            found.map(|(_, signature)| signature.join(",")).map_err(|fault| fault.to_string())
        };
        assert_eq!(fit("f", None, &["1"]).unwrap(), "long");
        assert_eq!(fit("f", None, &["[1, 2]"]).unwrap(), "[J");
        assert_eq!(fit("f", None, &["1", "2"]).unwrap(), "long,int");
        assert_eq!(fit("h", Some(&["int"]), &["1"]).unwrap(), "int");
        for (name, texts, words) in [
            ("x", &[][..], "no operation is called x; the MBean has f g h"),
            ("f", &[], "f is not called with 0 parameters; there are f(long) f(long,int) f([J)"),
            ("g", &["x"], "cannot be written"),
            ("h", &["1"], "write one of h(int) h(long)"),
        ] {
            let error = fit(name, None, texts).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn assignments_name_one_mbean() {
        let of = |word: &str| assignments(&[word.to_owned()]).err().map(|fault| fault.to_string());
        assert_eq!(of("a:b=c/D=1"), None);
        assert!(of("a:*/D=1").unwrap().contains("a pattern of MBeans"));
        assert!(of("a:b=c/D").unwrap().contains("NAME/ATTRIBUTE=VALUE"));
    }
}
