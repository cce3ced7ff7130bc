//! The answer with a page of a list (draft-ietf-netconf-list-pagination-rc-10).

use trunkline_restconf::media::{Encoding, XML_LIST, quality};
use trunkline_restconf::output::Output;
use trunkline_restconf::paging::{PageWriter, write};
use trunkline_restconf::query::Query;
use trunkline_restconf::refusal::Refusal;
use trunkline_transport::http::{HttpResponse, StatusCode, header};
use trunkline_yang::selection::Within;

use super::super::page::{self, List, Wanted};
use super::Request;

impl Request<'_> {
    /// The answer with a page. `within`: what of its entries is wanted.
    pub(super) async fn page(
        &self,
        wanted: Wanted<'_>,
        query: &Query,
        within: &Within,
    ) -> Result<HttpResponse, Refusal> {
        let accept = self.http.header(header::ACCEPT);
        if self.encoding == Encoding::Xml && accept.is_some_and(|accept| quality(accept, XML_LIST) == 0) {
            let message =
                format!("entries of a list have the type {XML_LIST} in XML, which Accept does not have");
            return Err(Refusal::new(406, &message));
        }
        let forest = &self.restconf.door.models().forest;
        let found = page::found(&self.restconf.door, &wanted).await?;
        let List { target, node, paging } = &wanted.list;
        let mut output = Output::begin_list(target, query, self.encoding, forest);
        let writer = PageWriter::new((&found.instances, forest), &found.meta, within, paging.sublist_limit);
        write(target, &found.page, &writer, &mut output);
        output.end();
        let media_type = if self.encoding == Encoding::Xml { XML_LIST } else { self.encoding.media_type() };
        let body = match (&found.page[..], self.encoding) {
            // A list without entries still has its name.
            ([], Encoding::Json) => {
                let (module, name) = (forest.module(*node).name, &forest[*node].name);
                format!("{{\"{module}:{name}\":[]}}").into_bytes()
            }
            _ => std::mem::take(output.octets()),
        };
        Ok(HttpResponse::new(StatusCode::OK, media_type, body))
    }
}
