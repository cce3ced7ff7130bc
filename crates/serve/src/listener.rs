//! Where the page is served, and by which certificate.

use std::path::{Path, PathBuf};

use toml::Value;
use trunkline_login::Mistake;
use trunkline_login::session::directory;

use crate::ServeArguments;

/// The lines of the configuration that say so; they begin in `[http]`.
///
/// # Errors
/// A URL is of another scheme, or HTTPS has no certificate.
pub(crate) fn of(arguments: &ServeArguments) -> Result<String, Mistake> {
    let mut listen = Vec::new();
    for url in &arguments.listen {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            let message =
                format!("--listen {url}: expected http:// or https://, such as https://0.0.0.0:8443");
            return Err(Mistake(message));
        }
        listen.push(text(url));
    }
    let mut lines = format!("listen = [{}]\ndoors = [\"browser\", \"restconf\"]\n", listen.join(", "));
    if arguments.listen.iter().any(|url| url.starts_with("https://")) {
        let (certificate, key) = certificate(arguments)?;
        // A browser logs in with a password: certificates of managers are not asked for.
        lines += &format!(
            "[http.tls]\ncertificate = {}\nkey = {}\nauthorities = []\nrevocation-lists = []\n",
            text(&certificate),
            text(&key)
        );
    }
    Ok(lines)
}

/// The files that are named, or those of an agent in the folder of `trunkline pki`.
fn certificate(arguments: &ServeArguments) -> Result<(String, String), Mistake> {
    let (certificate, key) = match (&arguments.listen_certificate, &arguments.listen_key) {
        (Some(certificate), Some(key)) => (certificate.clone(), key.clone()),
        (Some(certificate), None) => (certificate.clone(), certificate.with_extension("key")),
        (None, Some(_)) => return Err(Mistake("--listen-key needs --listen-certificate".to_owned())),
        (None, None) => {
            let files = directory(&arguments.login.secure.ends.tls)?.agent_files();
            (files.certificate, files.key)
        }
    };
    Ok((found(&certificate)?, found(&key)?))
}

fn found(file: &Path) -> Result<String, Mistake> {
    let failed = |fault: std::io::Error| {
        let name = file.display();
        Mistake(format!(
            "--listen https:// needs a certificate and its key, and {name} cannot be read: {fault}. `trunkline pki init` and `trunkline pki agent NAME` make \
             them, in the folder of --pki; --listen-certificate and --listen-key name others"
        ))
    };
    let absolute: PathBuf = file.canonicalize().map_err(failed)?;
    absolute
        .into_os_string()
        .into_string()
        .map_err(|_| Mistake(format!("{}: the path is not UTF-8", file.display())))
}

fn text(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        arguments: ServeArguments,
    }

    fn lines(words: &[&str]) -> Result<String, String> {
        let words = ["serve", "udp:127.0.0.1"].iter().chain(words);
        of(&Words::parse_from(words).arguments).map_err(|mistake| mistake.0)
    }

    #[test]
    fn https_has_the_certificate_that_is_named_or_that_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        for name in ["agent.pem", "agent.key", "own.pem", "own.key", "other"] {
            std::fs::write(path(name), "").unwrap();
        }
        let root = path("");
        let https = ["--listen", "https://127.0.0.1:0"];
        let keyed = |certificate: &str, key: &str| {
            format!("certificate = \"{}\"\nkey = \"{}\"\n", path(certificate), path(key))
        };
        for (more, certificate, key) in [
            (vec!["--pki", &root], "agent.pem", "agent.key"),
            (vec!["--listen-certificate", &path("own.pem")], "own.pem", "own.key"),
            (
                vec!["--listen-certificate", &path("own.pem"), "--listen-key", &path("other")],
                "own.pem",
                "other",
            ),
        ] {
            let lines = lines(&[&https[..], &more].concat()).unwrap();
            assert!(lines.contains(&keyed(certificate, key)), "{lines}");
        }
        assert!(!lines(&[]).unwrap().contains("certificate"));
    }

    #[test]
    fn what_is_missing_or_wrong_is_named_with_the_option() {
        let nowhere = tempfile::tempdir().unwrap().path().join("gone");
        let nowhere = nowhere.to_str().unwrap();
        for (words, expected) in [
            (vec!["--listen", "127.0.0.1:80"], "--listen 127.0.0.1:80: expected http:// or https://"),
            (vec!["--listen", "https://127.0.0.1:0", "--pki", nowhere], "gone/agent.pem cannot be read"),
            (vec!["--listen", "https://127.0.0.1:0", "--listen-certificate", nowhere], "gone cannot be read"),
            (vec!["--listen", "https://127.0.0.1:0", "--listen-key", nowhere], "needs --listen-certificate"),
        ] {
            let message = lines(&words).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }
}
