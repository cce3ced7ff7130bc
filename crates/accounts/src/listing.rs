//! VACM's tables as a manager shows them.

use trunkline_smi::module::snmp_view_based_acm_mib::{
    VACM_ACCESS_TABLE, VACM_SECURITY_TO_GROUP_TABLE, VACM_VIEW_TREE_FAMILY_TABLE,
};
use trunkline_smi::schema::Table;
use trunkline_smi::{IndexValue, Oid, decode_index};

use crate::access::mask_text;
use crate::row::{Cells, columns_of, named, number, octets};

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Who is in which group.
    Members,
    /// What groups may do.
    Rights,
    /// Of which subtrees views consist.
    Views,
}

/// The security models of the RFCs; another one is shown as its number.
pub(crate) const MODELS: [(u32, &str); 5] = [(0, "any"), (1, "v1"), (2, "v2c"), (3, "usm"), (4, "tsm")];

const MEMBERS: &[&str] = &["vacmGroupName", "vacmSecurityToGroupStatus", "vacmSecurityToGroupStorageType"];
const RIGHTS: &[&str] = &[
    "vacmAccessContextMatch",
    "vacmAccessReadViewName",
    "vacmAccessWriteViewName",
    "vacmAccessNotifyViewName",
    "vacmAccessStatus",
    "vacmAccessStorageType",
];
const VIEWS: &[&str] = &[
    "vacmViewTreeFamilyType",
    "vacmViewTreeFamilyMask",
    "vacmViewTreeFamilyStatus",
    "vacmViewTreeFamilyStorageType",
];

impl Listing {
    const fn table(self) -> (&'static Table, &'static [&'static str]) {
        match self {
            Listing::Members => (&VACM_SECURITY_TO_GROUP_TABLE, MEMBERS),
            Listing::Rights => (&VACM_ACCESS_TABLE, RIGHTS),
            Listing::Views => (&VACM_VIEW_TREE_FAMILY_TABLE, VIEWS),
        }
    }

    /// The table's name.
    #[must_use]
    pub const fn table_name(self) -> &'static str {
        self.table().0.name
    }

    /// The columns that [`Listing::row`] reads.
    #[must_use]
    pub fn columns(self) -> Vec<Oid> {
        let (table, columns) = self.table();
        columns_of(table, columns)
    }

    /// The names of what [`Listing::row`] gives.
    #[must_use]
    pub const fn header(self) -> &'static [&'static str] {
        match self {
            Listing::Members => &["group", "name", "model", "status", "storage"],
            Listing::Rights => &[
                "group", "context", "match", "model", "level", "read", "write", "notify", "status", "storage",
            ],
            Listing::Views => &["view", "type", "object", "subtree", "mask", "status", "storage"],
        }
    }

    /// A row; `None` where the index is not one of the table. What the agent does not show is missing, and so are empty names of
    /// views. `name`: the name of an object.
    #[must_use]
    pub fn row(
        self,
        index: &[u32],
        cells: &Cells,
        name: impl Fn(&Oid) -> String,
    ) -> Option<Vec<Option<String>>> {
        let (table, columns) = self.table();
        let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
        let cell =
            |at: usize| octets(cells, at).filter(|octets| !octets.is_empty()).map(|octets| text(&octets));
        let word = |at: usize| {
            number(cells, at).and_then(|found| named(table, columns[at], found)).map(str::to_owned)
        };
        let model = |model: u32| {
            let known = MODELS.iter().find(|(number, _)| *number == model);
            known.map_or_else(|| model.to_string(), |(_, name)| (*name).to_owned())
        };
        Some(match &decode_index(table.index, index).ok()?[..] {
            [IndexValue::Integer(number), IndexValue::Octets(name)] => {
                vec![cell(0), Some(text(name)), Some(model(*number)), word(1), word(2)]
            }
            [
                IndexValue::Octets(group),
                IndexValue::Octets(context),
                IndexValue::Integer(number),
                IndexValue::Integer(level),
            ] => {
                let level = i32::try_from(*level)
                    .ok()
                    .and_then(|level| named(table, "vacmAccessSecurityLevel", level));
                vec![
                    Some(text(group)),
                    Some(text(context)),
                    word(0),
                    Some(model(*number)),
                    level.map(str::to_owned),
                    cell(1),
                    cell(2),
                    cell(3),
                    word(4),
                    word(5),
                ]
            }
            [IndexValue::Octets(view), IndexValue::ObjectIdentifier(subtree)] => {
                let mask = octets(cells, 1).filter(|octets| !octets.is_empty());
                let mask = mask.map(|octets| mask_text(&octets));
                vec![
                    Some(text(view)),
                    word(0),
                    Some(name(subtree)),
                    Some(subtree.to_string()),
                    mask,
                    word(2),
                    word(3),
                ]
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use trunkline_smi::Value;
    use trunkline_snmp::wire::Bound;

    use super::*;

    fn shown(listing: Listing, index: &[u32], cells: &[Value]) -> Option<Vec<String>> {
        let cells: Vec<Option<Bound>> =
            cells.iter().cloned().map(|value| Some(Bound::Value(value))).collect();
        let row = listing.row(index, &cells, |oid| format!("<{oid}>"))?;
        assert_eq!(row.len(), listing.header().len());
        Some(row.into_iter().map(|cell| cell.unwrap_or_else(|| "-".to_owned())).collect())
    }

    #[test]
    fn rows_are_shown_with_names() {
        let integer = Value::Integer;
        let row = shown(Listing::Members, &[3, 3, 98, 111, 98], &[Value::text("g"), integer(1), integer(3)]);
        assert_eq!(row.unwrap(), ["g", "bob", "usm", "active", "nonVolatile"]);
        let cells = [integer(2), Value::text("r"), Value::text(""), Value::text("n"), integer(1), integer(5)];
        let row = shown(Listing::Rights, &[1, 103, 3, 99, 116, 120, 0, 3], &cells);
        assert_eq!(
            row.unwrap(),
            ["g", "ctx", "prefix", "any", "authPriv", "r", "-", "n", "active", "readOnly"]
        );
        let cells = [integer(2), Value::OctetString(vec![0xff, 0xa0]), integer(2)];
        let row = shown(Listing::Views, &[1, 118, 2, 1, 3], &cells);
        assert_eq!(row.unwrap(), ["v", "excluded", "<1.3>", "1.3", "FF:A0", "notInService", "-"]);
        for listing in [Listing::Members, Listing::Rights, Listing::Views] {
            assert_eq!(shown(listing, &[9, 1], &[]), None);
            assert_eq!(listing.columns().len(), listing.table().1.len());
        }
    }

    #[test]
    fn an_unknown_model_is_its_number() {
        assert_eq!(shown(Listing::Members, &[77, 1, 98], &[]).unwrap(), ["-", "b", "77", "-", "-"]);
    }
}
