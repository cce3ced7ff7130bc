//! YANG Patch (RFC 8072): edits of running in their order, all or none.

use trunkline_datastore::{Config, Step};
use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::operation::Datastore;
use trunkline_restconf::media::Encoding;
use trunkline_restconf::patch::{Patch, Status};
use trunkline_restconf::query;
use trunkline_restconf::refusal::Refusal;
use trunkline_restconf::target::Target;
use trunkline_transport::http::{HttpResponse, StatusCode};
use trunkline_tree::Access;

use super::super::configure::{Configuring, Errors};
use super::super::permission;
use super::{Request, seconds};

/// Why a patch is not made.
enum Failed {
    /// One of its edits.
    Edit(usize, Refusal),
    /// What all of them make.
    All(Refusal),
    /// The request itself.
    Request(Refusal),
}

impl From<Errors> for Failed {
    fn from(errors: Errors) -> Self {
        Failed::All(errors.into())
    }
}

impl Request<'_> {
    /// The answer to a patch of a resource in a datastore.
    pub(super) async fn patch(
        &self,
        held: Datastore,
        target: Target,
        encoding: Encoding,
    ) -> Result<HttpResponse, Refusal> {
        query::none(self.http.query.as_deref())?;
        let door = &self.restconf.door;
        let forest = &door.models().forest;
        // Who may change nothing does not learn what is wrong with a change.
        let configuring = Configuring::of(&self.place, door, self.principal.as_principal())?;
        let patch = Patch::read(&self.http.body, encoding)?;
        let done = self.patched(&configuring, held, &patch, &target).await;
        let (status, refusal) = match &done {
            Ok(_) => (Status::Done, None),
            Err(Failed::Edit(at, refusal)) => {
                (Status::Edit(patch.edits.get(*at).map_or("", |edit| &edit.id), refusal), Some(refusal))
            }
            Err(Failed::All(refusal)) => (Status::All(refusal), Some(refusal)),
            Err(Failed::Request(refusal)) => return Err(refusal.clone()),
        };
        let body = status.write(&patch.id, self.encoding, forest);
        let status = refusal.map_or(StatusCode::OK, |it| {
            StatusCode::from_u16(it.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
        });
        let answer = HttpResponse::new(status, self.encoding.media_type(), body);
        let Ok(after) = done else { return Ok(answer) };
        Ok(self.tagged(answer, self.tag_of(&target, &after), self.modified(held, &after)))
    }

    async fn patched(
        &self,
        configuring: &Configuring<'_>,
        held: Datastore,
        patch: &Patch,
        target: &Target,
    ) -> Result<Config, Failed> {
        let forest = &self.restconf.door.models().forest;
        let mut read = Vec::with_capacity(patch.edits.len());
        let mut needed = Vec::with_capacity(patch.edits.len());
        for (at, given) in patch.edits.iter().enumerate() {
            let edit = given.edit(target, forest).map_err(|refusal| Failed::Edit(at, refusal))?;
            needed.push(given.needed(&edit.resource));
            let document = Document::read(&edit.xml, limits(edit.xml.len()));
            let document = document.map_err(|it| Failed::Edit(at, Refusal::bad(&it.to_string())))?;
            read.push((document, edit.default));
        }
        let edits: Vec<_> = read.iter().map(|(document, default)| (document.root(), *default)).collect();
        let condition = |all: &Config, access: &Access| {
            let before = &permission::readable(forest, all, access);
            if let Some(missing) = target.missing_in(before, forest) {
                return Err(Failed::Request(missing));
            }
            let conditions = self.conditions();
            if !conditions.are_none() {
                let tag = self.tag_before(target, held, (all, before), access);
                let modified = self.modified(held, all);
                conditions.check(tag, seconds(modified)).map_err(Failed::Request)?;
            }
            Ok(())
        };
        // Who may write there and not read does not learn what is there.
        let missing = |at: usize, config: &Config, knows: &dyn Fn(&[Step]) -> bool| {
            let missing = needed.get(at)?.missing_to(config, knows, forest)?;
            Some(Failed::Edit(at, missing.of_data_missing()))
        };
        configuring
            .edit_each(held, &edits, condition, missing, |at, errors| Failed::Edit(at, errors.into()))
            .await
    }
}
