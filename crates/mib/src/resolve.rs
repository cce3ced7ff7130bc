//! From what people type to an object identifier.
//!
//! Accepted: `1.3.6.1`, `.1.3.6.1`, `IF-MIB::ifDescr.2`, `ifDescr.2`, `interfaces.ifTable`,
//! `.iso.org.dod`, `iso.3.6.1`, and indexes as they are printed: `"text"` (with a length
//! where the index has one), `'text'` (without), enumeration names, addresses,
//! and brackets instead of dots (`ifDescr[2]`).

use trunkline_smi::schema::{IndexEncoding, IndexPart};
use trunkline_smi::{Oid, OidBuf, check_root};

use crate::catalog::{Catalog, NodeId, ObjectKind};
use crate::error::ResolveError;
use crate::suggest::near;
use trunkline_smi::DisplayHint;

/// One piece between dots.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Number(u32),
    Label(String),
    /// `"text"`.
    Text(String),
    /// `'text'`.
    Implied(String),
    /// `[MODULE::name.1]` or `[.iso.org]`: an object identifier as index.
    Name(String),
}

impl Catalog {
    /// The object identifier that a text names, if there can be one.
    pub fn resolve(&self, text: &str) -> Result<Oid, ResolveError> {
        let oid = self.resolve_numbers(text)?;
        check_root(&oid).map_err(|fault| ResolveError::Root { text: text.to_owned(), fault })?;
        Ok(oid)
    }

    /// The same, whatever its first two numbers are.
    pub fn resolve_numbers(&self, text: &str) -> Result<Oid, ResolveError> {
        let form = |what| ResolveError::Form { text: text.to_owned(), what };
        let (module, path) = split_module(text);
        let absolute = path.starts_with('.');
        let pieces = split_pieces(path.strip_prefix('.').unwrap_or(path)).map_err(form)?;
        let numbers = |piece| match piece {
            Piece::Name(name) => Ok(Piece::Text(self.resolve(&name)?.to_string())),
            other => Ok(other),
        };
        let pieces = pieces.into_iter().map(numbers).collect::<Result<Vec<_>, ResolveError>>()?;
        let mut pieces = pieces.into_iter();
        let first = pieces.next().ok_or_else(|| form("it is empty"))?;
        let mut oid = OidBuf::new();
        let start = match first {
            Piece::Number(number) => {
                oid.push(number)?;
                self.child(Self::ROOT, number)
            }
            Piece::Label(name) => {
                let start = self.start(module, &name, absolute)?;
                oid.extend(&self.oid_of(start))?;
                Some(start)
            }
            _ => return Err(form("it begins with a quoted index")),
        };
        self.descend(start, pieces.collect(), &mut oid)?;
        Ok(Oid::from(&oid))
    }

    fn start(&self, module: Option<&str>, name: &str, absolute: bool) -> Result<NodeId, ResolveError> {
        if absolute {
            return self.child_named(Self::ROOT, name).ok_or_else(|| self.unknown_child(Self::ROOT, name));
        }
        let Some(module) = module else {
            let unknown = || ResolveError::UnknownName {
                name: name.into(),
                module: None,
                near: near(name, self.names()),
            };
            return self.named(name).first().map(|(_, id)| *id).ok_or_else(unknown);
        };
        if !self.has_module(module) {
            let near = near(module, self.modules().iter().copied());
            return Err(ResolveError::UnknownModule { module: module.into(), near });
        }
        let here = self.named(name).iter().find(|(defining, _)| *defining == module);
        here.map(|(_, id)| *id).ok_or_else(|| self.unknown_in_module(module, name))
    }

    fn unknown_in_module(&self, module: &str, name: &str) -> ResolveError {
        let elsewhere = self.named(name).iter().map(|(other, _)| format!("{other}::{name}"));
        let mut near_names: Vec<String> = elsewhere.collect();
        if near_names.is_empty() {
            let in_module = |known: &&str| self.named(known).iter().any(|(defining, _)| *defining == module);
            near_names = near(name, self.names().filter(in_module));
        }
        ResolveError::UnknownName { name: name.into(), module: Some(module.into()), near: near_names }
    }

    /// Follows the parts after the first; below a column they are a row's index.
    fn descend(
        &self,
        start: Option<NodeId>,
        pieces: Vec<Piece>,
        oid: &mut OidBuf,
    ) -> Result<(), ResolveError> {
        let mut at = start;
        let mut pieces = pieces.into_iter().peekable();
        while let Some(node) = at {
            let is_column = self.node(node).object.is_some_and(|object| object.kind == ObjectKind::Column);
            if is_column || pieces.peek().is_none() {
                break;
            }
            match pieces.next() {
                Some(Piece::Number(number)) => {
                    oid.push(number)?;
                    at = self.child(node, number);
                }
                Some(Piece::Label(name)) => {
                    let child =
                        self.child_named(node, &name).ok_or_else(|| self.unknown_child(node, &name))?;
                    oid.push(self.node(child).sub_id)?;
                    at = Some(child);
                }
                Some(quoted) => {
                    push_plain(&quoted, self.label(node), oid)?;
                    at = None;
                }
                None => break,
            }
        }
        let object = at.map_or_else(|| "an unknown object".to_owned(), |node| self.label(node));
        let table = at.and_then(|node| self.node(node).object).and_then(|object| object.table);
        let mut index = IndexReader { object, pieces: pieces.collect::<Vec<_>>().into_iter(), oid };
        index.read(table.map_or(&[], |table| table.index))
    }

    fn child_named(&self, parent: NodeId, name: &str) -> Option<NodeId> {
        self.children(parent).find(|child| self.node(*child).name == name)
    }

    fn label(&self, node: NodeId) -> String {
        let name = self.node(node).name;
        if name.is_empty() { self.oid_of(node).to_string() } else { name.to_owned() }
    }

    fn unknown_child(&self, parent: NodeId, name: &str) -> ResolveError {
        let near = near(name, self.children(parent).map(|child| self.node(child).name));
        let parent = if parent == Self::ROOT { "the root".to_owned() } else { self.label(parent) };
        ResolveError::UnknownChild { parent, name: name.into(), near }
    }
}

/// Reads the pieces of a row's index by the table's index objects. It may end early:
/// the beginning of an index is a subtree to walk.
struct IndexReader<'a> {
    object: String,
    pieces: std::vec::IntoIter<Piece>,
    oid: &'a mut OidBuf,
}

impl IndexReader<'_> {
    fn read(&mut self, parts: &'static [IndexPart]) -> Result<(), ResolveError> {
        let mut address_type = None;
        for part in parts {
            let Some(piece) = self.pieces.next() else { return Ok(()) };
            let before = self.oid.len();
            self.read_part(part, piece, address_type)?;
            if part.syntax.convention == "InetAddressType" {
                address_type = self.oid.get(before).copied();
            }
        }
        for piece in self.pieces.by_ref() {
            push_plain(&piece, self.object.clone(), self.oid)?;
        }
        Ok(())
    }

    fn read_part(
        &mut self,
        part: &IndexPart,
        piece: Piece,
        address_type: Option<u32>,
    ) -> Result<(), ResolveError> {
        use IndexEncoding as E;
        match (part.encoding, piece) {
            (E::Integer, Piece::Number(number)) => self.oid.push(number)?,
            (E::Integer, Piece::Label(name)) => {
                let number = part.syntax.names.iter().find(|(_, known)| *known == name).map(|(n, _)| *n);
                let number = number.ok_or_else(|| self.mismatch(part, &name))?;
                self.oid.push(number.unsigned_abs())?;
            }
            (E::Integer, Piece::Text(text) | Piece::Implied(text)) => {
                let number = text.parse().map_err(|_| self.mismatch(part, &text))?;
                self.oid.push(number)?;
            }
            (E::FixedOctets(_) | E::Octets | E::ImpliedOctets, Piece::Label(text)) => {
                return self.read_part(part, Piece::Text(text), address_type);
            }
            (_, Piece::Label(name) | Piece::Name(name)) => return Err(self.mismatch(part, &name)),
            (_, Piece::Number(number)) => self.read_numbers(part.encoding, number)?,
            (E::ObjectIdentifier | E::ImpliedObjectIdentifier, Piece::Text(text) | Piece::Implied(text)) => {
                let oid: Oid = text.parse().map_err(|_| self.mismatch(part, &text))?;
                if part.encoding == E::ObjectIdentifier {
                    self.oid.push(oid.len() as u32)?;
                }
                self.oid.extend(&oid)?;
            }
            (encoding, Piece::Text(text) | Piece::Implied(text)) => {
                let octets =
                    octets_of(part, &text, address_type).ok_or_else(|| self.mismatch(part, &text))?;
                match encoding {
                    E::Octets => self.oid.push(octets.len() as u32)?,
                    // The internet's family.
                    E::NetworkAddress => self.oid.push(1)?,
                    _ => {}
                }
                push_octets(&octets, self.oid)?;
            }
        }
        Ok(())
    }

    /// An index object of several sub-identifiers, given as numbers, `first` of them read already.
    fn read_numbers(&mut self, encoding: IndexEncoding, first: u32) -> Result<(), ResolveError> {
        use IndexEncoding as E;
        self.oid.push(first)?;
        let more = match encoding {
            E::Integer => 0,
            E::FixedOctets(length) => length.saturating_sub(1),
            E::IpAddress => 3,
            E::NetworkAddress => 4,
            E::Octets | E::ObjectIdentifier => first as usize,
            E::ImpliedOctets | E::ImpliedObjectIdentifier => usize::MAX,
        };
        let mut left = more;
        while left > 0 {
            let Some(piece) = self.pieces.next() else { return Ok(()) };
            push_plain(&piece, self.object.clone(), self.oid)?;
            left -= 1;
        }
        Ok(())
    }

    fn mismatch(&self, part: &IndexPart, found: &str) -> ResolveError {
        let names: Vec<String> = part.syntax.names.iter().map(|(n, name)| format!("{name}({n})")).collect();
        let expected = match part.encoding {
            IndexEncoding::Integer if names.is_empty() => "a number".to_owned(),
            IndexEncoding::Integer => format!("a number or one of {}", names.join(" ")),
            IndexEncoding::IpAddress | IndexEncoding::NetworkAddress => "an IPv4 address".to_owned(),
            IndexEncoding::FixedOctets(length) => format!("{length} octets as numbers or a quoted text"),
            IndexEncoding::ObjectIdentifier | IndexEncoding::ImpliedObjectIdentifier => {
                "an object identifier in numbers".to_owned()
            }
            IndexEncoding::Octets | IndexEncoding::ImpliedOctets => {
                "octets as numbers or a quoted text".to_owned()
            }
        };
        ResolveError::Index {
            object: self.object.clone(),
            part: part.name,
            found: found.to_owned(),
            expected,
        }
    }
}

/// The octets that a quoted index text stands for.
fn octets_of(part: &IndexPart, text: &str, address_type: Option<u32>) -> Option<Vec<u8>> {
    let fits = |octets: &Vec<u8>| match part.encoding {
        IndexEncoding::FixedOctets(length) => octets.len() == length,
        IndexEncoding::IpAddress | IndexEncoding::NetworkAddress => octets.len() == 4,
        _ => true,
    };
    let octets = match (part.syntax.convention, address_type) {
        ("InetAddress", Some(1..=4)) => inet_octets(text)?,
        ("InetAddress", _) => text.as_bytes().to_vec(),
        _ if matches!(part.encoding, IndexEncoding::IpAddress | IndexEncoding::NetworkAddress) => {
            inet_octets(text)?
        }
        _ => match DisplayHint::parse(part.syntax.hint).and_then(|hint| hint.parse_octets(text)) {
            Some(octets) => octets,
            None => text.as_bytes().to_vec(),
        },
    };
    Some(octets).filter(fits)
}

/// IPv4 and IPv6 addresses, with a zone in decimal after `%`; IPv6 also as sixteen pairs of digits.
fn inet_octets(text: &str) -> Option<Vec<u8>> {
    let (address, zone) = text.split_once('%').map_or((text, None), |(address, zone)| (address, Some(zone)));
    let mut octets = if let Ok(address) = address.parse::<std::net::IpAddr>() {
        match address {
            std::net::IpAddr::V4(address) => address.octets().to_vec(),
            std::net::IpAddr::V6(address) => address.octets().to_vec(),
        }
    } else {
        let pairs = address.split(':').map(|pair| u8::from_str_radix(pair, 16).ok());
        pairs.collect::<Option<Vec<u8>>>().filter(|octets| octets.len() == 16)?
    };
    if let Some(zone) = zone {
        octets.extend_from_slice(&zone.parse::<u32>().ok()?.to_be_bytes());
    }
    Some(octets)
}

/// A part without a known syntax: numbers as they are, texts by their quotes.
fn push_plain(piece: &Piece, parent: String, oid: &mut OidBuf) -> Result<(), ResolveError> {
    match piece {
        Piece::Number(number) => oid.push(*number)?,
        Piece::Text(text) => {
            oid.push(text.len() as u32)?;
            push_octets(text.as_bytes(), oid)?;
        }
        Piece::Implied(text) => push_octets(text.as_bytes(), oid)?,
        Piece::Label(name) | Piece::Name(name) => {
            return Err(ResolveError::UnknownChild { parent, name: name.clone(), near: Vec::new() });
        }
    }
    Ok(())
}

fn push_octets(octets: &[u8], oid: &mut OidBuf) -> Result<(), ResolveError> {
    octets.iter().try_for_each(|octet| oid.push(u32::from(*octet)))?;
    Ok(())
}

/// `IF-MIB::ifDescr` in two; a `::` inside quotes is not a separator.
fn split_module(text: &str) -> (Option<&str>, &str) {
    let before_quotes = text.find(['"', '\'']).unwrap_or(text.len());
    match text[..before_quotes].find("::") {
        Some(at) => (Some(&text[..at]), &text[at + 2..]),
        None => (None, text),
    }
}

fn split_pieces(path: &str) -> Result<Vec<Piece>, &'static str> {
    let mut pieces = Vec::new();
    let mut chars = path.chars().peekable();
    let mut bracket = false;
    while let Some(&first) = chars.peek() {
        let in_bracket = if bracket { until_bracket_ends(chars.clone())? } else { String::new() };
        if let Some(text) = in_bracket.strip_prefix("STRING: ") {
            chars.by_ref().take(in_bracket.chars().count()).for_each(drop);
            pieces.push(Piece::Text(text.to_owned()));
        } else if in_bracket.starts_with('.') || in_bracket.contains("::") && first.is_ascii_alphabetic() {
            chars.by_ref().take(in_bracket.chars().count()).for_each(drop);
            pieces.push(Piece::Name(in_bracket));
        } else if first == '"' || first == '\'' {
            chars.next();
            pieces.push(quoted(first, &mut chars)?);
        } else {
            let mut word = String::new();
            while let Some(c) = chars.next_if(|c| !matches!(c, '.' | '[' | ']')) {
                word.push(c);
            }
            pieces.push(word_piece(word)?);
        }
        bracket = end_of_piece(&mut chars)?;
    }
    Ok(pieces)
}

/// The content of an open bracket. A name in it may itself have brackets.
fn until_bracket_ends(chars: std::iter::Peekable<std::str::Chars<'_>>) -> Result<String, &'static str> {
    const DEEPEST: usize = 8; // each is one more call of `resolve`
    let (mut text, mut depth) = (String::new(), 0);
    let (mut quote, mut escaped) = (None, false);
    for c in chars {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = quote.is_some(),
            '"' | '\'' if quote.is_none() => quote = Some(c),
            _ if quote.is_some() => quote = quote.filter(|mark| *mark != c),
            '[' if depth == DEEPEST => return Err("brackets are nested too deep"),
            '[' => depth += 1,
            ']' if depth == 0 => break,
            ']' => depth -= 1,
            _ => {}
        }
        text.push(c);
    }
    Ok(text)
}

/// Consumes the separator between two parts: `.`, `[`, `]` or `][`. Returns whether a bracket was opened.
fn end_of_piece(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<bool, &'static str> {
    let closed = chars.next_if_eq(&']').is_some();
    if let Some(mark) = chars.next_if(|c| matches!(c, '.' | '[')) {
        return if chars.peek().is_none() { Err("it ends with a dot") } else { Ok(mark == '[') };
    }
    match chars.peek() {
        None => Ok(false),
        Some(_) if closed => Err("unexpected text after a bracket"),
        Some(_) => Err("unexpected text after a quote"),
    }
}

fn quoted(mark: char, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<Piece, &'static str> {
    let mut text = String::new();
    loop {
        match chars.next().ok_or("a quote is not closed")? {
            '\\' => text.push(chars.next().ok_or("it ends with a backslash")?),
            c if c == mark => break,
            c => text.push(c),
        }
    }
    Ok(if mark == '"' { Piece::Text(text) } else { Piece::Implied(text) })
}

fn word_piece(word: String) -> Result<Piece, &'static str> {
    if word.is_empty() {
        return Err("there is nothing between two dots");
    }
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return word.parse().map(Piece::Number).map_err(|_| "a number is above 4294967295");
    }
    Ok(Piece::Label(word))
}
