//! What differs between two configurations, a line for each value that only one of them has. The paths are those of `get`.

use std::collections::{BTreeMap, BTreeSet};

use trunkline_client::netconf::protocol::modules::Modules;
use trunkline_client::netconf::{NetconfFault, leaves_of};
use trunkline_smi::visible;

/// Two configurations beside each other.
pub struct Difference {
    lines: Vec<String>,
}

impl Difference {
    /// Between what is in the elements of two roots: the content of the `data` of two replies.
    pub fn of(from: &[u8], to: &[u8], modules: &Modules) -> Result<Difference, NetconfFault> {
        let all = leaves_of(&[from, to], modules)?;
        let [before, after] = &all[..] else { return Ok(Difference { lines: Vec::new() }) };
        Ok(Difference { lines: compare(before, after) })
    }

    /// A line for each difference: `-` for what only the first has, `+` for what only the second has.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }
}

/// In the order of the first, what is only in the second behind what precedes it there.
fn compare(before: &[(String, String)], after: &[(String, String)]) -> Vec<String> {
    let of = |all: &[(String, String)]| all.iter().cloned().collect::<BTreeMap<String, String>>();
    let (old, new) = (of(before), of(after));
    let mut lines = Vec::new();
    let mut write = |sign: char, path: &str, value: &str| {
        let value = if value.is_empty() { String::new() } else { format!(" = {}", visible(value)) };
        lines.push(format!("{sign} {}{value}", visible(path)));
    };
    let mut told = BTreeSet::new();
    for (path, value) in before {
        match new.get(path) {
            Some(same) if same == value => {}
            other => {
                write('-', path, value);
                if let Some(changed) = other {
                    write('+', path, changed);
                    told.insert(path);
                }
            }
        }
    }
    for (path, value) in after {
        if !old.contains_key(path) && !told.contains(path) {
            write('+', path, value);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(from: &str, to: &str) -> Vec<String> {
        let reply = |content: &str| format!("<reply><data>{content}</data></reply>").into_bytes();
        let mut modules = Modules::default();
        modules.add("hosts", "urn:hosts");
        Difference::of(&reply(from), &reply(to), &modules).unwrap().lines().to_vec()
    }

    #[test]
    fn what_differs_is_named_by_its_path() {
        let entry = |name: &str, rest: &str| format!("<if><name>{name}</name>{rest}</if>");
        let (one, two) = (entry("eth0", "<mtu>1500</mtu>"), entry("eth1", "<up/>"));
        let changed = entry("eth0", "<mtu>9000</mtu><descr>a b</descr>");
        let from = format!("<ifs>{one}{two}</ifs><host xmlns='urn:hosts'>x</host>");
        let to =
            format!("<ifs>{changed}{two}</ifs><host xmlns='urn:hosts'>y\ny</host><dns>1</dns><dns>2</dns>");
        assert_eq!(
            difference(&from, &to),
            [
                "- /ifs/if[name='eth0']/mtu = 1500",
                "+ /ifs/if[name='eth0']/mtu = 9000",
                "- /hosts:host = x",
                "+ /hosts:host = y\\ny",
                "+ /ifs/if[name='eth0']/descr = a b",
                "+ /dns[.='1'] = 1",
                "+ /dns[.='2'] = 2",
            ]
        );
        assert!(difference(&from, &from).is_empty());
        assert_eq!(difference(&to, "").len(), 8);
    }
}
