//! The statistics of delays: pure functions of samples, and of a seed where something is drawn. The laboratory applies them to
//! what it has stored, so that the same samples always give the same figures.
//!
//! | question | file |
//! | --- | --- |
//! | What is typical, what is extreme? | [`summary`] |
//! | Which share is at most x? | [`edf`] |
//! | What was not answered, and is known only to be later? | [`sample`] |
//! | Which distribution is it, with which parameters? | [`family`], a file for each, and [`distribution`] |
//! | How certain are the parameters? | [`interval`] |
//! | How well does it fit? | [`goodness`], [`plot`] |
//! | One distribution below, another above? | [`core_and_tail`] |
//! | Which share is too late, for whom? | [`quality`] |
//! | And in a larger group? | [`growth`] |
//! | In one that was not measured, behind another link? | [`forecast`] |
//!
//! ```
//! use trunkline_distributions::{Continuous, Sample, Weibull};
//!
//! let delays = Sample::complete(vec![0.4, 1.1, 0.9, 2.7, 11.1])?;
//! let fitted = Weibull::fit(&delays)?;
//! assert!(fitted.beyond(10.0) > 0.0 && fitted.beyond(10.0) < 0.2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod core_and_tail;
pub mod distribution;
pub mod edf;
pub mod exponential;
pub mod family;
pub mod forecast;
pub mod gamma;
pub mod goodness;
pub mod growth;
pub mod interval;
pub mod lognormal;
mod maximum;
pub mod normal;
pub mod pareto;
pub mod plot;
pub mod quality;
pub mod sample;
pub mod summary;
pub mod weibull;

pub use distribution::Distribution;
pub use edf::Edf;
pub use exponential::Exponential;
pub use family::{Continuous, Family, FitError};
pub use gamma::Gamma;
pub use lognormal::Lognormal;
pub use normal::Normal;
pub use pareto::Pareto;
pub use sample::{Sample, SampleError};
pub use summary::{Interval, Summary};
pub use weibull::Weibull;
