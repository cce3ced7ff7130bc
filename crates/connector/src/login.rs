//! Who a client is: by its certificate, by its password, or by the community that the configuration names for those who show
//! nothing.

use trunkline_binding::session;
use trunkline_jmx::model::Exception;
use trunkline_jmx::remote::Credentials;
use trunkline_snmp::engine::SecurityName;
use trunkline_transport::http::{Claim, Unproved};
use trunkline_transport::{Proof, SessionInfo};
use trunkline_tree::policy::{OwnedPrincipal, Principal, ViewType};
use zeroize::Zeroizing;

use crate::door::Connector;
use crate::refusal;

impl Connector {
    /// The principal of a client that logs in.
    ///
    /// # Errors
    /// The exception that says why not.
    pub(crate) async fn login(
        &self,
        info: &SessionInfo,
        credentials: Credentials,
    ) -> Result<OwnedPrincipal, Exception> {
        let principal = match (credentials.0, &info.proof) {
            (Some(_), Proof::Certificates(_)) => {
                let words = "a password together with a client certificate: leave one of them out";
                return Err(refusal::authentication(words));
            }
            (Some(texts), _) => self.by_password(info, texts).await?,
            (None, Proof::Nothing) => self.by_community(info)?,
            (None, _) => self.by_certificate(info)?,
        };
        match self.core.access_of(&self.core.settings(), &principal, b"", ViewType::Read) {
            Ok(_) => {
                let name = String::from_utf8_lossy(&principal.name);
                tracing::info!(peer = %info.peer, %name, "a JMX client has logged in");
                Ok(principal)
            }
            Err(_) => {
                let name = String::from_utf8_lossy(&principal.name);
                tracing::info!(peer = %info.peer, %name, "a JMX login is refused: the principal may read nothing");
                Err(refusal::access("this principal may read nothing here"))
            }
        }
    }

    fn by_certificate(&self, info: &SessionInfo) -> Result<OwnedPrincipal, Exception> {
        let state = session::peer_of(info, |chain| self.core.settings_now().name_of(chain));
        match state {
            Ok(Some(state)) => Ok(self.core.principal_of(&state).into_owned()),
            _ => {
                if let Some(left_out) = self.refusals.admit() {
                    tracing::info!(peer = %info.peer, left_out, "a JMX login is refused: no principal has the certificate");
                }
                Err(refusal::authentication("no principal has this certificate"))
            }
        }
    }

    async fn by_password(&self, info: &SessionInfo, texts: Vec<String>) -> Result<OwnedPrincipal, Exception> {
        let mut texts = texts.into_iter().map(Zeroizing::new);
        let (Some(name), Some(password), None) = (texts.next(), texts.next(), texts.next()) else {
            return Err(refusal::authentication("expected String[] of user and password"));
        };
        let claim = Claim::Password { name: (*name).clone(), password };
        match self.gate.check(claim, info.peer.ip()).await {
            Ok(name) => {
                let name = SecurityName::new(name.as_bytes())
                    .map_err(|_| refusal::authentication("the name of the user is too long"))?;
                let state = session::named(info, name);
                Ok(self.core.principal_of(&state).into_owned())
            }
            Err(error) => {
                if let Some(left_out) = self.refusals.admit() {
                    let name = trunkline_smi::visible(&name);
                    tracing::info!(peer = %info.peer, %error, left_out, "{name} is refused over JMX");
                }
                if error == Unproved::Wrong {
                    self.core.tell_failed_authentication(info.peer);
                }
                Err(refusal::authentication(&error.to_string()))
            }
        }
    }

    fn by_community(&self, info: &SessionInfo) -> Result<OwnedPrincipal, Exception> {
        let plan = self.plan.load();
        let Some(name) = plan.as_ref().and_then(|plan| plan.community.as_ref()) else {
            return Err(refusal::authentication("Credentials required"));
        };
        let settings = self.core.settings();
        match settings.community(&name.0, info.peer) {
            Some(entry) => Ok(Principal::of_community(entry.security_name).into_owned()),
            None => {
                tracing::info!(peer = %info.peer, "a JMX login is refused: the community of [jmx] may not be used from this address");
                Err(refusal::authentication("clients at this address must have a user and a password"))
            }
        }
    }
}
