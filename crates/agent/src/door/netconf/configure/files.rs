//! Configurations in files that clients name (RFC 6241 section 8.8).

use trunkline_admin::{NamedFileError, NamedFiles};
use trunkline_netconf::BASE;
use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::error::{Layer, RpcError, Tag};

use super::{Configuring, Errors, invalid};
use crate::door::netconf::permission::{denied, may_write_all};

impl Configuring<'_> {
    /// The configuration in a file.
    pub(super) async fn file(&self, url: &str) -> Result<Document, Errors> {
        let octets = self.in_files(url, |files, url| files.read(url)).await?;
        let most = octets.len().max(1);
        let document =
            Document::read(&octets, limits(most)).map_err(|error| invalid(&format!("{url}: {error}")))?;
        match (document.root().namespace(), document.root().name()) {
            (BASE | "", "config") => Ok(document),
            (_, other) => Err(invalid(&format!("{url}: expected an element config, found {other}"))),
        }
    }

    /// Does something with a file that a client names.
    pub(super) async fn in_files<T: Send + 'static>(
        &self,
        url: &str,
        work: impl FnOnce(&NamedFiles, &str) -> Result<T, NamedFileError> + Send + 'static,
    ) -> Result<T, Errors> {
        let Some(files) = self.door.files() else {
            return Err(invalid("this agent has no files: its configuration names no folder for them"));
        };
        // Whoever restores a file does so with other rights than its author's.
        if !may_write_all(self.forest(), &self.access) {
            let error = denied("files are for those who may change the whole configuration");
            return Err(self.no_right(error));
        }
        let url = url.to_owned();
        let done = tokio::task::spawn_blocking(move || work(&files, &url)).await;
        let error = match done {
            Ok(Ok(found)) => return Ok(found),
            Ok(Err(error)) => error,
            Err(panic) => {
                tracing::error!(%panic, "a file of a configuration could not be used");
                return Err(invalid("the agent failed on the file; its log says why"));
            }
        };
        let tag = match &error {
            NamedFileError::Url(_) | NamedFileError::NotRegular(_) => Tag::InvalidValue,
            NamedFileError::Missing(_) => Tag::DataMissing,
            NamedFileError::TooLong { .. } => Tag::TooBig,
            NamedFileError::TooMany => Tag::ResourceDenied,
            NamedFileError::Io { .. } => Tag::OperationFailed,
        };
        Err(vec![RpcError::new(Layer::Application, tag, error.to_string())])
    }
}
