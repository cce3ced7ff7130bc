//! Programs that apply parts of a configuration: `[[netconf.hook]]`.

use std::time::Duration;

use serde_spanned::Spanned;

use super::value::{self, Checked};
use crate::{Place, raw};

/// A program that is called when a part of the configuration changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookPlan {
    /// The containers that lead to the part, as JSON has them (RFC 7951): `/trunkline-bgp:bgp`.
    pub subtree: String,
    /// The program by its full path and its arguments.
    pub command: Vec<String>,
    /// A program that runs longer is ended, and has refused.
    pub timeout: Duration,
    /// Whether it is also asked for the state of the part.
    pub state: bool,
}

/// How long a program may run.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Programs of one agent.
const MOST: usize = 16;

pub(super) fn check_hooks(list: Vec<raw::Hook>, place: Place<'_>) -> Checked<Vec<HookPlan>> {
    let mut hooks: Vec<HookPlan> = Vec::new();
    for raw in list {
        if !is_path(raw.subtree.get_ref()) {
            let message = format!(
                "expected containers with the module of the first, such as \"/trunkline-bgp:bgp\", found {:?}",
                raw.subtree.get_ref()
            );
            return Err(place.wrong(raw.subtree.span(), message));
        }
        if hooks.iter().any(|known| known.subtree == *raw.subtree.get_ref()) {
            let message = format!("{:?} has two programs; expected one", raw.subtree.get_ref());
            return Err(place.wrong(raw.subtree.span(), message));
        }
        if hooks.len() == MOST {
            return Err(place.wrong(raw.subtree.span(), format!("expected at most {MOST} hooks")));
        }
        hooks.push(HookPlan {
            subtree: Spanned::into_inner(raw.subtree),
            command: value::command(raw.command, place)?,
            timeout: value::time(raw.timeout, TIMEOUT, place)?,
            state: raw.state,
        });
    }
    Ok(hooks)
}

/// `/module:name/name/module:name`.
fn is_path(text: &str) -> bool {
    let is_name = |name: &str| {
        let is_part = |it: u8| it.is_ascii_alphanumeric() || b"-_.".contains(&it);
        name.bytes().next().is_some_and(|it| it.is_ascii_alphabetic() || it == b'_')
            && name.bytes().all(is_part)
    };
    let is_step =
        |step: &str| step.split_once(':').map_or(is_name(step), |(of, name)| is_name(of) && is_name(name));
    text.strip_prefix('/').is_some_and(|rest| {
        rest.split('/').next().is_some_and(|first| first.contains(':')) && rest.split('/').all(is_step)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn hooks(text: &str) -> Result<Vec<HookPlan>, String> {
        let plan = crate::parse(Path::new("t.toml"), &format!("[netconf]\n{text}"));
        plan.map(|plan| plan.netconf.unwrap_or_default().hooks).map_err(|error| error.message)
    }

    #[test]
    fn a_program_and_its_part() {
        let text = "[[netconf.hook]]\nsubtree = \"/trunkline-bgp:bgp\"\ncommand = [\"/usr/sbin/x\", \"y\"]\n";
        let plain = HookPlan {
            subtree: "/trunkline-bgp:bgp".into(),
            command: vec!["/usr/sbin/x".into(), "y".into()],
            timeout: TIMEOUT,
            state: false,
        };
        assert_eq!(hooks(text), Ok(vec![plain.clone()]));
        let more = format!("{text}timeout = \"5s\"\nstate = true\n");
        assert_eq!(
            hooks(&more),
            Ok(vec![HookPlan { timeout: Duration::from_secs(5), state: true, ..plain }])
        );
        for (from, to, words) in [
            ("/trunkline-bgp:bgp", "/bgp", "expected containers"),
            ("/trunkline-bgp:bgp", "trunkline-bgp:bgp", "expected containers"),
            ("/trunkline-bgp:bgp", "/trunkline-bgp:bgp/", "expected containers"),
            ("/trunkline-bgp:bgp", "/trunkline-bgp:a[b='c']", "expected containers"),
            ("/usr/sbin/x", "x", "full path"),
        ] {
            let message = hooks(&text.replace(from, to)).unwrap_err();
            assert!(message.contains(words), "{message}");
        }
        assert!(hooks(&format!("{text}{text}")).unwrap_err().contains("two programs"));
        assert!(hooks(&format!("{text}shell = true\n")).unwrap_err().contains("shell"));
    }
}
