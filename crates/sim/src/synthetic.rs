//! Agents without a recording: what they answer follows from the seed, their number and the time they have been up.
//!
//! A counter is its rate multiplied by the time, so that Counter32 and Counter64 of the same interface agree, wrap when
//! a device's would, and start again after a reboot. Nothing is kept between requests.

use std::io::Write;
use std::time::Duration;

use trunkline_smi::{Exception, OidBuf, ValueRef};

use crate::objects::Objects;
use crate::seed::Seed;

/// How many interfaces an agent has, at least and at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interfaces {
    /// At least.
    pub least: u32,
    /// At most.
    pub most: u32,
}

impl Interfaces {
    /// The most of one agent.
    pub const MOST: u32 = 100_000;
}

impl Default for Interfaces {
    fn default() -> Self {
        Self { least: 4, most: 48 }
    }
}

/// One agent at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    seed: Seed,
    number: u32,
    interfaces: u32,
    uptime: Duration,
}

impl Device {
    /// The agent with this number, drawn from `seed`, after it has been up for some time.
    #[must_use]
    pub fn new(seed: Seed, number: u32, interfaces: Interfaces, uptime: Duration) -> Self {
        let most = interfaces.most.max(interfaces.least);
        let count = seed.between(INTERFACES, u64::from(interfaces.least), u64::from(most));
        Self { seed, number, interfaces: u32::try_from(count).unwrap_or(u32::MAX), uptime }
    }

    /// How many interfaces it has.
    #[must_use]
    pub const fn interfaces(&self) -> u32 {
        self.interfaces
    }

    const fn rows(&self, column: &Column) -> u32 {
        match column.rows {
            Rows::Scalar => 1,
            Rows::Interfaces => self.interfaces,
            Rows::Storages => STORAGES.len() as u32,
        }
    }

    fn ticks(&self) -> u32 {
        (self.uptime.as_millis() / 10) as u32 // TimeTicks wrap
    }

    fn value<'s>(&self, object: Object, row: u32, text: &'s mut Vec<u8>) -> ValueRef<'s> {
        let port = Port { seed: self.seed.of(u64::from(row)), row, uptime: self.uptime };
        match object {
            Object::Descr => written(text, format_args!("Trunkline simulated agent {}", self.number)),
            Object::Kind => ValueRef::ObjectIdentifier(&OBJECT_ID),
            Object::UpTime => ValueRef::TimeTicks(self.ticks()),
            Object::Contact => ValueRef::OctetString(b"nobody@example.org"),
            Object::Name => written(text, format_args!("sim-{}", self.number)),
            Object::Location => written(text, format_args!("rack {}", self.number / 40)),
            Object::Services => ValueRef::Integer(78),
            Object::IfNumber => ValueRef::Integer(self.interfaces as i32),
            Object::MemorySize => ValueRef::Integer(self.memory() as i32),
            Object::MemoryAvailable => ValueRef::Integer(self.free_memory() as i32),
            Object::StorageIndex
            | Object::StorageType
            | Object::StorageDescr
            | Object::StorageUnits
            | Object::StorageSize
            | Object::StorageUsed => self.storage(object, row),
            of_port => port.value(of_port, text),
        }
    }

    /// KiB of memory: 256 MiB to 64 GiB in powers of two.
    fn memory(&self) -> u32 {
        (256 * 1024) << self.seed.between(MEMORY, 0, 8)
    }

    /// KiB that are free: a wave around a level that is drawn, whose period is drawn too.
    fn free_memory(&self) -> u32 {
        let memory = u64::from(self.memory());
        let level = memory * self.seed.between(LEVEL, 20, 70) / 100;
        let swing = memory * self.seed.between(SWING, 2, 10) / 100;
        let period = self.seed.between(PERIOD, 30, 900) * 1000;
        let at = (self.uptime.as_millis() as u64 + self.seed.between(PHASE, 0, period)) % period;
        // A triangle from 0 to 2 x swing and back.
        let up = 2 * swing * at.min(period - at) * 2 / period;
        (level + up - swing) as u32 // below 80 % of `memory`
    }

    fn storage(&self, object: Object, row: u32) -> ValueRef<'static> {
        let at = (row.max(1) as usize - 1).min(STORAGES.len() - 1);
        let (kind, name) = &STORAGES[at];
        let (units, size, used) = match at {
            0 => (1024, self.memory(), self.memory() - self.free_memory()),
            _ => {
                let seed = self.seed.of(DISK + u64::from(row));
                let size = seed.between(0, 1 << 20, 1 << 28) as u32;
                (4096, size, (u64::from(size) * seed.between(1, 5, 95) / 100) as u32)
            }
        };
        match object {
            Object::StorageType => ValueRef::ObjectIdentifier(kind),
            Object::StorageDescr => ValueRef::OctetString(name.as_bytes()),
            Object::StorageUnits => ValueRef::Integer(units),
            Object::StorageSize => ValueRef::Integer(size as i32),
            Object::StorageUsed => ValueRef::Integer(used as i32),
            _ => ValueRef::Integer(row as i32),
        }
    }
}

impl Objects for Device {
    fn get<'s>(&'s self, name: &[u32], text: &'s mut Vec<u8>) -> Result<ValueRef<'s>, Exception> {
        let at = COLUMNS.partition_point(|column| column.prefix <= name);
        let column = at.checked_sub(1).map(|at| &COLUMNS[at]);
        let Some((column, index)) = column.and_then(|it| Some((it, name.strip_prefix(it.prefix)?))) else {
            return Err(Exception::NoSuchObject);
        };
        match (column.rows, index) {
            (Rows::Scalar, [0]) => Ok(self.value(column.object, 0, text)),
            (Rows::Scalar, _) => Err(Exception::NoSuchInstance),
            (_, [row]) if (1..=self.rows(column)).contains(row) => Ok(self.value(column.object, *row, text)),
            _ => Err(Exception::NoSuchInstance),
        }
    }

    fn next<'s>(&'s self, name: &mut OidBuf, text: &'s mut Vec<u8>) -> Option<ValueRef<'s>> {
        let at = COLUMNS.partition_point(|column| column.prefix <= &name[..]);
        // Within a column: the row behind its index.
        let within = at.checked_sub(1).and_then(|at| {
            let column = &COLUMNS[at];
            let index = name.strip_prefix(column.prefix)?;
            let row = match (column.rows, index.first()) {
                (Rows::Scalar, None) => Some(0),
                (Rows::Scalar, Some(_)) => None,
                (_, None) => Some(1),
                (_, Some(row)) => row.checked_add(1).filter(|row| *row <= self.rows(column)),
            };
            Some((column, row.filter(|row| *row == 0 || *row <= self.rows(column))?))
        });
        let first = |column: &'static Column| (column, u32::from(column.rows != Rows::Scalar));
        let behind = || COLUMNS[at..].iter().find(|column| self.rows(column) > 0).map(first);
        let (column, row) = within.or_else(behind)?;
        name.clear();
        name.extend(column.prefix).and_then(|()| name.push(row)).ok()?;
        Some(self.value(column.object, row, text))
    }
}

/// One interface at one moment.
struct Port {
    seed: Seed,
    row: u32,
    uptime: Duration,
}

impl Port {
    fn value<'s>(&self, object: Object, text: &'s mut Vec<u8>) -> ValueRef<'s> {
        let speed = self.megabits();
        match object {
            Object::IfIndex => ValueRef::Integer(self.row as i32),
            Object::IfDescr | Object::IfName => written(text, format_args!("eth{}", self.row - 1)),
            Object::IfAlias => written(text, format_args!("port {}", self.row)),
            Object::IfType => ValueRef::Integer(6), // ethernetCsmacd
            Object::IfMtu => ValueRef::Integer(1500),
            // Speeds that do not fit have the greatest value (RFC 2863 section 3.1.7).
            Object::IfSpeed => ValueRef::Unsigned32(speed.saturating_mul(1_000_000)),
            Object::IfHighSpeed => ValueRef::Unsigned32(speed),
            Object::IfPhysAddress => {
                text.clear();
                text.extend_from_slice(&[0x02, 0x54]);
                text.extend_from_slice(&(self.seed.draw(ADDRESS) as u32).to_be_bytes());
                ValueRef::OctetString(text)
            }
            Object::IfAdminStatus => ValueRef::Integer(1),
            Object::IfOperStatus => ValueRef::Integer(if self.is_up() { 1 } else { 2 }),
            Object::IfLastChange => ValueRef::TimeTicks(0),
            Object::InOctets => ValueRef::Counter32(self.count(Flow::In, 1) as u32),
            Object::OutOctets => ValueRef::Counter32(self.count(Flow::Out, 1) as u32),
            Object::HcInOctets => ValueRef::Counter64(self.count(Flow::In, 1)),
            Object::HcOutOctets => ValueRef::Counter64(self.count(Flow::Out, 1)),
            Object::InPackets => ValueRef::Counter32(self.count(Flow::In, self.packet()) as u32),
            Object::OutPackets => ValueRef::Counter32(self.count(Flow::Out, self.packet()) as u32),
            Object::HcInPackets => ValueRef::Counter64(self.count(Flow::In, self.packet())),
            Object::HcOutPackets => ValueRef::Counter64(self.count(Flow::Out, self.packet())),
            Object::InErrors => ValueRef::Counter32(self.count(Flow::In, 1 << 34) as u32),
            _ => ValueRef::Counter32(0), // discards and errors that there are none of
        }
    }

    /// One in eight is down, never the first.
    fn is_up(&self) -> bool {
        self.row == 1 || !self.seed.draw(STATUS).is_multiple_of(8)
    }

    fn megabits(&self) -> u32 {
        [100, 1_000, 1_000, 1_000, 10_000, 25_000, 100_000][self.seed.between(SPEED, 0, 6) as usize]
    }

    /// Octets in a packet, on average.
    fn packet(&self) -> u64 {
        self.seed.between(PACKET, 90, 1_400)
    }

    /// How many octets there have been, divided: the rate, of which each interface has its own, times the time. Counter32
    /// is what is left of it.
    fn count(&self, flow: Flow, divisor: u64) -> u64 {
        if !self.is_up() {
            return 0;
        }
        // Octets in a second: a part of the speed, most often a small one.
        let most = u64::from(self.megabits()) * 125_000 / 2;
        let rate = (most >> self.seed.between(flow as u64, 0, 12)).max(1);
        let octets = u128::from(rate) * self.uptime.as_millis() / 1_000 / u128::from(divisor);
        octets as u64 // Counter64 wraps
    }
}

#[derive(Clone, Copy)]
enum Flow {
    In = 100,
    Out = 101,
}

fn written<'s>(text: &'s mut Vec<u8>, what: std::fmt::Arguments<'_>) -> ValueRef<'s> {
    text.clear();
    // Writing to a vector does not fail.
    let _ = text.write_fmt(what);
    ValueRef::OctetString(text)
}

// What is drawn of an agent or an interface.
const INTERFACES: u64 = 1;
const MEMORY: u64 = 2;
const LEVEL: u64 = 3;
const SWING: u64 = 4;
const PERIOD: u64 = 5;
const PHASE: u64 = 6;
const ADDRESS: u64 = 7;
const STATUS: u64 = 8;
const SPEED: u64 = 9;
const PACKET: u64 = 10;
const DISK: u64 = 1 << 40;

/// That of Net-SNMP's agent on Linux, which monitoring systems have templates for, as decision 0007 says of our agent.
const OBJECT_ID: [u32; 10] = [1, 3, 6, 1, 4, 1, 8072, 3, 2, 10];

/// hrStorageType and hrStorageDescr.
const STORAGES: [([u32; 10], &str); 3] = [
    ([1, 3, 6, 1, 2, 1, 25, 2, 1, 2], "Physical memory"),
    ([1, 3, 6, 1, 2, 1, 25, 2, 1, 4], "/"),
    ([1, 3, 6, 1, 2, 1, 25, 2, 1, 4], "/var"),
];

/// Which instances a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rows {
    Scalar,
    Interfaces,
    Storages,
}

struct Column {
    prefix: &'static [u32],
    rows: Rows,
    object: Object,
}

#[derive(Clone, Copy, Debug)]
enum Object {
    Descr,
    Kind,
    UpTime,
    Contact,
    Name,
    Location,
    Services,
    IfNumber,
    IfIndex,
    IfDescr,
    IfType,
    IfMtu,
    IfSpeed,
    IfPhysAddress,
    IfAdminStatus,
    IfOperStatus,
    IfLastChange,
    InOctets,
    InPackets,
    InErrors,
    OutOctets,
    OutPackets,
    Nothing,
    MemorySize,
    StorageIndex,
    StorageType,
    StorageDescr,
    StorageUnits,
    StorageSize,
    StorageUsed,
    IfName,
    HcInOctets,
    HcInPackets,
    HcOutOctets,
    HcOutPackets,
    IfHighSpeed,
    IfAlias,
    MemoryAvailable,
}

macro_rules! columns {
    ($($rows:ident $parent:tt: $($last:literal $object:ident),+;)+) => {
        &[$($(Column { prefix: prefix!($parent $last), rows: Rows::$rows, object: Object::$object }),+),+]
    };
}

macro_rules! prefix {
    ([$($sub_id:literal)+] $last:literal) => {
        &[1, 3, 6, 1, $($sub_id,)+ $last]
    };
}

/// All objects, in the order of their names: SNMPv2-MIB, IF-MIB, HOST-RESOURCES-MIB, UCD-SNMP-MIB.
static COLUMNS: &[Column] = columns! {
    Scalar [2 1 1]: 1 Descr, 2 Kind, 3 UpTime, 4 Contact, 5 Name, 6 Location, 7 Services;
    Scalar [2 1 2]: 1 IfNumber;
    Interfaces [2 1 2 2 1]: 1 IfIndex, 2 IfDescr, 3 IfType, 4 IfMtu, 5 IfSpeed, 6 IfPhysAddress, 7 IfAdminStatus,
        8 IfOperStatus, 9 IfLastChange, 10 InOctets, 11 InPackets, 13 Nothing, 14 InErrors, 16 OutOctets,
        17 OutPackets, 19 Nothing, 20 Nothing;
    Scalar [2 1 25 1]: 1 UpTime;
    Scalar [2 1 25 2]: 2 MemorySize;
    Storages [2 1 25 2 3 1]: 1 StorageIndex, 2 StorageType, 3 StorageDescr, 4 StorageUnits, 5 StorageSize, 6 StorageUsed;
    Interfaces [2 1 31 1 1 1]: 1 IfName, 6 HcInOctets, 7 HcInPackets, 10 HcOutOctets, 11 HcOutPackets,
        15 IfHighSpeed, 18 IfAlias;
    Scalar [4 1 2021 4]: 5 MemorySize, 6 MemoryAvailable, 11 MemoryAvailable;
};

#[cfg(test)]
mod tests {
    use super::*;

    fn device(number: u32, seconds: u64) -> Device {
        let (least, most) = (0, 9);
        let seed = Seed::new(1).of(u64::from(number));
        Device::new(seed, number, Interfaces { least, most }, Duration::from_secs(seconds))
    }

    fn walk(device: &Device) -> Vec<(Vec<u32>, trunkline_smi::Value)> {
        let (mut name, mut text, mut found) = (OidBuf::new(), Vec::new(), Vec::new());
        while let Some(value) = device.next(&mut name, &mut text) {
            found.push((name.to_vec(), value.to_value()));
            assert!(found.len() < 10_000, "endless");
        }
        found
    }

    #[test]
    fn walks_ascend_and_agree_with_get() {
        for number in 0..40 {
            let device = device(number, 1_000_000);
            let found = walk(&device);
            assert!(found.is_sorted_by(|a, b| a.0 < b.0));
            let rows = device.interfaces() as usize;
            assert_eq!(found.len(), 13 + 18 + 24 * rows);
            let mut text = Vec::new();
            for (at, (name, value)) in found.iter().enumerate() {
                assert_eq!(device.get(name, &mut text), Ok(value.as_value_ref()), "{name:?}");
                // From anything between two instances the next one is the latter.
                let mut between = OidBuf::new();
                between.extend(name).unwrap();
                between.push(0).unwrap();
                let next = device.next(&mut between, &mut text).map(|value| value.to_value());
                assert_eq!(next.as_ref(), found.get(at + 1).map(|(_, value)| value), "{name:?}");
                let mut parent = OidBuf::new();
                parent.extend(&name[..name.len() - 1]).unwrap();
                assert!(device.next(&mut parent, &mut text).is_some());
                assert!(parent[..] <= name[..]);
                assert_eq!(
                    device.get(&[&name[..], &[1]].concat(), &mut text),
                    Err(Exception::NoSuchInstance)
                );
            }
        }
        assert!((0..40).any(|number| device(number, 1).interfaces() == 0));
        assert_eq!(device(0, 1).get(&[1, 3, 6, 1, 9], &mut Vec::new()), Err(Exception::NoSuchObject));
    }

    #[test]
    fn counters_follow_their_rate_and_both_widths_agree() {
        let number = |name: [u32; 11], seconds| {
            let mut text = Vec::new();
            match device(5, seconds).get(&name, &mut text) {
                Ok(ValueRef::Counter32(count)) => u64::from(count),
                Ok(ValueRef::Counter64(count)) => count,
                other => panic!("{other:?}"),
            }
        };
        let (narrow, wide) = ([1, 3, 6, 1, 2, 1, 2, 2, 1, 10, 1], [1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6]);
        let wide = |seconds| {
            let mut text = Vec::new();
            let name = [&wide[..], &[1]].concat();
            let Ok(ValueRef::Counter64(count)) = device(5, seconds).get(&name, &mut text) else { panic!() };
            count
        };
        let rate = wide(1);
        assert!(rate > 0);
        for seconds in [0, 1, 10, 86_400, 40_000_000] {
            assert_eq!(wide(seconds), rate * seconds);
            assert_eq!(number(narrow, seconds), wide(seconds) & 0xffff_ffff);
        }
        assert!(wide(40_000_000) > u64::from(u32::MAX), "it has wrapped");
    }

    #[test]
    fn an_agent_is_the_same_in_each_run_and_another_one_differs() {
        let walked = walk(&device(3, 77));
        assert_eq!(walked, walk(&device(3, 77)));
        assert_ne!(walked, walk(&device(4, 77)));
        assert_ne!(walked, walk(&device(3, 78)));
    }

    #[test]
    fn free_memory_moves_within_the_memory() {
        for number in 0..20 {
            let free: Vec<u32> = (0..2000).map(|seconds| device(number, seconds).free_memory()).collect();
            let memory = device(number, 0).memory();
            assert!(free.iter().all(|free| *free > 0 && *free < memory));
            assert!(free.iter().max() > free.iter().min());
        }
    }
}
