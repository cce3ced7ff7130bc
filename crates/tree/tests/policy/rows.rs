//! Policies in text, a row in a line; `!` at the end makes a row that is notInService:
//!
//! ```text
//! context lab
//! group   usm ann operators
//! access  operators * any authPriv read=all write=all     (context, `-` for the default one, `*` behind a beginning)
//! view    all 1.3.6.1 -1.3.6.1.6.3
//! ```

use trunkline_smi::Oid;
use trunkline_tree::Family;
use trunkline_tree::policy::{
    AccessKey, AccessRow, AdminString, ContextMatch, FamilyKey, FamilyRow, GroupKey, GroupRow, Policy,
    RowState, RowStatus, SecurityLevel, SecurityModel, ViewType,
};

/// The policy of these rows.
pub fn policy(text: &str) -> Policy {
    let mut policy = Policy::default();
    policy.contexts.insert(AdminString::default());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (line, state) = match line.strip_suffix('!') {
            Some(line) => (line, RowState { status: RowStatus::NotInService, ..RowState::CONFIG }),
            None => (line, RowState::CONFIG),
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        add(&mut policy, &words, state);
    }
    policy
}

fn add(policy: &mut Policy, words: &[&str], state: RowState) {
    match words {
        ["context", name] => _ = policy.contexts.insert(string(name)),
        ["group", name_model, name, group] => {
            let key = GroupKey { model: model(name_model), name: string(name) };
            policy.groups.insert(key, GroupRow { group: string(group), state });
        }
        ["access", group, context, name_model, name_level, views @ ..] => {
            let (prefix, context_match) = self::context(context);
            let (model, level) = (model(name_model), level(name_level));
            let key = AccessKey { group: string(group), context: prefix, model, level };
            let view = |kind: &str| {
                let named = views.iter().find_map(|word| word.strip_prefix(kind)?.strip_prefix('='));
                string(named.unwrap_or(""))
            };
            let (read, write, notify) = (view("read"), view("write"), view("notify"));
            policy.access.insert(key, AccessRow { context_match, read, write, notify, state });
        }
        ["view", view, families @ ..] => {
            for text in families {
                let Family { subtree, mask, included } = text.parse().unwrap();
                let key = FamilyKey { view: string(view), subtree };
                policy.families.insert(key, FamilyRow { mask, included, state });
            }
        }
        _ => panic!("{words:?} is not a row"),
    }
}

pub fn string(text: &str) -> AdminString {
    AdminString::try_from(text).unwrap()
}

pub fn model(name: &str) -> SecurityModel {
    let known =
        [SecurityModel::ANY, SecurityModel::V1, SecurityModel::V2C, SecurityModel::USM, SecurityModel::TSM];
    known.into_iter().find(|known| known.to_string() == name).unwrap_or_else(|| panic!("model {name}"))
}

pub fn level(name: &str) -> SecurityLevel {
    let known = SecurityLevel::ALL.into_iter().find(|known| known.name() == name);
    known.unwrap_or_else(|| panic!("level {name}"))
}

pub fn context(word: &str) -> (AdminString, ContextMatch) {
    match word.strip_suffix('*') {
        Some(prefix) => (string(prefix), ContextMatch::Prefix),
        None => (string(if word == "-" { "" } else { word }), ContextMatch::Exact),
    }
}

/// A question in text: `read usm ann authPriv - 1.3.6.1.2.1.1.1.0`.
pub struct Question {
    pub view_type: ViewType,
    pub model: SecurityModel,
    pub name: String,
    pub level: SecurityLevel,
    pub context: String,
    pub object: Oid,
}

pub fn question(text: &str) -> Question {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [kind, name_model, name, name_level, context, object] = words[..] else { panic!("{text}") };
    let view_type = match kind {
        "read" => ViewType::Read,
        "write" => ViewType::Write,
        "notify" => ViewType::Notify,
        other => panic!("{other}"),
    };
    Question {
        view_type,
        model: model(name_model),
        name: name.into(),
        level: level(name_level),
        context: if context == "-" { String::new() } else { context.into() },
        object: object.parse().unwrap(),
    }
}
