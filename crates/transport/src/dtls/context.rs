//! OpenSSL's contexts, from which sessions are made: our certificates, our check of the peer's, and cookies.

use std::ffi::c_int;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use openssl::error::ErrorStack;
use openssl::ex_data::Index;
use openssl::pkey::PKey;
use openssl::ssl::{
    Ssl, SslContext, SslContextBuilder, SslMethod, SslMode, SslOptions, SslRef, SslSessionCacheMode,
    SslVerifyMode, SslVersion,
};
use openssl::x509::X509;
use rustls::pki_types::{CertificateDer, UnixTime};
use sha2::Sha256;
use tokio::time::Instant;

use super::ffi::{self, Decide, Verdict};
use super::machine::{Machine, lock};
use crate::tls::{
    CertificateFault, CredentialError, Identity, ServerIdentity, Suites, TlsClientConfig, TlsServerConfig,
    Trouble, Trust,
};

/// How to check a session's peer, and the outcome. Stored with OpenSSL's session.
pub(super) struct Check {
    trust: Arc<Trust>,
    /// The identity that the server must have; `None` at a server.
    server: Option<ServerIdentity>,
    /// The peer of a server's session, whose cookie is valid for it.
    visitor: Mutex<Option<SocketAddr>>,
    pub(super) outcome: Mutex<Option<Outcome>>,
}

/// The verified chain, or why it was refused.
type Outcome = Result<Arc<[Vec<u8>]>, CertificateFault>;

static CHECK: LazyLock<Result<Index<Ssl, Check>, ErrorStack>> = LazyLock::new(Ssl::new_ex_index);

pub(super) fn check_of(ssl: &SslRef) -> Option<&Check> {
    CHECK.as_ref().ok().and_then(|index| ssl.ex_data(*index))
}

impl Check {
    fn new(trust: &Arc<Trust>, server: Option<ServerIdentity>) -> Self {
        Self { trust: Arc::clone(trust), server, visitor: Mutex::default(), outcome: Mutex::default() }
    }

    /// Assigns the session to this peer.
    pub(super) fn visited_by(&self, peer: SocketAddr) {
        *lock(&self.visitor) = Some(peer);
    }

    fn attach(self, ssl: &mut SslRef) -> Result<(), ErrorStack> {
        ssl.set_ex_data(*CHECK.as_ref().map_err(Clone::clone)?, self);
        Ok(())
    }

    fn of(&self, shown: Vec<Vec<u8>>) -> Outcome {
        let shown: Vec<_> = shown.into_iter().map(CertificateDer::from).collect();
        match &self.server {
            Some(server) => self.trust.check_server(&shown, server, UnixTime::now(), Trouble::Anew),
            None => self.trust.check_client(&shown, UnixTime::now(), Trouble::Anew),
        }
    }
}

/// The single check of certificates, for OpenSSL.
struct OurCheck;

impl Decide for OurCheck {
    const VERDICT: Verdict = |ssl, shown| {
        let Some(check) = check_of(ssl) else { return openssl_sys::X509_V_ERR_APPLICATION_VERIFICATION };
        let outcome = check.of(shown);
        let verdict = outcome.as_ref().map_or_else(verdict, |_| openssl_sys::X509_V_OK);
        *lock(&check.outcome) = Some(outcome);
        verdict
    };
}

/// The code from which OpenSSL derives the right alert.
fn verdict(fault: &CertificateFault) -> c_int {
    use CertificateFault as Fault;
    match fault {
        // This alert covers certificates that have expired or are not yet valid (RFC 5246 section 7.2.2).
        Fault::Expired { .. } | Fault::NotYetValid { .. } => openssl_sys::X509_V_ERR_CERT_HAS_EXPIRED,
        Fault::Revoked => openssl_sys::X509_V_ERR_CERT_REVOKED,
        Fault::OldRevocationList { .. } | Fault::UnknownAuthority => {
            openssl_sys::X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
        }
        Fault::WrongName { .. } | Fault::Unreadable => openssl_sys::X509_V_ERR_HOSTNAME_MISMATCH,
        Fault::WrongPurpose { .. } => openssl_sys::X509_V_ERR_INVALID_PURPOSE,
        Fault::BadSignature => openssl_sys::X509_V_ERR_CERT_SIGNATURE_FAILURE,
        _ => openssl_sys::X509_V_ERR_APPLICATION_VERIFICATION,
    }
}

/// The settings that both ends share.
fn builder(
    method: SslMethod,
    identity: Option<&Identity>,
    suites: Suites,
    verify: SslVerifyMode,
) -> Result<SslContextBuilder, CredentialError> {
    CHECK.as_ref().map_err(Clone::clone)?;
    let mut context = SslContextBuilder::new(method)?;
    context.set_min_proto_version(Some(SslVersion::DTLS1_2))?;
    context.set_max_proto_version(Some(SslVersion::DTLS1_2))?;
    let off = SslOptions::NO_TICKET | SslOptions::NO_COMPRESSION | SslOptions::NO_RENEGOTIATION;
    context.set_options(SslOptions::NO_QUERY_MTU | off);
    context.set_mode(SslMode::RELEASE_BUFFERS);
    context.set_session_cache_mode(SslSessionCacheMode::OFF);
    match suites {
        Suites::Encrypted => context.set_cipher_list("ECDHE+AESGCM:ECDHE+CHACHA20")?,
        Suites::IntegrityOnly => {
            context.set_security_level(0);
            context.set_cipher_list("ECDHE-ECDSA-NULL-SHA:ECDHE-RSA-NULL-SHA:@SECLEVEL=0")?;
        }
    }
    if let Some(identity) = identity {
        for (certificate, number) in identity.certificates().zip(0..) {
            let certificate = X509::from_der(certificate)?;
            if number == 0 {
                context.set_certificate(&certificate)?;
            } else {
                context.add_extra_chain_cert(certificate)?;
            }
        }
        context.set_private_key(&*PKey::private_key_from_der(identity.key())?)?;
        context.check_private_key()?;
    }
    context.set_verify(verify);
    ffi::decide_by::<OurCheck>(&mut context);
    Ok(context)
}

/// The context of a client's sessions.
pub(crate) struct ClientContext {
    context: SslContext,
    trust: Arc<Trust>,
}

impl ClientContext {
    pub(crate) fn new(config: &TlsClientConfig) -> Result<Self, CredentialError> {
        let identity = config.identity.as_deref();
        let context = builder(SslMethod::dtls_client(), identity, config.suites, SslVerifyMode::PEER)?;
        Ok(Self { context: context.build(), trust: Arc::clone(&config.trust) })
    }

    pub(super) fn session(&self, server: &ServerIdentity, mtu: u32) -> Result<Machine, ErrorStack> {
        let mut ssl = Ssl::new(&self.context)?;
        Check::new(&self.trust, Some(server.clone())).attach(&mut ssl)?;
        if let ServerIdentity::Name(name) = server
            && name.parse::<IpAddr>().is_err()
        {
            ssl.set_hostname(name)?;
        }
        ssl.set_mtu(mtu)?;
        ssl.set_connect_state();
        Machine::new(ssl)
    }
}

/// The context of a server's sessions.
pub(super) struct ServerContext {
    context: SslContext,
    trust: Arc<Trust>,
}

impl ServerContext {
    pub(super) fn new(config: &TlsServerConfig) -> Result<Self, CredentialError> {
        let verify = SslVerifyMode::PEER | SslVerifyMode::FAIL_IF_NO_PEER_CERT;
        let identity = Some(&*config.identity);
        let mut context = builder(SslMethod::dtls_server(), identity, config.suites, verify)?;
        for authority in config.trust.authorities() {
            context.add_client_ca(&*X509::from_der(authority)?)?;
        }
        let maker = Arc::new(Cookies::new()?);
        let judge = Arc::clone(&maker);
        context.set_cookie_generate_cb(move |ssl, into| Ok(maker.make(visitor(ssl), into)));
        context.set_cookie_verify_cb(move |ssl, cookie| judge.is_good(visitor(ssl), cookie));
        Ok(Self { context: context.build(), trust: Arc::clone(&config.trust) })
    }

    /// A session for the next peer with a valid cookie.
    pub(super) fn session(&self, mtu: u32) -> Result<Machine, ErrorStack> {
        let mut ssl = Ssl::new(&self.context)?;
        Check::new(&self.trust, None).attach(&mut ssl)?;
        ssl.set_mtu(mtu)?;
        ssl.set_accept_state();
        Machine::new(ssl)
    }
}

/// Cookies (RFC 6347 section 4.2.1): they prove that a peer that begins a handshake receives what we send to its
/// address. Each is a MAC over the address and the time, so that we need not store it.
struct Cookies {
    secret: [u8; 32],
    began: Instant,
}

/// The peer of a session.
fn visitor(ssl: &SslRef) -> Option<SocketAddr> {
    check_of(ssl).and_then(|check| *lock(&check.visitor))
}

impl Cookies {
    fn new() -> Result<Self, ErrorStack> {
        let mut secret = [0; 32];
        openssl::rand::rand_bytes(&mut secret)?;
        Ok(Self { secret, began: Instant::now() })
    }

    fn code(&self, peer: SocketAddr, period: u64) -> Option<Hmac<Sha256>> {
        let mut code = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.secret).ok()?;
        code.update(&period.to_be_bytes());
        match peer.ip() {
            IpAddr::V4(ip) => code.update(&ip.octets()),
            IpAddr::V6(ip) => code.update(&ip.octets()),
        }
        code.update(&peer.port().to_be_bytes());
        Some(code)
    }

    fn period(&self) -> u64 {
        self.began.elapsed().as_secs() / COOKIE_PERIOD.as_secs()
    }

    fn make(&self, peer: Option<SocketAddr>, into: &mut [u8]) -> usize {
        let Some(code) = peer.and_then(|peer| self.code(peer, self.period())) else { return 0 };
        let code = code.finalize().into_bytes();
        match into.get_mut(..code.len()) {
            Some(place) => place.copy_from_slice(&code),
            None => return 0,
        }
        code.len()
    }

    /// Whether it belongs to this period, or the one before.
    fn is_good(&self, peer: Option<SocketAddr>, cookie: &[u8]) -> bool {
        let now = self.period();
        let good =
            |peer, period| self.code(peer, period).is_some_and(|code| code.verify_slice(cookie).is_ok());
        peer.is_some_and(|peer| [now, now.saturating_sub(1)].into_iter().any(|period| good(peer, period)))
    }
}

/// The minimum validity of a cookie; the maximum is twice as long.
const COOKIE_PERIOD: Duration = Duration::from_secs(30);
