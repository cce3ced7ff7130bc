//! Whether the principals of a configuration can log in at all: what they have, and what listeners accept.

use std::path::{Path, PathBuf};

use trunkline_config::{EVERYBODY, Plan, PrincipalPlan};
use trunkline_transport::Transport;
use trunkline_transport::files::read_text;
use trunkline_transport::ssh::authorized_keys;

/// Principals that cannot log in, and lists of keys that cannot be used, in words for the operator. `unreadable`: why the agent's user may not read
/// a file that is there.
pub fn idle_principals(plan: &Plan, unreadable: impl Fn(&Path) -> Option<String>) -> Vec<String> {
    let mut found = Vec::new();
    let ways = Ways::of(plan);
    for principal in plan.snmp.principals.iter().filter(|it| it.name != EVERYBODY) {
        let whose = format!("[[snmp.principal]] {:?}", principal.name);
        let keys = keys_of(plan, principal, &unreadable);
        if principal.authorized_keys.is_some() {
            match &keys {
                _ if !ways.ssh => {
                    found
                        .push(format!("{whose}: authorized-keys is not used: the agent does not accept SSH"));
                }
                Err((path, why)) => {
                    found.push(format!("{whose}: authorized-keys: {} cannot be used: {why}", path.display()));
                }
                Ok(keys) => found.extend(keys.faults.iter().map(|(line, fault)| {
                    format!(
                        "{whose}: authorized-keys: line {line} of {} accepts nobody: {fault}",
                        keys.path.display()
                    )
                })),
            }
        }
        let has_key = ways.ssh && keys.is_ok_and(|keys| keys.count > 0);
        let has_password = principal.password_hash.is_some() && (ways.ssh || ways.http);
        let has_token = principal.token_hash.is_some() && ways.http;
        let may_log_in = has_key || has_password || has_token || ways.certificates || ways.of_system;
        if principal.role.is_some() && !may_log_in {
            let path = default_keys(plan, principal);
            found.push(format!(
                "{whose}: it cannot log in: it has no password-hash, token-hash or keys ({} or authorized-keys) that a listener accepts, \
                 and no listener takes certificates",
                path.display()
            ));
        }
    }
    found
}

/// How peers can prove who they are.
struct Ways {
    ssh: bool,
    http: bool,
    certificates: bool,
    /// OpenSSH's server tells who it is.
    of_system: bool,
}

impl Ways {
    fn of(plan: &Plan) -> Ways {
        let calls = |transport| {
            plan.netconf.iter().flat_map(|netconf| &netconf.call_home).any(|it| it.transport == transport)
        };
        let listens =
            |transport| plan.listeners().any(|(_, url)| url.transport == transport) || calls(transport);
        Ways {
            ssh: listens(Transport::Ssh),
            http: listens(Transport::Http) || listens(Transport::Https),
            certificates: [Transport::Tls, Transport::Dtls, Transport::Https].into_iter().any(listens),
            of_system: plan.snmp.ssh.subsystem_socket.is_some(),
        }
    }
}

/// The keys of a list.
struct Keys {
    path: PathBuf,
    count: usize,
    faults: Vec<(usize, authorized_keys::LineFault)>,
}

fn keys_of(
    plan: &Plan,
    principal: &PrincipalPlan,
    unreadable: impl Fn(&Path) -> Option<String>,
) -> Result<Keys, (PathBuf, String)> {
    let path = principal.authorized_keys.clone().unwrap_or_else(|| default_keys(plan, principal));
    // It may belong to the principal, who could put anything there.
    let text = read_text(&path, authorized_keys::LONGEST_FILE).map_err(|error| error.to_string());
    let text = text.and_then(|text| unreadable(&path).map_or(Ok(text), Err));
    let text = text.map_err(|why| (path.clone(), why))?;
    let (keys, faults): (Vec<_>, Vec<_>) = authorized_keys::lines(&text).partition(|(_, line)| line.is_ok());
    let faults = faults.into_iter().filter_map(|(number, line)| Some((number, line.err()?))).collect();
    Ok(Keys { path, count: keys.len(), faults })
}

fn default_keys(plan: &Plan, principal: &PrincipalPlan) -> PathBuf {
    plan.snmp.ssh.user_keys.join(format!("{}.pub", principal.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_principal_that_cannot_log_in_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("none.pub"), "# nobody\n").unwrap();
        std::fs::write(path("wrong.pub"), "# here\nssh-ed25519 nonsense\n").unwrap();
        let said = |listen: &str, keys: &str| {
            let text = format!(
                "[snmp]\nlisten = [{listen}]\n[snmp.ssh]\nuser-keys = {:?}\n[[role]]\nname = \"r\"\nread = [\"1\"]\n\
                 [[snmp.principal]]\nname = \"ann\"\nrole = \"r\"\n{keys}",
                folder.path()
            );
            idle_principals(&trunkline_config::parse(Path::new("test.toml"), &text).unwrap(), |_| None)
        };
        let hash = "password-hash = \"$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA\"\n";
        for (listen, keys, words) in [
            ("\"ssh://[::1]:0\"", "", &["it cannot log in", "ann.pub"][..]),
            ("\"ssh://[::1]:0\"", hash, &[]),
            ("\"udp://[::1]:0\"", hash, &["it cannot log in"]),
            (
                "\"ssh://[::1]:0\"",
                "authorized-keys = \"/gone\"\n",
                &["/gone cannot be used: No such file", "it cannot log in"],
            ),
            (
                "\"ssh://[::1]:0\"",
                "authorized-keys = \"/dev/zero\"\n",
                &["/dev/zero cannot be used: it is a device", "it cannot log in"],
            ),
            ("\"udp://[::1]:0\"", "authorized-keys = \"/gone\"\n", &["is not used", "it cannot log in"]),
        ] {
            let found = said(listen, keys);
            let is_there = |word: &&str| found.iter().any(|line| line.contains(word));
            assert!(
                words.iter().all(is_there) && found.is_empty() == words.is_empty(),
                "{listen} {keys}: {found:?}"
            );
        }
        let found = said("\"ssh://[::1]:0\"", &format!("authorized-keys = {:?}\n", path("wrong.pub")));
        assert!(found[0].contains("line 2 of") && found[0].contains("accepts nobody"), "{found:?}");
        let found = said("\"ssh://[::1]:0\"", &format!("authorized-keys = {:?}\n", path("none.pub")));
        assert!(found.len() == 1 && found[0].contains("it cannot log in"), "{found:?}");
    }
}
