//! The options of TLS, DTLS and SSH: who we are, and whom we believe.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use trunkline_client::tls::{TlsVersion, Versions};

/// Certificates, for who asks and who listens.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "TLS and DTLS")]
pub struct TlsArgs {
    /// Our certificate, and those of the authorities between, in PEM [default: manager.pem of --pki; listen:
    /// agent.pem, if it is there].
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Its private key in PEM, which nobody but its owner may read [default: the .key beside the
    /// certificate].
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Certificates of the authorities that are trusted, in PEM [default: ca.pem of --pki].
    #[arg(long, value_name = "FILE")]
    pub authorities: Vec<PathBuf>,
    /// What these have revoked, in PEM [default: crl.pem of --pki].
    #[arg(long, value_name = "FILE")]
    pub revocation_list: Vec<PathBuf>,
    /// This version of TLS alone: 1.2 or 1.3 [default: both]. DTLS has 1.2 only.
    #[arg(long, value_name = "VERSION", value_enum, hide_possible_values = true)]
    pub tls_version: Option<TlsVersionArg>,
    /// The folder that `trunkline pki` has filled [default: /etc/trunkline/pki for root, else ~/.config/trunkline/pki].
    #[arg(long, value_name = "FOLDER")]
    pub pki: Option<PathBuf>,
}

/// What an agent or receiver over TLS, DTLS and SSH is asked with.
#[derive(Args, Debug, Default)]
pub struct SecureArgs {
    /// What protects over TLS, DTLS and SSH: tsm, the session (default), or usm, a user's keys inside of it.
    #[arg(long, value_name = "MODEL", value_enum, hide_possible_values = true, help_heading = "SNMPv3")]
    pub security_model: Option<ModelArg>,
    /// Certificates.
    #[command(flatten)]
    pub tls: TlsArgs,
    /// The certificate or host key at the other end has this fingerprint, whoever has issued it: sha256:... for TLS
    /// and DTLS, SHA256:... as OpenSSH shows it for SSH.
    #[arg(long, value_name = "FINGERPRINT", help_heading = "TLS and DTLS")]
    pub fingerprint: Option<String>,
    /// Whom the certificate at the other end must be for [default: the host that is asked]; * for anybody who is
    /// trusted.
    #[arg(long, value_name = "NAME", conflicts_with = "fingerprint", help_heading = "TLS and DTLS")]
    pub server_name: Option<String>,
    /// SSH.
    #[command(flatten)]
    pub ssh: SshArgs,
    /// HTTP.
    #[command(flatten)]
    pub http: HttpArgs,
}

/// Who asks over HTTP, and how SOAP is spoken.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "HTTP and SOAP")]
pub struct HttpArgs {
    /// HTTP user name if not in the target URL; password from TRUNKLINE_HTTP_PASSWORD.
    #[arg(long, value_name = "NAME", conflicts_with = "http_token_file")]
    pub http_user: Option<String>,
    /// Read the HTTP password from this file, which nobody but its owner may read.
    #[arg(long, value_name = "FILE", requires = "http_user")]
    pub http_password_file: Option<PathBuf>,
    /// Prompt for the HTTP password.
    #[arg(long, requires = "http_user", conflicts_with = "http_password_file")]
    pub http_ask_password: bool,
    /// A file with a bearer token, which nobody but its owner may read; also the variable TRUNKLINE_HTTP_TOKEN.
    #[arg(long, value_name = "FILE")]
    pub http_token_file: Option<PathBuf>,
    /// The version of SOAP: 1.1 or 1.2 [default: 1.2].
    #[arg(long, value_name = "VERSION", value_enum, hide_possible_values = true)]
    pub soap: Option<SoapArg>,
    /// How tables come over SOAP: typed, lean or as-in-paper [default: lean].
    #[arg(long, value_name = "ENCODING", value_enum, hide_possible_values = true)]
    pub encoding: Option<EncodingArg>,
    /// Ask for answers that are not compressed.
    #[arg(long)]
    pub no_compression: bool,
}

/// The versions of SOAP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SoapArg {
    /// SOAP 1.1.
    #[value(name = "1.1")]
    V1_1,
    /// SOAP 1.2.
    #[value(name = "1.2")]
    V1_2,
}

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EncodingArg {
    /// An element for each value, with its type in the schema.
    Typed,
    /// Rows by position behind one header.
    Lean,
    /// RPC/encoded, as in Pras et al. 2005.
    AsInPaper,
}

/// Keys and users of SSH.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "SSH")]
pub struct SshArgs {
    /// As whom to log in, if the target does not say it [default: $USER].
    #[arg(long, value_name = "NAME")]
    pub ssh_user: Option<String>,
    /// A private key; may be given more than once [default: those of the agent (SSH_AUTH_SOCK), ssh/USER of --pki, and
    /// ~/.ssh/id_ed25519, id_ecdsa, id_rsa]. Its passphrase is asked for, or in the variable TRUNKLINE_SSH_PASSPHRASE.
    #[arg(long, value_name = "FILE")]
    pub ssh_key: Vec<PathBuf>,
    /// A file with the password, which nobody but its owner may read; also the variable TRUNKLINE_SSH_PASSWORD.
    #[arg(long, value_name = "FILE")]
    pub ssh_password_file: Option<PathBuf>,
    /// Ask for the password.
    #[arg(long, conflicts_with = "ssh_password_file")]
    pub ssh_ask_password: bool,
    /// The file of the host keys that are known [default: ~/.ssh/known_hosts, and /etc/ssh/ssh_known_hosts].
    #[arg(long, value_name = "FILE")]
    pub known_hosts: Option<PathBuf>,
    /// Believe a host that is not known yet this once, and write its key down.
    #[arg(long)]
    pub accept_new_host: bool,
}

/// What `listen` needs for SSH.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "SSH")]
pub struct ListenSshArgs {
    /// Our host key, which is made where there is none [default: ssh_host_key in ~/.local/state/trunkline].
    #[arg(long, value_name = "FILE")]
    pub ssh_host_key: Option<PathBuf>,
    /// A folder with the public keys of those who may come in over SSH, each in a file USER.pub [default: ssh of --pki].
    #[arg(long, value_name = "FOLDER")]
    pub ssh_users: Option<PathBuf>,
}

/// The versions of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TlsVersionArg {
    /// TLS 1.2.
    #[value(name = "1.2")]
    V1_2,
    /// TLS 1.3.
    #[value(name = "1.3")]
    V1_3,
}

/// Security models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModelArg {
    /// The Transport Security Model.
    Tsm,
    /// The User-based Security Model.
    Usm,
}

impl TlsArgs {
    /// The versions that are spoken.
    pub fn versions(&self) -> Versions {
        match self.tls_version {
            None => Versions::default(),
            Some(TlsVersionArg::V1_2) => Versions::only(TlsVersion::V1_2),
            Some(TlsVersionArg::V1_3) => Versions::only(TlsVersion::V1_3),
        }
    }
}
