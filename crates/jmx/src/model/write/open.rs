//! Open types, each once in a stream, and open data.

use std::sync::Arc;

use super::Encoder;
use crate::model::{
    ArrayType, CompositeData, CompositeType, OpenType, SimpleType, TabularData, TabularType, Value,
};
use crate::stream::classes::{java, management};

impl Encoder<'_, '_> {
    /// The type of open data.
    pub fn open_type(&mut self, open_type: &OpenType) {
        match open_type {
            OpenType::Simple(simple) => self.simple_type(*simple),
            OpenType::Array(array) => self.array_type(array),
            OpenType::Composite(composite) => self.composite_type(composite),
            OpenType::Tabular(tabular) => self.tabular_type(tabular),
        }
    }

    /// Refers to a type that the stream has.
    fn known(&mut self, place: usize) -> bool {
        let known = self.types.iter().find(|(known, _)| *known == place).map(|(_, handle)| *handle);
        if let Some(handle) = known {
            self.writer.reference(handle);
        }
        known.is_some()
    }

    fn simple_type(&mut self, simple: SimpleType) {
        // No value has an address this small.
        let place = simple as usize;
        if self.known(place) {
            return;
        }
        let handle = self.writer.object(&management::SIMPLE_TYPE);
        self.types.push((place, handle));
        let name = self.writer.string(simple.class_name());
        self.writer.reference(name);
        self.writer.reference(name);
    }

    fn array_type(&mut self, array: &Arc<ArrayType>) {
        let place = Arc::as_ptr(array).addr();
        if self.known(place) {
            return;
        }
        let handle = self.writer.object(&management::ARRAY_TYPE);
        self.types.push((place, handle));
        // Arrays of primitives have the names of arrays of boxes in a stream, for JDK 5, and a flag.
        let class = ArrayType { primitive: false, ..(**array).clone() }.class_name();
        self.writer.string(&class);
        self.writer.string(&array.description);
        self.writer.string(&class);
        self.writer.int(array.dimension);
        self.writer.boolean(array.primitive);
        self.open_type(&array.element);
    }

    fn composite_type(&mut self, composite: &Arc<CompositeType>) {
        let place = Arc::as_ptr(composite).addr();
        if self.known(place) {
            return;
        }
        let handle = self.writer.object(&management::COMPOSITE_TYPE);
        self.types.push((place, handle));
        self.writer.string("javax.management.openmbean.CompositeData");
        self.writer.string(&composite.description);
        self.writer.string(&composite.name);
        // The names are the same strings in both maps.
        let mut names = Vec::with_capacity(composite.items.len());
        self.tree_map(&composite.items, |encoder, item| {
            names.push(encoder.writer.string(&item.name));
            encoder.writer.string(&item.description);
        });
        let mut names = names.into_iter();
        self.tree_map(&composite.items, |encoder, item| {
            match names.next() {
                Some(name) => encoder.writer.reference(name),
                None => encoder.writer.text(&item.name),
            }
            encoder.open_type(&item.open_type);
        });
    }

    fn tabular_type(&mut self, tabular: &Arc<TabularType>) {
        let place = Arc::as_ptr(tabular).addr();
        if self.known(place) {
            return;
        }
        let handle = self.writer.object(&management::TABULAR_TYPE);
        self.types.push((place, handle));
        self.writer.string("javax.management.openmbean.TabularData");
        self.writer.string(&tabular.description);
        self.writer.string(&tabular.name);
        self.writer.object(&java::COLLECTIONS_UNMODIFIABLE_RANDOM_ACCESS_LIST);
        let list = self.writer.object(&java::ARRAY_LIST);
        self.list_part(&tabular.index, |encoder, name| encoder.writer.text(name));
        self.writer.reference(list);
        self.composite_type(&tabular.row);
    }

    /// A row.
    pub fn composite(&mut self, data: &CompositeData) {
        self.writer.object(&management::COMPOSITE_DATA_SUPPORT);
        self.composite_type(&data.composite_type);
        let entries: Vec<(&str, &Value)> = data
            .composite_type
            .items
            .iter()
            .zip(&data.values)
            .map(|(item, value)| (item.name.as_str(), value))
            .collect();
        self.tree_map(&entries, |encoder, (name, value)| {
            encoder.writer.string(name);
            encoder.value(value);
        });
    }

    /// A table. The key of each row is the list of its index values.
    pub fn tabular(&mut self, data: &TabularData) {
        self.writer.object(&management::TABULAR_DATA_SUPPORT);
        let index = &data.tabular_type.index;
        self.linked_map(&data.rows, |encoder, row| {
            encoder.writer.object(&java::COLLECTIONS_UNMODIFIABLE_RANDOM_ACCESS_LIST);
            let list = encoder.writer.object(&java::ARRAYS_ARRAY_LIST);
            let null = Value::Null;
            let key: Vec<&Value> = index.iter().map(|name| row.get(name).unwrap_or(&null)).collect();
            encoder.items(&java::OBJECT_ARRAY, &key, |encoder, value| encoder.value(value));
            encoder.writer.reference(list);
            encoder.composite(row);
        });
        self.tabular_type(&data.tabular_type);
    }
}
