//! Lines of authorized_keys as people write them, right and wrong.

use proptest::prelude::*;

use super::*;

const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";

fn only(text: &str) -> Result<AuthorizedKey, LineFault> {
    let mut lines = lines(text);
    let (_, line) = lines.next().unwrap();
    assert!(lines.next().is_none());
    line
}

fn peer(address: &str) -> IpAddr {
    address.parse().unwrap()
}

#[test]
fn comments_and_empty_lines_are_skipped() {
    let text = format!("# mine\n\n   \n\t{KEY} me@here and more words\n");
    let all: Vec<_> = lines(&text).collect();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].0, 4);
    assert!(all[0].1.as_ref().unwrap().fingerprint().starts_with("SHA256:"));
}

#[test]
fn options_about_features_never_offered_hold_anyway() {
    assert!(only(&format!("restrict {KEY}")).is_ok());
    assert!(only(&format!("no-pty,NO-X11-forwarding,permitopen=\"a b:1,c:2\" {KEY} x")).is_ok());
}

#[test]
fn unenforceable_options_accept_nobody() {
    for option in ["command=\"echo \\\"a b\\\"\"", "cert-authority", "principals=\"root\"", "verify-required"]
    {
        let name = option.split('=').next().unwrap();
        let line = only(&format!("{option} {KEY}"));
        assert_eq!(line, Err(LineFault::Option(name.into())), "{option}");
    }
    assert_eq!(
        only(&format!("expiry-time=\"20300101\" {KEY}")),
        Err(LineFault::Option("expiry-time".into()))
    );
    assert_eq!(only(&format!("from {KEY}")), Err(LineFault::Option("from".into())));
    assert_eq!(only(&format!("command=\"no end {KEY}")), Err(LineFault::Quotes));
    assert_eq!(only("ssh-ed25519"), Err(LineFault::NoKey));
    assert!(only("ssh-ed25519 AAAA").is_err());
    assert!(only(&KEY.replace("ssh-ed25519 ", "ssh-rsa ")).is_err(), "the kind is in the octets too");
}

#[test]
fn from_restricts_addresses() {
    let key = only(&format!("from=\"192.0.2.*,!192.0.2.9,2001:db8::/32,10.0.0.0/8\" {KEY}")).unwrap();
    for yes in ["192.0.2.1", "2001:db8:5::1", "10.200.1.1", "::ffff:192.0.2.1"] {
        assert!(key.admits(peer(yes)), "{yes}");
    }
    for no in ["192.0.2.9", "192.0.3.1", "2001:db9::1", "11.0.0.1", "::1"] {
        assert!(!key.admits(peer(no)), "{no}");
    }
    let nowhere = only(&format!("from=\"manager.example.net\" {KEY}")).unwrap();
    assert!(!nowhere.admits(peer("192.0.2.1")));
    let twice = only(&format!("from=\"*\",from=\"192.0.2.1\" {KEY}")).unwrap();
    assert!(twice.admits(peer("192.0.2.1")) && !twice.admits(peer("192.0.2.2")));
    let everywhere = only(&format!("from=\"0.0.0.0/0\" {KEY}")).unwrap();
    assert!(everywhere.admits(peer("192.0.2.1")) && !everywhere.admits(peer("::1")));
}

#[test]
fn wildcards() {
    for (pattern, text, is) in [
        ("*", "", true),
        ("a*c", "abbc", true),
        ("a*c", "abbcd", false),
        ("?.?", "1.2", true),
        ("?", "", false),
        ("*.*.", "a.b.", true),
        ("", "", true),
        ("", "a", false),
    ] {
        assert_eq!(wildcard(pattern, text), is, "{pattern} {text}");
    }
}

proptest! {
    #[test]
    fn any_file_is_read_without_panic(text in "\\PC{0,200}", option in "[a-z=\",\\\\ ]{0,30}") {
        lines(&text).for_each(drop);
        lines(&format!("{option} {KEY}")).for_each(drop);
    }

    #[test]
    fn a_wildcard_stands_for_whatever_it_replaced(text in "[ab.]{0,12}", from in 0usize..12, to in 0usize..12) {
        let (from, to) = (from.min(text.len()), to.min(text.len()));
        let (from, to) = (from.min(to), from.max(to));
        let pattern = format!("{}*{}", &text[..from], &text[to..]);
        prop_assert!(wildcard(&pattern, &text));
    }
}
