//! `trunkline user` and `snmpusm` change the users of snmpd and of trunklined.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use crate::support;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use support::{Snmpd, Trunklined, texts, trunkline};
use trunkline_testkit::has;

/// Every hash with every cipher that Net-SNMP has too, spread over few users.
const KINDS: [(&str, &str); 6] = [
    ("MD5", "DES"),
    ("SHA", "AES"),
    ("SHA-224", "DES"),
    ("SHA-256", "AES"),
    ("SHA-384", "AES-192"),
    ("SHA-512", "AES-256"),
];

/// Every user has this password at first.
const OLD: &str = "maplesyrup";
const NEW: &str = "cornflakes";
const NEWER: &str = "pancakes with syrup";

/// An agent, with a user `kind0` ... of each kind who may change all users.
enum Agent {
    Theirs(Snmpd),
    Ours(Trunklined),
}

impl Agent {
    fn both() -> Vec<Self> {
        let theirs = KINDS.iter().enumerate().map(|(at, (auth, cipher))| {
            format!(
                "createUser kind{at} {auth} {OLD} {cipher} {OLD}\nrwuser kind{at} priv\nrwuser new{at} priv\n"
            )
        });
        let theirs = Snmpd::start(&theirs.collect::<String>()).map(Agent::Theirs);
        let ours = KINDS.iter().enumerate().map(|(at, (auth, cipher))| {
            format!("[[snmp.user]]\nname = \"kind{at}\"\nauth = \"{auth}\"\npriv = \"{cipher}\"\npassword = \"{OLD}\"\nrole = \"admin\"\n")
        });
        let members: Vec<String> = (0..KINDS.len()).map(|at| format!("\"new{at}\"")).collect();
        let config = format!(
            "[agent]\nstate = \"STATE/state\"\n[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n[[role]]\nname = \"admin\"\nread = [\"1\"]\nwrite = [\"1\"]\nlevel = \"authPriv\"\nmembers = [{}]\n{}",
            members.join(", "),
            ours.collect::<String>()
        );
        let ours = Trunklined::start(&config, &["udp"]).map(Agent::Ours);
        theirs.into_iter().chain(ours).collect()
    }

    fn address(&self) -> &str {
        match self {
            Agent::Theirs(agent) => &agent.address,
            Agent::Ours(agent) => agent.address(0),
        }
    }
}

/// `trunkline COMMAND` as a user with this password, in front of what comes after the agent.
fn ours(agent: &Agent, kind: (&str, &str), who: (&str, &str), command: &[&str], more: &[&str]) -> Output {
    with_both(agent, kind, (who.0, who.1, who.1), "20", command, more)
}

/// The same with a password for authentication, one for privacy, and the time to wait.
fn with_both(
    agent: &Agent,
    kind: (&str, &str),
    who: (&str, &str, &str),
    time: &str,
    command: &[&str],
    more: &[&str],
) -> Output {
    let login = ["-u", who.0, "-l", "authPriv", "-a", kind.0, "-x", kind.1, "-t", time, "-m", ""];
    let words = [command, &login, &[agent.address()], more].concat();
    let mut command = trunkline(&words);
    command.env("TRUNKLINE_AUTH_PASSWORD", who.1).env("TRUNKLINE_PRIV_PASSWORD", who.2);
    command.output().unwrap()
}

#[track_caller]
fn done(output: &Output) -> String {
    let (out, err) = texts(output);
    assert_eq!(output.status.code(), Some(0), "{out}{err}");
    assert!(
        [OLD, NEW, NEWER].iter().all(|secret| !out.contains(secret) && !err.contains(secret)),
        "{out}{err}"
    );
    format!("{out}{err}")
}

const UPTIME: &str = "1.3.6.1.2.1.1.3.0";

fn answers(agent: &Agent, kind: (&str, &str), name: &str, password: &str) -> bool {
    ours(agent, kind, (name, password), &["get"], &[UPTIME]).status.success()
}

/// A file with a password, which only its owner may read.
fn file(folder: &tempfile::TempDir, password: &str) -> String {
    let path = folder.path().join(password.replace(' ', "-"));
    std::fs::write(&path, format!("{password}\n")).unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A user is created with passwords of its own, changes them, and has them changed, for all hashes and ciphers.
#[test]
fn users_get_passwords_of_their_own() {
    let agents = Agent::both();
    std::thread::scope(|scope| {
        for agent in &agents {
            scope.spawn(|| KINDS.into_iter().enumerate().for_each(|kind| changes(agent, kind)));
        }
    });
}

fn changes(agent: &Agent, (at, kind): (usize, (&str, &str))) {
    let folder = tempfile::tempdir().unwrap();
    let [old, new, newer] = [OLD, NEW, NEWER].map(|password| file(&folder, password));
    let (admin, name) = (format!("kind{at}"), format!("new{at}"));
    let admin = (admin.as_str(), OLD);
    let create = ["user", "create"];
    let made = ours(agent, kind, admin, &create, &[&name, "--from", admin.0, "--new-password-file", &new]);
    let said = done(&made);
    assert!(said.contains(&format!("{name} is created, with {} and {}", kind.0, kind.1)), "{said}");
    assert!(answers(agent, kind, &name, NEW), "{kind:?}");
    // It changes its own, with the columns that it has for that.
    let password = ["user", "password"];
    done(&ours(agent, kind, (&name, NEW), &password, &["--new-password-file", &newer]));
    assert!(answers(agent, kind, &name, NEWER), "{kind:?}");
    // The administrator changes them.
    let keys = ["--old-password-file", &newer, "--new-password-file", &old];
    done(&ours(agent, kind, admin, &password, &[&[name.as_str()], &keys[..]].concat()));
    assert!(answers(agent, kind, &name, OLD), "{kind:?}");
    refuses(agent, (at, kind), &name, NEWER);
    // One of the keys: both passwords differ now. (A wrong key for privacy alone is not answered at all.)
    let keys = ["--only", "auth", "--old-password-file", &old, "--new-password-file", &new];
    done(&ours(agent, kind, admin, &password, &[&[name.as_str()], &keys[..]].concat()));
    done(&with_both(agent, kind, (&name, NEW, OLD), "20", &["get"], &[UPTIME]));
    refuses(agent, (at, kind), &name, OLD);
    done(&ours(agent, kind, admin, &["user", "deactivate"], &[&name]));
    let listed = done(&ours(agent, kind, admin, &["user", "list"], &["--csv"]));
    assert!(listed.contains(&format!("{name},{},{},notInService,", kind.0, kind.1)), "{listed}");
    done(&ours(agent, kind, admin, &["user", "activate"], &[&name]));
    done(&ours(agent, kind, admin, &["user", "delete"], &[&name]));
    let listed = done(&ours(agent, kind, admin, &["user", "list"], &["--json"]));
    assert!(listed.contains("\"user\":\"kind0\"") && !listed.contains(&name), "{listed}");
}

/// The agent says that the digest is wrong. A manager waits its whole time then, since anybody could have said it: so this
/// is tried for one kind.
#[track_caller]
fn refuses(agent: &Agent, (at, kind): (usize, (&str, &str)), name: &str, password: &str) {
    if at != 1 {
        return;
    }
    let output = with_both(agent, kind, (name, password, password), "5", &["get"], &[UPTIME]);
    let (out, err) = texts(&output);
    assert!(!output.status.success() && err.contains("usmStatsWrongDigests"), "{out}{err}");
}

#[test]
fn mistakes_leave_no_user_behind() {
    let folder = tempfile::tempdir().unwrap();
    let [new, old] = [NEW, OLD].map(|password| file(&folder, password));
    let short = file(&folder, "short");
    for agent in Agent::both() {
        let (kind, admin) = (KINDS[1], ("kind1", OLD));
        let of = |command: &[&str], more: &[&str], status: i32, words: &str| {
            let output = ours(&agent, kind, admin, &[&["user"], command].concat(), more);
            let (out, err) = texts(&output);
            assert_eq!(output.status.code(), Some(status), "{command:?} {more:?}: {out}{err}");
            assert!(err.contains(words), "{command:?} {more:?}: {out}{err}");
        };
        of(&["create"], &["new1", "--from", "kind1"], 2, "--new-password-file");
        of(
            &["create"],
            &["new1", "--from", "nobody", "--new-password-file", &new],
            1,
            "there is no user \"nobody\"",
        );
        of(&["create"], &["new1", "--from", "kind1", "--new-password-file", &short], 2, "8");
        of(&["create"], &["", "--from", "kind1", "--new-password-file", &new], 2, "1 to 32");
        // The old password of another user is not ours.
        of(
            &["create"],
            &["new1", "--from", "kind0", "--new-password-file", &new],
            2,
            "the old password for authentication",
        );
        let exists = "there is a user \"kind2\" already";
        of(&["create"], &["kind2", "--from", "kind1", "--new-password-file", &new], 1, exists);
        of(&["create"], &["kind2", "--from", "kind1", "--keep-keys"], 1, exists);
        of(&["delete"], &["nobody"], 1, "there is no user");
        // Those of snmpd's configuration may be deleted.
        if matches!(agent, Agent::Ours(_)) {
            let words = "\"kind2\" is one of the agent's configuration (usmUserStorageType permanent)";
            of(&["delete"], &["kind2"], 1, words);
        }
        of(&["password"], &["kind1", "--new-auth-password-file", &new], 2, "the new password for privacy");
        of(
            &["password"],
            &["kind0", "--old-password-file", "/nowhere/at/all", "--new-password-file", &new],
            2,
            "/nowhere",
        );
        let listed = done(&ours(&agent, kind, admin, &["user", "list"], &["--csv"]));
        assert!(!listed.contains("new1"), "{listed}");
        // kind2 exists: a failed creation does not delete it.
        assert!(listed.contains("kind2,") && answers(&agent, KINDS[2], "kind2", OLD), "{listed}");
        let _ = &old;
    }
}

/// By Net-SNMP's name, and with Net-SNMP's own tool: both say and do the same.
#[test]
fn snmpusm_does_what_net_snmps_does() {
    if !has("snmpusm", "snmp") {
        return;
    }
    for agent in Agent::both() {
        let kind = KINDS[3];
        let run = |theirs: bool, options: &[&str], more: &[&str]| {
            let login = [
                "-v3", "-u", "kind3", "-l", "authPriv", "-a", kind.0, "-A", OLD, "-x", kind.1, "-X", OLD,
                "-t", "20",
            ];
            let words = [options, &login, &[agent.address()], more].concat();
            let mut command = match theirs {
                true => Command::new("snmpusm"),
                false => trunkline(&["as", "snmpusm"]),
            };
            command
                .args(&words)
                .env("MIBS", "")
                .env("HOME", "/nonexistent")
                .env("SNMPCONFPATH", "/nonexistent");
            let output = command.output().unwrap();
            let (out, err) = texts(&output);
            (
                out,
                err.split("sage: ")
                    .next()
                    .unwrap_or_default()
                    .split("SAGE: ")
                    .next()
                    .unwrap_or_default()
                    .trim_end_matches('U')
                    .to_owned(),
            )
        };
        for (options, line) in [
            (&[][..], &["create", "new3", "kind3"][..]),
            (&[], &["create", "new3", "kind3"]),
            (&[], &["passwd", OLD, NEW, "new3"]),
            (&["-Ca"], &["passwd", NEW, OLD, "new3"]),
            (&["-Cx"], &["passwd", NEW, OLD, "new3"]),
            (&[], &["deactivate", "new3"]),
            (&[], &["activate", "new3"]),
            (&["-Cw", "-Cp", "hello"], &["create", "new4"]),
            (&[], &["cloneFrom", "new4", "kind3"]),
            (&[], &["activate", "new4"]),
            (&[], &["delete", "new4"]),
            (&[], &["passwd", OLD, "short", "new3"]),
            (&[], &["create"]),
            (&[], &[]),
            (&["-Cz"], &["create", "new3"]),
        ] {
            let expected = run(true, options, line);
            if line.first() == Some(&"passwd") && expected.0.contains("successfully") {
                // Undone, so that ours starts from the same keys.
                let back = run(true, options, &[line[0], line[2], line[1], line[3]]);
                assert!(back.0.contains("successfully"), "{back:?}");
            }
            if matches!(line, ["create", "new3", _]) && expected.0.contains("successfully") {
                assert_eq!(run(true, &[], &["delete", "new3"]).0, "User successfully deleted.\n");
            }
            if matches!(line, ["create", "new4"]) {
                assert_eq!(run(true, &[], &["delete", "new4"]).0, "User successfully deleted.\n");
            }
            let found = run(false, options, line);
            assert_eq!(found.0, expected.0, "{options:?} {line:?}: {found:?} {expected:?}");
            assert_eq!(found.1.trim(), expected.1.trim(), "{options:?} {line:?}");
        }
        assert!(answers(&agent, kind, "new3", OLD));
        // A user's own keys, by both.
        for (theirs, from, to) in [(true, OLD, NEW), (false, NEW, OLD)] {
            let mut command = if theirs { Command::new("snmpusm") } else { trunkline(&["as", "snmpusm"]) };
            command.args([
                "-v3", "-u", "new3", "-l", "authPriv", "-a", kind.0, "-A", from, "-x", kind.1, "-X", from,
                "-t", "20",
            ]);
            command
                .arg(agent.address())
                .args(["passwd", from, to])
                .env("MIBS", "")
                .env("HOME", "/nonexistent");
            let output = command.output().unwrap();
            assert_eq!(texts(&output).0, "SNMPv3 Key(s) successfully changed.\n", "{theirs} {output:?}");
            assert!(answers(&agent, kind, "new3", to));
        }
        assert!(run(false, &[], &["changekey"]).1.contains("changekey is not provided"));
    }
}

/// The rows of VACM's tables whose name begins with `test-`.
fn rights(agent: &Agent) -> Vec<String> {
    let listed = ours(agent, KINDS[3], ("kind3", OLD), &["walk"], &["1.3.6.1.6.3.16.1"]);
    done(&listed).lines().filter(|line| line.contains(".116.101.115.116.45.")).map(str::to_owned).collect()
}

/// By Net-SNMP's name, and with Net-SNMP's own tool: both say the same and leave the same rows.
#[test]
fn snmpvacm_does_what_net_snmps_does() {
    if !has("snmpvacm", "snmp") {
        return;
    }
    for agent in Agent::both() {
        let kind = KINDS[3];
        let run = |theirs: bool, line: &str| {
            let login = [
                "-v3", "-u", "kind3", "-l", "authPriv", "-a", kind.0, "-A", OLD, "-x", kind.1, "-X", OLD,
                "-t", "20",
            ];
            let line: Vec<&str> = line.split(' ').collect();
            let mut command = match theirs {
                true => Command::new("snmpvacm"),
                false => trunkline(&["as", "snmpvacm"]),
            };
            command.args(login).arg(agent.address()).args(line).env("MIBS", "");
            command.env("HOME", "/nonexistent").env("SNMPCONFPATH", "/nonexistent");
            let output = command.output().unwrap();
            let (out, err) = texts(&output);
            let err =
                err.split("Usage: ").next().unwrap_or_default().split("USAGE: ").next().unwrap_or_default();
            (output.status.code(), out, err.to_owned())
        };
        for (create, delete) in [
            ("createSec2Group 3 test-bob g", "deleteSec2Group 3 test-bob"),
            ("createView test-v .1.3.6.1.2.1.1", "deleteView test-v .1.3.6.1.2.1.1"),
            ("-Ce createView test-v .1.3.6.1.2.1.1 FE", "deleteView test-v .1.3.6.1.2.1.1"),
            (
                "createView test-v .1.3.6.1.2.1.2.2.1.1.2 -Ce FF:A0",
                "deleteView test-v .1.3.6.1.2.1.2.2.1.1.2",
            ),
            ("createAccess test-g 3 3 1 r w n", "deleteAccess test-g 3 3"),
            ("createAccess test-g ctx 3 1 2 r w n", "deleteAccess test-g ctx 3 1"),
            ("createAuth test-g 3 1 log 1 v", "deleteAuth test-g 3 1 log"),
            ("createAuth test-g ctx 3 1 net 2 v", "deleteAuth test-g ctx 3 1 net"),
        ] {
            let mut seen = Vec::new();
            for theirs in [true, false] {
                let created = run(theirs, create);
                let rows = rights(&agent);
                assert!(!rows.is_empty() || create.contains("Auth"), "{create}: {created:?}");
                let again = run(theirs, create);
                let deleted = run(theirs, delete);
                if let Some(rest) =
                    delete.strip_prefix("deleteAuth ").filter(|_| matches!(agent, Agent::Theirs(_)))
                {
                    // Net-SNMP's agent keeps an empty row of vacmAccessTable.
                    let scope = rest.rsplit_once(' ').unwrap().0;
                    assert_eq!(run(true, &format!("deleteAccess {scope}")).0, Some(0), "{scope}");
                }
                assert_eq!(rights(&agent), [""; 0], "{theirs} {delete}");
                let is_served = !create.contains("Auth") || matches!(agent, Agent::Theirs(_));
                assert_eq!(created.2.contains("successfully created."), is_served, "{create}: {created:?}");
                assert_eq!(deleted.2.contains("successfully deleted."), is_served, "{delete}: {deleted:?}");
                seen.push((created, rows, again, deleted));
            }
            assert_eq!(seen[1], seen[0], "{create}");
        }
        for line in [
            "createSec2Group 3 bob",
            "createSec2Group usm bob g",
            "deleteSec2Group 3",
            "createView v nothing",
            "createView v .1 zz",
            "createView v",
            "deleteView v",
            "createAccess g 3 1 1 r w",
            "createAccess g 3 x 1 r w n",
            "deleteAccess g",
            "createAuth g",
            "deleteAuth g",
            "nothing",
        ] {
            // Net-SNMP's prints its mistakes to standard output.
            let [theirs, ours] =
                [run(true, line), run(false, line)].map(|(status, out, err)| (status, out + &err));
            assert_eq!((ours.0, ours.1.trim()), (theirs.0, theirs.1.trim()), "{line}");
        }
    }
}

/// Rights are given in an operator's words, take effect, are listed, and are taken away.
#[test]
fn access_is_given_and_taken_away() {
    for agent in Agent::both() {
        let (kind, admin) = (KINDS[3], ("kind3", OLD));
        let folder = tempfile::tempdir().unwrap();
        let new = file(&folder, NEW);
        // Not one of those that the configuration gives rights to.
        done(&ours(
            &agent,
            kind,
            admin,
            &["user", "create"],
            &["wes", "--from", "kind3", "--new-password-file", &new],
        ));
        let reads = |object: &str| {
            let (out, _) = texts(&ours(&agent, kind, ("wes", NEW), &["get"], &[object]));
            out.contains(" = ") && !out.contains("No Such")
        };
        let run = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            ours(&agent, kind, admin, &["access", words[0]], &words[1..])
        };
        assert!(!reads(UPTIME));
        for (line, words) in [
            (
                "include our-view 1.3.6.1.2.1.1 1.3.6.1.2.1.2",
                "1.3.6.1.2.1.1 is included in the view our-view",
            ),
            (
                "exclude our-view 1.3.6.1.2.1.1.5 --mask FF",
                "1.3.6.1.2.1.1.5 is excluded from the view our-view",
            ),
            ("grant our-group --read our-view", "the rights of the group our-group are set"),
            ("join wes our-group", "wes (usm) is in the group our-group"),
        ] {
            // Again it is a change of the row that is there.
            for _ in 0..2 {
                assert!(done(&run(line)).contains(words), "{line}");
            }
        }
        assert!(reads(UPTIME) && !reads("1.3.6.1.2.1.1.5.0") && !reads("1.3.6.1.2.1.4.1.0"));
        let members = done(&run("members --csv"));
        assert!(members.contains("group,name,model,status,storage\n"), "{members}");
        assert!(members.contains("our-group,wes,usm,active,nonVolatile\n"), "{members}");
        let rights = done(&run("rights --json"));
        let wanted = "{\"group\":\"our-group\",\"context\":\"\",\"match\":\"exact\",\"model\":\"any\",\"level\":\"authPriv\",\
                      \"read\":\"our-view\",\"write\":null,\"notify\":null,\"status\":\"active\",\"storage\":\"nonVolatile\"}";
        assert!(rights.contains(wanted), "{rights}");
        let views = done(&run("views"));
        let line =
            views.lines().find(|line| line.contains("1.3.6.1.2.1.1.5")).unwrap_or_else(|| panic!("{views}"));
        assert!(
            line.starts_with("our-view ") && line.contains("excluded") && line.contains(" FF "),
            "{line}"
        );
        for line in
            ["leave wes", "revoke our-group", "remove our-view 1.3.6.1.2.1.1 1.3.6.1.2.1.1.5 1.3.6.1.2.1.2"]
        {
            done(&run(line));
            assert!(!reads(UPTIME), "{line}");
            let (out, err) = texts(&run(line));
            assert!(err.contains("there is no row for "), "{line}: {out}{err}");
        }
        assert!(["members", "rights", "views"].iter().all(|line| !done(&run(line)).contains("our-")));
        let output = run("include our-view nothing-known");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(texts(&run("join wes our-group --model tom")).1.contains("usm"));
    }
}

/// What `encode_keychange` prints, ours and Net-SNMP's, is a change of a key for both agents.
#[test]
fn encode_keychange_makes_what_agents_accept() {
    let theirs_too = has("encode_keychange", "snmp");
    for agent in Agent::both() {
        let engine =
            done(&ours(&agent, KINDS[3], ("kind3", OLD), &["get"], &["-Ovx", "1.3.6.1.6.3.10.2.1.1.0"]));
        let digits: String =
            engine.chars().skip_while(|c| *c != ':').filter(char::is_ascii_hexdigit).collect();
        let sub_ids: Vec<String> = (0..digits.len() / 2)
            .map(|at| u8::from_str_radix(&digits[2 * at..][..2], 16).unwrap().to_string())
            .collect();
        for (at, kind) in KINDS.into_iter().enumerate() {
            let name = format!("new{at}");
            let index: Vec<String> = name.bytes().map(|octet| octet.to_string()).collect();
            let (count, length) = (sub_ids.len(), name.len());
            let object = format!(
                "1.3.6.1.6.3.15.1.2.2.1.6.{count}.{}.{length}.{}",
                sub_ids.join("."),
                index.join(".")
            );
            let admin = format!("kind{at}");
            let admin = (admin.as_str(), OLD);
            let create = [name.as_str(), "--from", admin.0, "--keep-keys"];
            done(&ours(&agent, kind, admin, &["user", "create"], &create));
            let (mut from, mut to) = (OLD, NEW);
            for theirs in [false, true] {
                // Net-SNMP's knows the names of two.
                let hash = ["md5", "sha1"].get(at).copied().unwrap_or(kind.0);
                if theirs && (!theirs_too || at > 1) {
                    continue;
                }
                let mut command = match theirs {
                    true => Command::new("encode_keychange"),
                    false => trunkline(&["as", "encode_keychange"]),
                };
                let folder = tempfile::tempdir().unwrap();
                command
                    .args(["-t", hash, "-O", from, "-N", to, "-E", &format!("0x{digits}")])
                    .env("HOME", folder.path());
                let output = command.output().unwrap();
                let (change, err) = texts(&output);
                assert!(output.status.success(), "{change}{err}");
                done(&ours(&agent, kind, admin, &["set"], &[&object, "x", change.trim()]));
                done(&with_both(&agent, kind, (&name, to, OLD), "20", &["get"], &[UPTIME]));
                (from, to) = (to, from);
            }
        }
    }
}

#[test]
fn encode_keychange_reads_passphrases_from_a_file_or_typed() {
    use std::io::Write;
    let home = tempfile::tempdir().unwrap();
    let run = |words: &str, input: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let mut command = trunkline(&[&["as", "encode_keychange"], &words[..]].concat());
        command.env("HOME", home.path()).stdin(std::process::Stdio::piped());
        let mut child = command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let (out, err) = texts(&output);
        (output.status.code(), out, err)
    };
    let both = format!("{OLD}\n{NEW}\n");
    let (status, out, err) = run("-t md5 -P -E 0x8000000001020304", &both);
    assert_eq!((status, out.trim_end().len(), err.as_str()), (Some(0), 64, ""));
    for hash in ["md5", "sha1", "SHA-224", "SHA-256", "SHA-384", "SHA-512"] {
        let words = format!("-v -t {hash} -E 0x8000000001020304 -O {OLD} -N {NEW}");
        let (status, _, ours) = run(&words, "");
        // Net-SNMP's shows the passphrases too.
        assert!(status == Some(0) && ours.starts_with("Hash:\t\tusmHMAC") && !ours.contains(OLD), "{ours}");
        if has("encode_keychange", "snmp") {
            let words: Vec<&str> = words.split(' ').collect();
            let theirs = Command::new("encode_keychange").args(words).env("HOME", home.path()).output();
            assert_eq!(ours.lines().next(), texts(&theirs.unwrap()).1.lines().next());
        }
    }
    let (_, out, err) = run("-t sha1 -v -E text", &both);
    assert!(out.starts_with("KeyChange string:\t") && err.contains("New passphrase: "), "{out}{err}");
    for (words, input, expected) in [
        ("-t md5", both.as_str(), "-E 0x..."),
        ("-E text", &both, "The -t option is mandatory."),
        ("-t rot13 -E text", &both, "Unrecognized hash transform: \"rot13\"."),
        ("-t md5 -E 0xzz", &both, "-E 0xzz: "),
        ("-t md5 -E text", "short\nlong enough\n", "Old passphrase must be at least 8"),
        ("-t md5 -E text -O maplesyrup -N", "", "requires an argument"),
    ] {
        let (status, out, err) = run(words, input);
        assert_eq!((status, out.as_str()), (Some(1), ""), "{words}: {err}");
        assert!(err.contains(expected), "{words}: {err}");
    }
    std::fs::create_dir(home.path().join(".snmp")).unwrap();
    let path = home.path().join(".snmp/passphrase.ek");
    for (text, mode, expected) in [
        (both.as_str(), 0o600, ""),
        ("one line\n", 0o600, "the old and the new passphrase are missing"),
        (&both, 0o644, "passphrase.ek"),
    ] {
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let (status, _, err) = run("-t SHA-512 -E text", "");
        assert_eq!(status == Some(0), expected.is_empty(), "{err}");
        assert!(err.contains(expected), "{err}");
    }
}
