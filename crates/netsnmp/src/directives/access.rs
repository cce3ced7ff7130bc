//! Who may do what: communities, users, and the four tables of VACM.

use trunkline_tree::{Family, Mask};

use crate::collected::{Access, Collected, Community, CommunityRights, Group, Rule, Seen, UserAccess};
use crate::session::Level;
use crate::source::Directive;
use crate::{addresses, oids};

type Done = Result<(), String>;

/// `rocommunity COMMUNITY [SOURCE [OID | -V VIEW [CONTEXT]]]` and its three like.
pub(super) fn community(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let name = directive.name.to_ascii_lowercase();
    simple(collected, directive, &directive.words(), name.starts_with("rw"), name.ends_with('6'))
}

/// `authcommunity TYPES COMMUNITY ...`
pub(super) fn auth_community(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let (types, rest) = words.split_first().ok_or("names no types of access")?;
    let types = Types::parse(types)?;
    types.read_first()?;
    simple(collected, directive, rest, types.write, false)
}

fn simple(
    collected: &mut Collected<'_>,
    directive: &Directive,
    words: &[String],
    write: bool,
    v6: bool,
) -> Done {
    let (name, rest) = words.split_first().ok_or("names no community")?;
    let (source, rest) =
        rest.split_first().map_or(("default", rest), |(source, rest)| (source.as_str(), rest));
    let (seen, context) = seen_and_context(rest)?;
    let source = addresses::source(source, v6, collected.resolve)?;
    collected.communities.push(Community {
        name: name.clone(),
        source,
        context: context.unwrap_or_default(),
        rights: CommunityRights::Simple { seen, write },
        origin: directive.origin.clone(),
        directive: directive.name.clone(),
    });
    Ok(())
}

/// `[OID | -V VIEW [CONTEXT]]`
fn seen_and_context(words: &[String]) -> Result<(Seen, Option<String>), String> {
    match words {
        [] => Ok((Seen::All, None)),
        [option] if option == "-V" => Err("-V without the name of a view".into()),
        [option, view, rest @ ..] if option == "-V" => Ok((Seen::View(view.clone()), rest.first().cloned())),
        [oid, rest @ ..] => Ok((Seen::Subtree(oids::parse(oid)?.to_string()), rest.first().cloned())),
    }
}

/// `com2sec [-Cn CONTEXT] SECNAME SOURCE COMMUNITY`
pub(super) fn com2sec(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let (context, rest) = match words.as_slice() {
        [option, context, rest @ ..] if option == "-Cn" => (context.clone(), rest),
        rest => (String::new(), rest),
    };
    let [security_name, source, community, ..] = rest else {
        return Err("expected SECNAME SOURCE COMMUNITY".into());
    };
    let v6 = directive.name.ends_with('6');
    let source = addresses::source(source, v6, collected.resolve)?;
    collected.communities.push(Community {
        name: community.clone(),
        source,
        context,
        rights: CommunityRights::SecurityName(security_name.clone()),
        origin: directive.origin.clone(),
        directive: directive.name.clone(),
    });
    Ok(())
}

/// `group GROUP MODEL SECNAME`
pub(super) fn group(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let [name, model, security_name, ..] = words.as_slice() else {
        return Err("expected GROUP MODEL SECNAME".into());
    };
    let model = model_name(model)?;
    if model == "any" {
        return Err("a group is for one model: v1, v2c, usm or tsm".into());
    }
    // A security name of one model has one group: the last line counts.
    let is_same = |known: &Group| known.model == model && known.security_name == *security_name;
    if let Some(at) = collected.groups.iter().position(is_same) {
        let earlier = collected.groups.remove(at).origin;
        let why =
            format!("{} puts {security_name} into another group, and the last line counts", directive.origin);
        collected.unneeded(&earlier, &directive.name, why);
    }
    let order = collected.next();
    collected.groups.push(Group {
        order,
        name: name.clone(),
        model,
        security_name: security_name.clone(),
        origin: directive.origin.clone(),
    });
    Ok(())
}

fn model_name(text: &str) -> Result<&'static str, String> {
    match text.to_ascii_lowercase().as_str() {
        "any" | "0" => Ok("any"),
        "v1" | "snmpv1" | "1" => Ok("v1"),
        "v2c" | "snmpv2c" | "2" => Ok("v2c"),
        "usm" | "3" => Ok("usm"),
        "tsm" => Ok("tsm"),
        "ksm" => Err("the security model ksm (Kerberos) is not supported".into()),
        _ => Err(format!("{text:?} is not a security model; expected any, v1, v2c, usm or tsm")),
    }
}

/// `view NAME included|excluded OID [MASK]`
pub(super) fn view(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let [name, kind, oid, mask @ ..] = words.as_slice() else {
        return Err("expected NAME included|excluded OID [MASK]".into());
    };
    if name.is_empty() || name.len() > 32 {
        return Err("the name of a view has 1 to 32 octets".into());
    }
    let rule = family(kind, oid, mask.first().map_or("", String::as_str))?;
    let origin = directive.origin.clone();
    let view = collected.view(name);
    // vacmViewTreeFamilyTable has one row for a subtree: the last line counts.
    let earlier = view.rules.iter().position(|(known, _)| same_subtree(known, &rule));
    let earlier = earlier.map(|at| view.rules.remove(at).1);
    view.rules.push((rule, origin));
    if let Some(earlier) = earlier {
        let why = format!("{} is for the same subtree, and the last line counts", directive.origin);
        collected.unneeded(&earlier, &directive.name, why);
    }
    Ok(())
}

/// Whether two rules in our form are one row of vacmViewTreeFamilyTable.
pub(super) fn same_subtree(a: &str, b: &str) -> bool {
    let subtree = |text: &str| text.parse::<Family>().ok().map(|family| family.subtree);
    subtree(a) == subtree(b)
}

/// A rule in our form, from a subtree and a mask such as `0xff:a0`, `ff.a0` or `.fe`.
pub(super) fn family(kind: &str, oid: &str, mask: &str) -> Result<String, String> {
    let included = match kind.to_ascii_lowercase().as_str() {
        "included" | "include" | "1" => true,
        "excluded" | "exclude" | "2" => false,
        _ => return Err(format!("{kind:?} is neither included nor excluded")),
    };
    let digits = mask.strip_prefix("0x").or_else(|| mask.strip_prefix("0X")).unwrap_or(mask);
    let octets = digits.split([':', '.']).filter(|part| !part.is_empty()).map(|part| {
        u8::from_str_radix(part, 16)
            .map_err(|_| format!("the mask {mask:?} is not a list of hexadecimal octets with : between them"))
    });
    let octets = octets.collect::<Result<Vec<u8>, String>>()?;
    let mask = Mask::new(&octets).map_err(|error| error.to_string())?;
    Ok(Family { subtree: oids::parse(oid)?, mask, included }.to_string())
}

/// `access GROUP CONTEXT MODEL LEVEL PREFX READ WRITE NOTIFY`
pub(super) fn access(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let [group, context, model, level, prefix, read, write, notify, ..] = words.as_slice() else {
        return Err("expected GROUP CONTEXT MODEL LEVEL PREFX READ WRITE NOTIFY".into());
    };
    let views = [read, write, notify].map(|name| Some(Seen::View(name.clone())));
    let rule = Rule {
        context: context_of(context, prefix)?,
        model: model_name(model)?,
        level: Level::parse(level)?,
        views,
        origin: directive.origin.clone(),
    };
    add_access(collected, group, rule);
    Ok(())
}

fn check_context(context: &str) -> Done {
    match context.trim_end_matches('*').len() > 32 {
        true => Err("a context of more than 32 octets".into()),
        false => Ok(()),
    }
}

/// `exact` or `prefix` (0, 1 and 2 in old files).
fn context_of(context: &str, prefix: &str) -> Result<String, String> {
    match prefix.to_ascii_lowercase().as_str() {
        "exact" | "0" | "1" => Ok(context.to_string()),
        "prefix" | "2" => Ok(format!("{context}*")),
        _ => Err(format!("{prefix:?} is neither exact nor prefix")),
    }
}

/// `setaccess GROUP CONTEXT MODEL LEVEL PREFIX VIEW TYPES`
pub(super) fn set_access(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let [group, context, model, level, prefix, view, types, ..] = words.as_slice() else {
        return Err("expected GROUP CONTEXT MODEL LEVEL PREFIX VIEW TYPES".into());
    };
    let rule = Rule {
        context: context_of(context, prefix)?,
        model: model_name(model)?,
        level: Level::parse(level)?,
        views: Types::parse(types)?.views(Seen::View(view.clone())),
        origin: directive.origin.clone(),
    };
    add_access(collected, group, rule);
    Ok(())
}

/// Rules of one group for the same requests are one row of vacmAccessTable: their views are combined, and of two
/// views of one kind the last one applies.
fn add_access(collected: &mut Collected<'_>, group: &str, rule: Rule) {
    if let Err(why) = check_context(&rule.context) {
        return collected.note(&rule.origin, "access", why);
    }
    let same = collected.access.iter_mut().find(|known| {
        let known_rule = &known.rule;
        known.group == group
            && (known_rule.context.as_str(), known_rule.model, known_rule.level)
                == (rule.context.as_str(), rule.model, rule.level)
    });
    match same {
        Some(known) => {
            collected.parts.push((rule.origin, known.rule.origin.clone()));
            for (place, view) in known.rule.views.iter_mut().zip(rule.views) {
                if view.is_some() {
                    *place = view;
                }
            }
        }
        None => collected.access.push(Access { group: group.into(), rule }),
    }
}

/// `rouser [-s MODEL] USER [noauth|auth|priv [OID | -V VIEW [CONTEXT]]]`, and `rwuser`.
pub(super) fn user(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let write = directive.name.to_ascii_lowercase().starts_with("rw");
    let types = Types { read: true, write, notify: true };
    add_user(collected, directive, &directive.words(), types)
}

/// `authuser TYPES [-s MODEL] USER ...`
pub(super) fn auth_user(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let (types, rest) = words.split_first().ok_or("names no types of access")?;
    add_user(collected, directive, rest, Types::parse(types)?)
}

fn add_user(collected: &mut Collected<'_>, directive: &Directive, words: &[String], types: Types) -> Done {
    let (name, rule) = who_and_rule(directive, words, types)?;
    check_context(&rule.context)?;
    let order = collected.next();
    let directive = directive.name.clone();
    collected.user_access.push(UserAccess { user: name, rule, order, directive });
    Ok(())
}

/// `authgroup TYPES [-s MODEL] GROUP [LEVEL [OID | -V VIEW [CONTEXT]]]`
pub(super) fn auth_group(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let (types, rest) = words.split_first().ok_or("names no types of access")?;
    let (group, rule) = who_and_rule(directive, rest, Types::parse(types)?)?;
    add_access(collected, &group, rule);
    Ok(())
}

/// `authaccess TYPES [-s MODEL] GROUP VIEW [LEVEL [CONTEXT]]`
pub(super) fn auth_access(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let (types, rest) = words.split_first().ok_or("names no types of access")?;
    let (model, rest) = model_option(rest)?;
    let [group, view, rest @ ..] = rest else { return Err("expected GROUP VIEW".into()) };
    let rule = Rule {
        context: rest.get(1).cloned().unwrap_or_default(),
        model,
        level: rest.first().map_or(Ok(Level::Auth), |level| Level::parse(level))?,
        views: Types::parse(types)?.views(Seen::View(view.clone())),
        origin: directive.origin.clone(),
    };
    add_access(collected, group, rule);
    Ok(())
}

fn who_and_rule(directive: &Directive, words: &[String], types: Types) -> Result<(String, Rule), String> {
    let (model, rest) = model_option(words)?;
    let (name, rest) = rest.split_first().ok_or("names nobody")?;
    let (level, rest) = match rest.split_first() {
        Some((level, rest)) => (Level::parse(level)?, rest),
        None => (Level::Auth, rest),
    };
    let (seen, context) = seen_and_context(rest)?;
    // Without a context the line applies to every context.
    let context = context.unwrap_or_else(|| "*".into());
    let rule = Rule { context, model, level, views: types.views(seen), origin: directive.origin.clone() };
    Ok((name.clone(), rule))
}

fn model_option(words: &[String]) -> Result<(&'static str, &[String]), String> {
    match words {
        [option, model, rest @ ..] if option == "-s" => Ok((model_name(model)?, rest)),
        rest => Ok(("usm", rest)),
    }
}

/// Types of views: `read`, `read,write`; others are snmptrapd's.
#[derive(Clone, Copy, Debug)]
struct Types {
    read: bool,
    write: bool,
    notify: bool,
}

impl Types {
    fn parse(text: &str) -> Result<Self, String> {
        let mut types = Types { read: false, write: false, notify: false };
        for name in text.split([',', '|', ':']) {
            match name.to_ascii_lowercase().as_str() {
                "read" => types.read = true,
                "write" => types.write = true,
                "notify" => types.notify = true,
                "log" | "execute" | "net" => {
                    return Err(format!("the access type {name} is snmptrapd's, not the agent's"));
                }
                _ => return Err(format!("{name:?} is not a type of access; expected read, write or notify")),
            }
        }
        Ok(types)
    }

    fn views(self, seen: Seen) -> [Option<Seen>; 3] {
        [self.read, self.write, self.notify].map(|granted| granted.then(|| seen.clone()))
    }

    fn read_first(self) -> Done {
        match self.read {
            true => Ok(()),
            false => Err("a community that may not read cannot be configured".into()),
        }
    }
}

/// Rows of VACM's tables that a manager had set.
pub(super) fn kept_vacm(_collected: &mut Collected<'_>, _directive: &Directive) -> Done {
    Err("a row that a manager had set; set it again, or write it as a role".into())
}
