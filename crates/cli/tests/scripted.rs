//! `trunkline` with servers of NETCONF that do as a test says: what is sent to which, and what becomes of replies that none should send.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail by panic and say why")]

use crate::script as scripted;
use crate::support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use scripted::Scripted;

const WARNING: &str = "<rpc-error><error-type>application</error-type><error-tag>partial-operation</error-tag>\
    <error-severity>warning</error-severity><error-message>the fan is loud</error-message></rpc-error>";
const CONTACT: &str =
    "<system xmlns=\"urn:ietf:params:xml:ns:yang:ietf-system\"><contact>ann</contact></system>";
const SYSTEM: &str = "urn:ietf:params:xml:ns:yang:ietf-system?module=ietf-system&revision=2014-08-06";

const MONITORING: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring?module=ietf-netconf-monitoring";

/// RFC 6241 section 4.4: `ok`, data, or errors.
#[test]
fn a_reply_without_anything_is_an_error() {
    let announced = ["candidate:1.0", "writable-running:1.0", SYSTEM, MONITORING];
    let server = Scripted::new(&announced, |_| Some(String::new()));
    let nothing = "the reply has nothing where <ok/> or errors are expected";
    for words in [&["netconf", "commit"][..], &["netconf", "rollback"]] {
        let (_, err) = server.run(words, &[], 1);
        assert!(err.contains(nothing), "{words:?}: {err}");
    }
    let (_, err) = server.run(&["set"], &["/ietf-system:system/contact=x"], 1);
    assert!(err.contains(nothing), "{err}");
    for (words, more) in [
        (&["netconf", "get"][..], ""),
        (&["netconf", "get-config"], ""),
        (&["get"], "/ietf-system:system/contact"),
        (&["netconf", "schema"], "ietf-system"),
    ] {
        let more: &[&str] = if more.is_empty() { &[] } else { &[more] };
        let (_, err) = server.run(words, more, 1);
        assert!(err.contains("the reply has nothing where <data>"), "{words:?}: {err}");
    }
    let file = server.file("rpc.xml", "<fly xmlns='urn:fly'/>");
    let (_, err) = server.run(&["netconf", "rpc"], &[&file], 1);
    assert!(err.contains("nothing where <ok/>, <data> or output"), "{err}");
}

/// RFC 6241 section 4.3: a warning is neither a failure nor data.
#[test]
fn warnings_go_to_standard_error() {
    let server = Scripted::new(&["candidate:1.0", SYSTEM], |operation| {
        let is_read = operation.starts_with("<get");
        Some(format!("{WARNING}{}", if is_read { format!("<data>{CONTACT}</data>") } else { "<ok/>".into() }))
    });
    let (out, err) = server.run(&["netconf", "get"], &[], 0);
    assert!(out.starts_with("<system ") && !out.contains("rpc-error"), "{out}");
    let warns = format!("{} warns: partial-operation: the fan is loud", server.url());
    assert!(err.contains(&warns), "{err}");
    let (out, err) = server.run(&["netconf", "get", "--json"], &[], 0);
    assert!(!out.contains("fan") && err.contains(&warns), "{out}{err}");
    let (out, err) = server.run(&["get"], &["/ietf-system:system/contact"], 0);
    assert_eq!(out, "/ietf-system:system/contact = ann\n");
    assert!(err.contains(&warns), "{err}");
    let (out, err) = server.run(&["netconf", "diff"], &[], 0);
    assert!(out.is_empty() && err.contains(&warns), "{out}{err}");
    let (_, err) = server.run(&["netconf", "commit"], &[], 0);
    assert!(err.contains(&warns), "{err}");
}

/// RFC 6241 section 7.8.
#[test]
fn each_session_is_closed_by_its_operation() {
    let server = Scripted::new(&["candidate:1.0", SYSTEM], |operation| {
        match operation {
        it if it.starts_with("<get") => Some(format!("<data>{CONTACT}</data>")),
        "<discard-changes/>" => {
            Some("<rpc-error><error-tag>operation-failed</error-tag><error-severity>error</error-severity></rpc-error>".into())
        }
        // It is busy for longer than anybody waits.
        it if it.contains("slow") => None,
        _ => Some("<ok/>".into()),
    }
    });
    let ends = |server: &Scripted| {
        let heard = server.heard();
        assert_eq!(heard.iter().filter(|it| *it == "<close-session/>").count(), 1, "{heard:?}");
        assert_eq!(heard.last().unwrap(), "<close-session/>");
    };
    server.run(&["netconf", "get"], &[], 0);
    ends(&server);
    server.run(&["get"], &["/ietf-system:system/contact"], 0);
    ends(&server);
    // After an error of the server's, of a time-out, and of our own.
    server.run(&["netconf", "rollback"], &[], 1);
    ends(&server);
    let slow = server.file("slow.xml", "<slow xmlns='urn:slow'/>");
    server.run(&["netconf", "rpc", "-t", "0.2"], &[&slow], 1);
    ends(&server);
    server.run(&["get"], &["/nothing:at/all"], 1);
    ends(&server);
    // After Ctrl-C.
    let mut child = server.command(&["netconf", "rpc"], &[&slow]).spawn().unwrap();
    while !server.has_heard("slow") {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    ends(&server);
}

/// RFC 6241 section 8: nothing is sent that needs a capability which is not there.
#[test]
fn what_a_server_does_not_announce_is_not_sent() {
    let answer = |operation: &str| {
        Some(if operation.starts_with("<get") { "<data/>".to_owned() } else { "<ok/>".to_owned() })
    };
    let bare = Scripted::new(&[SYSTEM], answer);
    let file = bare.file("edit.xml", CONTACT);
    for (words, more, missing) in [
        (&["netconf", "edit"][..], &[&file[..]][..], ":writable-running:1.0"),
        (&["set"], &["/ietf-system:system/contact=x"], ":writable-running:1.0"),
        (&["netconf", "edit", "--target", "candidate"], &[&file], ":candidate:1.0"),
        (&["netconf", "commit"], &[], ":candidate:1.0"),
        (&["netconf", "rollback"], &[], ":candidate:1.0"),
        (&["netconf", "rollback", "--persist-id", "x"], &[], ":confirmed-commit:1.1"),
        (&["netconf", "cancel"], &[], ":confirmed-commit:1.1"),
        (&["netconf", "validate"], &["running"], ":validate:1.0"),
        (&["netconf", "diff"], &[], ":candidate:1.0"),
        (&["netconf", "get-config", "--source", "startup"], &[], ":startup:1.0"),
        (&["netconf", "copy"], &["running", "startup"], ":startup:1.0"),
        (&["netconf", "copy"], &["running", "file:///x"], ":url:1.0 with the scheme file"),
        (&["netconf", "diff"], &["file:///x", "running"], ":url:1.0 with the scheme file"),
        (&["netconf", "delete"], &["startup"], ":startup:1.0"),
        (&["netconf", "get", "--with-defaults", "trim"], &[], ":with-defaults:1.0"),
        (&["netconf", "get"], &["//contact"], ":xpath"),
        (&["netconf", "lock", "--datastore", "candidate"], &["--", "true"], ":candidate:1.0"),
        (&["netconf", "schema"], &["x"], "the module ietf-netconf-monitoring"),
        (&["netconf", "subscribe"], &[], ":notification:1.0"),
        (
            &["netconf", "subscribe", "--push", "/ietf-system:system", "--on-change"],
            &[],
            "the module ietf-yang-push",
        ),
    ] {
        let (_, err) = bare.run(words, more, 1);
        assert!(err.contains(missing), "{words:?}: {err}");
        let heard = bare.heard();
        let is_harmless =
            |it: &String| it == "<close-session/>" || it.starts_with("<get-config><source><running/>");
        assert!(heard.iter().all(is_harmless), "{words:?}: {heard:?}");
    }
    let old = ["candidate:1.0", "confirmed-commit:1.0", "validate:1.0", SYSTEM];
    let with_defaults = "with-defaults:1.0?basic-mode=explicit&also-supported=report-all";
    let old = Scripted::new(&[&old[..], &[with_defaults]].concat(), answer);
    let file = old.file("edit.xml", CONTACT);
    for (words, more, missing) in [
        (&["netconf", "edit", "--confirmed", "9"][..], &[&file[..]][..], ":confirmed-commit:1.1"),
        (&["netconf", "edit", "--persist-id", "x"], &[&file], ":confirmed-commit:1.1"),
        (&["netconf", "edit", "--test-option", "test-only"], &[&file], ":validate:1.1"),
        (&["netconf", "edit", "--error-option", "rollback-on-error"], &[&file], ":rollback-on-error:1.0"),
        (&["netconf", "commit", "--confirmed", "9"], &[], ":confirmed-commit:1.1"),
        (&["netconf", "get", "--with-defaults", "trim"], &[], ":with-defaults:1.0 with the mode trim"),
    ] {
        let (_, err) = old.run(words, more, 1);
        assert!(err.contains(missing), "{words:?}: {err}");
        assert_eq!(old.heard(), ["<close-session/>"], "{words:?}");
    }
    // What is there is used, and a file may have `config` around its content.
    let whole = old.file("whole.xml", &format!("<config>{CONTACT}</config>"));
    old.run(&["netconf", "edit"], &[&whole], 0);
    let sent = format!("<config>{CONTACT}</config></edit-config>");
    assert!(old.heard().iter().any(|it| it.ends_with(&sent) && it.matches("<config>").count() == 1));
    old.run(&["netconf", "get", "--with-defaults", "report-all"], &[], 0);
    old.run(&["netconf", "edit", "--test-option", "test-then-set"], &[&file], 0);
}

/// RFC 6241 section 8.4.
#[test]
fn confirmed_commits_have_the_names_that_are_given() {
    let server = Scripted::new(&["candidate:1.0", "confirmed-commit:1.1", SYSTEM], |operation| {
        Some(if operation.starts_with("<get") { "<data/>".to_owned() } else { "<ok/>".to_owned() })
    });
    let file = server.file("edit.xml", CONTACT);
    for (words, more, sent) in [
        (
            &["netconf", "edit", "--confirmed", "9", "--persist", "a"][..],
            &[&file[..]][..],
            "<commit><confirmed/><confirm-timeout>9</confirm-timeout><persist>a</persist></commit>",
        ),
        (&["netconf", "edit", "--persist-id", "a"], &[&file], "<commit><persist-id>a</persist-id></commit>"),
        (
            &["netconf", "edit", "--confirmed", "9", "--persist-id", "a"],
            &[&file],
            "<commit><confirmed/><confirm-timeout>9</confirm-timeout><persist>a</persist><persist-id>a</persist-id></commit>",
        ),
        (
            &["netconf", "commit", "--confirmed", "9", "--persist-id", "a", "--persist", "b"],
            &[],
            "<commit><confirmed/><confirm-timeout>9</confirm-timeout><persist>b</persist><persist-id>a</persist-id></commit>",
        ),
        (&["netconf", "commit", "--persist-id", "a"], &[], "<commit><persist-id>a</persist-id></commit>"),
        (
            &["netconf", "rollback", "--persist-id", "a"],
            &[],
            "<cancel-commit><persist-id>a</persist-id></cancel-commit>",
        ),
        (
            &["netconf", "cancel", "--persist-id", "a"],
            &[],
            "<cancel-commit><persist-id>a</persist-id></cancel-commit>",
        ),
        (&["netconf", "cancel"], &[], "<cancel-commit/>"),
        (&["netconf", "rollback"], &[], "<discard-changes/>"),
    ] {
        server.run(words, more, 0);
        let heard = server.heard();
        assert!(heard.iter().any(|it| it == sent), "{words:?}: {heard:#?}");
    }
    let (_, err) = server.run(&["netconf", "commit", "--persist", "a"], &[], 2);
    assert!(err.contains("--confirmed"), "{err}");
}

/// The commit of a copy of running would take back what others have changed in running since.
#[test]
fn edits_lock_running_and_the_candidate() {
    let answer = |operation: &str| match operation {
        it if it.starts_with("<get") => Some("<data/>".to_owned()),
        _ => Some("<ok/>".to_owned()),
    };
    let server = Scripted::new(&["candidate:1.0", "confirmed-commit:1.1", SYSTEM], answer);
    let file = server.file("edit.xml", CONTACT);
    for (command, arguments, has_running) in [
        (&["netconf", "edit"][..], &[&*file][..], true),
        (&["set"], &["/ietf-system:system/contact=x"], true),
        // While a commit waits to be confirmed, running cannot be locked (RFC 6241 section 7.5).
        (&["netconf", "edit"], &[&file, "--persist-id", "p"], false),
    ] {
        server.run(command, arguments, 0);
        let heard = server.heard();
        let locks: Vec<&str> = heard
            .iter()
            .map(|it| &**it)
            .filter(|it| it.starts_with("<lock>") || it.starts_with("<unlock>"))
            .collect();
        let lock = |datastore: &str| format!("<lock><target><{datastore}/></target></lock>");
        let unlock = |datastore: &str| format!("<unlock><target><{datastore}/></target></unlock>");
        let expected = match has_running {
            true => vec![lock("running"), lock("candidate"), unlock("candidate"), unlock("running")],
            false => vec![lock("candidate"), unlock("candidate")],
        };
        assert_eq!(locks, expected, "{command:?}");
    }
}

/// Another session than that of the lock would be refused by it.
#[test]
fn a_lock_lends_its_session() {
    let server =
        Scripted::new(&["candidate:1.0", "writable-running:1.0", SYSTEM], |operation| match operation {
            it if it.starts_with("<get") => Some("<data/>".to_owned()),
            it if it.starts_with("<slow") => None,
            _ => Some("<ok/>".to_owned()),
        });
    let file = server.file("edit.xml", CONTACT);
    let pki = server.pki();
    let ours =
        |words: &str| format!("{} {words} --pki {pki} {}", env!("CARGO_BIN_EXE_trunkline"), server.url());
    let script = format!(
        "echo $TRUNKLINE_NETCONF_SESSION; stat -c %a $(dirname $TRUNKLINE_NETCONF_SESSION); {} {file}; {} /ietf-system:system/contact=x; exit 7",
        ours("netconf edit"),
        ours("set"),
    );
    let (out, err) = server.run(&["netconf", "lock"], &["--", "sh", "-e", "-c", &script], 7);
    let socket = out.lines().next().unwrap();
    assert_eq!(out.lines().nth(1), Some("700"));
    assert!(!std::path::Path::new(socket).parent().unwrap().exists(), "{socket}");
    let heard = server.heard();
    let names: Vec<String> =
        heard.iter().map(|it| it.split_inclusive('>').take(3).collect::<String>()).collect();
    let count = |text: &str| names.iter().filter(|it| it.starts_with(text)).count();
    // One session, one lock of running, and for each command one of the candidate.
    assert_eq!((count("<close-session/>"), count("<lock><target><running/>")), (1, 1), "{names:#?} {err}");
    assert_eq!(
        (count("<lock><target><candidate/>"), count("<unlock><target><candidate/>")),
        (2, 2),
        "{names:#?}"
    );
    assert_eq!(count("<commit/>"), 2, "{names:#?}");
    assert_eq!(names[0], "<lock><target><running/>");
    assert_eq!(names[names.len() - 2], "<unlock><target><running/>");

    // The lock that is held is not taken again, also within another lock.
    let script =
        format!("{} --datastore running -- sh -c '{} {file}'", ours("netconf lock"), ours("netconf edit"));
    server.run(&["netconf", "lock"], &["--datastore", "candidate", "--", "sh", "-c", &script], 0);
    let heard = server.heard();
    assert_eq!(heard.iter().filter(|it| it.starts_with("<lock>")).count(), 2, "{heard:#?}");
    assert_eq!(heard.iter().filter(|it| *it == "<close-session/>").count(), 1, "{heard:#?}");

    // A folder where there can be no socket is passed over.
    let long = server.folder().join("x".repeat(120));
    std::fs::create_dir(&long).unwrap();
    let mut command =
        server.command(&["netconf", "lock"], &["--", "sh", "-c", "test -S $TRUNKLINE_NETCONF_SESSION"]);
    assert!(command.env("XDG_RUNTIME_DIR", &long).status().unwrap().success());
    assert_eq!(std::fs::read_dir(&long).unwrap().count(), 0);
    server.heard();

    // What a command leaves locked is unlocked when it ends.
    let lock = server.file("lock.xml", "<lock><target><candidate/></target></lock>");
    let script = format!("{} {lock}", ours("netconf rpc"));
    server.run(&["netconf", "lock"], &["--", "sh", "-c", &script], 0);
    let heard = server.heard();
    let end = [
        "<discard-changes/>",
        "<unlock><target><candidate/></target></unlock>",
        "<unlock><target><running/></target></unlock>",
    ];
    assert!(end.iter().all(|it| heard.iter().any(|heard| heard == it)), "{heard:#?}");

    // The holder's words are printed, and what became of its session.
    let slow = server.file("slow.xml", "<slow xmlns='urn:slow'/>");
    let script = format!("{} {slow}", ours("netconf rpc"));
    let (_, err) = server.run(&["netconf", "lock", "-t", "0.2"], &["--", "sh", "-c", &script], 1);
    assert!(err.contains("the holder of the session says: no answer"), "{err}");
    assert!(err.contains("closed the connection"), "{err}");
    server.heard();

    // Without its holder there is no lock to work under.
    let mut command = server.command(&["netconf", "edit"], &[&file]);
    let output = command.env("TRUNKLINE_NETCONF_SESSION", socket).output().unwrap();
    let (_, err) = support::texts(&output);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains(socket) && err.contains("TRUNKLINE_NETCONF_SESSION"), "{err}");
    assert!(server.heard().is_empty());
}

/// Ctrl-C is for the program, which may need the lock for what it has to end.
#[test]
fn a_lock_is_held_until_its_program_has_ended() {
    let server = Scripted::new(&[SYSTEM], |_| Some("<ok/>".to_owned()));
    let mut command = server.command(&["netconf", "lock"], &["--", "sh", "-c", "echo on; read line; exit 3"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = BufReader::new(child.stdout.take().unwrap()).lines().next();
    assert_eq!(begun.unwrap().unwrap(), "on");
    interrupt(&child);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("waiting for sh to end")));
    assert!(!server.has_heard("<unlock>"));
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert!(server.heard()[1..].iter().map(|it| &it[..7]).eq(["<unlock", "<close-"]));
}

fn interrupt(child: &Child) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
}

const SYSTEM_TEXT: &str = "module ietf-system { namespace \"urn:ietf:params:xml:ns:yang:ietf-system\"; prefix sys; import other { prefix o; }
    container system { leaf contact { type string; } uses o:more; } container system-state { config false; } }";

#[test]
fn a_name_that_is_nowhere_in_the_schema_is_an_error() {
    let answer = |other: &'static str| {
        move |operation: &str| {
            let text = match operation {
                it if it.contains("<identifier>ietf-system</identifier>") => SYSTEM_TEXT,
                it if it.contains("<identifier>other</identifier>") => other,
                _ => return Some("<data/>".to_owned()),
            };
            let escaped = text.replace('<', "&lt;");
            Some(format!(
                "<data xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring\">{escaped}</data>"
            ))
        }
    };
    let other =
        "module other { namespace \"urn:o\"; prefix o; grouping more { leaf location { type string; } } }";
    let server = Scripted::new(&["xpath:1.0", SYSTEM, MONITORING], answer(other));
    for words in
        [&["get"][..], &["walk"], &["netconf", "get"], &["netconf", "get-config"], &["watch", "--count", "1"]]
    {
        let (out, err) = server.run(words, &["/ietf-system:system/contct"], 2);
        let said = "/ietf-system:system has no contct in the module ietf-system, but contact, location";
        assert!(err.contains(said) && out.is_empty(), "{words:?}: {out}{err}");
    }
    let (_, err) = server.run(&["get"], &["/ietf-system:sistem"], 2);
    assert!(err.contains("has no sistem at its top, but system, system-state"), "{err}");
    let (_, err) = server.run(&["netconf", "subscribe", "--xpath", "/ietf-system:sistem"], &[], 2);
    assert!(err.contains("has no sistem at its top"), "{err}");
    // What may be there is not.
    let location = "/ietf-system:system/location";
    let (out, err) = server.run(&["get"], &[location], 0);
    assert!(out.contains("no such data") && err.contains("has nothing there"), "{out}{err}");
    let (_, err) = server.run(&["netconf", "get"], &[location], 0);
    assert!(err.contains("/ietf-system:system/location selects no data"), "{err}");
    let (_, err) = server.run(&["netconf", "get"], &["//nowhere"], 0);
    assert!(err.contains("//nowhere selects no data"), "{err}");
    let (_, err) = server.run(&["netconf", "get"], &[], 0);
    assert!(err.contains("there is no data"), "{err}");
    // Without all texts nobody knows.
    let server = Scripted::new(&[SYSTEM, MONITORING], answer(""));
    server.run(&["get"], &["/ietf-system:system/contct"], 0);
}

/// RFC 7950 section 5.6.4: the hello does not have them.
#[test]
fn modules_of_the_yang_library_are_listed() {
    let library = "urn:ietf:params:xml:ns:yang:ietf-yang-library";
    let capability = "yang-library:1.1?revision=2019-01-04&content-id=1";
    let server = Scripted::new(&[capability, SYSTEM], move |operation| {
        let module = |kind: &str, name: &str| {
            format!(
                "<{kind}><name>{name}</name><revision>2020-01-01</revision><namespace>urn:{name}</namespace><feature>f</feature></{kind}>"
            )
        };
        let modules = module("module", "new-module") + &module("import-only-module", "types");
        Some(match operation.contains("<yang-library") {
            true => format!(
                "<data><yang-library xmlns='{library}'><module-set>{modules}</module-set></yang-library></data>"
            ),
            false => "<data/>".to_owned(),
        })
    });
    let (out, _) = server.run(&["netconf", "capabilities"], &[], 0);
    for line in ["ietf-system  2014-08-06", "new-module   2020-01-01  f", "types          2020-01-01  f"] {
        assert!(out.lines().any(|it| it == line), "{line}\n{out}");
    }
    assert!(out.lines().all(|it| it.chars().count() <= 80), "{out}");
    let (out, _) = server.run(&["netconf", "capabilities", "--namespaces"], &[], 0);
    assert!(
        out.contains("urn:ietf:params:xml:ns:yang:ietf-system") && out.contains("urn:new-module"),
        "{out}"
    );
    let (out, _) = server.run(&["netconf", "capabilities", "--json"], &[], 0);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let names: Vec<&str> =
        json["modules"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ietf-system", "new-module", "types"]);
    assert_eq!(
        (&json["modules"][2]["import_only"], &json["modules"][1]["features"][0]),
        (&true.into(), &"f".into())
    );
}

#[test]
fn configurations_of_any_place_are_compared() {
    let capabilities = ["candidate:1.0", "startup:1.0", "url:1.0?scheme=file", SYSTEM];
    let with = |contact: &str| CONTACT.replace("ann", contact);
    let copied = std::sync::atomic::AtomicBool::new(false);
    let server = Scripted::new(&capabilities, move |operation| {
        use std::sync::atomic::Ordering::SeqCst;
        let data = |contact: &str| Some(format!("<data>{}</data>", with(contact)));
        match operation {
            it if it.starts_with("<copy-config>") => copied.store(true, SeqCst),
            "<discard-changes/>" => copied.store(false, SeqCst),
            it if it.contains("<running/>") && it.starts_with("<get") => return data("ann"),
            it if it.contains("<startup/>") && it.starts_with("<get") => return data("old"),
            it if it.starts_with("<get") => return data(if copied.load(SeqCst) { "saved" } else { "new" }),
            _ => {}
        }
        Some("<ok/>".to_owned())
    });
    let file = server.file("file.xml", &CONTACT.replace("ann", "here"));
    let whole = format!("<config xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\">{}</config>", CONTACT);
    let whole = server.file("whole.xml", &whole);
    let line = |sign: char, contact: &str| format!("{sign} /ietf-system:system/contact = {contact}\n");
    for (words, from, to) in [
        (&[][..], "ann", "new"),
        (&["startup"], "old", "new"),
        (&["candidate", "running"], "new", "ann"),
        (&["file:///s.xml", "running"], "saved", "ann"),
        (&["--from", "running", "--to", "file:///s.xml"], "ann", "saved"),
        (&["file:///s.xml", "--to", &file], "saved", "here"),
        (&[&file, "startup"], "here", "old"),
        (&[&whole, "startup"], "ann", "old"),
    ] {
        let (out, _) = server.run(&["netconf", "diff"], words, 0);
        assert_eq!(out, line('-', from) + &line('+', to), "{words:?}");
    }
    server.heard();
    let (out, _) = server.run(&["netconf", "get-config", "--source", "file:///s.xml"], &[], 0);
    assert!(out.contains("<contact>saved</contact>"), "{out}");
    let heard = server.heard();
    let begins =
        ["<lock>", "<copy-config>", "<get-config>", "<discard-changes/>", "<unlock>", "<close-session/>"];
    assert!(heard.iter().map(|it| &it[..5]).eq(begins.iter().map(|it| &it[..5])), "{heard:#?}");
    for words in [&["-", "-"][..], &["nothing"], &["running", "--from", "startup"]] {
        server.run(&["netconf", "diff"], words, 2);
    }
}
