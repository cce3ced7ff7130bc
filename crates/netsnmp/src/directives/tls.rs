//! SNMP over TLS and DTLS: which certificates are used and trusted, and whom they stand for.

use crate::certificates;
use crate::collected::{CertificateName, Collected, Section, Setting};
use crate::source::Directive;

use super::yes;

type Done = Result<(), String>;

/// `localCert SPECIFIER`: the agent's own certificate.
pub(super) fn local_certificate(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let specifier = first(directive)?;
    let certificate = certificates::find(&collected.certificate_folders, &specifier)?;
    if let Some((_, earlier)) = collected.tls.own.replace((certificate, directive.origin.clone())) {
        let why = format!("{} names another one, and the last line counts", directive.origin);
        collected.unneeded(&earlier, &directive.name, why);
    }
    Ok(())
}

/// `trustCert SPECIFIER`: a trust anchor.
pub(super) fn trust(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let certificate = certificates::find(&collected.certificate_folders, &first(directive)?)?;
    collected.tls.trusted.push((certificate.path, directive.origin.clone()));
    Ok(())
}

/// `x509CRLFile FILE`
pub(super) fn revocation_list(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let path = first(directive)?;
    if !std::path::Path::new(&path).is_absolute() {
        return Err(format!("{path:?} is not a full path"));
    }
    collected.tls.revocation_lists.push((path.into(), directive.origin.clone()));
    Ok(())
}

/// `certSecName PRIORITY FINGERPRINT --sn NAME | --rfc822 | --dns | --ip | --cn | --any`
pub(super) fn certificate_name(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let expected = "expected PRIORITY FINGERPRINT and one of --sn NAME, --rfc822, --dns, --ip, --cn, --any";
    let [priority, specifier, option, rest @ ..] = words.as_slice() else { return Err(expected.into()) };
    let priority: u32 = priority.parse().map_err(|_| format!("{priority:?} is not a number"))?;
    let found = certificates::find(&collected.certificate_folders, specifier);
    let fingerprint = match found {
        Ok(certificate) => certificate.fingerprint,
        Err(why) => certificates::fingerprint(specifier).ok_or(why)?,
    };
    let (key, value) = match (option.as_str(), rest.first()) {
        ("--sn", Some(name)) if (1..=32).contains(&name.len()) => ("name", name.as_str()),
        ("--sn", _) => return Err("the security name has 1 to 32 octets".into()),
        ("--rfc822", _) => ("map", "san-rfc822-name"),
        ("--dns", _) => ("map", "san-dns-name"),
        ("--ip", _) => ("map", "san-ip-address"),
        ("--cn", _) => ("map", "common-name"),
        ("--any", _) => ("map", "san-any"),
        _ => return Err(expected.into()),
    };
    let origin = directive.origin.clone();
    collected.tls.names.push(CertificateName { priority, fingerprint, key, value: value.into(), origin });
    Ok(())
}

/// `tsmUseTransportPrefix yes`: snmpTsmConfigurationUsePrefix.
pub(super) fn use_prefix(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let value = yes(directive.words().first()).to_string();
    let setting =
        Setting { key: "name-prefixes", value, origin: directive.origin.clone(), comment: String::new() };
    collected.set(Section::Snmp, &directive.name, setting);
    Ok(())
}

fn first(directive: &Directive) -> Result<String, String> {
    directive.words().into_iter().next().ok_or_else(|| "names no certificate".to_string())
}
