//! The collected configuration as TOML, with the line that each entry comes from.

mod access;
mod engine;
mod listing;
mod notify;
mod peers;
mod programs;
mod tls;
mod users;

use std::collections::BTreeSet;

use super::Note;
use super::collected::{Collected, Setting};

/// A text as TOML has it.
pub(super) fn text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A list of texts as TOML has it.
pub(super) fn list<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> String {
    let texts: Vec<String> = texts.into_iter().map(|item| text(item.as_ref())).collect();
    format!("[{}]", texts.join(", "))
}

/// The whole text.
pub(super) fn write(collected: &mut Collected<'_>, title: &str) -> String {
    engine::take(collected);
    let mut parts = vec![heading(title)];
    take_rights(collected);
    take_trap_style(collected);
    let agent = std::mem::take(&mut collected.agent);
    parts.extend(section("agent", &agent));
    let system = std::mem::take(&mut collected.system);
    parts.extend(section("system", &system));
    peers::take(collected);
    tls::check_listeners(collected);
    // Before access: it says as whom monitors ask.
    let programs = programs::write(collected);
    let access = access::write(collected);
    parts.push(snmp(collected, access.has_communities));
    parts.extend(tls::section(collected));
    parts.extend(access.text);
    parts.extend(notify::write(collected, &access.users));
    parts.extend(programs);
    parts.extend(agentx(collected));
    parts.extend(unneeded(&collected.unneeded, &collected.kept));
    let mut text = parts.join("\n");
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    visible(&text)
}

/// Texts are escaped, but comments repeat the old file, and TOML allows no control characters in them.
fn visible(text: &str) -> String {
    let is_hidden = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    text.chars().map(|c| if is_hidden(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

fn heading(title: &str) -> String {
    let mut heading = String::new();
    for line in title.lines() {
        heading.push_str(&format!("# {line}\n"));
    }
    heading
}

/// What snmpd's programs could do they go on doing: snmpd drops no capabilities, and sudo works.
fn take_rights(collected: &mut Collected<'_>) {
    let programs = &collected.programs;
    let of_execs = programs.execs.iter().map(|program| &program.origin);
    let of_passes = programs.passes.iter().map(|program| &program.origin);
    let all = programs.extends.iter().map(|program| &program.origin).chain(of_execs).chain(of_passes);
    let Some(origin) = all.min_by_key(|origin| origin.to_string()).cloned() else { return };
    let comment = "as with snmpd; docs/configuration.md, Programs".into();
    collected.agent.push(Setting { key: "program-privileges", value: text("unrestricted"), origin, comment });
}

/// Rules of trap receivers are often keyed on the enterprise of Net-SNMP's traps.
fn take_trap_style(collected: &mut Collected<'_>) {
    let Some(origin) = collected.targets.first().map(|target| target.origin.clone()) else { return };
    let comment = "as with snmpd; docs/notifications.md".into();
    collected.snmp.push(Setting {
        key: "trap-style",
        value: text("net-snmp"),
        origin: origin.clone(),
        comment,
    });
    if !collected.link_notifications {
        let comment = "without linkUpDownNotifications snmpd does not send linkUp and linkDown".into();
        collected.snmp.push(Setting { key: "link-notifications", value: "false".into(), origin, comment });
    }
}

fn section(name: &str, settings: &[Setting]) -> Option<String> {
    (!settings.is_empty()).then(|| {
        let mut text = format!("\n[{name}]\n");
        for setting in settings {
            text.push_str(&line(setting));
        }
        text
    })
}

fn line(setting: &Setting) -> String {
    let comment = if setting.comment.is_empty() { String::new() } else { format!(": {}", setting.comment) };
    format!("{} = {}  # {}{comment}\n", setting.key, setting.value, setting.origin)
}

/// Without `master agentx`, snmpd reads the other directives for a subagent.
fn agentx(collected: &mut Collected<'_>) -> Option<String> {
    let mut settings = std::mem::take(&mut collected.agentx);
    let Some(origin) = collected.agentx_master.clone() else {
        for setting in settings {
            let why = "there is not a line `master agentx`: subagents do not connect to this agent";
            let directive = match setting.key {
                "listen" => "agentXSocket",
                "timeout" => "agentXTimeout",
                _ => "agentXPerms",
            };
            collected.unneeded(&setting.origin, directive, why);
        }
        return None;
    };
    match settings.iter().find(|setting| setting.key == "listen") {
        Some(listen) => collected.part_of(&origin, &listen.origin.clone()),
        None => {
            let comment = "snmpd's default".into();
            let value = list(["unix:/var/agentx/master"]);
            settings.insert(0, Setting { key: "listen", value, origin, comment });
        }
    }
    section("agentx", &settings)
}

fn snmp(collected: &Collected<'_>, has_communities: bool) -> String {
    let mut text = String::from("\n[snmp]\n");
    if collected.listen.is_empty() && collected.names_addresses {
        text.push_str(
            "# The agent can listen on none of the addresses of agentAddress: loopback alone, until you set one here.\n\
             listen = [\"udp://127.0.0.1:161\"]\n",
        );
    } else if collected.listen.is_empty() {
        text.push_str(
            "# snmpd's default: UDP port 161 on all IPv4 addresses.\nlisten = [\"udp://0.0.0.0:161\"]\n",
        );
    } else {
        text.push_str("listen = [\n");
        for (url, origin) in &collected.listen {
            text.push_str(&format!("    {},  # {origin}\n", self::text(&url.to_string())));
        }
        text.push_str("]\n");
    }
    for setting in &collected.snmp {
        text.push_str(&line(setting));
    }
    if has_communities && may_be_long(collected) {
        text.push_str(LONG_ANSWERS);
    }
    if !has_communities {
        text.push_str("# SNMPv1 and SNMPv2c are disabled.\ncommunity = []\n");
    }
    text
}

/// snmpd answers a community as long as UDP allows; what programs and other agents say may need that.
const LONG_ANSWERS: &str = "# A value of a program or of another agent may be longer than the usual 1472 octets. snmpd sends any length to a\n\
                            # forged address too: remove this line if all values are short.\n\
                            max-unproved-answer = 65507\n";

/// Whether there are values whose length others choose.
fn may_be_long(collected: &Collected<'_>) -> bool {
    let programs = &collected.programs;
    !programs.extends.is_empty() || !programs.passes.is_empty() || !collected.proxies.is_empty()
}

/// Lines that are not needed, and in short those with snmpd's own state.
fn unneeded(notes: &[Note], kept: &[Note]) -> Option<String> {
    if notes.is_empty() && kept.is_empty() {
        return None;
    }
    let mut text = String::from("\n# Not needed here:\n");
    for note in notes {
        text.push_str(&format!("# {note}\n"));
    }
    let files: BTreeSet<&str> = kept.iter().map(|note| note.origin.file.as_ref()).collect();
    for file in files {
        let of_file: Vec<&Note> = kept.iter().filter(|note| note.origin.file.as_ref() == file).collect();
        let names: BTreeSet<&str> = of_file.iter().map(|note| note.directive.as_str()).collect();
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        let lines = if of_file.len() == 1 { "line is" } else { "lines are" };
        text.push_str(&format!("# {file}: {} {lines} state of snmpd ({names})\n", of_file.len()));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_back_as_they_were() {
        for original in ["plain", "a \"b\" \\ c", "tab\t bell\u{7} del\u{7f} nl\n", "ü"] {
            let line = format!("key = {}", text(original));
            let table: toml::Table = toml::from_str(&line).unwrap();
            assert_eq!(table["key"].as_str(), Some(original));
        }
    }
}
