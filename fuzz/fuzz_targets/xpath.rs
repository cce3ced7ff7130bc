//! XPath: an expression is read or refused, and what is read is printed and reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_yang::xpath::parse;

fuzz_target!(|text: &str| {
    if let Ok(expression) = parse(text) {
        let printed = expression.to_string();
        match parse(&printed) {
            Ok(again) => assert_eq!(again, expression, "{printed}"),
            // In full it may be longer, and nested more, than what is read.
            Err(error) => {
                let error = error.to_string();
                assert!(
                    error.contains("nested more than") || error.contains("has at most"),
                    "{printed}: {error}"
                );
            }
        }
    }
});
