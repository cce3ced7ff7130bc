//! Section 4.1, the last paragraph: the domains' share of the program's size. The paper's library grew by over a
//! third with gSOAP. Ours is one program: there is no build without them. What can be counted is the instructions
//! under the name of a crate that only HTTP, XML and SOAP need; shared code, and code inlined elsewhere, is not
//! included.

use std::path::PathBuf;

use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::error::Error;
use trunkline_labkit::meter::elf;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::stage::Role;
use trunkline_labkit::subject::Equipped;

use super::{Options, SIZE};

/// The crates that only HTTP, XML and SOAP need, and how they appear in a symbol's name.
pub(super) const CRATES: [(&str, &[&str]); 4] = [
    (
        "HTTP (hyper, h2, http)",
        &["5hyper", "10hyper_util", "2h24", "4http", "8httparse", "h25proto", "h25frame"],
    ),
    ("XML (trunkline-xml, quick-xml)", &["13trunkline_xml", "9quick_xml"]),
    ("SOAP (trunkline-soap)", &["14trunkline_soap"]),
    ("selection (trunkline-query)", &["15trunkline_query"]),
];
/// All instructions.
pub(super) const ALL: &str = "all instructions";
/// Instructions that no symbol covers: other languages, or stripped.
pub(super) const NAMED: &str = "with a symbol";
/// The whole file.
pub(super) const FILE: &str = "the file, without debug information";

/// Reads both programs' files.
pub(super) fn measure(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let Chapter { options, stage, ledger, .. } = chapter;
    let agent = stage.agent(Role::Shipped).map(Equipped::pid);
    let agent = agent.map(|pid| PathBuf::from(format!("/proc/{pid}/exe")));
    let manager = super::client::program(options);
    for (at, path) in [(AGENT, agent), (MANAGER, manager)] {
        let Some(path) = path else {
            let (table, reason) =
                (SIZE.into(), "it is not next to this program; name it with --trunkline".into());
            ledger.doubt(Doubt::LeftOut { table, what: "trunkline".into(), reason })?;
            continue;
        };
        let read = elf::sections(&path).and_then(|sections| Ok((sections, elf::symbols(&path)?)));
        let (sections, symbols) = match read {
            Ok(read) => read,
            Err(error) => {
                let (table, what) = (SIZE.into(), path.display().to_string());
                ledger.doubt(Doubt::LeftOut { table, what, reason: error.to_string() })?;
                continue;
            }
        };
        let mut note = |series: &str, octets: u64| {
            ledger.reading(SIZE, series, at, Quantity::FileOctets, 1, octets as f64)
        };
        let of = |wanted: &dyn Fn(&elf::Section) -> bool| -> u64 {
            sections.iter().filter(|it| wanted(it)).map(|it| it.octets).sum()
        };
        note(FILE, of(&|it| it.is_loaded && it.is_in_file))?;
        note(ALL, of(&|it| it.is_executable))?;
        if symbols.is_empty() {
            let (table, what) = (SIZE.into(), format!("the parts of {}", path.display()));
            let reason = "it has no symbols (stripped)".into();
            ledger.doubt(Doubt::LeftOut { table, what, reason })?;
            continue;
        }
        note(NAMED, symbols.iter().map(|it| it.octets).sum())?;
        for (name, marks) in CRATES {
            let mine = symbols.iter().filter(|symbol| marks.iter().any(|mark| symbol.name.contains(mark)));
            note(name, mine.map(|it| it.octets).sum())?;
        }
    }
    Ok(())
}

/// The position of the agent's sizes, and the manager's.
pub(super) const AGENT: u32 = 1;
/// See [`AGENT`].
pub(super) const MANAGER: u32 = 2;
