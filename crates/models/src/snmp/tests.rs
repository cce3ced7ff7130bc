//! From rows to a configuration and back.

use trunkline_datastore::{Config, check, read};
use trunkline_netconf::document::{Document, limits};
use trunkline_yang::own::ALL;

use super::*;

fn forest() -> Forest {
    ALL.into_iter().fold(Forest::of(&[]), Forest::with)
}

fn config(forest: &Forest, text: &str) -> Config {
    let text = format!("<config><snmp xmlns='urn:ietf:params:xml:ns:yang:ietf-snmp'>{text}</snmp></config>");
    let config = read(forest, Document::read(text.as_bytes(), limits(100_000)).unwrap().root()).unwrap();
    check(forest, &config).unwrap();
    config
}

fn branch<'c>(forest: &Forest, config: &'c Config) -> Option<&'c Branch> {
    config.root().within(&Step::to(root(forest)?))
}

fn state() -> SnmpState {
    SnmpState { engine: Engine { id: vec![0x80, 0, 0, 1, 5], ..Engine::default() }, ..SnmpState::default() }
}

/// Does what edits say, as the agent's tables do.
fn apply(state: &mut SnmpState, edits: Vec<SnmpEdit>) {
    for edit in edits {
        let Some(cells) = edit.cells else {
            assert!(state.rows.remove(&edit.row).is_some());
            continue;
        };
        let row = state.rows.entry(edit.row).or_default();
        row.cells.extend(cells);
        if edit.path.iter().any(|step| !step.keys.is_empty()) {
            row.cells
                .entry("snmpCommunityContextEngineID")
                .or_insert(Value::OctetString(vec![0x80, 0, 0, 1, 5]));
        }
        for (name, secret) in edit.secrets {
            match secret {
                Some(secret) => row.secrets.insert(name, secret),
                None => row.secrets.remove(name),
            };
        }
    }
}

const EVERYTHING: &str = "\
    <target><name>a</name><udp><ip>192.0.2.1</ip><port>1162</port><prefix-length>24</prefix-length></udp>\
      <tag>x</tag><tag>y</tag><timeout>100</timeout><retries>1</retries><target-params>p</target-params><mms>unknown</mms></target>\
    <target><name>b</name><udp><ip>fe80::1%2</ip></udp><target-params>p</target-params></target>\
    <target><name>c</name><tls><ip>host.example</ip><client-fingerprint>04:aa</client-fingerprint>\
      <server-identity>host.example</server-identity></tls><target-params>t</target-params></target>\
    <target><name>d</name><ssh><ip>2001:db8::1</ip><username>ann</username></ssh><target-params>t</target-params></target>\
    <target-params><name>p</name><notify-filter-profile>f</notify-filter-profile>\
      <usm><user-name>ann</user-name><security-level>auth-priv</security-level></usm></target-params>\
    <target-params><name>q</name><v2c><security-name>bob</security-name></v2c></target-params>\
    <target-params><name>t</name><tsm><security-name>cat</security-name><security-level>auth-priv</security-level></tsm></target-params>\
    <notify><name>n</name><tag>x</tag><type>inform</type></notify>\
    <notify-filter-profile><name>f</name><include>1.3.6.1</include><exclude>1.3.6.1.2.1.2.2.1.*.7</exclude></notify-filter-profile>\
    <community><index>1</index><text-name>hidden</text-name><security-name>bob</security-name><context>lab</context>\
      <target-tag>x</target-tag></community>\
    <community><index>2</index><binary-name>AP8=</binary-name><security-name>bob</security-name></community>\
    <usm><local><user><name>ann</name><auth><sha><key>aa:bb</key></sha></auth><priv><aes><key>cc</key></aes></priv></user>\
      <user><name>nobody</name></user></local>\
      <remote><engine-id>80:00:00:00:09</engine-id><user><name>far</name><auth><md5><key>01</key></md5></auth></user></remote></usm>\
    <vacm><group><name>g</name><member><security-name>ann</security-name><security-model>usm</security-model>\
      <security-model>99</security-model></member><access><context/><security-model>any</security-model>\
      <security-level>no-auth-no-priv</security-level><context-match>prefix</context-match><read-view>v</read-view></access></group>\
      <view><name>v</name><include>1</include><exclude>1.3.6.1.6</exclude></view></vacm>\
    <tlstm><cert-to-name><id>1</id><fingerprint>04:aa:bb</fingerprint>\
      <map-type xmlns:x='urn:ietf:params:xml:ns:yang:ietf-x509-cert-to-name'>x:specified</map-type><name>ann</name></cert-to-name>\
      <cert-to-name><id>2</id><fingerprint>04:cc</fingerprint>\
      <map-type xmlns:x='urn:ietf:params:xml:ns:yang:ietf-x509-cert-to-name'>x:san-any</map-type></cert-to-name></tlstm>";

#[test]
fn rows_are_the_configuration_that_made_them() {
    let forest = forest();
    let wanted = config(&forest, EVERYTHING);
    let wanted = branch(&forest, &wanted);
    let mut state = state();
    let (made, scalars) = edits(&forest, &state, None, wanted, true).unwrap();
    assert_eq!((made.len(), scalars.len()), (25, 0));
    apply(&mut state, made);
    let found = configured(&forest, &state);
    let differences = |a: &Branch, b: &Branch| {
        let whole = |branch: &Branch| {
            let mut config = Config::default();
            config.root_mut().insert(
                Step::to(root(&forest).unwrap()),
                trunkline_datastore::Item::Within(std::sync::Arc::new(branch.clone())),
            );
            config
        };
        trunkline_datastore::changes(&whole(a), &whole(b))
    };
    assert_eq!(differences(&found, wanted.unwrap()), []);
    // Nothing is left to be done, and everything can go.
    let (made, _) = edits(&forest, &state, Some(&found), wanted, true).unwrap();
    assert!(made.is_empty());
    let (made, _) = edits(&forest, &state, Some(&found), None, true).unwrap();
    apply(&mut state, made);
    assert!(state.rows.is_empty() && configured(&forest, &state).is_empty());
}

#[test]
fn an_edit_touches_what_it_changes() {
    let forest = forest();
    let mut state = state();
    let before = config(&forest, EVERYTHING);
    let (made, _) = edits(&forest, &state, None, branch(&forest, &before), true).unwrap();
    apply(&mut state, made);
    let after =
        config(&forest, &EVERYTHING.replace("<retries>1</retries>", "").replace("cc</key>", "dd</key>"));
    let (made, _) = edits(&forest, &state, branch(&forest, &before), branch(&forest, &after), true).unwrap();
    let cells: Vec<_> = made.iter().map(|edit| (edit.row.0, edit.cells.clone().unwrap())).collect();
    assert_eq!(
        cells,
        [
            ("snmpTargetAddrTable", vec![("snmpTargetAddrRetryCount", Value::Integer(3))]),
            ("usmUserTable", vec![]),
        ]
    );
    assert!(made[1].secrets.contains(&("priv-key", Some(vec![0xdd]))));
}

#[test]
fn what_the_tables_cannot_be_is_refused() {
    let forest = forest();
    let mut state = state();
    state.engine.listen.push(("udp", "127.0.0.1".into(), 161));
    state.engine.versions.push("v3");
    state.rows.insert(
        ("snmpNotifyTable", "fixed".bytes().map(u32::from).collect()),
        SnmpRow { is_fixed: true, ..SnmpRow::default() },
    );
    state.rows.insert(("snmpNotifyTable", "odd".bytes().map(u32::from).collect()), SnmpRow::default());
    let refused = |text: &str| {
        let wanted = config(&forest, text);
        let fault = edits(&forest, &state, None, branch(&forest, &wanted), true).err();
        fault.unwrap_or_else(|| panic!("{text}")).reason
    };
    for (text, reason) in [
        ("<engine><enabled>false</enabled></engine>", "configuration file says where"),
        ("<engine><version><v1/></version></engine>", "configuration file says where"),
        ("<notify><name>fixed</name><tag>x</tag></notify>", "configuration file has it"),
        ("<notify><name>odd</name><tag>x</tag></notify>", "snmpNotifyTable has such a row"),
        ("<vacm><view><name>v</name></view></vacm>", "without include and exclude"),
        ("<vacm><group><name>v</name></group></vacm>", "without members and access"),
        ("<target-params><name>v</name></target-params>", "without v1, v2c, usm or tsm"),
        (
            "<usm><remote><engine-id>80:00:00:01:05</engine-id><user><name>a</name></user></remote></usm>",
            "engine's own ID",
        ),
        ("<usm><remote><engine-id>80:00:00:01:06</engine-id></remote></usm>", "without users"),
        (
            "<target><name>a</name><udp><ip>::1</ip><prefix-length>129</prefix-length></udp><target-params>p</target-params></target>",
            "",
        ),
        (
            "<target><name>a</name><udp><ip>192.0.2.1</ip><prefix-length>33</prefix-length></udp><target-params>p</target-params></target>",
            "no prefix of this length",
        ),
        (
            "<tlstm><cert-to-name><id>2</id><fingerprint>04:cc</fingerprint>\
             <map-type xmlns:x='urn:ietf:params:xml:ns:yang:ietf-x509-cert-to-name'>x:specified</map-type></cert-to-name></tlstm>",
            "a name belongs to",
        ),
        (
            "<vacm><group><name>g</name><member><security-name>a</security-name><security-model>usm</security-model></member></group>\
             <group><name>h</name><member><security-name>a</security-name><security-model>usm</security-model></member></group></vacm>",
            "something else of the same row",
        ),
    ] {
        if reason.is_empty() {
            continue;
        }
        let found = refused(text);
        assert!(found.contains(reason), "{text}: {found}");
    }
}

#[test]
fn what_the_file_says_is_in_force_and_not_configured() {
    let forest = forest();
    let mut state = state();
    let (made, _) =
        edits(&forest, &state, None, branch(&forest, &config(&forest, EVERYTHING)), true).unwrap();
    apply(&mut state, made);
    state.rows.values_mut().for_each(|row| row.is_fixed = true);
    state.engine.listen.push(("udp", "127.0.0.1".into(), 161));
    state.engine.traps = Some((true, true));
    state.engine.use_prefix = (true, true);
    assert!(configured(&forest, &state).is_empty());
    let found = in_force(&forest, &state);
    assert!(found.branch.iter().count() > 10 && found.fixed.len() > 20);
    state.engine.traps = Some((false, false));
    state.engine.use_prefix = (true, false);
    let configured = configured(&forest, &state);
    assert_eq!(configured.iter().count(), 2);
    let (_, scalars) = edits(&forest, &state, Some(&configured), None, true).unwrap();
    assert_eq!(scalars.iter().map(|it| it.value).collect::<Vec<_>>(), [false, false]);
}
