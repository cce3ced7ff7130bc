//! The one palette of all figures. A colour says what carries the messages, a stroke and a mark who protects them, so
//! that a line looks the same in every experiment.
//!
//! - [`protocol`] is the style of a protocol: use it wherever a series is one.
//! - [`agent`] is the style of the nth agent, where agents are compared.
//! - [`series`] is the style of the nth of other things: encodings, variants of one protocol.
//! - [`PAPER`] and [`paper_of`] are the styles of printed figures, beside ours.
//!
//! Colours are names of CSS classes, which [`css`] defines for a light and a dark ground.

use std::fmt::Write;

use crate::protocol::{Level, Mode, Protocol, Security, SnmpVersion, Suite};
use crate::transport::Transport;

use super::figure::parts::{Mark, Stroke, Style};

/// A colour of the palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Colour {
    /// What a transport carries.
    Over(Transport),
    /// What is printed in a paper.
    Paper,
    /// The nth of the other colours, for what is not a transport.
    Other(u8),
}

/// The style of a protocol: colour by transport, stroke by security level, mark by version and model.
pub fn protocol(protocol: Protocol) -> Style {
    let stroke = match (protocol.security, protocol.level()) {
        (_, Level::NoAuthNoPriv) => Stroke::Dotted,
        (_, Level::AuthNoPriv) => Stroke::DashDot,
        (Security::Usm(..) | Security::Message, Level::AuthPriv) => Stroke::Dashed,
        _ => Stroke::Solid,
    };
    let mark = match (protocol.version, protocol.security) {
        (SnmpVersion::Soap, _) => Mark::Diamond,
        (SnmpVersion::Netconf, _) => Mark::HollowSquare,
        (SnmpVersion::V1, _) => Mark::Cross,
        (_, Security::Community) => Mark::Ring,
        (_, Security::Message) => Mark::HollowSquare,
        (_, Security::Usm(_, Suite::Modern)) => Mark::Triangle,
        (_, Security::Usm(_, Suite::Md5Des | Suite::Md5Aes)) => Mark::HollowTriangle,
        (SnmpVersion::V2c, Security::Session(Mode::Secure)) => Mark::Disc,
        (SnmpVersion::V3, Security::Session(Mode::Secure)) => Mark::Square,
        (_, Security::Session(Mode::IntegrityOnly)) => Mark::HollowSquare,
        (_, Security::Session(Mode::Tls12)) => Mark::HollowTriangle,
    };
    Style { colour: over(protocol.transport), stroke, mark }
}

/// The colour of a transport.
pub const fn over(transport: Transport) -> Colour {
    Colour::Over(transport)
}

/// The style of the nth agent; ours is the first.
pub fn agent(index: usize) -> Style {
    const MARKS: [Mark; 4] = [Mark::Disc, Mark::Ring, Mark::Cross, Mark::Square];
    Style { colour: other(index), stroke: Stroke::Solid, mark: MARKS[index % MARKS.len()] }
}

/// The style of the nth series of what is neither a protocol nor an agent.
pub fn series(index: usize) -> Style {
    const MARKS: [Mark; 4] = [Mark::Disc, Mark::Square, Mark::Diamond, Mark::Triangle];
    Style { colour: other(index), stroke: Stroke::Solid, mark: MARKS[index % MARKS.len()] }
}

/// The nth colour of what is not a transport.
pub fn other(index: usize) -> Colour {
    Colour::Other((index % OTHERS.len()) as u8)
}

/// The style of a paper's figures that belong to no single series of ours.
pub const PAPER: Style = Style { colour: Colour::Paper, stroke: Stroke::Dashed, mark: Mark::Disc };

/// The style of a paper's figures beside ours: its mark, in grey and dashed.
pub const fn paper_of(style: Style) -> Style {
    Style { colour: Colour::Paper, stroke: Stroke::Dashed, mark: style.mark }
}

impl Style {
    /// The same without a line between its points.
    pub const fn points(self) -> Style {
        self.with(Stroke::None)
    }

    /// The same with another stroke.
    pub const fn with(self, stroke: Stroke) -> Style {
        Style { stroke, ..self }
    }
}

impl Colour {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Colour> {
        let others = (0..OTHERS.len()).map(other);
        TRANSPORTS.into_iter().map(over).chain([Colour::Paper]).chain(others)
    }

    /// The class of what is drawn in it; the variable of its value has the same name.
    pub fn class(self) -> String {
        match self {
            Colour::Over(transport) => format!("c-{transport}").to_lowercase(),
            Colour::Paper => "c-paper".into(),
            Colour::Other(index) => format!("c-{index}"),
        }
    }

    /// Its value on a light and on a dark ground.
    pub fn values(self) -> [&'static str; 2] {
        match self {
            Colour::Over(Transport::Udp) => ["#3d4752", "#cdd6df"],
            Colour::Over(Transport::Tcp) => ["#9a6700", "#d9a336"],
            Colour::Over(Transport::Tls) => ["#1a7f37", "#4cc26a"],
            Colour::Over(Transport::Dtls) => ["#0b7b83", "#3fc3cf"],
            Colour::Over(Transport::Ssh) => ["#b3261e", "#ff7b72"],
            Colour::Over(Transport::Http) => ["#0550ae", "#6cb0ff"],
            Colour::Over(Transport::Https) => ["#8250df", "#c09bff"],
            Colour::Paper => ["#858e98", "#87919c"],
            Colour::Other(index) => OTHERS[usize::from(index) % OTHERS.len()],
        }
    }
}

/// The variables of all colours on both grounds, and their classes.
pub fn css() -> String {
    let values = |ground: usize| -> String {
        Colour::all().map(|colour| format!("--{}:{};", colour.class(), colour.values()[ground])).collect()
    };
    let mut css = format!(
        ":root{{{}}}@media (prefers-color-scheme:dark){{:root{{{}}}}}@media print{{:root{{{0}}}}}",
        values(0),
        values(1)
    );
    for colour in Colour::all() {
        let _ = write!(css, ".{0}{{color:var(--{0})}}", colour.class());
    }
    css
}

const TRANSPORTS: [Transport; 7] = [
    Transport::Udp,
    Transport::Tcp,
    Transport::Tls,
    Transport::Dtls,
    Transport::Ssh,
    Transport::Http,
    Transport::Https,
];

/// For colour-blind readers, too; none is near a transport's that appears beside it.
const OTHERS: [[&str; 2]; 7] = [
    ["#1260a8", "#5aa9f2"],
    ["#c2550a", "#ff9c4a"],
    ["#2b8a5a", "#52c98f"],
    ["#a33078", "#f08cc8"],
    ["#6b6f00", "#c2c74a"],
    ["#6d4aa8", "#b79bf0"],
    ["#0b7b83", "#3fc3cf"],
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_protocol_has_a_style_of_its_own() {
        let all = Protocol::all();
        let styles: HashSet<Style> = all.iter().map(|it| protocol(*it)).collect();
        assert_eq!(styles.len(), all.len());
        let old = Protocol::usm(Transport::Udp, Level::AuthPriv, Suite::Md5Aes);
        let new = Protocol::usm(Transport::Udp, Level::AuthPriv, Suite::Modern);
        assert_ne!(protocol(old), protocol(new));
        assert_eq!(protocol(old).colour, protocol(Protocol::v2c(Transport::Udp)).colour);
    }

    #[test]
    fn colours_are_readable_on_both_grounds() {
        for colour in Colour::all() {
            for (value, ground) in colour.values().into_iter().zip(["#ffffff", "#14181d"]) {
                let contrast = contrast(value, ground);
                assert!(contrast >= 3.0, "{colour:?} {value} on {ground}: {contrast:.1}");
            }
        }
    }

    #[test]
    fn both_grounds_define_every_variable() {
        let css = css();
        let (light, dark) = css.split_once("prefers-color-scheme:dark").unwrap();
        for colour in Colour::all() {
            let variable = format!("--{}:", colour.class());
            assert_eq!((light.matches(&variable).count(), dark.matches(&variable).count()), (1, 2));
            assert!(dark.contains(&format!(".{}{{", colour.class())));
        }
    }

    /// The contrast of WCAG 2.1.
    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    fn luminance(colour: &str) -> f64 {
        let part = |at: usize| {
            let share = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }
}
