//! Programs, what is watched, and proxies' neighbours in our form: `[[extend]]` to `[load]`, and
//! `[[trigger]]` and `[[event]]`.

use super::listing::Entry;
use super::{list, text};
use crate::Origin;
use crate::collected::{Collected, Event, Monitor};

pub(super) fn write(collected: &mut Collected<'_>) -> Vec<String> {
    let mut entries: Vec<Entry> = Vec::new();
    let programs = &collected.programs;
    for extend in &programs.extends {
        let mut entry = Entry::new("extend", &extend.origin, "extend");
        entry.text("name", &extend.name).raw("command", list(&extend.command));
        if extend.shell {
            entry.raw("shell", "true".into());
        }
        if let Some(seconds) = extend.cache {
            entry.text("cache", &format!("{}s", seconds.min(8760 * 3600)));
        }
        if let Some(oid) = &extend.oid {
            entry.text("oid", oid);
        }
        entries.push(entry);
    }
    for exec in &programs.execs {
        let mut entry = Entry::new("exec", &exec.origin, if exec.shell { "sh" } else { "exec" });
        entry.text("name", &exec.name).raw("command", list(&exec.command));
        if exec.shell {
            entry.raw("shell", "true".into());
        }
        if let Some(fix) = &exec.fix {
            entry.raw("fix", list(fix));
        }
        entries.push(entry);
    }
    for pass in &programs.passes {
        let mut entry =
            Entry::new("pass", &pass.origin, if pass.persistent { "pass_persist" } else { "pass" });
        entry.text("oid", &pass.oid).raw("command", list(&pass.command));
        if pass.persistent {
            entry.raw("persistent", "true".into());
        }
        if let Some(priority) = pass.priority {
            entry.raw("priority", priority.to_string());
        }
        entries.push(entry);
    }
    entries.extend(watched(collected));
    entries.extend(triggers(collected));
    let mut parts: Vec<String> = entries.iter().map(Entry::to_text).collect();
    parts.extend(order(collected));
    parts.extend(no_disks(collected));
    parts.extend(load(collected));
    parts.extend(disk_io(collected));
    parts.extend(storage(collected));
    parts.extend(swap(collected));
    parts
}

fn watched(collected: &Collected<'_>) -> Vec<Entry> {
    let mut entries = Vec::new();
    for process in &collected.programs.processes {
        let mut entry = Entry::new("process", &process.origin, "proc");
        entry.text("name", &process.name);
        if let Some(min) = process.min {
            entry.raw("min", min.to_string());
        }
        if let Some(max) = process.max {
            entry.raw("max", max.to_string());
        }
        if let Some(fix) = &process.fix {
            entry.raw("fix", list(fix));
        }
        entries.push(entry);
    }
    for (path, minimum, origin) in &collected.programs.disks {
        let mut entry = Entry::new("disk", origin, if path == "*" { "includeAllDisks" } else { "disk" });
        entry.text("path", path);
        if let Some(minimum) = minimum {
            entry.raw("minimum", minimum.clone());
        }
        entries.push(entry);
    }
    for (path, max, origin) in &collected.programs.files {
        let mut entry = Entry::new("file", origin, "file");
        entry.text("path", path);
        if let Some(max) = max {
            entry.raw("max", max.to_string());
        }
        entries.push(entry);
    }
    for log in &collected.programs.log_matches {
        let mut entry = Entry::new("log-match", &log.origin, "logmatch");
        entry.text("name", &log.name).text("path", &log.path).text("pattern", &log.pattern);
        entry.text("every", &format!("{}s", log.every));
        entries.push(entry);
    }
    entries
}

fn triggers(collected: &mut Collected<'_>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let monitors = std::mem::take(&mut collected.monitors);
    for (at, monitor) in monitors.iter().enumerate() {
        if let Some(known) = monitors[..at].iter().find(|known| known.name == monitor.name) {
            let (name, first) = (&monitor.name, &known.origin);
            if known.test.key == monitor.test.key {
                let why = format!(
                    "the monitor {name:?} is defined at {first}, which takes precedence, as in snmpd"
                );
                collected.remark(&monitor.origin, "monitor", why);
            } else {
                let why = format!(
                    "the monitor {name:?} is defined at {first}, and snmpd makes one trigger with both tests: give one of \
                     them another name"
                );
                collected.note(&monitor.origin, "monitor", why);
            }
            continue;
        }
        entries.extend(write_trigger(collected, monitor));
    }
    for (name, event) in &collected.events {
        entries.push(write_event(name, event));
    }
    entries
}

fn write_trigger(collected: &mut Collected<'_>, monitor: &Monitor) -> Option<Entry> {
    let mut entry = Entry::new("trigger", &monitor.origin, "monitor");
    entry.text("name", &monitor.name).text("object", &monitor.object);
    entry.text("every", &format!("{}s", monitor.every));
    let user = match (&monitor.user, collected.monitor_user.clone()) {
        (None, Some((user, part))) => {
            collected.part_of(&part, &monitor.origin);
            Some(user)
        }
        (user, _) => user.clone(),
    };
    if let Some(user) = &user {
        entry.text("user", user);
    }
    match &monitor.discontinuity {
        Some(object) => drop(entry.text("discontinuity", object)),
        None if monitor.delta => drop(entry.raw("delta", "true".into())),
        None => {}
    }
    if !monitor.objects.is_empty() {
        entry.raw("objects", list(&monitor.objects));
    }
    let mut pairs = monitor.test.pairs.clone();
    if let Some(name) = &monitor.event {
        let is_built_in = trunkline_config::BUILT_IN_EVENTS.iter().any(|(known, _)| known == name);
        let event = collected.events.get(name);
        if event.is_none() && !is_built_in {
            collected.note(&monitor.origin, "monitor", format!("its event {name} is not defined"));
            return None;
        }
        if event.is_some_and(|event| event.set.is_some()) && user.is_none() {
            let why = format!(
                "its event {name} sets something, and nothing says by whose rights: add iquerySecName or -u"
            );
            collected.note(&monitor.origin, "monitor", why);
        }
        pairs.push(format!("event = {}", text(name)));
    }
    entry.raw(monitor.test.key, format!("{{ {} }}", pairs.join(", ")));
    collected.asking_users.extend(user);
    Some(entry)
}

fn write_event(name: &str, event: &Event) -> Entry {
    let mut entry = Entry::new("event", &event.origin, "notificationEvent, setEvent");
    entry.text("name", name);
    if let Some((notification, objects)) = &event.notification {
        entry.text("notification", notification);
        if !objects.is_empty() {
            entry.raw("objects", list(objects));
        }
    }
    if let Some((object, value)) = &event.set {
        entry.raw("set", format!("{{ object = {}, value = {value} }}", text(object)));
    }
    entry
}

/// `strictDisman yes`
fn order(collected: &Collected<'_>) -> Option<String> {
    let origin = collected.strict_order.as_ref()?;
    Some(format!("\n# {origin} strictDisman\n[events]\norder = \"trigger-first\"\n"))
}

fn load(collected: &Collected<'_>) -> Option<String> {
    let (limits, origin) = collected.load.as_ref()?;
    let keys = ["max-1", "max-5", "max-15"];
    let lines: Vec<String> =
        keys.iter().zip(limits).map(|(key, limit)| format!("{key} = {limit}\n")).collect();
    Some(format!("\n# {origin} load\n[load]\n{}", lines.concat()))
}

fn disk_io(collected: &Collected<'_>) -> Option<String> {
    let [devices, excluded] = &collected.disk_io;
    let origins: Vec<String> = devices.iter().chain(excluded).map(|(_, origin)| origin.to_string()).collect();
    let key = |key: &str, names: &[(String, Origin)]| match names.is_empty() {
        true => String::new(),
        false => format!("{key} = {}\n", list(names.iter().map(|(name, _)| name))),
    };
    let keys = key("devices", devices) + &key("exclude", excluded);
    (!keys.is_empty()).then(|| format!("\n# {} diskio\n[disk-io]\n{keys}", origins.join(", ")))
}

/// `skipNFSInHostResources yes`
fn storage(collected: &Collected<'_>) -> Option<String> {
    let origin = collected.skips_network.as_ref()?;
    Some(format!("\n# {origin} skipNFSInHostResources\n[storage]\nnetwork-disks = false\n"))
}

fn swap(collected: &Collected<'_>) -> Option<String> {
    let (minimum, origin) = collected.swap.as_ref()?;
    Some(format!("\n# {origin} swap\n[swap]\nminimum = {minimum}\n"))
}

/// Without `disk` and `includeAllDisks` dskTable is empty with the old program, and not with this one.
fn no_disks(collected: &Collected<'_>) -> Option<String> {
    collected.programs.disks.is_empty().then(|| {
        "\n# neither disk nor includeAllDisks: dskTable is empty\n\
         [[disk]]\npath = \"*\"\nshown = false\n"
            .to_owned()
    })
}

/// A time in seconds as our configuration has it.
pub(super) fn seconds(seconds: f64) -> String {
    text(&format!("{}ms", (seconds * 1000.0).round().clamp(1.0, 3_600_000.0)))
}
