//! As whom a program asks an agent: options of the command line, variables, files and `snmp.conf` become a target
//! with credentials. The manager and the laboratory share it, so that both take credentials in the same way.
//!
//! ```text
//! LoginArgs (options) + variables + files + Conf (snmp.conf) -> Target, SoapTarget
//! ```

mod agent;
mod conf;
mod options;
mod secrets;
pub mod session;
pub mod user;

pub use agent::LoginArgs;
pub use conf::{Conf, Token};
pub use options::session::{
    EncodingArg, HttpArgs, ModelArg, SecureArgs, SoapArg, SshArgs, TlsArgs, TlsVersionArg,
};
pub use options::user::{LevelArg, SecurityArgs, VersionArg, spelled_out};
pub use secrets::{SECRETS, wipe};

/// What is wrong with the options, a variable or a file, in words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Mistake(pub String);

impl Mistake {
    /// The words of another error.
    pub fn of(fault: &dyn std::fmt::Display) -> Mistake {
        Mistake(fault.to_string())
    }
}
