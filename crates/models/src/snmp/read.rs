//! The configuration that rows are. Rows that the model cannot show are left out: addresses of other transports, protocols that RFC 7407
//! does not have, names that are not text.

use trunkline_datastore::Branch;
use trunkline_smi::IndexValue;
use trunkline_yang::forest::Forest;
use trunkline_yang::own::{LEVELS, MAP_TYPES, MODELS_OR_ANY};
use trunkline_yang::value_type::{to_binary, to_hex};

use super::build::Build;
use super::form::{Place, prefix_length, wildcard_of};
use super::rows::{index, named, octets, of, text_of};
use super::{Engine, SnmpConfig, SnmpRow, SnmpRows, SnmpState, root, users};

pub(super) fn read(forest: &Forest, state: &SnmpState) -> SnmpConfig {
    let Some(root) = root(forest) else { return SnmpConfig::default() };
    let mut build = Build::new(forest, root);
    let rows = &state.rows;
    build.within("engine", |build| engine(&state.engine, build));
    targets(rows, &mut build);
    params(rows, &mut build);
    notify(rows, &mut build);
    subtrees(rows, "snmpNotifyFilterTable", "snmpNotifyFilter", "notify-filter-profile", &mut build);
    communities(&state.engine, rows, &mut build);
    build.within("usm", |build| users::read(&state.engine, rows, build));
    let (uses_prefix, is_fixed) = state.engine.use_prefix;
    build.within("tsm", |build| {
        build.unless_default("use-prefix", if uses_prefix { "true" } else { "false" });
        if is_fixed {
            build.fix_leaf("use-prefix");
        }
    });
    build.within("vacm", |build| {
        groups(rows, build);
        subtrees(rows, "vacmViewTreeFamilyTable", "vacmViewTreeFamily", "view", build);
    });
    build.within("tlstm", |build| certificates(rows, build));
    SnmpConfig { branch: build.branch, fixed: build.fixed }
}

/// The whole engine is what the configuration file says, but for its traps.
fn engine(engine: &Engine, build: &mut Build<'_>) {
    if !engine.listen.is_empty() {
        build.leaf("enabled", "true");
        build.fix_leaf("enabled");
    }
    for (at, (transport, ip, port)) in engine.listen.iter().enumerate() {
        build.entry("listen", &[&format!("listen-{}", at + 1)], |build| {
            build.fix();
            build.within(transport, |build| {
                build.leaf("ip", ip);
                build.leaf("port", &port.to_string());
            });
        });
    }
    if !engine.versions.is_empty() {
        build.within("version", |build| {
            build.fix();
            engine.versions.iter().for_each(|version| build.leaf(version, ""));
        });
    }
    // Where nothing is listened on, only what was configured is looked at.
    if engine.is_id_fixed || !engine.listen.is_empty() {
        build.leaf("engine-id", &to_hex(&engine.id));
    }
    if engine.is_id_fixed {
        build.fix_leaf("engine-id");
    }
    if let Some((value, is_fixed)) = engine.traps {
        build.leaf("enable-authen-traps", if value { "true" } else { "false" });
        if is_fixed {
            build.fix_leaf("enable-authen-traps");
        }
    }
}

fn targets(rows: &SnmpRows, build: &mut Build<'_>) {
    for (name, row) in named(rows, "snmpTargetAddrTable") {
        let address = row.octets("snmpTargetAddrTAddress");
        let Some(place) = Place::of(row.oid("snmpTargetAddrTDomain"), address) else { continue };
        let Some(params) = row.text("snmpTargetAddrParams").filter(|it| !it.is_empty()) else { continue };
        build.entry("target", &[&name], |build| {
            if row.is_fixed {
                build.fix();
            }
            build.within(place.transport, |build| {
                build.leaf("ip", &place.host);
                build.unless_default("port", &place.port.to_string());
                match place.transport {
                    "udp" => {
                        let mask = row.octets("snmpTargetAddrTMask");
                        if let Some(length) = prefix_length(mask).filter(|_| mask.len() == address.len()) {
                            build.leaf("prefix-length", &length.to_string());
                        }
                    }
                    "ssh" => {
                        if let Some(user) = &place.user {
                            build.leaf("username", user);
                        }
                    }
                    _ => certificates_of(rows, &name, &params, build),
                }
            });
            let tags = row.text("snmpTargetAddrTagList").unwrap_or_default();
            for tag in tags.split(' ').filter(|tag| !tag.is_empty()) {
                build.value("tag", tag, row.is_fixed);
            }
            build.unless_default("timeout", &row.integer("snmpTargetAddrTimeout").to_string());
            build.unless_default("retries", &row.integer("snmpTargetAddrRetryCount").to_string());
            build.leaf("target-params", &params);
            match row.integer("snmpTargetAddrMMS") {
                0 => build.leaf("mms", "unknown"),
                octets => build.unless_default("mms", &octets.to_string()),
            }
        });
    }
}

/// The certificates of both ends of a session to a target, which are rows of their own.
fn certificates_of(rows: &SnmpRows, name: &str, params: &str, build: &mut Build<'_>) {
    let row = |table, name: &str| index(table, &[octets(name)]).and_then(|index| rows.get(&(table, index)));
    let mut leaf = |leaf: &str, row: &SnmpRow, value: String| {
        if !value.is_empty() {
            build.leaf(leaf, &value);
            if row.is_fixed {
                build.fix_leaf(leaf);
            }
        }
    };
    if let Some(row) = row("snmpTlstmParamsTable", params) {
        leaf("client-fingerprint", row, to_hex(row.octets("snmpTlstmParamsClientFingerprint")));
    }
    if let Some(row) = row("snmpTlstmAddrTable", name) {
        leaf("server-fingerprint", row, to_hex(row.octets("snmpTlstmAddrServerFingerprint")));
        leaf("server-identity", row, row.text("snmpTlstmAddrServerIdentity").unwrap_or_default());
    }
}

fn params(rows: &SnmpRows, build: &mut Build<'_>) {
    for (name, row) in named(rows, "snmpTargetParamsTable") {
        let Some(user) = row.text("snmpTargetParamsSecurityName") else { continue };
        let models = (row.integer("snmpTargetParamsMPModel"), row.integer("snmpTargetParamsSecurityModel"));
        let (case, leaf) = match models {
            (0, 1) => ("v1", "security-name"),
            (1, 2) => ("v2c", "security-name"),
            (3, 3) => ("usm", "user-name"),
            (3, 4) => ("tsm", "security-name"),
            _ => continue,
        };
        if !(1..=32).contains(&user.len()) {
            continue;
        }
        let profile = index("snmpNotifyFilterProfileTable", &[octets(&name)])
            .and_then(|index| rows.get(&("snmpNotifyFilterProfileTable", index)));
        build.entry("target-params", &[&name], |build| {
            if row.is_fixed {
                build.fix();
            }
            // A profile without rows filters nothing (RFC 3413 section 6).
            let is_any = |name: &String| {
                of(rows, "snmpNotifyFilterTable")
                    .any(|(values, _)| matches!(values.first(), Some(IndexValue::Octets(of)) if of == name.as_bytes()))
            };
            let of_row = |row: &SnmpRow| row.text("snmpNotifyFilterProfileName");
            if let Some(profile) = profile.and_then(of_row).filter(is_any) {
                build.leaf("notify-filter-profile", &profile);
            }
            build.within(case, |build| {
                build.leaf(leaf, &user);
                let level = usize::try_from(row.integer("snmpTargetParamsSecurityLevel") - 1).ok();
                if let Some(level) = level.and_then(|at| LEVELS.get(at)).filter(|_| models.0 == 3) {
                    build.leaf("security-level", level);
                }
            });
        });
    }
}

fn notify(rows: &SnmpRows, build: &mut Build<'_>) {
    for (name, row) in named(rows, "snmpNotifyTable") {
        let Some(tag) = row.text("snmpNotifyTag") else { continue };
        build.entry("notify", &[&name], |build| {
            if row.is_fixed {
                build.fix();
            }
            build.leaf("tag", &tag);
            build.unless_default("type", if row.integer("snmpNotifyType") == 2 { "inform" } else { "trap" });
        });
    }
}

/// Filters and views: the subtrees of each name.
fn subtrees(rows: &SnmpRows, table: &'static str, column: &str, list: &str, build: &mut Build<'_>) {
    let (mask, kind) = (format!("{column}Mask"), format!("{column}Type"));
    for (values, row) in of(rows, table) {
        let [IndexValue::Octets(name), IndexValue::ObjectIdentifier(subtree)] = &values[..] else { continue };
        let Some(name) = text_of(name).filter(|_| !subtree.is_empty()) else { continue };
        let leaf = if row.integer(&kind) == 2 { "exclude" } else { "include" };
        build.entry(list, &[&name], |build| {
            build.value(leaf, &wildcard_of(subtree, row.octets(&mask)), row.is_fixed);
        });
    }
}

fn communities(engine: &Engine, rows: &SnmpRows, build: &mut Build<'_>) {
    for (name, row) in named(rows, "snmpCommunityTable") {
        let user = row.text("snmpCommunitySecurityName");
        // Without proxies there is no other engine.
        let is_ours = row.octets("snmpCommunityContextEngineID") == engine.id;
        let (Some(user), true) = (user, is_ours) else { continue };
        build.entry("community", &[&name], |build| {
            if row.is_fixed {
                build.fix();
            }
            let community = row.octets("snmpCommunityName");
            match text_of(community).filter(|text| (1..=255).contains(&text.len())) {
                Some(text) => build.leaf("text-name", &text),
                None => build.leaf("binary-name", &to_binary(community)),
            }
            build.leaf("security-name", &user);
            build.unless_default("context", &row.text("snmpCommunityContextName").unwrap_or_default());
            if let Some(tag) = row.text("snmpCommunityTransportTag").filter(|tag| !tag.is_empty()) {
                build.leaf("target-tag", &tag);
            }
        });
    }
}

fn groups(rows: &SnmpRows, build: &mut Build<'_>) {
    for (values, row) in of(rows, "vacmSecurityToGroupTable") {
        let [IndexValue::Integer(model), IndexValue::Octets(name)] = &values[..] else { continue };
        let group = row.text("vacmGroupName").filter(|it| !it.is_empty());
        let (Some(group), Some(name)) = (group, text_of(name)) else { continue };
        build.entry("group", &[&group], |build| {
            build.entry("member", &[&name], |build| {
                build.value("security-model", &model_of(*model), row.is_fixed);
            });
        });
    }
    for (values, row) in of(rows, "vacmAccessTable") {
        let [
            IndexValue::Octets(group),
            IndexValue::Octets(context),
            IndexValue::Integer(model),
            IndexValue::Integer(level),
        ] = &values[..]
        else {
            continue;
        };
        let level = usize::try_from(*level).ok().and_then(|level| LEVELS.get(level.checked_sub(1)?));
        let (Some(group), Some(context), Some(level)) = (text_of(group), text_of(context), level) else {
            continue;
        };
        build.entry("group", &[&group], |build| {
            build.entry("access", &[&context, &model_of(*model), level], |build| {
                if row.is_fixed {
                    build.fix();
                }
                let is_prefix = row.integer("vacmAccessContextMatch") == 2;
                build.unless_default("context-match", if is_prefix { "prefix" } else { "exact" });
                for (leaf, column) in [
                    ("read-view", "vacmAccessReadViewName"),
                    ("write-view", "vacmAccessWriteViewName"),
                    ("notify-view", "vacmAccessNotifyViewName"),
                ] {
                    if let Some(view) = row.text(column).filter(|view| !view.is_empty()) {
                        build.leaf(leaf, &view);
                    }
                }
            });
        });
    }
}

/// A security model by its name, if it has one.
fn model_of(number: u32) -> String {
    let named = MODELS_OR_ANY.iter().find(|(_, of)| *of == number);
    named.map_or_else(|| number.to_string(), |(name, _)| (*name).to_owned())
}

fn certificates(rows: &SnmpRows, build: &mut Build<'_>) {
    for (values, row) in of(rows, "snmpTlstmCertToTSNTable") {
        let [IndexValue::Integer(id)] = values[..] else { continue };
        let kind = row.oid("snmpTlstmCertToTSNMapType").last();
        let kind = kind.and_then(|it| MAP_TYPES.get(usize::try_from(*it).ok()?.checked_sub(1)?));
        let Some(kind) = kind else { continue };
        build.entry("cert-to-name", &[&id.to_string()], |build| {
            if row.is_fixed {
                build.fix();
            }
            build.leaf("fingerprint", &to_hex(row.octets("snmpTlstmCertToTSNFingerprint")));
            build.leaf("map-type", &format!("x509c2n:{kind}"));
            let name = row.text("snmpTlstmCertToTSNData").filter(|name| !name.is_empty());
            if let Some(name) = name.filter(|_| *kind == MAP_TYPES[0]) {
                build.leaf("name", &name);
            }
        });
    }
}

/// Nothing is configured.
pub(super) fn empty() -> Branch {
    Branch::default()
}
