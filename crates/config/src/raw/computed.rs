//! `[[expression]]` and `[expressions]` as written.

use serde::Deserialize;
use serde_spanned::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Computed {
    pub name: Spanned<String>,
    pub comment: Option<Spanned<String>>,
    pub expression: Spanned<String>,
    pub r#type: Option<Spanned<String>>,
    pub every: Option<Spanned<String>>,
    pub user: Option<Spanned<String>>,
    #[serde(default)]
    pub objects: Vec<ComputedObject>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ComputedObject {
    pub object: Spanned<String>,
    pub sample: Option<Spanned<String>>,
    pub discontinuity: Option<Spanned<String>>,
    pub conditional: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Expressions {
    pub max_instances: Option<Spanned<i64>>,
    pub max_per_owner: Option<Spanned<i64>>,
}
