//! The expressions of D7.1 as printed, the errors of wrong ones, printing back, and that nothing takes long.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use proptest::prelude::*;
use trunkline_query::Comparison;
use trunkline_query::services::{Name, PathSelection, Pattern, Step};
use trunkline_soap::expression::{
    Bound, DataItem, DataSelection, ExpressionError, Filter, MAX_DEPTH, MAX_OCTETS, Place, Rows, Term, Value,
    parse_data, parse_filter, parse_path,
};

/// As printed in the paper, and as printed back.
const PATHS: &[(&str, &str)] = &[
    ("path _ sel _ exp = {Root , , , r1.r 2}", "{Root, , , r1.\"r 2\"}"), // (6)
    (" path _ sel _ exp = {Root ,2,2, r1.r 2}", "{Root, 2, 2, r1.\"r 2\"}"), // (7)
    ("path _ sel _ exp = {Root ,2,3, r1.r 2}", "{Root, 2, 3, r1.\"r 2\"}"), // (8)
    ("path _ sel _ exp = {Root , , , (r1)!}", "{Root, , , (r1)!}"),       // (9)
    ("Path_slct_exp={TCP Monitor Srv,NULL,NULL,empty}", "{TCP Monitor Srv, , , }"), // (20)
    ("Root,,,r1.r2", "{Root, , , r1.r2}"),
    ("{Root}", "{Root, , , }"),
    ("{Root, 2}", "{Root, 2, , }"),
    ("{\"a, b\", null, Null, \"empty\"}", "{\"a, b\", , , \"empty\"}"),
    ("{ST-E1,,,(r1.(r2)!.r3)! . r4}", "{ST-E1, , , (r1.(r2)!.r3)!.r4}"),
    ("{'a”b'}", "{\"a\\”b\", , , }"),
    ("{Null island,,,empty set}", "{Null island, , , empty set}"),
];

const DATA: &[(&str, &str)] = &[
    ("sgl_slct_exp={tcpInSegs,tcpOutSegs,ipInDelivers} .", "{tcpInSegs, tcpOutSegs, ipInDelivers}"), // (13)
    ("ml_slct_exp={tcpConnEntry[ ]}", "{tcpConnEntry[]}"),                                           // (18)
    ("{ifEntry[ 2 - 5 ], ifEntry[7],ifDescr}", "{ifEntry[2-5], ifEntry[7], ifDescr}"),
    ("{ifEntry[3<x<10]}", "{ifEntry[3<x<10]}"),
    ("{ifEntry[ 10 > x > 3 ]}", "{ifEntry[10>x>3]}"),
    ("{ifEntry[3 <= n <= 10]}", "{ifEntry[3<=n<=10]}"),
    ("IF-MIB::ifTable", "{IF-MIB::ifTable}"),
];

const FILTERS: &[(&str, &str)] = &[
    (
        "flt_exp= {tcpConnLocalPort = 22 OR tcpConnLocalPort =80}", // (19)
        "{tcpConnLocalPort = 22 OR tcpConnLocalPort = 80}",
    ),
    (
        // (21): its brace is not closed
        "flt_exp={ (tcpConnLocalPort = 22 OR tcpConnLocalPort =80) AND\n( tcpConnInSegs>thres_value OR tcpConnOutSegs>thres_value)",
        "{(tcpConnLocalPort = 22 OR tcpConnLocalPort = 80) AND (tcpConnInSegs > thres_value OR tcpConnOutSegs > thres_value)}",
    ),
    ("a=1 or b=2 and not c=3", "{a = 1 OR b = 2 AND NOT c = 3}"),
    ("not (a<>-5)", "{NOT a != -5}"),
    ("((a = 1))", "{a = 1}"),
    ("{(a = 1 AND b = 2) AND c = 'x \"y\"'}", "{(a = 1 AND b = 2) AND c = \"x \\\"y\\\"\"}"),
    ("ipAdEntAddr >= 10.0.0.1", "{ipAdEntAddr >= 10.0.0.1}"),
    ("ifEntry[1-5] = 7", "{ifEntry[1-5] = 7}"),
    ("a ≤ 5 AND b ≠ “x”", "{a <= 5 AND b != \"x\"}"),
    ("a = 'x”y\"z'", "{a = \"x\\”y\\\"z\"}"),
    ("{(a = 1 AND b = 2) OR (c = 3 OR d = 4)}", "{a = 1 AND b = 2 OR (c = 3 OR d = 4)}"),
    ("ifHCInOctets < 18446744073709551615 .", "{ifHCInOctets < 18446744073709551615}"),
];

#[test]
fn expressions_of_the_paper_are_read_as_printed_and_printed_back() {
    for (text, printed) in PATHS {
        let read = parse_path(text).unwrap_or_else(|error| panic!("{error}\n{}", error.pointed()));
        assert_eq!(read.to_string(), *printed);
        assert_eq!(parse_path(printed).as_ref(), Ok(&read));
    }
    for (text, printed) in DATA {
        let read = parse_data(text).unwrap_or_else(|error| panic!("{error}\n{}", error.pointed()));
        assert_eq!(read.to_string(), *printed);
        assert_eq!(parse_data(printed).as_ref(), Ok(&read));
    }
    for (text, printed) in FILTERS {
        let read = parse_filter(text).unwrap_or_else(|error| panic!("{error}\n{}", error.pointed()));
        assert_eq!(read.to_string(), *printed);
        assert_eq!(parse_filter(printed).as_ref(), Ok(&read));
    }
}

#[test]
fn what_is_nested_as_deep_as_may_be_is_printed_no_deeper() {
    let deep = format!("{}(a = 1 AND b = 2 OR c = 3)", "NOT ".repeat(MAX_DEPTH - 1));
    let read = parse_filter(&deep).unwrap();
    assert_eq!(parse_filter(&read.to_string()), Ok(read));
}

#[test]
fn rows_have_ends() {
    let ends = |text: &str| {
        parse_data(&format!("{{x[{text}]}}")).map(|data| data.items[0].rows.as_ref().unwrap().ends())
    };
    assert_eq!(ends(""), Ok(Some((0, u64::MAX))));
    assert_eq!(ends("4"), Ok(Some((4, 4))));
    assert_eq!(ends("4-6"), Ok(Some((4, 6))));
    assert_eq!(ends("3<x<10"), Ok(Some((4, 9))));
    assert_eq!(ends("10>x>3"), Ok(Some((4, 9))));
    assert_eq!(ends("3<x>10"), Ok(Some((11, u64::MAX))));
    assert_eq!(ends("10>x<4"), Ok(Some((0, 3))));
    assert_eq!(ends("3<=x<=10"), Ok(Some((3, 10))));
    for nothing in ["6-4", "3<x<4", "0>x>0", "18446744073709551615<x<18446744073709551615"] {
        assert_eq!(
            ends(nothing).unwrap_err().to_string(),
            format!("data selection, character 3: no row is in [{nothing}]")
        );
    }
}

/// An expression, the position of its error (`^`), and the message.
fn check_wrong<T: std::fmt::Debug>(
    read: fn(&str) -> Result<T, ExpressionError>,
    cases: &[(&str, &str, &str)],
) {
    for (text, caret, said) in cases {
        let error = read(text).unwrap_err();
        let pointed = format!("  {}\n  {caret}", text.lines().last().unwrap_or_default());
        assert_eq!(error.pointed(), pointed, "{text}: {error}");
        assert_eq!(error.problem.to_string(), *said, "{text}");
    }
}

#[test]
fn errors_of_paths_point_at_the_character() {
    check_wrong(
        parse_path,
        &[
            ("", "^", "expected the service to start from, found the end"),
            ("{}", " ^", "expected the service to start from, found `}`"),
            ("{Root", "     ^", "expected `,` or `}`, found the end"),
            ("{Root, x, , r1}", "       ^", "expected the minimum level, NULL or `,`, found `x`"),
            ("{Root, 1, -2, r1}", "          ^", "expected the maximum level, NULL or `,`, found `-`"),
            ("{Root, 5, 2}", "          ^", "no level is at least 5 and at most 2"),
            ("{Root, 4294967296,,}", "       ^", "4294967296 is too large: a number is at most 4294967295"),
            ("{Root,,,r1.}", "           ^", "expected a relation, or `(`, found `}`"),
            ("{Root,,,r1..r2}", "           ^", "expected a relation, or `(`, found `.`"),
            (
                "{Root,,,(r1)}",
                "            ^",
                "expected `!` after the parenthesis: the relation in it cannot be followed, found `}`",
            ),
            ("{Root,,,(r1!}", "           ^", "expected `.`, another relation or `)`, found `!`"),
            ("{Root,,,r1}}", "           ^", "expected the end of the expression, found `}`"),
            ("{Root,,,r1,r2}", "          ^", "expected `,` or `}`, found `,`"),
            ("{Root,,,\"r1}", "        ^", "this quote is not closed"),
            ("{Root,,,r1&r2}", "          ^", "the character '&' has no meaning here"),
        ],
    );
    let lines = parse_path("{Root,\n 2,x\n,r1}").unwrap_err();
    assert_eq!(lines.pointed(), "   2,x\n     ^");
}

#[test]
fn errors_of_data_selections_point_at_the_character() {
    check_wrong(
        parse_data,
        &[
            ("{}", " ^", "expected the name of an object, found `}`"),
            ("{ifDescr ifType}", "         ^", "expected `[`, `,` or `}`, found `ifType`"),
            ("{ifEntry[x]}", "         ^", "expected a row, or `]` for all, found `x`"),
            ("{ifEntry[3<x]}", "            ^", "expected `<` or `>` after the letter, found `]`"),
            ("{ifEntry[3<xy<10]}", "           ^", "expected a letter, as in [3<x<10], found `xy`"),
            ("{ifEntry[3<10]}", "           ^", "expected a letter, as in [3<x<10], found `10`"),
            ("{ifEntry[3-]}", "           ^", "expected the last row, found `]`"),
            ("{ifEntry[3", "          ^", "expected `]`, `-`, `<` or `>`, found the end"),
            (
                "{ifEntry[99999999999999999999]}",
                "         ^",
                "99999999999999999999 is too large: a number is at most 18446744073709551615",
            ),
        ],
    );
}

#[test]
fn errors_of_filters_point_at_the_character() {
    check_wrong(
        parse_filter,
        &[
            ("", "^", "expected an object to compare, NOT or `(`, found the end"),
            ("{a}", "  ^", "expected =, !=, <, <=, > or >=, found `}`"),
            ("a == 1", "   ^", "expected a number, a text in quotes or a word, found `=`"),
            ("{a = }", "     ^", "expected a number, a text in quotes or a word, found `}`"),
            ("{a = 1 AND}", "          ^", "expected an object to compare, NOT or `(`, found `}`"),
            ("{a = 1 b = 2}", "       ^", "expected AND, OR or the end, found `b`"),
            ("{(a = 1}", "       ^", "expected AND, OR or `)`, found `}`"),
            ("(a = 1))", "       ^", "expected AND, OR or the end, found `)`"),
            ("AND = 1", "^", "expected an object to compare, NOT or `(`, found `AND`"),
            ("a = OR", "    ^", "expected a number, a text in quotes or a word, found `OR`"),
            ("a = - b", "      ^", "expected digits after `-`, found `b`"),
            ("a = 1.x", "      ^", "expected digits after `.`, found `x`"),
            ("a = 1;", "     ^", "the character ';' has no meaning here"),
            ("a =! 1", "   ^", "expected a number, a text in quotes or a word, found `!`"),
        ],
    );
}

/// Each of these is refused, or read in one pass.
#[test]
fn expressions_made_to_be_slow_are_refused() {
    let long = "a".repeat(MAX_OCTETS + 1);
    assert!(parse_path(&long).unwrap_err().to_string().ends_with("too many octets: at most 8192"));
    let deep = format!("{}a = 1{}", "(".repeat(4000), ")".repeat(4000));
    assert!(parse_filter(&deep).unwrap_err().to_string().ends_with("nested too deep: at most 24"));
    let negated = format!("{}a = 1", "NOT ".repeat(2000));
    assert!(parse_filter(&negated).unwrap_err().to_string().ends_with("nested too deep: at most 24"));
    let many = vec!["a=1"; 1000].join(" OR ");
    assert!(parse_filter(&many).unwrap_err().to_string().ends_with("too many comparisons: at most 256"));
    let fringes = format!("{{R,,,{}r1{}}}", "(".repeat(100), ")!".repeat(100));
    assert!(parse_path(&fringes).unwrap_err().to_string().ends_with("nested too deep: at most 24"));
    let steps = format!("{{R,,,{}}}", vec!["r"; 100].join("."));
    assert!(
        parse_path(&steps).unwrap_err().to_string().ends_with("too many steps in the pattern: at most 64")
    );
    let items = format!("{{{}}}", vec!["x[]"; 1000].join(","));
    assert!(parse_data(&items).unwrap_err().to_string().ends_with("too many names: at most 256"));
    let dotted = format!("a = {}", vec!["1"; 1000].join("."));
    assert!(parse_filter(&dotted).is_err());
    let most = format!("{}a = 1{}", "(".repeat(MAX_DEPTH), ")".repeat(MAX_DEPTH));
    assert!(parse_filter(&most).is_ok());
}

fn name() -> impl Strategy<Value = Name> {
    let plain = "[a-zA-Z_][a-zA-Z0-9_]{0,6}([ -][a-zA-Z][a-zA-Z0-9]{0,3}){0,2}";
    prop_oneof![plain, "[ -~äß“”‘’]{0,8}x", Just("empty".to_owned()), Just("NULL".to_owned())]
        .prop_map(|text| Name::new(&text))
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let steps = |step| prop::collection::vec(step, 1..4).prop_map(|steps| Pattern { steps });
    let follow = name().prop_map(Step::Follow).boxed();
    let nested = follow.clone().prop_recursive(3, 12, 3, move |inner| {
        let fringe = steps(inner.boxed()).prop_map(Step::Fringe);
        prop_oneof![follow.clone(), fringe]
    });
    prop::collection::vec(nested, 0..4).prop_map(|steps| Pattern { steps })
}

fn object() -> impl Strategy<Value = Name> {
    "x[a-zA-Z0-9_]{0,8}(::[a-z]{1,4})?".prop_map(|text| Name::new(&text))
}

fn rows() -> impl Strategy<Value = Option<Rows>> {
    let bound = (0u64..100, 200u64..300, "[a-z]").prop_map(|(left, right, letter)| {
        Rows::Bounded(Bound {
            left,
            left_is: Comparison::Less,
            letter,
            letter_is: Comparison::LessOrEqual,
            right,
        })
    });
    prop_oneof![
        Just(None),
        Just(Some(Rows::All)),
        any::<u64>().prop_map(|row| Some(Rows::One(row))),
        (0u64..100, 100u64..).prop_map(|(first, last)| Some(Rows::Range(first, last))),
        bound.prop_map(Some),
    ]
}

fn filter() -> impl Strategy<Value = Filter> {
    let comparison = prop_oneof![
        Just(Comparison::Equal),
        Just(Comparison::NotEqual),
        Just(Comparison::Less),
        Just(Comparison::LessOrEqual),
        Just(Comparison::Greater),
        Just(Comparison::GreaterOrEqual),
    ];
    let value = prop_oneof![
        (-i128::from(u64::MAX)..=i128::from(u64::MAX)).prop_map(Value::Integer),
        "[ -~äß“”‘’\n]{0,8}".prop_map(Value::Text),
        "[0-9]{1,3}(\\.[1-9]){1,3}"
            .prop_filter("no zeros in front", |text| !text.starts_with('0'))
            .prop_map(Value::Dotted),
        "v[a-z]{0,6}".prop_map(Value::Word),
    ];
    let term = (object(), rows(), comparison, value).prop_map(|(object, rows, comparison, value)| {
        Filter::Compare(Term { object, rows, comparison, value, value_at: Place::default() })
    });
    term.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Filter::And),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Filter::Or),
            inner.prop_map(|inner| Filter::Not(Box::new(inner))),
        ]
    })
}

proptest! {
    #[test]
    fn paths_round_trip(start in name(), min: Option<u32>, max: Option<u32>, pattern in pattern()) {
        let least = min.zip(max).map_or(min, |(one, other)| Some(one.min(other)));
        let most = min.zip(max).map_or(max, |(one, other)| Some(one.max(other)));
        let path = PathSelection { start, min: least, max: most, pattern };
        let printed = path.to_string();
        prop_assert_eq!(parse_path(&printed), Ok(path), "{}", printed);
    }

    #[test]
    fn data_selections_round_trip(items in prop::collection::vec((object(), rows()), 1..6)) {
        let items = items.into_iter().map(|(name, rows)| DataItem { name, rows }).collect();
        let data = DataSelection { items };
        prop_assert_eq!(parse_data(&data.to_string()), Ok(data));
    }

    #[test]
    fn filters_round_trip(filter in filter()) {
        let printed = filter.to_string();
        prop_assert_eq!(parse_filter(&printed), Ok(filter), "{}", printed);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[{}()\\[\\],.!<>=a-z0-9 \"NOTAND-]{0,80}") {
        for error in [parse_path(&text).err(), parse_data(&text).err(), parse_filter(&text).err()].into_iter().flatten() {
            prop_assert!(error.pointed().ends_with('^'));
        }
    }
}
