//! Open types and open data.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Decoder, Reference, boolean, int, reference};
use crate::error::Error;
use crate::model::{
    ArrayType, CompositeData, CompositeType, Item, OpenType, SimpleType, TabularData, TabularType, Value,
};
use crate::stream::classes::management;
use crate::stream::{Id, Object};

impl<'g> Decoder<'g> {
    /// An open type, or null.
    pub fn open_type(&mut self, reference: Reference) -> Result<Option<OpenType>, Error> {
        if let Some(known) = reference.and_then(|id| self.types.get(&id)) {
            return Ok(Some(known.clone()));
        }
        let Some(id) = reference else { return Ok(None) };
        self.object_of(reference, &management::OPEN_TYPE, |decoder, object| {
            decoder.open_type_object(id, object)
        })
    }

    pub(super) fn open_type_object(&mut self, id: Id, object: &'g Object) -> Result<OpenType, Error> {
        if let Some(known) = self.types.get(&id) {
            return Ok(known.clone());
        }
        let name = self.text(reference(object, "typeName")?, "the name of an open type")?;
        let description = self.text(reference(object, "description")?, "the description of an open type")?;
        let class = object.class;
        let found = if class.is(&management::SIMPLE_TYPE) {
            let simple = SimpleType::ALL.into_iter().find(|simple| simple.class_name() == name);
            OpenType::Simple(simple.ok_or(Error::Value { what: "the name of a simple type" })?)
        } else if class.is(&management::ARRAY_TYPE) {
            let dimension = int(object, "dimension")?;
            if !(1..256).contains(&dimension) {
                return Err(Error::Value { what: "the dimension of an array type" });
            }
            let primitive = boolean(object, "primitiveArray")?;
            let element = self.required_type(reference(object, "elementType")?)?;
            OpenType::Array(Arc::new(ArrayType { dimension, primitive, element, description }))
        } else if class.is(&management::COMPOSITE_TYPE) {
            OpenType::Composite(Arc::new(self.composite_type(object, name, description)?))
        } else if class.is(&management::TABULAR_TYPE) {
            let OpenType::Composite(row) = self.required_type(reference(object, "rowType")?)? else {
                return Err(Error::Value { what: "the row type of a tabular type" });
            };
            let names = self.elements_of(reference(object, "indexNames")?)?.unwrap_or_default();
            let index =
                names.into_iter().map(|name| self.text(name, "an index name")).collect::<Result<_, _>>()?;
            OpenType::Tabular(Arc::new(TabularType { name, description, row, index }))
        } else {
            return Err(Error::kind("an open type", class.name));
        };
        self.types.insert(id, found.clone());
        Ok(found)
    }

    fn required_type(&mut self, reference: Reference) -> Result<OpenType, Error> {
        self.open_type(reference)?.ok_or(Error::Value { what: "null in place of an open type" })
    }

    fn composite_type(
        &mut self,
        object: &'g Object,
        name: String,
        description: String,
    ) -> Result<CompositeType, Error> {
        let invalid = Error::Value { what: "the items of a composite type" };
        let descriptions = self.elements_of(reference(object, "nameToDescription")?)?.unwrap_or_default();
        let types = self.elements_of(reference(object, "nameToType")?)?.unwrap_or_default();
        let mut described = HashMap::new();
        for pair in descriptions.chunks_exact(2) {
            let key = self.text(pair[0], "the name of an item")?;
            described.insert(key, self.text(pair[1], "the description of an item")?);
        }
        let mut items = Vec::new();
        for pair in types.chunks_exact(2) {
            let name = self.text(pair[0], "the name of an item")?;
            let open_type = self.required_type(pair[1])?;
            let description = described.remove(&name).ok_or_else(|| invalid.clone())?;
            items.push(Item { name, description, open_type });
        }
        if !described.is_empty() {
            return Err(invalid);
        }
        items.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(CompositeType { name, description, items })
    }

    pub(super) fn composite_object(&mut self, object: &'g Object) -> Result<CompositeData, Error> {
        let OpenType::Composite(composite_type) = self.required_type(reference(object, "compositeType")?)?
        else {
            return Err(Error::Value { what: "the type of a CompositeData" });
        };
        let contents = self.elements_of(reference(object, "contents")?)?.unwrap_or_default();
        let mut named = HashMap::new();
        for pair in contents.chunks_exact(2) {
            let key = self.text(pair[0], "the name of an item")?;
            named.insert(key, self.value(pair[1])?);
        }
        let items = &composite_type.items;
        let values: Option<Vec<Value>> = items.iter().map(|item| named.remove(&item.name)).collect();
        match values {
            Some(values) if named.is_empty() => Ok(CompositeData { composite_type, values }),
            _ => Err(Error::Value { what: "the items of a CompositeData" }),
        }
    }

    pub(super) fn tabular_object(&mut self, object: &'g Object) -> Result<TabularData, Error> {
        let OpenType::Tabular(tabular_type) = self.required_type(reference(object, "tabularType")?)? else {
            return Err(Error::Value { what: "the type of a TabularData" });
        };
        let entries = self.elements_of(reference(object, "dataMap")?)?.unwrap_or_default();
        let mut rows = Vec::new();
        for pair in entries.chunks_exact(2) {
            let row = self.object_of(pair[1], &management::COMPOSITE_DATA_SUPPORT, Self::composite_object)?;
            match row {
                Some(row) if row.composite_type == tabular_type.row => rows.push(row),
                _ => return Err(Error::Value { what: "a row of a TabularData" }),
            }
        }
        Ok(TabularData { tabular_type, rows })
    }
}
