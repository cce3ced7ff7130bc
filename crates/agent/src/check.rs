//! `trunklined --check`: the problems that a start would find, without opening a port, starting a program or
//! changing anything.

mod reach;

use std::path::Path;
use std::time::Instant;

use caps::{CapSet, Capability};

use crate::assembly::Assembly;
use crate::daemon::of_subagents;
use crate::listeners::Listeners;
use crate::start_error::StartError;
use trunkline_admin::state_folder;
use trunkline_config::{Plan, Source};
use trunkline_credentials::logins::idle_principals;
use trunkline_process::privilege::{self, Account};
use trunkline_transport::Transport;

/// Whether an agent can be built from a configuration. Returns warnings about what will not work although the
/// agent starts.
///
/// # Errors
/// The messages of a start.
pub fn check(source: &Source, plan: &Plan, is_laboratory: bool) -> Result<Vec<String>, StartError> {
    if plan.is_integrity_only() && !is_laboratory {
        return Err(StartError::IntegrityOnly);
    }
    let configured = privilege::find_account(plan)?;
    let account = configured.as_ref().filter(|_| privilege::is_root()).cloned();
    let state = state_folder::of(plan.state.as_deref())?;
    let mut found: Vec<String> = state_folder::check(&state)?.into_iter().collect();
    // Root checks a file for an agent that a unit starts as another user: that root itself could not start it says nothing against the file.
    if account.is_none()
        && let Err(error) = state_folder::check_owner(&state)
    {
        found.push(format!("started by this user, the agent would end here: {error}"));
    }
    Listeners::check(plan, &state)?;
    trunkline_regions::check_owners(plan).map_err(|errors| StartError::Listeners(of_subagents(errors)))?;
    found.extend(Assembly::check(plan, &state, Instant::now())?);
    found.extend(notes(plan, account.as_ref()));
    found.extend(configured.as_ref().and_then(privilege::idle_user));
    found.extend(unreadable_source(source, account.as_ref()));
    found.extend(unreadable_for_the_unit(source, plan));
    found.extend(low_port(plan));
    Ok(found)
}

/// A warning if the agent's user cannot read the configuration, which is read at the start as root, and again at each
/// reload.
pub fn unreadable_source(source: &Source, account: Option<&Account>) -> Option<String> {
    let Source::File(path) = source else { return None };
    let why = reach::unreadable(path, account)?;
    Some(format!(
        "{}: {why}, so that every reload will fail: make it the owner of the file, or let a group of it read the file",
        path.display()
    ))
}

/// The folder of the packages' configuration, and the user that their unit starts the agent as.
const PACKAGED: (&str, &str) = ("/etc/trunkline", "trunkline");

/// A warning if root checks the file of the packages' unit, and the unit's user cannot read it.
fn unreadable_for_the_unit(source: &Source, plan: &Plan) -> Option<String> {
    let Source::File(path) = source else { return None };
    let is_packaged = path.starts_with(PACKAGED.0) && plan.user.is_none() && privilege::is_root();
    let account = is_packaged.then(|| privilege::account(PACKAGED.1).ok().flatten())??;
    let why = reach::unreadable(path, Some(&account))?;
    let (shown, name) = (path.display(), PACKAGED.1);
    Some(format!(
        "{shown}: {why}, and the unit of the packages starts the agent as that user: chgrp {name} {shown} && chmod 640 {shown}"
    ))
}

/// Warnings that do not prevent a start: programs, folders, files of keys and disks that do not exist or cannot be used (they may come later),
/// principals that cannot log in, and communities that anybody may use. `account`: the agent's user, if it is not this process's.
pub fn notes(plan: &Plan, account: Option<&Account>) -> Vec<String> {
    let extends = plan.extends.iter().filter(|extend| !extend.shell);
    let extends = extends.map(|extend| (format!("[[extend]] {:?}", extend.name), &extend.command));
    let execs = plan.execs.iter().filter(|exec| !exec.shell);
    let execs = execs.map(|exec| (format!("[[exec]] {:?}", exec.name), &exec.command));
    let passes = plan.passes.iter().map(|pass| (format!("[[pass]] {}", pass.oid), &pass.command));
    let fixes = plan
        .execs
        .iter()
        .filter_map(|exec| Some((format!("fix of [[exec]] {:?}", exec.name), exec.fix.as_ref()?)));
    let of_process = |name: &String| format!("fix of [[process]] {name:?}");
    let process_fixes =
        plan.processes.iter().filter_map(|process| Some((of_process(&process.name), process.fix.as_ref()?)));
    let hooks = plan.netconf.iter().flat_map(|netconf| &netconf.hooks);
    let hooks = hooks.map(|hook| (format!("[[netconf.hook]] {:?}", hook.subtree), &hook.command));
    let programs = extends.chain(hooks).chain(execs).chain(passes).chain(fixes).chain(process_fixes);
    let missing = programs.filter_map(|(whose, command)| {
        let program = Path::new(command.first()?);
        let why = reach::unusable(program, account)?;
        Some(format!("{whose}: the program {} {why}", program.display()))
    });
    let disks = plan.disks.iter().filter_map(|disk| disk.path.as_deref()).filter(|path| !path.exists());
    let disks =
        disks.map(|path| format!("[[disk]] {}: the path does not exist, so it has no row", path.display()));
    let tls = std::iter::once(("[snmp.tls]", &plan.snmp.tls))
        .chain(plan.http.tls.iter().map(|tls| ("[http.tls]", tls)));
    let lists = tls.filter_map(|(section, tls)| {
        let list = tls.missing_revocation_list()?;
        Some(format!(
            "{section}: there is no revocation list, so revoked certificates are accepted: expected {}, or \
             revocation-lists = [] if there is to be none",
            list.display()
        ))
    });
    let access =
        trunkline_config::unguarded_users(plan).into_iter().chain(trunkline_config::idle_rules(plan));
    let access = access.chain(trunkline_config::administered_elsewhere(plan));
    let lists = lists
        .chain(targets_without_certificate(plan))
        .chain(trunkline_config::powerless_triggers(plan))
        .chain(trunkline_config::absent_subagent_user(plan));
    let logins = idle_principals(plan, |path| reach::unreadable(path, account));
    let missing = missing.chain(reach::folders(plan, account)).chain(logins);
    let open =
        trunkline_config::open_communities(plan).into_iter().chain(trunkline_config::open_masters(plan));
    let open =
        open.chain(trunkline_config::unusable_jmx(plan)).chain(trunkline_config::exposed_members(plan));
    let open = open.chain(trunkline_config::members_without_context(plan));
    let open = open.chain(trunkline_config::empty_members_files(plan));
    missing.chain(disks).chain(lists).chain(open).chain(access).collect()
}

/// Targets over TLS and DTLS, which the agent can send nothing to without its own certificate.
fn targets_without_certificate(plan: &Plan) -> impl Iterator<Item = String> {
    let is_tls = |transport| matches!(transport, Transport::Tls | Transport::Dtls);
    let targets = plan.snmp.targets.iter().filter(move |target| is_tls(target.address.transport));
    targets.filter(|_| plan.snmp.tls.certificate.is_none()).map(|target| {
        format!(
            "[[snmp.target]] {:?}: the agent has no certificate to open a session of TLS or DTLS with: add [snmp.tls], \
             whose files `trunkline pki agent NAME` makes",
            target.name
        )
    })
}

/// A port that this user may not open. The agent's user may.
fn low_port(plan: &Plan) -> Option<String> {
    let first = std::fs::read_to_string("/proc/sys/net/ipv4/ip_unprivileged_port_start").ok();
    let first: u16 = first.and_then(|text| text.trim().parse().ok()).unwrap_or(1024);
    let may = caps::has_cap(None, CapSet::Effective, Capability::CAP_NET_BIND_SERVICE).unwrap_or(false);
    let mut urls = plan.listeners().map(|(_, url)| url);
    let url = urls.find(|url| url.port != 0 && url.port < first).filter(|_| !may)?;
    Some(format!(
        "{url}: ports below {first} need root or CAP_NET_BIND_SERVICE, which this user does not have"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_that_needs_a_certificate_is_reported() {
        let said = |scheme: &str| {
            let target = format!(
                "[[snmp.target]]\nname = \"nms\"\naddress = \"{scheme}://192.0.2.9\"\nprincipal = \"ann\"\n"
            );
            let plan = trunkline_config::parse(Path::new("test.toml"), &target).unwrap();
            targets_without_certificate(&plan).collect::<Vec<_>>()
        };
        let found = said("tls");
        assert!(
            found.len() == 1 && found[0].starts_with("[[snmp.target]] \"nms\": the agent has no"),
            "{found:?}"
        );
        assert!(said("ssh").is_empty());
    }
}
