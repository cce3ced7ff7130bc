//! The files of the page. They are the same for everybody and hold nothing of the machine, so that anybody may have them.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::sync::OnceLock;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// A file of the page.
#[derive(Debug)]
pub struct File {
    /// Its name below `BASE/browser/`; that of the page itself is empty.
    pub name: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    octets: &'static [u8],
    tag: OnceLock<String>,
    packed: OnceLock<Vec<u8>>,
}

impl File {
    const fn new(name: &'static str, media_type: &'static str, octets: &'static [u8]) -> File {
        File { name, media_type, octets, tag: OnceLock::new(), packed: OnceLock::new() }
    }

    /// Its content.
    pub const fn octets(&self) -> &'static [u8] {
        self.octets
    }

    /// The same compressed (gzip), once and as small as it gets.
    pub fn packed(&'static self) -> &'static [u8] {
        self.packed.get_or_init(|| packed(self.octets))
    }

    /// Its entity tag (RFC 9110 section 8.8.3).
    pub fn tag(&self) -> &str {
        self.tag.get_or_init(|| tag(self.octets))
    }
}

/// The entity tag of a content.
pub fn tag(octets: &[u8]) -> String {
    let mut tag = String::with_capacity(18);
    tag.push('"');
    for octet in &Sha256::digest(octets)[..8] {
        // Writing to a string never fails.
        let _ = write!(tag, "{octet:02x}");
    }
    tag.push('"');
    tag
}

/// A content, compressed (gzip).
pub fn packed(octets: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(octets.len() / 3), Compression::best());
    // Writing to memory never fails.
    let _ = encoder.write_all(octets);
    let mut packed = encoder.finish().unwrap_or_default();
    packed.shrink_to_fit();
    packed
}

/// What was compressed by [`packed`].
pub fn unpacked(octets: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    // It was compressed here.
    let _ = GzDecoder::new(octets).read_to_end(&mut plain);
    plain
}

/// Whether a condition of a request (`If-None-Match`) has this tag.
pub fn is_known(if_none_match: &str, tag: &str) -> bool {
    let mut tags = if_none_match.split(',').map(|it| it.trim().trim_start_matches("W/"));
    if_none_match.trim() == "*" || tags.any(|it| it == tag)
}

/// The file of this name.
pub fn find(name: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.name == name)
}

/// The page for a principal.
pub fn page() -> &'static File {
    &FILES[0]
}

/// The page for everybody else: the form of the login, with what was wrong before, and a warning where the password is not protected.
pub fn login(wrong: Option<&str>, is_protected: bool) -> Vec<u8> {
    let mut message = match wrong {
        Some(wrong) => format!("<p role=\"alert\" class=\"wrong\">{}</p>", crate::plain::escaped(wrong)),
        None => String::new(),
    };
    if !is_protected {
        message.push_str(NOT_PROTECTED);
    }
    LOGIN.replace("<!--message-->", &message).into_bytes()
}

/// Fields of every answer that is a page: it runs nothing and loads nothing but what comes from here, and nobody frames it.
///
/// The referrer policy is not `no-referrer`: with that a form has `Origin: null`, and nothing tells ours from that of others.
pub const OF_PAGES: [(&str, &str); 5] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; \
         frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// Fields of every other answer.
pub const OF_FILES: [(&str, &str); 2] =
    [("x-content-type-options", "nosniff"), ("cross-origin-resource-policy", "same-origin")];

/// The media type of pages.
pub const HTML: &str = "text/html; charset=utf-8";
/// The media type of answers to scripts.
pub const JSON: &str = "application/json";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! script {
    ($name:literal) => {
        File::new($name, SCRIPT, include_bytes!(concat!("../page/", $name)))
    };
}

static FILES: [File; 17] = [
    File::new("", HTML, include_bytes!("../page/index.html")),
    File::new("style.css", "text/css; charset=utf-8", include_bytes!("../page/style.css")),
    File::new("icon.svg", "image/svg+xml", include_bytes!("../page/icon.svg")),
    script!("login.js"),
    script!("app.js"),
    script!("data.js"),
    script!("dom.js"),
    script!("rates.js"),
    script!("overview.js"),
    script!("tree.js"),
    script!("entries.js"),
    script!("devices.js"),
    script!("groups.js"),
    script!("table.js"),
    script!("chart.js"),
    script!("events.js"),
    script!("access.js"),
];

const NOT_PROTECTED: &str =
    "<p class=\"about\">This connection is not encrypted: everybody on the path can read the password.</p>";
const LOGIN: &str = include_str!("../page/login.html");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_served_compressed_and_under_a_tag() {
        for file in &FILES {
            assert_eq!(find(file.name).map(File::tag), Some(file.tag()), "{}", file.name);
            assert_eq!(unpacked(file.packed()), file.octets());
        }
        assert!(find("login.html").is_none());
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/page")).unwrap();
        // The page, and that of the login, have no name.
        assert_eq!(folder.count(), FILES.len() + 1);
    }

    #[test]
    fn the_page_is_small() {
        let all: usize = FILES.iter().map(|file| file.packed().len() + OF_HEADERS).sum();
        assert!(all < MOST_OCTETS, "{all} octets");
    }

    /// All of it, with the fields of its answers.
    const MOST_OCTETS: usize = 60_000;
    const OF_HEADERS: usize = 700;

    #[test]
    fn the_page_has_nothing_inline_and_nothing_of_others() {
        for file in &FILES {
            let text = std::str::from_utf8(file.octets()).unwrap();
            let foreign = text.match_indices("://").filter(|(at, _)| {
                !text[..*at].ends_with("http") || !text[*at..].starts_with("://www.w3.org/")
            });
            assert_eq!(foreign.count(), 0, "{}", file.name);
            for way in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "new Function",
                " style=\"",
                " onclick=",
                "<script>",
            ] {
                assert!(!text.contains(way), "{}: {way}", file.name);
            }
        }
    }

    #[test]
    fn what_was_wrong_is_text() {
        let page = String::from_utf8(login(Some("<b>\"&"), true)).unwrap();
        assert!(page.contains("<p role=\"alert\" class=\"wrong\">&lt;b&gt;&quot;&amp;</p>"), "{page}");
        assert!(!page.contains("not encrypted"), "{page}");
        let page = String::from_utf8(login(None, false)).unwrap();
        assert!(!page.contains("role=\"alert\"") && page.contains("not encrypted"), "{page}");
    }

    #[test]
    fn conditions_name_tags() {
        for (field, known) in
            [("\"a\"", true), ("\"b\", W/\"a\"", true), ("*", true), ("\"b\"", false), ("", false)]
        {
            assert_eq!(is_known(field, "\"a\""), known, "{field}");
        }
    }
}
