//! `invoke`: an operation of an MBean, and its parameters.

use clap::Args;

use super::{OutputArgs, SessionArgs, TargetArg};

/// `invoke`.
#[derive(Debug, Args)]
pub struct InvokeArgs {
    /// The JVM.
    #[command(flatten)]
    pub target: TargetArg,
    /// As whom to ask.
    #[command(flatten)]
    pub session: SessionArgs,
    /// The operation, NAME/OPERATION, unless the URL names it, and its parameters.
    #[arg(value_name = "WORD", allow_negative_numbers = true, help_heading = "Arguments")]
    pub words: Vec<String>,
    /// How the result is written.
    #[command(flatten)]
    pub output: OutputArgs,
}
