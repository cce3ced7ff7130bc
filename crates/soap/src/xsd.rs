//! XML Schema of every message, generated from the schema of what is served.
//!
//! `typed` has a schema for each module (`urn:trunkline:mib:IF-MIB`) and one for what is the same for all
//! (`urn:trunkline:soap`); `lean` has one for everything; of `as-in-paper` there are the elements without a namespace
//! that its answers consist of.

mod element;
mod generic;
mod operations;

use trunkline_smi::schema::Module;

use crate::catalog::{Catalog, ServedGroup, ServedTable};
use crate::encoding::Encoding;
use crate::namespace;
use element::{Markup, field, paper_field};

/// Which operations a description lists.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// All operations.
    pub catalog: &'a Catalog,
    /// Only those of this module, by its name, and the generic ones.
    pub module: Option<&'a str>,
}

/// A document of schema that is published: `?xsd=IF-MIB`, `?xsd=soap`, `?xsd=lean`, `?xsd=paper`.
pub fn document(scope: Scope<'_>, name: &str) -> Option<Vec<u8>> {
    let mut out = Markup::document();
    match name {
        "soap" => generic::schema(&mut out),
        "lean" => lean(&mut out, scope),
        "paper" => as_in_paper(&mut out, scope),
        module => {
            let of_module = Scope { module: Some(module), ..scope };
            let found = of_module.modules().next()?;
            of_one(&mut out, of_module, found);
        }
    }
    Some(out.finish())
}

impl<'a> Scope<'a> {
    /// Everything.
    pub fn all(catalog: &'a Catalog) -> Self {
        Scope { catalog, module: None }
    }

    /// The modules that have operations.
    pub fn modules(self) -> impl Iterator<Item = &'static Module> + 'a {
        let all = trunkline_smi::module::ALL.iter().copied();
        all.filter(move |module| {
            self.tables().any(|table| table.module.name == module.name)
                || self.groups().any(|group| group.module.name == module.name)
        })
    }

    /// The listed tables.
    pub fn tables(self) -> impl Iterator<Item = &'a ServedTable> {
        self.catalog.tables().iter().filter(move |table| self.has(table.module))
    }

    /// The listed groups.
    pub fn groups(self) -> impl Iterator<Item = &'a ServedGroup> {
        self.catalog.groups().iter().filter(move |group| self.has(group.module))
    }

    fn has(self, module: &Module) -> bool {
        self.module.is_none_or(|wanted| wanted == module.name)
    }
}

/// The schemas within a WSDL.
pub(crate) fn inline(scope: Scope<'_>, encoding: Encoding) -> Vec<u8> {
    let mut out = Markup::default();
    match encoding {
        Encoding::Typed => {
            generic::schema(&mut out);
            for module in scope.modules() {
                of_one(&mut out, Scope { module: Some(module.name), ..scope }, module);
            }
        }
        Encoding::Lean => {
            generic::schema(&mut out);
            lean(&mut out, scope);
        }
        Encoding::AsInPaper => as_in_paper_types(&mut out, scope),
    }
    out.finish()
}

/// The schema of a fault's detail and of notifications, for within a WSDL that has nothing else of that namespace.
pub(crate) fn events() -> Vec<u8> {
    let mut out = Markup::default();
    generic::events_schema(&mut out);
    out.finish()
}

/// The schema of a module's operations in `typed`.
fn of_one(out: &mut Markup, scope: Scope<'_>, module: &Module) {
    open(out, &namespace::of_module(module.name));
    for table in scope.tables() {
        out.line(&format!("<xs:complexType name=\"{}\"><xs:sequence>", table.table.entry));
        operations::keys(out, &table.record);
        table.record.fields.iter().for_each(|of| field(out, of, true));
        out.line("</xs:sequence></xs:complexType>");
        operations::key_type(out, table);
        operations::of_table(out, table, |out| {
            let entry = table.table.entry;
            let occurs = "minOccurs=\"0\" maxOccurs=\"unbounded\"";
            out.line(&format!("<xs:element name=\"{entry}\" type=\"m:{entry}\" {occurs}/>"));
        });
    }
    for group in scope.groups() {
        operations::of_group(out, group, |out| {
            group.record.fields.iter().for_each(|of| field(out, of, true));
        });
    }
    out.line("</xs:schema>");
}

/// The schema of all operations in `lean`.
fn lean(out: &mut Markup, scope: Scope<'_>) {
    open(out, namespace::LEAN);
    operations::generic(out, |out| {
        out.documented(
            "<xs:element name=\"o\" type=\"xs:string\" minOccurs=\"0\" maxOccurs=\"unbounded\">",
            "object identifier, a letter for the type, value: i integer, s text, x octets, o object identifier, \
             a IpAddress, c Counter32, u Unsigned32, t TimeTicks, q Opaque, C Counter64, - none and why",
            "</xs:element>",
        );
    });
    let rows = |out: &mut Markup| {
        out.documented(
            "<xs:element name=\"h\" type=\"m:tokens\" minOccurs=\"0\">",
            "the names of the tokens in each row",
            "</xs:element>",
        );
        out.documented(
            "<xs:element name=\"r\" type=\"m:tokens\" minOccurs=\"0\" maxOccurs=\"unbounded\">",
            "one row: a token for each name; - stands for no value, % for an empty one, %HH for an octet of a text",
            "</xs:element>",
        );
    };
    out.line("<xs:simpleType name=\"tokens\"><xs:list itemType=\"xs:string\"/></xs:simpleType>");
    for table in scope.tables() {
        operations::key_type(out, table);
        operations::of_table(out, table, rows);
    }
    for group in scope.groups() {
        operations::of_group(out, group, rows);
    }
    out.line("</xs:schema>");
}

/// The elements of answers in `as-in-paper`, which are in no namespace.
fn as_in_paper(out: &mut Markup, scope: Scope<'_>) {
    out.line(&format!("<xs:schema xmlns:xs=\"{}\">", namespace::XSD));
    let mut objects = std::collections::BTreeMap::new();
    for (record, _) in records(scope) {
        out.line(&format!("<xs:element name=\"{}\"><xs:complexType><xs:sequence>", record.element));
        for (name, syntax) in record.keys.iter().map(|part| (part.name, part.syntax)) {
            objects.insert(name, syntax);
            paper_field(out, name, &syntax, "");
        }
        for of in &record.fields {
            objects.insert(of.name, of.syntax);
            paper_field(out, of.name, &of.syntax, " minOccurs=\"0\"");
        }
        out.line("</xs:sequence></xs:complexType></xs:element>");
    }
    let groups: Vec<&str> = records(scope).map(|(record, _)| record.element).collect();
    for (name, syntax) in objects.into_iter().filter(|(name, _)| !groups.contains(name)) {
        paper_field(out, name, &syntax, "");
    }
    out.line("<xs:element name=\"object\" type=\"xs:anySimpleType\"/>");
    out.line("<xs:element name=\"missing\" type=\"xs:string\"/>");
    out.line("</xs:schema>");
}

/// The types that the WSDL of `as-in-paper` refers to.
fn as_in_paper_types(out: &mut Markup, scope: Scope<'_>) {
    let head =
        format!("<xs:schema xmlns:xs=\"{}\" targetNamespace=\"{}\">", namespace::XSD, namespace::PAPER);
    out.line(&head);
    for (record, is_table) in records(scope) {
        out.line(&format!("<xs:complexType name=\"{}\"><xs:sequence>", record.element));
        for part in record.keys {
            paper_field(out, part.name, &part.syntax, "");
        }
        for of in &record.fields {
            paper_field(out, of.name, &of.syntax, " minOccurs=\"0\"");
        }
        out.line("</xs:sequence></xs:complexType>");
        if is_table {
            out.line(&format!("<xs:complexType name=\"{}Key\"><xs:sequence>", record.element));
            for part in record.keys {
                paper_field(out, part.name, &part.syntax, "");
            }
            out.line("</xs:sequence></xs:complexType>");
        }
    }
    out.line(
        "<xs:complexType name=\"Assignment\"><xs:sequence><xs:element name=\"name\" type=\"xs:string\"/>",
    );
    out.line("<xs:element name=\"value\" type=\"xs:string\"/></xs:sequence></xs:complexType>");
    out.line("</xs:schema>");
}

fn records(scope: Scope<'_>) -> impl Iterator<Item = (&crate::catalog::Record, bool)> {
    let tables = scope.tables().map(|table| (&table.record, true));
    tables.chain(scope.groups().map(|group| (&group.record, false)))
}

fn open(out: &mut Markup, namespace: &str) {
    let head = format!(
        "<xs:schema xmlns:xs=\"{}\" xmlns:m=\"{namespace}\" targetNamespace=\"{namespace}\" \
         elementFormDefault=\"qualified\">",
        namespace::XSD
    );
    out.line(&head);
}
