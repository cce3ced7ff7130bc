//! The classes of `javax.management`. `peers/jmx/Describe.java` prints them.

use super::super::class::{Class, Field, SERIALIZABLE, WRITES};

pub static MBEAN_ATTRIBUTE_INFO_ARRAY: Class = Class {
    name: "[Ljavax.management.MBeanAttributeInfo;",
    suid: 4_321_019_968_077_824_321,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static MBEAN_CONSTRUCTOR_INFO_ARRAY: Class = Class {
    name: "[Ljavax.management.MBeanConstructorInfo;",
    suid: -5_424_372_952_189_953_547,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static MBEAN_NOTIFICATION_INFO_ARRAY: Class = Class {
    name: "[Ljavax.management.MBeanNotificationInfo;",
    suid: -8_825_277_981_800_410_961,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static MBEAN_OPERATION_INFO_ARRAY: Class = Class {
    name: "[Ljavax.management.MBeanOperationInfo;",
    suid: -8_714_627_307_087_638_645,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static MBEAN_PARAMETER_INFO_ARRAY: Class = Class {
    name: "[Ljavax.management.MBeanParameterInfo;",
    suid: -3_645_552_615_691_850_186,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static OBJECT_NAME_ARRAY: Class = Class {
    name: "[Ljavax.management.ObjectName;",
    suid: 1_262_009_912_426_809_838,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static VALUE_EXP_ARRAY: Class = Class {
    name: "[Ljavax.management.ValueExp;",
    suid: 888_039_585_365_152_854,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static MODEL_MBEAN_ATTRIBUTE_INFO_ARRAY: Class = Class {
    name: "[Ljavax.management.modelmbean.ModelMBeanAttributeInfo;",
    suid: -3_720_532_205_957_288_611,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static MODEL_MBEAN_CONSTRUCTOR_INFO_ARRAY: Class = Class {
    name: "[Ljavax.management.modelmbean.ModelMBeanConstructorInfo;",
    suid: -8_836_961_837_721_444_709,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static MODEL_MBEAN_NOTIFICATION_INFO_ARRAY: Class = Class {
    name: "[Ljavax.management.modelmbean.ModelMBeanNotificationInfo;",
    suid: 1_208_734_252_287_743_198,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static MODEL_MBEAN_OPERATION_INFO_ARRAY: Class = Class {
    name: "[Ljavax.management.modelmbean.ModelMBeanOperationInfo;",
    suid: 884_579_555_593_465_602,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static COMPOSITE_DATA_ARRAY: Class = Class {
    name: "[Ljavax.management.openmbean.CompositeData;",
    suid: -1_529_710_412_985_667_102,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static TABULAR_DATA_ARRAY: Class = Class {
    name: "[Ljavax.management.openmbean.TabularData;",
    suid: -4_183_264_795_928_800_516,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static OPEN_TYPE_ARRAY: Class = Class {
    name: "[Ljavax.management.openmbean.OpenType;",
    suid: -4_954_227_794_539_730_015,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static OPEN_MBEAN_ATTRIBUTE_INFO_ARRAY: Class = Class {
    name: "[Ljavax.management.openmbean.OpenMBeanAttributeInfo;",
    suid: -2_564_294_300_166_055_460,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static OPEN_MBEAN_CONSTRUCTOR_INFO_ARRAY: Class = Class {
    name: "[Ljavax.management.openmbean.OpenMBeanConstructorInfo;",
    suid: 3_935_282_058_991_396_999,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static OPEN_MBEAN_OPERATION_INFO_ARRAY: Class = Class {
    name: "[Ljavax.management.openmbean.OpenMBeanOperationInfo;",
    suid: 1_038_234_676_864_874_127,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static OPEN_MBEAN_PARAMETER_INFO_ARRAY: Class = Class {
    name: "[Ljavax.management.openmbean.OpenMBeanParameterInfo;",
    suid: -3_049_897_040_537_782_017,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static NOTIFICATION_RESULT_ARRAY: Class = Class {
    name: "[Ljavax.management.remote.NotificationResult;",
    suid: -8_855_660_700_015_563_017,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static TARGETED_NOTIFICATION_ARRAY: Class = Class {
    name: "[Ljavax.management.remote.TargetedNotification;",
    suid: 5_854_582_293_262_324_702,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static AND_QUERY_EXP: Class = Class {
    name: "javax.management.AndQueryExp",
    suid: -1_081_892_073_854_801_359,
    flags: SERIALIZABLE,
    parent: Some(&QUERY_EVAL),
    fields: &[
        Field::new("exp1", "Ljavax/management/QueryExp;"),
        Field::new("exp2", "Ljavax/management/QueryExp;"),
    ],
};
pub static ATTRIBUTE_CHANGE_NOTIFICATION: Class = Class {
    name: "javax.management.AttributeChangeNotification",
    suid: 535_176_054_565_814_134,
    flags: SERIALIZABLE,
    parent: Some(&NOTIFICATION),
    fields: &[
        Field::new("attributeName", "Ljava/lang/String;"),
        Field::new("attributeType", "Ljava/lang/String;"),
        Field::new("newValue", "Ljava/lang/Object;"),
        Field::new("oldValue", "Ljava/lang/Object;"),
    ],
};
pub static ATTRIBUTE_CHANGE_NOTIFICATION_FILTER: Class = Class {
    name: "javax.management.AttributeChangeNotificationFilter",
    suid: -6_347_317_584_796_410_029,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("enabledAttributes", "Ljava/util/Vector;")],
};
pub static ATTRIBUTE: Class = Class {
    name: "javax.management.Attribute",
    suid: 2_484_220_110_589_082_382,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("name", "Ljava/lang/String;"), Field::new("value", "Ljava/lang/Object;")],
};
pub static ATTRIBUTE_LIST: Class = Class {
    name: "javax.management.AttributeList",
    suid: -4_077_085_769_279_709_076,
    flags: SERIALIZABLE,
    parent: Some(&super::java::ARRAY_LIST),
    fields: &[],
};
pub static ATTRIBUTE_VALUE_EXP: Class = Class {
    name: "javax.management.AttributeValueExp",
    suid: -7_768_025_046_539_163_385,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("attr", "Ljava/lang/String;")],
};
pub static BETWEEN_QUERY_EXP: Class = Class {
    name: "javax.management.BetweenQueryExp",
    suid: -2_933_597_532_866_307_444,
    flags: SERIALIZABLE,
    parent: Some(&QUERY_EVAL),
    fields: &[
        Field::new("exp1", "Ljavax/management/ValueExp;"),
        Field::new("exp2", "Ljavax/management/ValueExp;"),
        Field::new("exp3", "Ljavax/management/ValueExp;"),
    ],
};
pub static BINARY_OP_VALUE_EXP: Class = Class {
    name: "javax.management.BinaryOpValueExp",
    suid: 1_216_286_847_881_456_786,
    flags: SERIALIZABLE,
    parent: Some(&QUERY_EVAL),
    fields: &[
        Field::new("op", "I"),
        Field::new("exp1", "Ljavax/management/ValueExp;"),
        Field::new("exp2", "Ljavax/management/ValueExp;"),
    ],
};
pub static BINARY_REL_QUERY_EXP: Class = Class {
    name: "javax.management.BinaryRelQueryExp",
    suid: -5_690_656_271_650_491_000,
    flags: SERIALIZABLE,
    parent: Some(&QUERY_EVAL),
    fields: &[
        Field::new("relOp", "I"),
        Field::new("exp1", "Ljavax/management/ValueExp;"),
        Field::new("exp2", "Ljavax/management/ValueExp;"),
    ],
};
pub static BOOLEAN_VALUE_EXP: Class = Class {
    name: "javax.management.BooleanValueExp",
    suid: 7_754_922_052_666_594_581,
    flags: SERIALIZABLE,
    parent: Some(&QUERY_EVAL),
    fields: &[Field::new("val", "Z")],
};
pub static CLASS_ATTRIBUTE_VALUE_EXP: Class = Class {
    name: "javax.management.ClassAttributeValueExp",
    suid: -1_081_892_073_854_801_359,
    flags: SERIALIZABLE,
    parent: Some(&ATTRIBUTE_VALUE_EXP),
    fields: &[Field::new("attr", "Ljava/lang/String;")],
};
pub static IMMUTABLE_DESCRIPTOR: Class = Class {
    name: "javax.management.ImmutableDescriptor",
    suid: 8_853_308_591_080_540_165,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("names", "[Ljava/lang/String;"), Field::new("values", "[Ljava/lang/Object;")],
};
pub static IN_QUERY_EXP: Class = Class {
    name: "javax.management.InQueryExp",
    suid: -5_801_329_450_358_952_434,
    flags: SERIALIZABLE,
    parent: Some(&QUERY_EVAL),
    fields: &[
        Field::new("val", "Ljavax/management/ValueExp;"),
        Field::new("valueList", "[Ljavax/management/ValueExp;"),
    ],
};
pub static INSTANCE_OF_QUERY_EXP: Class = Class {
    name: "javax.management.InstanceOfQueryExp",
    suid: -1_081_892_073_854_801_359,
    flags: SERIALIZABLE,
    parent: Some(&QUERY_EVAL),
    fields: &[Field::new("classNameValue", "Ljavax/management/StringValueExp;")],
};
pub static MBEAN_ATTRIBUTE_INFO: Class = Class {
    name: "javax.management.MBeanAttributeInfo",
    suid: 8_644_704_819_898_565_848,
    flags: SERIALIZABLE,
    parent: Some(&MBEAN_FEATURE_INFO),
    fields: &[
        Field::new("is", "Z"),
        Field::new("isRead", "Z"),
        Field::new("isWrite", "Z"),
        Field::new("attributeType", "Ljava/lang/String;"),
    ],
};
pub static MBEAN_CONSTRUCTOR_INFO: Class = Class {
    name: "javax.management.MBeanConstructorInfo",
    suid: 4_433_990_064_191_844_427,
    flags: SERIALIZABLE,
    parent: Some(&MBEAN_FEATURE_INFO),
    fields: &[Field::new("signature", "[Ljavax/management/MBeanParameterInfo;")],
};
pub static MBEAN_FEATURE_INFO: Class = Class {
    name: "javax.management.MBeanFeatureInfo",
    suid: 3_952_882_688_968_447_265,
    flags: SERIALIZABLE | WRITES,
    parent: None,
    fields: &[Field::new("description", "Ljava/lang/String;"), Field::new("name", "Ljava/lang/String;")],
};
pub static MBEAN_INFO: Class = Class {
    name: "javax.management.MBeanInfo",
    suid: -6_451_021_435_135_161_911,
    flags: SERIALIZABLE | WRITES,
    parent: None,
    fields: &[
        Field::new("attributes", "[Ljavax/management/MBeanAttributeInfo;"),
        Field::new("className", "Ljava/lang/String;"),
        Field::new("constructors", "[Ljavax/management/MBeanConstructorInfo;"),
        Field::new("description", "Ljava/lang/String;"),
        Field::new("notifications", "[Ljavax/management/MBeanNotificationInfo;"),
        Field::new("operations", "[Ljavax/management/MBeanOperationInfo;"),
    ],
};
pub static MBEAN_NOTIFICATION_INFO: Class = Class {
    name: "javax.management.MBeanNotificationInfo",
    suid: -3_888_371_564_530_107_064,
    flags: SERIALIZABLE,
    parent: Some(&MBEAN_FEATURE_INFO),
    fields: &[Field::new("types", "[Ljava/lang/String;")],
};
pub static MBEAN_OPERATION_INFO: Class = Class {
    name: "javax.management.MBeanOperationInfo",
    suid: -6_178_860_474_881_375_330,
    flags: SERIALIZABLE,
    parent: Some(&MBEAN_FEATURE_INFO),
    fields: &[
        Field::new("impact", "I"),
        Field::new("signature", "[Ljavax/management/MBeanParameterInfo;"),
        Field::new("type", "Ljava/lang/String;"),
    ],
};
pub static MBEAN_PARAMETER_INFO: Class = Class {
    name: "javax.management.MBeanParameterInfo",
    suid: 7_432_616_882_776_782_338,
    flags: SERIALIZABLE,
    parent: Some(&MBEAN_FEATURE_INFO),
    fields: &[Field::new("type", "Ljava/lang/String;")],
};
pub static MBEAN_SERVER_NOTIFICATION: Class = Class {
    name: "javax.management.MBeanServerNotification",
    suid: 2_876_477_500_475_969_677,
    flags: SERIALIZABLE,
    parent: Some(&NOTIFICATION),
    fields: &[Field::new("objectName", "Ljavax/management/ObjectName;")],
};
pub static MATCH_QUERY_EXP: Class = Class {
    name: "javax.management.MatchQueryExp",
    suid: -7_156_603_696_948_215_014,
    flags: SERIALIZABLE,
    parent: Some(&QUERY_EVAL),
    fields: &[
        Field::new("exp", "Ljavax/management/AttributeValueExp;"),
        Field::new("pattern", "Ljava/lang/String;"),
    ],
};
pub static NOT_QUERY_EXP: Class = Class {
    name: "javax.management.NotQueryExp",
    suid: 5_269_643_775_896_723_397,
    flags: SERIALIZABLE,
    parent: Some(&QUERY_EVAL),
    fields: &[Field::new("exp", "Ljavax/management/QueryExp;")],
};
pub static NOTIFICATION: Class = Class {
    name: "javax.management.Notification",
    suid: -7_516_092_053_498_031_989,
    flags: SERIALIZABLE | WRITES,
    parent: Some(&super::java::EVENT_OBJECT),
    fields: &[
        Field::new("sequenceNumber", "J"),
        Field::new("timeStamp", "J"),
        Field::new("message", "Ljava/lang/String;"),
        Field::new("source", "Ljava/lang/Object;"),
        Field::new("type", "Ljava/lang/String;"),
        Field::new("userData", "Ljava/lang/Object;"),
    ],
};
pub static NOTIFICATION_FILTER_SUPPORT: Class = Class {
    name: "javax.management.NotificationFilterSupport",
    suid: 6_579_080_007_561_786_969,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("enabledTypes", "Ljava/util/List;")],
};
pub static NUMERIC_VALUE_EXP: Class = Class {
    name: "javax.management.NumericValueExp",
    suid: -4_679_739_485_102_359_104,
    flags: SERIALIZABLE | WRITES,
    parent: Some(&QUERY_EVAL),
    fields: &[Field::new("val", "Ljava/lang/Number;")],
};
pub static OBJECT_INSTANCE: Class = Class {
    name: "javax.management.ObjectInstance",
    suid: -4_099_952_623_687_795_850,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[
        Field::new("className", "Ljava/lang/String;"),
        Field::new("name", "Ljavax/management/ObjectName;"),
    ],
};
pub static OBJECT_NAME: Class = Class {
    name: "javax.management.ObjectName",
    suid: 1_081_892_073_854_801_359,
    flags: SERIALIZABLE | WRITES,
    parent: None,
    fields: &[],
};
pub static OR_QUERY_EXP: Class = Class {
    name: "javax.management.OrQueryExp",
    suid: 2_962_973_084_421_716_523,
    flags: SERIALIZABLE,
    parent: Some(&QUERY_EVAL),
    fields: &[
        Field::new("exp1", "Ljavax/management/QueryExp;"),
        Field::new("exp2", "Ljavax/management/QueryExp;"),
    ],
};
pub static QUALIFIED_ATTRIBUTE_VALUE_EXP: Class = Class {
    name: "javax.management.QualifiedAttributeValueExp",
    suid: 8_832_517_277_410_933_254,
    flags: SERIALIZABLE,
    parent: Some(&ATTRIBUTE_VALUE_EXP),
    fields: &[Field::new("className", "Ljava/lang/String;")],
};
pub static QUERY_EVAL: Class = Class {
    name: "javax.management.QueryEval",
    suid: 2_675_899_265_640_874_796,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static STRING_VALUE_EXP: Class = Class {
    name: "javax.management.StringValueExp",
    suid: -3_256_390_509_806_284_044,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("val", "Ljava/lang/String;")],
};
pub static DESCRIPTOR_SUPPORT: Class = Class {
    name: "javax.management.modelmbean.DescriptorSupport",
    suid: -6_292_969_195_866_300_415,
    flags: SERIALIZABLE | WRITES,
    parent: None,
    fields: &[Field::new("descriptor", "Ljava/util/HashMap;")],
};
pub static MODEL_MBEAN_ATTRIBUTE_INFO: Class = Class {
    name: "javax.management.modelmbean.ModelMBeanAttributeInfo",
    suid: 6_181_543_027_787_327_345,
    flags: SERIALIZABLE | WRITES,
    parent: Some(&MBEAN_ATTRIBUTE_INFO),
    fields: &[Field::new("attrDescriptor", "Ljavax/management/Descriptor;")],
};
pub static MODEL_MBEAN_CONSTRUCTOR_INFO: Class = Class {
    name: "javax.management.modelmbean.ModelMBeanConstructorInfo",
    suid: 3_862_947_819_818_064_362,
    flags: SERIALIZABLE | WRITES,
    parent: Some(&MBEAN_CONSTRUCTOR_INFO),
    fields: &[Field::new("consDescriptor", "Ljavax/management/Descriptor;")],
};
pub static MODEL_MBEAN_INFO_SUPPORT: Class = Class {
    name: "javax.management.modelmbean.ModelMBeanInfoSupport",
    suid: -1_935_722_590_756_516_193,
    flags: SERIALIZABLE | WRITES,
    parent: Some(&MBEAN_INFO),
    fields: &[
        Field::new("modelMBeanAttributes", "[Ljavax/management/MBeanAttributeInfo;"),
        Field::new("modelMBeanConstructors", "[Ljavax/management/MBeanConstructorInfo;"),
        Field::new("modelMBeanDescriptor", "Ljavax/management/Descriptor;"),
        Field::new("modelMBeanNotifications", "[Ljavax/management/MBeanNotificationInfo;"),
        Field::new("modelMBeanOperations", "[Ljavax/management/MBeanOperationInfo;"),
    ],
};
pub static MODEL_MBEAN_NOTIFICATION_INFO: Class = Class {
    name: "javax.management.modelmbean.ModelMBeanNotificationInfo",
    suid: -7_445_681_389_570_207_141,
    flags: SERIALIZABLE | WRITES,
    parent: Some(&MBEAN_NOTIFICATION_INFO),
    fields: &[Field::new("notificationDescriptor", "Ljavax/management/Descriptor;")],
};
pub static MODEL_MBEAN_OPERATION_INFO: Class = Class {
    name: "javax.management.modelmbean.ModelMBeanOperationInfo",
    suid: 6_532_732_096_650_090_465,
    flags: SERIALIZABLE | WRITES,
    parent: Some(&MBEAN_OPERATION_INFO),
    fields: &[Field::new("operationDescriptor", "Ljavax/management/Descriptor;")],
};
pub static MONITOR_NOTIFICATION: Class = Class {
    name: "javax.management.monitor.MonitorNotification",
    suid: -4_608_189_663_661_929_204,
    flags: SERIALIZABLE,
    parent: Some(&NOTIFICATION),
    fields: &[
        Field::new("derivedGauge", "Ljava/lang/Object;"),
        Field::new("observedAttribute", "Ljava/lang/String;"),
        Field::new("observedObject", "Ljavax/management/ObjectName;"),
        Field::new("trigger", "Ljava/lang/Object;"),
    ],
};
pub static ARRAY_TYPE: Class = Class {
    name: "javax.management.openmbean.ArrayType",
    suid: 720_504_429_830_309_770,
    flags: SERIALIZABLE,
    parent: Some(&OPEN_TYPE),
    fields: &[
        Field::new("dimension", "I"),
        Field::new("primitiveArray", "Z"),
        Field::new("elementType", "Ljavax/management/openmbean/OpenType;"),
    ],
};
pub static COMPOSITE_DATA_SUPPORT: Class = Class {
    name: "javax.management.openmbean.CompositeDataSupport",
    suid: 8_003_518_976_613_702_244,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[
        Field::new("compositeType", "Ljavax/management/openmbean/CompositeType;"),
        Field::new("contents", "Ljava/util/SortedMap;"),
    ],
};
pub static COMPOSITE_TYPE: Class = Class {
    name: "javax.management.openmbean.CompositeType",
    suid: -5_366_242_454_346_948_798,
    flags: SERIALIZABLE,
    parent: Some(&OPEN_TYPE),
    fields: &[
        Field::new("nameToDescription", "Ljava/util/TreeMap;"),
        Field::new("nameToType", "Ljava/util/TreeMap;"),
    ],
};
pub static OPEN_MBEAN_ATTRIBUTE_INFO_SUPPORT: Class = Class {
    name: "javax.management.openmbean.OpenMBeanAttributeInfoSupport",
    suid: -4_867_215_622_149_721_849,
    flags: SERIALIZABLE,
    parent: Some(&MBEAN_ATTRIBUTE_INFO),
    fields: &[
        Field::new("defaultValue", "Ljava/lang/Object;"),
        Field::new("legalValues", "Ljava/util/Set;"),
        Field::new("maxValue", "Ljava/lang/Comparable;"),
        Field::new("minValue", "Ljava/lang/Comparable;"),
        Field::new("openType", "Ljavax/management/openmbean/OpenType;"),
    ],
};
pub static OPEN_MBEAN_CONSTRUCTOR_INFO_SUPPORT: Class = Class {
    name: "javax.management.openmbean.OpenMBeanConstructorInfoSupport",
    suid: -4_400_441_579_007_477_003,
    flags: SERIALIZABLE,
    parent: Some(&MBEAN_CONSTRUCTOR_INFO),
    fields: &[],
};
pub static OPEN_MBEAN_INFO_SUPPORT: Class = Class {
    name: "javax.management.openmbean.OpenMBeanInfoSupport",
    suid: 4_349_395_935_420_511_492,
    flags: SERIALIZABLE,
    parent: Some(&MBEAN_INFO),
    fields: &[],
};
pub static OPEN_MBEAN_OPERATION_INFO_SUPPORT: Class = Class {
    name: "javax.management.openmbean.OpenMBeanOperationInfoSupport",
    suid: 4_996_859_732_565_369_366,
    flags: SERIALIZABLE,
    parent: Some(&MBEAN_OPERATION_INFO),
    fields: &[Field::new("returnOpenType", "Ljavax/management/openmbean/OpenType;")],
};
pub static OPEN_MBEAN_PARAMETER_INFO_SUPPORT: Class = Class {
    name: "javax.management.openmbean.OpenMBeanParameterInfoSupport",
    suid: -7_235_016_873_758_443_122,
    flags: SERIALIZABLE,
    parent: Some(&MBEAN_PARAMETER_INFO),
    fields: &[
        Field::new("defaultValue", "Ljava/lang/Object;"),
        Field::new("legalValues", "Ljava/util/Set;"),
        Field::new("maxValue", "Ljava/lang/Comparable;"),
        Field::new("minValue", "Ljava/lang/Comparable;"),
        Field::new("openType", "Ljavax/management/openmbean/OpenType;"),
    ],
};
pub static OPEN_TYPE: Class = Class {
    name: "javax.management.openmbean.OpenType",
    suid: -9_195_195_325_186_646_468,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[
        Field::new("className", "Ljava/lang/String;"),
        Field::new("description", "Ljava/lang/String;"),
        Field::new("typeName", "Ljava/lang/String;"),
    ],
};
pub static SIMPLE_TYPE: Class = Class {
    name: "javax.management.openmbean.SimpleType",
    suid: 2_215_577_471_957_694_503,
    flags: SERIALIZABLE,
    parent: Some(&OPEN_TYPE),
    fields: &[],
};
pub static TABULAR_DATA_SUPPORT: Class = Class {
    name: "javax.management.openmbean.TabularDataSupport",
    suid: 5_720_150_593_236_309_827,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[
        Field::new("dataMap", "Ljava/util/Map;"),
        Field::new("tabularType", "Ljavax/management/openmbean/TabularType;"),
    ],
};
pub static TABULAR_TYPE: Class = Class {
    name: "javax.management.openmbean.TabularType",
    suid: 6_554_071_860_220_659_261,
    flags: SERIALIZABLE,
    parent: Some(&OPEN_TYPE),
    fields: &[
        Field::new("indexNames", "Ljava/util/List;"),
        Field::new("rowType", "Ljavax/management/openmbean/CompositeType;"),
    ],
};
pub static RELATION_NOTIFICATION: Class = Class {
    name: "javax.management.relation.RelationNotification",
    suid: -6_871_117_877_523_310_399,
    flags: SERIALIZABLE | WRITES,
    parent: Some(&NOTIFICATION),
    fields: &[
        Field::new("newRoleValue", "Ljava/util/List;"),
        Field::new("oldRoleValue", "Ljava/util/List;"),
        Field::new("relationId", "Ljava/lang/String;"),
        Field::new("relationObjName", "Ljavax/management/ObjectName;"),
        Field::new("relationTypeName", "Ljava/lang/String;"),
        Field::new("roleName", "Ljava/lang/String;"),
        Field::new("unregisterMBeanList", "Ljava/util/List;"),
    ],
};
pub static JMX_CONNECTION_NOTIFICATION: Class = Class {
    name: "javax.management.remote.JMXConnectionNotification",
    suid: -2_331_308_725_952_627_538,
    flags: SERIALIZABLE,
    parent: Some(&NOTIFICATION),
    fields: &[Field::new("connectionId", "Ljava/lang/String;")],
};
pub static NOTIFICATION_RESULT: Class = Class {
    name: "javax.management.remote.NotificationResult",
    suid: 1_191_800_228_721_395_279,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[
        Field::new("earliestSequenceNumber", "J"),
        Field::new("nextSequenceNumber", "J"),
        Field::new("targetedNotifications", "[Ljavax/management/remote/TargetedNotification;"),
    ],
};
pub static TARGETED_NOTIFICATION: Class = Class {
    name: "javax.management.remote.TargetedNotification",
    suid: 7_676_132_089_779_300_926,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[
        Field::new("id", "Ljava/lang/Integer;"),
        Field::new("notif", "Ljavax/management/Notification;"),
    ],
};
pub static RMI_CONNECTION_IMPL_STUB: Class = Class {
    name: "javax.management.remote.rmi.RMIConnectionImpl_Stub",
    suid: 2,
    flags: SERIALIZABLE,
    parent: Some(&super::java::REMOTE_STUB),
    fields: &[],
};
pub static RMI_SERVER_IMPL_STUB: Class = Class {
    name: "javax.management.remote.rmi.RMIServerImpl_Stub",
    suid: 2,
    flags: SERIALIZABLE,
    parent: Some(&super::java::REMOTE_STUB),
    fields: &[],
};
pub static TIMER_NOTIFICATION: Class = Class {
    name: "javax.management.timer.TimerNotification",
    suid: 1_798_492_029_603_825_750,
    flags: SERIALIZABLE,
    parent: Some(&NOTIFICATION),
    fields: &[Field::new("notificationID", "Ljava/lang/Integer;")],
};
