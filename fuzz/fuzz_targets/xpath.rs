//! XPath: an expression is read or refused, and what is read is printed and reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_yang::xpath::parse;

fuzz_target!(|text: &str| {
    if let Ok(expression) = parse(text) {
        let printed = expression.to_string();
        // In full it may be longer than what is read.
        if let Ok(again) = parse(&printed) {
            assert_eq!(again, expression, "{printed}");
        } else {
            assert!(printed.len() > text.len(), "{printed}");
        }
    }
});
