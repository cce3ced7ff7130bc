//! The sizes of the parts of a program's file (ELF, 64 bits, little-endian), as reported by `size` of binutils.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A part of a program's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its name: `.text`.
    pub name: String,
    /// Octets.
    pub octets: u64,
    /// Whether it is loaded into memory.
    pub is_loaded: bool,
    /// Whether it contains instructions.
    pub is_executable: bool,
    /// Whether it occupies space in the file.
    pub is_in_file: bool,
}

/// All sections of a file.
///
/// # Errors
/// It cannot be read, or is not such a file.
pub fn sections(path: &Path) -> io::Result<Vec<Section>> {
    let mut octets = Vec::new();
    File::open(path)?.read_to_end(&mut octets)?;
    parse(&octets).ok_or_else(|| io::Error::other(format!("{} is not a 64-bit ELF file", path.display())))
}

/// A function in a program's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name, mangled.
    pub name: String,
    /// Octets.
    pub octets: u64,
}

/// All functions in the symbol table of a file; none if it was stripped.
///
/// # Errors
/// As [`sections`].
pub fn symbols(path: &Path) -> io::Result<Vec<Symbol>> {
    let mut octets = Vec::new();
    File::open(path)?.read_to_end(&mut octets)?;
    let headers = headers(&octets);
    let headers =
        headers.ok_or_else(|| io::Error::other(format!("{} is not a 64-bit ELF file", path.display())))?;
    let Some(table) = headers.iter().find(|it| it.kind == SYMTAB) else { return Ok(vec![]) };
    let Some(names) = headers.get(table.link as usize) else { return Ok(vec![]) };
    let all = table.contents(&octets).chunks_exact(SYMBOL).filter_map(|symbol| {
        let word = u32::from_le_bytes(symbol.get(..4)?.try_into().ok()?);
        let size = u64::from_le_bytes(symbol.get(16..24)?.try_into().ok()?);
        if symbol.get(4)? & 0xf != FUNCTION || size == 0 {
            return None;
        }
        let name = names.contents(&octets).get(word as usize..)?.split(|&octet| octet == 0).next()?;
        Some((u64::from_le_bytes(symbol.get(8..16)?.try_into().ok()?), name, size))
    });
    // Several names of one address are one function.
    let mut all: Vec<(u64, &[u8], u64)> = all.collect();
    all.sort_unstable();
    all.dedup_by_key(|(place, ..)| *place);
    let symbol = |(_, name, octets)| Symbol { name: String::from_utf8_lossy(name).into_owned(), octets };
    Ok(all.into_iter().map(symbol).collect())
}

/// Octets of instructions.
///
/// # Errors
/// As [`sections`].
pub fn text(path: &Path) -> io::Result<u64> {
    let sections = sections(path)?;
    Ok(sections.iter().filter(|it| it.is_executable).map(|it| it.octets).sum())
}

fn parse(octets: &[u8]) -> Option<Vec<Section>> {
    let section = |it: Header| Section {
        name: it.name,
        octets: it.size,
        is_loaded: it.flags & ALLOC != 0,
        is_executable: it.flags & EXECINSTR != 0,
        is_in_file: it.kind != NOBITS,
    };
    Some(headers(octets)?.into_iter().map(section).collect())
}

/// A section header.
struct Header {
    name: String,
    kind: u32,
    flags: u64,
    offset: u64,
    size: u64,
    link: u32,
}

impl Header {
    /// Its contents in the file; truncated if the file is.
    fn contents<'o>(&self, octets: &'o [u8]) -> &'o [u8] {
        let end = self.offset.checked_add(self.size);
        let range = usize::try_from(self.offset).ok().zip(end.and_then(|end| usize::try_from(end).ok()));
        range.and_then(|(from, to)| octets.get(from..to)).unwrap_or_default()
    }
}

fn headers(octets: &[u8]) -> Option<Vec<Header>> {
    const MAGIC: &[u8] = b"\x7fELF\x02\x01";
    if !octets.starts_with(MAGIC) {
        return None;
    }
    let half = |at: usize| Some(u16::from_le_bytes(octets.get(at..at + 2)?.try_into().ok()?));
    let word = |at: usize| Some(u32::from_le_bytes(octets.get(at..at.checked_add(4)?)?.try_into().ok()?));
    let long = |at: usize| Some(u64::from_le_bytes(octets.get(at..at.checked_add(8)?)?.try_into().ok()?));
    let table = usize::try_from(long(0x28)?).ok()?;
    let (size, count, names) = (half(0x3a)? as usize, half(0x3c)? as usize, half(0x3e)? as usize);
    let header = |number: usize| table.checked_add(number.checked_mul(size)?);
    let names_at = usize::try_from(long(header(names)?.checked_add(0x18)?)?).ok()?;
    let mut headers = Vec::new();
    for number in 0..count {
        let at = header(number)?;
        let field = |offset: usize| at.checked_add(offset);
        let from = names_at.checked_add(word(at)? as usize)?;
        let name = octets.get(from..)?.split(|&octet| octet == 0).next()?;
        headers.push(Header {
            name: String::from_utf8_lossy(name).into_owned(),
            kind: word(field(4)?)?,
            flags: long(field(8)?)?,
            offset: long(field(0x18)?)?,
            size: long(field(0x20)?)?,
            link: word(field(0x28)?)?,
        });
    }
    Some(headers)
}

/// `SHF_ALLOC` and `SHF_EXECINSTR` of the flags, `SHT_NOBITS` and `SHT_SYMTAB` of the kinds, `STT_FUNC` of symbols.
const ALLOC: u64 = 2;
const EXECINSTR: u64 = 4;
const NOBITS: u32 = 8;
const SYMTAB: u32 = 2;
const FUNCTION: u8 = 2;
/// Octets of an entry of the symbol table.
const SYMBOL: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_file_has_instructions() {
        let us = std::env::current_exe().unwrap();
        let sections = sections(&us).unwrap();
        let text_section = sections.iter().find(|it| it.name == ".text").unwrap();
        assert!(text_section.is_executable && text_section.is_loaded && text_section.is_in_file);
        assert!(text(&us).unwrap() >= text_section.octets);
        let symbols = symbols(&us).unwrap();
        assert!(symbols.iter().any(|it| it.name.contains("trunkline_lab") && it.octets > 0));
        let bss = sections.iter().find(|it| it.name == ".bss").unwrap();
        assert!(!bss.is_in_file && !bss.is_executable);
    }

    #[test]
    fn nothing_else_is_read() {
        for octets in [&b""[..], b"#!/bin/sh", b"\x7fELF\x02\x01", &[0xff; 200]] {
            assert_eq!(parse(octets), None);
        }
        let mut wild = b"\x7fELF\x02\x01".to_vec();
        wild.resize(64, 0xff);
        assert_eq!(parse(&wild), None);
    }
}
