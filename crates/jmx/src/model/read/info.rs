//! Descriptions of MBeans.

use super::{Decoder, Reference, boolean, int, reference};
use crate::error::Error;
use crate::model::{
    AttributeInfo, ConstructorInfo, Descriptor, Feature, Impact, Info, NotificationInfo, OpenLimits,
    OperationInfo, ParameterInfo, Value,
};
use crate::stream::classes::management;
use crate::stream::{Class, Extra, Node, Object, Slot};

const NULL: Error = Error::Value { what: "null in the description of an MBean" };

impl<'g> Decoder<'g> {
    /// The description of an MBean, not null.
    pub fn info(&mut self, reference: Reference) -> Result<Info, Error> {
        self.object_of(reference, &management::MBEAN_INFO, Self::info_object)?.ok_or(NULL)
    }

    pub(super) fn info_object(&mut self, object: &'g Object) -> Result<Info, Error> {
        let list = |name| reference(object, name);
        Ok(Info {
            class: self.string(list("className")?)?,
            description: self.string(list("description")?)?,
            attributes: self.features(list("attributes")?, Self::attribute_info)?,
            operations: self.features(list("operations")?, Self::operation_info)?,
            constructors: self.features(list("constructors")?, Self::constructor_info)?,
            notifications: self.features(list("notifications")?, Self::notification_info)?,
            descriptor: match object.slot("modelMBeanDescriptor") {
                Some(Slot::Reference(own)) => self.other_descriptor(own)?,
                _ => self.descriptor(object, &management::MBEAN_INFO)?,
            },
            open: object.class.is(&management::OPEN_MBEAN_INFO_SUPPORT),
        })
    }

    /// The elements of an array of any class of descriptions.
    fn features<T>(
        &mut self,
        list: Reference,
        mut read: impl FnMut(&mut Self, &'g Object) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let Some(id) = list else { return Ok(Vec::new()) };
        self.within(id, |decoder, node| {
            let Node::Array { items, .. } = node else {
                return Err(Error::kind("descriptions", node.kind()));
            };
            let mut features = Vec::new();
            for item in items {
                let one = decoder.object_of(*item, &management::MBEAN_FEATURE_INFO, &mut read)?;
                features.push(one.ok_or(NULL)?);
            }
            Ok(features)
        })
    }

    /// What `MBeanInfo` and `MBeanFeatureInfo` write after their fields: 1 with names and values, or 0 with an object.
    fn descriptor(&mut self, object: &'g Object, class: &'static Class) -> Result<Descriptor, Error> {
        let invalid = Error::Value { what: "the descriptor of an MBean" };
        match object.part(class).map(|part| part.extra.as_slice()) {
            Some([]) => Ok(Descriptor::new()),
            Some([Extra::Octets(form), Extra::Reference(names), Extra::Reference(values)])
                if form == &[1] =>
            {
                let names = self.strings(*names)?.unwrap_or_default();
                self.fields(names, *values)
            }
            Some([Extra::Octets(form), Extra::Reference(other)]) if form == &[0] => {
                self.other_descriptor(*other)
            }
            _ => Err(invalid),
        }
    }

    fn fields(&mut self, names: Vec<String>, values: Reference) -> Result<Descriptor, Error> {
        let values =
            self.items(values, &crate::stream::classes::java::OBJECT_ARRAY, Self::value)?.unwrap_or_default();
        if names.len() != values.len() {
            return Err(Error::Value { what: "the number of values of a descriptor" });
        }
        Ok(names.into_iter().zip(values).collect())
    }

    fn other_descriptor(&mut self, reference: Reference) -> Result<Descriptor, Error> {
        let Some(id) = reference else { return Ok(Descriptor::new()) };
        self.within(id, |decoder, node| match node {
            Node::Object(object) => decoder
                .descriptor_object(object)?
                .ok_or_else(|| Error::kind("a descriptor", object.class.name)),
            other => Err(Error::kind("a descriptor", other.kind())),
        })
    }

    /// The fields of an object that is a descriptor.
    pub(super) fn descriptor_object(&mut self, object: &'g Object) -> Result<Option<Descriptor>, Error> {
        if object.class.is(&management::IMMUTABLE_DESCRIPTOR) {
            let names = self.strings(reference(object, "names")?)?.unwrap_or_default();
            return self.fields(names, reference(object, "values")?).map(Some);
        }
        if !object.class.is(&management::DESCRIPTOR_SUPPORT) {
            return Ok(None);
        }
        let entries = self.elements_of(reference(object, "descriptor")?)?.unwrap_or_default();
        let mut fields = Descriptor::new();
        for pair in entries.chunks_exact(2) {
            let name = self.text(pair[0], "the name of a field")?;
            fields.push((name, self.value(pair[1])?));
        }
        Ok(Some(fields))
    }

    fn feature(&mut self, object: &'g Object) -> Result<Feature, Error> {
        // Parts of models have a descriptor of their own, and leave the one of all parts empty.
        let own = ["attrDescriptor", "consDescriptor", "notificationDescriptor", "operationDescriptor"];
        Ok(Feature {
            name: self.string(reference(object, "name")?)?,
            description: self.string(reference(object, "description")?)?,
            descriptor: match own.iter().find_map(|field| object.slot(field)) {
                Some(Slot::Reference(own)) => self.other_descriptor(own)?,
                _ => self.descriptor(object, &management::MBEAN_FEATURE_INFO)?,
            },
        })
    }

    fn attribute_info(&mut self, object: &'g Object) -> Result<AttributeInfo, Error> {
        Ok(AttributeInfo {
            feature: self.feature(object)?,
            class: self.string(reference(object, "attributeType")?)?,
            readable: boolean(object, "isRead")?,
            writable: boolean(object, "isWrite")?,
            is: boolean(object, "is")?,
            open: self.limits(object, &management::OPEN_MBEAN_ATTRIBUTE_INFO_SUPPORT)?,
        })
    }

    fn limits(
        &mut self,
        object: &'g Object,
        class: &'static Class,
    ) -> Result<Option<Box<OpenLimits>>, Error> {
        if !object.class.is(class) {
            return Ok(None);
        }
        let field = |name| reference(object, name);
        Ok(Some(Box::new(OpenLimits {
            open_type: self.open_type(field("openType")?)?.ok_or(NULL)?,
            default: self.value(field("defaultValue")?)?,
            legal: self.value(field("legalValues")?)?,
            min: self.value(field("minValue")?)?,
            max: self.value(field("maxValue")?)?,
        })))
    }

    fn operation_info(&mut self, object: &'g Object) -> Result<OperationInfo, Error> {
        let open = object.class.is(&management::OPEN_MBEAN_OPERATION_INFO_SUPPORT);
        Ok(OperationInfo {
            feature: self.feature(object)?,
            parameters: self.features(reference(object, "signature")?, Self::parameter_info)?,
            class: self.string(reference(object, "type")?)?,
            impact: Impact::from(int(object, "impact")?),
            open: if open { self.open_type(reference(object, "returnOpenType")?)? } else { None },
        })
    }

    fn constructor_info(&mut self, object: &'g Object) -> Result<ConstructorInfo, Error> {
        Ok(ConstructorInfo {
            feature: self.feature(object)?,
            parameters: self.features(reference(object, "signature")?, Self::parameter_info)?,
            open: object.class.is(&management::OPEN_MBEAN_CONSTRUCTOR_INFO_SUPPORT),
        })
    }

    fn parameter_info(&mut self, object: &'g Object) -> Result<ParameterInfo, Error> {
        Ok(ParameterInfo {
            feature: self.feature(object)?,
            class: self.string(reference(object, "type")?)?,
            open: self.limits(object, &management::OPEN_MBEAN_PARAMETER_INFO_SUPPORT)?,
        })
    }

    fn notification_info(&mut self, object: &'g Object) -> Result<NotificationInfo, Error> {
        let types = self.value(reference(object, "types")?)?;
        let types = match types {
            Value::Array(crate::model::Array::Strings(types)) => types,
            _ => return Err(Error::Value { what: "the types of a notification" }),
        };
        Ok(NotificationInfo { feature: self.feature(object)?, types })
    }
}
