//! Words that several forms of the report share.

use crate::kit::machine::Machine;
use crate::samples::PlaceRecord;
use crate::warning::Warning;

/// Warnings of one kind: the first of them, and how many more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The text of the first.
    pub first: String,
    /// How many more of this kind.
    pub more: usize,
}

/// Warnings with those of one kind and one subject folded into the first; a long table of equal doubts is read by nobody.
pub fn grouped_warnings(warnings: &[Warning]) -> Vec<Group> {
    let mut groups: Vec<(&Warning, usize)> = Vec::new();
    for warning in warnings {
        let same = |(first, _): &&mut (&Warning, usize)| {
            std::mem::discriminant(*first) == std::mem::discriminant(warning)
                && first.subject() == warning.subject()
        };
        match groups.iter_mut().find(same) {
            Some((_, more)) => *more += 1,
            None => groups.push((warning, 0)),
        }
    }
    groups.into_iter().map(|(first, more)| Group { first: first.to_string(), more }).collect()
}

/// The machine in one line.
pub fn machine_line(machine: &Machine) -> String {
    let memory = format!("{:.1} GiB", machine.memory as f64 / f64::from(1u32 << 30));
    let processors = format!("{} x {}", machine.processors, machine.cpu);
    let parts = [processors, memory, machine.kernel.clone(), machine.distribution.clone()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The place in one sentence.
pub fn described_place(place: &PlaceRecord) -> String {
    match place {
        PlaceRecord::Host { interfaces } => {
            format!("the host's own network, loopback for child agents, {interfaces} interfaces")
        }
        PlaceRecord::Namespace { interfaces, datagrams } => format!(
            "loopback of a private network namespace with {interfaces} interfaces (mostly virtual Ethernet pairs; they \
             carried {datagrams} datagrams first)"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_doubts_are_folded() {
        let zero = |subject: &str, column: &str| Warning::ZeroColumns {
            subject: subject.into(),
            columns: vec![column.into()],
        };
        let busy = Warning::BusyMachine { load: 2.0, processors: 2 };
        let groups = grouped_warnings(&[zero("a", "x"), zero("a", "y"), busy.clone(), zero("b", "z")]);
        assert_eq!(groups.len(), 3);
        assert_eq!((groups[0].more, groups[1].more), (1, 0));
        assert_eq!(groups[1].first, busy.to_string());
    }

    #[test]
    fn a_machine_in_a_line() {
        let machine = Machine {
            cpu: "X".into(),
            processors: 2,
            memory: 3 << 30,
            kernel: "Linux 6".into(),
            ..Machine::default()
        };
        assert_eq!(machine_line(&machine), "2 x X, 3.0 GiB, Linux 6");
    }
}
