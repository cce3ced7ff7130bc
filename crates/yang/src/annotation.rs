//! What is known of an instance beyond its value (RFC 7952): where it comes from (RFC 8342 section 5.3.4), and whether it is a default
//! (RFC 6243 section 3.4).

/// What is known of an instance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Annotation {
    /// Where it comes from; `None`: from where that comes which it is in.
    pub origin: Option<Origin>,
    /// Whether nobody has set it.
    pub is_default: bool,
}

/// Where an instance of the operational datastore comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// From the configuration.
    Intended,
    /// From the agent's configuration file, which is part of that.
    File,
    /// From a dynamic datastore.
    Dynamic,
    /// From the system itself.
    System,
    /// From other systems.
    Learned,
    /// It is a default.
    Default,
    /// It cannot be said.
    Unknown,
}

/// The identities of a request, as a filter on origins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OriginFilter {
    /// A bit for each origin that passes.
    passing: u8,
}

impl Annotation {
    /// Of an instance that comes from there.
    pub const fn from(origin: Origin) -> Annotation {
        Annotation { origin: Some(origin), is_default: false }
    }
}

impl Origin {
    /// All of them.
    pub const ALL: [Origin; 7] = [
        Origin::Intended,
        Origin::File,
        Origin::Dynamic,
        Origin::System,
        Origin::Learned,
        Origin::Default,
        Origin::Unknown,
    ];

    /// The identity.
    pub const fn name(self) -> &'static str {
        match self {
            Origin::Intended => "intended",
            Origin::File => "configuration-file",
            Origin::Dynamic => "dynamic",
            Origin::System => "system",
            Origin::Learned => "learned",
            Origin::Default => "default",
            Origin::Unknown => "unknown",
        }
    }

    /// The prefix with which the identity is written, and its namespace.
    pub const fn module(self) -> (&'static str, &'static str) {
        match self {
            Origin::File => OWN_ORIGIN,
            _ => ORIGIN,
        }
    }

    /// The origin that an identity is.
    pub fn of(namespace: &str, name: &str) -> Option<Origin> {
        Origin::ALL.into_iter().find(|it| it.module().1 == namespace && it.name() == name)
    }

    /// What it is derived from or equal to, as bits.
    const fn kinds(self) -> u8 {
        let own = 1 << self as u8;
        match self {
            Origin::File => own | 1 << Origin::Intended as u8,
            _ => own,
        }
    }
}

impl OriginFilter {
    /// What is derived from, or equal to, one of these passes; with `is_negated` what is not.
    pub fn new(origins: impl IntoIterator<Item = Origin>, is_negated: bool) -> OriginFilter {
        let wanted = origins.into_iter().fold(0, |bits, it| bits | 1 << it as u8);
        let passes = |it: &Origin| (it.kinds() & wanted != 0) != is_negated;
        let passing = Origin::ALL.into_iter().filter(passes).fold(0, |bits, it| bits | 1 << it as u8);
        OriginFilter { passing }
    }

    /// Whether an origin passes.
    pub const fn passes(self, origin: Origin) -> bool {
        self.passing & (1 << origin as u8) != 0
    }
}

/// The prefix and the namespace of the IETF's origins.
pub const ORIGIN: (&str, &str) = ("or", "urn:ietf:params:xml:ns:yang:ietf-origin");
/// The same of the origin that is the agent's own.
pub const OWN_ORIGIN: (&str, &str) = ("tlo", "urn:trunkline:yang:origin");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_pass_by_what_they_are_derived_from() {
        let passing = |origins: &[Origin], is_negated| {
            let filter = OriginFilter::new(origins.iter().copied(), is_negated);
            Origin::ALL.into_iter().filter(|it| filter.passes(*it)).collect::<Vec<_>>()
        };
        assert_eq!(passing(&[Origin::Intended], false), [Origin::Intended, Origin::File]);
        assert_eq!(passing(&[Origin::File], false), [Origin::File]);
        assert_eq!(passing(&[Origin::File, Origin::Learned], false), [Origin::File, Origin::Learned]);
        assert_eq!(passing(&[Origin::Intended], true), Origin::ALL[2..]);
        assert_eq!(passing(&[], true), Origin::ALL);
        assert_eq!(passing(&[], false), []);
        for origin in Origin::ALL {
            assert_eq!(Origin::of(origin.module().1, origin.name()), Some(origin));
        }
        // The base of all is not one of them.
        assert_eq!(Origin::of(ORIGIN.1, "origin"), None);
        assert_eq!(Origin::of(ORIGIN.1, "configuration-file"), None);
    }
}
