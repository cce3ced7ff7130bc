//! The options of TLS, DTLS and SSH: identity and trust anchors.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use trunkline_client::tls::{TlsVersion, Versions};

/// Certificates, for clients and listeners.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "TLS and DTLS")]
pub struct TlsArgs {
    /// Certificate, with any intermediate ones, in PEM [default: manager.pem of --pki; for listen: agent.pem, if
    /// present].
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Its private key in PEM, readable only by its owner [default: the .key file next to the certificate].
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Trust anchors: certificates of authorities, in PEM [default: ca.pem of --pki].
    #[arg(long, value_name = "FILE")]
    pub authorities: Vec<PathBuf>,
    /// Their revocation lists, in PEM [default: crl.pem of --pki].
    #[arg(long, value_name = "FILE")]
    pub revocation_list: Vec<PathBuf>,
    /// Use only this version of TLS: 1.2 or 1.3 [default: both]. DTLS is always 1.2.
    #[arg(long, value_name = "VERSION", value_enum, hide_possible_values = true)]
    pub tls_version: Option<TlsVersionArg>,
    /// The directory that `trunkline pki` manages [default: /etc/trunkline/pki for root, else ~/.config/trunkline/pki].
    #[arg(long, value_name = "FOLDER")]
    pub pki: Option<PathBuf>,
}

/// The options for sessions with an agent or receiver over TLS, DTLS, SSH and HTTP.
#[derive(Args, Clone, Debug, Default)]
pub struct SecureArgs {
    /// Security model over TLS, DTLS and SSH: tsm, the session's own (default), or usm, a user's keys inside the session.
    #[arg(long, value_name = "MODEL", value_enum, hide_possible_values = true, help_heading = "SNMPv3")]
    pub security_model: Option<ModelArg>,
    /// Both ends.
    #[command(flatten)]
    pub ends: EndsArgs,
    /// HTTP.
    #[command(flatten)]
    pub http: HttpArgs,
    /// JMX.
    #[command(flatten)]
    pub jmx: JmxArgs,
}

/// What authenticates both ends of a session over TLS, DTLS or SSH.
#[derive(Args, Clone, Debug, Default)]
pub struct EndsArgs {
    /// Certificates.
    #[command(flatten)]
    pub tls: TlsArgs,
    /// The fingerprint that the peer's certificate or host key must have, whoever issued it: sha256:... for TLS and DTLS,
    /// SHA256:... as OpenSSH shows it for SSH.
    #[arg(long, value_name = "FINGERPRINT", help_heading = "TLS and DTLS")]
    pub fingerprint: Option<String>,
    /// The name that the peer's certificate must have [default: the target's host]; * for any trusted certificate.
    #[arg(long, value_name = "NAME", conflicts_with = "fingerprint", help_heading = "TLS and DTLS")]
    pub server_name: Option<String>,
    /// SSH.
    #[command(flatten)]
    pub ssh: SshArgs,
}

/// The options for HTTP authentication.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "HTTP and SOAP")]
pub struct HttpLoginArgs {
    /// HTTP user name if not in the target URL; password from TRUNKLINE_HTTP_PASSWORD.
    #[arg(long, value_name = "NAME", conflicts_with = "http_token_file")]
    pub http_user: Option<String>,
    /// Read the HTTP password from this file, readable only by its owner.
    #[arg(long, value_name = "FILE")]
    pub http_password_file: Option<PathBuf>,
    /// Prompt for the HTTP password.
    #[arg(long, conflicts_with = "http_password_file")]
    pub http_ask_password: bool,
    /// A file with a bearer token, readable only by its owner; also the variable TRUNKLINE_HTTP_TOKEN.
    #[arg(long, value_name = "FILE")]
    pub http_token_file: Option<PathBuf>,
}

/// The options for HTTP authentication and SOAP.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "HTTP and SOAP")]
pub struct HttpArgs {
    /// As whom to ask.
    #[command(flatten)]
    pub login: HttpLoginArgs,
    /// The version of SOAP: 1.1 or 1.2 [default: 1.2].
    #[arg(long, value_name = "VERSION", value_enum, hide_possible_values = true)]
    pub soap: Option<SoapArg>,
    /// Encoding of tables over SOAP: typed, lean or as-in-paper [default: lean].
    #[arg(long, value_name = "ENCODING", value_enum, hide_possible_values = true)]
    pub encoding: Option<EncodingArg>,
    /// Request uncompressed answers.
    #[arg(long)]
    pub no_compression: bool,
}

/// The options for sessions of JMX.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "JMX")]
pub struct JmxArgs {
    /// JMX user name if not in the target URL; password from TRUNKLINE_JMX_PASSWORD.
    #[arg(long, value_name = "NAME")]
    pub jmx_user: Option<String>,
    /// Read the JMX password from this file, readable only by its owner.
    #[arg(long, value_name = "FILE")]
    pub jmx_password_file: Option<PathBuf>,
    /// Prompt for the JMX password.
    #[arg(long, conflicts_with = "jmx_password_file")]
    pub jmx_ask_password: bool,
    /// Stay on the target's host, whatever host the stub of its JVM names.
    #[arg(long)]
    pub jmx_stay: bool,
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

/// The encoding of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EncodingArg {
    /// An element for each value, with its type in the schema.
    Typed,
    /// Rows by position after one header.
    Lean,
    /// RPC/encoded, as in Pras et al. 2005.
    AsInPaper,
}

/// Keys and users of SSH.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "SSH")]
pub struct SshArgs {
    /// SSH user name, if not in the target URL [default: $USER].
    #[arg(long, value_name = "NAME")]
    pub ssh_user: Option<String>,
    /// A private key; may be repeated [default: those of the SSH agent (SSH_AUTH_SOCK), ssh/USER of --pki, and
    /// ~/.ssh/id_ed25519, id_ecdsa, id_rsa]. The passphrase is read from TRUNKLINE_SSH_PASSPHRASE or prompted for.
    #[arg(long, value_name = "FILE")]
    pub ssh_key: Vec<PathBuf>,
    /// A file with the password, readable only by its owner; also the variable TRUNKLINE_SSH_PASSWORD.
    #[arg(long, value_name = "FILE")]
    pub ssh_password_file: Option<PathBuf>,
    /// Prompt for the password.
    #[arg(long, conflicts_with = "ssh_password_file")]
    pub ssh_ask_password: bool,
    /// The file of known host keys [default: ~/.ssh/known_hosts, and /etc/ssh/ssh_known_hosts].
    #[arg(long, value_name = "FILE")]
    pub known_hosts: Option<PathBuf>,
    /// Trust an unknown host at its first connection, and record its key.
    #[arg(long)]
    pub accept_new_host: bool,
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
    /// The supported versions.
    pub fn versions(&self) -> Versions {
        match self.tls_version {
            None => Versions::default(),
            Some(TlsVersionArg::V1_2) => Versions::only(TlsVersion::V1_2),
            Some(TlsVersionArg::V1_3) => Versions::only(TlsVersion::V1_3),
        }
    }
}
