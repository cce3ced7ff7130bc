//! What is an expression, how it is read, and what is wrong with what is none.

use trunkline_expression::{ErrorCode, Expression};

/// Texts and how they are printed, which shows how they were read.
#[test]
fn precedence_is_that_of_c() {
    for (text, printed) in [
        ("($1-$5)*100", "($1 - $5) * 100"),
        ("1+2*3", "1 + 2 * 3"),
        ("1-2-3", "1 - 2 - 3"),
        ("1-(2-3)", "1 - (2 - 3)"),
        ("(1-2)-3", "1 - 2 - 3"),
        ("1|2^3&4==5<6<<7+8*9", "1 | 2 ^ 3 & 4 == 5 < 6 << 7 + 8 * 9"),
        ("1*2+3<<4<5==6&7^8|9&&10||11", "1 * 2 + 3 << 4 < 5 == 6 & 7 ^ 8 | 9 && 10 || 11"),
        ("(1||2)&&3", "(1 || 2) && 3"),
        ("1&(2==3)", "1 & 2 == 3"),
        ("(1&2)==3", "(1 & 2) == 3"),
        ("-1*-2", "-1 * -2"),
        ("-(1*2)", "-(1 * 2)"),
        ("!~-$1", "!~-$1"),
        ("!!$1!=!$2", "!!$1 != !$2"),
        ("1<-1", "1 < -1"),
        ("1 - -1", "1 - -1"),
        ("quantile ( $1 , 50+45 )", "quantile($1, 50 + 45)"),
        ("((((1))))", "1"),
    ] {
        assert_eq!(Expression::parse(text).unwrap().to_string(), printed, "{text}");
    }
}

#[test]
fn constants_are_those_of_c_and_object_identifiers() {
    for (text, printed) in [
        ("2147483647", "2147483647"),
        ("2147483648", "2147483648L"),
        ("9223372036854775808", "9223372036854775808UL"),
        ("5u", "5U"),
        ("4294967296U", "4294967296UL"),
        ("5l", "5L"),
        ("5Lu", "5UL"),
        ("017", "15"),
        ("0", "0"),
        ("0xFF", "0xff"),
        ("0xffU", "255U"),
        ("0x00112233445566778899", "0x00112233445566778899"),
        ("'a'", "97"),
        (r"'\n'", "10"),
        (r"'\''", "39"),
        (r"'\377'", "255"),
        (r#""a\"b\\\t\x41\0""#, r#""a\"b\\\011A\000""#),
        ("\"é\"", r#""\303\251""#),
        ("0.", "0."),
        (".0", "0."),
        (".1.3.6.1", "1.3.6.1"),
        ("1.3.6.1.", "1.3.6.1"),
    ] {
        assert_eq!(Expression::parse(text).unwrap().to_string(), printed, "{text}");
    }
}

#[test]
fn what_is_wrong_has_a_code_and_a_place() {
    use ErrorCode::{
        InvalidOperandType, InvalidSyntax, ResourceUnavailable, UnmatchedParenthesis, UnrecognizedFunction,
        UnrecognizedOperator,
    };
    let long = "1".repeat(1025);
    let deep = "(".repeat(500) + "1";
    let signs = "-".repeat(1000) + "1";
    for (text, code, at) in [
        ("", InvalidSyntax, 1),
        ("  ", InvalidSyntax, 3),
        ("$1 $2", InvalidSyntax, 4),
        ("$", InvalidSyntax, 1),
        ("$0", InvalidSyntax, 1),
        ("$4294967296", InvalidSyntax, 1),
        ("1 +", InvalidSyntax, 4),
        ("+1", UnrecognizedOperator, 1),
        ("1 ++ 2", UnrecognizedOperator, 4),
        ("1 = 2", UnrecognizedOperator, 3),
        ("$1 ? 2 : 3", UnrecognizedOperator, 4),
        ("sum@", UnrecognizedOperator, 4),
        ("median($1)", UnrecognizedFunction, 1),
        ("Sum($1)", UnrecognizedFunction, 1),
        ("sum", InvalidSyntax, 4),
        ("sum()", InvalidSyntax, 5),
        ("sum($1, $2)", InvalidSyntax, 1),
        ("quantile($1)", InvalidSyntax, 1),
        ("sum($1 + 1)", InvalidOperandType, 1),
        ("1 + exists(5)", InvalidOperandType, 5),
        ("(1", UnmatchedParenthesis, 1),
        ("1)", UnmatchedParenthesis, 2),
        ("sum($1", UnmatchedParenthesis, 4),
        ("(1 2)", InvalidSyntax, 4),
        ("08", InvalidSyntax, 1),
        ("18446744073709551616", InvalidSyntax, 1),
        ("12a", InvalidSyntax, 1),
        ("1.2u", InvalidSyntax, 1),
        ("0x", InvalidSyntax, 1),
        ("0x112233445566778899a", InvalidSyntax, 1),
        ("1..2", InvalidSyntax, 1),
        (".", InvalidSyntax, 1),
        ("1.4294967296", InvalidSyntax, 1),
        ("\"a", InvalidSyntax, 1),
        ("'ab'", InvalidSyntax, 1),
        ("''", InvalidSyntax, 1),
        (r#""a\q""#, InvalidSyntax, 3),
        (r"'\400'", InvalidSyntax, 2),
        (r"'\x100'", InvalidSyntax, 2),
        ("1 + é", InvalidSyntax, 5),
        ("{1}", InvalidSyntax, 1),
        (&long, ResourceUnavailable, 0),
        (&deep, ResourceUnavailable, 66),
        (&signs, ResourceUnavailable, 66),
    ] {
        let fault = Expression::parse(text).unwrap_err();
        assert_eq!((fault.code, fault.at), (code, at), "{text}: {fault}");
    }
}

#[test]
fn objects_of_an_expression_are_those_at_an_instance_and_those_over_all() {
    let expression = Expression::parse("$3 * 100 / sum($7) + quantile($8, $2) - $3").unwrap();
    assert_eq!(expression.objects().into_iter().collect::<Vec<_>>(), [2, 3]);
    assert_eq!(expression.aggregated().into_iter().collect::<Vec<_>>(), [7, 8]);
    assert!(!expression.has_memory());
    assert!(Expression::parse("1 + -maximum($1)").unwrap().has_memory());
}
