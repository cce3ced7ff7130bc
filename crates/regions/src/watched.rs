//! The configuration of programs and limits as `trunkline-host` takes it.

use trunkline_host::programs::{
    self, DiskIoOptions, DiskOptions, ExecOptions, ExtendOptions, FileOptions, LoadOptions, LogMatchOptions,
    NamedDisk, ProcessOptions, Program, WatchOptions,
};

use trunkline_config::{DiskMinimum, DiskPlan, Plan};

/// The configured programs, processes, disks and loads.
pub fn watch_options(plan: &Plan) -> WatchOptions {
    let extends = plan.extends.iter().map(|extend| ExtendOptions {
        name: extend.name.clone(),
        program: Program { command: extend.command.clone(), shell: extend.shell, timeout: extend.timeout },
        cache: extend.cache,
        root: extend.oid.clone(),
    });
    let execs = plan.execs.iter().map(|exec| ExecOptions {
        name: exec.name.clone(),
        program: Program { command: exec.command.clone(), shell: exec.shell, timeout: exec.timeout },
        fix: exec.fix.clone(),
    });
    let processes = plan.processes.iter().map(|process| ProcessOptions {
        name: process.name.clone(),
        min: process.min,
        max: process.max,
        fix: process.fix.clone(),
    });
    let files = plan.files.iter().map(|file| FileOptions { path: file.path.clone(), max: file.max });
    let log_matches = plan.log_matches.iter().map(|log| LogMatchOptions {
        name: log.name.clone(),
        path: log.path.clone(),
        pattern: log.pattern.clone(),
        every: log.every,
    });
    let load = plan.load.as_ref();
    WatchOptions {
        extends: extends.collect(),
        execs: execs.collect(),
        processes: processes.collect(),
        disks: disks(&plan.disks),
        load: load.map_or_else(LoadOptions::default, |load| LoadOptions {
            max: [load.max_1, load.max_5, load.max_15],
        }),
        disk_io: DiskIoOptions {
            devices: plan.disk_io.devices.clone(),
            exclude: plan.disk_io.exclude.clone(),
        },
        network_disks: plan.network_disks,
        files: files.collect(),
        log_matches: log_matches.collect(),
        minimum_swap: plan.minimum_swap,
        bridge: plan.bridge.clone(),
    }
}

/// Without any in the configuration: all, with the usual minimum.
fn disks(plans: &[DiskPlan]) -> DiskOptions {
    if plans.is_empty() {
        return DiskOptions::default();
    }
    let named =
        |plan: &DiskPlan| Some(NamedDisk { path: plan.path.clone()?, minimum: minimum(plan.minimum) });
    let others =
        plans.iter().find(|plan| plan.path.is_none() && plan.shown).map(|plan| minimum(plan.minimum));
    DiskOptions { named: plans.iter().filter_map(named).collect(), others }
}

fn minimum(minimum: DiskMinimum) -> programs::DiskMinimum {
    match minimum {
        DiskMinimum::Kilobytes(kilobytes) => programs::DiskMinimum::Kilobytes(kilobytes),
        DiskMinimum::Percent(percent) => programs::DiskMinimum::Percent(percent),
    }
}
