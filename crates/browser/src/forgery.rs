//! Whether a session counts for a request. A browser sends the cookie with whatever request goes to its host, also where a page
//! of somebody else caused it, so that more must show that it was our page.

/// What a request with a session's cookie shows of where it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'r> {
    /// Whether it only reads (RFC 9110 section 9.2.1).
    pub is_safe: bool,
    /// The page that sent it, by its `Origin`.
    pub origin: Origin,
    /// `Sec-Fetch-Site`: browsers send it over HTTPS, and to loopback.
    pub site: Option<&'r str>,
    /// The token that it has in [`FIELD`].
    pub token: Option<&'r str>,
}

/// An `Origin` field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// There is none.
    Absent,
    /// That of the server itself.
    Ours,
    /// Another one.
    Foreign,
}

/// What follows for the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The request is the session's.
    Counts,
    /// Another site caused it: it is as if there were no cookie.
    Ignored,
    /// It would change something, and does not show that it is our page's.
    Refused(Forged),
}

/// Why a request is not our page's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Forged {
    /// Neither `Origin` nor `Sec-Fetch-Site` says that it comes from here.
    #[error("a session changes something only from its own page: Origin or Sec-Fetch-Site must say so")]
    Origin,
    /// Without the token.
    #[error("a session changes something only with its token in Trunkline-Token")]
    Token,
}

/// The name of the field that has the token, in lower case. Pages of other origins cannot send it without being allowed to.
pub const FIELD: &str = "trunkline-token";

/// Whether the session with this token counts.
pub fn judge(shown: Shown<'_>, token: &str) -> Verdict {
    let is_of_others = shown.site.is_some_and(|site| !matches!(site, "same-origin" | "none"));
    if is_of_others || shown.origin == Origin::Foreign {
        return Verdict::Ignored;
    }
    if shown.is_safe {
        return Verdict::Counts;
    }
    if shown.origin != Origin::Ours && shown.site != Some("same-origin") {
        return Verdict::Refused(Forged::Origin);
    }
    if shown.token.is_some_and(|shown| is_same(shown.as_bytes(), token.as_bytes())) {
        Verdict::Counts
    } else {
        Verdict::Refused(Forged::Token)
    }
}

/// Whether a form that was posted is our page's: the first one of a visit, for which there is no session yet.
pub fn is_own_form(origin: Origin, site: Option<&str>) -> bool {
    let is_ours = origin == Origin::Ours || site == Some("same-origin");
    is_ours && origin != Origin::Foreign && site.is_none_or(|site| site == "same-origin")
}

/// Takes the same time wherever they differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |all, (one, other)| all | (one ^ other)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_counts_for_its_own_page_alone() {
        use Origin::{Absent, Foreign, Ours};
        use Verdict::{Counts, Ignored, Refused};
        const READ: bool = true;
        const WRITE: bool = false;
        for (is_safe, origin, site, token, expected) in [
            (READ, Absent, None, None, Counts),
            (READ, Absent, Some("none"), None, Counts),
            (READ, Absent, Some("same-origin"), None, Counts),
            (READ, Ours, None, None, Counts),
            (READ, Absent, Some("cross-site"), None, Ignored),
            (READ, Absent, Some("same-site"), None, Ignored),
            (READ, Absent, Some("something"), None, Ignored),
            (READ, Foreign, None, Some("right"), Ignored),
            (WRITE, Ours, None, Some("right"), Counts),
            (WRITE, Ours, Some("same-origin"), Some("right"), Counts),
            (WRITE, Absent, Some("same-origin"), Some("right"), Counts),
            (WRITE, Ours, Some("cross-site"), Some("right"), Ignored),
            (WRITE, Foreign, Some("same-origin"), Some("right"), Ignored),
            (WRITE, Absent, None, Some("right"), Refused(Forged::Origin)),
            (WRITE, Absent, Some("none"), Some("right"), Refused(Forged::Origin)),
            (WRITE, Ours, None, None, Refused(Forged::Token)),
            (WRITE, Ours, None, Some("wrong"), Refused(Forged::Token)),
            (WRITE, Ours, None, Some(""), Refused(Forged::Token)),
        ] {
            let shown = Shown { is_safe, origin, site, token };
            assert_eq!(judge(shown, "right"), expected, "{shown:?}");
        }
    }

    #[test]
    fn a_form_of_another_page_logs_nobody_in() {
        for (origin, site, expected) in [
            (Origin::Ours, None, true),
            (Origin::Ours, Some("same-origin"), true),
            (Origin::Absent, Some("same-origin"), true),
            (Origin::Absent, None, false),
            (Origin::Ours, Some("cross-site"), false),
            (Origin::Foreign, Some("same-origin"), false),
            (Origin::Foreign, None, false),
        ] {
            assert_eq!(is_own_form(origin, site), expected, "{origin:?} {site:?}");
        }
    }
}
