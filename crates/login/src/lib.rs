//! As whom a program asks an agent: options of the command line, variables, files and `snmp.conf` become a target
//! with credentials. The manager and the laboratory share it, so that both take credentials in the same way. Also the manager's own engine,
//! as which it sends, and how its sessions end.
//!
//! ```text
//! LoginArgs (options) + Targets (config.toml) + variables + files + Conf (snmp.conf) -> Target, SoapTarget, JmxTarget
//! ```

mod agent;
mod closing;
mod conf;
mod keeper;
mod mistake;
mod options;
pub mod own_engine;
mod plain;
mod private;
mod secrets;
pub mod session;
pub mod targets;
pub mod token;
pub mod user;

pub use agent::LoginArgs;
pub use closing::until_closed;
pub use conf::{Conf, Token};
pub use mistake::Mistake;
pub use options::session::{
    EncodingArg, EndsArgs, HttpArgs, HttpLoginArgs, JmxArgs, ModelArg, SecureArgs, SoapArg, SshArgs, TlsArgs,
    TlsVersionArg,
};
pub use options::user::{LevelArg, SecurityArgs, VersionArg, spelled_out};
pub use plain::in_plain_words;
pub use private::{private_file, write_private};
pub use secrets::{SECRETS, wipe};
