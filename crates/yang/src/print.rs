//! The text of a module (RFC 7950 section 6).

use std::fmt::{self, Write};

use trunkline_smi::schema::MaxAccess;

use crate::schema::{Kind, Leaf, List, Module, Narrowed, Node, Origin, Type};

/// The text of a module.
pub fn print(module: &Module) -> String {
    let mut text = Text::default();
    text.block(&format!("module {}", module.name), |text| {
        text.statement("namespace", &module.namespace);
        text.statement("prefix", &module.prefix);
        for import in &module.imports {
            text.block(&format!("import {}", import.module), |text| text.statement("prefix", &import.prefix));
        }
        text.statement("description", &module.description);
        for typedef in &module.typedefs {
            text.block(&format!("typedef {}", typedef.name), |text| {
                text.ty(&typedef.ty);
                if !typedef.hint.is_empty() {
                    text.statement("smiv2:display-hint", typedef.hint);
                }
            });
        }
        module.nodes.iter().for_each(|node| text.node(node));
        for augment in &module.augments {
            text.block(&format!("augment {}", Quoted(&augment.path)), |text| {
                text.origin(augment.origin.as_ref());
                augment.nodes.iter().for_each(|node| text.node(node));
            });
        }
        module.notifications.iter().for_each(|node| text.node(node));
    });
    text.0
}

/// A text with its indentation.
#[derive(Default)]
struct Text(String, usize);

impl Text {
    fn line(&mut self, line: fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{:width$}{line}", "", width = 2 * self.1);
    }

    fn block(&mut self, head: &str, body: impl FnOnce(&mut Text)) {
        self.line(format_args!("{head} {{"));
        self.1 += 1;
        body(self);
        self.1 -= 1;
        self.line(format_args!("}}"));
    }

    fn statement(&mut self, keyword: &str, argument: &str) {
        self.line(format_args!("{keyword} {};", Quoted(argument)));
    }

    fn node(&mut self, node: &Node) {
        let Node { name, kind, origin } = node;
        match kind {
            Kind::State(nodes) => self.block(&format!("container {name}"), |text| {
                text.line(format_args!("config false;"));
                nodes.iter().for_each(|node| text.node(node));
            }),
            Kind::Container(nodes) => self.inner(&format!("container {name}"), nodes, origin.as_ref()),
            Kind::Notification(nodes) => self.inner(&format!("notification {name}"), nodes, origin.as_ref()),
            Kind::List(list) => self.block(&format!("list {name}"), |text| text.list(list, origin.as_ref())),
            Kind::Leaf(leaf) => self.block(&format!("leaf {name}"), |text| text.leaf(leaf, origin.as_ref())),
        }
    }

    fn inner(&mut self, head: &str, nodes: &[Node], origin: Option<&Origin>) {
        self.block(head, |text| {
            text.origin(origin);
            nodes.iter().for_each(|node| text.node(node));
        });
    }

    fn list(&mut self, list: &List, origin: Option<&Origin>) {
        self.statement("key", &list.keys.join(" "));
        if let Some(implied) = list.implied {
            self.statement("smiv2:implied", implied);
        }
        self.origin(origin);
        list.nodes.iter().for_each(|node| self.node(node));
    }

    fn leaf(&mut self, leaf: &Leaf, origin: Option<&Origin>) {
        self.ty(&leaf.ty);
        if !leaf.units.is_empty() {
            self.statement("units", leaf.units);
        }
        self.origin(origin);
    }

    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Named { name, narrowed: None } => self.line(format_args!("type {name};")),
            Type::Named { name, narrowed: Some(narrowed) } => self.block(&format!("type {name}"), |text| {
                let (keyword, least, most) = match narrowed {
                    Narrowed::Range(least, most) => ("range", least, most),
                    Narrowed::Length(least, most) => ("length", least, most),
                };
                let argument = if least == most { least.to_string() } else { format!("{least}..{most}") };
                text.statement(keyword, &argument);
            }),
            Type::Enumeration(names) => self.block("type enumeration", |text| {
                for (number, name) in *names {
                    text.block(&format!("enum {}", Quoted(name)), |text| {
                        text.statement("value", &number.to_string());
                    });
                }
            }),
            Type::Bits(names) => self.block("type bits", |text| {
                for (position, name) in *names {
                    text.block(&format!("bit {name}"), |text| {
                        text.statement("position", &position.to_string())
                    });
                }
            }),
            Type::AnyOid => self.block("type union", |text| {
                text.line(format_args!("type yang:object-identifier-128;"));
                text.block("type string", |text| text.statement("pattern", "[012]?"));
            }),
            Type::Leafref(path) => self.block("type leafref", |text| text.statement("path", path)),
        }
    }

    fn origin(&mut self, origin: Option<&Origin>) {
        let Some(origin) = origin else { return };
        if let Some(access) = origin.access {
            // YANG's only way to create rows is to write them (RFC 6643 section 4.3).
            let access = match access {
                MaxAccess::NotAccessible => "not-accessible",
                MaxAccess::AccessibleForNotify => "accessible-for-notify",
                MaxAccess::ReadOnly => "read-only",
                MaxAccess::ReadWrite | MaxAccess::ReadCreate => "read-write",
            };
            self.statement("smiv2:max-access", access);
        }
        self.statement("smiv2:oid", &origin.to_string());
    }
}

/// A string in double quotes.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for character in self.0.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                _ => f.write_char(character)?,
            }
        }
        f.write_char('"')
    }
}
