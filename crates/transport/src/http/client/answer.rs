//! Reading an answer within limits.

use bytes::{Bytes, BytesMut};
use http::{Response, header};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};

use super::error::HttpLinkError;
use super::{HttpAnswer, LinkOptions};
use crate::http::coding::content_coding;
use crate::http::inflate::{Bounds, inflate};

pub(super) async fn read(
    response: Response<Incoming>,
    options: &LinkOptions,
) -> Result<HttpAnswer, HttpLinkError> {
    let (parts, mut incoming) = response.into_parts();
    let limit = options.max_answer;
    let coding = content_coding(&parts.headers)?;
    let announced =
        incoming.size_hint().exact().map_or(0, |octets| usize::try_from(octets).unwrap_or(usize::MAX));
    if announced > limit {
        return Err(HttpLinkError::TooLong { limit });
    }
    let mut body = BytesMut::new();
    let mut only = Bytes::new();
    while let Some(frame) = incoming.frame().await {
        let frame = frame.map_err(|error| HttpLinkError::of(error, true))?;
        let Ok(octets) = frame.into_data() else { continue };
        if octets.len() + body.len() + only.len() > limit {
            return Err(HttpLinkError::TooLong { limit });
        }
        if body.is_empty() && only.is_empty() {
            // Most answers arrive in one piece.
            only = octets;
            continue;
        }
        if !only.is_empty() {
            body.reserve(announced.max(only.len() + octets.len()));
            body.extend_from_slice(&std::mem::take(&mut only));
        }
        body.extend_from_slice(&octets);
    }
    let received = if only.is_empty() { body.freeze() } else { only };
    let body_octets = received.len();
    let mut headers = parts.headers;
    let body = match coding.filter(|_| !received.is_empty()) {
        Some(coding) => {
            headers.remove(header::CONTENT_ENCODING);
            headers.remove(header::CONTENT_LENGTH);
            inflate(&received, coding, Bounds { octets: limit, growth: options.max_growth })?.into()
        }
        None => received,
    };
    Ok(HttpAnswer { status: parts.status, headers, body, body_octets })
}
