//! What TLS, DTLS and SSH need: `[snmp.tls]` and `[snmp.ssh]`.

use std::path::PathBuf;

use serde_spanned::Spanned;
use trunkline_snmp::engine::SecurityName;
use trunkline_snmp::engine::transport::{CertificateMap, CertificateRow, Fingerprint, FingerprintError};
use trunkline_transport::Transport;

use super::files::{self, FilePlan, Readers};
use super::security::word;
use super::value::{self, Checked};
use crate::{Certificates, Place, raw};

/// TLS and DTLS (RFC 6353): identity and trust anchors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsPlan {
    /// Where files that are not named are looked for.
    pub directory: PathBuf,
    /// Our certificate, and those of the authorities between.
    pub certificate: Option<FilePlan>,
    /// Its private key.
    pub key: Option<FilePlan>,
    /// Certificates of the authorities whose certificates are believed.
    pub authorities: Vec<FilePlan>,
    /// What these have revoked.
    pub revocation_lists: Vec<FilePlan>,
    /// Whether the configuration names the lists, if only to say that there are none.
    pub names_revocation_lists: bool,
    /// The rows from certificates to names, in this order (snmpTlstmCertToTSNTable); if there are none, the
    /// common name of a certificate of an authority.
    pub names: Vec<CertificateRow>,
    /// The least version.
    pub least_version: TlsVersion,
    /// Whether nothing is encrypted, only protected against change: for the laboratory alone.
    pub integrity_only: bool,
}

impl TlsPlan {
    /// The revocation list that is expected and missing: authorities are trusted, there is no list, and the
    /// configuration does not say that there is to be none.
    #[must_use]
    pub fn missing_revocation_list(&self) -> Option<PathBuf> {
        let is_used = self.certificate.is_some() && !self.authorities.is_empty();
        let is_missing = is_used && !self.names_revocation_lists && self.revocation_lists.is_empty();
        is_missing.then(|| self.directory.join(REVOCATION_LIST))
    }

    /// The revocation list that was in force in an earlier configuration, and is missing now: what it revoked would be
    /// accepted again.
    #[must_use]
    pub fn lost_revocation_list(&self, before: &TlsPlan) -> Option<PathBuf> {
        self.missing_revocation_list().filter(|_| !before.revocation_lists.is_empty())
    }
}

/// The revocation list in the directory of certificates.
const REVOCATION_LIST: &str = "crl.pem";

/// A row of snmpTlstmAddrTable: the identity that a session of TLS or DTLS requires of the peer (RFC 6353 section
/// 7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TlsServer {
    /// snmpTlstmAddrServerFingerprint: this certificate, whatever its contents.
    Fingerprint(Fingerprint),
    /// snmpTlstmAddrServerIdentity: a certificate for this host from a trusted authority.
    Identity(String),
}

/// A version of TLS; DTLS has 1.2 alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlsVersion {
    /// RFC 5246.
    #[default]
    V1_2,
    /// RFC 8446.
    V1_3,
}

const VERSIONS: &[(&str, TlsVersion)] = &[("1.2", TlsVersion::V1_2), ("1.3", TlsVersion::V1_3)];

/// SSH (RFC 5592).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SshPlan {
    /// Files of host keys; none: one that is made at the first start and kept with the state.
    pub host_keys: Vec<PathBuf>,
    /// A directory of files `USER.pub` for users without their own list of keys.
    pub user_keys: PathBuf,
    /// Files of hosts that are known by their keys, for sessions that the agent opens.
    pub known_hosts: Vec<PathBuf>,
    /// Whether a host that is not known is believed the first time, and its key written down.
    pub accept_new_hosts: bool,
    /// The socket for OpenSSH's subsystem; `None`: there is none.
    pub subsystem_socket: Option<PathBuf>,
    /// The group whose members may use the socket, besides root.
    pub subsystem_group: Option<String>,
}

pub(super) fn check_ssh(raw: raw::Ssh, place: Place<'_>) -> SshPlan {
    let path = |text: Spanned<String>| files::path(text.get_ref(), place.path);
    SshPlan {
        host_keys: raw.host_keys.unwrap_or_default().into_iter().map(path).collect(),
        user_keys: raw.user_keys.map_or_else(|| files::pki_directory().join("ssh"), path),
        known_hosts: raw.known_hosts.unwrap_or_default().into_iter().map(path).collect(),
        accept_new_hosts: raw.accept_new_hosts,
        subsystem_socket: raw.subsystem_socket.map(path),
        subsystem_group: raw.subsystem_group.map(Spanned::into_inner),
    }
}

/// Reads the configured files, and those at the default paths. `needed` says what needs a certificate, and where;
/// `must_know`: peers must present certificates too, so that trust anchors are needed.
pub(super) fn check_tls(
    raw: Option<Spanned<raw::Tls>>,
    needed: Option<std::ops::Range<usize>>,
    must_know: bool,
    place: Place<'_>,
) -> Checked<TlsPlan> {
    let section = raw.as_ref().map(Spanned::span);
    let raw = raw.map(Spanned::into_inner).unwrap_or_default();
    let directory = match &raw.directory {
        Some(text) => files::path(text.get_ref(), place.path),
        None => files::pki_directory(),
    };
    let mut plan = TlsPlan { names: check_names(raw.name, place)?, directory, ..TlsPlan::default() };
    plan.integrity_only = raw.integrity_only;
    if let Some(version) = &raw.least_version {
        plan.least_version = word("version of TLS", VERSIONS, version, place)?;
    }
    let Some(span) = needed.or(section) else { return Ok(plan) };
    let wrong = |message| place.wrong(span.clone(), message);
    let by_custom = |name: &str, readers| FilePlan::find(&plan.directory.join(name), readers).map_err(wrong);
    plan.certificate = match &raw.certificate {
        Some(name) => Some(files::read(name, Readers::Anybody, place)?),
        None => by_custom("agent.pem", Readers::Anybody)?,
    };
    plan.key = match &raw.key {
        Some(name) => Some(files::read(name, Readers::Owner, place)?),
        None => by_custom("agent.key", Readers::Owner)?,
    };
    plan.authorities = match raw.authorities {
        Some(names) => read_all(names, place)?,
        None => by_custom("ca.pem", Readers::Anybody)?.into_iter().collect(),
    };
    plan.names_revocation_lists = raw.revocation_lists.is_some();
    plan.revocation_lists = match raw.revocation_lists {
        Some(names) => read_all(names, place)?,
        None => by_custom(REVOCATION_LIST, Readers::Anybody)?.into_iter().collect(),
    };
    if plan.certificate.is_none() || plan.key.is_none() {
        let missing = if plan.certificate.is_none() { "certificate" } else { "private key" };
        return Err(wrong(format!(
            "TLS and DTLS need a certificate and its key, and there is no {missing} in {}: expected \
             `trunkline pki init` and `trunkline pki agent NAME` before, or certificate and key in [snmp.tls]",
            plan.directory.display()
        )));
    }
    if must_know && plan.authorities.is_empty() && plan.names.is_empty() {
        return Err(wrong(format!(
            "no certificate would be trusted: expected {}, or authorities or [[snmp.tls.name]] in [snmp.tls]",
            plan.directory.join("ca.pem").display()
        )));
    }
    let certificates = Certificates::of(&plan).map_err(|error| wrong(error.to_string()))?;
    if plan.names.is_empty() {
        plan.names = certificates.usual_names();
    }
    Ok(plan)
}

/// The identity that a session of TLS or DTLS requires: the certificate with this fingerprint, or one for this
/// name.
pub(super) fn check_server(
    fingerprint: Option<Spanned<String>>,
    name: Option<Spanned<String>>,
    transport: Transport,
    place: Place<'_>,
) -> Checked<Option<TlsServer>> {
    let is_tls = matches!(transport, Transport::Tls | Transport::Dtls | Transport::Https);
    if let Some(given) = fingerprint.as_ref().or(name.as_ref()).filter(|_| !is_tls) {
        return Err(place.wrong(given.span(), "only tls, dtls and snmp+https have certificates".into()));
    }
    match (fingerprint, name) {
        (Some(_), Some(name)) => {
            Err(place.wrong(name.span(), "a name together with a fingerprint, expected one of them".into()))
        }
        (Some(fingerprint), None) => {
            check_fingerprint(&fingerprint, place).map(TlsServer::Fingerprint).map(Some)
        }
        (None, Some(name)) => value::length(&name, 255, place).map(TlsServer::Identity).map(Some),
        (None, None) => Ok(None),
    }
}

fn check_fingerprint(text: &Spanned<String>, place: Place<'_>) -> Checked<Fingerprint> {
    text.get_ref().parse().map_err(|error: FingerprintError| {
        let message = format!(
            "{error}: expected a value such as \"sha256:0f:...\", as printed by `trunkline pki show`"
        );
        place.wrong(text.span(), message)
    })
}

/// The names of a map, as in RFC 6353 without their prefix.
const MAPS: &[(&str, Option<CertificateMap>)] = &[
    ("specified", None),
    ("san-rfc822-name", Some(CertificateMap::SanRfc822Name)),
    ("san-dns-name", Some(CertificateMap::SanDnsName)),
    ("san-ip-address", Some(CertificateMap::SanIpAddress)),
    ("san-any", Some(CertificateMap::SanAny)),
    ("common-name", Some(CertificateMap::CommonName)),
];

fn check_names(list: Vec<raw::TlsName>, place: Place<'_>) -> Checked<Vec<CertificateRow>> {
    (1..).zip(list).map(|(id, raw)| check_name(id, raw, place)).collect()
}

fn check_name(position: u32, raw: raw::TlsName, place: Place<'_>) -> Checked<CertificateRow> {
    let fingerprint = check_fingerprint(&raw.fingerprint, place)?;
    let map = raw.map.as_ref().map(|map| word("map", MAPS, map, place)).transpose()?.flatten();
    let span = raw.map.map_or(raw.fingerprint.span(), |map| map.span());
    let map = match (map, raw.name) {
        (Some(map), None) => map,
        (None, Some(name)) => {
            let given = value::length(&name, 32, place)?;
            let given = SecurityName::new(given.as_bytes());
            CertificateMap::Specified(given.map_err(|error| place.wrong(name.span(), error.to_string()))?)
        }
        (Some(_), Some(name)) => {
            let message = "only map = \"specified\" has a name; this one takes it from the certificate";
            return Err(place.wrong(name.span(), message.into()));
        }
        (None, None) => {
            let message = "expected a name for the holder of this certificate, or a map that takes it from the certificate";
            return Err(place.wrong(span, message.into()));
        }
    };
    // Rows that managers set may come between and after them.
    Ok(CertificateRow { id: position * NAME_ROW_STEP, fingerprint, map })
}

/// snmpTlstmCertToTSNID of the first row of the configuration, and the step to the next.
pub const NAME_ROW_STEP: u32 = 10;

fn read_all(names: Vec<Spanned<String>>, place: Place<'_>) -> Checked<Vec<FilePlan>> {
    names.iter().map(|name| files::read(name, Readers::Anybody, place)).collect()
}
