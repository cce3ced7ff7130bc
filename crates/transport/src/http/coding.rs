//! Content codings (RFC 9110 section 8.4.1), and negotiating them (section 12.5.3).

use http::{HeaderMap, HeaderValue, header};

/// A coding of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coding {
    /// RFC 1952.
    Gzip,
    /// The zlib format (RFC 1950), as HTTP defines it.
    Deflate,
}

impl Coding {
    /// Its name in header fields.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
        }
    }

    /// How the tags of bodies in it end.
    const fn end_of_tag(self) -> &'static str {
        match self {
            Self::Gzip => "-gzip\"",
            Self::Deflate => "-deflate\"",
        }
    }

    /// `None` for other codings; `x-gzip` is the same as `gzip`.
    fn of(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") {
            Some(Self::Gzip)
        } else if name.eq_ignore_ascii_case("deflate") {
            Some(Self::Deflate)
        } else {
            None
        }
    }
}

/// The entity tag of a body in a coding, of that of the body: octets that differ have strong tags that differ (RFC 9110 section 8.8.3.3).
/// `None`: it is a weak one, which is that of the body in any coding.
pub(super) fn tag_in(coding: Coding, tag: &HeaderValue) -> Option<HeaderValue> {
    let text = tag.to_str().ok()?.strip_suffix('"').filter(|text| text.starts_with('"'))?;
    HeaderValue::from_str(&format!("{text}{}", coding.end_of_tag())).ok()
}

/// Makes each of a request's conditions one field, since several lines are one list (RFC 9110 section 5.3), with the tags of bodies without
/// a coding, which handlers know. What `If-None-Match` had before is returned.
pub(super) fn forget_codings(headers: &mut HeaderMap) -> Option<HeaderValue> {
    let mut none_match = None;
    for name in [header::IF_MATCH, header::IF_NONE_MATCH] {
        let lines: Vec<&[u8]> = headers.get_all(&name).iter().map(HeaderValue::as_bytes).collect();
        if lines.is_empty() {
            continue;
        }
        let Ok(whole) = HeaderValue::from_bytes(&lines.join(&b", "[..])) else { continue };
        let plain = whole.to_str().ok().and_then(|text| {
            let codings = [Coding::Gzip, Coding::Deflate];
            let plain = codings.iter().fold(text.to_owned(), |text, it| text.replace(it.end_of_tag(), "\""));
            HeaderValue::from_str(&plain).ok()
        });
        if name == header::IF_NONE_MATCH {
            none_match = Some(whole.clone());
        }
        headers.insert(name, plain.unwrap_or(whole));
    }
    none_match
}

/// What a peer accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The coding that it prefers among ours; `None` if it accepts none.
    pub coding: Option<Coding>,
    /// Whether it accepts an uncompressed body.
    pub identity: bool,
}

/// The coding of a body is not supported, or there are several.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("content coding `{found}` is not understood: send gzip, deflate or none")]
pub struct UnknownCoding {
    /// The text of the header field, cut to 64 characters.
    pub found: String,
}

/// The one coding of a body.
///
/// # Errors
/// [`UnknownCoding`].
pub fn content_coding(headers: &HeaderMap) -> Result<Option<Coding>, UnknownCoding> {
    let mut found = None;
    for value in headers.get_all(header::CONTENT_ENCODING) {
        let unknown = |text: &str| UnknownCoding { found: text.chars().take(64).collect() };
        let text = value.to_str().map_err(|_| unknown("(not ASCII)"))?;
        for name in text.split(',').map(str::trim) {
            if name.is_empty() || name.eq_ignore_ascii_case("identity") {
                continue;
            }
            let coding = Coding::of(name).filter(|_| found.is_none()).ok_or_else(|| unknown(text))?;
            found = Some(coding);
        }
    }
    Ok(found)
}

/// What the `Accept-Encoding` fields of a request allow. Without one nothing is compressed: a peer that does not
/// request it may not be able to decompress. Malformed items are ignored.
#[must_use]
pub fn accepted(headers: &HeaderMap) -> Accepted {
    let values = headers.get_all(header::ACCEPT_ENCODING);
    accepted_in(values.iter().map(|value| value.as_bytes()))
}

/// The same from the values of the fields.
pub fn accepted_in<'a>(values: impl Iterator<Item = &'a [u8]>) -> Accepted {
    let (mut gzip, mut deflate, mut identity, mut others) = (None, None, None, None);
    let all = values.filter_map(|value| std::str::from_utf8(value).ok());
    for item in all.flat_map(|value| value.split(',')) {
        let mut parts = item.split(';');
        let name = parts.next().unwrap_or_default().trim();
        let Some(weight) = weight(parts) else { continue };
        let place = match Coding::of(name) {
            Some(Coding::Gzip) => &mut gzip,
            Some(Coding::Deflate) => &mut deflate,
            None if name.eq_ignore_ascii_case("identity") => &mut identity,
            None if name == "*" => &mut others,
            None => continue,
        };
        *place = Some(weight.max(place.unwrap_or(0)));
    }
    let rest = others.unwrap_or(0);
    let (gzip, deflate) = (gzip.unwrap_or(rest), deflate.unwrap_or(rest));
    // Unless it is excluded, explicitly or with all others.
    let identity_weight = identity.or(others).unwrap_or(1);
    let best = if deflate > gzip { (Coding::Deflate, deflate) } else { (Coding::Gzip, gzip) };
    let liked = best.1 > 0 && identity.is_none_or(|plain| best.1 >= plain);
    Accepted { coding: liked.then_some(best.0), identity: identity_weight > 0 }
}

/// The weight after a name in thousandths: 1 if none is given, `None` if it is invalid (section 12.4.2).
fn weight<'a>(parameters: impl Iterator<Item = &'a str>) -> Option<u16> {
    let mut weight = 1_000;
    for parameter in parameters {
        let (name, value) = parameter.split_once('=')?;
        if name.trim().eq_ignore_ascii_case("q") {
            weight = thousandths(value.trim())?;
        }
    }
    Some(weight)
}

/// `0`, `0.` and up to three digits, or `1`, `1.` and up to three zeros.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let places = [100, 10, 1];
    let part: u16 = fraction.bytes().zip(places).map(|(digit, place)| u16::from(digit - b'0') * place).sum();
    match whole {
        "0" => Some(part),
        "1" if part == 0 => Some(1_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn said(text: &str) -> Accepted {
        accepted_in(std::iter::once(text.as_bytes()))
    }

    #[test]
    fn tags_say_in_which_coding_a_body_is() {
        let field = |text: &'static str| HeaderValue::from_static(text);
        assert_eq!(tag_in(Coding::Gzip, &field("\"a\"")), Some(field("\"a-gzip\"")));
        assert_eq!(tag_in(Coding::Deflate, &field("\"a\"")), Some(field("\"a-deflate\"")));
        for other in ["W/\"a\"", "a", "\"", ""] {
            let tagged = tag_in(Coding::Gzip, &field(other));
            assert_eq!(tagged, None, "{other}");
        }
        for (given, plain) in [
            ("\"a-gzip\"", "\"a\""),
            ("\"a-deflate\", W/\"b-gzip\",\"c\"", "\"a\", W/\"b\",\"c\""),
            ("*", "*"),
            ("\"gzip\"", "\"gzip\""),
        ] {
            let mut headers = HeaderMap::new();
            headers.append(header::IF_NONE_MATCH, field(given));
            headers.append(header::IF_NONE_MATCH, field("\"d-gzip\""));
            headers.append(header::IF_MATCH, field(given));
            // Several lines are one list (RFC 9110 section 5.3).
            assert_eq!(forget_codings(&mut headers).unwrap(), format!("{given}, \"d-gzip\""));
            let all: Vec<&HeaderValue> = headers.get_all(header::IF_NONE_MATCH).iter().collect();
            assert_eq!(all, [&format!("{plain}, \"d\"")], "{given}");
            assert_eq!(headers.get(header::IF_MATCH).unwrap(), plain);
        }
        assert_eq!(forget_codings(&mut HeaderMap::new()), None);
    }

    #[test]
    fn the_best_accepted_coding_is_chosen() {
        let (gzip, deflate) = (Some(Coding::Gzip), Some(Coding::Deflate));
        for (text, coding, identity) in [
            ("gzip", gzip, true),
            ("GZIP, deflate, br", gzip, true),
            ("deflate", deflate, true),
            ("deflate;q=1.0, gzip;q=0.5", deflate, true),
            ("gzip ; q = 0.001", gzip, true),
            ("gzip;q=0", None, true),
            ("gzip;q=0, *", deflate, true),
            ("*;q=0", None, false),
            ("*", gzip, true),
            ("identity;q=0, gzip;q=0.2", gzip, false),
            ("identity, gzip;q=0.5", None, true),
            ("identity;q=0.5, gzip;q=0.5", gzip, true),
            ("br, zstd", None, true),
            ("", None, true),
            ("gzip;q=2", None, true),
            ("gzip;q=0.1234", None, true),
            ("gzip;q=-1", None, true),
            ("gzip;q", None, true),
            ("x-gzip", gzip, true),
        ] {
            assert_eq!(said(text), Accepted { coding, identity }, "{text}");
        }
        assert_eq!(accepted(&HeaderMap::new()), Accepted { coding: None, identity: true });
    }

    #[test]
    fn a_body_has_one_coding() {
        let coded = |texts: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for text in texts {
                headers.append(header::CONTENT_ENCODING, HeaderValue::from_static(text));
            }
            content_coding(&headers)
        };
        assert_eq!(coded(&[]), Ok(None));
        assert_eq!(coded(&["identity"]), Ok(None));
        assert_eq!(coded(&["X-GZip"]), Ok(Some(Coding::Gzip)));
        assert_eq!(coded(&["deflate, identity"]), Ok(Some(Coding::Deflate)));
        assert_eq!(coded(&["br"]).unwrap_err().found, "br");
        assert_eq!(coded(&["gzip, gzip"]).unwrap_err().found, "gzip, gzip");
        assert!(coded(&["gzip", "deflate"]).is_err());
    }

    proptest! {
        #[test]
        fn a_weight_is_what_was_written(thousandth in 0u16..=1_000) {
            let text = format!("{}.{:03}", thousandth / 1_000, thousandth % 1_000);
            prop_assert_eq!(thousandths(&text), Some(thousandth));
        }

        #[test]
        fn nothing_that_is_sent_does_harm(octets: Vec<u8>) {
            let accepted = accepted_in(std::iter::once(octets.as_slice()));
            let names = String::from_utf8_lossy(&octets).to_ascii_lowercase();
            if accepted.coding.is_some() {
                prop_assert!(["gzip", "deflate", "*"].iter().any(|name| names.contains(name)));
            }
        }
    }
}
