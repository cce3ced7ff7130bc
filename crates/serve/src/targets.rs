//! From words to devices: their names, and how their sessions are opened.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use trunkline_client::netconf::{NetconfOptions, NetconfSession};
use trunkline_client::soap::SoapSession;
use trunkline_client::{
    Credentials, NetconfTarget, Session, SessionOptions, SnmpSession, SoapTarget, UsmCredentials,
};
use trunkline_devices::{Opener, is_name};
use trunkline_jmxclient::{Follow, JmxOptions, JmxTarget, ObjectSession};
use trunkline_login::session::{jmx_target, netconf_target};
use trunkline_login::targets::{Chosen, Host, Keeper, Targets, read_hosts};
use trunkline_login::{LoginArgs, Mistake};
use trunkline_transport::Url;

use crate::ServeArguments;

/// What a command line has.
pub(crate) struct Served {
    /// The devices by their names, and how their sessions are opened.
    pub devices: Vec<(String, Opener)>,
    /// Hosts, and the names of the devices there.
    pub hosts: Vec<(String, String)>,
    /// The users of SNMPv3 as whom devices are asked.
    pub users: Vec<Arc<UsmCredentials>>,
    /// That everybody may read passwords in the file of hosts.
    pub exposed: Option<String>,
}

/// All devices of a command line.
///
/// # Errors
/// A target is none, or what authenticates both ends is missing.
pub(crate) fn devices(arguments: &ServeArguments) -> Result<Served, Mistake> {
    let (targets, keeper) = (Targets::read(arguments.config.as_deref())?, Keeper::default());
    let mut chosen: Vec<(Chosen, Option<String>)> = Vec::new();
    for word in &arguments.targets {
        chosen.extend(targets.choose(word)?.into_iter().map(|one| (one, None)));
    }
    let mut exposed = None;
    if let Some(path) = &arguments.hosts {
        let hosts = read_hosts(path)?;
        exposed = exposure(path, &hosts);
        for host in hosts {
            chosen.extend(targets.choose(&host.target)?.into_iter().map(|one| (one, host.name.clone())));
        }
    }
    if chosen.is_empty() {
        return Err(Mistake("no device is left to serve: the file or the group is empty".into()));
    }
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut served = Served { devices: Vec::new(), hosts: Vec::new(), users: Vec::new(), exposed };
    for (one, name) in chosen {
        let login = targets.login(&one.settings, &arguments.login, &keeper)?;
        let timeout = arguments.timeout.or(one.settings.timeout).or(targets.defaults.timeout);
        let retries = arguments.retries.or(one.settings.retries).or(targets.defaults.retries);
        let opener = opener(&one.address, &login, timeout.unwrap_or(TIMEOUT), retries.unwrap_or(RETRIES))?;
        let name = unlike(&mut names, &name_of(name.as_deref().unwrap_or(&one.label)));
        served.hosts.extend(host(&one.address, &login).map(|host| (host, name.clone())));
        served.users.extend(
            user(&one.address, &login)
                .filter(|user| served.users.iter().all(|known| known.name() != user.name())),
        );
        served.devices.push((name, opener));
    }
    Ok(served)
}

/// The warning for a file of hosts with passwords in their URLs that everybody may read.
fn exposure(path: &Path, hosts: &[Host]) -> Option<String> {
    let mode = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?.permissions().mode() & 0o777;
    let has_password = |host: &Host| {
        Url::split(&host.target).and_then(|url| url.user).is_some_and(|user| user.contains(':'))
    };
    (mode & 0o007 != 0 && hosts.iter().any(has_password)).then(|| {
        let path = path.display();
        format!(
            "{path} holds passwords and has mode {mode:03o}: everybody may read them; run chmod o= {path}"
        )
    })
}

/// The host of an address, whatever is spoken there.
fn host(address: &str, login: &LoginArgs) -> Option<String> {
    if SoapTarget::is_meant(address) {
        return login.soap_target(address).ok().map(|target| target.host);
    }
    if NetconfTarget::is_meant(address) {
        let target = netconf_target(address, &login.secure.ends, &login.secure.http.login);
        return target.ok().map(|target| target.host);
    }
    login.target(address).ok().map(|target| target.host)
}

/// The user of SNMPv3 as whom an agent at an address is asked.
fn user(address: &str, login: &LoginArgs) -> Option<Arc<UsmCredentials>> {
    let is_other = SoapTarget::is_meant(address) || NetconfTarget::is_meant(address);
    match (!is_other).then(|| login.target(address).ok()).flatten()?.credentials {
        Credentials::Usm(user) => Some(user),
        _ => None,
    }
}

/// How the sessions with an agent at an address are opened.
fn opener(address: &str, login: &LoginArgs, timeout: Duration, retries: u32) -> Result<Opener, Mistake> {
    if JmxTarget::is_meant(address) {
        let jmx = &login.secure.jmx;
        let target = jmx_target(address, &login.secure.ends, jmx)?;
        if target.path.is_some() {
            return Err(Mistake(format!("{address}: expected a device, and not an MBean of it")));
        }
        let follow = if jmx.jmx_stay { Follow::Asked } else { Follow::Stub };
        let options = JmxOptions::default().with_timeout(timeout.max(LEAST_OF_SESSIONS)).with_follow(follow);
        return Ok(Box::new(move || {
            let (target, options) = (target.clone(), options.clone());
            Box::pin(async move {
                let session = ObjectSession::open(&target, options).await.map_err(words)?;
                let session: Arc<dyn Session> = Arc::new(session.of_agent().map_err(words)?);
                Ok(session)
            })
        }));
    }
    if SoapTarget::is_meant(address) {
        let (target, options) =
            (login.soap_target(address)?, login.soap_options(timeout).with_max_answer(LONGEST_ANSWER));
        return Ok(Box::new(move || {
            let (target, options) = (target.clone(), options.clone());
            Box::pin(async move {
                let session: Arc<dyn Session> =
                    Arc::new(SoapSession::open(&target, options).await.map_err(words)?);
                Ok(session)
            })
        }));
    }
    if NetconfTarget::is_meant(address) {
        let target = netconf_target(address, &login.secure.ends, &login.secure.http.login)?;
        // A session of NETCONF takes its time to begin, and an answer with a table too.
        let options = NetconfOptions::default().with_timeout(timeout.max(LEAST_OF_SESSIONS));
        let options = options.with_max_reply(LONGEST_ANSWER);
        return Ok(Box::new(move || {
            let (target, options) = (target.clone(), options.clone());
            Box::pin(async move {
                let session: Arc<dyn Session> =
                    Arc::new(NetconfSession::open(&target, options).await.map_err(words)?);
                Ok(session)
            })
        }));
    }
    let target = login.target(address)?;
    let options = SessionOptions::default().with_timeout(timeout).with_retries(retries);
    Ok(Box::new(move || {
        let target = target.clone();
        Box::pin(async move {
            let session: Arc<dyn Session> =
                Arc::new(SnmpSession::open(&target, options).await.map_err(words)?);
            Ok(session)
        })
    }))
}

fn words(error: impl std::error::Error) -> String {
    error.to_string()
}

/// What a device is called: its label, as far as that can stand in a URL.
fn name_of(label: &str) -> String {
    let host = label.split_once("://").map_or(label, |(_, host)| host);
    let kept: String =
        host.chars().map(|c| if c.is_ascii_alphanumeric() || "-._~".contains(c) { c } else { '-' }).collect();
    let kept: String = kept.trim_matches(['-', '.']).chars().take(LONGEST_NAME).collect();
    if is_name(&kept) { kept } else { "device".to_owned() }
}

/// The name, with a number behind it if it is another's already.
fn unlike(names: &mut BTreeMap<String, usize>, name: &str) -> String {
    let mut unlike = name.to_owned();
    while names.contains_key(&unlike) {
        let count = names.entry(name.to_owned()).or_default();
        *count += 1;
        unlike = format!("{name}-{}", *count + 1);
    }
    names.insert(unlike.clone(), 0);
    unlike
}

const TIMEOUT: Duration = Duration::from_secs(2);
/// What takes its time to begin: NETCONF, and JMX.
const LEAST_OF_SESSIONS: Duration = Duration::from_secs(10);
/// Octets of an answer of NETCONF, RESTCONF or SOAP, which may have a whole table.
const LONGEST_ANSWER: usize = 32 << 20;
const RETRIES: u32 = 2;
/// Room for a number behind it.
const LONGEST_NAME: usize = 26;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_of_hosts_and_of_one_device_each() {
        let mut names = BTreeMap::new();
        let mut name = |label: &str| unlike(&mut names, &name_of(label));
        assert_eq!(name("core-1.example.net"), "core-1.example.net");
        assert_eq!(name("netconf://10.0.0.1:830"), "10.0.0.1-830");
        assert_eq!(name("10.0.0.1:830"), "10.0.0.1-830-2");
        assert_eq!(name("snmp+tcp://10.0.0.1:830"), "10.0.0.1-830-3");
        assert_eq!(name("[2001:db8::1]:161"), "2001-db8--1--161");
        assert_eq!(name("../.."), "device");
        assert_eq!(name(&"x".repeat(60)), "x".repeat(26));
    }

    #[test]
    fn a_file_of_hosts_with_passwords_that_everybody_may_read_is_reported() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let told = |text: &str, mode| {
            std::fs::write(file.path(), text).unwrap();
            std::fs::set_permissions(file.path(), PermissionsExt::from_mode(mode)).unwrap();
            exposure(file.path(), &read_hosts(file.path()).unwrap())
        };
        let secret = "# ours\nudp.example.net\nrestconf+https://ann:maple@web.example.net web\n";
        let words = told(secret, 0o644).unwrap();
        assert!(words.contains("644") && words.contains("chmod o=") && !words.contains("maple"), "{words}");
        assert_eq!(told(secret, 0o640), None);
        assert_eq!(told("snmp://public@h\nhost:161\nrestconf+https://ann@web.example.net\n", 0o644), None);
    }

    #[test]
    fn what_names_no_agent_is_refused_before_anything_is_asked() {
        let refused = |address: &str| {
            opener(address, &LoginArgs::default(), TIMEOUT, 0).err().map(|fault| fault.0).unwrap_or_default()
        };
        assert!(refused("jmx://host/java.lang:type=Memory").contains("not an MBean"));
        assert_eq!(refused("jmx://host"), "");
        assert!(refused("gopher://host").contains("gopher"));
        assert_eq!(refused("snmp://public@192.0.2.1"), "");
    }
}
