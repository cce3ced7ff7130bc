//! Delays as they are stored: what they are called ([`metric`]), what is known of each request ([`record`]), the file that a run
//! writes while it measures ([`writer`], [`reader`], described in `docs/wire/delays.md`), and delays in texts of other programs
//! ([`import`]). Octets in, octets out: files are the caller's.
//!
//! ```
//! use trunkline_delays::{Header, Outcome, Reader, Record, Writer};
//!
//! let metric = "FreeMemory-AttributeDelay-GetAttribute-Manager-Agent-1".parse()?;
//! let mut file = Vec::new();
//! let mut writer = Writer::begin(&Header::new(metric), &mut file)?;
//! writer.push(&Record { agent: 0, round: 0, due: 0, sent: 900, ended: 1_300_900, outcome: Outcome::Answered }, &mut file)?;
//! writer.end(&mut file);
//!
//! let mut reader = Reader::default();
//! reader.feed(&file);
//! let records = reader.next_block()?.unwrap_or_default();
//! assert_eq!(records[0].from_sent(), Some(1_300_000));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
pub mod error;
pub mod header;
pub mod import;
pub mod metric;
pub mod reader;
pub mod record;
pub mod writer;

pub use error::{ImportError, ReadError, RecordError};
pub use header::{Header, Scheduling};
pub use import::{Imported, Line, TextOptions, Unit, read_text};
pub use metric::{Metric, MetricError, MetricType};
pub use reader::{Ending, Reader, is_delay_file};
pub use record::{Outcome, Record};
pub use writer::Writer;
