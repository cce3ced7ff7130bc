//! Names, indexes and values of the built-in modules, as data.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use trunkline_mib::{Choice, Names, ResolveError, Sources, Style, ValueError};
use trunkline_smi::{Oid, Value, ValueRef};

fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

#[track_caller]
fn resolves(text: &str, expected: &str) {
    assert_eq!(Names::built_in().resolve(text), Ok(oid(expected)), "{text}");
}

#[test]
fn names_in_every_form_resolve() {
    for (text, expected) in [
        ("1.3.6.1", "1.3.6.1"),
        (".1.3.6.1.2.1.2.2.1.2.7", "1.3.6.1.2.1.2.2.1.2.7"),
        ("IF-MIB::ifDescr.2", "1.3.6.1.2.1.2.2.1.2.2"),
        ("ifDescr.2", "1.3.6.1.2.1.2.2.1.2.2"),
        ("ifDescr[2]", "1.3.6.1.2.1.2.2.1.2.2"),
        ("ifTable", "1.3.6.1.2.1.2.2"),
        ("interfaces.ifTable.ifEntry.ifDescr.2", "1.3.6.1.2.1.2.2.1.2.2"),
        ("interfaces.2.1.2.2", "1.3.6.1.2.1.2.2.1.2.2"),
        ("iso.3.6.1.2", "1.3.6.1.2"),
        (".iso.org.dod.internet.mgmt.mib-2", "1.3.6.1.2.1"),
        ("iso.org.dod", "1.3.6"),
        ("SNMPv2-SMI::enterprises.8072.3", "1.3.6.1.4.1.8072.3"),
        ("mib-2.31", "1.3.6.1.2.1.31"),
        ("snmpTlstmCertToTSNTable", "1.3.6.1.2.1.198.2.2.1.3"),
        ("SNMP-TLS-TM-MIB::snmpTlstmCertSANIpAddress", "1.3.6.1.2.1.198.1.1.4"),
        ("snmpTlstmAddrServerIdentity.'nms'", "1.3.6.1.2.1.198.2.2.1.9.1.2.110.109.115"),
        ("SNMP-TSM-MIB::snmpTsmConfigurationUsePrefix.0", "1.3.6.1.2.1.190.1.2.1.0"),
        ("snmpSshtmSessionNoSubsystems.0", "1.3.6.1.2.1.189.1.1.6.0"),
        ("snmpDTLSUDPDomain", "1.3.6.1.6.1.9"),
        (".1.iso", ""),
        ("ifStackStatus.0.2", "1.3.6.1.2.1.31.1.2.1.3.0.2"),
        ("ifStackStatus[0][2]", "1.3.6.1.2.1.31.1.2.1.3.0.2"),
        ("ifRcvAddressStatus.2.\"0:1:2:3:4:ff\"", "1.3.6.1.2.1.31.1.4.1.2.2.6.0.1.2.3.4.255"),
        ("ifRcvAddressStatus.2.6.0.1.2.3.4.255", "1.3.6.1.2.1.31.1.4.1.2.2.6.0.1.2.3.4.255"),
        ("ifRcvAddressStatus.2.6.0", "1.3.6.1.2.1.31.1.4.1.2.2.6.0"),
        (
            "inetCidrRouteStatus[ipv4][\"192.0.2.0\"][24][IF-MIB::ifDescr[3]][ipv4][\"192.0.2.1\"]",
            "1.3.6.1.2.1.4.24.7.1.17.1.4.192.0.2.0.24.11.1.3.6.1.2.1.2.2.1.2.3.1.4.192.0.2.1",
        ),
        (
            "inetCidrRouteStatus[ipv4][\"192.0.2.0\"][24][.ccitt.zeroDotZero][ipv4][\"192.0.2.1\"]",
            "1.3.6.1.2.1.4.24.7.1.17.1.4.192.0.2.0.24.2.0.0.1.4.192.0.2.1",
        ),
        ("enterprises.9.\"ab\"", "1.3.6.1.4.1.9.2.97.98"),
        ("enterprises.9.'a.b'", "1.3.6.1.4.1.9.97.46.98"),
    ] {
        if expected.is_empty() {
            assert!(Names::built_in().resolve(text).is_err(), "{text}");
        } else {
            resolves(text, expected);
        }
    }
}

#[test]
fn a_name_with_quotes_and_backslashes_is_parsed_as_printed() {
    let names = Names::built_in();
    for (index, written) in [
        (&b"a\\b"[..], r#"'a\\b'"#),
        (b"a'b", r#"'a\'b'"#),
        (b"a\\", r#"'a\\'"#),
        (b"a\"b", r#"'a"b'"#),
        (b"\\'", r#"'\\\''"#),
    ] {
        let mut sub_ids = oid("1.3.6.1.6.3.12.1.2.1.2").to_vec();
        sub_ids.extend(index.iter().map(|octet| u32::from(*octet)));
        let text = names.format_oid(&sub_ids, &Style::default());
        assert_eq!(text, format!("SNMP-TARGET-MIB::snmpTargetAddrTDomain.{written}"));
        assert_eq!(names.resolve(&text).unwrap().to_vec(), sub_ids, "{text}");
    }
}

#[track_caller]
fn fails(text: &str, words: &[&str]) {
    let fault = Names::built_in().resolve(text).unwrap_err().to_string();
    for word in words {
        assert!(fault.contains(word), "{text}: {fault:?} does not say {word:?}");
    }
}

#[test]
fn errors_report_the_mistake_and_a_near_match() {
    fails("ifDecsr.2", &["ifDecsr", "did you mean ifDescr"]);
    fails("ifdescr", &["did you mean ifDescr"]);
    fails("IF-MIB::ifTabel", &["IF-MIB does not define ifTabel", "ifTable"]);
    fails("IFMIB::ifTable", &["unknown module IFMIB", "IF-MIB"]);
    fails("SNMPv2-SMI::ifTable", &["IF-MIB::ifTable"]);
    fails("interfaces.ifTabel", &["no ifTabel under interfaces", "ifTable"]);
    fails("ifTable.ifDescr", &["no ifDescr under ifTable"]);
    fails("ifDescr.eth0", &["eth0 is not a valid ifIndex", "a number"]);
    fails("ifDescr..2", &["two dots"]);
    fails("ifDescr.", &["ends with a dot"]);
    fails("", &["empty"]);
    fails("ifDescr.\"x", &["quote is not closed"]);
    fails("1.4294967296", &["4294967295"]);
    fails("1.40", &["1.40 does not exist", "at most 39, and this one is 40"]);
    fails("0.40.1", &["0.40.1 does not exist"]);
    fails(".3.1", &["begins with 0, 1 or 2, and this one with 3"]);
    fails("ifDescr.2.name", &["no name under ifDescr"]);
    fails(&"ifDescr[IF-MIB::".repeat(100_000), &["nested too deep"]);
    let long = format!("1.3{}", ".1".repeat(200));
    assert!(matches!(Names::built_in().resolve(&long), Err(ResolveError::TooLong(_))));
}

fn styled(letters: &str) -> Style {
    let mut style = Style::default();
    style.apply(letters).unwrap();
    style
}

#[test]
fn object_identifiers_get_names() {
    let names = Names::built_in();
    for (letters, sub_ids, expected) in [
        ("", "1.3.6.1.2.1.2.2.1.2.2", "IF-MIB::ifDescr.2"),
        ("s", "1.3.6.1.2.1.2.2.1.2.2", "ifDescr.2"),
        ("n", "1.3.6.1.2.1.2.2.1.2.2", ".1.3.6.1.2.1.2.2.1.2.2"),
        (
            "f",
            "1.3.6.1.2.1.2.2.1.2.2",
            ".iso.org.dod.internet.mgmt.mib-2.interfaces.ifTable.ifEntry.ifDescr.2",
        ),
        ("u", "1.3.6.1.2.1.2.2.1.2.2", "interfaces.ifTable.ifEntry.ifDescr.2"),
        ("X", "1.3.6.1.2.1.2.2.1.2.2", "IF-MIB::ifDescr[2]"),
        ("", "1.3.6.1.2.1.2.1.0", "IF-MIB::ifNumber.0"),
        ("", "1.3.6.1.4.1.99999.1", "SNMPv2-SMI::enterprises.99999.1"),
        ("", "1.3.6.1.2.1.2.2.1.2.2.9", "IF-MIB::ifDescr.2.9"),
        ("", "1.3.6.1.2.1.31.1.4.1.2.2.9.0.1", "IF-MIB::ifRcvAddressStatus.2.9.0.1"),
        ("", "0.0", "SNMPv2-SMI::zeroDotZero"),
    ] {
        assert_eq!(names.format_oid(&oid(sub_ids), &styled(letters)), expected);
    }
    let none = Names::new(Sources::default().with_choice(Choice::None)).unwrap();
    assert_eq!(none.format_oid(&oid("1.3.6.1.2"), &Style::default()), "iso.3.6.1.2");
}

#[test]
fn values_are_written_as_net_snmp_writes_them() {
    use ValueRef::*;
    let names = Names::built_in();
    let at = |name: &str| names.resolve(name).unwrap();
    for (name, value, expected) in [
        ("ifOperStatus.1", Integer(1), "INTEGER: up(1)"),
        ("ifOperStatus.1", Integer(99), "INTEGER: 99"),
        ("ifType.1", Integer(24), "INTEGER: softwareLoopback(24)"),
        ("ifIndex.1", Integer(1), "INTEGER: 1"),
        ("ifDescr.1", OctetString(b"lo"), "STRING: lo"),
        ("ifPhysAddress.2", OctetString(&[0, 0x1b, 0x2c, 0, 0, 0xff]), "STRING: 0:1b:2c:0:0:ff"),
        ("ifPhysAddress.2", OctetString(b""), "STRING: "),
        ("ifInOctets.1", Counter32(7), "Counter32: 7"),
        ("ifHCInOctets.1", Counter64(u64::MAX), "Counter64: 18446744073709551615"),
        ("ifSpeed.1", Unsigned32(10), "Gauge32: 10"),
        ("ifLastChange.1", TimeTicks(123), "Timeticks: (123) 0:00:01.23"),
        ("ifLastChange.1", TimeTicks(8_640_000), "Timeticks: (8640000) 1 day, 0:00:00.00"),
        ("ifLastChange.1", TimeTicks(u32::MAX), "Timeticks: (4294967295) 497 days, 2:27:52.95"),
        ("ifSpecific.1", ObjectIdentifier(&[0, 0]), "OID: SNMPv2-SMI::zeroDotZero"),
        ("ifDescr.1", Integer(5), "Wrong Type (should be OCTET STRING): INTEGER: 5"),
        ("enterprises.1", OctetString(b"say \"hi\""), "STRING: \"say \\\"hi\\\"\""),
        ("enterprises.1", OctetString(b""), "\"\""),
        ("enterprises.1", OctetString(&[0, 1, 0xfe]), "Hex-STRING: 00 01 FE "),
        ("enterprises.1", IpAddress([192, 0, 2, 1]), "IpAddress: 192.0.2.1"),
        ("enterprises.1", Opaque(&[0x9f, 0x78, 4, 0x3f, 0x80, 0, 0]), "Opaque: Float: 1.000000"),
    ] {
        assert_eq!(names.format_value(&at(name), value, &Style::default()), expected, "{name}");
    }
    for (letters, name, value, expected) in [
        ("Q", "ifOperStatus.1", Integer(1), "up"),
        ("e", "ifOperStatus.1", Integer(1), "INTEGER: 1"),
        ("t", "ifLastChange.1", TimeTicks(123), "123"),
        ("Q", "ifLastChange.1", TimeTicks(123), "0:0:00:01.23"),
        ("x", "ifDescr.1", OctetString(b"lo"), "STRING: lo"),
        ("x", "enterprises.1", OctetString(b"lo"), "Hex-STRING: 6C 6F "),
        ("a", "enterprises.1", OctetString(b"l\x01"), "STRING: \"l.\""),
        ("q", "enterprises.1", Opaque(&[0x9f, 0x78, 4, 0x3f, 0x80, 0, 0]), "1.000000"),
        ("Q", "enterprises.1", Opaque(&[0x9f, 0x7a, 2, 0xff, 0x7f]), "-129"),
        ("", "snmpTlstmCertToTSNFingerprint.1", OctetString(&[4, 0xab, 0xcd]), "STRING: 4:abcd"),
    ] {
        assert_eq!(names.format_value(&at(name), value, &styled(letters)), expected, "-O{letters} {name}");
    }
    assert_eq!(names.text(&at("ifLastChange.1"), TimeTicks(123)), "0:00:01.23");
    assert_eq!(names.text(&at("ifDescr.1"), OctetString(b"lo")), "lo");
    assert_eq!(names.text(&at("ifLastChange.1"), TimeTicks(8_640_000)), "1 day, 0:00:00.00");
    assert_eq!(names.text(&at("enterprises.1"), OctetString(&[0, 1])), "00 01");
    assert_eq!(names.text(&at("enterprises.1"), OctetString(b"say \"hi\"")), "say \"hi\"");
    assert_eq!(names.text(&at("enterprises.1"), OctetString(&[255; 17])), ["FF"; 17].join(" "));
    assert_eq!(names.text(&at("enterprises.1"), Opaque(&[0x9f, 0x78, 4, 0x3f, 0x80, 0, 0])), "1.000000");
    assert_eq!(names.text(&at("ifDescr.1"), Integer(5)), "5");
    assert_eq!(names.text(&at("ifOperStatus.1"), Integer(1)), "up");
}

#[test]
fn values_are_read_by_the_objects_syntax() {
    let names = Names::built_in();
    let parse = |name: &str, text: &str| names.parse_value(&names.resolve(name).unwrap(), text);
    for text in ["down", "2", "down(2)"] {
        assert_eq!(parse("ifAdminStatus.1", text), Ok(Value::Integer(2)));
    }
    assert_eq!(parse("ifAlias.1", "uplink"), Ok(Value::text("uplink")));
    assert_eq!(parse("ifLinkUpDownTrapEnable.1", "enabled"), Ok(Value::Integer(1)));
    assert_eq!(parse("ifPhysAddress.1", "52:54:0:1"), Ok(Value::OctetString(vec![0x52, 0x54, 0, 1])));
    assert_eq!(parse("ifSpecific.1", "ifTable"), Ok(Value::ObjectIdentifier(oid("1.3.6.1.2.1.2.2"))));
    assert_eq!(parse("ifLastChange.1", "0:0:1:0.5"), Ok(Value::TimeTicks(6005)));
    let fault = |name: &str, text: &str| parse(name, text).unwrap_err().to_string();
    assert!(fault("ifAdminStatus.1", "sideways").contains("up(1) down(2) testing(3)"));
    assert!(fault("ifAdminStatus.1", "9").contains("up(1) down(2) testing(3)"));
    assert!(fault("ifAlias.1", &"x".repeat(65)).contains("0 to 64 octets"));
    assert!(matches!(parse("enterprises.9", "1"), Err(ValueError::NoSyntax { .. })));
    assert!(matches!(parse("ifTable", "1"), Err(ValueError::NoValue { .. })));
}

#[test]
fn values_are_read_by_type_letters() {
    let names = Names::built_in();
    let at = oid("1.3.6.1.4.1.99999.1");
    let parse = |letter: &str, text: &str| names.parse_typed(&at, letter, text);
    for (letter, text, expected) in [
        ("i", "-5", Value::Integer(-5)),
        ("u", "4294967295", Value::Unsigned32(u32::MAX)),
        ("c", "5", Value::Counter32(5)),
        ("C", "18446744073709551615", Value::Counter64(u64::MAX)),
        ("t", "100", Value::TimeTicks(100)),
        ("a", "192.0.2.1", Value::IpAddress([192, 0, 2, 1])),
        ("o", ".1.3.6", Value::ObjectIdentifier(oid("1.3.6"))),
        ("s", "text", Value::text("text")),
        ("x", "00:1b FF", Value::OctetString(vec![0, 0x1b, 0xff])),
        ("d", "1 2 255", Value::OctetString(vec![1, 2, 255])),
        ("b", "0, 9", Value::OctetString(vec![0x80, 0x40])),
        ("F", "1", Value::Opaque(vec![0x9f, 0x78, 4, 0x3f, 0x80, 0, 0])),
        ("I", "-129", Value::Opaque(vec![0x9f, 0x7a, 2, 0xff, 0x7f])),
        ("U", "255", Value::Opaque(vec![0x9f, 0x7b, 2, 0, 255])),
    ] {
        assert_eq!(parse(letter, text), Ok(Some(expected)), "{letter} {text}");
    }
    assert_eq!(parse("n", ""), Ok(None));
    for (letter, text) in [
        ("i", "x"),
        ("u", "-1"),
        ("a", "1.2.3"),
        ("x", "123"),
        ("d", "256"),
        ("b", "z"),
        ("q", "1"),
        ("o", "3.1"),
    ] {
        assert!(parse(letter, text).is_err(), "{letter} {text}");
    }
}

#[test]
fn rows_have_readable_keys() {
    let names = Names::built_in();
    let fields = names.index(&oid("1.3.6.1.2.1.31.1.4.1.2.2.6.0.1.2.3.4.255"));
    let texts: Vec<_> = fields.iter().map(|field| (field.name, field.text.as_str())).collect();
    assert_eq!(texts, [("ifIndex", "2"), ("ifRcvAddressAddress", "0:1:2:3:4:ff")]);
}

#[test]
fn addresses_in_keys_are_short_and_in_names_as_net_snmp_writes_them() {
    let names = Names::built_in();
    let instance = names.resolve("ipAddressIfIndex.ipv6.\"fe80::1\"").unwrap();
    let texts: Vec<String> = names.index(&instance).into_iter().map(|field| field.text).collect();
    assert_eq!(texts, ["ipv6", "fe80::1"]);
    assert_eq!(
        names.format_oid(&instance, &Style::default()),
        "IP-MIB::ipAddressIfIndex.ipv6.\"fe:80:00:00:00:00:00:00:00:00:00:00:00:00:00:01\""
    );
    let v4 = names.resolve("ipAddressIfIndex.ipv4.\"127.0.0.1\"").unwrap();
    assert_eq!(v4, names.resolve("ipAddressIfIndex.1.4.127.0.0.1").unwrap());
}
