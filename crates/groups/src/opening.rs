//! From a member of the configuration to how it is reached.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use trunkline_client::{
    Backoff, Credentials as Identity, Defaults, HttpLogin, OpenOptions, Session, SessionOptions, SnmpSession,
    Target,
};
use trunkline_config::{MemberPlan, MemberWay, TlsServer, UserPlan};
use trunkline_credentials::secure::OutgoingNow;
use trunkline_credentials::users;
use trunkline_jmxclient::{Error as JmxError, Follow, JmxLogin, JmxOptions, JmxTarget, ObjectSession, Tls};
use trunkline_polling::{Limits, Longest, Opener, Opening, Unopened, Way};
use trunkline_snmp::wire::Version;
use trunkline_transport::Transport;

/// How a member is reached, and what is different there of the limits.
pub(crate) fn way(
    member: &MemberPlan,
    known: &[UserPlan],
    outgoing: &OutgoingNow,
    limits: Limits,
) -> Result<(Way, Limits), String> {
    let door = Door::new(member, known, outgoing, limits.cycle)?;
    let has_bulk = door.identity.as_ref().is_none_or(|identity| identity.version() != Version::V1);
    let has_tables = matches!(door.way, MemberWay::Url { .. });
    let limits = Limits { has_bulk, has_tables, ..limits };
    if let (MemberWay::Snmp { address, .. }, Some(credentials)) = (&door.way, &door.identity)
        && address.transport == Transport::Udp
        && let Ok(ip) = address.host.parse::<IpAddr>()
    {
        let (address, credentials) = (SocketAddr::new(ip, address.port), credentials.clone());
        return Ok((Way::Datagrams { address, credentials }, limits));
    }
    // A connection repeats what is lost: a second request would only be more to do.
    let limits = match is_datagrams(&door.way) {
        true => limits,
        false => Limits {
            tries: 2,
            first_timeout: GIVEN_UP,
            min_timeout: GIVEN_UP,
            max_timeout: GIVEN_UP,
            ..limits
        },
    };
    Ok((Way::Session(Arc::new(door)), limits))
}

fn is_datagrams(way: &MemberWay) -> bool {
    matches!(way, MemberWay::Snmp { address, .. } if address.transport == Transport::Udp)
}

/// A user and a password.
type Login = (String, Vec<u8>);

/// How long an answer over a connection may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(8);

/// After this time a request over a connection is given up, if its session has said nothing.
const GIVEN_UP: Duration = Duration::from_secs(10);

/// How long a session waits for an answer that must be there `within` a time: less than that, and less than what gives up the request
/// otherwise, since the session knows why there is none, as that the keys are wrong.
fn patience(is_datagrams: bool, within: Duration) -> Duration {
    let longest = if is_datagrams { Limits::default().max_timeout } else { PATIENCE };
    longest.min(within * 3 / 4)
}

/// Opens sessions with a member.
pub(crate) struct Door {
    way: MemberWay,
    identity: Option<Identity>,
    outgoing: OutgoingNow,
    /// How long a session waits for an answer.
    patience: Duration,
}

impl Door {
    /// With a member, as one of these users if it speaks SNMPv3. Answers must be there `within` a time.
    pub fn new(
        member: &MemberPlan,
        known: &[UserPlan],
        outgoing: &OutgoingNow,
        within: Duration,
    ) -> Result<Self, String> {
        let identity = match &member.way {
            MemberWay::Snmp { credentials, .. } => {
                let identity = users::identity(credentials, &member.context, known);
                Some(identity.map_err(|error| error.to_string())?.ok_or("there is no such user")?.0)
            }
            MemberWay::Url { .. } => None,
        };
        let patience = patience(is_datagrams(&member.way), within);
        Ok(Door { way: member.way.clone(), identity, outgoing: outgoing.clone(), patience })
    }

    /// A session with the member as a device, of which there is something to see.
    pub async fn device(&self) -> Result<Arc<dyn Session>, String> {
        match self.mbeans() {
            Some((url, server, login)) => {
                let session =
                    self.objects(url, server, login, Longest::MOST).await.map_err(|it| it.reason)?.of_agent();
                Ok(Arc::new(session.map_err(|error| error.to_string())?))
            }
            None => self.session(Longest::MOST).await.map_err(|unopened| unopened.reason),
        }
    }

    /// A session with the member, which takes answers up to this length if they are not of SNMP.
    pub async fn session(&self, longest: Longest) -> Result<Arc<dyn Session>, Unopened> {
        if let Some((url, server, login)) = self.mbeans() {
            return Ok(Arc::new(self.objects(url, server, login, longest).await?));
        }
        let options = SessionOptions::default().with_timeout(self.patience).with_retries(0);
        let options = options.with_backoff(Backoff::Fixed);
        match (&self.way, &self.identity) {
            (MemberWay::Snmp { address, server, .. }, Some(identity)) => {
                let target = Target::new(address.transport, &address.host, address.port, identity.clone())
                    .with_login(address.login.clone());
                let target = match address.transport.is_secure() {
                    true => target.with_secure(self.secure(server.as_ref())?),
                    false => target,
                };
                let session = SnmpSession::open(&target, options).await.map_err(|error| error.to_string())?;
                Ok(Arc::new(session))
            }
            (MemberWay::Url { url, server, login, community }, _) => {
                let has_login = login.is_some() && !url.starts_with("netconf");
                let secure =
                    if has_login { self.secure_login(server.as_ref()) } else { self.secure(server.as_ref()) };
                let mut defaults = Defaults::default().with_secure(Some(secure?));
                if let Some((user, password)) = login {
                    let password = String::from_utf8_lossy(password);
                    let login = HttpLogin::basic(user, &password).map_err(|error| error.to_string())?;
                    defaults = defaults.with_login(Some(login));
                }
                if let Some(community) = community {
                    defaults = defaults.with_community(community.clone());
                }
                let mut options = OpenOptions::default();
                options.netconf.max_reply = longest.octets();
                options.netconf.timeout = self.patience;
                options.soap.timeout = self.patience;
                options.soap.max_answer = longest.octets();
                let opened = trunkline_client::open(url, &defaults, &options).await;
                opened
                    .map_err(|error| Unopened { reason: error.to_string(), is_too_long: error.is_too_long() })
            }
            (MemberWay::Snmp { .. }, None) => Err("there is no such user".to_owned().into()),
        }
    }

    /// How a member over JMX is reached.
    fn mbeans(&self) -> Option<(&str, Option<&TlsServer>, Option<&Login>)> {
        match &self.way {
            MemberWay::Url { url, server, login, .. } if JmxTarget::is_meant(url) => {
                Some((url, server.as_ref(), login.as_ref()))
            }
            _ => None,
        }
    }

    /// A session with a member over JMX. Its connector is on the member's host, whatever the stub says.
    async fn objects(
        &self,
        url: &str,
        server: Option<&TlsServer>,
        login: Option<&Login>,
        longest: Longest,
    ) -> Result<ObjectSession, Unopened> {
        let target = JmxTarget::parse(url).map_err(|error| error.to_string())?;
        let secure = if login.is_some() { self.secure_login(server) } else { self.secure(server) }?;
        let tls =
            secure.tls().map(|(client, server)| Tls { client: client.clone(), server: server.cloned() });
        let login = login.map(|(user, password)| JmxLogin {
            user: user.clone(),
            password: String::from_utf8_lossy(password).into_owned().into(),
        });
        let options = JmxOptions::default().with_timeout(self.patience).with_follow(Follow::Asked);
        let options = options.with_octets(longest.octets());
        let opened = ObjectSession::open(&target.with_tls(tls).with_login(login), options).await;
        opened.map_err(|error| match error {
            JmxError::NoTrust { .. } => {
                "the member requires TLS, for which [snmp.tls] has no certificate".to_owned().into()
            }
            other => Unopened { reason: other.to_string(), is_too_long: other.is_too_long() },
        })
    }

    fn secure_login(&self, server: Option<&TlsServer>) -> Result<Arc<trunkline_client::Secure>, String> {
        self.outgoing.load().towards_login(server).map_err(|error| error.to_string())
    }

    fn secure(&self, server: Option<&TlsServer>) -> Result<Arc<trunkline_client::Secure>, String> {
        self.outgoing.load().towards(server).map_err(|error| error.to_string())
    }
}

impl Opener for Door {
    fn open(&self, longest: Longest) -> Opening<'_> {
        Box::pin(self.session(longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_says_why_there_is_no_answer_before_the_request_is_given_up() {
        for within in [1, 4, 8, 10, 600].map(Duration::from_secs) {
            let (connection, datagrams) = (patience(false, within), patience(true, within));
            assert!(connection < GIVEN_UP.min(within) && connection >= GIVEN_UP.min(within) / 2);
            assert!(datagrams <= connection && datagrams <= Limits::default().max_timeout);
        }
    }
}
