//! Certificates where Net-SNMP keeps them: in the folders `certs`, `newcerts` and `ca-certs` of a folder `tls` beside a
//! configuration file, and keys in `private` (net-snmp-cert(1)). Lines name them by file or by fingerprint.

use std::path::{Path, PathBuf};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use trunkline_transport::tls::{Fingerprint, HashAlgorithm};

/// A certificate in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Certificate {
    /// Its file, in PEM.
    pub path: PathBuf,
    /// Its SHA-256 fingerprint, as our configuration has it.
    pub fingerprint: String,
    /// The file with its private key, if there is one.
    pub key: Option<PathBuf>,
}

/// Folders with certificates.
const FOLDERS: [&str; 4] = ["certs", "newcerts", "ca-certs", "cacerts"];

/// The `tls` folders beside these files, and Net-SNMP's own.
pub(crate) fn folders(files: &[PathBuf]) -> Vec<PathBuf> {
    let beside = files.iter().filter_map(|file| Some(file.parent()?.join("tls")));
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in beside.chain(["/etc/snmp/tls", "/usr/share/snmp/tls"].map(PathBuf::from)) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// The endings of such files.
const ENDINGS: [&str; 4] = ["crt", "pem", "cer", "cert"];

/// The certificate that a line names, in one of the `tls` folders.
pub(crate) fn find(folders: &[PathBuf], specifier: &str) -> Result<Certificate, String> {
    let wanted = parsed(specifier);
    let path = Path::new(specifier);
    let found = match path.is_absolute() {
        true => read(path).filter(|_| path.is_file()),
        false => folders.iter().find_map(|folder| {
            let files = FOLDERS.iter().flat_map(|inner| files(&folder.join(inner)));
            files.into_iter().find_map(|file| {
                let is_named = file.file_name().is_some_and(|name| name == specifier)
                    || file.file_stem().is_some_and(|stem| stem == specifier);
                let certificate = read(&file)?;
                let fits = |wanted: &Fingerprint| wanted.matches(&certificate.1);
                (is_named || wanted.as_ref().is_some_and(fits)).then_some(certificate)
            })
        }),
    };
    let (path, der) = found.ok_or_else(|| {
        let searched: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        format!("there is no certificate {specifier:?} in {}", searched.join(", "))
    })?;
    let key = key_of(&path);
    let fingerprint = Fingerprint::of(HashAlgorithm::Sha256, &der).to_string().to_lowercase();
    Ok(Certificate { path, fingerprint, key })
}

/// A fingerprint, if the text is one: the length of its digits alone says of which function.
fn parsed(text: &str) -> Option<Fingerprint> {
    let digits =
        text.rsplit_once("sha").map_or(text, |(_, rest)| rest.split_once(':').map_or(rest, |(_, d)| d));
    digits.parse().ok()
}

/// The fingerprint in our form, if it is one that needs no certificate.
pub(crate) fn fingerprint(text: &str) -> Option<String> {
    let text = parsed(text)?.to_string().to_lowercase();
    let (algorithm, digits) = text.split_once(':')?;
    Some(format!("{algorithm}:{}", digits.replace(':', "")))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_certificate =
        |path: &PathBuf| path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_certificate).collect();
    files.sort();
    files
}

/// The first certificate of a PEM file, in DER.
fn read(path: &Path) -> Option<(PathBuf, Vec<u8>)> {
    let octets = trunkline_config::read_regular(path).ok()?;
    let certificate = CertificateDer::from_pem_slice(&octets).ok()?;
    Some((path.to_path_buf(), certificate.to_vec()))
}

/// The key of a certificate: `../private/NAME.key` or `.pem`.
fn key_of(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?.parent()?.join("private");
    let stem = path.file_stem()?;
    ["key", "pem"].iter().map(|ending| folder.join(stem).with_extension(ending)).find(|key| key.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_are_found_by_name_and_by_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let tls = folder.path().join("tls");
        for inner in ["certs", "private"] {
            std::fs::create_dir_all(tls.join(inner)).unwrap();
        }
        // Only its octets count here: their SHA-1 and SHA-256 are known.
        let pem = "-----BEGIN CERTIFICATE-----\nYWJj\n-----END CERTIFICATE-----\n";
        std::fs::write(tls.join("certs/own.crt"), pem).unwrap();
        std::fs::write(tls.join("private/own.key"), "").unwrap();
        let folders = [tls.clone()];
        let path = tls.join("certs/own.crt").display().to_string();
        for specifier in [
            "own",
            "own.crt",
            &path,
            "A9:99:3E:36:47:06:81:6A:BA:3E:25:71:78:50:C2:6C:9C:D0:D8:9D",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "sha1:a9993e364706816aba3e25717850c26c9cd0d89d",
        ] {
            let found = find(&folders, specifier).unwrap();
            assert!(found.fingerprint.starts_with("sha256:ba:78:16:bf"), "{specifier}: {found:?}");
            assert_eq!(found.key, Some(tls.join("private/own.key")));
        }
        for wrong in ["other", "/nowhere/own.crt", "a9993e364706816aba3e25717850c26c9cd0d89e"] {
            assert!(find(&folders, wrong).unwrap_err().contains("no certificate"), "{wrong}");
        }
        assert_eq!(fingerprint("A9:99"), None);
        assert_eq!(fingerprint(&"Ab:".repeat(20)[..59]), Some(format!("sha1:{}", "ab".repeat(20))));
    }
}
