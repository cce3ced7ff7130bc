//! ietf-snmp (RFC 7407): an engine of SNMP and its tables as configuration. Each leaf has the object whose column it is; the name of an
//! entry has the status of its row.

use super::{OwnModule, OwnNode, Rule, container, list, presence, secret, setting};
use crate::value_type::{HEX, ValueType};

/// Identities of mappings from certificates to names: nothing else of it is served alone.
pub static CERT_TO_NAME: OwnModule = OwnModule {
    name: "ietf-x509-cert-to-name",
    namespace: CERT_TO_NAME_NAMESPACE,
    prefix: CERT_TO_NAME_PREFIX,
    revision: "2014-12-10",
    features: &[],
    notifications: &[],
    nodes: &[],
};

const CERT_TO_NAME_NAMESPACE: &str = "urn:ietf:params:xml:ns:yang:ietf-x509-cert-to-name";
const CERT_TO_NAME_PREFIX: &str = "x509c2n";

/// The module. It consists of [`SUBMODULES`].
pub static SNMP: OwnModule = OwnModule {
    name: "ietf-snmp",
    namespace: "urn:ietf:params:xml:ns:yang:ietf-snmp",
    prefix: "snmp",
    revision: "2014-12-10",
    features: &["notification-filter", "tsm", "tlstm", "sshtm"],
    notifications: &[],
    nodes: &[container(
        "snmp",
        &[
            container("engine", &ENGINE),
            list("target", &["name"], &TARGET).rules(&[TRANSPORT]),
            list("target-params", &["name"], &PARAMS),
            list("notify", &["name"], &NOTIFY),
            list("notify-filter-profile", &["name"], &FILTER),
            list("community", &["index"], &COMMUNITY),
            container(
                "usm",
                &[
                    container("local", &[list("user", &["name"], &USER)]),
                    list(
                        "remote",
                        &["engine-id"],
                        &[setting("engine-id", ENGINE_ID, USER_STATUS), list("user", &["name"], &USER)],
                    ),
                ],
            ),
            container("tsm", &[setting("use-prefix", ValueType::Boolean, USE_PREFIX).default("false")]),
            container("vacm", &[list("group", &["name"], &GROUP), list("view", &["name"], &VIEW)]),
            container("tlstm", &[list("cert-to-name", &["id"], &CERTIFICATE)]),
        ],
    )],
};

/// The submodules, which all have the revision of the module.
pub const SUBMODULES: [&str; 11] = [
    "ietf-snmp-common",
    "ietf-snmp-community",
    "ietf-snmp-engine",
    "ietf-snmp-notification",
    "ietf-snmp-proxy",
    "ietf-snmp-ssh",
    "ietf-snmp-target",
    "ietf-snmp-tls",
    "ietf-snmp-tsm",
    "ietf-snmp-usm",
    "ietf-snmp-vacm",
];

const TRANSPORT: Rule = Rule::Choice("transport");

/// `snmp:identifier`, `snmp:security-name` and the names of groups and views.
const NAME: ValueType = ValueType::Sized(1, 32);
const CONTEXT_NAME: ValueType = ValueType::Sized(0, 32);
const TAG: ValueType = ValueType::Tag;
const ENGINE_ID: ValueType = ValueType::Hex(5, 32);
const FINGERPRINT: ValueType = ValueType::Hex(1, 255);
const PORT: ValueType = ValueType::Number(0, 65535);
const LEVEL: ValueType = ValueType::Enumeration(&LEVELS);
/// Security levels by their numbers, from 1.
pub const LEVELS: [&str; 3] = ["no-auth-no-priv", "auth-no-priv", "auth-priv"];
/// Security models with names, and their numbers.
pub const MODELS: [(&str, u32); 4] = [("v1", 1), ("v2c", 2), ("usm", 3), ("tsm", 4)];

static ENGINE: [OwnNode; 5] = [
    setting("enabled", ValueType::Boolean, SNMP_ENGINE_ID).default("false"),
    list(
        "listen",
        &["name"],
        &[
            setting("name", NAME, SNMP_ENGINE_ID),
            container("udp", &LISTEN).case(1),
            container("tls", &LISTEN).case(2),
            container("dtls", &LISTEN).case(3),
            container("ssh", &LISTEN).case(4),
        ],
    )
    .rules(&[TRANSPORT]),
    container(
        "version",
        &[
            setting("v1", ValueType::Empty, SNMP_ENGINE_ID).empty(),
            setting("v2c", ValueType::Empty, SNMP_ENGINE_ID).empty(),
            setting("v3", ValueType::Empty, SNMP_ENGINE_ID).empty(),
        ],
    ),
    setting("engine-id", ENGINE_ID, SNMP_ENGINE_ID),
    setting("enable-authen-traps", ValueType::Boolean, ENABLE_AUTHEN_TRAPS),
];

const LISTEN: [OwnNode; 2] =
    [setting("ip", ValueType::IpAddress, SNMP_ENGINE_ID).mandatory(), setting("port", PORT, SNMP_ENGINE_ID)];

static TARGET: [OwnNode; 10] = [
    setting("name", NAME, &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1, 9]),
    container(
        "udp",
        &[
            setting("ip", ValueType::IpAddress, T_ADDRESS).mandatory(),
            setting("port", PORT, T_ADDRESS).default("162"),
            setting("prefix-length", ValueType::Number(0, 128), &[1, 3, 6, 1, 6, 3, 18, 1, 2, 1, 1]),
        ],
    )
    .case(1),
    container("tls", &TLS).case(2),
    container("dtls", &TLS).case(3),
    container(
        "ssh",
        &[
            setting("ip", ValueType::Host, T_ADDRESS).mandatory(),
            setting("port", PORT, T_ADDRESS).default("5161"),
            setting("username", ValueType::Sized(1, 128), T_ADDRESS),
        ],
    )
    .case(4),
    setting("tag", TAG, &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1, 6]).many(),
    setting("timeout", ValueType::Number(0, 2_147_483_647), &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1, 4])
        .default("1500"),
    setting("retries", ValueType::Number(0, 255), &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1, 5]).default("3"),
    setting("target-params", NAME, &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1, 7]).mandatory(),
    setting(
        "mms",
        ValueType::NumberOr(484, 2_147_483_647, &[("unknown", 0)]),
        &[1, 3, 6, 1, 6, 3, 18, 1, 2, 1, 2],
    )
    .default("484"),
];

const TLS: [OwnNode; 5] = [
    setting("ip", ValueType::Host, T_ADDRESS).mandatory(),
    setting("port", PORT, T_ADDRESS).default("10161"),
    setting("client-fingerprint", FINGERPRINT, &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 6, 1, 1]),
    setting("server-fingerprint", FINGERPRINT, &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 9, 1, 1]),
    setting("server-identity", ValueType::Text(255), &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 9, 1, 2]),
];

static PARAMS: [OwnNode; 6] =
    [
        setting("name", NAME, &[1, 3, 6, 1, 6, 3, 12, 1, 3, 1, 7]),
        setting("notify-filter-profile", NAME, &[1, 3, 6, 1, 6, 3, 13, 1, 2, 1, 1])
            .rules(&[Rule::Reference(&["snmp", "notify-filter-profile", "name"])]),
        container("v1", &[PARAMS_NAME]).case(1),
        container("v2c", &[PARAMS_NAME]).case(2),
        container("usm", &[setting("user-name", NAME, SECURITY_NAME).mandatory(), PARAMS_LEVEL]).case(3),
        container("tsm", &[PARAMS_NAME, PARAMS_LEVEL]).case(4),
    ];

const PARAMS_NAME: OwnNode = setting("security-name", NAME, SECURITY_NAME).mandatory();
const PARAMS_LEVEL: OwnNode =
    setting("security-level", LEVEL, &[1, 3, 6, 1, 6, 3, 12, 1, 3, 1, 5]).mandatory();

static NOTIFY: [OwnNode; 3] = [
    setting("name", NAME, &[1, 3, 6, 1, 6, 3, 13, 1, 1, 1, 5]),
    setting("tag", TAG, &[1, 3, 6, 1, 6, 3, 13, 1, 1, 1, 2]).mandatory(),
    setting("type", ValueType::Enumeration(&["trap", "inform"]), &[1, 3, 6, 1, 6, 3, 13, 1, 1, 1, 3])
        .default("trap"),
];

static FILTER: [OwnNode; 3] = [
    setting("name", NAME, FILTER_STATUS),
    setting("include", ValueType::WildcardOid, FILTER_TYPE).many(),
    setting("exclude", ValueType::WildcardOid, FILTER_TYPE).many(),
];

static COMMUNITY: [OwnNode; 6] = [
    setting("index", NAME, &[1, 3, 6, 1, 6, 3, 18, 1, 1, 1, 8]),
    secret("text-name", ValueType::Sized(1, 255), COMMUNITY_NAME).case(1),
    secret("binary-name", ValueType::Binary(255), COMMUNITY_NAME).case(2),
    setting("security-name", NAME, &[1, 3, 6, 1, 6, 3, 18, 1, 1, 1, 3]).mandatory(),
    setting("context", CONTEXT_NAME, &[1, 3, 6, 1, 6, 3, 18, 1, 1, 1, 5]).default(""),
    setting("target-tag", TAG, &[1, 3, 6, 1, 6, 3, 18, 1, 1, 1, 6]),
];

static USER: [OwnNode; 3] = [
    setting("name", NAME, USER_STATUS),
    presence("auth", &[container("md5", &AUTH_KEY).case(1), container("sha", &AUTH_KEY).case(2)])
        .rules(&[Rule::Choice("protocol")]),
    presence("priv", &[container("des", &PRIV_KEY).case(1), container("aes", &PRIV_KEY).case(2)]).rules(&[
        Rule::Choice("protocol"),
        Rule::Must("../auth", "when privacy (confidentiality) is used, authentication must also be used"),
    ]),
];

const AUTH_KEY: [OwnNode; 1] = [secret("key", HEX, &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 6]).mandatory()];
const PRIV_KEY: [OwnNode; 1] = [secret("key", HEX, &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 9]).mandatory()];

static GROUP: [OwnNode; 3] = [
    setting("name", NAME, GROUP_NAME),
    list(
        "member",
        &["security-name"],
        &[
            setting("security-name", NAME, GROUP_NAME),
            setting("security-model", ValueType::NumberOr(1, 2_147_483_647, &MODELS), GROUP_NAME)
                .many()
                .rules(&[Rule::AtLeast(1)]),
        ],
    ),
    list("access", &["context", "security-model", "security-level"], &ACCESS),
];

static ACCESS: [OwnNode; 7] = [
    setting("context", CONTEXT_NAME, ACCESS_STATUS),
    setting("security-model", ValueType::NumberOr(1, 2_147_483_647, &MODELS_OR_ANY), ACCESS_STATUS),
    setting("security-level", LEVEL, ACCESS_STATUS),
    setting(
        "context-match",
        ValueType::Enumeration(&["exact", "prefix"]),
        &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1, 4],
    )
    .default("exact"),
    setting("read-view", NAME, &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1, 5]),
    setting("write-view", NAME, &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1, 6]),
    setting("notify-view", NAME, &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1, 7]),
];

/// [`MODELS`], and what stands for all of them.
pub const MODELS_OR_ANY: [(&str, u32); 5] = [("any", 0), MODELS[0], MODELS[1], MODELS[2], MODELS[3]];

static VIEW: [OwnNode; 3] = [
    setting("name", NAME, &[1, 3, 6, 1, 6, 3, 16, 1, 5, 2, 1, 6]),
    setting("include", ValueType::WildcardOid, FAMILY_TYPE).many(),
    setting("exclude", ValueType::WildcardOid, FAMILY_TYPE).many(),
];

static CERTIFICATE: [OwnNode; 4] = [
    setting("id", ValueType::Number(0, 4_294_967_295), &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 3, 1, 6]),
    setting("fingerprint", FINGERPRINT, &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 3, 1, 2]).mandatory(),
    setting(
        "map-type",
        ValueType::IdentityOf((CERT_TO_NAME_PREFIX, CERT_TO_NAME_NAMESPACE), &MAP_TYPES),
        &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 3, 1, 3],
    )
    .mandatory(),
    setting("name", NAME, &[1, 3, 6, 1, 2, 1, 198, 2, 2, 1, 3, 1, 4]),
];

/// The identities of mappings, by the last part of their object identifiers, from 1.
pub const MAP_TYPES: [&str; 6] =
    ["specified", "san-rfc822-name", "san-dns-name", "san-ip-address", "san-any", "common-name"];

const SNMP_ENGINE_ID: &[u32] = &[1, 3, 6, 1, 6, 3, 10, 2, 1, 1];
const ENABLE_AUTHEN_TRAPS: &[u32] = &[1, 3, 6, 1, 2, 1, 11, 30];
/// snmpTsmConfigurationUsePrefix.
const USE_PREFIX: &[u32] = &[1, 3, 6, 1, 2, 1, 190, 1, 2, 1];
/// snmpTargetAddrTAddress.
const T_ADDRESS: &[u32] = &[1, 3, 6, 1, 6, 3, 12, 1, 2, 1, 3];
/// snmpTargetParamsSecurityName.
const SECURITY_NAME: &[u32] = &[1, 3, 6, 1, 6, 3, 12, 1, 3, 1, 4];
const FILTER_STATUS: &[u32] = &[1, 3, 6, 1, 6, 3, 13, 1, 3, 1, 5];
const FILTER_TYPE: &[u32] = &[1, 3, 6, 1, 6, 3, 13, 1, 3, 1, 3];
const COMMUNITY_NAME: &[u32] = &[1, 3, 6, 1, 6, 3, 18, 1, 1, 1, 2];
const USER_STATUS: &[u32] = &[1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 13];
/// vacmGroupName.
const GROUP_NAME: &[u32] = &[1, 3, 6, 1, 6, 3, 16, 1, 2, 1, 3];
const ACCESS_STATUS: &[u32] = &[1, 3, 6, 1, 6, 3, 16, 1, 4, 1, 9];
const FAMILY_TYPE: &[u32] = &[1, 3, 6, 1, 6, 3, 16, 1, 5, 2, 1, 4];
