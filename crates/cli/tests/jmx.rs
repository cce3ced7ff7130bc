//! `trunkline` and JVMs: what each command prints of MBeans.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value as Json;
use trunkline_testkit::jvm::{Jvm, OPEN, homes, keystore, protected};

mod support;

use support::{run, trunkline};

/// The JDKs, each with a JVM that is open to all, and its URL.
fn jvms() -> impl Iterator<Item = (Jvm, String)> {
    homes().into_iter().map(|home| {
        let jvm = Jvm::open(&home);
        let url = format!("jmx://127.0.0.1:{}", jvm.port);
        (jvm, url)
    })
}

/// With time for machines on which all is slow.
fn patiently<'a>(command: &[&'a str], rest: &[&'a str]) -> Vec<&'a str> {
    [command, &["-t", "60", "-r", "0"], rest].concat()
}

#[track_caller]
fn asked(command: &[&str], rest: &[&str], status: i32) -> (String, String) {
    run(&patiently(command, rest), status)
}

#[track_caller]
fn json(command: &[&str], rest: &[&str]) -> Vec<Json> {
    let (out, _) = asked(command, &[&["--json"], rest].concat(), 0);
    serde_json::from_str(&out).unwrap_or_else(|fault| panic!("{fault}: {out}"))
}

#[test]
fn attributes_and_their_parts_are_read() {
    for (_jvm, url) in jvms() {
        let (out, err) = asked(&["get"], &[&format!("{url}/java.lang:type=Memory/HeapMemoryUsage")], 0);
        let names: Vec<&str> = out.lines().map(|line| line.split(" = ").next().unwrap()).collect();
        let expected = ["committed", "init", "max", "used"]
            .map(|item| format!("java.lang:type=Memory/HeapMemoryUsage.{item}"));
        assert_eq!(names, expected, "{err}");
        let words = [
            &*url,
            "toy:type=Row,index=1/Value",
            "toy:type=Row,index=1/Table[1]",
            "java.lang:type=Runtime/SystemProperties[file.separator]",
            "toy:type=Row,index=?/Name",
            "toy:type=Row,index=1/V*",
        ];
        let (out, _) = asked(&["get"], &words, 0);
        assert_eq!(
            out,
            "toy:type=Row,index=1/Value = 10\n\
             toy:type=Row,index=1/Table[1] = [4, 5, 6]\n\
             java.lang:type=Runtime/SystemProperties[file.separator] = /\n\
             toy:type=Row,index=1/Name = row10\n\
             toy:type=Row,index=2/Name = row20\n\
             toy:type=Row,index=3/Name = row30\n\
             toy:type=Row,index=1/Value = 10\n"
        );
        let read =
            json(&["get"], &[&url, "java.lang:type=Memory/HeapMemoryUsage", "toy:type=Row,index=2/Value"]);
        assert!(read[0]["value"]["used"].is_u64() && read[0]["mbean"] == "java.lang:type=Memory");
        assert_eq!((&read[1]["value"], &read[1]["class"]), (&20.into(), &"java.lang.Long".into()));
        let (out, _) = asked(&["get", "--csv"], &[&url, "toy:type=Row,index=2/Value"], 0);
        assert_eq!(out, "mbean,attribute,value\n\"toy:type=Row,index=2\",Value,20\n");
    }
}

#[test]
fn what_is_not_there_is_reported() {
    for (_jvm, url) in jvms() {
        let words = [
            &*url,
            "a:b=c/D",
            "toy:type=Row,index=1/No",
            "toy:type=Row,index=1",
            "toy:type=Row,index=1/Value.x",
        ];
        let (out, err) = asked(&["get"], &words, 0);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines[0], "a:b=c/D = no such MBean or attribute, or none that you may read");
        assert!(lines[1].contains("AttributeNotFoundException"), "{out}");
        assert_eq!(lines[2], "toy:type=Row,index=1 = an MBean, not an attribute");
        assert!(lines[3].ends_with("/Value.x = no such part of the value"), "{out}");
        assert!(err.contains("`trunkline walk` reads all its attributes"), "{err}");
        asked(&["get", "--missing-is-error"], &[&url, "a:b=c/D"], 1);
        let (_, err) = asked(&["get"], &[&url, "sysUpTime.0"], 2);
        assert!(err.contains("DOMAIN:KEY=VALUE"), "{err}");
        let (_, err) = asked(&["next"], &[&url, "sysUpTime.0"], 2);
        assert!(err.contains("this command does not"), "{err}");
    }
}

#[test]
fn mbeans_are_walked() {
    for (_jvm, url) in jvms() {
        let (out, err) = asked(&["walk"], &[&url], 0);
        for path in [
            "java.lang:type=Runtime/SpecVersion = ",
            "java.lang:type=Memory/HeapMemoryUsage.used = ",
            "toy:type=Row,index=3/Value = 30",
        ] {
            assert!(out.contains(path), "{path}: {out}");
        }
        assert!(err.contains("attributes cannot be read, such as java.lang:"), "{err}");
        assert!(err.contains("threshold is not supported"), "{err}");
        let (out, _) = asked(&["walk", "-Cp"], &[&url, "toy:*"], 0);
        assert_eq!(out.lines().last(), Some("Values found: 12"), "{out}");
    }
}

#[test]
fn mbeans_are_rows() {
    for (_jvm, url) in jvms() {
        let (out, _) = asked(&["table"], &[&url, "toy:type=Row,*", "--columns", "Value,Name"], 0);
        assert_eq!(
            out,
            "index  Value  Name\n------ ------ ------\n1         10  row10\n2         20  row20\n3         30  row30\n"
        );
        let read = json(&["table"], &[&url, "java.lang:type=MemoryPool,*", "--columns", "Type,Usage"]);
        let rows = read[0]["rows"].as_array().unwrap();
        assert!(
            rows.iter().any(|row| row["columns"]["Type"] == "HEAP" && row["columns"]["Usage.used"].is_u64())
        );
        assert!(rows.iter().all(|row| row["index"]["name"].is_string()), "{rows:?}");
        let (out, _) = asked(&["table", "--csv"], &[&url, "java.lang:type=Runtime/SystemProperties"], 0);
        assert!(out.starts_with("key,value\n") && out.contains("\nfile.separator,/\n"), "{out}");
        let (_, err) = asked(&["table"], &[&url, "toy:*", "--columns", "No"], 2);
        assert!(err.contains("has no column No; it has Calls Name Table Value"), "{err}");
    }
}

#[test]
fn queries_are_evaluated_by_the_jvm() {
    for (_jvm, url) in jvms() {
        let filter = "Value >= 20 AND NOT Name LIKE '*30'";
        let (out, _) =
            asked(&["select", "--csv"], &[&url, "toy:*", "--filter", filter, "--data", "{Value, Name}"], 0);
        assert_eq!(out, "type,index,Value,Name\nRow,2,20,row20\n");
        let (_, err) = asked(&["select"], &[&url, "toy:*", "--filter", "Value >"], 2);
        assert!(err.contains("--filter: the condition is wrong"), "{err}");
    }
}

#[test]
fn attributes_are_set_and_operations_called() {
    for (_jvm, url) in jvms() {
        let (out, _) = asked(
            &["set"],
            &[&url, "java.lang:type=Memory/Verbose=true", "toy:type=Row,index=1/Value=11"],
            0,
        );
        assert_eq!(out, "java.lang:type=Memory/Verbose = true\ntoy:type=Row,index=1/Value = 11\n");
        let (out, _) = asked(&["get"], &[&url, "toy:type=Row,index=1/Value"], 0);
        assert_eq!(out, "toy:type=Row,index=1/Value = 11\n");
        for (word, words) in [
            ("toy:type=Row,index=1/Value=x", "is not a value of long"),
            ("toy:type=Row,index=1/Name=x", "can only be read"),
            ("toy:type=Row,index=1/No=x", "those that can be set: Value"),
        ] {
            let (_, err) = asked(&["set"], &[&url, "java.lang:type=Memory/Verbose=false", word], 2);
            assert!(err.contains(words), "{err}");
        }
        // Nothing was set, for all are checked first.
        let (out, _) = asked(&["get"], &[&url, "java.lang:type=Memory/Verbose"], 0);
        assert_eq!(out, "java.lang:type=Memory/Verbose = true\n");

        let (out, _) = asked(&["invoke"], &[&format!("{url}/toy:type=Row,index=1/add"), "3", "-4"], 0);
        assert_eq!(out, "toy:type=Row,index=1/add() = -1\n");
        let read = json(
            &["invoke"],
            &[&url, "java.lang:type=Threading/dumpAllThreads(boolean,boolean)", "false", "false"],
        );
        assert!(read[0]["value"].as_array().unwrap().iter().any(|thread| thread["threadName"] == "main"));
        let (_, err) = asked(&["invoke"], &[&url, "toy:type=Row,index=1/fail"], 1);
        assert!(err.contains("it has failed"), "{err}");
        let (_, err) = asked(&["invoke"], &[&url, "toy:type=Row,index=1/add", "1"], 2);
        assert!(err.contains("there are add(long,long)"), "{err}");
    }
}

#[test]
fn rounds_are_watched() {
    for (_jvm, url) in jvms() {
        let words = [&*url, "java.lang:type=Memory/HeapMemoryUsage.used", "--every", "10ms", "--count", "2"];
        let (out, _) = asked(&["watch"], &words, 0);
        assert_eq!(out.lines().count(), 2, "{out}");
        assert!(
            out.lines().all(|line| line.contains("Z java.lang:type=Memory/HeapMemoryUsage.used = ")),
            "{out}"
        );
        // What counts, as its descriptor says, has a rate.
        let words = [&*url, "toy:type=Row,index=1/Calls", "--every", "10ms", "--count", "3"];
        let (out, _) = asked(&["watch", "--json"], &words, 0);
        let rounds: Vec<Json> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((&rounds[0]["what"], &rounds[0]["value"]), (&"value".into(), &"1000".into()));
        for (round, value) in rounds[1..].iter().zip(["2000", "3000"]) {
            assert_eq!((&round["what"], &round["units"]), (&"rate".into(), &"calls".into()));
            assert_eq!(round["value"], value);
            assert!(round["rate"].as_f64().unwrap() > 0.0, "{out}");
        }
    }
}

#[test]
fn notifications_are_printed_as_they_come() {
    for (_jvm, url) in jvms() {
        let words = patiently(&["subscribe", "--json", "--count", "1"], &[&url, "toy:*", "toy."]);
        let mut subscribed = trunkline(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(subscribed.stderr.take().unwrap()).lines();
        let line = said.next().unwrap().unwrap();
        assert!(line.contains("listening to 3 MBeans"), "{line}");
        asked(&["invoke"], &[&url, "toy:type=Row,index=2/fire"], 0);
        let output = subscribed.wait_with_output().unwrap();
        let record: Json = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(record["mbean"], "toy:type=Row,index=2");
        assert_eq!(record["type"], "toy.fired");
        assert_eq!(record["user_data"], 20);
        assert!(output.status.success());
    }
}

/// A JVM with MBeans that cannot be read wholly, of each JDK, and its URL.
fn odd_jvms() -> impl Iterator<Item = (Jvm, String)> {
    homes().into_iter().map(|home| {
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../peers/jmx/Odd.java");
        let jvm = Jvm::start(&home, OPEN, &[program.to_owned()]);
        let url = format!("jmx://127.0.0.1:{}", jvm.port);
        (jvm, url)
    })
}

#[test]
fn an_mbean_that_cannot_be_read_does_not_end_a_walk() {
    for (_jvm, url) in odd_jvms() {
        let (out, err) = asked(&["walk"], &[&url, "odd:*"], 0);
        assert_eq!(
            out.lines().filter(|line| !line.contains("/Big = ")).collect::<Vec<_>>(),
            [
                "odd:type=Names,name=\"a/b\"/Counts[e]f] = 5",
                "odd:type=Names,name=\"a/b\"/with/dots [x] = 1",
                "odd:type=Model/Count = 7",
                "odd:type=Throws/Good = 1",
            ]
        );
        assert!(err.contains("cannot be read: odd:type=BadInfo: class Odd$1 is not on the list"), "{err}");
        assert!(err.contains("2 attributes cannot be read, such as odd:type=Throws/Fails: "), "{err}");
        // A number of 5,000 bits.
        assert!(out.contains("odd:type=Throws/Big = 14124670321394260368"), "{out}");
        let (out, _) =
            asked(&["watch"], &[&url, "odd:type=Model/Count", "--every", "10ms", "--count", "2"], 0);
        assert_eq!(out.lines().count(), 2, "{out}");
        let (out, err) = asked(&["get"], &[&url, "odd:*/Good"], 0);
        assert_eq!(out.lines().filter(|line| line.ends_with("/Good = 1")).count(), 3, "{out}{err}");
        let (out, err) = asked(&["table", "--columns", "Good"], &[&url, "odd:type=*"], 0);
        assert!(out.contains("Good") && !err.contains("attributes cannot be read"), "{out}{err}");
        // What walk prints, get takes.
        for path in ["odd:type=Names,name=\"a/b\"/Counts[e]f]", "odd:type=Names,name=\"a/b\"/with/dots [x]"] {
            let (out, _) = asked(&["get"], &[&url, path], 0);
            assert!(out.starts_with(&format!("{path} = ")) && !out.contains("no such"), "{out}");
        }
    }
}

#[test]
fn failures_are_not_values() {
    for (_jvm, url) in odd_jvms() {
        for form in [&[][..], &["--csv"]] {
            let (out, err) = asked(&[&["get"], form].concat(), &[&url, "odd:type=Throws/Fails"], 1);
            assert_eq!(out, "");
            assert!(err.contains(": odd:type=Throws/Fails: javax.management.RuntimeMBeanException"), "{err}");
            assert_eq!(err.matches("is down").count(), 1, "{err}");
        }
        let (out, _) = asked(&["get", "--json"], &[&url, "odd:type=Throws/Fails"], 1);
        assert!(out.contains("\"error\":\"javax.management.RuntimeMBeanException"), "{out}");
        let (out, err) = asked(&["get"], &[&url, "odd:type=Throws/Own", "odd:type=Throws/Good"], 1);
        assert_eq!(out, "odd:type=Throws/Good = 1\n");
        assert!(err.contains("class Odd$Own is not on the list"), "{err}");

        let (out, err) = asked(&["set"], &[&url, "odd:type=Throws/Good=2"], 1);
        assert!(out.is_empty() && err.contains("odd:type=Throws/Good was not set: "), "{out}{err}");
        let (_, err) = asked(&["invoke"], &[&url, "odd:type=Throws/fail"], 1);
        let expected = "odd:type=Throws/fail: the server answers with an exception that cannot be read";
        assert!(err.contains(expected) && !err.contains("carried out"), "{err}");
        let (_, err) = asked(&["invoke"], &[&url, "odd:type=Throws/own"], 1);
        assert!(err.contains("was carried out; its result cannot be read"), "{err}");
        let (out, _) = asked(&["invoke"], &[&url, "odd:type=Throws/lines"], 0);
        assert_eq!(out, "odd:type=Throws/lines() =\n  one\n  two\n");
    }
}

#[test]
fn what_is_not_selected_is_explained() {
    for (_jvm, url) in jvms() {
        let pools = "java.lang:type=MemoryPool,*";
        let (_, err) = asked(&["select"], &[&url, pools, "--filter", "Usage.used > 1000"], 0);
        assert!(err.contains("have no Usage.used"), "{err}");
        let (_, err) = asked(&["select"], &[&url, pools, "--filter", "Type = 'X'"], 0);
        assert!(err.contains("the condition holds for none of"), "{err}");
        let (_, err) = asked(&["select"], &[&url, "toy:*", "--data", "Value,Nope"], 2);
        assert!(err.contains("none of the MBeans has Nope"), "{err}");
    }
}

#[test]
fn mbeans_of_a_pattern_may_come_later() {
    for (_jvm, url) in jvms() {
        let words = [&*url, "none:*/Value", "--every", "10ms", "--count", "2"];
        let (out, err) = asked(&["watch"], &words, 0);
        assert!(out.is_empty() && err.matches("nothing to watch yet").count() == 1, "{out}{err}");
        let (_, err) = asked(&["watch"], &[&url, "none:a=b/Value", "--every", "10ms", "--count", "2"], 2);
        assert!(err.contains("no values of the attributes"), "{err}");
    }
}

#[test]
fn many_jvms_are_asked_at_once() {
    for (_jvm, url) in jvms() {
        let also = url.replace("jmx://127.0.0.1", "service:jmx:rmi:///jndi/rmi://localhost") + "/jmxrmi";
        let (out, _) = asked(&["get"], &[&url, &also, "toy:type=Row,index=1/Value"], 0);
        let mut lines: Vec<&str> = out.lines().collect();
        lines.sort_unstable();
        let expected = ["127.0.0.1", "localhost"]
            .map(|host| format!("{}: toy:type=Row,index=1/Value = 10", url.replace("127.0.0.1", host)));
        assert_eq!(lines, expected);
        let (_, err) = asked(&["get"], &[&url, "127.0.0.1:161", "toy:type=Row,index=1/Value"], 2);
        assert!(err.contains("ask them (jmx://) with one command"), "{err}");
    }
}

/// Tomcat's MBeans have attributes of its own classes, which cannot be read: the others can.
#[test]
fn tomcat_is_read() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let jars = format!("{root}/target/peers/tomcat/lib");
    if !std::path::Path::new(&jars).exists() {
        return trunkline_testkit::leave_out("Tomcat is not installed: cargo xtask setup --peers");
    }
    for home in homes() {
        let words = ["-cp".to_owned(), format!("{jars}/*"), format!("{root}/peers/tomcat/Server.java")];
        let jvm = Jvm::start(&home, OPEN, &words);
        let url = format!("jmx://127.0.0.1:{}", jvm.port);
        let (out, err) = asked(&["walk"], &[&url, "Tomcat:*"], 0);
        for path in ["Tomcat:type=Server/stateName = STARTED\n", "Tomcat:type=Engine/name = Tomcat\n"] {
            assert!(out.contains(path), "{path}: {out}{err}");
        }
        let name = "Tomcat:j2eeType=WebModule,name=//localhost/shop,J2EEApplication=none,J2EEServer=none";
        let (out, _) = asked(&["get"], &[&url, &format!("{name}/displayName")], 0);
        assert_eq!(out, format!("{name}/displayName = shop\n"));
        let (out, _) = asked(&["set"], &[&url, &format!("{name}/sessionTimeout=5")], 0);
        assert_eq!(out, format!("{name}/sessionTimeout = 5\n"));
    }
}

#[test]
fn tls_authenticates_the_jvm_and_a_password_the_user() {
    use std::os::unix::fs::PermissionsExt;
    for home in homes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        for (name, text) in
            [("users", "ann geheim\n"), ("access", "ann readonly\n"), ("password", "geheim\n")]
        {
            std::fs::write(at(name), text).unwrap();
            std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        let certificate = keystore(&home, folder.path());
        let options = protected(folder.path(), true);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let jvm = Jvm::start(&home, &options, &[]);
        let url = format!("jmx+tls://ann@localhost:{}/java.lang:type=Runtime/SpecName", jvm.port);
        let password = at("password");
        let trusted =
            ["get", "--authorities", certificate.to_str().unwrap(), "--jmx-password-file", &password];
        let (out, _) = asked(&trusted, &[&url], 0);
        assert_eq!(out, "java.lang:type=Runtime/SpecName = Java Virtual Machine Specification\n");
        let (_, err) = asked(&["get", "--jmx-password-file", &password], &[&url], 2);
        assert!(err.contains("--authorities"), "{err}");
        let named = ["--server-name", "other.example"];
        let (_, err) = asked(&[&trusted[..], &named].concat(), &[&url], 1);
        assert!(err.contains("other.example"), "{err}");
        let plain = url.replace("jmx+tls", "jmx");
        let (_, err) = asked(&trusted, &[&plain], 1);
        assert!(err.contains("jmx+tls://"), "{err}");
    }
}

/// The JVM requires a certificate, which its trust store has the authority of.
#[test]
fn a_certificate_authenticates_the_manager() {
    for home in homes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        let (pki, trust) = (at("pki"), at("trust.p12"));
        run(&["pki", "init", "--dir", &pki], 0);
        run(&["pki", "manager", "ann", "--dir", &pki], 0);
        let imported = std::process::Command::new(home.join("bin/keytool"))
            .args([
                "-importcert",
                "-noprompt",
                "-alias",
                "ca",
                "-storetype",
                "PKCS12",
                "-storepass",
                "secret1",
            ])
            .args(["-file", &format!("{pki}/ca.pem"), "-keystore", &trust])
            .output()
            .unwrap();
        assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stdout));
        let certificate = keystore(&home, folder.path());
        let mut options = protected(folder.path(), true);
        options.retain(|option| !option.contains("password.file") && !option.contains("access.file"));
        options.extend([
            "-Dcom.sun.management.jmxremote.authenticate=false".to_owned(),
            "-Dcom.sun.management.jmxremote.ssl.need.client.auth=true".to_owned(),
            format!("-Djavax.net.ssl.trustStore={trust}"),
            "-Djavax.net.ssl.trustStorePassword=secret1".to_owned(),
        ]);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let jvm = Jvm::start(&home, &options, &[]);
        let url = format!("jmx+tls://127.0.0.1:{}/java.lang:type=Runtime/SpecName", jvm.port);
        let trusted = ["get", "--authorities", certificate.to_str().unwrap()];
        let (out, _) = asked(&[&trusted[..], &["--pki", &pki]].concat(), &[&url], 0);
        assert_eq!(out, "java.lang:type=Runtime/SpecName = Java Virtual Machine Specification\n");
        asked(&[&trusted[..], &["--pki", &at("nothing")]].concat(), &[&url], 1);
    }
}

#[test]
fn named_targets_have_users_and_stay_where_they_are_asked() {
    use std::os::unix::fs::PermissionsExt;
    for home in homes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let files = [("users", "ann geheim\n"), ("access", "ann readonly\n"), ("password", "geheim\n")];
        for (name, text) in files {
            std::fs::write(at(name), text).unwrap();
            std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        let option = |key: &str, value: &str| format!("-D{key}={value}");
        let options = [
            option("com.sun.management.jmxremote.host", "127.0.0.1"),
            option("java.rmi.server.hostname", "127.0.0.77"),
            option("com.sun.management.jmxremote.ssl", "false"),
            option("com.sun.management.jmxremote.password.file", at("users").to_str().unwrap()),
            option("com.sun.management.jmxremote.access.file", at("access").to_str().unwrap()),
        ];
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let jvm = Jvm::start(&home, &options, &[]);
        let text = format!(
            "[targets.shop]\naddress = \"jmx://127.0.0.1:{}\"\njmx-user = \"ann\"\njmx-password-file = \"password\"\njmx-stay = true\n\
             [targets.led]\naddress = \"jmx://ann@127.0.0.1:{}\"\njmx-password-file = \"password\"\n",
            jvm.port, jvm.port
        );
        std::fs::write(at("config.toml"), text).unwrap();
        let config = at("config.toml");
        let get = |target: &str, status| {
            let words = ["get", "--config", config.to_str().unwrap()];
            asked(&words, &[target, "java.lang:type=Runtime/SpecName"], status)
        };
        let (out, _) = get("shop", 0);
        assert_eq!(out, "java.lang:type=Runtime/SpecName = Java Virtual Machine Specification\n");
        let (_, err) = get("led", 1);
        assert!(err.contains("127.0.0.77") && err.contains("--jmx-stay"), "{err}");
        let url = format!("jmx://ann@127.0.0.1:{}", jvm.port);
        let (_, err) = asked(&["get"], &[&url, "java.lang:type=Runtime/SpecName"], 2);
        assert!(err.contains("TRUNKLINE_JMX_PASSWORD"), "{err}");
        let url = format!("jmx://127.0.0.1:{}", jvm.port);
        let (_, err) = asked(&["get", "--jmx-stay"], &[&url, "java.lang:type=Runtime/SpecName"], 1);
        assert!(err.contains("refuses a session without a user"), "{err}");
    }
}
