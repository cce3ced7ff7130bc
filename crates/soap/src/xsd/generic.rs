//! The types shared by all: `Get`, `GetNext`, `Set`, and the detail of faults.

use super::element::Markup;
use super::{open, operations};
use crate::fault::FaultKind;
use crate::namespace;
use trunkline_smi::Exception;

/// The schema of `urn:trunkline:soap`.
pub(super) fn schema(out: &mut Markup) {
    open(out, namespace::GENERIC);
    out.line("<xs:complexType name=\"Object\"><xs:sequence>");
    out.documented(
        "<xs:element name=\"name\" type=\"xs:string\">",
        "IF-MIB::ifDescr.2, or the object identifier if there is no schema",
        "</xs:element>",
    );
    out.line("<xs:element name=\"oid\" type=\"xs:string\"/>");
    out.line("<xs:choice>");
    values(out);
    out.line("<xs:element name=\"missing\" type=\"m:Missing\"/>");
    out.line("</xs:choice></xs:sequence></xs:complexType>");
    out.line("<xs:simpleType name=\"Missing\"><xs:restriction base=\"xs:string\">");
    for missing in Exception::ALL {
        out.line(&format!("<xs:enumeration value=\"{}\"/>", missing.name()));
    }
    out.line("</xs:restriction></xs:simpleType>");
    operations::generic(out, |out| {
        let occurs = "minOccurs=\"0\" maxOccurs=\"unbounded\"";
        out.line(&format!("<xs:element name=\"object\" type=\"m:Object\" {occurs}/>"));
    });
    problem(out);
    out.line("</xs:schema>");
}

/// Of that namespace the detail of faults and notifications.
pub(super) fn events_schema(out: &mut Markup) {
    open(out, namespace::GENERIC);
    problem(out);
    notification(out);
    out.line("</xs:schema>");
}

/// What is posted to subscribers.
fn notification(out: &mut Markup) {
    out.line("<xs:element name=\"Notification\"><xs:complexType><xs:sequence>");
    out.documented(
        "<xs:element name=\"Name\" type=\"xs:string\" minOccurs=\"0\">",
        "IF-MIB::linkDown",
        "</xs:element>",
    );
    out.documented(
        "<xs:element name=\"Oid\" type=\"xs:string\">",
        "the notification's object identifier",
        "</xs:element>",
    );
    out.documented(
        "<xs:element name=\"UpTime\" type=\"xs:unsignedInt\">",
        "sysUpTime in hundredths of a second",
        "</xs:element>",
    );
    out.line("<xs:element name=\"Object\" minOccurs=\"0\" maxOccurs=\"unbounded\"><xs:complexType>");
    out.line("<xs:simpleContent><xs:extension base=\"xs:string\">");
    for (name, usage) in [("oid", "required"), ("name", "optional"), ("type", "required")] {
        out.line(&format!("<xs:attribute name=\"{name}\" type=\"xs:string\" use=\"{usage}\"/>"));
    }
    out.line("</xs:extension></xs:simpleContent></xs:complexType></xs:element>");
    out.line("</xs:sequence></xs:complexType></xs:element>");
}

/// The elements for a value's type; octets are text if the display hint says so.
pub(super) fn values(out: &mut Markup) {
    for (name, base) in [
        ("integer", "int"),
        ("text", "string"),
        ("octets", "hexBinary"),
        ("objectIdentifier", "string"),
        ("ipAddress", "string"),
        ("counter32", "unsignedInt"),
        ("unsigned32", "unsignedInt"),
        ("timeTicks", "unsignedInt"),
        ("opaque", "hexBinary"),
        ("counter64", "unsignedLong"),
    ] {
        out.line(&format!("<xs:element name=\"{name}\" type=\"xs:{base}\"/>"));
    }
}

fn problem(out: &mut Markup) {
    out.line("<xs:simpleType name=\"ProblemKind\"><xs:restriction base=\"xs:string\">");
    for word in FaultKind::words() {
        out.line(&format!("<xs:enumeration value=\"{word}\"/>"));
    }
    out.line("</xs:restriction></xs:simpleType>");
    out.line("<xs:complexType name=\"Problem\"><xs:sequence>");
    out.line("<xs:element name=\"kind\" type=\"m:ProblemKind\"/>");
    let optional = [
        ("name", "xs:string", "the name as it was written"),
        ("oid", "xs:string", "the object identifier"),
        ("row", "xs:string", "the row's index"),
        ("position", "xs:unsignedInt", "the position of the name or value in the request, from 1"),
    ];
    for (name, base, words) in optional {
        let open = format!("<xs:element name=\"{name}\" type=\"{base}\" minOccurs=\"0\">");
        out.documented(&open, words, "</xs:element>");
    }
    out.documented(
        "<xs:element name=\"near\" type=\"xs:string\" minOccurs=\"0\" maxOccurs=\"unbounded\">",
        "a similar name",
        "</xs:element>",
    );
    out.line("</xs:sequence></xs:complexType>");
    out.line("<xs:element name=\"problem\" type=\"m:Problem\"/>");
}
