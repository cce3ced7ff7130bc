//! Media types (RFC 8040 section 11.3), and which of them a client accepts (RFC 9110 section 12.5.1).

use crate::refusal::Refusal;

/// How data is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// RFC 7951.
    Json,
    /// RFC 7950.
    Xml,
}

impl Encoding {
    /// `application/yang-data+json` or `+xml`.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Encoding::Json => "application/yang-data+json",
            Encoding::Xml => "application/yang-data+xml",
        }
    }

    /// That of a body with this media type, which may have parameters.
    ///
    /// # Errors
    /// 415: another type, or none.
    pub fn of_body(content_type: Option<&str>) -> Result<Encoding, Refusal> {
        let media_type = content_type.map(|it| it.split(';').next().unwrap_or(it).trim()).unwrap_or_default();
        let is_it = |encoding: &Encoding| media_type.eq_ignore_ascii_case(encoding.media_type());
        [Encoding::Json, Encoding::Xml].into_iter().find(is_it).ok_or_else(|| {
            let found = if media_type.is_empty() { "none" } else { media_type };
            Refusal::new(415, &format!("the Content-Type must be {EITHER}, found {found}"))
        })
    }

    /// That of a YANG Patch with this media type (RFC 8072 section 3); `None`: it is something else.
    #[must_use]
    pub fn of_patch(content_type: Option<&str>) -> Option<Encoding> {
        let media_type = content_type?.split(';').next().unwrap_or_default().trim();
        let all =
            [("application/yang-patch+json", Encoding::Json), ("application/yang-patch+xml", Encoding::Xml)];
        all.into_iter().find(|(name, _)| media_type.eq_ignore_ascii_case(name)).map(|(_, encoding)| encoding)
    }

    /// The one that an answer has, of the value of `Accept`. Without that field it is `usual`.
    ///
    /// # Errors
    /// 406: the client accepts neither.
    pub fn accepted(accept: Option<&str>, usual: Encoding) -> Result<Encoding, Refusal> {
        let Some(accept) = accept else { return Ok(usual) };
        let other = if usual == Encoding::Json { Encoding::Xml } else { Encoding::Json };
        let weight = |it: Encoding| match it {
            Encoding::Json => quality(accept, it.media_type()),
            // A list as a whole has a type of its own.
            Encoding::Xml => quality(accept, it.media_type()).max(quality(accept, XML_LIST)),
        };
        let [of_usual, of_other] = [usual, other].map(weight);
        match of_usual.max(of_other) {
            0 => Err(Refusal::new(406, &format!("answers have the type {EITHER}, and Accept has neither"))),
            _ => Ok(if of_other > of_usual { other } else { usual }),
        }
    }
}

/// The media type of all entries of a list in XML (draft-ietf-netconf-list-pagination-rc-10 section 2.2).
pub const XML_LIST: &str = "application/yang-data+xml-list";

/// How much a media type is wanted, from 0 (not at all) to 1000. The most specific range decides.
#[must_use]
pub fn quality(accept: &str, media_type: &str) -> u32 {
    let mut found = (0, 0);
    for range in accept.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let kind = media_type.split('/').next().unwrap_or_default();
        let specific = match name.split_once('/') {
            Some(("*", "*")) => 1,
            Some((of_kind, "*")) if of_kind.eq_ignore_ascii_case(kind) => 2,
            _ if name.eq_ignore_ascii_case(media_type) => 3,
            _ => continue,
        };
        let weight = parts.find_map(|it| it.strip_prefix("q=").or_else(|| it.strip_prefix("Q=")));
        let weight = weight.map_or(Some(1000), thousandths).unwrap_or(0);
        if specific > found.0 {
            found = (specific, weight);
        }
    }
    found.1
}

/// A weight such as `0.5` (RFC 9110 section 12.4.2).
fn thousandths(text: &str) -> Option<u32> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    if !matches!(whole, "0" | "1") || rest.len() > 3 || !rest.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let rest: u32 = format!("{rest:0<3}").parse().ok()?;
    Some((whole.parse::<u32>().ok()? * 1000 + rest).min(1000))
}

const EITHER: &str = "application/yang-data+json or application/yang-data+xml";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_what_the_client_prefers() {
        const XML: &str = "application/yang-data+xml";
        let cases: [(Option<&str>, Option<Encoding>); 11] = [
            (None, Some(Encoding::Json)),
            (Some("*/*"), Some(Encoding::Json)),
            (Some(XML), Some(Encoding::Xml)),
            (Some("application/*"), Some(Encoding::Json)),
            (Some("application/*;q=0.1, APPLICATION/yang-data+xml ; q=0.2"), Some(Encoding::Xml)),
            (Some("application/yang-data+json;q=0, */*"), Some(Encoding::Xml)),
            (Some("text/html"), None),
            (Some(""), None),
            (Some("application/yang-data+json;q=0"), None),
            (Some("*/*;q=2"), None),
            (Some("text/html,application/xhtml+xml,*/*;q=0.8"), Some(Encoding::Json)),
        ];
        for (accept, expected) in cases {
            let found = Encoding::accepted(accept, Encoding::Json);
            assert_eq!(found.as_ref().ok().copied(), expected, "{accept:?}");
            assert!(found.is_ok() || found.is_err_and(|it| it.status == 406));
        }
    }

    #[test]
    fn a_body_says_what_it_is() {
        let of = |text: &str| Encoding::of_body(Some(text)).map_err(|it| it.status);
        assert_eq!(of("application/yang-data+json; charset=utf-8"), Ok(Encoding::Json));
        assert_eq!(of("Application/YANG-data+XML"), Ok(Encoding::Xml));
        assert_eq!(of("application/json"), Err(415));
        assert_eq!(Encoding::of_patch(Some("application/yang-patch+JSON;x")), Some(Encoding::Json));
        assert_eq!(Encoding::of_patch(Some("application/yang-patch+xml")), Some(Encoding::Xml));
        assert_eq!(Encoding::of_patch(Some("application/yang-data+xml")), None);
        assert_eq!(Encoding::of_body(None).map_err(|it| it.status), Err(415));
    }
}
