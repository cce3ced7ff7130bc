//! Rows of MIB tables that are created in the page, with scripts and without.

use trunkline_browser::form::{Fields, Step};
use trunkline_browser::plain::{SaidOfEntry, Shown};
use trunkline_browser::row::{Creation, NewRow};
use trunkline_browser::schema;
use trunkline_transport::http::{HttpRequest, HttpResponse, StatusCode, header};

use super::object::{NotDone, Scope};
use super::{Browser, CHANGED, JSON, NO_STORE, OF_FILES, posted_in, refused, see_other, with_all};
use crate::http::{Asker, Front, NoAccess};

impl Browser {
    /// Creates a row of a MIB table: what scripts post, who have shown what there will be.
    pub(super) async fn create(
        &self,
        front: &Front,
        request: &HttpRequest,
        asker: &Asker,
        path: &str,
    ) -> HttpResponse {
        if matches!(asker, Asker::Nobody) {
            return NoAccess::Nobody.answer(HttpResponse::text(StatusCode::UNAUTHORIZED, "log in first"));
        }
        let (scope, creation, fields) = match self.new_row(front, request, asker, path) {
            Ok(wanted) => wanted,
            Err((status, words)) => return refused(status, words),
        };
        match self.created(&scope, &creation, &fields).await {
            Ok(row) => {
                let mut json = String::from("{\"path\":");
                schema::text(&mut json, &row.path);
                json.push('}');
                let answer = HttpResponse::new(StatusCode::CREATED, JSON, json.into_bytes());
                with_all(answer.with(header::CACHE_CONTROL, NO_STORE), &OF_FILES)
            }
            Err((status, words)) => refused(status, &words),
        }
    }

    /// The same of a form without scripts, which is shown what there will be first.
    pub(super) async fn create_plain(
        &self,
        front: &Front,
        request: &HttpRequest,
        asker: &Asker,
        path: &str,
        shown: &Shown,
    ) -> HttpResponse {
        let (scope, creation, given) = match self.new_row(front, request, asker, path) {
            Ok(wanted) => wanted,
            Err((status, words)) => return HttpResponse::text(status, words),
        };
        let fields = creation.fields(|object| scope.may_set(object));
        if given.step != Step::Apply {
            let wrong = creation.row(&given).err().map(|error| format!("{error}."));
            let said = wrong.as_deref().map_or(SaidOfEntry::Review, SaidOfEntry::Wrong);
            return self.entry(shown, &fields, &given, asker, said);
        }
        match self.created(&scope, &creation, &given).await {
            Ok(row) => {
                let up = "../".repeat(path.matches('/').count());
                see_other(&format!("{up}{}", row.path.trim_start_matches('/')))
            }
            Err((status, words)) => {
                let page = self.entry(shown, &fields, &given, asker, SaidOfEntry::Wrong(&words));
                HttpResponse { status, ..page }
            }
        }
    }

    async fn created(
        &self,
        scope: &Scope,
        creation: &Creation<'_>,
        fields: &Fields,
    ) -> Result<NewRow, (StatusCode, String)> {
        let row = creation.row(fields).map_err(|error| (StatusCode::BAD_REQUEST, format!("{error}.")))?;
        match scope.create(&row, &self.lines).await {
            Ok(()) => Ok(row),
            Err(NotDone::Changed) => Err((StatusCode::CONFLICT, CHANGED.to_owned())),
            Err(NotDone::Refused(status, words)) => Err((status, words)),
        }
    }

    /// Which row a form is to create, where, and as whom.
    fn new_row<'b>(
        &'b self,
        front: &Front,
        request: &HttpRequest,
        asker: &Asker,
        path: &str,
    ) -> Result<(Scope, Creation<'b>, Fields), (StatusCode, &'static str)> {
        let scope = posted_in(front, request, asker)?;
        let creation = Creation::find(self.forest(), path);
        let creation = creation.ok_or((StatusCode::NOT_FOUND, "Rows of this cannot be created."))?;
        if !scope.may_set(&creation.status_object) {
            return Err((StatusCode::FORBIDDEN, "Your role may not create rows here."));
        }
        let fields =
            Fields::read(&request.body).map_err(|_| (StatusCode::BAD_REQUEST, "The form cannot be read."))?;
        Ok((scope, creation, fields))
    }
}
