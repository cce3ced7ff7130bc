//! Selections that the agent carries out.

use trunkline_soap::encoding::Encoding;
use trunkline_soap::expression::message::{SelectAnswer, SelectRequest, read_answer};

use super::link::Weight;
use super::{SoapSession, SoapVersion};
use crate::answer::Cost;
use crate::error::Error;

impl SoapSession {
    /// Requests a selection, in the session's version and with its community; the path of
    /// [`SoapOptions`](super::SoapOptions) is that of a service, or `/`. Returns the answer with its cost.
    ///
    /// # Errors
    /// [`Error::Fault`] if the agent refuses, for instance a wrong expression.
    pub async fn select(&self, request: &SelectRequest) -> Result<(SelectAnswer, Cost), Error> {
        let options = self.options();
        let encoding = match options.encoding {
            Encoding::Lean => Encoding::Lean,
            Encoding::Typed | Encoding::AsInPaper => Encoding::Typed,
        };
        let community = self.inner.community.clone();
        let request = SelectRequest { version: options.version, encoding, community, ..request.clone() };
        let mut message = Vec::new();
        request.write(&mut message);
        let action = SelectRequest::action(request.view);
        let action = (options.version == SoapVersion::V1_1).then_some(action.as_str());
        let answered = self.inner.link.ask(action, message, Weight::Reads).await?;
        let answer = read_answer(&answered.body, self.limits(), encoding)?;
        Ok((answer, answered.cost))
    }
}
