//! laTable (.1.3.6.1.4.1.2021.10), from /proc/loadavg. A load is too high if it reaches the configured limit.

use trunkline_smi::ValueRef;
use trunkline_smi::module::ucd_snmp_mib::LA_TABLE;
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use super::flag;
use crate::programs::Programs;
use trunkline_source::SourceRoot;
use trunkline_source::procfs::words;

static GROUP: Group = Group { name: "ucd-load", scalars: &[], tables: &[&LA_TABLE] };

/// Serves the group `ucd-load`.
#[derive(Debug)]
pub(super) struct Load {
    root: SourceRoot,
    programs: Programs,
}

impl Load {
    pub(super) fn new(root: SourceRoot, programs: Programs) -> Self {
        Load { root, programs }
    }
}

impl Provider for Load {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut text = Vec::new();
        self.root.read_into("proc/loadavg", &mut text)?;
        let mut snapshot = Snapshot::builder(&GROUP);
        let table = snapshot.table(&LA_TABLE);
        let limits = self.programs.current().options.load.max;
        let rows = (1u32..).zip([1, 5, 15]).zip(limits).zip(averages(&text));
        for (((index, minutes), limit), load) in rows {
            let is_high = limit > 0.0 && load >= limit;
            let message = match is_high {
                true => format!("{minutes} min Load Average too high (= {load:.2})"),
                false => String::new(),
            };
            let mut row = table.row(&[index]);
            row.integer(1, index as i32)
                .text(2, &format!("Load-{minutes}"))
                .text(3, &format!("{load:.2}"))
                .text(4, &format!("{limit:.2}"))
                .integer(5, (load * 100.0).round() as i32)
                .value(6, ValueRef::Opaque(&float(load as f32)))
                .integer(100, flag(is_high))
                .text(101, &message);
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

/// The first three numbers of the file.
pub(crate) fn averages(text: &[u8]) -> impl Iterator<Item = f64> {
    let numbers = words(text).take(3).map_while(|word| std::str::from_utf8(word).ok()?.parse().ok());
    numbers.filter(|load: &f64| load.is_finite())
}

/// UCD-SNMP-MIB's Float: a BER element of its own with tag 9f78 and length 4.
fn float(number: f32) -> [u8; 7] {
    let [a, b, c, d] = number.to_be_bytes();
    [0x9f, 0x78, 4, a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_float_is_seven_octets() {
        assert_eq!(float(1.5), [0x9f, 0x78, 0x04, 0x3f, 0xc0, 0, 0]);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in proptest::collection::vec(any::<u8>(), 0..60)) {
            prop_assert!(averages(&text).count() <= 3);
        }
    }
}
