//! Who asks: a client certificate, where the session has one.

use trunkline_transport::Proof;
use trunkline_transport::http::{HttpRequest, HttpResponse, StatusCode};

use super::{Asker, Front, Principal};

impl Front {
    /// Who asks.
    ///
    /// # Errors
    /// The answer to who claims to be somebody and cannot prove it.
    pub(super) async fn authenticate(&self, request: &HttpRequest) -> Result<Asker, HttpResponse> {
        let Proof::Certificates(chain) = &request.session.proof else { return Ok(Asker::Nobody) };
        match self.door.settings().name_of(chain) {
            Ok(name) => Ok(Asker::Principal(Principal::new(name, &request.session))),
            Err(error) => {
                self.sessions.tls.invalid_client_certificates.add(1);
                tracing::info!(peer = %request.session.peer, %error, "nobody has this certificate");
                Err(HttpResponse::text(StatusCode::FORBIDDEN, "nobody here has this certificate"))
            }
        }
    }
}
