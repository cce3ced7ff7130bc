//! How a value within an MBean is named: `NAME/ATTRIBUTE`, and within the attribute `.ITEM` of composite data and `[KEY]` of tabular
//! data, maps and arrays. Names of MBeans may have slashes too: a text may have several readings, of which the server knows one.

use trunkline_jmx::model::{Glob, NameError, ObjectName, Value};

use crate::leaves::{elements, key, mapped, text_of};

/// An MBean or a pattern of MBeans, and perhaps an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The name.
    pub name: ObjectName,
    /// The attribute.
    pub attribute: Option<Selector>,
}

/// An attribute, or a pattern of attributes, or a part of one's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    text: String,
}

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// `.ITEM`
    Item(String),
    /// `[KEY]`
    Key(String),
}

impl Path {
    /// What a text may mean, the likeliest first: with an attribute behind a slash, then as a name alone, then with an attribute whose name
    /// has slashes and brackets itself. A slash at the end says that the name ends there.
    ///
    /// # Errors
    /// The text begins with no name.
    pub fn readings(text: &str) -> Result<Vec<Path>, NameError> {
        if let Some(name) = text.strip_suffix('/')
            && let Ok(name) = name.parse()
        {
            return Ok(vec![Path { name, attribute: None }]);
        }
        let with = |of: &dyn Fn(&str) -> Option<Selector>| -> Vec<Path> {
            let reading = |at: usize| {
                let attribute = of(&text[at + 1..])?;
                Some(Path { name: text[..at].parse().ok()?, attribute: Some(attribute) })
            };
            slashes(text).filter_map(reading).collect()
        };
        let mut readings = with(&Selector::parse);
        let alone = text.parse().map(|name| readings.push(Path { name, attribute: None }));
        readings.extend(with(&|attribute| {
            // What has = is a property of the name.
            let is_odd =
                !attribute.is_empty() && !attribute.contains('=') && Selector::parse(attribute).is_none();
            is_odd.then(|| Selector { text: attribute.to_owned() })
        }));
        match alone {
            Err(fault) if readings.is_empty() => Err(fault),
            _ => Ok(readings),
        }
    }
}

/// `NAME/ATTRIBUTE=VALUE`: the first slash behind which an attribute and `=` follow. If there is none, the attribute may have slashes and
/// brackets.
#[must_use]
pub fn assignment(text: &str) -> Option<(ObjectName, String, String)> {
    let read = |is_one: fn(&str) -> bool| {
        slashes(text).find_map(|at| {
            let (attribute, value) = text[at + 1..].split_once('=')?;
            let name = text[..at].parse().ok()?;
            is_one(attribute).then(|| (name, attribute.to_owned(), value.to_owned()))
        })
    };
    read(is_attribute).or_else(|| read(|attribute| !attribute.is_empty()))
}

/// `NAME/OPERATION` or `NAME/OPERATION(CLASS,CLASS)`.
#[must_use]
pub fn operation(text: &str) -> Option<(ObjectName, String, Option<Vec<String>>)> {
    let (head, signature) = match text.strip_suffix(')').and_then(|text| text.rsplit_once('(')) {
        Some((head, "")) => (head, Some(Vec::new())),
        Some((head, classes)) => {
            (head, Some(classes.split(',').map(|class| class.trim().to_owned()).collect()))
        }
        None => (text, None),
    };
    let at = slashes(head).last()?;
    let operation = &head[at + 1..];
    let name = head[..at].parse().ok()?;
    is_attribute(operation).then(|| (name, operation.to_owned(), signature))
}

/// Slashes behind the domain, outside of quotes.
fn slashes(text: &str) -> impl Iterator<Item = usize> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let domain = text.find(':').unwrap_or(text.len());
    text.char_indices().filter_map(move |(at, c)| {
        if is_escaped {
            is_escaped = false;
            return None;
        }
        match c {
            '"' if at > domain => is_quoted = !is_quoted,
            '\\' if is_quoted => is_escaped = true,
            '/' if at > domain && !is_quoted => return Some(at),
            _ => {}
        }
        None
    })
}

/// Whether a text may be the name of an attribute: what stands in names of MBeans only is left to these.
fn is_attribute(text: &str) -> bool {
    !text.is_empty() && !text.contains(['/', '=', ',', '"', '[', ']', ':'])
}

impl Selector {
    /// `ATTRIBUTE`, with `*` and `?`, or `ATTRIBUTE.ITEM[KEY]`; `None` if the text is none of it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let selector = Selector { text: text.to_owned() };
        let at = text.find('[').unwrap_or(text.len());
        let (head, rest) = text.split_at(at);
        let parts = parts(rest, |key| key.find(']'))?;
        is_attribute(head).then_some(())?;
        parts.iter().all(|part| matches!(part, Part::Key(_)) || is_item(part)).then_some(selector)
    }

    /// As it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it may stand for several attributes.
    #[must_use]
    pub fn is_pattern(&self) -> bool {
        self.text.split('[').next().is_some_and(|head| head.contains(['*', '?']))
    }

    /// Whether it stands for this attribute, as a pattern.
    #[must_use]
    pub fn matches(&self, attribute: &str) -> bool {
        Glob::plain(&self.text).matches(attribute)
    }

    /// The attributes that it may mean, the longest name first, each with the way within its value: names may have dots and brackets, and
    /// keys may have brackets.
    #[must_use]
    pub fn readings(&self) -> Vec<(String, Vec<Part>)> {
        let text = &self.text;
        let mut readings = vec![(text.clone(), Vec::new())];
        for (at, _) in text.rmatch_indices(['.', '[']).filter(|(at, _)| *at > 0).take(READINGS) {
            let (head, rest) = text.split_at(at);
            let first = parts(rest, |key| key.find(']'));
            let last = parts(rest, |key| key.rfind(']')).filter(|last| first.as_ref() != Some(last));
            readings.extend(first.into_iter().chain(last).map(|parts| (head.to_owned(), parts)));
        }
        readings
    }
}

/// The parts that a text behind an attribute is; `end` finds where a key ends.
fn parts(text: &str, end: fn(&str) -> Option<usize>) -> Option<Vec<Part>> {
    let (mut rest, mut parts) = (text, Vec::new());
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix('[') {
            let at = end(behind)?;
            parts.push(Part::Key(behind[..at].to_owned()));
            rest = &behind[at + 1..];
        } else {
            let behind = rest.strip_prefix('.')?;
            let at = behind.find(['.', '[']).unwrap_or(behind.len());
            parts.push(Part::Item(behind[..at].to_owned()));
            rest = &behind[at..];
        }
    }
    Some(parts)
}

fn is_item(part: &Part) -> bool {
    matches!(part, Part::Item(item) if is_attribute(item))
}

/// What is at the end of a way within a value.
#[must_use]
pub fn within(value: &Value, parts: &[Part]) -> Option<Value> {
    let Some((first, rest)) = parts.split_first() else { return Some(value.clone()) };
    match (value, first) {
        // Names of items may have dots.
        (Value::Composite(row), Part::Item(_)) => {
            joined(parts).find_map(|(item, rest)| within(row.get(&item)?, rest))
        }
        (Value::Tabular(table), Part::Key(wanted)) => {
            let row = table.rows.iter().find(|row| key(table, row) == *wanted)?;
            match mapped(table, row) {
                Some(value) => within(value, rest),
                None => within(&Value::Composite(Box::new(row.clone())), rest),
            }
        }
        (Value::Map(entries), Part::Key(wanted)) => {
            let (_, value) = entries.iter().find(|(key, _)| text_of(key) == *wanted)?;
            within(value, rest)
        }
        (Value::Map(entries), Part::Item(_)) => joined(parts).find_map(|(wanted, rest)| {
            let (_, value) = entries.iter().find(|(key, _)| text_of(key) == wanted)?;
            within(value, rest)
        }),
        (Value::List(_) | Value::Set(_) | Value::Array(_), Part::Key(index)) => {
            let index: usize = index.parse().ok()?;
            within(elements(value)?.get(index)?, rest)
        }
        _ => None,
    }
}

/// The items at the beginning of a way as one: the first alone, then with the second, and so on; each with the rest of the way.
fn joined(parts: &[Part]) -> impl Iterator<Item = (String, &[Part])> {
    let mut joined = String::new();
    let items = parts.iter().take(READINGS).enumerate();
    items.map_while(move |(at, part)| {
        let Part::Item(item) = part else { return None };
        if at > 0 {
            joined.push('.');
        }
        joined.push_str(item);
        Some((joined.clone(), &parts[at + 1..]))
    })
}

/// So many places are tried at which a name may end.
const READINGS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use trunkline_jmx::model::Array;

    fn readings(text: &str) -> Vec<String> {
        let read = Path::readings(text).unwrap();
        let shown = |path: &Path| match &path.attribute {
            Some(attribute) => format!("{} {}", path.name.to_text(), attribute.text()),
            None => path.name.to_text(),
        };
        read.iter().map(shown).collect()
    }

    #[test]
    fn texts_have_readings() {
        assert_eq!(readings("a:b=c/D"), ["a:b=c D", "a:b=c/D"]);
        assert_eq!(readings("a:b=c/"), ["a:b=c"]);
        assert_eq!(readings("a:b=c"), ["a:b=c"]);
        assert_eq!(readings("a:b=//x/y,c=d"), ["a:b=//x/y,c=d"]);
        assert_eq!(readings("a:b=/x/Y.z"), ["a:b=/x Y.z", "a:b=/x/Y.z", "a:b= x/Y.z"]);
        assert_eq!(readings("a:b=\"x/y\"/Z"), ["a:b=\"x/y\" Z"]);
        assert_eq!(readings("a:b=c/D[x/y].e")[0], "a:b=c D[x/y].e");
        assert_eq!(readings("a:*/V*"), ["a:* V*"]);
        assert_eq!(readings("a:b=\"c\"/V/w [x]"), ["a:b=\"c\" V/w [x]"]);
        assert_eq!(readings("a:b=c/V/w"), ["a:b=c/V w", "a:b=c/V/w", "a:b=c V/w"]);
        assert!(Path::readings("nothing").is_err() && Path::readings("a:b").is_err());
    }

    #[test]
    fn attributes_may_have_dots_and_values_parts() {
        let read = |text: &str| Selector::parse(text).unwrap().readings();
        let item = |text: &str| Part::Item(text.to_owned());
        assert_eq!(
            read("A.b.c"),
            [
                ("A.b.c".to_owned(), vec![]),
                ("A.b".to_owned(), vec![item("c")]),
                ("A".to_owned(), vec![item("b"), item("c")]),
            ]
        );
        let key = |text: &str| Part::Key(text.to_owned());
        assert_eq!(read("A[k.l].m").last(), Some(&("A".to_owned(), vec![key("k.l"), item("m")])));
        assert_eq!(
            read("A[e]"),
            [("A[e]".to_owned(), vec![]), ("A".to_owned(), vec![key("e")])],
            "a name with brackets"
        );
        let odd = Path::readings("a:b=\"c/d\"/C[e]f]").unwrap().pop().unwrap().attribute.unwrap();
        assert_eq!(odd.readings().last(), Some(&("C".to_owned(), vec![key("e]f")])));
        for text in ["", ".", "A[", "A[k", "A[k]x", "A=b", "a/b", "A."] {
            let parsed = Selector::parse(text);
            assert!(parsed.is_none() || text == "." || text == "A.", "{text}");
        }
        let pattern = Selector::parse("Heap*").unwrap();
        assert!(pattern.is_pattern() && pattern.matches("HeapMemoryUsage") && !pattern.matches("NonHeap"));
    }

    #[test]
    fn assignments_and_operations() {
        let read = |text: &str| assignment(text).map(|(name, a, v)| format!("{} {a} {v}", name.to_text()));
        assert_eq!(read("a:b=c/D=e/f=g").as_deref(), Some("a:b=c D e/f=g"));
        assert_eq!(read("a:b=/x/D=1").as_deref(), Some("a:b=/x D 1"));
        assert_eq!(read("a:b=\"c\"/D/e [x]=1").as_deref(), Some("a:b=\"c\" D/e [x] 1"));
        assert_eq!(read("a:b=c/D="), Some("a:b=c D ".to_owned()));
        assert_eq!(read("a:b=c/D"), None);
        let (name, operation_name, signature) = operation("a:b=/x/gc").unwrap();
        assert_eq!((name.to_text().as_str(), operation_name.as_str(), signature), ("a:b=/x", "gc", None));
        let (.., signature) = operation("a:b=c/f(long, int)").unwrap();
        assert_eq!(signature.unwrap(), ["long", "int"]);
        assert_eq!(operation("a:b=c/f()").unwrap().2.unwrap(), Vec::<String>::new());
        assert!(operation("a:b=c").is_none());
    }

    #[test]
    fn ways_lead_into_values() {
        let list = Value::List(vec![Value::Long(7), Value::Map(vec![("k".into(), Value::Long(8))])]);
        let way = |text: &str| Selector::parse(text).unwrap().readings().pop().unwrap().1;
        assert_eq!(within(&list, &way("A[0]")), Some(Value::Long(7)));
        assert_eq!(within(&list, &way("A[1].k")), Some(Value::Long(8)));
        assert_eq!(within(&list, &way("A[2]")), None);
        let dotted = Value::Map(vec![("b.c".into(), Value::Long(9))]);
        assert_eq!(within(&dotted, &way("A.b.c")), Some(Value::Long(9)));
        let array = Value::Array(Array::Longs(vec![1, 2]));
        assert_eq!(within(&array, &way("A[1]")), Some(Value::Long(2)));
        assert_eq!(within(&array, &way("A.x")), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,30}") {
            let _ = Path::readings(&text);
            let _ = assignment(&text);
            let _ = operation(&text);
            let _ = Selector::parse(&text).map(|selector| selector.readings());
        }
    }
}
