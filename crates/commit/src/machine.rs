//! Interfaces as they were before a change that may have to be taken back: what the configuration did not say comes from there.

use std::fmt::Write;

use trunkline_datastore::{Branch, Config, Step};
use trunkline_host::InterfaceState;
use trunkline_yang::forest::Forest;

use super::plan::{Changed, entry_of_interface};

/// In one line: name, status, MTU, alias and addresses; texts in hexadecimal digits.
pub(super) fn line(state: &InterfaceState) -> String {
    let hexadecimal = |text: &str| {
        text.bytes().fold(String::from("x"), |mut all, octet| {
            let _ = write!(all, "{octet:02x}");
            all
        })
    };
    let InterfaceState { name, up, alias, mtu, addresses } = state;
    let (name, alias) = (hexadecimal(name), hexadecimal(alias));
    let mut line = format!("{name} {} {mtu} {alias}", u8::from(*up));
    for (address, length) in addresses {
        let _ = write!(line, " {address}/{length}");
    }
    line
}

/// What such a line says; `None`: it is not one.
pub(super) fn read(line: &str) -> Option<InterfaceState> {
    let mut words = line.split_ascii_whitespace();
    let text = |word: &str| {
        let digits = word.strip_prefix('x').filter(|it| it.is_ascii() && it.len() % 2 == 0)?;
        let octets = (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok());
        String::from_utf8(octets.collect::<Option<Vec<u8>>>()?).ok()
    };
    let (name, up, mtu, alias) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let address = |word: &str| {
        let (address, length) = word.split_once('/')?;
        Some((address.parse().ok()?, length.parse().ok()?))
    };
    Some(InterfaceState {
        name: text(name)?,
        up: match up {
            "0" => false,
            "1" => true,
            _ => return None,
        },
        mtu: mtu.parse().ok()?,
        alias: text(alias)?,
        addresses: words.map(address).collect::<Option<_>>()?,
    })
}

impl Changed {
    /// Makes a change that takes another one back leave interfaces as they were, where the configuration that it leads to says nothing.
    pub fn put_back(&mut self, forest: &Forest, to: &Config, machine: &[InterfaceState]) {
        for wanted in &mut self.interfaces {
            let Some(was) = machine.iter().find(|it| it.name == wanted.name) else { continue };
            let entry = entry_of_interface(forest, to, &wanted.name);
            let has = |path: &[&str]| entry.is_some_and(|(step, branch)| has(forest, step, branch, path));
            if entry.is_none() {
                wanted.up = Some(was.up);
            }
            if wanted.alias.is_some() && !has(&["description"]) {
                wanted.alias = Some(was.alias.clone());
            }
            if !has(&["ipv4", "mtu"]) {
                wanted.mtu = Some(was.mtu);
            }
            wanted.gone.retain(|address| !was.addresses.contains(address));
        }
    }
}

/// Whether an entry has a leaf.
fn has(forest: &Forest, step: &Step, branch: &Branch, path: &[&str]) -> bool {
    let Some((name, rest)) = path.split_first() else { return false };
    let Some(child) = forest.child(Some(step.node), name).map(Step::to) else { return false };
    match rest {
        [] => branch.get(&child).is_some(),
        _ => branch.within(&child).is_some_and(|within| has(forest, &child, within, rest)),
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            name in "\\PC{0,15}", up: bool, mtu: u32, alias in "\\PC{0,40}",
            addresses in prop::collection::vec((any::<IpAddr>(), any::<u8>()), 0..4),
        ) {
            let state = InterfaceState { name, up, alias, mtu, addresses };
            prop_assert_eq!(read(&line(&state)), Some(state));
        }

        #[test]
        fn other_text_is_refused_or_means_the_same_again(text in "(x[0-9a-f]{0,6} [01] [0-9]{1,4} x[0-9a-f]{0,6}|\\PC{0,40})") {
            if let Some(state) = read(&text) {
                prop_assert_eq!(read(&line(&state)), Some(state));
            }
        }
    }
}
