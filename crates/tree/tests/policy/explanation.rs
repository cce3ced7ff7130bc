//! Explanations for people: which rows decide, and why the others do not.

use trunkline_tree::policy::Principal;

use crate::policy::rows::{Question, policy, question};

const ROWS: &str = "
    context lab
    context lab2
    group   usm ann operator
    group   usm eve operator !
    access  operator * any noAuthNoPriv read=few
    access  operator lab usm authPriv read=most write=gone
    access  operator la* usm noAuthNoPriv read=few
    access  operator lab v2c noAuthNoPriv read=few
    access  operator lab any authNoPriv read=few !
    view    few 1.3.6.1.2.1.1
    view    most 1.3.6.1 -1.3.6.1.2.1.1.6 1.3.6.1.2.1.2.2.1.*.3 -1.3.6.1.2.1.2.2.1.6";

fn check(text: &str, expected: &str) {
    let Question { view_type, model, name, level, context, object } = question(text);
    let explanation = policy(ROWS).explain(
        &Principal::new(model, name.as_bytes(), level),
        context.as_bytes(),
        view_type,
        &object,
    );
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let shown = explanation.to_string();
    let found: Vec<&str> = shown.lines().map(str::trim).collect();
    assert_eq!(found, expected, "{shown}");
}

#[test]
fn a_row_wins_and_the_others_lose() {
    check(
        "read usm ann authPriv lab 1.3.6.1.2.1.2.2.1.6.3",
        r#"question  read 1.3.6.1.2.1.2.2.1.6.3 as "ann" (usm, authPriv) in context "lab"
           context   "lab" exists
           group     "operator"
           access    context "lab", model usm, level authPriv: read "most", write "gone", notify ""
           not     context "la*", model usm, level noAuthNoPriv: has a shorter context than the one above
           not     context "*", model any, level noAuthNoPriv: is for any model; the one above is for this model
           not     context "lab", model v2c, level noAuthNoPriv: is for another security model
           not     context "lab", model any, level authNoPriv: is not active
           view      "most", decided by includes 1.3.6.1.2.1.2.2.1.*.3
           not     excludes 1.3.6.1.2.1.2.2.1.6: shorter
           not     includes 1.3.6.1: shorter
           verdict   allowed"#,
    );
}

#[test]
fn rules_below_are_listed() {
    check(
        "read usm ann authPriv lab 1.3.6.1.2.1.1",
        r#"question  read 1.3.6.1.2.1.1 as "ann" (usm, authPriv) in context "lab"
           context   "lab" exists
           group     "operator"
           access    context "lab", model usm, level authPriv: read "most", write "gone", notify ""
           not     context "la*", model usm, level noAuthNoPriv: has a shorter context than the one above
           not     context "*", model any, level noAuthNoPriv: is for any model; the one above is for this model
           not     context "lab", model v2c, level noAuthNoPriv: is for another security model
           not     context "lab", model any, level authNoPriv: is not active
           view      "most", decided by includes 1.3.6.1
           below   excludes 1.3.6.1.2.1.1.6
           verdict   allowed"#,
    );
}

#[test]
fn each_denial_has_a_reason() {
    check(
        "read usm ann authPriv nowhere 1.3",
        r#"question  read 1.3 as "ann" (usm, authPriv) in context "nowhere"
           context   "nowhere" does not exist; known contexts: ["", "lab", "lab2"]
           group     "operator"
           verdict   denied, noSuchContext"#,
    );
    check(
        "read v2c ann noAuthNoPriv - 1.3",
        r#"question  read 1.3 as "ann" (v2c, noAuthNoPriv) in context ""
           context   "" exists
           group     none: no row for "ann" with model v2c
           verdict   denied, noGroupName"#,
    );
    check(
        "read usm eve noAuthNoPriv - 1.3",
        r#"question  read 1.3 as "eve" (usm, noAuthNoPriv) in context ""
           context   "" exists
           group     "operator" (notInService, does not count)
           verdict   denied, noGroupName"#,
    );
    check(
        "write usm ann authPriv lab2 1.3",
        r#"question  write 1.3 as "ann" (usm, authPriv) in context "lab2"
           context   "lab2" exists
           group     "operator"
           access    context "la*", model usm, level noAuthNoPriv: read "few", write "", notify ""
           not     context "*", model any, level noAuthNoPriv: is for any model; the one above is for this model
           not     context "lab", model usm, level authPriv: is for another context
           not     context "lab", model v2c, level noAuthNoPriv: is for another security model
           not     context "lab", model any, level authNoPriv: is not active
           view      none for write
           verdict   denied, noSuchView"#,
    );
}

#[test]
fn views_without_a_word_for_the_object() {
    let policy = policy(
        "context lab
         group   usm ann g
         access  g lab usm authPriv read=v write=gone
         view    v 1.3.6",
    );
    let explain = |text: &str| {
        let Question { view_type, model, name, level, context, object } = question(text);
        policy
            .explain(&Principal::new(model, name.as_bytes(), level), context.as_bytes(), view_type, &object)
            .to_string()
    };
    let not_in_view = explain("read usm ann authPriv lab 1.4");
    assert!(not_in_view.contains("view      \"v\": no family matches"), "{not_in_view}");
    assert!(not_in_view.ends_with("verdict   denied, notInView"), "{not_in_view}");
    let gone = explain("write usm ann authPriv lab 1.3");
    assert!(gone.contains("view      \"gone\" has no active families"), "{gone}");
    let low = explain("read usm ann authNoPriv lab 1.3.6");
    assert!(low.contains("access    none of the group's rows applies to this request"), "{low}");
    assert!(
        low.contains("not     context \"lab\", model usm, level authPriv: requires a higher level"),
        "{low}"
    );
}
