//! The arguments of `pki`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use trunkline_pki::{KeyKind, Name};

/// `pki`.
#[derive(Debug, Args)]
pub struct PkiArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: PkiCommand,
    /// The authority's directory [default: /etc/trunkline/pki for root, else ~/.config/trunkline/pki].
    #[arg(long, global = true, value_name = "FOLDER")]
    pub dir: Option<PathBuf>,
}

/// The commands of `pki`.
#[derive(Debug, Subcommand)]
pub enum PkiCommand {
    /// Create the certificate authority, once.
    Init(InitArgs),
    /// Issue a certificate for an agent.
    #[command(after_help = "\
Examples:
  trunkline pki agent localhost
  trunkline pki agent r7.example.org --address 192.0.2.7")]
    Agent(LeafArgs),
    /// Issue a certificate for a manager.
    #[command(after_help = "\
Example:
  trunkline pki manager ann")]
    Manager(LeafArgs),
    /// Show a certificate, or list all that were issued.
    Show(ShowArgs),
    /// Revoke certificates, and sign the revocation list.
    Revoke(RevokeArgs),
    /// Create an SSH user's key, and print its line for authorized_keys.
    SshKey(SshKeyArgs),
    /// Create a bearer token for HTTP, and print it with the lines for the agent's configuration.
    #[command(after_help = "\
The first line printed is the token. It is not stored anywhere: the configuration has
its hash. To the agent, everyone with the token is NAME.")]
    Token(TokenArgs),
    /// Read a password for SSH or HTTP, and print its hash for the agent's configuration.
    #[command(after_help = "\
The command prompts for the password twice without showing it, or reads the first line
of standard input. It is not an argument, since other users could see it then.")]
    Password,
}

/// `pki token`.
#[derive(Debug, Args)]
pub struct TokenArgs {
    /// The principal that the token authenticates.
    #[arg(value_parser = Name::new)]
    pub name: Name,
}

/// `pki init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The authority's common name.
    #[arg(long, value_name = "NAME", default_value = "Trunkline CA", value_parser = Name::new)]
    pub name: Name,
    /// The kind of key: ecdsa-p256, ecdsa-p384, ed25519, rsa-2048 or rsa-3072.
    #[arg(long, value_name = "KIND", default_value_t)]
    pub key: KeyKind,
    /// How many days it is valid.
    #[arg(long, value_name = "NUMBER", default_value_t = trunkline_pki::AuthorityOptions::DAYS)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub days: u32,
    /// Replace the existing authority: nothing it has signed is trusted any more.
    #[arg(long)]
    pub force: bool,
}

/// `pki agent` and `pki manager`.
#[derive(Debug, Args)]
pub struct LeafArgs {
    /// The agent's host name or address; the manager's own name.
    #[arg(value_parser = Name::new)]
    pub name: Name,
    /// Another host name; may be repeated.
    #[arg(long = "dns", value_name = "HOST")]
    pub hosts: Vec<String>,
    /// Another address; may be repeated.
    #[arg(long = "address", value_name = "ADDRESS")]
    pub addresses: Vec<IpAddr>,
    /// Another e-mail address; may be repeated.
    #[arg(long = "email", value_name = "ADDRESS")]
    pub emails: Vec<String>,
    /// Add localhost, 127.0.0.1 and ::1; an agent called localhost has them anyway.
    #[arg(long)]
    pub local: bool,
    /// The kind of key: ecdsa-p256, ecdsa-p384, ed25519, rsa-2048 or rsa-3072.
    #[arg(long, value_name = "KIND", default_value_t)]
    pub key: KeyKind,
    /// How many days it is valid.
    #[arg(long, value_name = "NUMBER", default_value_t = trunkline_pki::LeafOptions::DAYS)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub days: u32,
    /// Sign it with its own key, for peers that know its fingerprint; needs no authority.
    #[arg(long)]
    pub self_signed: bool,
    /// Make it the default, instead of the first one issued.
    #[arg(long)]
    pub default: bool,
    /// Replace the one of this name.
    #[arg(long)]
    pub force: bool,
}

/// `pki show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// A certificate's file, the name of an agent or a manager, or `ca` [default: list all].
    #[arg(value_name = "NAME|FILE")]
    pub which: Option<String>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

/// `pki revoke`.
#[derive(Debug, Args)]
pub struct RevokeArgs {
    /// The name of an agent or a manager, agents/NAME or managers/NAME, or a fingerprint.
    #[arg(value_name = "NAME")]
    pub which: String,
}

/// `pki ssh-key`.
#[derive(Debug, Args)]
pub struct SshKeyArgs {
    /// The user.
    #[arg(value_parser = Name::new)]
    pub name: Name,
    /// Replace the key of this name.
    #[arg(long)]
    pub force: bool,
}
