//! Roles: what inheritance grants, and what is refused.

use trunkline_tree::View;
use trunkline_tree::policy::{
    Acting, AdminString, Member, Policy, Principal, Role, RoleError, RoleGrant, Roles, SecurityLevel,
    SecurityModel, ViewSource, ViewType,
};

use crate::policy::rows::{self, Question, question, string};

/// Roles in text:
///
/// ```text
/// view   system 1.3.6.1.2.1.1
/// role   operator monitor,guest authPriv      (whom it inherits from or `-`, least level of what it inherits)
/// grant  authPriv - any read=@system write=1.3,-1.3.6     (to the role above; `@` names a view)
/// member usm ann operator
/// ```
fn roles(text: &str) -> Roles {
    let mut roles = Roles::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match &words[..] {
            ["context", name] => roles.contexts.push(string(name)),
            ["view", name, rules] => _ = roles.views.insert(string(name), view(rules)),
            ["role", name, parents, level] => roles.roles.push(Role {
                name: string(if *name == "-" { "" } else { name }),
                inherits: parents.split(',').filter(|parent| *parent != "-").map(string).collect(),
                level: rows::level(level),
                grants: Vec::new(),
                ..Role::default()
            }),
            ["separate"] => roles.roles.last_mut().unwrap().separate = true,
            ["grant", rest @ ..] => roles.roles.last_mut().unwrap().grants.push(grant(rest)),
            ["member", model, name, role] => roles.members.push(Member {
                model: rows::model(model),
                name: string(name),
                role: string(role),
            }),
            _ => panic!("{line}"),
        }
    }
    roles
}

fn view(rules: &str) -> View {
    View::of(rules.split(',').map(|rule| rule.parse().unwrap())).unwrap()
}

fn grant(words: &[&str]) -> RoleGrant {
    let (context, context_match) = rows::context(words[1]);
    let source = |kind: &str| {
        let text = words[3..].iter().find_map(|word| word.strip_prefix(kind)?.strip_prefix('='))?;
        Some(match text.strip_prefix('@') {
            Some(name) => ViewSource::Named(string(name)),
            None if text.is_empty() => ViewSource::Rules(View::NOTHING),
            None => ViewSource::Rules(view(text)),
        })
    };
    RoleGrant {
        read: source("read"),
        write: source("write"),
        notify: source("notify"),
        level: rows::level(words[0]),
        context,
        context_match,
        model: rows::model(words[2]),
    }
}

fn answer(policy: &Policy, text: &str) -> String {
    let Question { view_type, model, name, level, context, object } = question(text);
    let verdict = policy.is_access_allowed(
        &Principal::new(model, name.as_bytes(), level),
        context.as_bytes(),
        view_type,
        &object,
    );
    verdict.map_or_else(|denied| denied.to_string(), |()| "allowed".into())
}

fn check(text: &str, cases: &[(&str, &str)]) {
    let policy = roles(text).compile().unwrap();
    for (question, expected) in cases {
        assert_eq!(answer(&policy, question), *expected, "{question}");
    }
}

const FAMILY: &str = "
    view   system 1.3.6.1.2.1.1
    role   monitor - noAuthNoPriv
    grant  noAuthNoPriv - any read=1.3.6.1,-1.3.6.1.6.3 notify=1
    role   operator monitor noAuthNoPriv
    grant  authPriv - any read=1.3.6.1.6.3,-1.3.6.1.2.1.25 write=@system
    member v2c public monitor
    member usm ann operator";

#[test]
fn an_heir_has_what_it_inherits_and_its_own() {
    check(
        FAMILY,
        &[
            ("read v2c public noAuthNoPriv - 1.3.6.1.2.1.25.1.1.0", "allowed"),
            ("read v2c public noAuthNoPriv - 1.3.6.1.6.3.1", "notInView"),
            // With little security ann is a monitor only.
            ("read usm ann noAuthNoPriv - 1.3.6.1.2.1.25.1.1.0", "allowed"),
            ("read usm ann authNoPriv - 1.3.6.1.6.3.1", "notInView"),
            ("write usm ann authNoPriv - 1.3.6.1.2.1.1.4.0", "notInView"),
            ("read usm ann authPriv - 1.3.6.1.6.3.1", "allowed"),
            ("read usm ann authPriv - 1.3.6.1.2.1.2.1.0", "allowed"),
            ("read usm ann authPriv - 1.3.6.1.2.1.25.1.1.0", "notInView"),
            ("write usm ann authPriv - 1.3.6.1.2.1.1.4.0", "allowed"),
            ("write usm ann authPriv - 1.3.6.1.2.1.2.1.0", "notInView"),
            ("notify usm ann authPriv - 1.3.6.1.6.3.1.1.5.3", "allowed"),
        ],
    );
}

#[test]
fn rows_are_few_and_have_speaking_names() {
    let policy = roles(FAMILY).compile().unwrap();
    let rows: Vec<String> = policy
        .access
        .iter()
        .map(|(key, row)| format!("{} {} {} {} {}", key.group, key.level, row.read, row.write, row.notify))
        .collect();
    assert_eq!(
        rows,
        [
            "monitor noAuthNoPriv monitor/read none monitor/notify",
            "operator noAuthNoPriv operator/read none operator/notify",
            "operator authPriv operator/read.2 system operator/notify",
        ]
    );
    let groups: Vec<String> =
        policy.groups.iter().map(|(key, row)| format!("{} {} {}", key.model, key.name, row.group)).collect();
    assert_eq!(groups, ["v2c public monitor", "usm ann operator"]);
}

#[test]
fn the_least_level_of_a_role_holds_for_what_it_inherits() {
    check(
        "role   guest - noAuthNoPriv
         grant  noAuthNoPriv - any read=1.1
         role   staff guest authNoPriv
         grant  authPriv - any read=1.2
         role   both staff,guest noAuthNoPriv
         role   strict both authPriv
         member usm ann staff
         member usm bob both
         member usm eve strict",
        &[
            ("read usm ann noAuthNoPriv - 1.1", "noAccessEntry"),
            ("read usm ann authNoPriv - 1.1", "allowed"),
            ("read usm ann authNoPriv - 1.2", "notInView"),
            ("read usm ann authPriv - 1.2", "allowed"),
            // bob inherits guest by two ways.
            ("read usm bob noAuthNoPriv - 1.1", "allowed"),
            ("read usm bob authPriv - 1.2", "allowed"),
            ("read usm eve authNoPriv - 1.1", "noAccessEntry"),
            ("read usm eve authPriv - 1.1", "allowed"),
            ("read usm eve authPriv - 1.2", "allowed"),
        ],
    );
}

#[test]
fn of_two_rules_for_one_subtree_the_nearer_counts() {
    let question = "read usm ann authPriv - 1.5.1";
    for (roles, expected) in [
        ("role c a,b authPriv", "notInView"),
        ("role c a,b authPriv\n grant noAuthNoPriv - any read=1.5", "allowed"),
        // Inherited through b, a counts less than b in any order.
        ("role c b,a authPriv", "notInView"),
        ("role d a,b authPriv\n role c b,d authPriv", "notInView"),
    ] {
        let base = "role a - noAuthNoPriv\n grant noAuthNoPriv - any read=1.5
                    role b a noAuthNoPriv\n grant noAuthNoPriv - any read=-1.5";
        check(&format!("{base}\n{roles}\nmember usm ann c"), &[(question, expected)]);
    }
}

#[test]
fn contexts_and_models_of_a_role() {
    check(
        "context lab
         context lab2
         context else
         role   r - noAuthNoPriv
         grant  noAuthNoPriv lab* any read=1.1
         grant  noAuthNoPriv lab2 any write=1.2
         grant  noAuthNoPriv lab* usm read=1.3
         grant  authPriv     - usm read=1.4
         member v1 a r
         member usm a r",
        &[
            ("read v1 a noAuthNoPriv lab 1.1", "allowed"),
            ("write v1 a noAuthNoPriv lab 1.2", "notInView"),
            ("write v1 a noAuthNoPriv lab2 1.2", "allowed"),
            ("read v1 a noAuthNoPriv lab2 1.1", "allowed"),
            ("read v1 a noAuthNoPriv lab2 1.3", "notInView"),
            ("read usm a noAuthNoPriv lab2 1.1", "allowed"),
            ("read usm a noAuthNoPriv lab2 1.3", "allowed"),
            ("write usm a noAuthNoPriv lab2 1.2", "allowed"),
            ("read usm a authPriv - 1.4", "allowed"),
            ("read usm a authPriv lab 1.4", "notInView"),
            ("read v1 a noAuthNoPriv - 1.1", "noAccessEntry"),
            ("read v1 a noAuthNoPriv else 1.1", "noAccessEntry"),
            ("read v1 a noAuthNoPriv nowhere 1.1", "noSuchContext"),
        ],
    );
}

/// An empty list grants nothing, and removes nothing.
#[test]
fn an_empty_list_is_nothing() {
    check(
        "role   guest - noAuthNoPriv
         grant  noAuthNoPriv - any read= write=1.1
         role   heir guest noAuthNoPriv
         grant  noAuthNoPriv - any write=
         role   idle - noAuthNoPriv
         grant  authPriv nowhere* any
         member usm ann guest
         member usm bob heir
         member usm eve idle",
        &[
            ("read usm ann authPriv - 1.1", "notInView"),
            ("write usm ann authPriv - 1.1", "allowed"),
            ("write usm bob authPriv - 1.1", "allowed"),
            ("read usm eve authPriv - 1.1", "noAccessEntry"),
        ],
    );
}

#[test]
fn names_of_views_give_way_to_those_of_the_configuration() {
    let policy = roles(
        "view   r/read 1.9
         view   none 1.8
         role   r - noAuthNoPriv
         grant  noAuthNoPriv - any read=1.1
         grant  authPriv - any notify=@r/read",
    );
    let policy = policy.compile().unwrap();
    let row = policy.access.values().next_back().unwrap();
    assert_eq!(
        [&row.read, &row.write, &row.notify].map(ToString::to_string),
        ["r/read.2", "none.2", "r/read"]
    );
    assert!(policy.view(b"r/read").unwrap().contains(&[1, 9]));
    assert!(!policy.view(b"none.2").unwrap().contains(&[1, 9]));
    assert_eq!(row.view(ViewType::Notify), &row.notify);
}

/// A group's name has 32 octets, of which a view's name has as many as there is room for.
#[test]
fn views_of_roles_with_long_names_have_shorter_ones() {
    let long = "x".repeat(AdminString::MAX_OCTETS);
    let other = format!("{}y", "x".repeat(AdminString::MAX_OCTETS - 1));
    // The character before the last octets has two of them.
    let wide = format!("{}\u{e9}{}", "z".repeat(24), "z".repeat(6));
    let role = |name: &str, subtree: &str| {
        format!(
            "role {name} - noAuthNoPriv\n grant noAuthNoPriv - any notify={subtree}\n member usm of-{subtree} {name}\n"
        )
    };
    let policy =
        roles(&[role(&long, "1.1"), role(&other, "1.2"), role(&wide, "1.3")].concat()).compile().unwrap();
    let view = |name: &str| {
        let (key, row) = policy.access.iter().find(|(key, _)| key.group.octets() == name.as_bytes()).unwrap();
        assert_eq!(key.group.octets(), name.as_bytes());
        row.notify.clone()
    };
    assert_eq!(view(&long).to_string(), format!("{}/notify", "x".repeat(25)));
    assert_eq!(view(&other).to_string(), format!("{}/notify.2", "x".repeat(23)));
    assert_eq!(view(&wide).to_string(), format!("{}/notify", "z".repeat(24)));
    let holds = |name: &str, subtree: u32| policy.view(view(name).octets()).unwrap().contains(&[1, subtree]);
    assert!(holds(&long, 1) && !holds(&long, 2) && holds(&other, 2) && !holds(&other, 1) && holds(&wide, 3));
}

fn refused(text: &str) -> RoleError {
    roles(text).compile().unwrap_err()
}

#[test]
fn invalid_policies_are_reported() {
    for (text, words) in [
        ("role - - noAuthNoPriv", "role \"\" or one of its members has no name"),
        ("role a - authPriv\n role a - authPriv", "there are two roles \"a\""),
        ("role a b authPriv", "role \"a\" inherits from \"b\", which is not a role"),
        ("role a a authPriv", "a role inherits from itself: a > a"),
        (
            "role x a authPriv\n role a b authPriv\n role b c authPriv\n role c a authPriv",
            "inherits from itself: a > b > c > a",
        ),
        (
            "role a - authPriv\n grant authPriv - any read=@v",
            "role \"a\" names the view \"v\", which does not exist",
        ),
        ("member usm ann a", "\"ann\" (usm) has the role \"a\", which does not exist"),
        ("role a - authPriv\n member any ann a", "\"ann\" of role \"a\" needs one security model"),
        (
            "role a - authPriv\n role b - authPriv\n member usm ann a\n member usm ann b",
            "\"ann\" (usm) has the roles \"a\" and \"b\", expected one",
        ),
        (
            "role a - authPriv\n grant authPriv lab any read=1\n grant authPriv lab* any read=1",
            "has the context \"lab\" and also all that begin with it (\"lab*\")",
        ),
        (
            "role a - authPriv\n grant authPriv - any read=1.*\n role b a authPriv\n grant authPriv - any read=-1.0",
            "role \"b\": the rules 1.* and -1.0 are the same subtree 1.0 with different masks",
        ),
    ] {
        let found = refused(text).to_string();
        assert!(found.contains(words), "{text}: {found}");
    }
    let twice = "role a - authPriv\n member usm ann a\n member usm ann a";
    assert_eq!(roles(twice).compile().unwrap().groups.len(), 1);
    assert_eq!(Roles::default().compile().unwrap().contexts.len(), 1);
    assert_eq!(RoleGrant::default().level, SecurityLevel::NoAuthNoPriv);
}

/// What VACM would choose between two rows, where putting them together would take something away.
#[test]
fn separate_grants_are_rows_of_their_own() {
    let text = |separate: &str| {
        format!(
            "context lab
             role   eve - noAuthNoPriv
             {separate}
             grant  authNoPriv - usm read=1.3.6.1.2.1.1,-1.3.6.1.2.1.1.5
             grant  authPriv - usm read=1
             grant  authPriv lab any
             member usm eve eve"
        )
    };
    let name = "read usm eve authPriv - 1.3.6.1.2.1.1.5.0";
    check(&text(""), &[(name, "notInView"), ("read usm eve authPriv lab 1.3", "noAccessEntry")]);
    check(
        &text("separate"),
        &[
            (name, "allowed"),
            ("read usm eve authPriv - 1.3.6.1.2.1.25.1.1.0", "allowed"),
            ("read usm eve authNoPriv - 1.3.6.1.2.1.1.5.0", "notInView"),
            ("read usm eve authNoPriv - 1.3.6.1.2.1.1.6.0", "allowed"),
            ("read usm eve authNoPriv - 1.3.6.1.2.1.25.1.1.0", "notInView"),
            // A row that shows nothing decides too.
            ("read usm eve authPriv lab 1.3.6.1.2.1.1.6.0", "notInView"),
        ],
    );
    let heir = text("separate")
        + "\nrole both eve noAuthNoPriv\nseparate\ngrant authPriv - usm read=1.3.6.1.4\nmember usm bo both";
    check(
        &heir,
        &[
            ("read usm bo authPriv - 1.3.6.1.4.1", "allowed"),
            ("read usm bo authPriv - 1.3.6.1.2", "notInView"),
        ],
    );
}

/// Who may change which roles, and whether a role is within what somebody has.
#[test]
fn an_administrator_gives_no_more_than_it_has() {
    let role = |name: &str, inherits: &[&str], administers: &[&str], read: &str, level| Role {
        name: string(name),
        inherits: inherits.iter().map(|name| string(name)).collect(),
        administers: administers.iter().map(|name| string(name)).collect(),
        level,
        grants: vec![RoleGrant { read: Some(ViewSource::Rules(view(read))), level, ..RoleGrant::default() }],
        ..Role::default()
    };
    let roles = Roles {
        roles: vec![
            role("wide", &[], &[], "1.3.6.1.2", SecurityLevel::AuthPriv),
            role("narrow", &[], &[], "1.3.6.1.2.1.1", SecurityLevel::AuthPriv),
            role("open", &[], &[], "1.3.6.1.2.1.1", SecurityLevel::NoAuthNoPriv),
            role("lead", &[], &["narrow", "open"], "1.3.6.1.2.1", SecurityLevel::AuthPriv),
            role("boss", &["lead"], &["wide"], "1.3.6.1.2.1.1", SecurityLevel::AuthPriv),
        ],
        members: vec![Member { model: SecurityModel::TSM, name: string("zoe"), role: string("boss") }],
        ..Roles::default()
    };
    let policy = roles.compile().unwrap();
    let zoe = Principal::new(SecurityModel::TSM, b"zoe", SecurityLevel::AuthPriv);
    let of = |principal| {
        policy.administered_by(&principal).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of(zoe), "narrow open wide");
    let acting = |role: &'static str| Some(Acting { role: role.as_bytes(), is_proved: false });
    assert_eq!(of(zoe.acting(acting("lead"))), "narrow open");
    assert_eq!(of(zoe.acting(acting("wide"))), "");
    assert_eq!(of(Principal { name: b"eve", ..zoe }), "");
    let gives = |role: &str| policy.gives_at_most(role.as_bytes(), &policy, &zoe);
    // `wide` has more, and `open` has it without security.
    assert_eq!(["narrow", "lead", "wide", "open"].map(gives), [true, true, false, false]);
    assert!(!policy.gives_at_most(b"narrow", &policy, &Principal { name: b"eve", ..zoe }));
    // A role that is not there yet may come as data.
    let early = Roles {
        roles: vec![role("lead", &[], &["later"], "1", SecurityLevel::AuthPriv)],
        ..Roles::default()
    };
    assert_eq!(early.compile().unwrap().administered_through(&string("lead")).len(), 1);
}

/// `carl` has both roles; neither inherits from the other.
fn both_ways(parents: [&str; 2], cases: &[(&str, &str)]) {
    for parents in [parents, [parents[1], parents[0]]] {
        let text = format!(
            "role   inc - noAuthNoPriv
             grant  noAuthNoPriv - any read=1.3.6.1.2.1.1
             role   exc - noAuthNoPriv
             grant  noAuthNoPriv - any read=1.3.6.1.2.1,-1.3.6.1.2.1.1
             role   below inc noAuthNoPriv
             role   over exc noAuthNoPriv
             grant  noAuthNoPriv - any read=1.3.6.1.2.1.1
             role   deep exc noAuthNoPriv
             grant  noAuthNoPriv - any read=1.3.6.1.2.1.1.5
             role   both {} noAuthNoPriv
             member usm carl both",
            parents.join(",")
        );
        check(&text, cases);
    }
}

#[test]
fn the_order_of_roles_decides_nothing() {
    const NAME: &str = "read usm carl noAuthNoPriv - 1.3.6.1.2.1.1.5.0";
    const LINKS: &str = "read usm carl noAuthNoPriv - 1.3.6.1.2.1.2.1.0";
    let denied = [(NAME, "notInView"), (LINKS, "allowed")];
    both_ways(["inc", "exc"], &denied);
    // However far the role is that includes it.
    both_ways(["below", "exc"], &denied);
    // A role decides over those that it inherits from, even if they are inherited once more.
    both_ways(["over", "exc"], &[(NAME, "allowed"), (LINKS, "allowed")]);
    both_ways(["over", "inc"], &[(NAME, "allowed"), (LINKS, "allowed")]);
    // The longer subtree decides before that.
    both_ways(["deep", "exc"], &[(NAME, "allowed"), (LINKS, "allowed")]);
    both_ways(
        ["deep", "inc"],
        &[(NAME, "allowed"), ("read usm carl noAuthNoPriv - 1.3.6.1.2.1.1.4.0", "notInView")],
    );
}

/// Rows by name as [`trunkline_tree::policy::BY_NAME`] marks them.
#[test]
fn a_row_by_its_number_may_be_one_that_is_denied_by_its_name() {
    let gives = |own: &str, given: &str| {
        let text = format!(
            "role own - noAuthNoPriv\n grant noAuthNoPriv - any read={own}
             role given - noAuthNoPriv\n grant noAuthNoPriv - any read={given}
             member usm zoe own"
        );
        let policy = roles(&text).compile().unwrap();
        let zoe = Principal::new(SecurityModel::USM, b"zoe", SecurityLevel::NoAuthNoPriv);
        policy.gives_at_most(b"given", &policy, &zoe)
    };
    let (alias, br9) = ("1.3.6.1.2.1.31.1.1.1.18", "1.3.6.1.2.1.31.1.1.1.18.4294967295.6451769");
    let br8 = "1.3.6.1.2.1.31.1.1.1.18.4294967295.6451768";
    assert!(gives(alias, br9) && gives(br9, br9) && gives(alias, &format!("{alias}.7")));
    assert!(!gives(br8, br9) && !gives(&format!("{alias}.7"), br9) && !gives(br9, alias));
    let but_br9 = format!("{alias},-{br9}");
    assert!(gives(&but_br9, br8) && gives(&but_br9, &but_br9));
    assert!(!gives(&but_br9, br9) && !gives(&but_br9, alias) && !gives(&but_br9, &format!("{alias}.7")));
    assert!(gives(&format!("{but_br9},{alias}.7"), &format!("{alias}.7")));
}
