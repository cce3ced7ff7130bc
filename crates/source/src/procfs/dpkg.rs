//! /var/lib/dpkg/status: the installed packages of Debian and its descendants, a stanza for each.

use super::lines;

/// An installed package.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Package<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Its version with epoch and revision.
    pub version: &'a [u8],
    /// Its architecture, or `all`.
    pub architecture: &'a [u8],
    /// Whether the system does not work without it.
    pub essential: bool,
    installed: bool,
}

/// Where the file lies.
pub const STATUS: &str = "var/lib/dpkg/status";
/// Where the lists of the packages' files lie.
pub const INFO: &str = "var/lib/dpkg/info";
/// The status file of a machine with 20,000 packages has some 25 MB.
pub const LIMIT: u64 = 64 * 1024 * 1024;

/// The packages of the file that are there: also those half configured or with
/// triggers pending, not those of which only configuration is left.
pub fn packages(text: &[u8]) -> Vec<Package<'_>> {
    let mut packages = Vec::new();
    let mut package = Package::default();
    for line in lines(text).chain([&b""[..]]) {
        if line.is_empty() {
            if package.installed && !package.name.is_empty() {
                packages.push(package);
            }
            package = Package::default();
        } else if let Some((field, value)) = field(line) {
            match field {
                b"Package" => package.name = value,
                b"Version" => package.version = value,
                b"Architecture" => package.architecture = value,
                b"Essential" => package.essential = value == b"yes",
                b"Status" => package.installed = is_installed(value),
                _ => {}
            }
        }
    }
    packages
}

/// A field and its value; `None` for continuation lines, which start with a blank.
fn field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = line.iter().position(|octet| *octet == b':')?;
    (!line.starts_with(b" ")).then(|| (&line[..colon], line[colon + 1..].trim_ascii()))
}

/// `want flag status`: the third word counts.
fn is_installed(status: &[u8]) -> bool {
    let word = super::words(status).nth(2);
    word.is_some_and(|word| word != b"not-installed" && word != b"config-files")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &[u8] = b"Package: dash\nEssential: yes\nStatus: install ok installed\nArchitecture: amd64\nVersion: 0.5.12-2\nDescription: a\n Package: b\n\nPackage: old\nStatus: deinstall ok config-files\nVersion: 1\n\nPackage: libc6\nStatus: hold ok half-configured\nArchitecture: i386\nVersion: 2.36";

    #[test]
    fn installed_packages_are_listed() {
        let found = packages(TEXT);
        assert_eq!(found.iter().map(|p| p.name).collect::<Vec<_>>(), [&b"dash"[..], b"libc6"]);
        assert!(found[0].essential && !found[1].essential);
        assert_eq!((found[1].version, found[1].architecture), (&b"2.36"[..], &b"i386"[..]));
    }

    proptest! {
        #[test]
        fn truncated_and_mutated_texts_never_panic(cut in 0..TEXT.len(), at in 0..TEXT.len(), octet: u8) {
            let mut text = TEXT[..cut].to_vec();
            if let Some(place) = text.get_mut(at) {
                *place = octet;
            }
            prop_assert!(packages(&text).len() <= 4);
        }
    }
}
