//! Pages of a list (draft-ietf-netconf-list-pagination-08, -rc-10 and -nc-11): which entries, in which order, and what is known of the
//! others. RESTCONF has it as parameters of a query and a path, NETCONF as an element and a filter.

mod expression;
mod listed;
mod page;
mod request;

use trunkline_netconf::error::{Layer, RpcError, Tag};

pub use self::expression::{cursor_keys, holding_in};
pub use self::listed::listed;
pub use self::page::{Entry, Meta, PageSink, PageWriter, entries, keys_of, sort, sort_path, write};

use crate::refusal::Refusal;

/// The namespace of the annotations, whose name is also their module's.
pub const PAGINATION: &str = "urn:ietf:params:xml:ns:yang:ietf-list-pagination";

/// What is asked of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paging {
    /// What must hold of an entry: an expression of XPath.
    pub filter: Option<String>,
    /// What the prefixes of the expression stand for, if they are not the names of modules.
    pub prefixes: Option<Vec<(String, String)>>,
    /// By which leaf entries are sorted.
    pub sort_by: Option<String>,
    /// By whose rules.
    pub locale: Option<String>,
    /// Whether the last entry is the first.
    pub is_backwards: bool,
    /// How many entries are left out.
    pub offset: Option<u32>,
    /// With which entry the page begins, as an answer has named it.
    pub cursor: Option<String>,
    /// How many entries there are at most.
    pub limit: Option<u32>,
    /// How many entries lists within an entry have at most.
    pub sublist_limit: Option<u32>,
}

/// Which entries a page has, in the order in which they are passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// How many are before them.
    pub first: usize,
    /// How many they are.
    pub count: usize,
    /// How many are behind them.
    pub remaining: usize,
}

impl Paging {
    /// Takes a parameter of a query, if it is one of these.
    ///
    /// # Errors
    /// 400: it has a value that it cannot have.
    pub fn take(&mut self, name: &str, value: &str) -> Result<bool, Refusal> {
        match name {
            "where" => self.filter = (value != "unfiltered").then(|| value.to_owned()),
            "sort-by" => self.sort_by = (value != "none").then(|| value.to_owned()),
            "locale" => self.locale = Some(value.to_owned()),
            "cursor" => self.cursor = Some(value.to_owned()),
            "offset" => self.offset = Some(number(name, value, 0)?),
            "limit" => self.limit = if value == "unbounded" { None } else { Some(number(name, value, 1)?) },
            "sublist-limit" => {
                self.sublist_limit = if value == "unbounded" { None } else { Some(number(name, value, 1)?) };
            }
            "direction" => {
                self.is_backwards = match value {
                    "forwards" => false,
                    "backwards" => true,
                    _ => return Err(invalid("direction must be forwards or backwards")),
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Checks what several parameters say together.
    ///
    /// # Errors
    /// 400, and 501 for rules of sorting that are not known here.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.offset.is_some() && self.cursor.is_some() {
            return Err(invalid("offset and cursor both say where the page begins: give one of them"));
        }
        let Some(locale) = &self.locale else { return Ok(()) };
        if self.sort_by.is_none() {
            return Err(invalid("locale is for sort-by, which is missing"));
        }
        if locale.strip_suffix(".UTF-8").unwrap_or(locale) == LOCALE {
            return Ok(());
        }
        let message = format!("texts are sorted by their characters' numbers: the only locale is {LOCALE}");
        let error = RpcError::new(Layer::Application, Tag::InvalidValue, message);
        Err(Refusal { status: 501, errors: vec![error.called("locale-unavailable")] })
    }

    /// The entries of the page among so many. `cursor`: how many are before the one that the cursor names.
    ///
    /// # Errors
    /// 416: more are to be left out than there are.
    pub fn window(&self, total: usize, cursor: Option<usize>) -> Result<Window, Refusal> {
        let first = cursor.unwrap_or_else(|| self.offset.map_or(0, widened));
        if first > total {
            let message = format!("offset is {first}, and there are {total} entries");
            let error = RpcError::new(Layer::Application, Tag::InvalidValue, message);
            return Err(Refusal { status: 416, errors: vec![error.called("offset-out-of-range")] });
        }
        let count = self.limit.map_or(usize::MAX, widened).min(total - first);
        Ok(Window { first, count, remaining: total - first - count })
    }

    /// The refusal of a cursor that names no entry.
    #[must_use]
    pub fn no_cursor() -> Refusal {
        let message = "the cursor names no entry of this list: begin again without it";
        let error = RpcError::new(Layer::Application, Tag::InvalidValue, message);
        Refusal { status: 404, errors: vec![error.called("cursor-not-found")] }
    }

    /// The refusal of a filter of NETCONF that is not a path to a list.
    #[must_use]
    pub fn no_path() -> RpcError {
        error(
            "with list-pagination the filter must be a path to one list or leaf-list, with all keys of the entries that it is in: what \
             must hold of its own entries is for where",
        )
    }

    /// The refusal of pages of something other than a list.
    #[must_use]
    pub fn no_list() -> Refusal {
        let message = "limit, offset, cursor, direction, sort-by, locale, where and sublist-limit are for a list or leaf-list as a whole: \
                       leave out the keys behind its name";
        let error = RpcError::new(Layer::Protocol, Tag::OperationNotSupported, message);
        Refusal { status: 400, errors: vec![error] }
    }
}

/// How texts are sorted: by their octets.
pub const LOCALE: &str = "C";

fn widened(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn number(name: &str, value: &str, least: u32) -> Result<u32, Refusal> {
    let is_number = value.bytes().all(|it| it.is_ascii_digit());
    let number = value.parse().ok().filter(|number| is_number && *number >= least);
    number.ok_or_else(|| invalid(&format!("{name} must be a number from {least} to {}", u32::MAX)))
}

fn invalid(message: &str) -> Refusal {
    error(message).into()
}

fn error(message: &str) -> RpcError {
    RpcError::new(Layer::Application, Tag::InvalidValue, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(parameters: &[(&str, &str)]) -> Result<Paging, u16> {
        let mut paging = Paging::default();
        for (name, value) in parameters {
            assert!(paging.take(name, value).map_err(|it| it.status)?, "{name}");
        }
        paging.check().map(|()| paging).map_err(|it| it.status)
    }

    #[test]
    fn parameters_have_their_values() {
        let all = [
            ("limit", "2"),
            ("offset", "0"),
            ("direction", "backwards"),
            ("sublist-limit", "1"),
            ("where", "a"),
        ];
        let paging = read(&all).unwrap();
        assert_eq!((paging.limit, paging.offset, paging.is_backwards), (Some(2), Some(0), true));
        assert_eq!(read(&[("limit", "unbounded")]).unwrap().limit, None);
        assert_eq!(read(&[("where", "unfiltered"), ("sort-by", "none")]), Ok(Paging::default()));
        assert!(read(&[("locale", "C.UTF-8"), ("sort-by", "a")]).is_ok());
        for (wrong, status) in [
            (&[("limit", "0")][..], 400),
            (&[("limit", "-1")], 400),
            (&[("limit", "4294967296")], 400),
            (&[("offset", "+1")], 400),
            (&[("offset", "unbounded")], 400),
            (&[("direction", "up")], 400),
            (&[("offset", "1"), ("cursor", "x")], 400),
            (&[("locale", "C")], 400),
            (&[("locale", "sv_SE"), ("sort-by", "a")], 501),
        ] {
            assert_eq!(read(wrong), Err(status), "{wrong:?}");
        }
        assert_eq!(Paging::default().take("depth", "1"), Ok(false));
    }

    #[test]
    fn windows_are_within_the_list() {
        let window = |paging: &[(&str, &str)], total, cursor| {
            let window = read(paging).unwrap().window(total, cursor).map_err(|it| it.status)?;
            Ok((window.first, window.count, window.remaining))
        };
        for (parameters, total, cursor, expected) in [
            (&[][..], 5, None, Ok((0, 5, 0))),
            (&[("limit", "2")], 5, None, Ok((0, 2, 3))),
            (&[("limit", "2"), ("offset", "4")], 5, None, Ok((4, 1, 0))),
            (&[("offset", "5")], 5, None, Ok((5, 0, 0))),
            (&[("offset", "6")], 5, None, Err(416)),
            (&[("limit", "2")], 5, Some(3), Ok((3, 2, 0))),
            (&[("limit", "1")], 0, None, Ok((0, 0, 0))),
        ] {
            assert_eq!(window(parameters, total, cursor), expected, "{parameters:?}");
        }
    }
}
