//! `-Td`: the definition of an object, clause by clause.

use std::fmt::Write;

use trunkline_mib::{DefinedSyntax, Definition, Names};
use trunkline_smi::Oid;

use super::{named_numbers, ranges, wrapped};

/// The definition that `oid` is, or is an instance of.
pub fn write(names: &Names, oid: &Oid, width: usize) -> String {
    let description = names.describe(oid);
    let definition = names.definition(&oid[..description.named]);
    let macro_name = definition.as_ref().map_or("OBJECT-TYPE", shown_macro);
    let mut out = format!("{} {macro_name}\n  -- FROM\t", description.name);
    definers(&mut out, &names.definers(&oid[..description.named]), width);
    if let Some(definition) = definition {
        clauses(&mut out, &definition, width);
    }
    out.push_str("::= {");
    path(&mut out, names, oid, description.named, width);
    out + " }\n"
}

/// All modules that define it.
fn definers(out: &mut String, modules: &[&str], width: usize) {
    let mut at = 16;
    for (number, name) in modules.iter().enumerate() {
        let name = if name.is_empty() { "#-1" } else { name };
        let breaks = number > 0 && at + name.len() + 2 > width;
        match number {
            0 => {}
            _ if breaks => out.push_str(",\n  --\t\t"),
            _ => out.push_str(", "),
        }
        at = if breaks { 16 } else { at + 2 * usize::from(number > 0) } + name.len();
        out.push_str(name);
    }
    out.push('\n');
}

/// A plain name is an OBJECT-TYPE for Net-SNMP.
fn shown_macro(definition: &Definition) -> &'static str {
    match definition.macro_name {
        "OBJECT IDENTIFIER" => "OBJECT-TYPE",
        name => name,
    }
}

fn clauses(out: &mut String, definition: &Definition, width: usize) {
    // Writing to a String cannot fail, here and below.
    if let Some(syntax) = &definition.syntax {
        if !syntax.convention.is_empty() {
            let _ = writeln!(out, "  -- TEXTUAL CONVENTION {}", syntax.convention);
        }
        syntax_clause(out, syntax, width);
        if !syntax.hint.is_empty() {
            let _ = writeln!(out, "  DISPLAY-HINT\t\"{}\"", syntax.hint);
        }
    }
    let mut clause = |name: &str, text: &str| {
        if !text.is_empty() {
            let _ = writeln!(out, "  {name}\t{text}");
        }
    };
    let quoted = |text: &str| if text.is_empty() { String::new() } else { format!("\"{text}\"") };
    clause("UNITS\t", &quoted(&definition.units));
    clause("MAX-ACCESS", &definition.access);
    clause("STATUS", &definition.status);
    let braces = |text: &str| if text.is_empty() { String::new() } else { format!("{{ {text} }}") };
    clause("AUGMENTS", &braces(&definition.augments));
    clause("INDEX\t", &list(&definition.index, width));
    clause("OBJECTS", &list(&definition.objects, width));
    clause("DESCRIPTION", &quoted(&definition.description));
    clause("DEFVAL", &braces(&definition.default.replace('"', "\\\"")));
}

fn syntax_clause(out: &mut String, syntax: &DefinedSyntax, width: usize) {
    let _ = write!(out, "  SYNTAX\t{}", syntax.base);
    if !syntax.names.is_empty() {
        out.push_str(" {");
        let at = 16 + syntax.base.len() + 2;
        wrapped(out, &named_numbers(&syntax.names), at, width, ("\t\t  ", 18));
        out.push_str("} ");
    } else if !syntax.ranges.is_empty() {
        let _ = write!(out, " ({}) ", ranges(&syntax.ranges));
    }
    out.push('\n');
}

fn list(words: &[String], width: usize) -> String {
    if words.is_empty() {
        return String::new();
    }
    let mut out = "{ ".to_owned();
    wrapped(&mut out, words, 16 + 2, width, ("\t\t  ", 18));
    out + " }"
}

/// ` iso(1) org(3) ... 2`: all but the last with their names.
fn path(out: &mut String, names: &Names, oid: &Oid, named: usize, width: usize) {
    let mut at = "::= {".len();
    let mut numbers = 0;
    for depth in 1..=oid.len() {
        let sub_id = oid[depth - 1];
        let description = names.describe(&oid[..depth]);
        let has_name = depth <= named && description.named == depth && depth < oid.len();
        let word = if has_name { format!("{}({sub_id})", description.name) } else { sub_id.to_string() };
        numbers += usize::from(!has_name);
        // The first number counts as three characters whatever its length, those after it as none.
        let breaks = match numbers {
            0 => at + word.len() + 2 >= width,
            1 => at + 5 >= width,
            _ => false,
        };
        out.push_str(if breaks { "\n      " } else { " " });
        out.push_str(&word);
        at = if breaks { 6 } else { at + 1 } + word.len();
    }
}
