//! The doors of HTTP: `[http]` and `[http.tls]`.

use std::ops::Range;

use serde_spanned::Spanned;
use trunkline_transport::http::HttpLimits;
use trunkline_transport::{ListenUrl, Protocol, Transport};

use super::community::{Network, check_networks};
use super::secure::{TlsPlan, check_tls};
use super::snmp::listen_urls;
use super::value::{self, Checked};
use crate::{Place, raw};

/// SOAP, SNMP inside SOAP, and selections, over HTTP and HTTPS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpPlan {
    /// Where to listen; nowhere by default.
    pub listen: Vec<ListenUrl>,
    /// What is served there.
    pub doors: HttpDoors,
    /// Whether a community in a request is refused over plain HTTP, where everybody on the path can read it.
    pub refuse_plain_communities: bool,
    /// Names under which this agent may be addressed over plain HTTP, besides its own; lower case. `*`: any.
    pub hosts: Vec<String>,
    /// Origins of web pages that may send requests, in lower case: `https://noc.example.net`. `*`: any.
    pub origins: Vec<String>,
    /// Where subscribers may have events sent, besides the address that they subscribe from.
    pub event_targets: Vec<Network>,
    /// Its own certificates, and the rows from certificates to names; `None`: those of `[snmp.tls]`.
    pub tls: Option<TlsPlan>,
    /// What a peer may use up.
    pub limits: HttpLimits,
    /// The most octets of an answer of SOAP, before it is compressed.
    pub max_answer: MaxAnswer,
}

/// The most octets of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxAnswer(pub usize);

impl Default for MaxAnswer {
    /// More than 50,000 interfaces in the longest encoding; the share of a connection in `waiting-output`.
    fn default() -> Self {
        MaxAnswer(32 << 20)
    }
}

impl HttpPlan {
    /// Whether clients can authenticate with a certificate.
    pub fn has_sessions(&self) -> bool {
        self.listen.iter().any(|url| url.transport == Transport::Https)
    }
}

/// What is served over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpDoors {
    /// `/soap`: operations for every table and group.
    pub soap: bool,
    /// `/snmp`: SNMP inside SOAP.
    pub snmp: bool,
    /// Everything else: services and selections.
    pub select: bool,
    /// `/restconf`.
    pub restconf: bool,
    /// `/browser`: the page, which reads and writes over `restconf`.
    pub browser: bool,
}

impl Default for HttpDoors {
    /// All but RESTCONF, since it can change the machine, and the page over it.
    fn default() -> Self {
        HttpDoors { soap: true, snmp: true, select: true, restconf: false, browser: false }
    }
}

/// The position of the first listener that needs a certificate and has none of its own.
pub(super) fn needs_certificate(raw: &raw::Http) -> Option<Range<usize>> {
    let listen = raw.listen.iter().filter(|_| raw.tls.is_none()).flat_map(|list| list.get_ref());
    listen.into_iter().find(|text| text.get_ref().starts_with("https://")).map(Spanned::span)
}

pub(super) fn check_http(raw: raw::Http, place: Place<'_>) -> Checked<HttpPlan> {
    let limits = check_limits(&raw, place)?;
    let max_answer = match &raw.max_answer_size {
        Some(value) => MaxAnswer(value::number(value, 4_096, 1 << 30, place)?),
        None => MaxAnswer::default(),
    };
    let spans: Vec<_> = raw.listen.iter().flat_map(|list| list.get_ref().iter().map(Spanned::span)).collect();
    let listen = match raw.listen {
        None => Vec::new(),
        Some(list) => listen_urls(list, Protocol::Http, place)?,
    };
    for (url, span) in listen.iter().zip(spans) {
        if !url.transport.is_http() {
            let message = format!("{url} belongs to listen in [snmp], expected http:// or https:// here");
            return Err(place.wrong(span, message));
        }
    }
    Ok(HttpPlan {
        listen,
        doors: raw.doors.map_or(Ok(HttpDoors::default()), |doors| check_doors(doors, place))?,
        refuse_plain_communities: raw.plain_communities == Some(false),
        hosts: names(raw.hosts, "a host name without a port, as in agent.example.net", is_host, place)?,
        origins: names(raw.origins, "an origin, as in https://noc.example.net:8443", is_origin, place)?,
        event_targets: check_networks(raw.event_targets, place)?,
        tls: raw.tls.map(|tls| check_tls(Some(tls), None, false, place)).transpose()?,
        limits,
        max_answer,
    })
}

/// One connection holds at most half of what may wait in all, and an answer is held whole.
pub(super) fn check_share(
    written: Option<Range<usize>>,
    MaxAnswer(max_answer): &mut MaxAnswer,
    waiting_output: usize,
    place: Place<'_>,
) -> Checked<()> {
    let share = waiting_output / 2;
    match written {
        Some(span) if *max_answer > share => {
            let message = format!(
                "{max_answer} is more than half of waiting-output in [agent]: expected at most {share}, or raise waiting-output"
            );
            Err(place.wrong(span, message))
        }
        _ => {
            *max_answer = share.min(*max_answer);
            Ok(())
        }
    }
}

fn check_doors(list: Spanned<Vec<Spanned<String>>>, place: Place<'_>) -> Checked<HttpDoors> {
    let expected = "expected some of \"soap\", \"snmp-in-soap\", \"select\", \"restconf\", \"browser\"";
    if list.get_ref().is_empty() {
        return Err(place.wrong(list.span(), format!("no door is listed, {expected}")));
    }
    let span = list.span();
    let mut doors = HttpDoors { soap: false, snmp: false, select: false, restconf: false, browser: false };
    for name in list.into_inner() {
        let door = match name.get_ref().as_str() {
            "soap" => &mut doors.soap,
            "snmp-in-soap" => &mut doors.snmp,
            "select" => &mut doors.select,
            "restconf" => &mut doors.restconf,
            "browser" => &mut doors.browser,
            other => {
                return Err(place.wrong(name.span(), format!("unknown door {other:?}, {expected}")));
            }
        };
        if std::mem::replace(door, true) {
            return Err(place.wrong(name.span(), format!("{:?} is listed twice", name.get_ref())));
        }
    }
    if doors.browser && !doors.restconf {
        let message = "\"browser\" shows and changes what \"restconf\" offers: list \"restconf\" too";
        return Err(place.wrong(span, message.to_owned()));
    }
    Ok(doors)
}

/// Each in lower case, `*` for any.
fn names(
    list: Option<Vec<Spanned<String>>>,
    expected: &str,
    is_one: fn(&str) -> bool,
    place: Place<'_>,
) -> Checked<Vec<String>> {
    let check = |name: Spanned<String>| match name.get_ref().to_ascii_lowercase() {
        lower if lower == "*" || is_one(&lower) => Ok(lower),
        _ => Err(place.wrong(name.span(), format!("{:?} is not {expected}", name.get_ref()))),
    };
    list.into_iter().flatten().map(check).collect()
}

fn is_host(name: &str) -> bool {
    let is_label = |label: &str| !label.is_empty() && label.bytes().all(is_letter);
    !name.is_empty() && name.trim_end_matches('.').split('.').all(is_label)
}

const fn is_letter(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || octet == b'-' || octet == b'_'
}

/// RFC 6454 section 6.1.
fn is_origin(text: &str) -> bool {
    let rest = text
        .split_once("://")
        .filter(|(scheme, _)| scheme.bytes().all(|octet| octet.is_ascii_alphanumeric()));
    rest.is_some_and(|(scheme, rest)| {
        !scheme.is_empty() && !rest.is_empty() && !rest.contains(['/', '?', '#', '@', ' '])
    })
}

fn check_limits(raw: &raw::Http, place: Place<'_>) -> Checked<HttpLimits> {
    let default = HttpLimits::default();
    let number = |value: &Option<Spanned<i64>>, least: i64, most: i64, default: usize| match value {
        Some(value) => value::number(value, least, most, place),
        None => Ok(default),
    };
    let count = |value: &Option<Spanned<i64>>, default: usize| number(value, 1, 1_000_000, default);
    let time = |value: &Option<Spanned<String>>, default| value::time(value.clone(), default, place);
    let small =
        |value, least, most, default: u32| Ok::<u32, _>(number(value, least, most, default as usize)? as u32);
    let max_request = number(&raw.max_request_size, 1_024, 1 << 30, default.max_request)?;
    Ok(HttpLimits {
        max_connections: count(&raw.max_connections, default.max_connections)?,
        max_per_peer: count(&raw.max_connections_per_peer, default.max_per_peer)?,
        max_handshakes: count(&raw.max_handshakes, default.max_handshakes)?,
        handshake_time: time(&raw.handshake_timeout, default.handshake_time)?,
        first_request: time(&raw.first_message_timeout, default.first_request)?,
        idle: time(&raw.idle_timeout, default.idle)?,
        head_time: time(&raw.header_timeout, default.head_time)?,
        body_time: time(&raw.body_timeout, default.body_time)?,
        write_time: time(&raw.write_timeout, default.write_time)?,
        max_head: number(&raw.max_header_size, 8_192, 1 << 20, default.max_head)?,
        max_request,
        // At least two requests of the longest kind.
        max_bodies: default.max_bodies.max(2 * max_request),
        max_streams: small(&raw.max_streams, 1, 1_000, default.max_streams)?,
        compression: small(&raw.compression, 0, 9, default.compression)?,
        ..default
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;
    use crate::Plan;

    fn check(text: &str) -> Result<Plan, (usize, String)> {
        crate::parse(Path::new("t.toml"), text).map_err(|error| (error.line, error.message))
    }

    #[test]
    fn nothing_is_opened_unless_configured() {
        assert_eq!(check("").unwrap().http, HttpPlan::default());
        assert!(HttpPlan::default().listen.is_empty());
        assert_eq!(HttpPlan::default().limits.compression, 1);
        let plan = check(
            "[http]\nlisten = [\"http://127.0.0.1\", \"http://[::1]:8080\"]\ndoors = [\"select\"]\n\
             plain-communities = false\ncompression = 0\nidle-timeout = \"5s\"\nmax-request-size = 33554432\n",
        );
        let plan = plan.unwrap().http;
        assert_eq!(plan.listen[0].to_string(), "http://127.0.0.1:80");
        assert_eq!(
            plan.doors,
            HttpDoors { select: true, soap: false, snmp: false, restconf: false, browser: false }
        );
        assert!(plan.refuse_plain_communities && !plan.has_sessions());
        assert_eq!((plan.limits.compression, plan.limits.idle), (0, Duration::from_secs(5)));
        assert_eq!(plan.limits.max_bodies, 64 << 20);
    }

    #[test]
    fn an_agent_may_speak_over_http_alone() {
        let plan = check("[snmp]\nlisten = []\n[http]\nlisten = [\"http://127.0.0.1:0\"]").unwrap();
        assert!(plan.snmp.listen.is_empty() && plan.http.listen.len() == 1);
    }

    #[test]
    fn mistakes_are_reported_with_their_location() {
        for (text, line, words) in [
            ("[http]\nlisten = [\"tls://127.0.0.1:1\"]", 2, "[snmp]"),
            ("[snmp]\nlisten = [\"http://127.0.0.1:1\"]", 2, "[http]"),
            ("[http]\nlisten = []", 2, "at least one"),
            ("[http]\nlisten = [\"http://127.0.0.1:1\", \"http://127.0.0.1:1\"]", 2, "twice"),
            ("[http]\ndoors = []", 2, "no door"),
            ("[http]\ndoors = [\"soap\",\n\"rest\"]", 3, "\"select\""),
            ("[http]\ndoors = [\"soap\", \"soap\"]", 2, "twice"),
            ("[http]\ndoors = [\"soap\", \"browser\"]", 2, "list \"restconf\" too"),
            ("[http]\nhosts = [\"agent.example:80\"]", 2, "without a port"),
            ("[http]\nhosts = [\"a\",\n\"http://a\"]", 3, "host name"),
            ("[http]\norigins = [\"noc.example.net\"]", 2, "https://"),
            ("[http]\norigins = [\"https://noc.example.net/\"]", 2, "is not an origin"),
            ("[http]\ncompression = 10", 2, "0 to 9"),
            ("[http]\nmax-header-size = 100", 2, "8192"),
            ("[http]\nidle-timeout = \"0s\"", 2, "not a time"),
            ("[http]\nport = 80", 2, "listen"),
            ("[http]\nevent-targets = [\"nms\"]", 2, "192.0.2.0/24"),
            (
                "[http]\nlisten = [\"https://127.0.0.1:1\"]\n[snmp.tls]\ndirectory = \"/nowhere\"",
                2,
                "certificate",
            ),
            (
                "[http]\nlisten = [\"https://127.0.0.1:1\"]\n[http.tls]\ndirectory = \"/nowhere\"",
                3,
                "certificate",
            ),
        ] {
            let (at, message) = check(text).unwrap_err();
            assert!(at == line && message.contains(words), "{text}: {at}: {message}");
        }
    }

    #[test]
    fn tokens_are_hashes_and_no_secret_is_shown() {
        let principal =
            |hash: &str| check(&format!("[[snmp.principal]]\nname = \"robot\"\ntoken-hash = {hash:?}"));
        let plan = principal(&format!("sha256:{}", "0f".repeat(32))).unwrap();
        assert_eq!(plan.snmp.principals[0].token_hash.as_ref().map(|hash| hash.0), Some([15; 32]));
        assert!(format!("{:?}", plan.snmp.principals).contains("TokenHash(<secret>)"));
        for wrong in ["", "0f0f", "sha256:0f", "sha1:0f", &format!("sha256:{}", "0g".repeat(32))] {
            let (line, message) = principal(wrong).unwrap_err();
            assert!(line == 3 && message.contains("trunkline pki token"), "{message}");
        }
    }
}
