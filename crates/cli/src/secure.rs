//! From the options of TLS, DTLS and SSH and the folder of `trunkline pki` to what listeners need.

use std::path::Path;
use std::sync::Arc;

use trunkline_client::ssh::{HostKeys, SshServer, SshServerOptions, SshUser, SshUsers};
use trunkline_client::tls::{Identity, TlsServerConfig};
use trunkline_client::{ListenSecure, ListenUrl, Transport};
use trunkline_login::session::{directory, identity, trust};
use trunkline_login::{Mistake, TlsArgs};

use crate::arguments::ListenSshArgs;
use crate::error::Error;

/// What these places need to be listened on.
pub fn for_listening(
    places: &[ListenUrl],
    tls: &TlsArgs,
    ssh: &ListenSshArgs,
) -> Result<ListenSecure, Error> {
    let is_wanted = |wanted: &[Transport]| places.iter().any(|place| wanted.contains(&place.transport));
    let mut secure = ListenSecure::default();
    if is_wanted(&[Transport::Tls, Transport::Dtls, Transport::Https]) {
        let trust = Arc::new(trust(tls, false)?);
        secure.names = ListenSecure::usual_names(&trust);
        let mut config = TlsServerConfig::new(Arc::new(server_identity(tls)?), trust);
        config.versions = tls.versions();
        secure.tls = Some(Arc::new(config));
    }
    if is_wanted(&[Transport::Ssh]) {
        let keys = match &ssh.ssh_host_key {
            Some(file) => HostKeys::load_or_create(file),
            None => HostKeys::own(&trunkline_login::own_engine::state_file("ssh_host_key")?),
        };
        let keys = keys.map_err(|fault| usage(&fault))?;
        let users = match &ssh.ssh_users {
            Some(folder) => folder.clone(),
            None => directory(tls)?.path().join("ssh"),
        };
        let server = SshServer::new(keys, users_of(&users)?, SshServerOptions::default());
        secure.ssh = Some(Arc::new(server));
    }
    Ok(secure)
}

/// The same for listeners: senders look for this host's name in it, which an agent's certificate has.
fn server_identity(tls: &TlsArgs) -> Result<Identity, Error> {
    let files = directory(tls)?.agent_files();
    if tls.certificate.is_some() || !files.certificate.exists() {
        return Ok(identity(tls)?);
    }
    Identity::from_files(&files.certificate, &files.key).map_err(|fault| usage(&fault))
}

/// Those who have a file `USER.pub` in a folder.
fn users_of(folder: &Path) -> Result<SshUsers, Error> {
    let files = std::fs::read_dir(folder);
    let files = files.map_err(|fault| Error::Usage(format!("{}: {fault}", folder.display())))?;
    let user = |file: std::fs::DirEntry| {
        let path = file.path();
        let name = path.file_name()?.to_str()?.strip_suffix(".pub")?.to_owned();
        Some(SshUser { name, authorized_keys: Some(path), password: None })
    };
    Ok(files.flatten().filter_map(user).collect())
}

fn usage(fault: &dyn std::fmt::Display) -> Error {
    Mistake::of(fault).into()
}
