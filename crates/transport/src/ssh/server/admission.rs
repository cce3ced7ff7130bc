//! Who is it? Keys and passwords against what the configuration says, off the threads that serve.

use std::net::SocketAddr;
use std::sync::Arc;

use russh::keys::{Algorithm, HashAlg, PublicKey};
use russh::{MethodKind, MethodSet};
use tokio::task::spawn_blocking;
use zeroize::Zeroizing;

use super::Shared;
use crate::ssh::fault::quoted;
use crate::ssh::{SshFault, SshOptions, authorized_keys};

/// The questions of one connection.
pub(super) struct Admission {
    shared: Arc<Shared>,
    peer: SocketAddr,
    /// The key that was found to be this user's, before they have proved to have it.
    offered: Option<(String, PublicKey)>,
}

impl Admission {
    pub(super) const fn new(shared: Arc<Shared>, peer: SocketAddr) -> Self {
        Self { shared, peer, offered: None }
    }

    pub(super) fn options(&self) -> &SshOptions {
        &self.shared.options.ssh
    }

    pub(super) fn max_channels(&self) -> usize {
        self.shared.options.max_channels
    }

    /// What may be tried; the same for every name, known or not.
    pub(super) fn methods(&self) -> MethodSet {
        let mut methods = MethodSet::from(&[MethodKind::PublicKey][..]);
        if self.shared.users().have_passwords() {
            methods.push(MethodKind::Password);
        }
        methods
    }

    /// Whether the key is one of the user's.
    pub(super) async fn key(
        &mut self,
        name: &str,
        key: &PublicKey,
        algorithm: &Algorithm,
    ) -> Result<(), SshFault> {
        let is_offered =
            |(user, offered): &(String, PublicKey)| user == name && offered.key_data() == key.key_data();
        let wrong = || SshFault::WrongKey {
            user: quoted(name),
            fingerprint: key.fingerprint(HashAlg::Sha256).to_string(),
        };
        // A signature with SHA-1.
        if matches!(algorithm, Algorithm::Rsa { hash: None }) {
            return Err(wrong());
        }
        if self.offered.as_ref().is_some_and(is_offered) {
            return Ok(());
        }
        self.offered = None;
        let users = self.shared.users();
        let user = users.get(name).ok_or_else(|| SshFault::UnknownUser { user: quoted(name) })?;
        let path = user.authorized_keys.clone().ok_or_else(wrong)?;
        let text = spawn_blocking({
            let path = path.clone();
            move || read(&path)
        });
        let text = text.await.unwrap_or_else(|lost| Err(std::io::Error::other(lost)));
        let text = text.map_err(|source| SshFault::KeysUnreadable { user: quoted(name), path, source })?;
        for (line, fault) in authorized_keys::lines(&text).filter_map(|(n, line)| Some((n, line.err()?))) {
            tracing::debug!(user = name, line, %fault, "a line of the authorized keys lets nobody in");
        }
        if !authorized_keys::admit(&text, key, self.peer.ip()) {
            return Err(wrong());
        }
        self.offered = Some((name.to_owned(), key.clone()));
        Ok(())
    }

    /// Whether the password is the user's. Takes as long for a name that nobody has.
    pub(super) async fn password(&self, name: &str, password: &str) -> Result<(), SshFault> {
        let users = self.shared.users();
        let theirs = users.get(name).and_then(|user| user.password.clone());
        let known = theirs.is_some();
        let right = match theirs.or_else(|| users.any_password().cloned()) {
            None => false,
            Some(hash) => {
                let password = Zeroizing::new(password.to_owned());
                let place = self.shared.checks.acquire().await;
                let checked = spawn_blocking(move || hash.is_of(&password)).await;
                drop(place);
                known && checked.unwrap_or(false)
            }
        };
        match (right, users.get(name)) {
            (true, _) => Ok(()),
            (false, Some(_)) => Err(SshFault::WrongPassword { user: quoted(name) }),
            (false, None) => Err(SshFault::UnknownUser { user: quoted(name) }),
        }
    }
}

fn read(path: &std::path::Path) -> std::io::Result<String> {
    use std::io::Read;
    let mut text = String::new();
    std::fs::File::open(path)?.take(LONGEST_FILE).read_to_string(&mut text)?;
    Ok(text)
}

const LONGEST_FILE: u64 = 1 << 20;
