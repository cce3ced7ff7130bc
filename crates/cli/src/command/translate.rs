//! `trunkline translate`: names to numbers and back, and everything known about an object.

use std::fmt::Write as _;
use std::io::Write;

use serde::Serialize;
use trunkline_mib::{Description, Names, Object, ObjectKind, Style};
use trunkline_smi::schema::MaxAccess;
use trunkline_smi::{Oid, visible};

use crate::arguments::TranslateArgs;
use crate::connect::say;
use crate::error::Error;
use crate::print::{Form, Printer};

/// What is wanted of each object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Name,
    Detail,
    Tree,
}

/// Runs the command.
pub fn run(arguments: &TranslateArgs, names: &Names, out: impl Write) -> Result<(), Error> {
    let form = arguments.output.form(false);
    let style = arguments.output.style()?;
    let wanted = wanted(arguments)?;
    let mut printer = Printer::new(out, names, style, form, false);
    let mut mistake = None;
    for text in &arguments.objects {
        let oid = match names.resolve(text) {
            Ok(oid) => oid,
            Err(fault) => {
                // The others are still useful; the last mistake is reported at the end.
                if let Some(earlier) = mistake.replace(Error::from(fault)) {
                    printer.flush()?;
                    say(&earlier.to_string());
                }
                continue;
            }
        };
        match (form, wanted) {
            (Form::Text, Wanted::Name) => {
                let answer = if arguments.output.letters.is_empty() && !is_numeric(text) {
                    format!(".{oid}")
                } else {
                    names.format_oid(&oid, &style)
                };
                printer.text(&format!("{answer}\n"))?;
            }
            (Form::Text, Wanted::Detail) => printer.text(&detail(names, &oid, &style))?,
            (Form::Text, Wanted::Tree) => printer.text(&tree(names, &oid, 0))?,
            (Form::Csv, Wanted::Tree) => rows_below(&mut printer, names, &oid)?,
            (Form::Csv, _) => printer.row(&HEADER, &Entry::new(names, &oid, &style).cells())?,
            (_, Wanted::Tree) => objects_below(&mut printer, names, &oid)?,
            (_, _) => printer.object(&Entry::new(names, &oid, &style))?,
        }
    }
    printer.finish()?;
    mistake.map_or(Ok(()), Err)
}

fn wanted(arguments: &TranslateArgs) -> Result<Wanted, Error> {
    let mut wanted = match (arguments.detail, arguments.tree) {
        (_, true) => Wanted::Tree,
        (true, false) => Wanted::Detail,
        (false, false) => Wanted::Name,
    };
    for letter in arguments.form.iter().flat_map(|letters| letters.chars()) {
        wanted = match letter {
            'd' => Wanted::Detail,
            'p' => Wanted::Tree,
            other => return Err(Error::Usage(format!("-T has no letter {other:?}; it has d and p"))),
        };
    }
    Ok(wanted)
}

fn is_numeric(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

const HEADER: [&str; 8] = ["oid", "name", "module", "object", "kind", "syntax", "access", "units"];

/// Everything known about an object; `docs/json.md` describes the fields.
#[derive(Serialize)]
struct Entry {
    oid: String,
    name: String,
    module: Option<&'static str>,
    object: Option<&'static str>,
    kind: &'static str,
    syntax: Option<String>,
    hint: Option<&'static str>,
    access: Option<&'static str>,
    units: Option<&'static str>,
    values: Vec<Value>,
    index: Vec<&'static str>,
    instance: Vec<Part>,
    description: Option<String>,
}

#[derive(Serialize)]
struct Value {
    name: &'static str,
    number: i32,
}

#[derive(Serialize)]
struct Part {
    name: &'static str,
    text: String,
}

impl Entry {
    fn new(names: &Names, oid: &Oid, style: &Style) -> Self {
        let Description { module, name, object, .. } = names.describe(oid);
        let leaf = object.filter(is_leaf);
        let some = |text: &'static str| (!text.is_empty()).then_some(text);
        let named = leaf.map_or(&[][..], |object| object.syntax.names);
        let instance = names.index(oid).into_iter();
        Entry {
            oid: oid.to_string(),
            name: names.format_oid(oid, style),
            module: some(module),
            object: some(name),
            kind: kind_word(object.as_ref()),
            syntax: leaf.map(|object| syntax_words(&object)),
            hint: leaf.and_then(|object| some(object.syntax.hint)),
            access: leaf.map(|object| access_word(object.access)),
            units: object.and_then(|object| some(object.units)),
            values: named.iter().map(|(number, name)| Value { name, number: *number }).collect(),
            index: object.map_or_else(Vec::new, |object| index_words(&object)),
            instance: instance.map(|field| Part { name: field.name, text: field.text }).collect(),
            description: names.description(oid).map(one_paragraph),
        }
    }

    fn cells(&self) -> [String; 8] {
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        [
            self.oid.clone(),
            self.name.clone(),
            text(self.module),
            text(self.object),
            self.kind.to_owned(),
            text(self.syntax.as_deref()),
            text(self.access),
            text(self.units),
        ]
    }
}

fn detail(names: &Names, oid: &Oid, style: &Style) -> String {
    let entry = Entry::new(names, oid, style);
    let mut out = format!("{}\n  number       .{}\n", entry.name, entry.oid);
    let mut line = |what: &str, text: &str| {
        if !text.is_empty() {
            let _ = writeln!(out, "  {what:<12} {}", visible(text)); // writing to a String cannot fail
        }
    };
    line("kind", entry.kind);
    line("module", entry.module.unwrap_or_default());
    line("syntax", entry.syntax.as_deref().unwrap_or_default());
    line("hint", entry.hint.unwrap_or_default());
    line("access", entry.access.unwrap_or_default());
    line("units", entry.units.unwrap_or_default());
    let values: Vec<String> =
        entry.values.iter().map(|value| format!("{}({})", value.name, value.number)).collect();
    line("values", &values.join(" "));
    line("index", &entry.index.join(", "));
    let instance: Vec<String> =
        entry
            .instance
            .iter()
            .map(|part| {
                if part.name.is_empty() { part.text.clone() } else { format!("{} {}", part.name, part.text) }
            })
            .collect();
    line("instance", &instance.join(", "));
    let mut full = *style;
    full.names = trunkline_mib::NameForm::Full;
    line("path", &names.format_oid(oid, &full));
    line("description", entry.description.as_deref().unwrap_or_default());
    out
}

fn tree(names: &Names, oid: &Oid, depth: usize) -> String {
    let description = names.describe(oid);
    let label = if description.named == oid.len() && !description.name.is_empty() {
        format!("{}({})", description.name, oid.last().copied().unwrap_or_default())
    } else {
        oid.last().map(u32::to_string).unwrap_or_default()
    };
    let what = match description.object.filter(|_| description.named == oid.len()) {
        Some(object) if is_leaf(&object) => {
            format!("  {} {}", access_word(object.access), syntax_words(&object))
        }
        Some(object) => format!("  {} [{}]", kind_word(Some(&object)), index_words(&object).join(", ")),
        None => String::new(),
    };
    let mut out = format!("{:indent$}{label}{what}\n", "", indent = depth * 2);
    for (child, _) in names.children(oid) {
        out.push_str(&tree(names, &child, depth + 1));
    }
    out
}

fn objects_below(printer: &mut Printer<'_, impl Write>, names: &Names, oid: &Oid) -> Result<(), Error> {
    printer.object(&Entry::new(names, oid, &Style::default()))?;
    names.children(oid).iter().try_for_each(|(child, _)| objects_below(printer, names, child))
}

fn rows_below(printer: &mut Printer<'_, impl Write>, names: &Names, oid: &Oid) -> Result<(), Error> {
    printer.row(&HEADER, &Entry::new(names, oid, &Style::default()).cells())?;
    names.children(oid).iter().try_for_each(|(child, _)| rows_below(printer, names, child))
}

fn is_leaf(object: &Object) -> bool {
    matches!(object.kind, ObjectKind::Scalar | ObjectKind::Column)
}

fn kind_word(object: Option<&Object>) -> &'static str {
    match object.map(|object| object.kind) {
        None => "node",
        Some(ObjectKind::Scalar) => "scalar",
        Some(ObjectKind::Table) => "table",
        Some(ObjectKind::Entry) => "row",
        Some(ObjectKind::Column) => "column",
    }
}

fn access_word(access: MaxAccess) -> &'static str {
    match access {
        MaxAccess::NotAccessible => "not-accessible",
        MaxAccess::AccessibleForNotify => "accessible-for-notify",
        MaxAccess::ReadOnly => "read-only",
        MaxAccess::ReadWrite => "read-write",
        MaxAccess::ReadCreate => "read-create",
    }
}

/// `DisplayString (0..255 octets)`, `INTEGER (1..65535)`.
fn syntax_words(object: &Object) -> String {
    use trunkline_smi::ValueKind::{Integer, OctetString, Unsigned32};
    let syntax = &object.syntax;
    let base = if syntax.bits { "BITS" } else { syntax.kind.name() };
    let name = if syntax.convention.is_empty() { base } else { syntax.convention };
    let (min, max) = (syntax.min, syntax.max);
    match syntax.kind {
        _ if !syntax.names.is_empty() => name.to_owned(),
        OctetString if (min, max) != (0, 65535) => format!("{name} ({min}..{max} octets)"),
        Integer if (min, max) != (i64::from(i32::MIN), i64::from(i32::MAX)) => {
            format!("{name} ({min}..{max})")
        }
        Unsigned32 if (min, max) != (0, i64::from(u32::MAX)) => format!("{name} ({min}..{max})"),
        _ => name.to_owned(),
    }
}

fn index_words(object: &Object) -> Vec<&'static str> {
    let parts = object.table.map_or(&[][..], |table| table.index);
    parts.iter().map(|part| part.name).collect()
}

/// A DESCRIPTION without the indentation of its MIB text.
fn one_paragraph(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
