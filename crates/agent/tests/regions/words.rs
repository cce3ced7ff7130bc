//! Command lines of snmpd.conf, split into words as snmpd splits them: each line is run by both agents, and prints the
//! words that its program received.

use std::collections::BTreeMap;
use std::process::Command;

use crate::regions::proxy::Snmpd;
use crate::regions::{executable, shown, walk};
use crate::support::BOTH;

/// Prints each argument in angle brackets.
const PROGRAM: &str = "#!/bin/sh\nfor word in \"$@\"; do printf '<%s>' \"$word\"; done; echo\n";

/// Command lines, where `P` is the program, and the words that snmpd gives it.
const LINES: &[(&str, &str)] = &[
    ("P a b", "<a><b>"),
    ("'P a b'", "<a><b>"),
    ("\"P a\" b", "<a><b>"),
    ("P 'a b' c", "<a b><c>"),
    ("P \"a  b\" c", "<a  b><c>"),
    (r#"P "a \"b\" c" d"#, r#"<a "b" c><d>"#),
    (r"P a\ b c", "<a b><c>"),
    ("'P \"a b\" c'", "<a b><c>"),
    ("\"P 'a b' c\"", "<a b><c>"),
    (r#""P \"a b\" c""#, "<a b><c>"),
    (r"'P' a\\ b", r"<a\><b>"),
    ("P a # b", "<a>"),
    ("P a#b", "<a#b>"),
    ("P 'a # b' # c", "<a # b>"),
    ("P ''  b", "<><b>"),
    ("P 'a'b", "<a><b>"),
    ("P a'b c'd", "<a'b><c'd>"),
    ("P $HOME `id` *", "<$HOME><`id`><*>"),
    ("P 'open end", "<open end>"),
];

/// nsExtendOutput1Line and extOutput.
const OUTPUTS: [&str; 2] = ["1.3.6.1.4.1.8072.1.3.2.3.1.1", "1.3.6.1.4.1.2021.8.1.101"];

#[test]
fn a_command_line_is_split_as_snmpd_splits_it() {
    let folder = tempfile::tempdir().unwrap();
    let program = executable(folder.path(), "words.sh", PROGRAM).display().to_string();
    let mut directives = String::new();
    for (at, (line, _)) in LINES.iter().enumerate() {
        let line = line.replace('P', &program);
        directives += &format!("extend e{:02} {line}\nexec x{at:02} {line}\n", at + 1);
    }
    let file = folder.path().join("snmpd.conf");
    std::fs::write(&file, format!("agentAddress udp:127.0.0.1:0\n{directives}")).unwrap();
    let made =
        Command::new(env!("CARGO_BIN_EXE_trunklined")).arg("import-snmpd").arg(&file).output().unwrap();
    let imported = String::from_utf8(made.stdout).unwrap();
    let programs = imported.find("[[extend]]").unwrap_or_else(|| panic!("no programs in {imported}"));
    let agent = crate::regions::start(&format!("{BOTH}{}", &imported[programs..]));
    let expected: Vec<&str> = LINES.iter().map(|(_, words)| *words).collect();
    let all =
        |root| walk(&agent, root, Some(30)).into_iter().map(|(_, value)| shown(&value)).collect::<Vec<_>>();
    // Programs of exec are among the extended ones too.
    assert_eq!(all(OUTPUTS[0]), [&expected[..], &expected[..]].concat());
    assert_eq!(all(OUTPUTS[1]), expected);

    let Some(snmpd) = Snmpd::start(&directives) else { return };
    for root in OUTPUTS {
        let theirs: BTreeMap<String, String> = snmpd.walk(root).into_iter().collect();
        for (name, value) in walk(&agent, root, Some(30)) {
            let theirs = theirs.get(&name).map(|text| text.replace("\\\"", "\"").replace("\\\\", "\\"));
            assert_eq!(theirs.as_deref(), Some(format!("\"{}\"", shown(&value)).as_str()), "{name}");
        }
    }
}
