//! What holds for every expression.

use proptest::prelude::*;
use trunkline_expression::{
    Budget, ErrorCode, Expression, Function, MAX_LENGTH, Memory, Operator, Sweep, ValueType,
};

use crate::sheet::Sheet;

/// Texts of valid expressions.
fn expressions() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        any::<u64>().prop_map(|number| number.to_string()),
        (any::<u32>(), prop_oneof!["u", "L", "ul"]).prop_map(|(number, suffix)| format!("{number}{suffix}")),
        (1_u32..12).prop_map(|object| format!("${object}")),
        "0x([0-9a-f]{2}){1,12}",
        prop::collection::vec(any::<u32>(), 2..6)
            .prop_map(|sub_ids| { sub_ids.iter().map(u32::to_string).collect::<Vec<_>>().join(".") }),
        prop::collection::vec(any::<u8>(), 0..8).prop_map(|octets| {
            let escaped: String = octets.iter().map(|octet| format!("\\{octet:03o}")).collect();
            format!("\"{escaped}\"")
        }),
    ];
    leaf.prop_recursive(5, 24, 3, |inner| {
        let operators: Vec<_> = Operator::ALL.into_iter().map(Operator::symbol).collect();
        prop_oneof![
            (inner.clone(), prop::sample::select(operators), inner.clone())
                .prop_map(|(left, operator, right)| format!("({left}) {operator} {right}")),
            (prop::sample::select(vec!["-", "~", "!"]), inner.clone())
                .prop_map(|(sign, operand)| format!("{sign}({operand})")),
            (prop::sample::select(Function::ALL.to_vec()), prop::collection::vec(inner, 3)).prop_map(
                |(function, mut arguments)| {
                    arguments.truncate(function.arity());
                    if function.is_aggregate() || function == Function::Exists {
                        arguments[0] = "$8".into();
                    }
                    format!("{}({})", function.name(), arguments.join(", "))
                }
            ),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_printed_is_read_as_the_same(text in expressions()) {
        prop_assume!(text.len() <= MAX_LENGTH);
        let expression = Expression::parse(&text).unwrap();
        let printed = expression.to_string();
        if printed.len() <= MAX_LENGTH {
            prop_assert_eq!(Expression::parse(&printed), Ok(expression), "{}", printed);
        }
    }

    #[test]
    fn an_evaluation_has_a_value_or_says_where_it_has_none(text in expressions()) {
        prop_assume!(text.len() <= MAX_LENGTH);
        let expression = Expression::parse(&text).unwrap();
        let mut sweep = Sweep::new(Budget::new(100_000));
        match expression.evaluate(&Sheet::usual(), &mut Memory::default(), &mut sweep) {
            Ok(Some(value)) => {
                let fitting = ValueType::ALL.into_iter().filter(|wanted| value.clone().into_type(*wanted).is_ok());
                // Numbers may be too large for all types, and identifiers of forms that BER has not.
                let may_have_none = !matches!(value, trunkline_expression::Operand::Octets(_));
                prop_assert!(fitting.count() > 0 || may_have_none);
            }
            Ok(None) => {}
            Err(fault) => {
                prop_assert!((1..=text.len()).contains(&fault.at), "{}", fault);
                prop_assert!(!matches!(fault.code, ErrorCode::InvalidSyntax | ErrorCode::Recursion));
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused_at_a_place_in_it(text in "\\PC{0,40}|[-$0-9a-z()+*/%&|^<>~!=.,\"'\\\\ ]{0,40}") {
        match Expression::parse(&text) {
            Ok(expression) => prop_assert_eq!(Expression::parse(&expression.to_string()), Ok(expression)),
            Err(fault) => prop_assert!((1..=text.len() + 1).contains(&fault.at), "{}", fault),
        }
    }
}
