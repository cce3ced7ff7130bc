//! trunkline-rbac: roles, their permissions, and users with their roles, as configuration. What is in it becomes rows of the one access
//! policy, beside those of the agent's configuration file.

use super::{OwnModule, OwnNode, ROLE_NAME, container, list, setting};
use crate::value_type::ValueType;

/// The module.
pub static RBAC: OwnModule = OwnModule {
    name: "trunkline-rbac",
    namespace: "urn:trunkline:yang:rbac",
    prefix: "tlr",
    revision: "2026-11-28",
    features: &[],
    notifications: &[],
    nodes: &[container("rbac", &[list("role", &["name"], &ROLE), list("user", &["name"], &USER)])],
};

const ROLE: [OwnNode; 5] = [
    setting("name", ROLE_NAME, ROLES),
    setting("junior-role", ROLE_NAME, ROLES).many(),
    setting("administers", ROLE_NAME, ROLES).many(),
    setting("level", ValueType::Enumeration(&["no-auth-no-priv", "auth-no-priv", "auth-priv"]), ROLES)
        .default("auth-priv"),
    list("permission", &["name"], &PERMISSION),
];

const PERMISSION: [OwnNode; 4] = [
    setting("name", ValueType::Word(63), ROLES),
    setting("operation", ValueType::Enumeration(&["read", "write", "notify"]), ROLES).mandatory(),
    setting("resource", ValueType::Sized(1, 1024), ROLES).mandatory(),
    setting("action", ValueType::Enumeration(&["permit", "deny"]), ROLES).default("permit"),
];

const USER: [OwnNode; 2] =
    [setting("name", ValueType::Sized(1, 32), USERS), setting("role", ROLE_NAME, USERS).many()];

/// vacmAccessTable.
const ROLES: &[u32] = &[1, 3, 6, 1, 6, 3, 16, 1, 4];
/// vacmSecurityToGroupTable.
const USERS: &[u32] = &[1, 3, 6, 1, 6, 3, 16, 1, 2];
