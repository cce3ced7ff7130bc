//! Peers over TLS and DTLS: of targets and proxies.

use std::path::PathBuf;

use super::listing::Entry;
use crate::collected::Collected;
use crate::{Origin, addresses, certificates, session};

/// Sessions over TLS and DTLS, whose certificates become fingerprints, names, and those of `[snmp.tls]`.
pub(super) fn take(collected: &mut Collected<'_>) {
    let targets = collected.targets.iter().map(|target| (&target.address, &target.session, &target.origin));
    let proxies = collected.proxies.iter().map(|proxy| (&proxy.address, &proxy.session, &proxy.origin));
    let secure = targets.chain(proxies).filter(|(address, ..)| addresses::is_secure(address));
    let secure: Vec<(session::Certificates, Origin)> =
        secure.map(|(_, session, origin)| (session.certificates.clone(), origin.clone())).collect();
    for (named, origin) in secure {
        let find = |specifier: &str| certificates::find(&collected.certificate_folders, specifier);
        let own = match (&named.own, &collected.tls.own) {
            (Some(specifier), own) => match (find(specifier), own) {
                (Err(why), _) => Err(why),
                (Ok(certificate), Some((other, line))) if certificate.path != other.path => {
                    Err(format!("the agent has one certificate, that of {line}: {specifier} is not used"))
                }
                (Ok(certificate), _) => Ok(Some(certificate)),
            },
            (None, None) => Ok(find("snmpd").ok()),
            (None, Some(_)) => Ok(None),
        };
        let trusted = named.trusted.as_deref().map(find).transpose();
        match own {
            Ok(Some(certificate)) if collected.tls.own.is_none() => {
                collected.tls.own = Some((certificate, origin.clone()));
            }
            Ok(_) => {}
            Err(why) => collected.note(&origin, "-T our_identity", why),
        }
        match trusted {
            Ok(None) => {}
            Ok(Some(certificate)) => {
                let known = collected.tls.trusted.iter().any(|(path, _)| *path == certificate.path);
                if !known {
                    collected.tls.trusted.push((certificate.path, origin));
                }
            }
            Err(why) => collected.note(&origin, "-T trust_cert", why),
        }
    }
}

/// The keys of a session over TLS or DTLS: which certificate its peer has.
///
/// # Errors
/// What is missing.
pub(super) fn peer(
    entry: &mut Entry,
    folders: &[PathBuf],
    named: &session::Certificates,
) -> Result<(), String> {
    if let Some(specifier) = &named.peer {
        let found = certificates::find(folders, specifier).map(|certificate| certificate.fingerprint);
        let fingerprint = found.or_else(|why| certificates::fingerprint(specifier).ok_or(why))?;
        entry.text("fingerprint", &fingerprint);
    }
    if let Some(host) = named.host.as_ref().filter(|_| named.peer.is_none()) {
        entry.text("server-name", host);
    }
    Ok(())
}
