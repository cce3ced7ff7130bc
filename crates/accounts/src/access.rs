//! Rows of VACM's tables (RFC 3415 section 4), and of the table in which Net-SNMP keeps what else a group may do.

use trunkline_smi::module::snmp_view_based_acm_mib::{
    VACM_ACCESS_TABLE, VACM_SECURITY_TO_GROUP_TABLE, VACM_VIEW_TREE_FAMILY_TABLE,
};
use trunkline_smi::schema::MaxAccess::{NotAccessible, ReadCreate};
use trunkline_smi::schema::{Column, IndexEncoding, IndexPart, Syntax, Table};
use trunkline_smi::{IndexValue, Oid, Value};
use trunkline_snmp::wire::VarBind;

use crate::AccountError;
use crate::row::{Action, Row, name_index};

/// nsVacmAccessTable of NET-SNMP-VACM-MIB, as far as managers write it.
static NS_VACM_ACCESS_TABLE: Table = Table {
    name: "nsVacmAccessTable",
    entry: "nsVacmAccessEntry",
    oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 9, 1],
    index: &[
        VACM_ACCESS_TABLE.index[0],
        VACM_ACCESS_TABLE.index[1],
        VACM_ACCESS_TABLE.index[2],
        VACM_ACCESS_TABLE.index[3],
        IndexPart::new("nsVacmAuthType", IndexEncoding::Octets, Syntax::admin_string(0, 32)),
    ],
    columns: &[
        Column::new(1, "nsVacmAuthType", NotAccessible, Syntax::admin_string(0, 32)),
        Column::new(2, "nsVacmContextMatch", ReadCreate, Syntax::enumeration(&[(1, "exact"), (2, "prefix")])),
        Column::new(3, "nsVacmViewName", ReadCreate, Syntax::admin_string(0, 32)),
        Column::new(4, "nsVacmStorageType", ReadCreate, Syntax::STORAGE_TYPE),
        Column::new(5, "nsVacmStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// A row of one of the tables: what all of them have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessRow {
    row: Row,
    status: &'static str,
}

impl AccessRow {
    /// The principal `name` of a security model, in vacmSecurityToGroupTable.
    ///
    /// # Errors
    /// The name is empty or has more than 32 octets.
    pub fn member(model: u32, name: &[u8]) -> Result<Self, AccountError> {
        let index = [IndexValue::Integer(model), name_index("the name", name, 1)?];
        let row = Row::new(&VACM_SECURITY_TO_GROUP_TABLE, &index)?;
        Ok(AccessRow { row, status: "vacmSecurityToGroupStatus" })
    }

    /// A group's rights, in vacmAccessTable.
    ///
    /// # Errors
    /// A name is too long, or the group's is empty.
    pub fn rights(scope: &Scope<'_>) -> Result<Self, AccountError> {
        let row = Row::new(&VACM_ACCESS_TABLE, &scope.index()?)?;
        Ok(AccessRow { row, status: "vacmAccessStatus" })
    }

    /// What else a group may do at Net-SNMP's agent or receiver: `log`, `execute`, `net`; in nsVacmAccessTable.
    ///
    /// # Errors
    /// As [`AccessRow::rights`].
    pub fn other_rights(scope: &Scope<'_>, kind: &[u8]) -> Result<Self, AccountError> {
        let mut index = scope.index()?;
        index.push(name_index("the kind of access", kind, 0)?);
        let row = Row::new(&NS_VACM_ACCESS_TABLE, &index)?;
        Ok(AccessRow { row, status: "nsVacmStatus" })
    }

    /// A subtree of a view, in vacmViewTreeFamilyTable.
    ///
    /// # Errors
    /// The name is empty or too long, or the subtree has too many sub-identifiers.
    pub fn family(view: &[u8], subtree: &Oid) -> Result<Self, AccountError> {
        let index = [name_index("the view", view, 1)?, IndexValue::ObjectIdentifier(subtree.clone())];
        let row = Row::new(&VACM_VIEW_TREE_FAMILY_TABLE, &index)?;
        Ok(AccessRow { row, status: "vacmViewTreeFamilyStatus" })
    }

    /// The instance that every such row has.
    #[must_use]
    pub fn status(&self) -> Oid {
        self.row.at(self.status)
    }

    /// Creates the row with these cells.
    #[must_use]
    pub fn create(&self, cells: Vec<VarBind>) -> Vec<VarBind> {
        let mut bindings = vec![self.row.act(self.status, Action::Create)];
        bindings.extend(cells);
        bindings
    }

    /// Deletes the row.
    #[must_use]
    pub fn delete(&self) -> VarBind {
        self.row.act(self.status, Action::Delete)
    }

    /// The cell of a member.
    #[must_use]
    pub fn in_group(&self, group: &[u8]) -> Vec<VarBind> {
        vec![self.text("vacmGroupName", group)]
    }

    /// The cells of rights: how the context is compared, and the views to read, write and be notified of.
    #[must_use]
    pub fn with_views(&self, matching: i32, [read, write, notify]: [&[u8]; 3]) -> Vec<VarBind> {
        vec![
            self.row.set("vacmAccessContextMatch", Value::Integer(matching)),
            self.text("vacmAccessReadViewName", read),
            self.text("vacmAccessWriteViewName", write),
            self.text("vacmAccessNotifyViewName", notify),
        ]
    }

    /// The cells of other rights.
    #[must_use]
    pub fn with_view(&self, matching: i32, view: &[u8]) -> Vec<VarBind> {
        vec![self.row.set("nsVacmContextMatch", Value::Integer(matching)), self.text("nsVacmViewName", view)]
    }

    /// The cells of a subtree: which of its sub-identifiers count, and whether it is in the view or excluded from it.
    #[must_use]
    pub fn with_mask(&self, mask: &[u8], is_excluded: bool) -> Vec<VarBind> {
        vec![
            self.text("vacmViewTreeFamilyMask", mask),
            self.row.set("vacmViewTreeFamilyType", Value::Integer(if is_excluded { 2 } else { 1 })),
        ]
    }

    fn text(&self, column: &str, octets: &[u8]) -> VarBind {
        self.row.set(column, Value::OctetString(octets.to_vec()))
    }
}

/// To what rights of a group apply.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The group.
    pub group: &'a [u8],
    /// The context, or what its name begins with.
    pub context: &'a [u8],
    /// The security model; 0 is any.
    pub model: u32,
    /// The least security level: 1 noAuthNoPriv, 2 authNoPriv, 3 authPriv.
    pub level: u32,
}

impl Scope<'_> {
    fn index(&self) -> Result<Vec<IndexValue>, AccountError> {
        Ok(vec![
            name_index("the group", self.group, 1)?,
            name_index("the context", self.context, 0)?,
            IndexValue::Integer(self.model),
            IndexValue::Integer(self.level),
        ])
    }
}

/// A mask as octets: hexadecimal digits, a colon, a dot or nothing between two octets; at most 16.
///
/// # Errors
/// Something else.
pub fn mask(text: &str) -> Result<Vec<u8>, AccountError> {
    let octets = text.split([':', '.']).flat_map(|part| part.as_bytes().chunks(2)).map(|pair| match pair {
        [high, low] => {
            let digit = |digit: u8| char::from(digit).to_digit(16);
            u8::try_from(digit(*high)? << 4 | digit(*low)?).ok()
        }
        _ => None,
    });
    let octets: Option<Vec<u8>> = octets.collect();
    let octets = octets
        .filter(|octets| (1..=16).contains(&octets.len()) && text.ends_with(|c: char| c.is_ascii_hexdigit()));
    octets.ok_or_else(|| AccountError::Mask { found: text.to_owned() })
}

/// A mask as [`mask`] reads it.
#[must_use]
pub fn mask_text(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02X}")).collect::<Vec<_>>().join(":")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(bindings: &[VarBind]) -> Vec<String> {
        bindings.iter().map(|binding| format!("{} {:?}", binding.name, binding.value)).collect()
    }

    /// The names that Net-SNMP's snmpvacm sends.
    #[test]
    fn rows_have_the_indexes_of_the_tables() {
        let member = AccessRow::member(3, b"bob").unwrap();
        let sent = found(&member.create(member.in_group(b"g")));
        assert_eq!(sent[0], "1.3.6.1.6.3.16.1.2.1.5.3.3.98.111.98 Value(Integer(4))");
        assert!(sent[1].starts_with("1.3.6.1.6.3.16.1.2.1.3.3.3.98.111.98 "), "{sent:?}");
        let scope = Scope { group: b"g", context: b"ctx", model: 3, level: 1 };
        let rights = AccessRow::rights(&scope).unwrap();
        let sent = found(&rights.create(rights.with_views(2, [b"r", b"w", b"n"])));
        for (binding, column) in sent.iter().zip([9, 4, 5, 6, 7]) {
            let name = format!("1.3.6.1.6.3.16.1.4.1.{column}.1.103.3.99.116.120.3.1 ");
            assert!(binding.starts_with(&name), "{binding} {name}");
        }
        let other = AccessRow::other_rights(&scope, b"log").unwrap();
        let sent = found(&other.create(other.with_view(1, b"v")));
        for (binding, column) in sent.iter().zip([5, 2, 3]) {
            let name = format!("1.3.6.1.4.1.8072.1.9.1.1.{column}.1.103.3.99.116.120.3.1.3.108.111.103 ");
            assert!(binding.starts_with(&name), "{binding} {name}");
        }
        let family = AccessRow::family(b"v", &Oid::from([1, 3])).unwrap();
        let sent = found(&family.create(family.with_mask(&[0x80], true)));
        assert!(sent[1].starts_with("1.3.6.1.6.3.16.1.5.2.1.3.1.118.2.1.3 "), "{sent:?}");
        assert_eq!(sent[2], "1.3.6.1.6.3.16.1.5.2.1.4.1.118.2.1.3 Value(Integer(2))");
        assert_eq!(found(&[family.delete()]), ["1.3.6.1.6.3.16.1.5.2.1.6.1.118.2.1.3 Value(Integer(6))"]);
        assert_eq!(family.status(), family.delete().name);
    }

    #[test]
    fn names_that_are_too_long_are_refused() {
        let long = [b'x'; 33];
        for name in [&long[..], b""] {
            assert!(AccessRow::member(3, name).unwrap_err().to_string().contains("1 to 32"));
            let subtree = Oid::from([1, 3]);
            assert!(AccessRow::family(name, &subtree).unwrap_err().to_string().contains("1 to 32"));
        }
        let scope = Scope { group: b"g", context: &long, model: 3, level: 1 };
        assert!(AccessRow::rights(&scope).unwrap_err().to_string().contains("the context"));
        let scope = Scope { context: b"", ..scope };
        assert!(AccessRow::other_rights(&scope, &long).unwrap_err().to_string().contains("kind of access"));
        let deep = Oid::EMPTY.child(&[1; 120]);
        let error = AccessRow::family(b"v", &deep).unwrap_err();
        assert_eq!(error, AccountError::Index { table: "vacmViewTreeFamilyTable" });
    }

    #[test]
    fn masks_are_hexadecimal() {
        assert_eq!(mask("ff:A0"), Ok(vec![0xff, 0xa0]));
        assert_eq!(mask("ff.a0"), mask("ffa0"));
        for wrong in ["", "f", "zz", "ff:", "ff:a", "f:ff", "+f", &"ff".repeat(17), "é1"] {
            let error = mask(wrong).unwrap_err().to_string();
            assert!(error.contains("hexadecimal"), "{wrong} {error}");
        }
    }

    proptest! {
        #[test]
        fn masks_are_read_as_they_are_written(octets in proptest::collection::vec(0u8.., 1..=16)) {
            prop_assert_eq!(mask(&mask_text(&octets)), Ok(octets));
        }

        #[test]
        fn no_mask_panics(text: String) {
            let _ = mask(&text);
        }
    }
}
