//! From the options of TLS, DTLS and SSH, the variables and the folder of `trunkline pki` to identity and trust
//! anchors.

use std::io::IsTerminal;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trunkline_client::ssh::{
    HostTrust, Identity as SshIdentity, Secret, SshClient, SshOptions, SshPrivateKey, UnknownHost,
};
use trunkline_client::tls::{Fingerprint, Identity, ServerIdentity, TlsClient, TlsClientConfig, Trust};
use trunkline_client::{Defaults, HttpLogin, NetconfTarget, Secure, Target, Transport};
use trunkline_jmxclient::{JmxLogin, JmxTarget, Tls};
use trunkline_pki::Directory;
use zeroize::Zeroizing;

use crate::mistake::Mistake;
use crate::options::session::{EndsArgs, HttpLoginArgs, JmxArgs, SshArgs, TlsArgs};
use crate::user::secret_of_file;

/// The same target with what its transport needs.
///
/// # Errors
/// A certificate, a key or a trust anchor is missing or cannot be read.
pub fn equipped(target: Target, arguments: &EndsArgs) -> Result<Target, Mistake> {
    let is_logged_in = target.http.login.is_some();
    let secure = secure_of(target.transport, target.login.as_deref(), is_logged_in, arguments)?;
    Ok(secure.into_iter().fold(target, |target, secure| target.with_secure(Arc::new(secure))))
}

/// What a transport needs; `None` for one that needs nothing. `login` is the user over SSH whom the target names;
/// `is_logged_in`: a password or token goes with each request over HTTP.
///
/// # Errors
/// As [`equipped`].
pub fn secure_of(
    transport: Transport,
    login: Option<&str>,
    is_logged_in: bool,
    arguments: &EndsArgs,
) -> Result<Option<Secure>, Mistake> {
    Ok(Some(match transport {
        Transport::Udp | Transport::Tcp | Transport::Http => return Ok(None),
        // A community, a user or a login may authenticate.
        Transport::Https => for_https(arguments, is_logged_in)?,
        Transport::Tls | Transport::Dtls => {
            let server = server(arguments)?;
            let pinned = matches!(server, Some(ServerIdentity::Fingerprint(_)));
            let trust = Arc::new(trust(&arguments.tls, pinned)?);
            let mut config = TlsClientConfig::new(Some(Arc::new(identity(&arguments.tls)?)), trust);
            config.versions = arguments.tls.versions();
            let client = TlsClient::new(&config).map_err(|fault| Mistake::of(&fault))?;
            Secure::new().with_tls(Arc::new(client), server)
        }
        Transport::Ssh => {
            let user = login.map(str::to_owned).or_else(|| arguments.ssh.ssh_user.clone());
            Secure::new().with_ssh(Arc::new(ssh(user, arguments)?))
        }
    }))
}

/// The agent of a NETCONF or RESTCONF URL.
///
/// # Errors
/// The text names none, and as [`equipped`] and [`login`].
pub fn netconf_target(
    text: &str,
    arguments: &EndsArgs,
    http: &HttpLoginArgs,
) -> Result<NetconfTarget, Mistake> {
    let mut target = NetconfTarget::parse(text, &Defaults::default()).map_err(|fault| Mistake::of(&fault))?;
    if target.is_restconf() && target.http.is_none() {
        let user = target.login.take().or_else(|| http.http_user.clone());
        if user.is_none() {
            no_password(http, "in the target (restconf+https://USER@HOST) or with --http-user")?;
        }
        target.http = login(&HttpLoginArgs { http_user: user, ..http.clone() })?;
    }
    let is_logged_in = target.http.is_some();
    let secure = secure_of(target.transport, target.login.as_deref(), is_logged_in, arguments)?;
    Ok(secure.into_iter().fold(target, |target, secure| target.with_secure(Arc::new(secure))))
}

/// The JVM of a URL of JMX.
///
/// # Errors
/// The text names none, or a secret or a file is missing or cannot be read.
pub fn jmx_target(text: &str, arguments: &EndsArgs, jmx: &JmxArgs) -> Result<JmxTarget, Mistake> {
    let mut target = JmxTarget::parse(text).map_err(|fault| Mistake::of(&fault))?;
    let user = target.user.take().or_else(|| jmx.jmx_user.clone());
    let login = user.map(|user| jmx_password(&user, jmx).map(|password| JmxLogin { user, password }));
    let target = target.with_login(login.transpose()?);
    // The registry may be open, and say only then that TLS is needed: what is not there is missed then.
    let tls = &arguments.tls;
    let is_given = tls.certificate.is_some()
        || tls.key.is_some()
        || !tls.authorities.is_empty()
        || arguments.fingerprint.is_some();
    let made = tls_client(arguments, target.login.is_some()).map(|(client, server)| Tls { client, server });
    let tls = if target.secure || is_given { Some(made?) } else { made.ok() };
    Ok(target.with_tls(tls))
}

fn jmx_password(user: &str, jmx: &JmxArgs) -> Result<Zeroizing<String>, Mistake> {
    if let Some(file) = &jmx.jmx_password_file {
        let text = String::from_utf8(secret_of_file(file)?);
        return text
            .map(Zeroizing::new)
            .map_err(|_| Mistake(format!("{}: a password must be text", file.display())));
    }
    if jmx.jmx_ask_password {
        return typed(&format!("Password of {user}: "))
            .ok_or_else(|| Mistake("there is no terminal to prompt on".to_owned()));
    }
    let variable = std::env::var("TRUNKLINE_JMX_PASSWORD").ok().filter(|password| !password.is_empty());
    variable.map(Zeroizing::new).ok_or_else(|| {
        let words = "a user of JMX needs a password: TRUNKLINE_JMX_PASSWORD, --jmx-password-file or --jmx-ask-password";
        Mistake(words.to_owned())
    })
}

/// Our identity for HTTPS: none without a certificate, since a community or a login may authenticate. Beside a password or token the usual certificate
/// is put aside, since agents accept one proof; one that is named is sent nevertheless.
///
/// # Errors
/// As [`equipped`].
pub fn for_https(arguments: &EndsArgs, is_logged_in: bool) -> Result<Secure, Mistake> {
    let (client, server) = tls_client(arguments, is_logged_in)?;
    Ok(Secure::new().with_tls(client, server))
}

/// The same as its parts.
fn tls_client(
    arguments: &EndsArgs,
    is_logged_in: bool,
) -> Result<(Arc<TlsClient>, Option<ServerIdentity>), Mistake> {
    let tls = &arguments.tls;
    let server = server(arguments)?;
    let pinned = matches!(server, Some(ServerIdentity::Fingerprint(_)));
    let trust = Arc::new(trust(tls, pinned)?);
    let is_named = tls.certificate.is_some() || tls.key.is_some();
    let has_usual = || {
        !is_logged_in && directory(tls).is_ok_and(|directory| directory.manager_files().certificate.exists())
    };
    let identity = if is_named || has_usual() { Some(Arc::new(identity(tls)?)) } else { None };
    let mut config = TlsClientConfig::new(identity, trust);
    config.versions = tls.versions();
    let client = TlsClient::new(&config).map_err(|fault| Mistake::of(&fault))?;
    Ok((Arc::new(client), server))
}

/// Refuses a password without the user whose it is, who can be named in this way.
///
/// # Errors
/// There is a password.
pub(crate) fn no_password(http: &HttpLoginArgs, how: &str) -> Result<(), Mistake> {
    match http.http_password_file.is_some() || http.http_ask_password {
        true => Err(Mistake(format!("whose password is it? Name the user {how}"))),
        false => Ok(()),
    }
}

/// The HTTP login, from the options and variables.
///
/// # Errors
/// A secret is missing, or cannot be read.
pub fn login(http: &HttpLoginArgs) -> Result<Option<HttpLogin>, Mistake> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let text =
        |octets| String::from_utf8(octets).map_err(|_| Mistake("an HTTP secret must be text".to_owned()));
    if let Some(user) = &http.http_user {
        let password = match (&http.http_password_file, http.http_ask_password) {
            (Some(file), _) => Zeroizing::new(text(secret_of_file(file)?)?),
            (None, true) => typed(&format!("Password of {user}: "))
                .ok_or_else(|| Mistake("there is no terminal to prompt on".to_owned()))?,
            (None, false) => Zeroizing::new(variable("TRUNKLINE_HTTP_PASSWORD").ok_or_else(|| {
                let words = "a user over HTTP needs a password: TRUNKLINE_HTTP_PASSWORD, --http-password-file or \
                             --http-ask-password";
                Mistake(words.to_owned())
            })?),
        };
        return HttpLogin::basic(user, &password).map(Some).map_err(|fault| Mistake::of(&fault));
    }
    let token = match &http.http_token_file {
        Some(file) => Some(Zeroizing::new(text(secret_of_file(file)?)?)),
        None => variable("TRUNKLINE_HTTP_TOKEN").map(Zeroizing::new),
    };
    token.map(|token| HttpLogin::bearer(&token)).transpose().map_err(|fault| Mistake::of(&fault))
}

/// The folder of `trunkline pki`.
///
/// # Errors
/// None is named, and there is no home.
pub fn directory(tls: &TlsArgs) -> Result<Directory, Mistake> {
    match &tls.pki {
        Some(folder) => Ok(Directory::at(folder)),
        None => Directory::default_location().map_err(|fault| Mistake::of(&fault)),
    }
}

/// Our certificate and its key: those that are named, or the default manager's.
///
/// # Errors
/// There are none, or they cannot be read.
pub fn identity(tls: &TlsArgs) -> Result<Identity, Mistake> {
    let (certificate, key) = match (&tls.certificate, &tls.key) {
        (Some(certificate), Some(key)) => (certificate.clone(), key.clone()),
        (Some(certificate), None) => {
            let beside = certificate.with_extension("key");
            (certificate.clone(), if beside.exists() { beside } else { certificate.clone() })
        }
        (None, Some(_)) => return Err(Mistake("--key needs --certificate".to_owned())),
        (None, None) => {
            let files = directory(tls)?.manager_files();
            if !files.certificate.exists() {
                let words = format!(
                    "TLS and DTLS need a certificate, and there is no {}: `trunkline pki init` and \
                     `trunkline pki manager NAME` make one, or give --certificate and --key",
                    files.certificate.display()
                );
                return Err(Mistake(words));
            }
            (files.certificate, files.key)
        }
    };
    Identity::from_files(&certificate, &key).map_err(|fault| Mistake::of(&fault))
}

/// Our trust anchors. If a fingerprint is given, no others are needed.
///
/// # Errors
/// There are none, or they cannot be read.
pub fn trust(tls: &TlsArgs, pinned: bool) -> Result<Trust, Mistake> {
    let there = |file: PathBuf| file.exists().then_some(file).into_iter().collect();
    let authorities = match &tls.authorities[..] {
        [] => there(directory(tls)?.authority_certificate()),
        given => given.to_vec(),
    };
    let lists = match &tls.revocation_list[..] {
        // The folder's list is that of the folder's authority.
        [] if !tls.authorities.is_empty() => Vec::new(),
        [] => there(directory(tls)?.revocation_list()),
        given => given.to_vec(),
    };
    let mut trust = Trust::builder();
    for file in &authorities {
        trust = trust.authorities_file(file).map_err(|fault| Mistake::of(&fault))?;
    }
    for file in &lists {
        trust = trust.revocation_lists_file(file).map_err(|fault| Mistake::of(&fault))?;
    }
    if authorities.is_empty() && !pinned {
        let words = format!(
            "no certificate would be trusted, since there is no {}: give --authorities or --fingerprint",
            directory(tls)?.authority_certificate().display()
        );
        return Err(Mistake(words));
    }
    Ok(trust.build())
}

/// The identity that the certificate at the other end must have, if the options set one.
fn server(arguments: &EndsArgs) -> Result<Option<ServerIdentity>, Mistake> {
    if let Some(text) = &arguments.fingerprint {
        let fingerprint: Fingerprint =
            text.parse().map_err(|fault| Mistake(format!("--fingerprint {text}: {fault}")))?;
        return Ok(Some(ServerIdentity::Fingerprint(fingerprint)));
    }
    Ok(arguments.server_name.as_deref().map(|name| match name {
        "*" => ServerIdentity::AnyTrusted,
        name => ServerIdentity::Name(name.into()),
    }))
}

/// Our credentials for SSH.
fn ssh(user: Option<String>, arguments: &EndsArgs) -> Result<SshClient, Mistake> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let user = user.or_else(|| variable("USER")).or_else(|| variable("LOGNAME")).ok_or_else(|| {
        Mistake(
            "SSH needs a user: USER@ before the host in the URL, --ssh-user or the variable USER".to_owned(),
        )
    })?;
    let home = variable("HOME").map(PathBuf::from);
    let mut identities = keys(&user, arguments, home.as_deref())?;
    identities.extend(password(&user, &arguments.ssh)?.map(SshIdentity::Password));
    if identities.is_empty() {
        let words = format!(
            "SSH needs a key or a password for {user}: `trunkline pki ssh-key {user}` makes a key, or give --ssh-key, \
             --ssh-password-file or --ssh-ask-password"
        );
        return Err(Mistake(words));
    }
    let hosts = hosts(arguments, home.as_deref())?;
    Ok(SshClient { user, identities, hosts, options: SshOptions::default() })
}

/// The keys that are named; else the agent's, the user's of the folder of `trunkline pki`, and those of `~/.ssh`.
fn keys(user: &str, arguments: &EndsArgs, home: Option<&Path>) -> Result<Vec<SshIdentity>, Mistake> {
    let given = &arguments.ssh.ssh_key;
    if !given.is_empty() {
        let load = |file: &PathBuf| {
            SshPrivateKey::load(file, || passphrase(file))
                .map(SshIdentity::Key)
                .map_err(|fault| Mistake::of(&fault))
        };
        return given.iter().map(load).collect();
    }
    let mut identities = Vec::new();
    let own = directory(&arguments.tls)?.path().join("ssh").join(user);
    let usual = ["id_ed25519", "id_ecdsa", "id_rsa"];
    let usual = home.into_iter().flat_map(|home| usual.map(|name| home.join(".ssh").join(name)));
    let agent = std::env::var_os("SSH_AUTH_SOCK").filter(|socket| !socket.is_empty()).map(PathBuf::from);
    // What cannot be read here is another program's; one that needs a passphrase the agent has.
    let readable = |file: PathBuf| SshPrivateKey::load(&file, || None).ok().map(SshIdentity::Key);
    identities.extend(own.exists().then_some(own).and_then(readable));
    identities.extend(agent.filter(|socket| socket.exists()).map(SshIdentity::Agent));
    identities.extend(usual.filter(|file| file.exists()).filter_map(readable));
    Ok(identities)
}

/// The variable's, or what is typed.
fn passphrase(file: &Path) -> Option<Secret> {
    if let Ok(words) = std::env::var("TRUNKLINE_SSH_PASSPHRASE") {
        return Some(words.as_str().into());
    }
    asked(&format!("Passphrase of {}: ", file.display()))
}

fn password(user: &str, ssh: &SshArgs) -> Result<Option<Secret>, Mistake> {
    if let Some(file) = &ssh.ssh_password_file {
        let octets = secret_of_file(file)?;
        let words = String::from_utf8(octets)
            .map_err(|_| Mistake(format!("{}: a password must be text", file.display())))?;
        return Ok(Some(words.as_str().into()));
    }
    if ssh.ssh_ask_password {
        let words = asked(&format!("Password of {user}: "));
        return words.map(Some).ok_or_else(|| Mistake("there is no terminal to prompt on".to_owned()));
    }
    Ok(std::env::var("TRUNKLINE_SSH_PASSWORD").ok().map(|words| words.as_str().into()))
}

fn asked(prompt: &str) -> Option<Secret> {
    typed(prompt).map(|words| words.as_str().into())
}

fn typed(prompt: &str) -> Option<Zeroizing<String>> {
    if !std::io::stdin().is_terminal() {
        return None;
    }
    rpassword::prompt_password(prompt).ok().map(Zeroizing::new)
}

/// By what hosts are known.
fn hosts(arguments: &EndsArgs, home: Option<&Path>) -> Result<HostTrust, Mistake> {
    if let Some(fingerprint) = &arguments.fingerprint {
        return Ok(HostTrust::Fingerprints(vec![fingerprint.clone()]));
    }
    let unknown = if arguments.ssh.accept_new_host { UnknownHost::Add } else { UnknownHost::Refuse };
    let (own, others) = match &arguments.ssh.known_hosts {
        Some(file) => (file.clone(), Vec::new()),
        None => {
            let words = "there is no file of known hosts: set HOME, or give --known-hosts";
            let folder = home.ok_or_else(|| Mistake(words.to_owned()))?.join(".ssh");
            if unknown == UnknownHost::Add {
                let mut builder = std::fs::DirBuilder::new();
                let made = builder.recursive(true).mode(0o700).create(&folder);
                made.map_err(|fault| Mistake(format!("{}: {fault}", folder.display())))?;
            }
            (folder.join("known_hosts"), vec![PathBuf::from("/etc/ssh/ssh_known_hosts")])
        }
    };
    Ok(HostTrust::KnownHosts { own, others, unknown })
}
