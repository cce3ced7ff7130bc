//! The elements of requests and answers.

use super::element::{Markup, field, object};
use super::generic::values;
use crate::catalog::{Record, ServedGroup, ServedTable, TableVerb};

const COMMUNITY: &str = "<xs:element name=\"community\" type=\"xs:string\" minOccurs=\"0\"/>";
const COLUMNS: &str =
    "<xs:element name=\"column\" type=\"xs:string\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>";
const NAMES: &str = "<xs:element name=\"name\" type=\"xs:string\" maxOccurs=\"unbounded\"/>";

/// An element with a sequence within.
fn wrapper(out: &mut Markup, name: &str, content: impl FnOnce(&mut Markup)) {
    out.line(&format!("<xs:element name=\"{name}\"><xs:complexType><xs:sequence>"));
    content(out);
    out.line("</xs:sequence></xs:complexType></xs:element>");
}

/// `Get`, `GetNext` and `Set`; `objects` are what answers consist of.
pub(super) fn generic(out: &mut Markup, objects: impl Fn(&mut Markup)) {
    wrapper(out, "Get", |out| {
        out.line(COMMUNITY);
        out.line(NAMES);
        out.documented(
            "<xs:element name=\"markMissing\" type=\"xs:boolean\" minOccurs=\"0\">",
            "whether missing objects are marked in the answer, instead of a fault",
            "</xs:element>",
        );
    });
    wrapper(out, "GetResponse", &objects);
    wrapper(out, "GetNext", |out| {
        out.line(COMMUNITY);
        out.line(NAMES);
        out.documented(
            "<xs:element name=\"count\" type=\"xs:unsignedInt\" minOccurs=\"0\">",
            "how many after each name; 1 if omitted",
            "</xs:element>",
        );
    });
    wrapper(out, "GetNextResponse", &objects);
    out.line("<xs:complexType name=\"Assignment\"><xs:sequence>");
    out.line("<xs:element name=\"name\" type=\"xs:string\"/>");
    out.line("<xs:choice>");
    out.documented(
        "<xs:element name=\"value\" type=\"xs:string\">",
        "in the form of the object's type; enumerations by number or name",
        "</xs:element>",
    );
    values(out);
    out.line("</xs:choice></xs:sequence></xs:complexType>");
    wrapper(out, "Set", |out| {
        out.line(COMMUNITY);
        out.line("<xs:element name=\"object\" type=\"m:Assignment\" maxOccurs=\"unbounded\"/>");
    });
    wrapper(out, "SetResponse", |_| {});
}

/// The index objects of a row.
pub(super) fn keys(out: &mut Markup, record: &Record) {
    record.keys.iter().for_each(|part| object(out, part.name, &part.syntax, "", ""));
}

/// The type of `after`.
pub(super) fn key_type(out: &mut Markup, table: &ServedTable) {
    out.line(&format!("<xs:complexType name=\"{}Key\"><xs:sequence>", table.table.entry));
    keys(out, &table.record);
    out.line("</xs:sequence></xs:complexType>");
}

/// The operations of a table; `rows` are what answers consist of.
pub(super) fn of_table(out: &mut Markup, table: &ServedTable, rows: impl Fn(&mut Markup)) {
    for verb in TableVerb::ALL {
        if verb == TableVerb::SetRow && !table.record.is_writable() {
            continue;
        }
        let name = table.operation(verb);
        wrapper(out, &name, |out| {
            out.line(COMMUNITY);
            match verb {
                TableVerb::Whole => out.line(COLUMNS),
                TableVerb::Column => out.line("<xs:element name=\"column\" type=\"xs:string\"/>"),
                TableVerb::Row => {
                    keys(out, &table.record);
                    out.line(COLUMNS);
                }
                TableVerb::NextRows => {
                    let entry = table.table.entry;
                    out.documented(
                        &format!("<xs:element name=\"after\" type=\"m:{entry}Key\" minOccurs=\"0\">"),
                        "the row after which to start; the first row if omitted",
                        "</xs:element>",
                    );
                    out.line("<xs:element name=\"count\" type=\"xs:unsignedInt\"/>");
                    out.line(COLUMNS);
                }
                TableVerb::SetRow => {
                    keys(out, &table.record);
                    let writable = table.record.fields.iter().filter(|of| of.is_writable);
                    writable.for_each(|of| field(out, of, true));
                }
            }
        });
        wrapper(out, &format!("{name}Response"), |out| {
            if verb != TableVerb::SetRow {
                rows(out);
            }
        });
    }
}

/// The operations of a group of scalars; `values` are what answers consist of.
pub(super) fn of_group(out: &mut Markup, group: &ServedGroup, values: impl Fn(&mut Markup)) {
    let get = group.get_operation();
    wrapper(out, &get, |out| out.line(COMMUNITY));
    wrapper(out, &format!("{get}Response"), values);
    if group.record.is_writable() {
        let set = group.set_operation();
        wrapper(out, &set, |out| {
            out.line(COMMUNITY);
            let writable = group.record.fields.iter().filter(|of| of.is_writable);
            writable.for_each(|of| field(out, of, true));
        });
        wrapper(out, &format!("{set}Response"), |_| {});
    }
}
