//! /sys/block: the machine's own disks and their partitions.

use std::path::Path;

use super::{number, words};
use crate::SourceRoot;

/// A disk. Devices built from other devices or from memory (loop, zram, device mapper, md) do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disk {
    /// The kernel's name, `sda`.
    pub name: String,
    /// Vendor and model, if the device reports them.
    pub description: String,
    /// In units of 512 octets; 0 without a medium.
    pub sectors: u64,
    pub read_only: bool,
    pub removable: bool,
    /// By partition number.
    pub partitions: Vec<Partition>,
}

/// A part of a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The kernel's name, `sda1`.
    pub name: String,
    /// Its number on the disk, from 1.
    pub number: u32,
    /// In units of 512 octets.
    pub sectors: u64,
    /// Major and minor device number, as in `8:1`.
    pub device: String,
}

/// The disks, by name. A machine without /sys has none.
pub fn disks(root: &SourceRoot) -> Vec<Disk> {
    let names = folders(&root.path("sys/block"));
    names.into_iter().filter_map(|name| disk(root, name)).collect()
}

fn disk(root: &SourceRoot, name: String) -> Option<Disk> {
    let folder = format!("sys/block/{name}");
    if !root.path(format!("{folder}/device")).exists() {
        return None;
    }
    let text = |file: &str| word_text(&root.read_or_empty(format!("{folder}/{file}")));
    let flag = |file: &str| root.read_number(format!("{folder}/{file}")) == Some(1);
    let description = [text("device/vendor"), text("device/model")];
    let description: Vec<String> = description.into_iter().filter(|part| !part.is_empty()).collect();
    let mut partitions: Vec<Partition> = folders(&root.path(&folder))
        .into_iter()
        .filter(|part| part.starts_with(&name))
        .filter_map(|part| partition(root, &format!("{folder}/{part}"), part))
        .collect();
    partitions.sort_by_key(|partition| partition.number);
    Some(Disk {
        description: description.join(" "),
        sectors: root.read_number(format!("{folder}/size")).unwrap_or(0),
        read_only: flag("ro"),
        removable: flag("removable"),
        partitions,
        name,
    })
}

fn partition(root: &SourceRoot, folder: &str, name: String) -> Option<Partition> {
    let number = root.read_number(format!("{folder}/partition"))?;
    Some(Partition {
        number: u32::try_from(number).ok().filter(|number| *number > 0)?,
        sectors: root.read_number(format!("{folder}/size")).unwrap_or(0),
        device: word_text(&root.read_or_empty(format!("{folder}/dev"))),
        name,
    })
}

/// The words of a file of one line, with single blanks between them.
pub fn word_text(line: &[u8]) -> String {
    let words: Vec<_> = words(line).map(String::from_utf8_lossy).collect();
    words.join(" ")
}

/// The names in a folder, sorted as people count: `sda2` before `sda10`.
pub fn folders(path: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_by(|a, b| natural(a).cmp(&natural(b)));
    names
}

/// The part before the final digits, and their number.
fn natural(name: &str) -> (&str, u64) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem, number(&name.as_bytes()[stem.len()..]).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_as_people_count() {
        let mut names = ["sda10", "sda2", "nvme0n1p1", "sda"];
        names.sort_by(|a, b| natural(a).cmp(&natural(b)));
        assert_eq!(names, ["nvme0n1p1", "sda", "sda2", "sda10"]);
    }

    #[test]
    fn the_words_of_a_line_are_kept() {
        assert_eq!(word_text(b"ATA     \n"), "ATA");
        assert_eq!(word_text(b"Some  Disk 9000   \n"), "Some Disk 9000");
    }
}
