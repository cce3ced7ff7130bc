//! ietf-snmp: rows of SNMP's tables as configuration, and what SNMP sees of it.

use trunkline_snmp::usm::{AuthProtocol, EngineId, MasterKey};

use crate::client::{Client, agent, configuration};
use crate::support::talk::{Talk, show};
use crate::support::{Agent, net_snmp};

const SNMP: &str = "urn:ietf:params:xml:ns:yang:ietf-snmp";
const NC: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";

fn edit(target: &str, content: &str) -> String {
    format!(
        "<edit-config><target><{target}/></target><config xmlns:nc='{NC}'><snmp xmlns='{SNMP}'>{content}</snmp></config></edit-config>"
    )
}

fn running(client: &mut Client) -> String {
    let reply = client.ask(&format!(
        "<get-config><source><running/></source><filter><snmp xmlns='{SNMP}'/></filter></get-config>"
    ));
    let data = reply.strip_prefix("<data>").and_then(|it| it.strip_suffix("</data>"));
    data.unwrap_or_else(|| panic!("{reply}")).to_owned()
}

/// Of everything that can be configured something.
pub const EVERYTHING: &str = "\
    <target><name>nms</name><udp><ip>192.0.2.1</ip><port>1162</port><prefix-length>24</prefix-length></udp>\
      <tag>x</tag><tag>y</tag><timeout>100</timeout><target-params>p</target-params></target>\
    <target><name>tls</name><tls><ip>nms.example</ip><server-identity>nms.example</server-identity></tls>\
      <target-params>t</target-params></target>\
    <target-params><name>p</name><notify-filter-profile>f</notify-filter-profile>\
      <usm><user-name>lee</user-name><security-level>auth-no-priv</security-level></usm></target-params>\
    <target-params><name>t</name><tsm><security-name>cat</security-name><security-level>auth-priv</security-level></tsm></target-params>\
    <notify><name>n</name><tag>x</tag><type>inform</type></notify>\
    <notify-filter-profile><name>f</name><include>1.3.6.1</include><exclude>1.3.6.1.2.1.2.2.1.*.7</exclude></notify-filter-profile>\
    <community><index>new</index><text-name>birch</text-name><security-name>bill</security-name></community>\
    <vacm><group><name>g</name><member><security-name>bill</security-name><security-model>v2c</security-model></member>\
      <member><security-name>lee</security-name><security-model>usm</security-model></member>\
      <access><context/><security-model>any</security-model><security-level>no-auth-no-priv</security-level>\
      <read-view>v</read-view></access></group>\
      <view><name>v</name><include>1.3.6.1.2.1.1</include></view></vacm>\
    <tlstm><cert-to-name><id>7</id><fingerprint>04:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab:ab</fingerprint>\
      <map-type xmlns:x='urn:ietf:params:xml:ns:yang:ietf-x509-cert-to-name'>x:specified</map-type><name>cat</name></cert-to-name></tlstm>\
    <engine><enable-authen-traps>true</enable-authen-traps></engine>";

/// The engine's ID, as the model has it.
fn engine_id(client: &mut Client) -> EngineId {
    let data = client.get(&format!("<snmp xmlns='{SNMP}'><engine/></snmp>"));
    let text = data.split("<engine-id>").nth(1).and_then(|it| it.split('<').next());
    EngineId::from_hex(&text.unwrap_or_else(|| panic!("{data}")).replace(':', "")).unwrap()
}

/// A user with a key of this password.
fn user(client: &mut Client, name: &str, password: &str) -> String {
    let master = MasterKey::from_password(AuthProtocol::Sha1, password.as_bytes()).unwrap();
    let key = master.localize(&engine_id(client));
    let key: Vec<String> = key.as_bytes().iter().map(|octet| format!("{octet:02x}")).collect();
    format!(
        "<usm><local><user><name>{name}</name><auth><sha><key>{}</key></sha></auth></user></local></usm>",
        key.join(":")
    )
}

/// What a request of SNMPv3 reads; `None` if Net-SNMP is not installed.
fn read_as(agent: &Agent, user: &str, password: &str) -> Option<String> {
    let address = agent.udp().to_string();
    let arguments =
        ["-v3", "-u", user, "-l", "authNoPriv", "-a", "SHA", "-A", password, &address, "1.3.6.1.2.1.1.1.0"];
    let output = net_snmp("snmpget", &arguments)?;
    Some(format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn what_is_configured_is_in_snmps_tables_and_outlives_a_restart() {
    let text = configuration(
        "[system]\ndescription = \"operator\"\n[[snmp.community]]\nname = \"all\"\naccess = \"write\"\n",
    );
    let agent = Agent::start(&text);
    let mut max = Client::open(&agent, "max");
    assert_eq!(running(&mut max), "");
    let lee = user(&mut max, "lee", "maple syrup");
    assert_eq!(max.ask(&edit("candidate", &(EVERYTHING.to_owned() + &lee))), "<ok/>");
    assert_eq!(max.ask("<validate><source><candidate/></source></validate>"), "<ok/>");
    assert_eq!(max.ask("<commit/>"), "<ok/>");
    let kept = running(&mut max);
    for part in [
        "<ip>192.0.2.1</ip><port>1162</port><prefix-length>24</prefix-length>",
        "<tag>x</tag><tag>y</tag>",
        "<server-identity>nms.example</server-identity>",
        "<exclude>1.3.6.1.2.1.2.2.1.*.7</exclude>",
        "<name>lee</name><auth></auth>",
        ">x509c2n:specified</map-type>",
        "<enable-authen-traps>true</enable-authen-traps>",
        "<index>new</index><security-name>bill</security-name>",
    ] {
        assert!(kept.contains(part), "{part}: {kept}");
    }
    let hides = |text: &str| !text.contains("birch") && !text.contains("<key>");
    assert!(hides(&kept));
    let check = |agent: &Agent| {
        let talk = Talk::to(agent);
        talk.check(&[
            (
                "2c all get snmpTargetAddrTimeout.110.109.115",
                "noError 0 snmpTargetAddrTimeout.110.109.115=i:100",
            ),
            (
                "2c all get snmpTargetAddrTagList.110.109.115",
                "noError 0 snmpTargetAddrTagList.110.109.115=s:x_y",
            ),
            ("2c all get snmpNotifyType.110", "noError 0 snmpNotifyType.110=i:2"),
            (
                "2c all get snmpTargetParamsSecurityName.112",
                "noError 0 snmpTargetParamsSecurityName.112=s:lee",
            ),
            (
                "2c all get snmpNotifyFilterType.1.102.1.3.6.1",
                "noError 0 snmpNotifyFilterType.1.102.1.3.6.1=i:1",
            ),
            (
                "2c all get snmpCommunitySecurityName.110.101.119",
                "noError 0 snmpCommunitySecurityName.110.101.119=s:bill",
            ),
            ("2c all get snmpTlstmCertToTSNData.7", "noError 0 snmpTlstmCertToTSNData.7=s:cat"),
            ("2c all get snmpEnableAuthenTraps.0", "noError 0 snmpEnableAuthenTraps.0=i:1"),
            // The community is in use, with the view that was configured.
            ("2c birch get sysDescr.0", "noError 0 sysDescr.0=s:operator"),
            ("2c birch get ifNumber.0", "noError 0 ifNumber.0=noSuchObject"),
        ]);
        if let Some(found) = read_as(agent, "lee", "maple syrup") {
            assert!(found.contains("operator"), "{found}");
        }
    };
    check(&agent);
    drop(max);
    let agent = Agent::start_in(agent.terminate(), &text);
    check(&agent);
    let mut max = Client::open(&agent, "max");
    assert_eq!(running(&mut max), kept);

    // What was read and is written back keeps its secrets; what is left out goes.
    let reply =
        max.ask("<copy-config><target><candidate/></target><source><running/></source></copy-config>");
    assert_eq!(reply, "<ok/>");
    let restored = format!(
        "<copy-config><target><running/></target><source><config>{kept}</config></source></copy-config>"
    );
    assert_eq!(max.ask(&restored), "<ok/>");
    check(&agent);
    assert_eq!(max.ask(&edit("running", "<notify nc:operation='delete'><name>n</name></notify>")), "<ok/>");
    Talk::to(&agent)
        .check(&[("2c all get snmpNotifyType.110", "noError 0 snmpNotifyType.110=noSuchInstance")]);
    let empty = "<copy-config><target><running/></target><source><config/></source></copy-config>";
    assert_eq!(max.ask(empty), "<ok/>");
    assert_eq!(
        running(&mut max),
        "<snmp xmlns=\"urn:ietf:params:xml:ns:yang:ietf-snmp\"><engine><enable-authen-traps>false</enable-authen-traps></engine></snmp>"
    );
    Talk::to(&agent).check(&[(
        "2c all get snmpTargetAddrTimeout.110.109.115",
        "noError 0 snmpTargetAddrTimeout.110.109.115=noSuchInstance",
    )]);
    assert!(agent.get_as("all", "1.3.6.1.2.1.1.1.0") != agent.get_as("all", "1.3.6.1.2.1.1.99.0"));
}

#[test]
fn communities_and_keys_take_no_part_in_a_confirmed_commit() {
    let agent = agent("[system]\ndescription = \"operator\"\n");
    let mut max = Client::open(&agent, "max");
    let lee = user(&mut max, "lee", "maple syrup");
    assert_eq!(max.ask(&edit("running", &(EVERYTHING.to_owned() + &lee))), "<ok/>");
    let before = running(&mut max);
    let gone = "<copy-config><target><candidate/></target><source><config/></source></copy-config>";
    assert_eq!(max.ask(gone), "<ok/>");
    let refused = max.ask("<commit><confirmed/><confirm-timeout>600</confirm-timeout></commit>");
    assert!(refused.contains("<error-tag>operation-not-supported</error-tag>"), "{refused}");
    assert_eq!(max.ask("<discard-changes/>"), "<ok/>");
    // The rest of it does.
    let target = "<notify nc:operation='replace'><name>n</name><tag>tried</tag></notify>";
    assert_eq!(max.ask(&edit("candidate", target)), "<ok/>");
    assert_eq!(max.ask("<commit><confirmed/><confirm-timeout>600</confirm-timeout></commit>"), "<ok/>");
    assert!(running(&mut max).contains("<tag>tried</tag>"));
    assert_eq!(max.ask("<cancel-commit/>"), "<ok/>");
    assert_eq!(running(&mut max), before);
    Talk::to(&agent).check(&[("2c birch get sysDescr.0", "noError 0 sysDescr.0=s:operator")]);
    if let Some(found) = read_as(&agent, "lee", "maple syrup") {
        assert!(found.contains("operator"), "{found}");
    }
    // Another key, and then none but the old one.
    let other = user(&mut max, "lee", "birch water");
    assert_eq!(max.ask(&edit("running", &other)), "<ok/>");
    if let (Some(old), Some(new)) =
        (read_as(&agent, "lee", "maple syrup"), read_as(&agent, "lee", "birch water"))
    {
        assert!(!old.contains("operator") && new.contains("operator"), "{old}{new}");
    }
}

#[test]
fn rows_of_managers_are_configuration_and_those_of_the_file_are_only_read() {
    let agent = agent(
        "[[snmp.community]]\nname = \"all\"\naccess = \"write\"\n[[snmp.target]]\nname = \"nms\"\n\
         address = \"udp://127.0.0.1:9\"\nversion = \"v2c\"\ncommunity = \"elsewhere\"\n",
    );
    let talk = Talk::to(&agent);
    talk.check(&[(
        "2c all set snmpNotifyTag.109=s:tag snmpNotifyRowStatus.109=i:4",
        "noError 0 snmpNotifyTag.109=s:tag snmpNotifyRowStatus.109=i:4",
    )]);
    let mut max = Client::open(&agent, "max");
    let of_manager = "<notify><name>m</name><tag>tag</tag></notify>";
    assert_eq!(running(&mut max), format!("<snmp xmlns=\"{SNMP}\">{of_manager}</snmp>"));
    // What NETCONF has configured, managers change too, and running says so.
    assert_eq!(max.ask(&edit("running", "<notify><name>m</name><type>inform</type></notify>")), "<ok/>");
    talk.check(&[("2c all set snmpNotifyTag.109=s:other", "noError 0 snmpNotifyTag.109=s:other")]);
    assert!(running(&mut max).contains("<tag>other</tag><type>inform</type>"));
    assert_eq!(max.ask("<lock><target><running/></target></lock>"), "<ok/>");
    assert!(show(&talk.ask("2c all set snmpNotifyTag.109=s:x")).starts_with("resourceUnavailable"));
    assert!(show(&talk.ask("2c all set snmpNotifyRowStatus.109=i:6")).starts_with("resourceUnavailable"));
    assert_eq!(max.ask("<unlock><target><running/></target></unlock>"), "<ok/>");

    let origins = max.ask(&format!(
        "<get-data xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-nmda' xmlns:ds='urn:ietf:params:xml:ns:yang:ietf-datastores'>\
         <datastore>ds:operational</datastore><subtree-filter><snmp xmlns='{SNMP}'/></subtree-filter><with-origin/></get-data>"
    ));
    for part in [
        "<target or:origin=\"tlo:configuration-file\"><name>nms</name>",
        "<enabled or:origin=\"tlo:configuration-file\">true</enabled>",
        "<engine-id or:origin=\"or:system\">80:",
        "<notify><name>m</name>",
    ] {
        assert!(origins.contains(part), "{part}: {origins}");
    }
    assert!(!origins.contains("elsewhere") && !origins.contains(">all<"), "{origins}");
    let udp = "<udp><ip>127.0.0.1</ip></udp><target-params>nms</target-params>";
    for (content, message) in [
        (format!("<target><name>nms</name>{udp}</target>"), "the agent's configuration file has it"),
        ("<engine><enabled>false</enabled></engine>".into(), "configuration file says where SNMP listens"),
        ("<target><name>x</name><target-params>p</target-params></target>".into(), "target must have one of udp"),
        (
            "<target-params><name>x</name><notify-filter-profile>none</notify-filter-profile><v1><security-name>a</security-name></v1></target-params>".into(),
            "there is no /snmp/notify-filter-profile/name",
        ),
        ("<usm><local><user><name>x</name><auth><sha/></auth></user></local></usm>".into(), "sha must have key"),
        (
            "<usm><local><user><name>x</name><auth><sha><key>aa:bb</key></sha></auth></user></local></usm>".into(),
            "a key of another protocol",
        ),
        (
            "<usm><local><user><name>x</name><priv><aes><key>aa:bb</key></aes></priv></user></local></usm>".into(),
            "authentication must also be used",
        ),
        (
            "<notify-filter-profile><name>f</name></notify-filter-profile>".into(),
            "cannot be kept without include and exclude",
        ),
        ("<proxy><name>x</name></proxy>".into(), "unknown-element"),
    ] {
        let reply = max.ask(&edit("running", &content));
        assert!(reply.contains("<rpc-error>") && reply.contains(message), "{content}: {reply}");
    }
    // Nothing of it is there.
    assert!(!running(&mut max).contains("<name>x</name>"));

    // Who may not write the objects may not write the leaves.
    let mut tom = Client::open(&agent, "tom");
    let reply = tom.ask(&edit("running", of_manager));
    assert!(reply.contains("access-denied"), "{reply}");
    assert_eq!(running(&mut tom), "");
}
