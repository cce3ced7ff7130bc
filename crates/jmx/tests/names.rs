//! ObjectNames, valid and not, and which names a pattern stands for.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails panics")]

use trunkline_jmx::model::{NameError, ObjectName, quote, unquote};

fn name(text: &str) -> ObjectName {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn valid_names() {
    for (text, canonical, pattern) in [
        ("d:k=v", "d:k=v", false),
        ("d:type=a,k=v", "d:k=v,type=a", false),
        (":k=v", ":k=v", false),
        ("", "*:*", true),
        ("*:*", "*:*", true),
        ("d?:k=v", "d?:k=v", true),
        ("d:k=v*", "d:k=v*", true),
        ("d:*,k=v", "d:k=v,*", true),
        ("d:k=v,*", "d:k=v,*", true),
        ("d:k=", "d:k=", false),
        (r#"d:k="a,b=c:d""#, r#"d:k="a,b=c:d""#, false),
        (r#"d:k="a\*",b="c*""#, r#"d:b="c*",k="a\*""#, true),
        (r#"d:k="\"\\\n\?""#, r#"d:k="\"\\\n\?""#, false),
        ("a b:k=v w", "a b:k=v w", false),
    ] {
        let name = name(text);
        assert_eq!((name.canonical().as_str(), name.is_pattern()), (canonical, pattern), "{text}");
    }
    assert_eq!(name("d:a=1,b=2"), name("d:b=2,a=1"));
    assert_ne!(name("d:a=1,b=2"), name("d:b=2,a=1,*"));
    assert_eq!(name(":k=v").or_domain("default"), name("default:k=v"));
    assert_eq!(name("d:k=v").or_domain("default"), name("d:k=v"));
    let moved = name(":b=2,*,a=1").or_domain("default");
    assert_eq!((moved.domain(), moved.property("a"), moved.property("b")), ("default", Some("1"), Some("2")));
    assert_eq!(moved.to_string(), "default:b=2,a=1,*");
    assert_eq!(name("d:b=2,a=1").to_string(), "d:b=2,a=1");
    assert_eq!(ObjectName::new("d", [("a", "1"), ("b", "2")]), Ok(name("d:a=1,b=2")));
}

#[test]
fn invalid_names() {
    let key = |key: &str| NameError::Key { key: key.to_owned() };
    let value = |key: &str| NameError::Value { key: key.to_owned() };
    let twice = |key: &str| NameError::Twice { key: key.to_owned() };
    for (text, error) in [
        ("d", NameError::Domain),
        ("d\n:k=v", NameError::Domain),
        ("d:", NameError::Empty),
        ("d:k", key("k")),
        ("d:=v", key("")),
        ("d:k*=v", key("k*")),
        ("d:k=v,", key("")),
        ("d:k=v,l", key("l")),
        ("d:k=v=w", value("k")),
        ("d:k=v:w", value("k")),
        ("d:k=a\"b", value("k")),
        ("d:k=a\nb", value("k")),
        ("d:k=\"a", value("k")),
        ("d:k=\"a\"b", value("k")),
        ("d:k=\"a\\x\"", value("k")),
        ("d:k=v,k=w", twice("k")),
        ("d:*,*", twice("*")),
        (&format!("d:k={}", "v".repeat(70_000)), NameError::Long),
    ] {
        assert_eq!(text.parse::<ObjectName>(), Err(error), "{text}");
    }
}

#[test]
fn patterns_stand_for_names() {
    for (pattern, text, expected) in [
        ("*:*", "d:k=v", true),
        ("d*:k=v", "domain:k=v", true),
        ("d:k=v", "d:k=v", true),
        ("d:k=v", "d:k=v,l=w", false),
        ("d:k=v,*", "d:l=w,k=v", true),
        ("d:k=v,*", "d:l=w", false),
        ("d:k=v*", "d:k=vw", true),
        ("d:k=?,l=*", "d:l=,k=x", true),
        (r#"d:k="*""#, r#"d:k="a,b""#, true),
        (r#"d:k="a\**""#, r#"d:k="a\*b""#, true),
        (r#"d:k="a\**""#, r#"d:k="axb""#, false),
        ("*:*", "d*:k=v", false),
        (":k=v", "d:k=v", false),
    ] {
        assert_eq!(name(pattern).matches(&name(text)), expected, "{pattern} {text}");
    }
}

#[test]
fn quotations() {
    for (text, quoted) in [("", r#""""#), ("a", r#""a""#), ("a\n\"*?\\", r#""a\n\"\*\?\\""#)] {
        assert_eq!(quote(text), quoted);
        assert_eq!(unquote(quoted).as_deref(), Some(text));
    }
    for invalid in ["a", "\"", "\"a", "\"a\"b", "\"\\x\""] {
        assert_eq!(unquote(invalid), None, "{invalid}");
    }
}

#[test]
fn many_properties_take_no_quadratic_time() {
    let text: Vec<String> = (0..8000).map(|index| format!("k{index}=")).collect();
    let name = name(&format!("d:{}", text.join(",")));
    assert_eq!(name.properties().count(), 8000);
    let twice = format!("d:{},k7=", text.join(","));
    assert_eq!(twice.parse::<ObjectName>(), Err(NameError::Twice { key: "k7".to_owned() }));
}
