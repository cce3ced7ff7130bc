//! The cookie of a session (RFC 6265).

use crate::SessionId;

/// The name of the cookie of a host and port. Browsers send cookies to every port of a host, so that each has its own.
///
/// Over HTTPS the prefix has the browser accept it only from this host, over HTTPS, for all paths.
pub fn name(is_https: bool, authority: &str) -> String {
    let port = authority.rsplit_once(':').map(|(_, port)| port);
    let is_port = |port: &&str| !port.is_empty() && port.bytes().all(|octet| octet.is_ascii_digit());
    let port = port.filter(is_port).unwrap_or(if is_https { "443" } else { "80" });
    format!("{}trunkline-{port}", if is_https { "__Host-" } else { "" })
}

/// The value of `Set-Cookie` that begins a session in a browser, until the browser is closed.
pub fn begin(is_https: bool, authority: &str, id: &SessionId) -> String {
    format!("{}={}{}", name(is_https, authority), id.secret(), attributes(is_https))
}

/// The value of `Set-Cookie` that ends it.
pub fn end(is_https: bool, authority: &str) -> String {
    format!("{}=; Max-Age=0{}", name(is_https, authority), attributes(is_https))
}

fn attributes(is_https: bool) -> &'static str {
    match is_https {
        true => "; Path=/; HttpOnly; SameSite=Strict; Secure",
        false => "; Path=/; HttpOnly; SameSite=Strict",
    }
}

/// The identifiers in a `Cookie` field under this host's and port's name, at most a few: others of the same host may have set one too.
pub fn find<'f>(field: &'f str, is_https: bool, authority: &str) -> impl Iterator<Item = SessionId> + 'f {
    let name = name(is_https, authority);
    let pairs = field.split(';').filter_map(|pair| pair.trim_matches([' ', '\t']).split_once('='));
    let values = pairs.filter(move |(known, _)| **known == name).map(|(_, value)| value);
    values.filter_map(move |value| SessionId::read(value.trim_matches('"'), is_https)).take(MOST_OF_NAME)
}

/// How many cookies of the name are looked at.
const MOST_OF_NAME: usize = 4;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use zeroize::Zeroizing;

    use super::*;

    #[test]
    fn each_port_has_its_name() {
        for (is_https, authority, expected) in [
            (false, "localhost:8080", "trunkline-8080"),
            (false, "localhost", "trunkline-80"),
            (true, "[::1]:8443", "__Host-trunkline-8443"),
            (true, "agent.example.net", "__Host-trunkline-443"),
            (true, "[::1]", "__Host-trunkline-443"),
            (false, "a:b", "trunkline-80"),
        ] {
            assert_eq!(name(is_https, authority), expected, "{authority}");
        }
    }

    #[test]
    fn it_is_sent_to_this_host_alone_and_no_script_reads_it() {
        let id = SessionId::new(&Zeroizing::new([0; 32]), true);
        let secret = "A".repeat(43);
        assert_eq!(
            begin(true, "a", &id),
            format!("__Host-trunkline-443={secret}; Path=/; HttpOnly; SameSite=Strict; Secure")
        );
        assert_eq!(
            begin(false, "a:1", &id),
            format!("trunkline-1={secret}; Path=/; HttpOnly; SameSite=Strict")
        );
        assert_eq!(end(false, "a:1"), "trunkline-1=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict");
    }

    #[test]
    fn others_are_left_alone() {
        let id = "b".repeat(43);
        let found =
            |field: &str| find(field, false, "a:1").map(|id| id.secret().to_owned()).collect::<Vec<_>>();
        assert_eq!(found(&format!("a=1; trunkline-1={id}; t=2")), [id.as_str()]);
        assert_eq!(found(&format!("trunkline-1=\"{id}\"")), [id.as_str()]);
        assert_eq!(
            found(&format!(
                "xtrunkline-1={id}; trunkline-1=; trunkline-1=short; Trunkline-1={id}; trunkline-2={id}"
            )),
            Vec::<String>::new()
        );
        assert_eq!(found(&format!("trunkline-1={id};").repeat(9)).len(), MOST_OF_NAME);
    }

    proptest! {
        #[test]
        fn what_was_begun_is_found(random: [u8; 32], before in "[a-z]{1,5}=[!-:<-~]{0,9}; ") {
            let id = SessionId::new(&Zeroizing::new(random), true);
            let set = begin(true, "host:9", &id);
            let field = format!("{before}{}", set.split(';').next().unwrap());
            let found: Vec<_> = find(&field, true, "host:9").map(|id| id.secret().to_owned()).collect();
            prop_assert_eq!(found, vec![id.secret().to_owned()]);
        }
    }
}
