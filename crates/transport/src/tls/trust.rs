//! Trust anchors: authorities, their revocation lists, and certificates trusted by their fingerprints. A single
//! check serves both ends of TLS and of DTLS, so that all of them agree.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, ServerName, TrustAnchor, UnixTime};
use rustls::{DistinguishedName, RootCertStore};
use sha2::{Digest, Sha256};
use webpki::{
    CertRevocationList, EndEntityCert, ExpirationPolicy, KeyUsage, OwnedCertRevocationList,
    RevocationCheckDepth, RevocationOptionsBuilder, UnknownStatusPolicy, VerifiedPath,
};
use x509_parser::prelude::{FromDer, GeneralName, X509Certificate};

use super::fault::{CertificateFault, Moment};
use super::fingerprint::Fingerprint;
use super::identity::{CredentialError, Place, read_file, sections};

/// Collects trust anchors.
#[derive(Default)]
pub struct TrustBuilder {
    authorities: Vec<Authority>,
    revocation_lists: Vec<CertRevocationList<'static>>,
    next_updates: Vec<u64>,
    pinned: Vec<Fingerprint>,
}

struct Authority {
    certificate: CertificateDer<'static>,
    anchor: TrustAnchor<'static>,
}

impl TrustBuilder {
    /// Trusts the certificates in a PEM file, and everything they issue.
    ///
    /// # Errors
    /// [`CredentialError`] with the file and what is wrong.
    pub fn authorities_file(self, file: &Path) -> Result<Self, CredentialError> {
        let text = read_file(file, "authorities", |_| Ok(()))?;
        self.authorities(&text, &Place::File(file.into()))
    }

    /// The same from a text.
    ///
    /// # Errors
    /// As [`TrustBuilder::authorities_file`].
    pub fn authorities_pem(self, text: &[u8]) -> Result<Self, CredentialError> {
        self.authorities(text, &Place::Given)
    }

    fn authorities(mut self, text: &[u8], place: &Place) -> Result<Self, CredentialError> {
        let certificates: Vec<CertificateDer<'static>> =
            sections(text, place, "a certificate", "CERTIFICATE")?;
        for (certificate, number) in certificates.into_iter().zip(1..) {
            let unusable = || CredentialError::UnusableAuthority { place: place.clone(), number };
            let anchor = webpki::anchor_from_trusted_cert(&certificate).map_err(|_| unusable())?.to_owned();
            X509Certificate::from_der(&certificate).map_err(|_| unusable())?;
            self.authorities.push(Authority { certificate, anchor });
        }
        Ok(self)
    }

    /// Applies the revocation lists in a PEM file. If an authority has one here, each certificate that it issued
    /// is looked up in it, and the list must not be out of date; certificates of other authorities are not
    /// checked.
    ///
    /// # Errors
    /// [`CredentialError`] with the file and what is wrong.
    pub fn revocation_lists_file(self, file: &Path) -> Result<Self, CredentialError> {
        let text = read_file(file, "revocation lists", |_| Ok(()))?;
        self.revocation_lists(&text, &Place::File(file.into()))
    }

    /// The same from a text.
    ///
    /// # Errors
    /// As [`TrustBuilder::revocation_lists_file`].
    pub fn revocation_lists_pem(self, text: &[u8]) -> Result<Self, CredentialError> {
        self.revocation_lists(text, &Place::Given)
    }

    fn revocation_lists(mut self, text: &[u8], place: &Place) -> Result<Self, CredentialError> {
        let lists: Vec<CertificateRevocationListDer<'static>> =
            sections(text, place, "a revocation list", "X509 CRL")?;
        for (list, number) in lists.into_iter().zip(1..) {
            let unusable =
                |source| CredentialError::UnusableRevocationList { place: place.clone(), number, source };
            let parsed = OwnedCertRevocationList::from_der(&list).map_err(unusable)?;
            let (_, dates) = x509_parser::revocation_list::CertificateRevocationList::from_der(&list)
                .map_err(|_| unusable(webpki::Error::BadDer))?;
            self.next_updates.extend(dates.next_update().map(|time| seconds(time.timestamp())));
            self.revocation_lists.push(parsed.into());
        }
        Ok(self)
    }

    /// Trusts the certificate with this fingerprint directly, whoever issued it, while it is valid.
    #[must_use]
    pub fn pin(mut self, fingerprint: Fingerprint) -> Self {
        self.pinned.push(fingerprint);
        self
    }

    /// The collected trust anchors.
    #[must_use]
    pub fn build(self) -> Trust {
        let Self { authorities, revocation_lists, next_updates, pinned } = self;
        let hints = authorities.iter().map(|authority| authority.anchor.clone());
        let hints = RootCertStore { roots: hints.collect() }.subjects();
        let anchors = authorities.iter().map(|authority| authority.anchor.clone()).collect();
        Trust {
            authorities: authorities.into_iter().map(|authority| authority.certificate).collect(),
            anchors,
            hints,
            revocation_lists,
            next_updates,
            pinned,
            algorithms: rustls::crypto::aws_lc_rs::default_provider().signature_verification_algorithms,
            seen: Mutex::default(),
        }
    }
}

/// The trust anchors. They do not change: build another value to trust others.
pub struct Trust {
    authorities: Vec<CertificateDer<'static>>,
    /// The same in the same order, as the verifier needs them.
    anchors: Vec<TrustAnchor<'static>>,
    /// The names of the authorities, which a server sends to its clients.
    hints: Vec<DistinguishedName>,
    revocation_lists: Vec<CertRevocationList<'static>>,
    /// When each list becomes out of date.
    next_updates: Vec<u64>,
    pinned: Vec<Fingerprint>,
    pub(super) algorithms: WebPkiSupportedAlgorithms,
    /// Chains that passed the check, so that resumed sessions only cost a look-up.
    seen: Mutex<HashMap<[u8; 32], Stood>>,
}

/// A chain that passed the check.
#[derive(Clone)]
struct Stood {
    chain: Arc<[Vec<u8>]>,
    /// The period, in seconds, in which that is valid.
    from: u64,
    until: u64,
}

/// The end of a session that presents a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Client,
    Server,
}

/// How thorough the check is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// A full check, in a handshake.
    Anew,
    /// For chains that passed before only the time is checked: for a resumed session, or just after the handshake.
    AsRemembered,
}

/// How a client identifies the right server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ServerIdentity {
    /// Its certificate is trusted, and valid for this host name or address.
    Name(Arc<str>),
    /// It has exactly this certificate, whoever issued it.
    Fingerprint(Fingerprint),
    /// Its certificate is trusted, whatever its names.
    AnyTrusted,
}

impl Trust {
    /// Starts collecting trust anchors.
    #[must_use]
    pub fn builder() -> TrustBuilder {
        TrustBuilder::default()
    }

    /// Whether nobody is trusted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.authorities.is_empty() && self.pinned.is_empty()
    }

    /// The certificates of the authorities, in DER.
    pub fn authorities(&self) -> impl Iterator<Item = &[u8]> {
        self.authorities.iter().map(AsRef::as_ref)
    }

    pub(super) fn hints(&self) -> &[DistinguishedName] {
        &self.hints
    }

    /// Checks the chain that a client presents, its own certificate first; returns the chain up to the authority.
    pub(crate) fn check_client(
        &self,
        shown: &[CertificateDer<'_>],
        now: UnixTime,
        trouble: Trouble,
    ) -> Result<Arc<[Vec<u8>]>, CertificateFault> {
        let leaf = shown.first().ok_or(CertificateFault::Unreadable)?;
        self.check(shown, (Role::Client, self.is_trusted_alone(leaf)), now, trouble)
    }

    /// Whether the client of an open session, whose chain this is, would be accepted now.
    pub(crate) fn still_accepts(&self, chain: &[Vec<u8>]) -> bool {
        let shown: Vec<CertificateDer<'_>> = chain.iter().map(|one| CertificateDer::from(&one[..])).collect();
        self.check_client(&shown, UnixTime::now(), Trouble::AsRemembered).is_ok()
    }

    /// The same for a server, which must have the right identity.
    pub(crate) fn check_server(
        &self,
        shown: &[CertificateDer<'_>],
        identity: &ServerIdentity,
        now: UnixTime,
        trouble: Trouble,
    ) -> Result<Arc<[Vec<u8>]>, CertificateFault> {
        let leaf = shown.first().ok_or(CertificateFault::Unreadable)?;
        let mut alone = self.is_trusted_alone(leaf);
        if let ServerIdentity::Fingerprint(asked) = identity {
            if !asked.matches(leaf) {
                let has = Fingerprint::of(asked.algorithm(), leaf);
                return Err(CertificateFault::WrongFingerprint { asked: asked.clone(), has });
            }
            alone = true;
        }
        let chain = self.check(shown, (Role::Server, alone), now, trouble)?;
        if let ServerIdentity::Name(asked) = identity {
            check_name(leaf, asked)?;
        }
        Ok(chain)
    }

    /// By its fingerprint, or because it was given as an authority.
    fn is_trusted_alone(&self, leaf: &CertificateDer<'_>) -> bool {
        self.pinned.iter().any(|pinned| pinned.matches(leaf)) || self.authorities.iter().any(|it| it == leaf)
    }

    fn check(
        &self,
        shown: &[CertificateDer<'_>],
        (role, alone): (Role, bool),
        now: UnixTime,
        trouble: Trouble,
    ) -> Result<Arc<[Vec<u8>]>, CertificateFault> {
        let key = digest(shown, role, alone);
        if trouble == Trouble::AsRemembered
            && let Some(stood) = self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(&key)
            && (stood.from..=stood.until).contains(&now.as_secs())
        {
            return Ok(Arc::clone(&stood.chain));
        }
        let chain: Arc<[Vec<u8>]> =
            if alone { self.check_alone(shown)? } else { self.check_path(shown, role, now)? };
        let (from, until) = validity(&chain, now)?;
        let lists = self.next_updates.iter().copied().filter(|at| *at >= now.as_secs());
        let until = lists.fold(until, u64::min);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MAX_SEEN {
            seen.clear();
        }
        seen.insert(key, Stood { chain: Arc::clone(&chain), from, until });
        Ok(chain)
    }

    /// A directly trusted certificate: it may still be revoked.
    fn check_alone(&self, shown: &[CertificateDer<'_>]) -> Result<Arc<[Vec<u8>]>, CertificateFault> {
        let [leaf, ..] = shown else { return Err(CertificateFault::Unreadable) };
        let parsed = EndEntityCert::try_from(leaf).map_err(|_| CertificateFault::Unreadable)?;
        let revoked = |list: &CertRevocationList<'_>| {
            list.issuer() == parsed.issuer() && matches!(list.find_serial(parsed.serial()), Ok(Some(_)))
        };
        if self.revocation_lists.iter().any(revoked) {
            return Err(CertificateFault::Revoked);
        }
        Ok([leaf.to_vec()].into())
    }

    fn check_path(
        &self,
        shown: &[CertificateDer<'_>],
        role: Role,
        now: UnixTime,
    ) -> Result<Arc<[Vec<u8>]>, CertificateFault> {
        let server = role == Role::Server;
        let wrong = |error| CertificateFault::of_check(error, server);
        let [leaf, issuers @ ..] = shown else { return Err(CertificateFault::Unreadable) };
        let leaf = EndEntityCert::try_from(leaf).map_err(|_| CertificateFault::Unreadable)?;
        let lists: Vec<_> = self.revocation_lists.iter().collect();
        let revocation = RevocationOptionsBuilder::new(&lists).ok().map(|options| {
            options
                .with_depth(RevocationCheckDepth::Chain)
                .with_status_policy(UnknownStatusPolicy::Allow)
                .with_expiration_policy(ExpirationPolicy::Enforce)
                .build()
        });
        let usage = if server { KeyUsage::server_auth() } else { KeyUsage::client_auth() };
        let path = leaf
            .verify_for_usage(self.algorithms.all, &self.anchors, issuers, now, usage, revocation, None)
            .map_err(wrong)?;
        Ok(self.whole_chain(&path))
    }

    /// The verified path, plus the certificate of the authority at its end.
    fn whole_chain(&self, path: &VerifiedPath<'_>) -> Arc<[Vec<u8>]> {
        let anchor = self.anchors.iter().position(|anchor| anchor == path.anchor());
        let authority = anchor.and_then(|index| self.authorities.get(index)).map(|it| it.to_vec());
        let leaf = path.end_entity().der().to_vec();
        let issuers = path.intermediate_certificates().map(|issuer| issuer.der().to_vec());
        std::iter::once(leaf).chain(issuers).chain(authority).collect()
    }
}

impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trust")
            .field("authorities", &self.authorities.len())
            .field("revocation_lists", &self.revocation_lists.len())
            .field("pinned", &self.pinned)
            .finish_non_exhaustive()
    }
}

/// A cache key: no two chains, roles or kinds of trust share one.
fn digest(shown: &[CertificateDer<'_>], role: Role, alone: bool) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update([u8::from(role == Role::Server), u8::from(alone)]);
    // A directly trusted certificate does not depend on those after it.
    for certificate in shown.iter().take(if alone { 1 } else { usize::MAX }) {
        hash.update(certificate.len().to_be_bytes());
        hash.update(certificate);
    }
    hash.finalize().into()
}

/// The period, in seconds, in which the whole chain is valid; now must be within it.
fn validity(chain: &[Vec<u8>], now: UnixTime) -> Result<(u64, u64), CertificateFault> {
    let (mut from, mut until) = (0, u64::MAX);
    for certificate in chain {
        let (_, parsed) = X509Certificate::from_der(certificate).map_err(|_| CertificateFault::Unreadable)?;
        let period = parsed.validity();
        from = from.max(seconds(period.not_before.timestamp()));
        until = until.min(seconds(period.not_after.timestamp()));
    }
    if now.as_secs() > until {
        return Err(CertificateFault::Expired { at: Moment(until) });
    }
    if now.as_secs() < from {
        return Err(CertificateFault::NotYetValid { from: Moment(from) });
    }
    Ok((from, until))
}

fn check_name(leaf: &CertificateDer<'_>, asked: &str) -> Result<(), CertificateFault> {
    let name = ServerName::try_from(asked).map_err(|_| CertificateFault::NoName { asked: asked.into() })?;
    let parsed = EndEntityCert::try_from(leaf).map_err(|_| CertificateFault::Unreadable)?;
    parsed
        .verify_is_valid_for_subject_name(&name)
        .map_err(|_| CertificateFault::WrongName { asked: asked.into(), has: names(leaf) })
}

/// The host names and addresses of a certificate.
fn names(certificate: &[u8]) -> Vec<String> {
    let Ok((_, parsed)) = X509Certificate::from_der(certificate) else { return Vec::new() };
    let Ok(Some(alternatives)) = parsed.subject_alternative_name() else { return Vec::new() };
    let name = |name: &GeneralName<'_>| match name {
        GeneralName::DNSName(host) => Some((*host).to_owned()),
        GeneralName::IPAddress(octets) => match octets.len() {
            4 => <[u8; 4]>::try_from(*octets).ok().map(|four| std::net::Ipv4Addr::from(four).to_string()),
            _ => <[u8; 16]>::try_from(*octets).ok().map(|all| std::net::Ipv6Addr::from(all).to_string()),
        },
        _ => None,
    };
    alternatives.value.general_names.iter().filter_map(name).take(MAX_NAMES).collect()
}

fn seconds(timestamp: i64) -> u64 {
    u64::try_from(timestamp).unwrap_or(0)
}

/// Maximum number of cached chains; a few KB each.
const MAX_SEEN: usize = 1_024;

/// Maximum number of names that an error shows.
const MAX_NAMES: usize = 20;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trunkline_pki::{Authority, AuthorityOptions, Issued, LeafOptions, Name, Validity};

    use super::*;

    const DAY: u64 = 86_400;

    fn certificates(issued: &Issued) -> Vec<CertificateDer<'static>> {
        issued.chain_der().into_iter().map(CertificateDer::from).collect()
    }

    fn in_days(days: u64) -> UnixTime {
        UnixTime::since_unix_epoch(Duration::from_secs(UnixTime::now().as_secs() + days * DAY))
    }

    fn until(days: u32) -> Option<Validity> {
        Some(Validity::days(days).unwrap())
    }

    struct World {
        authority: Authority,
        shown: Vec<CertificateDer<'static>>,
    }

    impl World {
        fn new() -> Self {
            let authority = Authority::create(&AuthorityOptions::default()).unwrap();
            let options = LeafOptions { validity: until(10), ..LeafOptions::default() };
            let manager = authority.manager(&Name::new("ann").unwrap(), &options).unwrap();
            Self { shown: certificates(&manager), authority }
        }

        fn builder(&self) -> TrustBuilder {
            Trust::builder().authorities_pem(self.authority.certificate().to_pem().as_bytes()).unwrap()
        }
    }

    #[test]
    fn a_cached_chain_is_valid_for_its_time_only() {
        let world = World::new();
        let trust = world.builder().build();
        let check = |days, trouble| trust.check_client(&world.shown, in_days(days), trouble);
        let chain = check(0, Trouble::Anew).unwrap();
        assert!(Arc::ptr_eq(&chain, &check(9, Trouble::AsRemembered).unwrap()), "it was not remembered");
        assert!(!Arc::ptr_eq(&chain, &check(9, Trouble::Anew).unwrap()), "it was not checked anew");
        assert!(matches!(check(11, Trouble::AsRemembered), Err(CertificateFault::Expired { .. })));
    }

    #[test]
    fn a_cached_chain_is_valid_no_longer_than_the_revocation_list() {
        let world = World::new();
        let list = world.authority.revocation_list(&[], 1, until(5)).unwrap();
        let trust = world.builder().revocation_lists_pem(list.as_bytes()).unwrap().build();
        let check = |days, trouble| trust.check_client(&world.shown, in_days(days), trouble);
        check(0, Trouble::Anew).unwrap();
        check(4, Trouble::AsRemembered).unwrap();
        let late = check(6, Trouble::AsRemembered);
        assert!(matches!(late, Err(CertificateFault::OldRevocationList { .. })), "{late:?}");
    }

    #[test]
    fn a_verified_client_is_not_a_server() {
        let world = World::new();
        let trust = world.builder().build();
        let now = UnixTime::now();
        trust.check_client(&world.shown, now, Trouble::Anew).unwrap();
        let asked = ServerIdentity::Name("localhost".into());
        let fault = trust.check_server(&world.shown, &asked, now, Trouble::AsRemembered).unwrap_err();
        assert!(
            matches!(fault, CertificateFault::WrongName { .. } | CertificateFault::WrongPurpose { .. }),
            "{fault}"
        );
    }

    #[test]
    fn an_authority_that_is_too_old_ends_its_chains() {
        let options = AuthorityOptions { validity: until(3), ..AuthorityOptions::default() };
        let authority = Authority::create(&options).unwrap();
        let manager = authority.manager(&Name::new("ann").unwrap(), &LeafOptions::default()).unwrap();
        let pem = authority.certificate().to_pem();
        let trust = Trust::builder().authorities_pem(pem.as_bytes()).unwrap().build();
        let late = trust.check_client(&certificates(&manager), in_days(4), Trouble::Anew);
        assert!(matches!(late, Err(CertificateFault::Expired { .. })), "{late:?}");
    }

    #[test]
    fn a_certificate_given_as_an_authority_is_trusted_directly() {
        let world = World::new();
        let own = Issued::self_signed(
            trunkline_pki::Role::Manager,
            &Name::new("joe").unwrap(),
            &LeafOptions::default(),
        )
        .unwrap();
        let trust = Trust::builder().authorities_pem(own.certificate().to_pem().as_bytes()).unwrap().build();
        let chain = trust.check_client(&certificates(&own), UnixTime::now(), Trouble::Anew).unwrap();
        assert_eq!(*chain, [own.certificate().der().to_vec()]);
        let other = trust.check_client(&world.shown, UnixTime::now(), Trouble::Anew);
        assert_eq!(other, Err(CertificateFault::UnknownAuthority));
    }
}
