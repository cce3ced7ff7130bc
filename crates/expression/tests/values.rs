//! The values of expressions: known answers.

use trunkline_expression::{Budget, ErrorCode, Expression, Kind, Memory, Operand, Sweep, ValueType};
use trunkline_smi::{Oid, Value};

use crate::sheet::Sheet;

fn number(text: &str) -> (Kind, i128) {
    match Sheet::usual().evaluate(text) {
        Ok(Some(Operand::Number(number))) => (number.kind(), number.value()),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn integers_are_computed_as_in_c_and_have_the_types_of_the_rfc() {
    use Kind::{Counter32, Counter64, Integer32, Integer64, IpAddress, TimeTicks, Unsigned32, Unsigned64};
    for (text, kind, value) in [
        ("7 / 2", Integer32, 3),
        ("-7 / 2", Integer32, -3),
        ("-7 % 2", Integer32, -1),
        ("2147483647 + 1", Integer32, -2_147_483_648),
        ("2147483648 + 1", Integer64, 2_147_483_649),
        ("9223372036854775807 + 1", Integer64, i64::MIN.into()),
        ("18446744073709551615 * 18446744073709551615", Unsigned64, 1),
        ("-2147483648", Integer32, -2_147_483_648),
        ("-2147483648 / -1", Integer32, -2_147_483_648),
        ("-3000000000", Integer64, -3_000_000_000),
        // What has no sign makes the result one without.
        ("$1 + 0U", Unsigned32, 4_294_967_289),
        ("$1 + $3", Counter32, 4_294_967_283),
        ("$3 + 10", Counter32, 4),
        ("$1 + $4", Counter64, u64::MAX as i128 - 7),
        ("$4 + 1", Counter64, 0),
        ("$2 - $2 - 1", Unsigned32, 4_294_967_295),
        ("-$2", Integer32, 1_294_967_296),
        ("-$4", Integer32, 1),
        ("$5 / 100", TimeTicks, 3600),
        ("$5 + $3", TimeTicks, 359_994),
        ("$5 * 10000000L", Integer64, 3_600_000_000_000),
        ("$6 & 0xffffff00", IpAddress, 0xc000_0200),
        ("$6 >> 24", IpAddress, 192),
        ("~0", Integer32, -1),
        ("~0U", Unsigned32, 4_294_967_295),
        ("6 ^ 3 | 8 & 12", Integer32, 13),
        ("1 << 31", Integer32, -2_147_483_648),
        ("1 << 32", Integer32, 0),
        ("-8 >> 1", Integer32, -4),
        ("-8 >> 99", Integer32, -1),
        ("$4 >> 63", Counter64, 1),
        ("0xff000000", Unsigned32, 0xff00_0000),
        ("0x1ffffffff", Integer64, 0x1_ffff_ffff),
        ("counter32($4)", Counter32, 4_294_967_295),
        ("counter64(-1)", Counter64, u64::MAX.into()),
        ("'a' + 1", Integer32, 98),
    ] {
        assert_eq!(number(text), (kind, value), "{text}");
    }
}

#[test]
fn conditions_are_0_or_1() {
    for (text, value) in [
        ("1 < 2", 1),
        ("2 <= 2", 1),
        ("3 > 4", 0),
        ("3 >= 4", 0),
        ("3 == 3U", 1),
        ("3 != 3L", 0),
        // C: -1 becomes the largest unsigned integer.
        ("-1 < 1U", 0),
        ("-1 < 1", 1),
        ("-1 < 1L", 1),
        ("$4 == -1", 1),
        ("!$1", 0),
        ("!0", 1),
        ("$1 && $2", 1),
        ("0 || 0", 0),
        ("$5 >= 360000", 1),
        ("$5 == $5", 1),
        ("$6 != $6", 0),
        ("$7 == \"eth0.100\"", 1),
        ("$7 != 0x65", 1),
        ("$10 == 1.3.6.1.4.1.8072", 1),
        // The right operand of these is not evaluated.
        ("0 && 1 / 0", 0),
        ("1 || $99", 1),
        ("exists($9) && $9 > 5", 0),
        ("exists($1)", 1),
    ] {
        assert_eq!(number(text), (Kind::Unsigned32, value), "{text}");
    }
}

#[test]
fn arrays_are_joined_cut_shifted_and_searched() {
    let octets = |text: &str| match Sheet::usual().evaluate(text) {
        Ok(Some(Operand::Octets(octets))) => octets,
        other => panic!("{text}: {other:?}"),
    };
    for (text, value) in [
        ("$7 + \"/\" + \"a\"", b"eth0.100/a".as_slice()),
        ("\"a\" + 0x6263", b"abc"),
        ("0x6263 + \"a\"", b"bca"),
        ("0x000102030405060708 + \"\"", b"\0\x01\x02\x03\x04\x05\x06\x07\x08"),
        ("\"\\x0f\\xff\" & \"\\xf3\"", b"\x03\0"),
        ("\"\\x0f\" | \"\\xf0\\x01\"", b"\xff\x01"),
        ("\"\\x12\\x34\" << 4", b"\x23\x40"),
        ("\"\\x12\\x34\" >> 4", b"\x01\x23"),
        ("\"\\x12\\x34\" << 8", b"\x34\0"),
        ("\"\\x12\\x34\" >> 0", b"\x12\x34"),
        ("\"\\x12\\x34\" >> 999999", b"\0\0"),
        ("\"\\x12\\x34\" << 0x4", b"\x23\x40"),
        ("arraySection($7, 1, 4)", b"eth0"),
        ("arraySection($7, 0, 0)", b"eth0.100"),
        ("arraySection($7, 6, 0)", b"100"),
        ("arraySection($7, 6, 99)", b"100"),
        ("arraySection($7, 9, 0)", b""),
        // RFC 2982: nothing if the second is less than or equal to the first.
        ("arraySection($7, 4, 4)", b""),
        ("arraySection($7, 5, 4)", b""),
    ] {
        assert_eq!(octets(text), value, "{text}");
    }
    let oid = Sheet::usual().evaluate("arraySection($10 + .9, 7, 0) + 5.").unwrap();
    assert_eq!(oid, Some(Operand::Oid(vec![8072, 9, 5])));
    for (text, value) in [
        ("stringBegins($7, \"eth\")", 1),
        ("stringBegins($7, \"th\")", 0),
        ("stringEnds($7, \"100\")", 6),
        ("stringEnds($7, \"10\")", 0),
        ("stringContains($7, \"0.1\")", 4),
        ("stringContains($7, 0x2e)", 5),
        ("stringContains(\"aabaaabaaac\", \"aabaaac\")", 5),
        ("stringContains($7, \"\")", 1),
        ("stringContains($7, \"nothing of this\")", 0),
        ("stringEnds($7, \"\")", 9),
        ("oidBegins($10, 1.3.6)", 1),
        ("oidEnds($10, 1.8072)", 6),
        ("oidContains($10, 6.1.4)", 3),
        ("oidContains($10, 6.4)", 0),
    ] {
        assert_eq!(number(text), (Kind::Unsigned32, value), "{text}");
    }
}

#[test]
fn functions_over_instances_have_one_value() {
    for (text, value) in [
        ("sum($8)", 150),
        ("sum($9)", 0),
        ("count($8)", 5),
        ("count($9)", 0),
        ("count($7)", 1),
        ("mean($8)", 30),
        ("lowest($8)", 10),
        ("highest($8)", 50),
        ("quantile($8, 0)", 10),
        ("quantile($8, 20)", 10),
        ("quantile($8, 21)", 20),
        ("quantile($8, 50)", 30),
        ("quantile($8, 80 + 15)", 50),
        ("quantile($8, 100)", 50),
        ("$8 * 100U / sum($8)", 26),
    ] {
        assert_eq!(number(text), (Kind::Unsigned32, value), "{text}");
    }
    let mixed = Sheet::new([vec![Value::Integer(-1), Value::Counter64(5), Value::Counter32(1)]]);
    let sum = mixed.value("sum($1)", ValueType::Counter64).unwrap();
    assert_eq!(sum, Some(Value::Counter64(5)));
    let wrapping = Sheet::new([vec![Value::Counter32(u32::MAX), Value::Counter32(2)]]);
    assert_eq!(wrapping.value("sum($1)", ValueType::Counter32), Ok(Some(Value::Counter32(1))));
    for empty in ["mean($9)", "lowest($9)", "highest($9)", "quantile($9, 50)", "$9 + 1", "1 + $9", "-$9"] {
        assert_eq!(Sheet::usual().evaluate(empty), Ok(None), "{empty}");
    }
}

#[test]
fn functions_over_samples_begin_anew_when_the_object_goes() {
    let expression = Expression::parse("average($1) * 10000 + maximum($1) * 100 + minimum($1)").unwrap();
    let (mut memory, mut budget) = (Memory::default(), Sweep::new(Budget::new(1000)));
    let mut sampled = |value: Option<i32>| {
        let sheet = Sheet::new([value.map(Value::Integer).into_iter().collect()]);
        let value = expression.evaluate(&sheet, &mut memory, &mut budget).unwrap();
        value.map(|value| value.into_type(ValueType::Integer32).unwrap())
    };
    assert_eq!(sampled(Some(10)), Some(Value::Integer(101_010)));
    assert_eq!(sampled(Some(30)), Some(Value::Integer(203_010)));
    assert_eq!(sampled(Some(5)), Some(Value::Integer(153_005)));
    assert_eq!(sampled(None), None);
    assert_eq!(sampled(Some(7)), Some(Value::Integer(70_707)));
}

#[test]
fn results_become_the_type_that_is_wanted_or_none() {
    let sheet = Sheet::usual();
    for (text, wanted, value) in [
        ("$3 + 0", ValueType::Counter32, Value::Counter32(4_294_967_290)),
        ("5", ValueType::Counter32, Value::Counter32(5)),
        ("$4", ValueType::Counter64, Value::Counter64(u64::MAX)),
        ("$5", ValueType::TimeTicks, Value::TimeTicks(360_000)),
        ("5L", ValueType::Unsigned32, Value::Unsigned32(5)),
        ("$1", ValueType::Integer32, Value::Integer(-7)),
        ("$6 & 0xffffff00", ValueType::IpAddress, Value::IpAddress([192, 0, 2, 0])),
        ("0x7f00000100 >> 8", ValueType::IpAddress, Value::IpAddress([127, 0, 0, 1])),
        ("\"abcd\"", ValueType::IpAddress, Value::IpAddress(*b"abcd")),
        ("$7", ValueType::OctetString, Value::text("eth0.100")),
        ("0x41424344", ValueType::OctetString, Value::text("ABCD")),
        ("1.3 + .6", ValueType::ObjectId, Value::ObjectIdentifier(Oid::from([1, 3, 6]))),
        ("2.999", ValueType::ObjectId, Value::ObjectIdentifier(Oid::from([2, 999]))),
    ] {
        assert_eq!(sheet.value(text, wanted), Ok(Some(value)), "{text}");
    }
    for (text, wanted) in [
        ("$1", ValueType::Unsigned32),
        ("$1", ValueType::Counter64),
        ("$4", ValueType::Counter32),
        ("$2", ValueType::Integer32),
        ("$4", ValueType::TimeTicks),
        ("$7", ValueType::IpAddress),
        ("5", ValueType::OctetString),
        ("\"a\"", ValueType::ObjectId),
        ("1.3", ValueType::Integer32),
        // BER cannot write them.
        ("3.6.1", ValueType::ObjectId),
        ("0.40", ValueType::ObjectId),
        ("2.4294967295", ValueType::ObjectId),
        ("arraySection(1.3.6.1, 1, 1)", ValueType::ObjectId),
        ("arraySection(1.3.6.1.4.1.8072, 6, 7)", ValueType::ObjectId),
    ] {
        let fault = sheet.value(text, wanted).unwrap_err();
        assert_eq!((fault.code, fault.at), (ErrorCode::InvalidOperandType, 0), "{text}: {fault}");
    }
    for wanted in ValueType::ALL {
        assert_eq!(ValueType::from_number(wanted as i32), Some(wanted));
    }
    assert_eq!(ValueType::from_number(9), None);
}

#[test]
fn what_does_not_work_has_a_code_and_a_place() {
    use ErrorCode::{DivideByZero, InvalidOperandType, UndefinedObjectIndex};
    for (text, code, at) in [
        ("1 + $99", UndefinedObjectIndex, 5),
        ("sum($99)", UndefinedObjectIndex, 1),
        ("exists($99)", UndefinedObjectIndex, 1),
        ("1 / 0", DivideByZero, 3),
        ("1 + 5 % ($1 + 7)", DivideByZero, 7),
        ("$4 / 0U", DivideByZero, 4),
        ("$7 + 1", InvalidOperandType, 4),
        ("$7 - $7", InvalidOperandType, 4),
        ("$7 < $7", InvalidOperandType, 4),
        ("$10 & $10", InvalidOperandType, 5),
        ("$10 + $7", InvalidOperandType, 5),
        ("$5 & 1", InvalidOperandType, 4),
        ("$5 << 1", InvalidOperandType, 4),
        ("1 << $5", InvalidOperandType, 3),
        ("$6 + 1", InvalidOperandType, 4),
        ("1 >> $6", InvalidOperandType, 3),
        ("$7 >> $6", InvalidOperandType, 4),
        ("1 << -1", InvalidOperandType, 3),
        ("-$5", InvalidOperandType, 1),
        ("~$6", InvalidOperandType, 1),
        ("!$7", InvalidOperandType, 1),
        ("$7 && 1", InvalidOperandType, 4),
        ("1 && $7", InvalidOperandType, 3),
        ("$11", InvalidOperandType, 1),
        ("counter32($7)", InvalidOperandType, 1),
        ("arraySection(5, 1, 2)", InvalidOperandType, 1),
        ("arraySection($7, -1, 2)", InvalidOperandType, 1),
        ("stringBegins($7, 5)", InvalidOperandType, 1),
        ("oidBegins($7, $7)", InvalidOperandType, 1),
        ("average($7)", InvalidOperandType, 1),
        ("sum($7)", InvalidOperandType, 1),
        ("quantile($8, 101)", InvalidOperandType, 1),
        ("quantile($8, -1)", InvalidOperandType, 1),
        ("quantile($8, $7)", InvalidOperandType, 1),
    ] {
        let fault = Sheet::usual().evaluate(text).unwrap_err();
        assert_eq!((fault.code, fault.at), (code, at), "{text}: {fault}");
    }
}
