//! `-Tp`: the tree below a node, drawn with lines.

use std::fmt::Write;

use trunkline_mib::{DefinedSyntax, Definition, Names};
use trunkline_smi::Oid;

use super::{named_numbers, ranges, wrapped};

/// The tree below `oid`, or, if that has no name, below its nearest named ancestor.
pub fn write(names: &Names, oid: &Oid, width: usize) -> String {
    let named = names.describe(oid).named;
    let mut drawing = Drawing { names, width, out: String::new() };
    drawing.node(&Oid::EMPTY.child(&oid[..named]), " ");
    drawing.out
}

struct Drawing<'n> {
    names: &'n Names,
    width: usize,
    out: String,
}

impl Drawing<'_> {
    /// A node and everything below it. `indent` precedes the lines that belong to it; its last character is where
    /// the branch to the node begins. Returns whether the node is one of the leaves that are listed without blank
    /// lines between them.
    fn node(&mut self, oid: &Oid, indent: &str) -> bool {
        let name = self.names.describe(oid).name;
        let number = oid.last().copied().unwrap_or_default();
        let definition = self.names.definition(oid);
        let stem = &indent[..indent.len() - 1];
        let syntax = definition.as_ref().and_then(|definition| definition.syntax.as_ref());
        // Writing to a String cannot fail, here and below.
        if let (Some(definition), Some(syntax)) = (&definition, syntax) {
            let (access, kind) = (access_word(&definition.access), kind_word(syntax));
            let _ = writeln!(self.out, "{stem}+-- {access} {kind:<9} {name}({number})");
            self.syntax(syntax, indent);
        } else {
            let _ = writeln!(self.out, "{stem}+--{name}({number})");
        }
        let is_simple = definition.as_ref().is_some_and(is_simple);
        self.below(oid, definition.as_ref(), is_simple, &format!("{indent}  |"));
        is_simple
    }

    fn below(&mut self, oid: &Oid, definition: Option<&Definition>, is_simple: bool, indent: &str) {
        if let Some(row) = definition.filter(|row| !row.index.is_empty()) {
            let parts = row.index.iter().map(|part| part.trim_start_matches("IMPLIED ").to_owned());
            let (title, next_line) = (format!("{indent}  Index: "), format!("{indent}{:9}", ""));
            self.list(&title, &parts.collect::<Vec<_>>(), &next_line, self.width);
        }
        let children = self.names.children(oid);
        let mut was_simple = is_simple;
        for (position, (child, _)) in children.iter().enumerate() {
            let child_is_simple = self.names.definition(child).as_ref().is_some_and(self::is_simple);
            if !was_simple || !child_is_simple {
                let _ = writeln!(self.out, "{indent}");
            }
            let is_last = position + 1 == children.len();
            let own = if is_last { format!("{} ", &indent[..indent.len() - 1]) } else { indent.to_owned() };
            was_simple = self.node(child, &own);
        }
    }

    /// Words after a title.
    fn list(&mut self, title: &str, words: &[String], next_line: &str, width: usize) {
        self.out.push_str(title);
        wrapped(&mut self.out, words, title.len(), width, (next_line, next_line.len()));
        self.out.push('\n');
    }

    fn syntax(&mut self, syntax: &DefinedSyntax, indent: &str) {
        if !syntax.convention.is_empty() {
            let _ = writeln!(self.out, "{indent}        Textual Convention: {}", syntax.convention);
        }
        if !syntax.names.is_empty() {
            let names = named_numbers(&syntax.names);
            let (title, next_line) = (format!("{indent}        Values: "), format!("{indent}{:16}", ""));
            // Here a line does not even reach the width.
            self.list(&title, &names, &next_line, self.width.saturating_sub(1));
        } else if !syntax.ranges.is_empty() {
            let what =
                if matches!(syntax.base.as_str(), "OCTET STRING" | "Opaque") { "Size" } else { "Range" };
            let _ = writeln!(self.out, "{indent}        {what}: {}", ranges(&syntax.ranges));
        }
    }
}

/// Whether the node is listed without a blank line: all but plain names, tables and rows.
fn is_simple(definition: &Definition) -> bool {
    definition.syntax.is_some() || !matches!(definition.macro_name, "OBJECT-TYPE" | "OBJECT IDENTIFIER")
}

fn access_word(access: &str) -> &'static str {
    match access {
        "read-only" => "-R--",
        "read-write" => "-RW-",
        "write-only" => "--W-",
        "accessible-for-notify" => "---N",
        "read-create" => "CR--",
        _ => "----",
    }
}

fn kind_word(syntax: &DefinedSyntax) -> &'static str {
    match syntax.base.as_str() {
        "INTEGER" | "Integer32" if !syntax.names.is_empty() => "EnumVal",
        "INTEGER" => "INTEGER",
        "Integer32" => "Integer32",
        "OCTET STRING" => "String",
        "OBJECT IDENTIFIER" => "ObjID",
        "BITS" => "BitString",
        "Counter32" | "Counter" => "Counter",
        "Gauge32" | "Gauge" => "Gauge",
        "Unsigned32" => "Unsigned",
        "Counter64" => "Counter64",
        "TimeTicks" => "TimeTicks",
        "IpAddress" => "IpAddr",
        "NetworkAddress" => "NetAddr",
        "Opaque" => "Opaque",
        _ => "",
    }
}
