//! `trunkline netconf` with a running `trunklined`: edits that end the session that they come in.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use crate::support;

use std::io::Write;

use support::{Trunklined, run};

const NC: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";

fn rbac(content: &str) -> String {
    format!("<rbac xmlns='urn:trunkline:yang:rbac' xmlns:nc='{NC}'>{content}</rbac>")
}

/// The locks that the command has taken end with the session: that nothing is left to unlock must not be an error.
#[test]
fn an_edit_that_takes_the_rights_of_its_own_user_reports_what_it_has_done() {
    let pki = support::pki(&["max", "joe"]);
    let folder = pki.path().display().to_string();
    let config = format!(
        "[agent]\nstate = \"STATE\"\n[freshness]\ndefault = \"1h\"\n[netconf]\nlisten = [\"tls://127.0.0.1:0\"]\n\
         [snmp]\nlisten = []\n[snmp.tls]\ndirectory = {folder:?}\n\
         [[role]]\nname = \"writer\"\nread = [\"1\"]\nwrite = [\"1\"]\n\
         [[snmp.principal]]\nname = \"max\"\nrole = \"writer\"\n[[snmp.principal]]\nname = \"joe\"\n"
    );
    let Some(agent) = Trunklined::start(&config, &["tls"]) else { return };
    let port = agent.address(0).rsplit(':').next().unwrap();
    let url = format!("netconf+tls://localhost:{port}");
    let edit = |who: &str, more: &[&str], content: &str, status: i32| {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content.as_bytes()).unwrap();
        let (certificate, key) =
            (format!("{folder}/managers/{who}.pem"), format!("{folder}/managers/{who}.key"));
        let authority = format!("{folder}/ca.pem");
        let ends = ["--certificate", &certificate, "--key", &key, "--authorities", &authority];
        let words = [&["netconf", "edit", "--yes"], more, &ends, &[&url, file.path().to_str().unwrap()]];
        run(&words.concat(), status)
    };
    let all = "<permission><name>all</name><operation>write</operation><resource>1</resource></permission>\
               <permission><name>see</name><operation>read</operation><resource>1</resource></permission>";
    let gone = rbac("<user nc:operation='delete'><name>joe</name></user>");
    for target in [&[][..], &["--target", "running"]] {
        let joe =
            format!("<role><name>boss</name>{all}</role><user><name>joe</name><role>boss</role></user>");
        edit("max", &[], &rbac(&joe), 0);
        let (_, err) = edit("joe", target, &gone, 0);
        assert!(!err.contains("broke"), "{err}");
        // He is nobody now.
        let (_, err) = edit("joe", target, &gone, 1);
        assert!(!err.is_empty());
    }
}
