//! What users write of MBeans: ways to values, conditions, and values of classes. Read or refused; what is read is written and reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_jmxclient::leaves::text_of;
use trunkline_jmxclient::path::{self, Part, Path, Selector};
use trunkline_jmxclient::{filter, words};

fuzz_target!(|octets: &[u8]| {
    let Some((&choice, rest)) = octets.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    match choice % 3 {
        0 => way(text),
        1 => condition(text),
        _ => value(text),
    }
});

fn way(text: &str) {
    match Path::readings(text) {
        Ok(readings) => {
            assert!(!readings.is_empty());
            readings.iter().for_each(reading);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Some((name, attribute, value)) = path::assignment(text) {
        let again = path::assignment(&format!("{}/{attribute}={value}", name.to_text()));
        assert_eq!(again, Some((name, attribute, value)));
    }
    if let Some((name, operation, signature)) = path::operation(text) {
        let classes = signature.as_ref().map(|classes| format!("({})", classes.join(",")));
        let again =
            path::operation(&format!("{}/{operation}{}", name.to_text(), classes.unwrap_or_default()));
        assert_eq!(again, Some((name, operation, signature)));
    }
}

/// A reading is read again among others.
fn reading(path: &Path) {
    let name = path.name.to_text();
    let text = match &path.attribute {
        Some(attribute) => {
            parts(attribute);
            format!("{name}/{}", attribute.text())
        }
        None => format!("{name}/"),
    };
    let again = Path::readings(&text).expect("what was read reads again");
    assert!(again.contains(path), "{text}");
}

/// Each reading of an attribute is all of its text.
fn parts(attribute: &Selector) {
    assert!(!attribute.readings().is_empty());
    for (head, parts) in attribute.readings() {
        let mut text = head;
        for part in parts {
            match part {
                Part::Item(item) => text += &format!(".{item}"),
                Part::Key(key) => text += &format!("[{key}]"),
            }
        }
        assert_eq!(text, attribute.text());
    }
}

fn condition(text: &str) {
    let read = filter::parse(text);
    if let Err(error) = &read {
        assert!(text.contains(&error.at) && error.at.chars().count() <= 40 && !error.expected.is_empty());
    }
    // As in braces.
    if !text.trim().starts_with('{') {
        assert_eq!(format!("{:?}", filter::parse(&format!("{{{text}}}")).ok()), format!("{:?}", read.ok()));
    }
}

fn value(text: &str) {
    for class in CLASSES {
        match words::parse(class, text) {
            Ok(value) => {
                let again = words::parse(class, &text_of(&value)).ok();
                // NaN is not itself; a name says its properties in another order.
                let is_same =
                    again.as_ref() == Some(&value) || format!("{again:?}") == format!("{:?}", Some(&value));
                assert!(is_same, "{class}: {again:?} of {value:?}");
            }
            Err(error) => assert!(error.to_string().contains(class)),
        }
    }
    for class in ["java.lang.Object", "javax.management.QueryExp", "[B", "[F", "[Ljava.lang.String;", text] {
        let _ = words::parse(class, text);
    }
}

/// Those whose values are written as they are read.
const CLASSES: [&str; 15] = [
    "boolean",
    "java.lang.Boolean",
    "byte",
    "short",
    "int",
    "java.lang.Long",
    "float",
    "double",
    "char",
    "java.math.BigInteger",
    "java.lang.String",
    "javax.management.ObjectName",
    "[Z",
    "[S",
    "[J",
];
