//! The storage of a machine: hrStorageTable (RFC 2790), or where there is none, dskTable of UCD-SNMP-MIB.

use trunkline_client::{Error as ClientError, Session, Table, TableLimit};
use trunkline_smi::module::host_resources_mib::HR_STORAGE_TABLE;
use trunkline_smi::module::ucd_snmp_mib::DSK_TABLE;
use trunkline_smi::{Oid, Value};

use super::{cell, number, text};

/// A memory area or a file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// Its name: a mount point, or what the memory is for.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Octets in all.
    pub size: u64,
    /// Octets in use.
    pub used: u64,
    /// Octets that users can still have, where the agent says so: less than the rest where there is a reserve.
    pub free: Option<u64>,
}

/// What storage is (the types of RFC 2790).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Memory, real or virtual.
    Memory,
    /// Something else that the agent counts: buffers, caches.
    Other,
    /// A file system.
    Disk,
}

impl Kind {
    /// Its name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Memory => "memory",
            Kind::Other => "other",
            Kind::Disk => "disk",
        }
    }

    /// hrStorageRam and hrStorageVirtualMemory are memory, hrStorageOther is neither; the rest holds files.
    fn of(storage_type: &Oid) -> Self {
        match storage_type.last() {
            Some(2 | 3) => Kind::Memory,
            None | Some(0 | 1) => Kind::Other,
            Some(_) => Kind::Disk,
        }
    }
}

impl Area {
    /// Octets that users can still have; where the agent does not say, those that are not in use.
    pub fn available(&self) -> u64 {
        self.free.unwrap_or(self.size.saturating_sub(self.used))
    }

    /// How much of what users can have is in use, in whole per cent, rounded down.
    pub fn percent(&self) -> u64 {
        let all = self.free.map_or(u128::from(self.size), |free| u128::from(self.used) + u128::from(free));
        match all {
            0 => 0,
            all => u64::try_from(u128::from(self.used) * 100 / all).unwrap_or(u64::MAX),
        }
    }
}

/// How much memory there is, and how much of it is in use: caches, which programs can have at any time, are not. The
/// names are those of Net-SNMP's agent and of ours.
pub fn memory(areas: &[Area]) -> Option<(u64, u64)> {
    let all = areas.iter().find(|area| area.kind == Kind::Memory)?;
    let named = |name: &str| areas.iter().find(|area| area.kind == Kind::Other && area.name == name);
    let used = match named("Available memory") {
        Some(available) => all.size.saturating_sub(available.available()),
        None => ["Memory buffers", "Cached memory"]
            .iter()
            .filter_map(|name| named(name))
            .fold(all.used, |used, cache| used.saturating_sub(cache.used)),
    };
    Some((all.size, used))
}

/// The areas of hrStorageTable; none if the agent does not have it.
pub async fn host_resources(session: &dyn Session) -> Result<Vec<Area>, ClientError> {
    let table = session.table(&HR_STORAGE_TABLE, &[2, 3, 4, 5, 6], TableLimit::default()).await?;
    Ok(table.rows.keys().filter_map(|index| hr_area(&table, index)).collect())
}

fn hr_area(table: &Table, index: &[u32]) -> Option<Area> {
    let of = |column| cell(table, index, column);
    let units = number(of(2)?)?;
    let octets = |column| Some(number(of(column)?)?.saturating_mul(units));
    let kind = match of(0) {
        Some(Value::ObjectIdentifier(kind)) => Kind::of(kind),
        _ => Kind::Other,
    };
    Some(Area { name: text(of(1)?)?, kind, size: octets(3)?, used: octets(4)?, free: None })
}

/// The file systems of dskTable; none if the agent does not have it.
pub async fn ucd(session: &dyn Session) -> Result<Vec<Area>, ClientError> {
    let table =
        session.table(&DSK_TABLE, &[2, 6, 8, 11, 12, 15, 16, 7, 13, 14], TableLimit::default()).await?;
    Ok(table.rows.keys().filter_map(|index| ucd_area(&table, index)).collect())
}

/// The same areas, with what users can have of each where `disks`, those of dskTable, say it: hrStorageTable does not.
#[must_use]
pub fn with_reserves(mut areas: Vec<Area>, disks: &[Area]) -> Vec<Area> {
    for area in areas.iter_mut().filter(|area| area.kind == Kind::Disk) {
        area.free = area.free.or(disks.iter().find(|disk| disk.name == area.name).and_then(|disk| disk.free));
    }
    areas
}

fn ucd_area(table: &Table, index: &[u32]) -> Option<Area> {
    let of = |column| cell(table, index, column).and_then(number);
    // The 64-bit figures where there are any: the others end at 2 TiB.
    let kib = |low, high, narrow| match (of(low), of(high)) {
        (Some(low), Some(high)) => Some((high << 32) | low),
        _ => of(narrow),
    };
    let octets = |low, high, narrow| Some(kib(low, high, narrow)?.saturating_mul(1024));
    Some(Area {
        name: text(cell(table, index, 0)?)?,
        kind: Kind::Disk,
        size: octets(3, 4, 1)?,
        used: octets(5, 6, 2)?,
        free: octets(8, 9, 7),
    })
}

/// Octets in the largest unit of which there is one.
#[allow(clippy::cast_precision_loss, reason = "one digit behind the point is printed")]
pub fn short(octets: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if octets < 1024 {
        return format!("{octets} B");
    }
    let mut size = octets as f64 / 1024.0;
    let mut unit = UNITS[0];
    for larger in &UNITS[1..] {
        if size < 1024.0 {
            break;
        }
        (size, unit) = (size / 1024.0, larger);
    }
    format!("{size:.1} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_largest_unit_that_fits() {
        assert_eq!(short(0), "0 B");
        assert_eq!(short(1023), "1023 B");
        assert_eq!(short(1536), "1.5 KiB");
        assert_eq!(short(5 << 40), "5.0 TiB");
        assert_eq!(short(u64::MAX), "16.0 EiB");
    }

    #[test]
    fn per_cent_are_rounded_down_and_end_at_nothing() {
        let area = |size, used| Area { name: String::new(), kind: Kind::Disk, size, used, free: None };
        assert_eq!(area(200, 65).percent(), 32);
        assert_eq!(area(0, 0).percent(), 0);
        assert_eq!(area(u64::MAX, u64::MAX).percent(), 100);
        assert_eq!((area(100, 120).percent(), area(100, 120).available()), (120, 0));
        let reserved = Area { free: Some(4), ..area(252, 87) };
        assert_eq!((reserved.percent(), reserved.available()), (95, 4));
    }

    #[test]
    fn reserves_are_those_of_the_disk_of_the_same_name() {
        let area = |kind, name: &str, free| Area { name: name.into(), kind, size: 100, used: 40, free };
        let areas =
            vec![area(Kind::Disk, "/", None), area(Kind::Disk, "/x", None), area(Kind::Other, "/y", None)];
        let disks = [area(Kind::Disk, "/y", Some(1)), area(Kind::Disk, "/", Some(55))];
        let available: Vec<_> = with_reserves(areas, &disks).iter().map(Area::available).collect();
        assert_eq!(available, [55, 60, 60]);
    }

    #[test]
    fn caches_are_not_memory_in_use() {
        let area = |kind, name: &str, size, used| Area { name: name.into(), kind, size, used, free: None };
        let ram = area(Kind::Memory, "Physical memory", 100, 90);
        let caches =
            [area(Kind::Other, "Memory buffers", 100, 5), area(Kind::Other, "Cached memory", 60, 60)];
        let mut areas = vec![ram];
        assert_eq!(memory(&areas), Some((100, 90)));
        areas.extend(caches);
        assert_eq!(memory(&areas), Some((100, 25)));
        areas.push(area(Kind::Other, "Available memory", 80, 0));
        assert_eq!(memory(&areas), Some((100, 20)));
        assert_eq!(memory(&areas[1..]), None);
    }
}
