//! The master of AgentX: `master`, and the directives that say where and how it listens.

use crate::addresses;
use crate::collected::{Collected, Section, Setting};
use crate::source::Directive;
use crate::write;
use trunkline_transport::Transport;

type Done = Result<(), String>;

fn set(collected: &mut Collected<'_>, directive: &Directive, key: &'static str, value: String) {
    let setting = Setting { key, value, origin: directive.origin.clone(), comment: String::new() };
    collected.set(Section::Agentx, &directive.name, setting);
}

/// `master agentx`: snmpd also takes `all`, `yes` and `on`. The last line counts.
pub(super) fn master(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let word = directive.words().into_iter().next().ok_or("says nothing of which protocol")?;
    let is_wanted = match word.to_ascii_lowercase().as_str() {
        "agentx" | "all" | "yes" | "on" => true,
        "no" | "off" | "none" => false,
        other => return Err(format!("{other:?}: only agentx is a protocol of subagents here")),
    };
    let now = is_wanted.then(|| directive.origin.clone());
    if let Some(earlier) = std::mem::replace(&mut collected.agentx_master, now) {
        let why = format!("{} sets it again, and the last line counts", directive.origin);
        collected.unneeded(&earlier, &directive.name, why);
    }
    if !is_wanted {
        collected.unneeded(&directive.origin, &directive.name, "without [agentx] there are no subagents");
    }
    Ok(())
}

/// `agentXSocket [TRANSPORT:]ADDRESS[,...]`: what cannot be had is reported one by one.
pub(super) fn socket(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let list = directive.words().concat();
    let mut places: Vec<String> = Vec::new();
    for text in list.split(',').filter(|text| !text.is_empty()) {
        match endpoints(text, collected.resolve) {
            Ok(found) => found.into_iter().for_each(|place| {
                if !places.contains(&place) {
                    places.push(place);
                }
            }),
            Err(why) => collected.note(&directive.origin, &directive.name, format!("{text}: {why}")),
        }
    }
    if !places.is_empty() {
        set(collected, directive, "listen", write::list(places));
    }
    Ok(())
}

/// An address of snmpd as ours. The port of AgentX is 705.
fn endpoints(text: &str, resolve: &dyn Fn(&str) -> Vec<std::net::IpAddr>) -> Result<Vec<String>, String> {
    let path = text.strip_prefix("unix:").or_else(|| text.starts_with('/').then_some(text));
    if let Some(path) = path {
        return match path.starts_with('/') {
            true => Ok(vec![format!("unix:{path}")]),
            false => Err("a socket is named by its full path".into()),
        };
    }
    let has_transport = |prefix| text.to_ascii_lowercase().starts_with(prefix);
    let address = match has_transport("tcp") {
        true => text.to_owned(),
        false if ["udp", "dtls", "tls", "ssh"].iter().any(|other| has_transport(other)) => {
            return Err("subagents connect over unix: and tcp:".into());
        }
        false => format!("tcp:{text}"),
    };
    let urls = addresses::listen(&address, resolve)?;
    let has_port = address.rsplit_once(':').is_some_and(|(_, port)| {
        !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit()) && !address.ends_with(']')
    });
    let place = |url: trunkline_transport::ListenUrl| {
        debug_assert_eq!(url.transport, Transport::Tcp);
        let port = if has_port { url.port } else { PORT };
        let address = url.address.unwrap_or(std::net::Ipv6Addr::UNSPECIFIED.into());
        format!("tcp:{}", std::net::SocketAddr::new(address, port))
    };
    Ok(urls.into_iter().map(place).collect())
}

/// RFC 2741 section 8.1.1.
const PORT: u16 = 705;

/// `agentXPerms SOCKPERMS [DIRPERMS [USER [GROUP]]]`
pub(super) fn rights(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let mode = |word: &String| {
        let mode = u32::from_str_radix(word, 8).ok().filter(|mode| *mode <= 0o777);
        mode.map(|mode| format!("{mode:04o}"))
            .ok_or_else(|| format!("{word:?} is not a mode of octal digits"))
    };
    let name =
        |word: &String| match word.bytes().all(|octet| octet.is_ascii_digit() || b"#-".contains(&octet)) {
            true => Err(format!(
                "{word:?} is a number: write the name as socket-user or socket-group in [agentx]"
            )),
            false => Ok(word.clone()),
        };
    let mut modes = words.iter().take(2).map(mode).collect::<Result<Vec<_>, _>>()?.into_iter();
    let socket = modes.next().ok_or("says no rights")?;
    set(collected, directive, "socket-mode", write::text(&socket));
    if let Some(folder) = modes.next() {
        set(collected, directive, "directory-mode", write::text(&folder));
    }
    for (word, key) in words.iter().skip(2).zip(["socket-user", "socket-group"]) {
        // Root may connect whoever owns the socket.
        if word == "root" {
            continue;
        }
        let value = write::text(&name(word)?);
        let remark = match key {
            "socket-user" => {
                "only an agent that is started as root can give the socket to another user; the unit of the packages starts it as trunkline"
            }
            _ => {
                "an agent that is not started as root gives the socket only to groups of its user: usermod -a -G GROUP trunkline"
            }
        };
        collected.remark(&directive.origin, &directive.name, remark);
        set(collected, directive, key, value);
    }
    Ok(())
}

/// `agentXTimeout NUM`, in seconds, or with one of the units of snmpd: s, m, h, d, w.
pub(super) fn timeout(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let word = directive.words().into_iter().next().ok_or("says no time")?;
    let end = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
    let (number, unit) = word.split_at(end);
    let unit: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return Err(format!("{word:?} is not a time")),
    };
    let seconds = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    let seconds = seconds.filter(|seconds| *seconds > 0).ok_or_else(|| format!("{word:?} is not a time"))?;
    set(collected, directive, "timeout", write::text(&format!("{}s", seconds.min(LONGEST))));
    Ok(())
}

/// AgentX has an octet for a time.
const LONGEST: u64 = 255;
