//! Authentication: with a password or a token in the request, with the certificate of the connection, or with a session of a
//! browser. A request without credentials is nobody's; one with an invalid password, token or certificate gets no other answer.

use trunkline_snmp::engine::SecurityName;
use trunkline_snmp::engine::transport::{CertificateNameError, name_of_peer};
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_transport::Proof;
use trunkline_transport::http::{
    Claim, Credentials, HeaderValue, HttpRequest, HttpResponse, StatusCode, Unproved, header,
};
use trunkline_transport::ssh::PasswordHash;

use super::asker::{Proved, challenge};
use super::authorization::{self, Shown};
use super::envelope;
use super::{Asker, Front};
use trunkline_config::{EVERYBODY, Plan};
use trunkline_credentials::secure::SecureError;

impl Front {
    /// The principal.
    ///
    /// # Errors
    /// The answer to a request with invalid credentials.
    pub(super) async fn authenticate(&self, request: &HttpRequest) -> Result<Asker, Box<HttpResponse>> {
        let mut claims = request.headers.get_all(header::AUTHORIZATION).iter();
        match (claims.next(), claims.next()) {
            (None, _) => match self.by_certificate(request)? {
                Asker::Nobody => self.by_session(request),
                principal @ Asker::Principal(_) => Ok(principal),
            },
            (Some(_), None) if self.has_certificate(request) => Err(two_identities(request).into()),
            (Some(claim), None) => self.by_claim(claim.as_bytes(), request).await,
            (Some(_), Some(_)) => {
                Err(HttpResponse::text(StatusCode::BAD_REQUEST, "expected one Authorization field").into())
            }
        }
    }

    async fn by_claim(&self, claim: &[u8], request: &HttpRequest) -> Result<Asker, Box<HttpResponse>> {
        let peer = request.session.peer;
        let claim = authorization::parse(claim).map_err(|error| {
            self.core.tell_failed_authentication(peer);
            Box::new(challenge(HttpResponse::text(StatusCode::UNAUTHORIZED, &error.to_string())))
        })?;
        let name = self.check_claim(claim, request).await.map_err(|error| Box::new(refusal(error)))?;
        match SecurityName::new(name.as_bytes()) {
            Ok(name) => Ok(Asker::Principal(Proved::new(name, &request.session))),
            Err(_) => Err(challenge(HttpResponse::empty(StatusCode::UNAUTHORIZED)).into()),
        }
    }

    /// The name of a claim that is true; one that is not is counted and logged.
    pub(super) async fn check_claim(&self, claim: Claim, request: &HttpRequest) -> Result<String, Unproved> {
        let (peer, who) = (request.session.peer, Shown(&claim).to_string());
        let checked = self.gate.check(claim, peer.ip()).await;
        if let Err(error) = &checked {
            if let Some(left_out) = self.refusals.admit() {
                tracing::info!(%peer, %error, left_out, "{who} is refused over HTTP");
            }
            if *error == Unproved::Wrong {
                self.core.tell_failed_authentication(peer);
            }
        }
        checked
    }

    /// The principal of the certificate; `None`: there is none.
    fn name_of(&self, request: &HttpRequest) -> Option<Result<SecurityName, CertificateNameError>> {
        let Proof::Certificates(chain) = &request.session.proof else { return None };
        Some(match &self.plan.load().tls {
            Some(tls) => name_of_peer(&tls.names, chain).map(|peer| peer.name),
            None => self.core.settings().name_of(chain),
        })
    }

    /// Whether the session's certificate maps to a principal here. One that does not is not an identity.
    fn has_certificate(&self, request: &HttpRequest) -> bool {
        self.name_of(request).is_some_and(|name| name.is_ok())
    }

    fn by_certificate(&self, request: &HttpRequest) -> Result<Asker, Box<HttpResponse>> {
        let Some(name) = self.name_of(request) else { return Ok(Asker::Nobody) };
        name.map(|name| Asker::Principal(Proved::new(name, &request.session))).map_err(|error| {
            if let Some(left_out) = self.refusals.admit() {
                tracing::info!(peer = %request.session.peer, %error, left_out, "no principal has this certificate");
            }
            HttpResponse::text(StatusCode::FORBIDDEN, "no principal has this certificate").into()
        })
    }
}

/// The answer to an `Authorization` together with a certificate: neither is used.
fn two_identities(request: &HttpRequest) -> HttpResponse {
    let reason = "a password or token together with a client certificate: leave one of them out";
    match envelope::version_of(request) {
        Some(version) => envelope::fault(version, &Fault::new(FaultKind::TwoIdentities, reason)),
        None => HttpResponse::text(StatusCode::BAD_REQUEST, reason),
    }
}

fn refusal(error: Unproved) -> HttpResponse {
    let (status, wait) = match error {
        Unproved::Wrong => (StatusCode::UNAUTHORIZED, None),
        Unproved::TooMany { wait } => (StatusCode::TOO_MANY_REQUESTS, Some(wait.as_secs().max(1))),
        Unproved::Busy => (StatusCode::SERVICE_UNAVAILABLE, Some(1)),
    };
    let response = HttpResponse::text(status, &error.to_string());
    match wait {
        None => challenge(response),
        Some(seconds) => response.with(header::RETRY_AFTER, HeaderValue::from(seconds)),
    }
}

/// The principals of a configuration who have passwords or tokens.
///
/// # Errors
/// The hash of a password.
pub(super) fn credentials(plan: &Plan) -> Result<Credentials, SecureError> {
    let mut credentials = Credentials::default();
    for principal in plan.snmp.principals.iter().filter(|principal| principal.name != EVERYBODY) {
        if let Some(hash) = &principal.password_hash {
            let wrong = |source| SecureError::Password { principal: principal.name.clone(), source };
            credentials.add_password(&principal.name, hash.0.parse::<PasswordHash>().map_err(wrong)?);
        }
        if let Some(hash) = &principal.token_hash {
            credentials.add_token(&principal.name, hash.0);
        }
    }
    Ok(credentials)
}
