//! Descriptions of MBeans.

use super::Encoder;
use crate::model::{
    AttributeInfo, ConstructorInfo, Descriptor, Feature, Info, NotificationInfo, OpenLimits, OperationInfo,
    ParameterInfo,
};
use crate::stream::classes::{java, management};

impl Encoder<'_, '_> {
    /// The description of an MBean.
    pub fn info(&mut self, info: &Info) {
        let class = if info.open { &management::OPEN_MBEAN_INFO_SUPPORT } else { &management::MBEAN_INFO };
        self.writer.object(class);
        self.items(&management::MBEAN_ATTRIBUTE_INFO_ARRAY, &info.attributes, Self::attribute_info);
        self.writer.optional_string(info.class.as_deref());
        self.items(&management::MBEAN_CONSTRUCTOR_INFO_ARRAY, &info.constructors, Self::constructor_info);
        self.writer.optional_string(info.description.as_deref());
        self.items(&management::MBEAN_NOTIFICATION_INFO_ARRAY, &info.notifications, Self::notification_info);
        self.items(&management::MBEAN_OPERATION_INFO_ARRAY, &info.operations, Self::operation_info);
        self.descriptor(&info.descriptor);
    }

    fn descriptor(&mut self, descriptor: &Descriptor) {
        self.writer.block(&[1]);
        self.fields(descriptor);
        self.writer.end();
    }

    /// Names and values.
    pub(super) fn fields(&mut self, descriptor: &Descriptor) {
        let names: Vec<&str> = descriptor.iter().map(|(name, _)| name.as_str()).collect();
        self.strings(&names);
        self.items(&java::OBJECT_ARRAY, descriptor, |encoder, (_, value)| encoder.value(value));
    }

    fn feature(&mut self, feature: &Feature) {
        self.writer.optional_string(feature.description.as_deref());
        self.writer.optional_string(feature.name.as_deref());
        self.descriptor(&feature.descriptor);
    }

    fn attribute_info(&mut self, info: &AttributeInfo) {
        self.writer.object(match info.open {
            Some(_) => &management::OPEN_MBEAN_ATTRIBUTE_INFO_SUPPORT,
            None => &management::MBEAN_ATTRIBUTE_INFO,
        });
        self.feature(&info.feature);
        self.writer.boolean(info.is);
        self.writer.boolean(info.readable);
        self.writer.boolean(info.writable);
        self.writer.optional_string(info.class.as_deref());
        self.limits(info.open.as_deref());
    }

    fn limits(&mut self, limits: Option<&OpenLimits>) {
        let Some(limits) = limits else { return };
        self.value(&limits.default);
        self.value(&limits.legal);
        self.value(&limits.max);
        self.value(&limits.min);
        self.open_type(&limits.open_type);
    }

    fn operation_info(&mut self, info: &OperationInfo) {
        self.writer.object(match info.open {
            Some(_) => &management::OPEN_MBEAN_OPERATION_INFO_SUPPORT,
            None => &management::MBEAN_OPERATION_INFO,
        });
        self.feature(&info.feature);
        self.writer.int(info.impact as i32);
        self.parameters(&info.parameters);
        self.writer.optional_string(info.class.as_deref());
        if let Some(open) = &info.open {
            self.open_type(open);
        }
    }

    fn constructor_info(&mut self, info: &ConstructorInfo) {
        self.writer.object(match info.open {
            true => &management::OPEN_MBEAN_CONSTRUCTOR_INFO_SUPPORT,
            false => &management::MBEAN_CONSTRUCTOR_INFO,
        });
        self.feature(&info.feature);
        self.parameters(&info.parameters);
    }

    fn parameters(&mut self, parameters: &[ParameterInfo]) {
        self.items(&management::MBEAN_PARAMETER_INFO_ARRAY, parameters, |encoder, info| {
            encoder.writer.object(match info.open {
                Some(_) => &management::OPEN_MBEAN_PARAMETER_INFO_SUPPORT,
                None => &management::MBEAN_PARAMETER_INFO,
            });
            encoder.feature(&info.feature);
            encoder.writer.optional_string(info.class.as_deref());
            encoder.limits(info.open.as_deref());
        });
    }

    fn notification_info(&mut self, info: &NotificationInfo) {
        self.writer.object(&management::MBEAN_NOTIFICATION_INFO);
        self.feature(&info.feature);
        self.strings(&info.types);
    }
}
