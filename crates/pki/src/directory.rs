//! An authority on the disk: `ca.pem`, `ca.key`, `crl.pem`, `index.toml`, and a certificate with its key for
//! each agent and manager. `docs/pki.md` has the layout, which the agent and the manager rely on.

use std::env;
use std::path::{Path, PathBuf};

use time::OffsetDateTime;
use zeroize::Zeroizing;

use crate::files::{self, Batch};
use crate::index::Issuances;
use crate::{
    Authority, AuthorityOptions, Certificate, Entry, Error, Issued, LeafOptions, Name, Role, SshKey,
};

/// The folder of an authority and of its certificates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    path: PathBuf,
}

/// Where a certificate (with its chain) and its private key are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// The certificate and its authority's, in PEM.
    pub certificate: PathBuf,
    /// The private key, PKCS #8 in PEM, mode 600.
    pub key: PathBuf,
}

/// How a certificate is put into the directory.
#[derive(Debug, Clone, Copy, Default)]
pub struct Storing {
    /// Signed by its own key, not by the authority.
    pub self_signed: bool,
    /// Replaces an existing one of this name.
    pub force: bool,
    /// It becomes the default agent or manager, even if there is one.
    pub default: bool,
}

/// A stored certificate and key.
#[derive(Debug)]
pub struct Stored {
    /// The certificate.
    pub certificate: Certificate,
    /// Their paths.
    pub files: Files,
    /// Whether it is the default of its role now.
    pub default: bool,
}

impl Directory {
    /// The directory at this path; nothing is read or written yet.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Directory { path: path.into() }
    }

    /// Where the files of this user are: `/etc/trunkline/pki` for root, else `trunkline/pki` in
    /// `$XDG_CONFIG_HOME` or `~/.config`.
    ///
    /// # Errors
    /// [`Error::NoHome`].
    pub fn default_location() -> Result<Self, Error> {
        if rustix::process::geteuid().is_root() {
            return Ok(Directory::at("/etc/trunkline/pki"));
        }
        let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let config = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
        Ok(Directory::at(config.ok_or(Error::NoHome)?.join("trunkline/pki")))
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The authority's certificate.
    pub fn authority_certificate(&self) -> PathBuf {
        self.path.join("ca.pem")
    }

    /// The authority's key.
    pub fn authority_key(&self) -> PathBuf {
        self.path.join("ca.key")
    }

    /// The revocation list.
    pub fn revocation_list(&self) -> PathBuf {
        self.path.join("crl.pem")
    }

    /// The default agent's files, whether they are there or not.
    pub fn agent_files(&self) -> Files {
        self.default_files(Role::Agent)
    }

    /// The default manager's files, whether they are there or not.
    pub fn manager_files(&self) -> Files {
        self.default_files(Role::Manager)
    }

    /// The default files of a role, whether they are there or not.
    pub fn default_files(&self, role: Role) -> Files {
        Files::of(&self.path, role.name())
    }

    /// The files of an agent or a manager, whether they are there or not.
    pub fn files(&self, role: Role, name: &Name) -> Files {
        Files::of(&self.path.join(role.folder()), name.as_str())
    }

    /// Makes the authority and its first, empty, revocation list.
    ///
    /// # Errors
    /// [`Error::Exists`] if there is one, unless `force`; everything issued by the old one is forgotten then.
    pub fn init(&self, options: &AuthorityOptions, force: bool) -> Result<Authority, Error> {
        self.make_folder()?;
        let _held = files::lock(&self.path)?;
        let taken = [self.authority_key(), self.authority_certificate()];
        if let Some(path) = taken.into_iter().find(|path| !force && files::is_taken(path)) {
            return Err(Error::Exists { path });
        }
        let authority = Authority::create(options)?;
        let mut issuances = self.issuances()?;
        issuances.entries.retain(|entry| entry.self_signed);
        let mut batch = Batch::new(&self.path)?;
        batch.write(&self.authority_key(), authority.key_pem().as_bytes(), 0o600)?;
        let certificate = authority.certificate().to_pem();
        batch.write(&self.authority_certificate(), certificate.as_bytes(), 0o644)?;
        self.write_list(&authority, &mut issuances, &mut batch)?;
        batch.commit()?;
        Ok(authority)
    }

    /// The authority.
    ///
    /// # Errors
    /// [`Error::NoAuthority`]; files that cannot be read or do not belong to an authority.
    pub fn authority(&self) -> Result<Authority, Error> {
        let missing = || Error::NoAuthority { directory: self.path.clone() };
        let certificate = files::read(&self.authority_certificate())?.ok_or_else(missing)?;
        let key = Zeroizing::new(files::read(&self.authority_key())?.ok_or_else(missing)?);
        Authority::from_pem(&certificate, &key).map_err(|fault| match fault {
            Error::NoCertificate { reason, .. } => {
                Error::NoCertificate { what: self.authority_certificate().display().to_string(), reason }
            }
            Error::NoKey { .. } => Error::NoKey { what: self.authority_key().display().to_string() },
            other => other,
        })
    }

    /// Makes a certificate for an agent or a manager and stores it with its key. The first of a role becomes
    /// its default.
    ///
    /// # Errors
    /// [`Error::Exists`] if there is one of this name, unless forced; no authority; a certificate or file that
    /// cannot be created.
    pub fn issue(
        &self,
        role: Role,
        name: &Name,
        options: &LeafOptions,
        storing: Storing,
    ) -> Result<Stored, Error> {
        if storing.self_signed {
            self.make_folder()?;
        }
        let held = files::lock(&self.path);
        let authority = if storing.self_signed { None } else { Some(self.authority()?) };
        let _held = held?;
        let files = self.files(role, name);
        files::own_folder(&self.path.join(role.folder()), folder_mode())?;
        let taken = [&files.key, &files.certificate];
        if let Some(path) = taken.into_iter().find(|path| !storing.force && files::is_taken(path)) {
            return Err(Error::Exists { path: path.clone() });
        }
        let links = self.default_files(role);
        if storing.default {
            files::linkable(&links.key).and_then(|()| files::linkable(&links.certificate))?;
        }
        let mut issuances = self.issuances()?;
        let issued = match &authority {
            Some(authority) => authority.issue(role, name, options)?,
            None => Issued::self_signed(role, name, options)?,
        };
        issuances.entries.push(Entry::new(role, name, issued.certificate(), storing.self_signed));
        let mut batch = Batch::new(&self.path)?;
        issuances.write(&self.index(), &mut batch)?;
        batch.write(&files.key, issued.key_pem().as_bytes(), 0o600)?;
        batch.write(&files.certificate, issued.chain_pem().as_bytes(), 0o644)?;
        let default = self.default_if_asked(role, name, storing.default, &mut batch)?;
        batch.commit()?;
        Ok(Stored { certificate: issued.certificate().clone(), files, default })
    }

    /// Makes this agent or manager the default of its role.
    ///
    /// # Errors
    /// [`Error::Unknown`] if there is none; a regular file in the link's place.
    pub fn set_default(&self, role: Role, name: &Name) -> Result<(), Error> {
        let _held = files::lock(&self.path)?;
        if !files::is_taken(&self.files(role, name).certificate) {
            return Err(Error::Unknown { name: name.to_string() });
        }
        let mut batch = Batch::new(&self.path)?;
        self.link_default(role, name, &mut batch)?;
        batch.commit()
    }

    fn link_default(&self, role: Role, name: &Name, batch: &mut Batch<'_>) -> Result<(), Error> {
        let (links, to) = (self.default_files(role), Files::of(Path::new(role.folder()), name.as_str()));
        files::linkable(&links.key).and_then(|()| files::linkable(&links.certificate))?;
        batch.link(&links.key, &to.key)?;
        batch.link(&links.certificate, &to.certificate)
    }

    /// What was issued, oldest first.
    ///
    /// # Errors
    /// An index that cannot be read.
    pub fn issued(&self) -> Result<Vec<Entry>, Error> {
        Ok(self.issuances()?.entries)
    }

    /// Revokes every valid certificate of a name, and signs a new revocation list. `which` is the name, or
    /// `agents/NAME` or `managers/NAME`, or a certificate's fingerprint.
    ///
    /// # Errors
    /// A name that nothing was issued for, that two have, or that is revoked; no authority.
    pub fn revoke(&self, which: &str) -> Result<Vec<Entry>, Error> {
        let held = files::lock(&self.path);
        let authority = self.authority()?; // says that there is none, if the folder does not exist
        let _held = held?;
        let mut issuances = self.issuances()?;
        let now = OffsetDateTime::now_utc();
        let places = self.places(&issuances.entries, which)?;
        let mut revoked = Vec::new();
        for (place, entry) in issuances.entries.iter_mut().enumerate() {
            if places.contains(&place) && entry.revoked.is_none() && !entry.self_signed {
                entry.revoked = Some(now);
                revoked.push(entry.clone());
            }
        }
        if revoked.is_empty() {
            let name = which.to_owned();
            let all_own =
                places.iter().filter_map(|place| issuances.entries.get(*place)).all(|e| e.self_signed);
            return Err(if all_own { Error::SelfSigned { name } } else { Error::AlreadyRevoked { name } });
        }
        let mut batch = Batch::new(&self.path)?;
        self.write_list(&authority, &mut issuances, &mut batch)?;
        batch.commit()?;
        Ok(revoked)
    }

    /// Makes an SSH user's key: `ssh/NAME` and `ssh/NAME.pub`.
    ///
    /// # Errors
    /// [`Error::Exists`] if there is one of this name, unless `force`.
    pub fn ssh_key(&self, user: &Name, force: bool) -> Result<(SshKey, PathBuf), Error> {
        self.make_folder()?;
        let _held = files::lock(&self.path)?;
        let folder = self.path.join("ssh");
        files::own_folder(&folder, folder_mode())?;
        let (path, public) = (folder.join(user.as_str()), folder.join(format!("{user}.pub")));
        if let Some(path) = [&path, &public].into_iter().find(|path| !force && files::is_taken(path)) {
            return Err(Error::Exists { path: path.clone() });
        }
        let key = SshKey::create(user)?;
        let mut batch = Batch::new(&self.path)?;
        batch.write(&path, key.private()?.as_bytes(), 0o600)?;
        batch.write(&public, format!("{}\n", key.public()?).as_bytes(), 0o644)?;
        batch.commit()?;
        Ok((key, path))
    }

    fn index(&self) -> PathBuf {
        self.path.join("index.toml")
    }

    fn issuances(&self) -> Result<Issuances, Error> {
        Issuances::read(&self.index())
    }

    fn make_folder(&self) -> Result<(), Error> {
        files::folder(&self.path, folder_mode())
    }

    /// Signs the list of what is revoked now; the index has its number, so that none is used twice.
    fn write_list(
        &self,
        authority: &Authority,
        issuances: &mut Issuances,
        batch: &mut Batch<'_>,
    ) -> Result<(), Error> {
        issuances.list_number += 1;
        issuances.write(&self.index(), batch)?;
        let list = authority.revocation_list(&issuances.revoked(), issuances.list_number, None)?;
        batch.write(&self.revocation_list(), list.as_bytes(), 0o644)
    }

    /// The first one of a role becomes the default, as does one requested as such; the user's own files there are
    /// kept.
    fn default_if_asked(
        &self,
        role: Role,
        name: &Name,
        asked: bool,
        batch: &mut Batch<'_>,
    ) -> Result<bool, Error> {
        let (links, own) = (self.default_files(role), Files::of(Path::new(role.folder()), name.as_str()));
        let taken = files::is_taken(&links.certificate) || files::is_taken(&links.key);
        if asked || !taken {
            self.link_default(role, name, batch)?;
            return Ok(true);
        }
        Ok(std::fs::read_link(&links.certificate).is_ok_and(|target| target == own.certificate))
    }

    /// The positions of the selected certificates in the index.
    fn places(&self, entries: &[Entry], which: &str) -> Result<Vec<usize>, Error> {
        let in_role = [Role::Agent, Role::Manager]
            .into_iter()
            .find_map(|role| Some((role, which.strip_prefix(role.folder())?.strip_prefix('/')?)));
        let fingerprint = which.parse().ok();
        let meant = |entry: &Entry| match (fingerprint, in_role) {
            (Some(fingerprint), _) => entry.fingerprint == fingerprint,
            (None, Some((role, name))) => entry.role == role && entry.name.as_str() == name,
            (None, None) => entry.name.as_str() == which,
        };
        let meant: Vec<(usize, Role)> =
            entries.iter().enumerate().filter(|(_, e)| meant(e)).map(|(place, e)| (place, e.role)).collect();
        let Some((_, first)) = meant.first() else { return Err(Error::Unknown { name: which.to_owned() }) };
        if meant.iter().any(|(_, role)| role != first) {
            return Err(Error::Ambiguous { name: which.to_owned() });
        }
        Ok(meant.into_iter().map(|(place, _)| place).collect())
    }
}

impl Files {
    fn of(folder: &Path, name: &str) -> Self {
        Files { certificate: folder.join(format!("{name}.pem")), key: folder.join(format!("{name}.key")) }
    }
}

/// The system's directory is readable for every user (keys are not); a user's own is private.
fn folder_mode() -> u32 {
    if rustix::process::geteuid().is_root() { 0o755 } else { 0o700 }
}
