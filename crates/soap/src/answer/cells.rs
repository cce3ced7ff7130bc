//! Rows and objects of an answer.

use trunkline_smi::Exception;
use trunkline_smi::schema::Syntax;
use trunkline_smi::{Oid, OidBuf, Value, encode_index};
use trunkline_xml::{Name, Reader, XmlError};

use super::{Object, Row};
use crate::catalog::Record;
use crate::encoding::{Encoding, kind_of_element, kind_of_letter};
use crate::lexical;

pub(crate) fn rows(
    reader: &mut Reader<'_>,
    encoding: Encoding,
    record: &Record,
) -> Result<Vec<Row>, XmlError> {
    match encoding {
        Encoding::Typed if record.keys.is_empty() => Ok(vec![fields(reader, encoding, record)?]),
        Encoding::Typed => {
            let mut rows = Vec::new();
            while let Some(name) = reader.child()? {
                row_into(reader, name, encoding, record, &mut rows)?;
            }
            Ok(rows)
        }
        Encoding::AsInPaper => {
            // The first row's start tag has been read.
            let mut rows = vec![fields(reader, encoding, record)?];
            while let Some(name) = reader.child()? {
                row_into(reader, name, encoding, record, &mut rows)?;
            }
            Ok(rows)
        }
        Encoding::Lean => lean_rows(reader, record),
    }
}

fn row_into(
    reader: &mut Reader<'_>,
    name: Name<'_>,
    encoding: Encoding,
    record: &Record,
    rows: &mut Vec<Row>,
) -> Result<(), XmlError> {
    if name.local != record.element {
        return Err(reader.unexpected(record.element));
    }
    rows.push(fields(reader, encoding, record)?);
    Ok(())
}

/// The elements of one row, in any order.
fn fields(reader: &mut Reader<'_>, encoding: Encoding, record: &Record) -> Result<Row, XmlError> {
    let mut keys = vec![None; record.keys.len()];
    let mut cells = vec![None; record.fields.len()];
    let mut expected = 0;
    while let Some(name) = reader.child()? {
        if let Some(at) = record.keys.iter().position(|part| part.name == name.local) {
            let text = reader.leaf()?;
            let key = lexical::parse_key(&record.keys[at], &text, encoding);
            keys[at] = Some(key.map_err(|error| reader.invalid(&error.expected, &text))?);
            continue;
        }
        // They usually come in order.
        let here = record.fields.get(expected).filter(|field| field.name == name.local).map(|_| expected);
        let Some(at) = here.or_else(|| record.field(name.local)) else {
            reader.skip()?;
            continue;
        };
        expected = at + 1;
        let field = &record.fields[at];
        let text = reader.leaf()?;
        let value = lexical::read(&field.syntax, &text, encoding);
        cells[at] = Some(value.ok_or_else(|| reader.invalid(field.name, &text))?);
    }
    let keys: Option<Vec<_>> = keys.into_iter().collect();
    let keys = keys.ok_or_else(|| reader.missing("an index object of the row"))?;
    let mut index = OidBuf::new();
    let encoded = encode_index(record.keys, &keys, &mut index);
    encoded.map_err(|error| reader.invalid("an index", &error.to_string()))?;
    Ok(Row { index: Oid::from(&index), cells })
}

fn lean_rows(reader: &mut Reader<'_>, record: &Record) -> Result<Vec<Row>, XmlError> {
    let mut header: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    while let Some(name) = reader.child()? {
        let text = reader.leaf()?;
        match name.local {
            "h" => header = text.split_ascii_whitespace().map(str::to_owned).collect(),
            "r" => rows.push(lean_row(reader, &header, &text, record)?),
            _ => return Err(reader.unexpected("h or r")),
        }
    }
    Ok(rows)
}

fn lean_row(reader: &Reader<'_>, header: &[String], text: &str, record: &Record) -> Result<Row, XmlError> {
    let mut keys = Vec::with_capacity(record.keys.len());
    let mut cells = vec![None; record.fields.len()];
    let mut tokens = text.split_ascii_whitespace();
    for name in header {
        let token =
            tokens.next().ok_or_else(|| reader.invalid("a token for each name of the header", text))?;
        if token == "-" {
            continue;
        }
        if let Some(part) = record.keys.iter().find(|part| part.name == name) {
            let key = lexical::parse_key(part, token, Encoding::Lean);
            keys.push(key.map_err(|error| reader.invalid(&error.expected, token))?);
        } else if let Some(at) = record.field(name) {
            let value = lexical::read(&record.fields[at].syntax, token, Encoding::Lean);
            cells[at] = Some(value.ok_or_else(|| reader.invalid(name, token))?);
        }
    }
    let mut index = OidBuf::new();
    let encoded = encode_index(record.keys, &keys, &mut index);
    encoded.map_err(|error| reader.invalid("an index", &error.to_string()))?;
    Ok(Row { index: Oid::from(&index), cells })
}

pub(super) fn objects<'i>(
    reader: &mut Reader<'i>,
    first: Name<'i>,
    encoding: Encoding,
    syntax_of: &impl Fn(&str) -> Option<Syntax>,
) -> Result<Vec<Object>, XmlError> {
    let mut objects = Vec::new();
    if encoding == Encoding::AsInPaper {
        let mut name = Some(first);
        while let Some(found) = name {
            objects.push(paper_object(reader, found, syntax_of)?);
            name = reader.child()?;
        }
        return Ok(objects);
    }
    while let Some(name) = reader.child()? {
        objects.push(match name.local {
            "object" => typed_object(reader)?,
            "o" => lean_object(reader)?,
            _ => return Err(reader.unexpected("object")),
        });
    }
    Ok(objects)
}

fn typed_object(reader: &mut Reader<'_>) -> Result<Object, XmlError> {
    let (mut oid, mut value) = (None, None);
    while let Some(name) = reader.child()? {
        let text = reader.leaf()?;
        match name.local {
            "name" => {}
            "oid" => oid = Some(object_identifier(reader, &text)?),
            "missing" => value = Some(Err(missing(reader, &text)?)),
            kind => {
                let syntax = kind_of_element(kind).ok_or_else(|| reader.unexpected("a value"))?;
                value = Some(Ok(value_of(reader, &syntax, &text, Encoding::Typed)?));
            }
        }
    }
    let value = value.ok_or_else(|| reader.missing("a value"))?;
    Ok(Object { oid, value })
}

fn lean_object(reader: &mut Reader<'_>) -> Result<Object, XmlError> {
    let text = reader.leaf()?;
    let mut tokens = text.split_ascii_whitespace();
    let mut token = || tokens.next().ok_or_else(|| reader.invalid("an OID, a letter and a value", &text));
    let (oid, letter, value) = (token()?, token()?, token()?);
    let oid = Some(object_identifier(reader, oid)?);
    if letter == "-" {
        return Ok(Object { oid, value: Err(missing(reader, value)?) });
    }
    let syntax = kind_of_letter(letter).ok_or_else(|| reader.invalid("a letter for a type", letter))?;
    Ok(Object { oid, value: Ok(value_of(reader, &syntax, value, Encoding::Lean)?) })
}

fn paper_object(
    reader: &mut Reader<'_>,
    name: Name<'_>,
    syntax_of: &impl Fn(&str) -> Option<Syntax>,
) -> Result<Object, XmlError> {
    let kind = reader.type_name()?.map(|name| name.local);
    let text = reader.leaf()?;
    if name.local == "missing" {
        return Ok(Object { oid: None, value: Err(missing(reader, &text)?) });
    }
    let by_type = match kind {
        Some("int") => Syntax::INTEGER32,
        Some("unsignedInt") => Syntax::UNSIGNED32,
        Some("unsignedLong") => Syntax::COUNTER64,
        _ => Syntax::DISPLAY_STRING,
    };
    let syntax = syntax_of(name.local).unwrap_or(by_type);
    Ok(Object { oid: None, value: Ok(value_of(reader, &syntax, &text, Encoding::AsInPaper)?) })
}

fn object_identifier(reader: &Reader<'_>, text: &str) -> Result<Oid, XmlError> {
    lexical::object_identifier(text.trim()).ok_or_else(|| reader.invalid("an object identifier", text))
}

fn missing(reader: &Reader<'_>, text: &str) -> Result<Exception, XmlError> {
    let found = Exception::ALL.into_iter().find(|missing| missing.name() == text.trim());
    found.ok_or_else(|| reader.invalid("noSuchObject, noSuchInstance or endOfMibView", text))
}

fn value_of(reader: &Reader<'_>, syntax: &Syntax, text: &str, encoding: Encoding) -> Result<Value, XmlError> {
    lexical::read(syntax, text, encoding).ok_or_else(|| reader.invalid(syntax.kind.name(), text))
}
