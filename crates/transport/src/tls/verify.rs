//! Our certificate check, as the TLS library's verifiers.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};

use super::trust::{ServerIdentity, Trouble, Trust};

/// A server's check of its clients.
#[derive(Debug)]
pub(super) struct ClientCheck {
    pub trust: Arc<Trust>,
    /// Whether each must present a certificate.
    pub required: bool,
}

/// A client's check of one server.
#[derive(Debug)]
pub(super) struct ServerCheck {
    pub trust: Arc<Trust>,
    pub identity: ServerIdentity,
}

fn chain<'a>(leaf: &CertificateDer<'a>, issuers: &[CertificateDer<'a>]) -> Vec<CertificateDer<'a>> {
    std::iter::once(leaf).chain(issuers).cloned().collect()
}

/// The shared part of both traits: the peer has the key of its certificate, by a trusted algorithm.
macro_rules! signatures_by_trust {
    () => {
        fn verify_tls12_signature(
            &self,
            message: &[u8],
            cert: &CertificateDer<'_>,
            dss: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            verify_tls12_signature(message, cert, dss, &self.trust.algorithms)
        }

        fn verify_tls13_signature(
            &self,
            message: &[u8],
            cert: &CertificateDer<'_>,
            dss: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            verify_tls13_signature(message, cert, dss, &self.trust.algorithms)
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            self.trust.algorithms.supported_schemes()
        }
    };
}

impl ClientCertVerifier for ClientCheck {
    fn client_auth_mandatory(&self) -> bool {
        self.required
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.trust.hints()
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.trust.check_client(&chain(end_entity, intermediates), now, Trouble::Anew)?;
        Ok(ClientCertVerified::assertion())
    }

    signatures_by_trust!();
}

impl ServerCertVerifier for ServerCheck {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.trust.check_server(&chain(end_entity, intermediates), &self.identity, now, Trouble::Anew)?;
        Ok(ServerCertVerified::assertion())
    }

    signatures_by_trust!();
}
