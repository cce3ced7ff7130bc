//! How hrStorageTable shows file systems.

use super::yes;
use crate::collected::Collected;
use crate::source::Directive;

type Done = Result<(), String>;

/// `storageUseNFS {1|2}`: as network disks, or as fixed ones.
pub(super) fn network_disks(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    match directive.words().first().map(String::as_str) {
        Some("1") => {
            let why = "network file systems are hrStorageNetworkDisk (RFC 2790)";
            collected.unneeded(&directive.origin, &directive.name, why);
            Ok(())
        }
        _ => Err("network file systems are hrStorageNetworkDisk (RFC 2790), not fixed disks".into()),
    }
}

/// `realStorageUnits yes`: sizes that do not fit are cut instead.
pub(super) fn real_units(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    if yes(directive.words().first()) {
        return Err("units are enlarged if a size would not fit in 32 bits (RFC 2790)".into());
    }
    let why = "the default: units are enlarged if a size would not fit in 32 bits";
    collected.unneeded(&directive.origin, &directive.name, why);
    Ok(())
}

/// `skipNFSInHostResources yes`
pub(super) fn skip_network(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let skips = yes(directive.words().first());
    if !skips {
        collected.unneeded(&directive.origin, &directive.name, "that is the default");
    }
    let earlier = std::mem::replace(&mut collected.skips_network, skips.then(|| directive.origin.clone()));
    if let Some(earlier) = earlier {
        let why = format!("{} says it again, and the last line counts", directive.origin);
        collected.unneeded(&earlier, &directive.name, why);
    }
    Ok(())
}
