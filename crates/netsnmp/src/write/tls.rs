//! `[snmp.tls]` and the principals of TLS and DTLS.

use std::path::{Path, PathBuf};

use super::access::Roles;
use super::listing::Entry;
use super::{text, users};
use crate::collected::Collected;
use crate::session::Level;
use crate::{Origin, certificates};

/// Listeners of TLS and DTLS need a certificate; snmpd's default is the one in the file `snmpd`.
pub(super) fn check_listeners(collected: &mut Collected<'_>) {
    let needs = collected.listen.iter().any(|(url, _)| url.transport.is_secure());
    if !needs {
        return;
    }
    if collected.tls.own.is_none()
        && let Ok(certificate) = certificates::find(&collected.certificate_folders, "snmpd")
    {
        let origin = collected.listen.iter().find(|(url, _)| url.transport.is_secure());
        collected.tls.own = origin.map(|(_, origin)| (certificate, origin.clone()));
    }
    let why = match &collected.tls.own {
        None => "there is no certificate: name one with localCert, or make one with `trunkline pki`",
        Some((certificate, _)) if certificate.key.is_none() => "the agent's certificate has no key beside it",
        Some(_) => {
            let trusts = !collected.tls.trusted.is_empty() || !collected.tls.names.is_empty();
            if trusts {
                return;
            }
            "no certificate would be trusted: there is neither trustCert nor certSecName"
        }
    };
    let (lost, kept): (Vec<_>, Vec<_>) =
        std::mem::take(&mut collected.listen).into_iter().partition(|(url, _)| url.transport.is_secure());
    collected.listen = kept;
    for (url, origin) in lost {
        collected.note(&origin, "agentAddress", format!("{url}: {why}"));
    }
}

/// `[snmp.tls]`, if anything needs it.
pub(super) fn section(collected: &mut Collected<'_>) -> Option<String> {
    let tls = std::mem::take(&mut collected.tls);
    let path = |path: &Path| text(&path.display().to_string());
    let mut lines = String::new();
    if let Some((certificate, origin)) = &tls.own {
        let Some(key) = &certificate.key else {
            collected.note(
                origin,
                "localCert",
                format!("{} has no key beside it", certificate.path.display()),
            );
            return None;
        };
        lines.push_str(&format!(
            "certificate = {}  # {origin}\n# Only the agent's user may read it.\nkey = {}  # {origin}\n",
            path(&certificate.path),
            path(key)
        ));
    } else {
        // Without a certificate of the agent the rest has no use, here as there.
        let unused = tls.trusted.iter().map(|(_, origin)| (origin, "trustCert"));
        let unused = unused.chain(tls.revocation_lists.iter().map(|(_, origin)| (origin, "x509CRLFile")));
        let unused = unused.chain(tls.names.iter().map(|name| (&name.origin, "certSecName")));
        for (origin, directive) in unused {
            let why = "there is no certificate of the agent: name one with localCert";
            collected.note(origin, directive, why);
        }
        return None;
    }
    let listed = |lines: &mut String, key: &str, files: &[(PathBuf, Origin)]| {
        if files.is_empty() {
            lines.push_str(&format!("{key} = []\n"));
            return;
        }
        lines.push_str(&format!("{key} = [\n"));
        for (file, origin) in files {
            lines.push_str(&format!("    {},  # {origin}\n", path(file)));
        }
        lines.push_str("]\n");
    };
    listed(&mut lines, "authorities", &tls.trusted);
    listed(&mut lines, "revocation-lists", &tls.revocation_lists);
    let mut text = format!("\n[snmp.tls]\n{lines}");
    let mut names = tls.names;
    names.sort_by_key(|name| name.priority);
    for name in &names {
        let mut entry = Entry::new("snmp.tls.name", &name.origin, "certSecName");
        entry.text("fingerprint", &name.fingerprint).text(name.key, &name.value);
        text.push_str(&entry.to_text());
    }
    Some(text)
}

/// Principals that `rouser -s tsm` and `group ... tsm` give access. Nobody else has any, as in snmpd.
pub(super) fn principals(collected: &mut Collected<'_>, roles: &mut Roles) -> Vec<Entry> {
    let mut named = users::named(collected, "tsm", |model| model == "tsm");
    named.sort_by(|a, b| a.1.cmp(&b.1));
    let mut entries = Vec::new();
    let mut known = std::collections::BTreeSet::new();
    for (name, origin, directive) in named {
        if !known.insert(name.clone()) {
            continue;
        }
        if name.is_empty() || name.len() > 32 || name == "*" {
            collected.note(&origin, &directive, "the name of a principal has 1 to 32 octets and is not *");
            continue;
        }
        let Some(role) = users::role_of(collected, "tsm", (&name, Level::Priv), roles) else { continue };
        let mut entry = Entry::new("snmp.principal", &origin, &directive);
        entry.text("name", &name).text("role", &role);
        entries.push(entry);
    }
    let secure = collected.listen.iter().find(|(url, _)| url.transport.is_secure());
    if let (Some((_, origin)), true) = (secure, entries.is_empty()) {
        let mut entry = Entry::new("snmp.principal", origin, "agentAddress");
        entry.text("name", "*").comment("no line gives anybody access over TLS, as in snmpd");
        entries.push(entry);
    }
    entries
}
