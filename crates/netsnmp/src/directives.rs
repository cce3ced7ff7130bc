//! Each directive of snmpd.conf(5) and what becomes of it: carried over, not needed here, or not
//! possible, and then why and what to do.

mod access;
mod agent;
mod agentx;
mod kept;
mod monitors;
mod notify;
mod programs;
mod storage;
mod tls;
mod users;

use super::collected::Collected;
use super::source::Directive;

type Handler = fn(&mut Collected<'_>, &Directive) -> Result<(), String>;

/// What is carried over, by the directive's name in small letters.
const CARRIED: &[(&str, Handler)] = &[
    ("agentaddress", agent::agent_address),
    ("agentuser", agent::agent_user),
    ("master", agentx::master),
    ("agentxsocket", agentx::socket),
    ("agentxperms", agentx::rights),
    ("agentxtimeout", agentx::timeout),
    ("leave_pidfile", agent::leave_pid_file),
    ("maxgetbulkresponses", agent::max_responses),
    ("engineid", agent::engine_id),
    ("exactengineid", agent::exact_engine_id),
    ("oldengineid", agent::old_engine_id),
    ("engineidtype", agent::engine_made_by),
    ("engineidnic", agent::engine_made_by),
    ("syslocation", agent::system),
    ("syscontact", agent::system),
    ("sysname", agent::system),
    ("sysdescr", agent::system),
    ("sysservices", agent::services),
    ("psyslocation", agent::kept_system),
    ("psyscontact", agent::kept_system),
    ("psysname", agent::kept_system),
    ("override", agent::override_value),
    ("rocommunity", access::community),
    ("rwcommunity", access::community),
    ("rocommunity6", access::community),
    ("rwcommunity6", access::community),
    ("authcommunity", access::auth_community),
    ("com2sec", access::com2sec),
    ("com2sec6", access::com2sec),
    ("group", access::group),
    ("vacmgroup", access::kept_vacm),
    ("vacmaccess", access::kept_vacm),
    ("vacmview", access::kept_vacm),
    ("view", access::view),
    ("access", access::access),
    ("setaccess", access::set_access),
    ("rouser", access::user),
    ("rwuser", access::user),
    ("authuser", access::auth_user),
    ("authgroup", access::auth_group),
    ("authaccess", access::auth_access),
    ("createuser", users::create_user),
    ("usmuser", users::usm_user),
    ("authtrapenable", agent::authentication_traps),
    ("trapcommunity", notify::trap_community),
    ("trapsink", notify::sink),
    ("trap2sink", notify::sink),
    ("informsink", notify::sink),
    ("trapsess", notify::session),
    ("notificationfilter", notify::filter),
    ("proxy", notify::proxy),
    ("extend", programs::extend),
    ("extend-sh", programs::extend),
    ("exec", programs::exec),
    ("sh", programs::exec),
    ("execfix", programs::exec_fix),
    ("pass", programs::pass),
    ("pass_persist", programs::pass),
    ("proc", programs::process),
    ("procfix", programs::process_fix),
    ("disk", programs::disk),
    ("includealldisks", programs::all_disks),
    ("load", programs::load),
    ("storageusenfs", storage::network_disks),
    ("realstorageunits", storage::real_units),
    ("skipnfsinhostresources", storage::skip_network),
    ("file", programs::file),
    ("logmatch", programs::log_match),
    ("swap", programs::swap),
    ("diskio", programs::disk_io),
    ("diskio_exclude_fd", programs::disk_io_exclude),
    ("diskio_exclude_loop", programs::disk_io_exclude),
    ("diskio_exclude_ram", programs::disk_io_exclude),
    ("monitor", monitors::monitor),
    ("notificationevent", monitors::event),
    ("setevent", monitors::set_event),
    ("defaultmonitors", monitors::defaults),
    ("iquerysecname", monitors::user),
    ("agentsecname", monitors::user),
    ("strictdisman", monitors::strict),
    ("certsecname", tls::certificate_name),
    ("localcert", tls::local_certificate),
    ("trustcert", tls::trust),
    ("x509crlfile", tls::revocation_list),
    ("tsmusetransportprefix", tls::use_prefix),
    ("linkupdownnotifications", agent::link_notifications),
];

/// Directives that are not needed here, and why.
const UNNEEDED: &[(&str, &str)] = &[
    ("iqueryversion", "triggers read the agent's own data without a message"),
    ("iqueryseclevel", "triggers read the agent's own data without a message, by all rights of their user"),
    ("dontlogtcpwrappersconnects", "TCP wrappers are not used"),
    ("notokenwarnings", "it only affects reading the old configuration"),
    ("maxgetbulkrepeats", "an answer is limited by max-bindings and max-message-size"),
    ("avgbulkvarbindsize", "an answer is limited by max-bindings and max-message-size"),
    ("interface_replace_old", "interfaces that are gone are not shown"),
    ("interface_fadeout", "interfaces that are gone are not shown"),
    ("agentxretries", "a request to a subagent is not repeated: the connection loses nothing"),
    ("agentxpinginterval", "it is for subagents, which read it from their own files"),
    ("agentgroup", "ignored: the primary group of the user is used"),
    ("quit", "it ends the old program"),
    ("disableperl", "there is no embedded Perl"),
    ("perlinitfile", "there is no embedded Perl"),
    ("count_kthreads", "processes are counted by their name"),
    ("dontretainlogs", "the notification log is kept in memory"),
    ("donotretainnotificationlogs", "the notification log is kept in memory"),
    ("defdomain", "targets and proxies have their transport in their address"),
    ("deftarget", "targets and proxies have addresses of their own"),
    ("pdustatsmax", "it is for developers of the old program"),
    ("pdustatsthreshold", "it is for developers of the old program"),
];

const NO_FILTER: &str =
    "senders cannot be filtered as a whole: give communities sources, and use a firewall for users";

/// What cannot be carried over, and what to do.
const IMPOSSIBLE: &[(&str, &str)] = &[
    ("smuxpeer", "SMUX is not supported; RFC 2741 replaced it"),
    ("smuxsocket", "SMUX is not supported; RFC 2741 replaced it"),
    ("com2secunix", "requests over Unix sockets are not served"),
    ("sysobjectid", "sysObjectID identifies this agent and cannot be configured"),
    ("v1trapaddress", "the agent-addr of SNMPv1 traps is the address they are sent from"),
    ("interface", "types and speeds of interfaces come from the kernel"),
    ("ifmib_max_num_ifaces", "all interfaces are served"),
    ("include_ifmib_iface_prefix", "all interfaces are served; a view can hide rows"),
    ("ignoredisk", "disks are read from /sys and never opened; a view can hide rows"),
    ("dlmod", "modules of the old program cannot be loaded; write a pass_persist program"),
    ("perl", "embedded Perl is not supported; write a pass_persist program"),
    ("injecthandler", "it is for developers of the old program"),
    (
        "extendfix",
        "a command that runs only when it is set is not supported; [[process]] and [[exec]] have a fix",
    ),
    ("repeat", "scheduled sets are not supported; use a systemd timer with `trunkline set`"),
    ("cron", "scheduled sets are not supported; use a systemd timer with `trunkline set`"),
    ("at", "scheduled sets are not supported; use at(1) with `trunkline set`"),
    ("deliverbynotify", "sending data by notifications is not supported"),
    ("deliverbynotifymaxpacketsize", "sending data by notifications is not supported"),
    ("deliverbynotifyoid", "sending data by notifications is not supported"),
    ("deliverbynotifyfrequencyoid", "sending data by notifications is not supported"),
    ("deliverbynotifymessagenumberoid", "sending data by notifications is not supported"),
    ("deliverbynotifymaxmessagenumberoid", "sending data by notifications is not supported"),
    ("snmptlstmparams", "not converted: configure [snmp.tls] and [[snmp.tls.name]]"),
    ("snmptlstmaddr", "not converted: configure [snmp.tls] and [[snmp.tls.name]]"),
    ("sendmail_config", "MTA-MIB is not served"),
    ("sendmail_stats", "MTA-MIB is not served"),
    ("sendmail_queue", "MTA-MIB is not served"),
    ("sendmail_index", "MTA-MIB is not served"),
    ("sendmail_queue_t", "MTA-MIB is not served"),
    ("sendmail_stats_t", "MTA-MIB is not served"),
    ("sourcefiltertype", NO_FILTER),
    ("sourcefilteraddress", NO_FILTER),
    ("table", "tables of fixed values are not supported; write a pass program"),
    ("add_row", "tables of fixed values are not supported; write a pass program"),
    ("authtype", "types of access other than read and write are for snmptrapd"),
];

/// A line for each directive.
pub fn known() -> String {
    let carried = CARRIED.iter().map(|(name, _)| (*name, "understood"));
    let others = UNNEEDED.iter().chain(IMPOSSIBLE).copied().chain(kept::known());
    let mut lines: Vec<String> =
        carried.chain(others).map(|(name, what)| format!("{name:<24} {what}\n")).collect();
    lines.sort();
    lines.concat()
}

/// Whether a directive is in one of the lists, by its name in small letters.
pub fn is_known(name: &str) -> bool {
    CARRIED.iter().any(|(known, _)| *known == name)
        || UNNEEDED.iter().chain(IMPOSSIBLE).chain(OF_THE_LIBRARY).any(|(known, _)| *known == name)
        || kept::is_known(name)
}

/// Processes one directive.
pub fn take(collected: &mut Collected<'_>, directive: &Directive) {
    let name = directive.name.to_ascii_lowercase();
    if directive.section.as_ref() != "snmpd" {
        return other_section(collected, directive, &name);
    }
    if carry(collected, directive, &name) {
        return;
    }
    if let Some((_, why)) = UNNEEDED.iter().find(|(known, _)| *known == name) {
        return collected.unneeded(&directive.origin, &directive.name, *why);
    }
    if kept::take(collected, directive, &name) {
        return;
    }
    let impossible = IMPOSSIBLE.iter().find(|(known, _)| *known == name).map(|(_, why)| *why);
    let why = impossible.unwrap_or("is not a known directive");
    collected.note(&directive.origin, &directive.name, why);
}

/// Whether a directive is carried over; if it cannot be as it is, that is noted.
fn carry(collected: &mut Collected<'_>, directive: &Directive, name: &str) -> bool {
    let Some((_, handler)) = CARRIED.iter().find(|(known, _)| *known == name) else { return false };
    if let Err(why) = handler(collected, directive) {
        collected.note(&directive.origin, &directive.name, why);
    }
    true
}

/// Lines of `[snmp]`, which are for the library and the commands, that concern the agent and cannot be carried over.
const OF_THE_LIBRARY: &[(&str, &str)] = &[
    ("sourcefiltertype", NO_FILTER),
    ("sourcefilteraddress", NO_FILTER),
    ("clientaddr", NO_CLIENT_ADDRESS),
    ("clientaddrusesport", NO_CLIENT_ADDRESS),
    ("tlsalgorithms", "cipher suites are those of [snmp.tls]: TLS 1.2 and 1.3 with forward secrecy"),
    ("disablesnmpv1", NO_VERSIONS),
    ("disablesnmpv2c", NO_VERSIONS),
    ("disablesnmpv3", NO_VERSIONS),
];

const NO_CLIENT_ADDRESS: &str = "notifications and proxied requests are sent from the address that the kernel chooses for their destination";

const NO_VERSIONS: &str = "a version cannot be turned off as a whole: give roles rules with model = \"usm\" only, or name no community";

/// `[snmp]` lines are for the library and the commands, others for other programs.
fn other_section(collected: &mut Collected<'_>, directive: &Directive, name: &str) {
    let is_library = directive.section.as_ref() == "snmp";
    if is_library && matches!(name, "localcert" | "trustcert" | "x509crlfile" | "certsecname") {
        carry(collected, directive, name);
        return;
    }
    match OF_THE_LIBRARY.iter().find(|(known, _)| is_library && *known == name) {
        Some((_, why)) => collected.note(&directive.origin, &directive.name, *why),
        None => {
            let section = &directive.section;
            let why = format!("a line of the section [{section}], which is not about the agent's service");
            collected.unneeded(&directive.origin, &directive.name, why);
        }
    }
}

/// Whether a value means yes; Net-SNMP accepts 1, yes, true and on.
fn yes(word: Option<&String>) -> bool {
    word.is_none_or(|word| ["1", "yes", "true", "on"].contains(&word.to_ascii_lowercase().as_str()))
}
