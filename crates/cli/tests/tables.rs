//! Tables of an agent with known content, drawn and written, compared character by character.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use crate::support;

use std::collections::BTreeMap;

use support::{Agent, run};
use trunkline_mib::Names;
use trunkline_smi::{Oid, Value};

fn agent() -> Agent {
    let names = Names::built_in();
    let mut instances = BTreeMap::new();
    let mut put = |name: &str, value: Value| {
        instances.insert(names.resolve(name).unwrap(), value);
    };
    for (index, name, kind, octets) in [(1u32, "lo", 24, 4_294_967_295), (12, "eth0", 6, 17)] {
        put(&format!("ifIndex.{index}"), Value::Integer(index as i32));
        put(&format!("ifDescr.{index}"), Value::text(name));
        put(&format!("ifType.{index}"), Value::Integer(kind));
        put(&format!("ifMtu.{index}"), Value::Integer(1500));
        put(&format!("ifSpeed.{index}"), Value::Unsigned32(1_000_000_000));
        put(&format!("ifPhysAddress.{index}"), Value::OctetString(vec![2, 0, 0, 0x1b, 0, index as u8]));
        put(&format!("ifOperStatus.{index}"), Value::Integer(1));
        put(&format!("ifInOctets.{index}"), Value::Counter32(octets));
        put(&format!("ifSpecific.{index}"), Value::ObjectIdentifier(Oid::from([0, 0])));
    }
    // This interface has no type: a hole.
    put("ifDescr.13", Value::text("tun0"));
    for (row, interface) in [
        ("ipv4.\"192.0.2.0\".24.2.0.0.ipv4.\"0.0.0.0\"", 1),
        ("ipv6.\"2001:db8::\".64.2.0.0.unknown.\"\"", 12),
    ] {
        put(&format!("inetCidrRouteIfIndex.{row}"), Value::Integer(interface));
        put(&format!("inetCidrRouteProto.{row}"), Value::Integer(3));
        put(&format!("inetCidrRouteAge.{row}"), Value::Unsigned32(5));
    }
    put("1.3.6.1.4.1.99999.5.1.1.7", Value::Integer(-1));
    put("1.3.6.1.4.1.99999.5.1.3.7", Value::text("x"));
    Agent::serving(instances)
}

#[test]
fn a_table_drawn_at_120_and_80_columns() {
    let agent = agent();
    let (out, err) = run(&["table", "--width", "120", &agent.target(), "ifTable"], 0);
    assert_eq!(err, "");
    assert_eq!(
        out,
        "\
ifIndex  ifDescr  ifType            ifMtu     ifSpeed  ifPhysAddress  ifOperStatus  ifInOctets  ifSpecific
-------- -------- ----------------- ------ ----------- -------------- ------------- ----------- ------------
      1  lo       softwareLoopback   1500  1000000000  2:0:0:1b:0:1   up            4294967295  zeroDotZero
     12  eth0     ethernetCsmacd     1500  1000000000  2:0:0:1b:0:c   up                    17  zeroDotZero
     13  tun0     -                     -           -  -              -                      -  -
"
    );
    let (out, _) = run(&["table", "--width", "80", &agent.target(), "ifTable"], 0);
    assert_eq!(
        out,
        "\
ifIndex  ifDescr  ifType            ifMtu     ifSpeed  ifPhysAddress
-------- -------- ----------------- ------ ----------- --------------
      1  lo       softwareLoopback   1500  1000000000  2:0:0:1b:0:1
     12  eth0     ethernetCsmacd     1500  1000000000  2:0:0:1b:0:c
     13  tun0     -                     -           -  -

ifIndex  ifDescr  ifOperStatus  ifInOctets  ifSpecific
-------- -------- ------------- ----------- ------------
      1  lo       up            4294967295  zeroDotZero
     12  eth0     up                    17  zeroDotZero
     13  tun0     -                      -  -
"
    );
}

#[test]
fn a_long_index_is_in_one_column() {
    let (out, _) = run(&["table", "--width", "80", &agent().target(), "inetCidrRouteTable"], 0);
    assert_eq!(
        out,
        "\
row: inetCidrRouteDestType inetCidrRouteDest inetCidrRoutePfxLen
inetCidrRoutePolicy inetCidrRouteNextHopType inetCidrRouteNextHop

row                                 inetCidrRouteIfIndex  inetCidrRouteProto
----------------------------------- --------------------- -------------------
ipv4 192.0.2.0 24 0.0 ipv4 0.0.0.0                     1  netmgmt
ipv6 2001:db8:: 64 0.0 unknown -                      12  netmgmt

row                                 inetCidrRouteAge
----------------------------------- -----------------
ipv4 192.0.2.0 24 0.0 ipv4 0.0.0.0                 5
ipv6 2001:db8:: 64 0.0 unknown -                   5
"
    );
}

#[test]
fn a_table_for_programs() {
    let agent = agent();
    let (out, _) = run(&["table", "--json", &agent.target(), "ifTable", "--columns", "ifType,ifDescr"], 0);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        document,
        serde_json::json!([{"oid": "1.3.6.1.2.1.2.2", "name": "IF-MIB::ifTable", "rows": [
            {"instance": "1", "index": {"ifIndex": "1"}, "columns": {
                "ifType": {"oid": "1.3.6.1.2.1.2.2.1.3.1", "name": "IF-MIB::ifType.1", "type": "INTEGER", "value": 24,
                    "text": "softwareLoopback", "units": null},
                "ifDescr": {"oid": "1.3.6.1.2.1.2.2.1.2.1", "name": "IF-MIB::ifDescr.1", "type": "OCTET STRING",
                    "value": "6c6f", "text": "lo", "units": null}}},
            {"instance": "12", "index": {"ifIndex": "12"}, "columns": {
                "ifType": {"oid": "1.3.6.1.2.1.2.2.1.3.12", "name": "IF-MIB::ifType.12", "type": "INTEGER", "value": 6,
                    "text": "ethernetCsmacd", "units": null},
                "ifDescr": {"oid": "1.3.6.1.2.1.2.2.1.2.12", "name": "IF-MIB::ifDescr.12", "type": "OCTET STRING",
                    "value": "65746830", "text": "eth0", "units": null}}},
            {"instance": "13", "index": {"ifIndex": "13"}, "columns": {
                "ifDescr": {"oid": "1.3.6.1.2.1.2.2.1.2.13", "name": "IF-MIB::ifDescr.13", "type": "OCTET STRING",
                    "value": "74756e30", "text": "tun0", "units": null}}}
        ]}])
    );
    let (out, _) = run(
        &["table", "--csv", &agent.target(), "inetCidrRouteTable", "--columns", "inetCidrRouteIfIndex"],
        0,
    );
    assert_eq!(
        out,
        "inetCidrRouteDestType,inetCidrRouteDest,inetCidrRoutePfxLen,inetCidrRoutePolicy,inetCidrRouteNextHopType,\
         inetCidrRouteNextHop,inetCidrRouteIfIndex\n\
         ipv4,192.0.2.0,24,0.0,ipv4,0.0.0.0,1\nipv6,2001:db8::,64,0.0,unknown,,12\n"
    );
}

#[test]
fn a_table_that_no_module_defines_is_readable() {
    let (out, _) = run(&["table", &agent().target(), "1.3.6.1.4.1.99999.5"], 0);
    assert_eq!(out, "index   1  3\n------ --- --\n    7  -1  x\n");
}

#[test]
fn columns_are_a_part_of_their_table() {
    let (out, _) = run(&["table", "--csv", &agent().target(), "ifMtu", "ifDescr"], 0);
    assert_eq!(out, "ifIndex,ifMtu,ifDescr\n1,1500,lo\n12,1500,eth0\n13,-,tun0\n");
}

#[test]
fn instances_that_no_module_defines_can_be_watched() {
    let agent = agent();
    let arguments = ["watch", "--count", "1", "--every", "20ms", "--csv", &agent.target()];
    for object in ["1.3.6.1.4.1.99999.5.1.1.7", "1.3.6.1.4.1.99999.5.1.1"] {
        let (out, _) = run(&[&arguments[..], &[object]].concat(), 0);
        assert!(out.lines().nth(1).unwrap().contains(",1.3.6.1.4.1.99999.5.1.1.7,"), "{out}");
    }
}

#[test]
fn an_empty_table_is_reported() {
    let (out, err) = run(&["table", &agent().target(), "ifStackTable"], 0);
    assert!(
        out.starts_with("ifStackHigherLayer") && err.contains("IF-MIB::ifStackTable has no rows"),
        "{out}{err}"
    );
    assert_eq!(
        run(&["table", "--json", &agent().target(), "ifStackTable"], 0).0.matches("\"rows\":[]").count(),
        1
    );
}
