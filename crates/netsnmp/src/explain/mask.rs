//! Secrets of both configurations as `***`: an explanation is for people, and may end up in a log.

use crate::source::Directive;

/// In place of a secret.
const HIDDEN: &str = "***";

/// Keys of our configuration whose values are secret.
const SECRET_KEYS: [&str; 8] = [
    "password",
    "auth-password",
    "priv-password",
    "auth-master-key",
    "priv-master-key",
    "auth-key",
    "priv-key",
    "community",
];

/// A line of our configuration.
pub(super) fn setting(header: &str, line: &str) -> String {
    match line.split_once(" = ") {
        Some((key, value)) if value != "[]" && SECRET_KEYS.contains(&key) => format!("{key} = \"{HIDDEN}\""),
        Some(("name", _)) if header == "[[snmp.community]]" => format!("name = \"{HIDDEN}\""),
        _ => line.to_string(),
    }
}

/// Options of sessions that have a secret (snmpcmd(1)).
const SECRET_OPTIONS: [&str; 7] = ["-c", "-A", "-X", "-3m", "-3M", "-3k", "-3K"];

/// A directive's name and arguments.
pub(super) fn shown(directive: &Directive) -> (String, String) {
    let clean = |text: &str| text.replace(char::is_control, "\u{fffd}");
    let name = directive.name.to_ascii_lowercase();
    let words = directive.words();
    let hide = |from: usize, to: usize| {
        let hidden = words.iter().enumerate();
        let hidden = hidden.map(|(at, word)| if (from..to).contains(&at) { HIDDEN } else { word.as_str() });
        hidden.collect::<Vec<_>>().join(" ")
    };
    let arguments = match name.as_str() {
        "rocommunity" | "rwcommunity" | "rocommunity6" | "rwcommunity6" | "trapcommunity" => hide(0, 1),
        "authcommunity" => hide(1, 2),
        "com2sec" | "com2sec6" | "com2secunix" => {
            let at = if words.first().is_some_and(|word| word == "-Cn") { 4 } else { 2 };
            hide(at, at + 1)
        }
        "createuser" => user(&words),
        "usmuser" => kept_user(&words),
        "trapsink" | "trap2sink" | "informsink" => sink(&words),
        "trapsess" | "proxy" => session(&words),
        "defcommunity"
        | "defpassphrase"
        | "defauthpassphrase"
        | "defprivpassphrase"
        | "defauthmasterkey"
        | "defprivmasterkey"
        | "defauthlocalizedkey"
        | "defprivlocalizedkey" => HIDDEN.into(),
        // It may be a misspelt one of these.
        _ if !directive.rest.is_empty() && !crate::directives::is_known(&name) => HIDDEN.into(),
        _ => directive.rest.clone(),
    };
    (clean(&directive.name), clean(&arguments))
}

/// `[-e ENGINE] NAME [AUTH [-l|-m] SECRET [PRIV [-l|-m] SECRET]]`
fn user(words: &[String]) -> String {
    let start = if words.first().is_some_and(|word| word == "-e") { 3 } else { 1 };
    let words = words.iter().enumerate().map(|(at, word)| {
        let is_form = ["-l", "-m"].contains(&word.as_str());
        let is_secret = at >= start && !is_form && is_secret_place(words, start, at);
        if is_secret { HIDDEN } else { word.as_str() }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Protocols and secrets alternate after the name; the form of a secret stands before it.
fn is_secret_place(words: &[String], start: usize, at: usize) -> bool {
    let forms = words[start..at].iter().filter(|word| ["-l", "-m"].contains(&word.as_str())).count();
    (at - start - forms) % 2 == 1
}

/// `usmUser STATUS STORAGE ENGINEID NAME SECNAME CLONEFROM AUTH AUTHKEY PRIV PRIVKEY PUBLIC`
fn kept_user(words: &[String]) -> String {
    let hidden = |at: usize| at == 7 || at == 9;
    let words = words.iter().enumerate().map(|(at, word)| if hidden(at) { HIDDEN } else { word.as_str() });
    words.collect::<Vec<_>>().join(" ")
}

/// `[OPTIONS] HOST [COMMUNITY [PORT]]`
fn sink(words: &[String]) -> String {
    let mut shown: Vec<&str> = Vec::new();
    let mut plain = 0;
    let mut is_value = false;
    for word in words {
        let is_option = word.starts_with('-');
        if !is_option && !is_value {
            plain += 1;
        }
        shown.push(if plain == 2 && !is_option && !is_value { HIDDEN } else { word });
        is_value = is_option && !is_value;
    }
    shown.join(" ")
}

/// Options with secrets, apart from their values or with them.
fn session(words: &[String]) -> String {
    let mut shown: Vec<String> = Vec::new();
    let mut hides = false;
    for word in words {
        let option = SECRET_OPTIONS.iter().find(|option| word.starts_with(**option));
        match option {
            _ if hides => shown.push(HIDDEN.into()),
            Some(option) if word != option => shown.push(format!("{option} {HIDDEN}")),
            _ => shown.push(word.clone()),
        }
        hides = !hides && option.is_some_and(|option| word == option);
    }
    shown.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, words};

    #[test]
    fn secrets_are_hidden() {
        let check = |line: &str, expected: &str| {
            let (name, rest) = words::first(line);
            let origin = Origin { file: "f".into(), line: 1 };
            let directive = Directive { origin, section: "snmpd".into(), name, rest: rest.to_string() };
            let (name, arguments) = shown(&directive);
            assert_eq!(format!("{name} {arguments}"), expected, "{line}");
        };
        for (line, expected) in [
            ("rocommunity s3cret 10.0.0.0/8 -V v", "rocommunity *** 10.0.0.0/8 -V v"),
            ("com2sec -Cn c n default s3cret", "com2sec -Cn c n default ***"),
            ("com2sec n default s3cret", "com2sec n default ***"),
            ("authcommunity read s3cret", "authcommunity read ***"),
            ("createUser ann", "createUser ann"),
            ("createUser ann SHA s3cret AES s3cret2", "createUser ann SHA *** AES ***"),
            ("createUser ann SHA s3cret AES", "createUser ann SHA *** AES"),
            (
                "createUser -e 0x80 ann SHA -m 0x12 AES -l 0x34",
                "createUser -e 0x80 ann SHA -m *** AES -l ***",
            ),
            (
                "usmUser 1 3 0x80 \"a\" \"a\" NULL .1 0x12 .2 0x34 \"\"",
                "usmUser 1 3 0x80 a a NULL .1 *** .2 *** ",
            ),
            ("trap2sink host s3cret 162", "trap2sink host *** 162"),
            ("trap2sink -name n host s3cret", "trap2sink -name n host ***"),
            ("trap2sink host", "trap2sink host"),
            ("trapsess -v3 -A s3cret -Xs3cret -u u h", "trapsess -v3 -A *** -X *** -u u h"),
            ("proxy -v 2c -c -c h .1", "proxy -v 2c -c *** h .1"),
            ("defAuthPassphrase s3cret", "defAuthPassphrase ***"),
            ("sysName a  b", "sysName a  b"),
        ] {
            check(line, expected);
        }
        assert_eq!(setting("[[snmp.user]]", "auth-password = \"x\""), "auth-password = \"***\"");
        assert_eq!(setting("[[snmp.community]]", "name = \"x\""), "name = \"***\"");
        assert_eq!(setting("[snmp]", "community = []"), "community = []");
        assert_eq!(setting("[[view]]", "name = \"x\""), "name = \"x\"");
    }
}
