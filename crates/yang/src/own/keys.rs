//! trunkline-keys: with which keys messages protect themselves: those of roles, by their epochs, and the public keys of users.

use super::{OwnModule, ROLE_NAME, container, list, secret, setting};
use crate::value_type::ValueType;

/// The module.
pub static KEYS: OwnModule = OwnModule {
    name: "trunkline-keys",
    namespace: "urn:trunkline:yang:keys",
    prefix: "tlk",
    revision: "2026-11-28",
    features: &[],
    notifications: &[],
    nodes: &[container(
        "keys",
        &[
            list(
                "role",
                &["name"],
                &[
                    setting("name", ROLE_NAME, ACCESS),
                    list(
                        "epoch",
                        &["number"],
                        &[
                            setting("number", ValueType::Number(0, 4_294_967_295), ACCESS),
                            secret("authentication-key", SECRET, ACCESS).mandatory(),
                            secret("encryption-key", SECRET, ACCESS).mandatory(),
                            setting("expires", ValueType::Time, ACCESS),
                        ],
                    ),
                ],
            ),
            list(
                "user",
                &["name"],
                &[
                    setting("name", ValueType::Word(32), ACCESS),
                    setting("public-key", ValueType::Binary(2048), ACCESS).many(),
                ],
            ),
        ],
    )],
};

const SECRET: ValueType = ValueType::Hex(16, 64);
/// vacmAccessStatus: who may say what roles may do may say by which keys they are known.
const ACCESS: &[u32] = &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1, 9];
