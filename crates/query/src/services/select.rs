//! Path selection on a graph.
//!
//! Sets of services as one flag for each. A step follows all relations of its name once, forwards; fringes are
//! evaluated backwards, as the services from which the pattern can be followed to its end: so cycles do not
//! matter, and the time is at most the number of steps times that of the relations.

use super::{Graph, Name, PathSelection, Pattern, ServiceId, Step};

/// The result of a path selection, step by step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// The start.
    pub start: ServiceId,
    /// The sub-tree that was searched, the start included: all to which relations lead that go to a greater level.
    pub searched: Vec<ServiceId>,
    /// What the pattern leads to from any of these.
    pub reached: Vec<ServiceId>,
    /// Those of them at a requested level.
    pub services: Vec<ServiceId>,
}

/// Why a path selection selects nothing in this graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unselectable {
    /// The start is not there.
    #[error("there is no service `{}`; there are {}", .name.text, .known)]
    NoService {
        /// The name.
        name: Name,
        /// The existing names.
        known: String,
    },
    /// A relation of the pattern is not there.
    #[error("there is no relation `{}`; there are {}", .name.text, .known)]
    NoRelation {
        /// The name.
        name: Name,
        /// The existing names.
        known: String,
    },
}

impl Unselectable {
    /// The name that is not there.
    pub fn name(&self) -> &Name {
        match self {
            Unselectable::NoService { name, .. } | Unselectable::NoRelation { name, .. } => name,
        }
    }
}

impl Graph {
    /// Selects services.
    pub fn select(&self, path: &PathSelection) -> Result<Selected, Unselectable> {
        let start = self.meant(&path.start).ok_or_else(|| Unselectable::NoService {
            name: path.start.clone(),
            known: some(self.services.iter().map(|service| service.tag.as_str())),
        })?;
        let searched = self.sub_tree(start);
        let reached = self.follow(&path.pattern, searched.clone())?;
        let min = path.min.unwrap_or(0);
        let max = path.max.unwrap_or(u32::MAX);
        let reached = ids(&reached);
        let is_in_levels = |id: &ServiceId| (min..=max).contains(&self.service(*id).level);
        let services = reached.iter().copied().filter(is_in_levels).collect();
        Ok(Selected { start, searched: ids(&searched), reached, services })
    }

    /// The start and all below it: to which relations of whatever name lead that go to a greater level.
    fn sub_tree(&self, start: ServiceId) -> Vec<bool> {
        let mut inside = vec![false; self.services.len()];
        inside[start.0 as usize] = true;
        let mut downwards = vec![Vec::new(); self.services.len()];
        for relation in &self.relations {
            if self.service(relation.to).level > self.service(relation.from).level {
                downwards[relation.from.0 as usize].push(relation.to);
            }
        }
        let mut open = vec![start];
        while let Some(service) = open.pop() {
            for &to in &downwards[service.0 as usize] {
                if !std::mem::replace(&mut inside[to.0 as usize], true) {
                    open.push(to);
                }
            }
        }
        inside
    }

    fn follow(&self, pattern: &Pattern, from: Vec<bool>) -> Result<Vec<bool>, Unselectable> {
        let mut at = from;
        for step in &pattern.steps {
            match step {
                Step::Follow(relation) => {
                    let mut next = vec![false; at.len()];
                    for (from, to) in self.ends(relation)? {
                        next[to.0 as usize] |= at[from.0 as usize];
                    }
                    at = next;
                }
                Step::Fringe(pattern) => {
                    let can = self.can_follow(pattern)?;
                    at.iter_mut().zip(can).for_each(|(at, can)| *at &= !can);
                }
            }
        }
        Ok(at)
    }

    /// The services from which the pattern can be followed to its end.
    fn can_follow(&self, pattern: &Pattern) -> Result<Vec<bool>, Unselectable> {
        let mut can = vec![true; self.services.len()];
        for step in pattern.steps.iter().rev() {
            match step {
                Step::Follow(relation) => {
                    let mut before = vec![false; can.len()];
                    for (from, to) in self.ends(relation)? {
                        before[from.0 as usize] |= can[to.0 as usize];
                    }
                    can = before;
                }
                Step::Fringe(pattern) => {
                    let inner = self.can_follow(pattern)?;
                    can.iter_mut().zip(inner).for_each(|(can, inner)| *can &= !inner);
                }
            }
        }
        Ok(can)
    }

    fn ends(&self, relation: &Name) -> Result<&[(ServiceId, ServiceId)], Unselectable> {
        self.relation_meant(relation).ok_or_else(|| Unselectable::NoRelation {
            name: relation.clone(),
            known: some(self.relation_names()),
        })
    }
}

fn ids(flags: &[bool]) -> Vec<ServiceId> {
    let set = flags.iter().enumerate().filter(|(_, flag)| **flag);
    set.map(|(position, _)| ServiceId(position as u32)).collect()
}

/// The first few names, for a message.
fn some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 12;
    let names: Vec<&str> = names.collect();
    let more = if names.len() > SHOWN { ", ..." } else { "" };
    match names.len() {
        0 => "none".to_owned(),
        _ => format!("{}{more}", names[..names.len().min(SHOWN)].join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services::GraphBuilder;

    /// A ring of `size` services over `r1`, each with `r2` to itself.
    fn ring(size: usize) -> Graph {
        let mut builder = GraphBuilder::default();
        let tag = |at: usize| format!("S{}", at % size);
        for at in 0..size {
            builder.service(&tag(at), &[], None, Vec::new()).expect("a service");
        }
        for at in 0..size {
            builder.relation("r1", &tag(at), &tag(at + 1)).expect("a relation");
            builder.relation("r2", &tag(at), &tag(at)).expect("a relation");
        }
        builder.build()
    }

    fn follow(names: &[&str]) -> Pattern {
        Pattern { steps: names.iter().map(|name| Step::Follow(Name::new(name))).collect() }
    }

    #[test]
    fn cycles_end() {
        let graph = ring(1000);
        let long: Vec<&str> = std::iter::repeat_n("r1", 64).collect();
        let path = PathSelection { pattern: follow(&long), min: Some(999), ..PathSelection::whole("S0") };
        let selected = graph.select(&path).expect("selected");
        assert_eq!(selected.searched.len(), 1000);
        assert_eq!(selected.services.len(), 1);
    }

    #[test]
    fn where_a_relation_leads_back_it_can_be_followed() {
        let fringe = Pattern { steps: vec![Step::Fringe(follow(&["r1", "r2"]))] };
        let path = PathSelection { pattern: fringe, ..PathSelection::whole("S0") };
        assert_eq!(ring(3).select(&path).expect("selected").services, []);
    }

    #[test]
    fn missing_services_are_reported() {
        let graph = ring(2);
        let fault = graph.select(&PathSelection::whole("T")).expect_err("no such service");
        assert_eq!(fault.to_string(), "there is no service `T`; there are S0, S1");
        let path = PathSelection { pattern: follow(&["r1", "r3"]), ..PathSelection::whole("S0") };
        let fault = graph.select(&path).expect_err("no such relation");
        assert_eq!(fault.to_string(), "there is no relation `r3`; there are r1, r2");
    }
}
