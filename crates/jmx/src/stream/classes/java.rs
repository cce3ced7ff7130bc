//! Boxes, collections, arrays, and the classes of RMI. `peers/jmx/Describe.java` prints them.

use super::super::class::{Class, Field, SERIALIZABLE, WRITES};

pub static PRIMITIVE_BYTE_ARRAY: Class =
    Class { name: "[B", suid: -5_984_413_125_824_719_648, flags: SERIALIZABLE, parent: None, fields: &[] };
pub static PRIMITIVE_CHAR_ARRAY: Class =
    Class { name: "[C", suid: -5_753_798_564_021_173_076, flags: SERIALIZABLE, parent: None, fields: &[] };
pub static PRIMITIVE_DOUBLE_ARRAY: Class =
    Class { name: "[D", suid: 4_514_449_696_888_150_558, flags: SERIALIZABLE, parent: None, fields: &[] };
pub static PRIMITIVE_FLOAT_ARRAY: Class =
    Class { name: "[F", suid: 836_686_056_779_680_834, flags: SERIALIZABLE, parent: None, fields: &[] };
pub static PRIMITIVE_INT_ARRAY: Class =
    Class { name: "[I", suid: 5_600_894_804_908_749_477, flags: SERIALIZABLE, parent: None, fields: &[] };
pub static PRIMITIVE_LONG_ARRAY: Class =
    Class { name: "[J", suid: 8_655_923_659_555_304_851, flags: SERIALIZABLE, parent: None, fields: &[] };
pub static PRIMITIVE_SHORT_ARRAY: Class =
    Class { name: "[S", suid: -1_188_055_269_542_874_886, flags: SERIALIZABLE, parent: None, fields: &[] };
pub static PRIMITIVE_BOOLEAN_ARRAY: Class =
    Class { name: "[Z", suid: 6_309_297_032_502_205_922, flags: SERIALIZABLE, parent: None, fields: &[] };
pub static PRIMITIVE_BYTE_ARRAY2: Class =
    Class { name: "[[B", suid: 5_475_560_301_672_258_359, flags: SERIALIZABLE, parent: None, fields: &[] };
pub static PRIMITIVE_DOUBLE_ARRAY2: Class =
    Class { name: "[[D", suid: -4_058_574_497_661_845_691, flags: SERIALIZABLE, parent: None, fields: &[] };
pub static PRIMITIVE_INT_ARRAY2: Class =
    Class { name: "[[I", suid: 1_727_100_010_502_261_052, flags: SERIALIZABLE, parent: None, fields: &[] };
pub static PRIMITIVE_LONG_ARRAY2: Class =
    Class { name: "[[J", suid: -110_627_953_887_027_267, flags: SERIALIZABLE, parent: None, fields: &[] };
pub static OBJECT_ARRAY2: Class = Class {
    name: "[[Ljava.lang.Object;",
    suid: 1_783_420_315_195_136_970,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static STRING_ARRAY2: Class = Class {
    name: "[[Ljava.lang.String;",
    suid: 3_624_563_915_955_037_271,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static SERIALIZABLE_ARRAY: Class = Class {
    name: "[Ljava.io.Serializable;",
    suid: -5_850_165_280_208_589_495,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static BOOLEAN_ARRAY: Class = Class {
    name: "[Ljava.lang.Boolean;",
    suid: 5_176_084_095_617_385_425,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static BYTE_ARRAY: Class = Class {
    name: "[Ljava.lang.Byte;",
    suid: -7_777_597_605_128_139_922,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static DOUBLE_ARRAY: Class = Class {
    name: "[Ljava.lang.Double;",
    suid: -2_228_528_061_661_948_250,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static FLOAT_ARRAY: Class = Class {
    name: "[Ljava.lang.Float;",
    suid: 6_575_969_399_543_148_523,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static INTEGER_ARRAY: Class = Class {
    name: "[Ljava.lang.Integer;",
    suid: -101_421_563_860_753_893,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static LONG_ARRAY: Class = Class {
    name: "[Ljava.lang.Long;",
    suid: 9_070_542_887_271_031_595,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static NUMBER_ARRAY: Class = Class {
    name: "[Ljava.lang.Number;",
    suid: -8_266_771_853_702_261_460,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static OBJECT_ARRAY: Class = Class {
    name: "[Ljava.lang.Object;",
    suid: -8_012_369_246_846_506_644,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static SHORT_ARRAY: Class = Class {
    name: "[Ljava.lang.Short;",
    suid: -6_432_008_644_767_987_895,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static STACK_TRACE_ELEMENT_ARRAY: Class = Class {
    name: "[Ljava.lang.StackTraceElement;",
    suid: 163_864_874_655_228_473,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static STRING_ARRAY: Class = Class {
    name: "[Ljava.lang.String;",
    suid: -5_921_575_005_990_323_385,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static BIG_DECIMAL_ARRAY: Class = Class {
    name: "[Ljava.math.BigDecimal;",
    suid: 5_256_663_329_777_584_444,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static BIG_INTEGER_ARRAY: Class = Class {
    name: "[Ljava.math.BigInteger;",
    suid: 1_043_950_311_099_228_358,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static MARSHALLED_OBJECT_ARRAY: Class = Class {
    name: "[Ljava.rmi.MarshalledObject;",
    suid: -7_032_315_260_797_228_034,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static OBJ_ID_ARRAY: Class = Class {
    name: "[Ljava.rmi.server.ObjID;",
    suid: -8_713_620_060_265_225_090,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static DATE_ARRAY: Class = Class {
    name: "[Ljava.util.Date;",
    suid: 4_834_372_995_424_393_440,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static SUBJECT_ARRAY: Class = Class {
    name: "[Ljavax.security.auth.Subject;",
    suid: 6_377_066_463_800_191_576,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static BOOLEAN: Class = Class {
    name: "java.lang.Boolean",
    suid: -3_665_804_199_014_368_530,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("value", "Z")],
};
pub static BYTE: Class = Class {
    name: "java.lang.Byte",
    suid: -7_183_698_231_559_129_828,
    flags: SERIALIZABLE,
    parent: Some(&NUMBER),
    fields: &[Field::new("value", "B")],
};
pub static CHARACTER: Class = Class {
    name: "java.lang.Character",
    suid: 3_786_198_910_865_385_080,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("value", "C")],
};
pub static DOUBLE: Class = Class {
    name: "java.lang.Double",
    suid: -9_172_774_392_245_257_468,
    flags: SERIALIZABLE,
    parent: Some(&NUMBER),
    fields: &[Field::new("value", "D")],
};
pub static FLOAT: Class = Class {
    name: "java.lang.Float",
    suid: -2_671_257_302_660_747_028,
    flags: SERIALIZABLE,
    parent: Some(&NUMBER),
    fields: &[Field::new("value", "F")],
};
pub static INTEGER: Class = Class {
    name: "java.lang.Integer",
    suid: 1_360_826_667_806_852_920,
    flags: SERIALIZABLE,
    parent: Some(&NUMBER),
    fields: &[Field::new("value", "I")],
};
pub static LONG: Class = Class {
    name: "java.lang.Long",
    suid: 4_290_774_380_558_885_855,
    flags: SERIALIZABLE,
    parent: Some(&NUMBER),
    fields: &[Field::new("value", "J")],
};
pub static NUMBER: Class = Class {
    name: "java.lang.Number",
    suid: -8_742_448_824_652_078_965,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static SHORT: Class = Class {
    name: "java.lang.Short",
    suid: 7_515_723_908_773_894_738,
    flags: SERIALIZABLE,
    parent: Some(&NUMBER),
    fields: &[Field::new("value", "S")],
};
pub static STACK_TRACE_ELEMENT: Class = Class {
    name: "java.lang.StackTraceElement",
    suid: 6_992_337_162_326_171_013,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[
        Field::new("format", "B"),
        Field::new("lineNumber", "I"),
        Field::new("classLoaderName", "Ljava/lang/String;"),
        Field::new("declaringClass", "Ljava/lang/String;"),
        Field::new("fileName", "Ljava/lang/String;"),
        Field::new("methodName", "Ljava/lang/String;"),
        Field::new("moduleName", "Ljava/lang/String;"),
        Field::new("moduleVersion", "Ljava/lang/String;"),
    ],
};
pub static PROXY: Class = Class {
    name: "java.lang.reflect.Proxy",
    suid: -2_222_568_056_686_623_797,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("h", "Ljava/lang/reflect/InvocationHandler;")],
};
pub static BIG_DECIMAL: Class = Class {
    name: "java.math.BigDecimal",
    suid: 6_108_874_887_143_696_463,
    flags: SERIALIZABLE | WRITES,
    parent: Some(&NUMBER),
    fields: &[Field::new("scale", "I"), Field::new("intVal", "Ljava/math/BigInteger;")],
};
pub static BIG_INTEGER: Class = Class {
    name: "java.math.BigInteger",
    suid: -8_287_574_255_936_472_291,
    flags: SERIALIZABLE | WRITES,
    parent: Some(&NUMBER),
    fields: &[
        Field::new("bitCount", "I"),
        Field::new("bitLength", "I"),
        Field::new("firstNonzeroByteNum", "I"),
        Field::new("lowestSetBit", "I"),
        Field::new("signum", "I"),
        Field::new("magnitude", "[B"),
    ],
};
pub static MARSHALLED_OBJECT: Class = Class {
    name: "java.rmi.MarshalledObject",
    suid: 8_988_374_069_173_025_854,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("hash", "I"), Field::new("locBytes", "[B"), Field::new("objBytes", "[B")],
};
pub static LEASE: Class = Class {
    name: "java.rmi.dgc.Lease",
    suid: -5_713_411_624_328_831_948,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("value", "J"), Field::new("vmid", "Ljava/rmi/dgc/VMID;")],
};
pub static VMID: Class = Class {
    name: "java.rmi.dgc.VMID",
    suid: -538_642_295_484_486_218,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("addr", "[B"), Field::new("uid", "Ljava/rmi/server/UID;")],
};
pub static OBJ_ID: Class = Class {
    name: "java.rmi.server.ObjID",
    suid: -6_386_392_263_968_365_220,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("objNum", "J"), Field::new("space", "Ljava/rmi/server/UID;")],
};
pub static REMOTE_OBJECT: Class = Class {
    name: "java.rmi.server.RemoteObject",
    suid: -3_215_090_123_894_869_218,
    flags: SERIALIZABLE | WRITES,
    parent: None,
    fields: &[],
};
pub static REMOTE_OBJECT_INVOCATION_HANDLER: Class = Class {
    name: "java.rmi.server.RemoteObjectInvocationHandler",
    suid: 2,
    flags: SERIALIZABLE,
    parent: Some(&REMOTE_OBJECT),
    fields: &[],
};
pub static REMOTE_STUB: Class = Class {
    name: "java.rmi.server.RemoteStub",
    suid: -1_585_587_260_594_494_182,
    flags: SERIALIZABLE,
    parent: Some(&REMOTE_OBJECT),
    fields: &[],
};
pub static UID: Class = Class {
    name: "java.rmi.server.UID",
    suid: 1_086_053_664_494_604_050,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("count", "S"), Field::new("time", "J"), Field::new("unique", "I")],
};
pub static ARRAY_LIST: Class = Class {
    name: "java.util.ArrayList",
    suid: 8_683_452_581_122_892_189,
    flags: SERIALIZABLE | WRITES,
    parent: None,
    fields: &[Field::new("size", "I")],
};
pub static ARRAYS_ARRAY_LIST: Class = Class {
    name: "java.util.Arrays$ArrayList",
    suid: -2_764_017_481_108_945_198,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("a", "[Ljava/lang/Object;")],
};
pub static COLL_SER: Class = Class {
    name: "java.util.CollSer",
    suid: 6_309_168_927_139_932_177,
    flags: SERIALIZABLE | WRITES,
    parent: None,
    fields: &[Field::new("tag", "I")],
};
pub static COLLECTIONS_EMPTY_LIST: Class = Class {
    name: "java.util.Collections$EmptyList",
    suid: 8_842_843_931_221_139_166,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static COLLECTIONS_EMPTY_MAP: Class = Class {
    name: "java.util.Collections$EmptyMap",
    suid: 6_428_348_081_105_594_320,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static COLLECTIONS_EMPTY_SET: Class = Class {
    name: "java.util.Collections$EmptySet",
    suid: 1_582_296_315_990_362_920,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static COLLECTIONS_SINGLETON_LIST: Class = Class {
    name: "java.util.Collections$SingletonList",
    suid: 3_093_736_618_740_652_951,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("element", "Ljava/lang/Object;")],
};
pub static COLLECTIONS_SINGLETON_MAP: Class = Class {
    name: "java.util.Collections$SingletonMap",
    suid: -6_979_724_477_215_052_911,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("k", "Ljava/lang/Object;"), Field::new("v", "Ljava/lang/Object;")],
};
pub static COLLECTIONS_SINGLETON_SET: Class = Class {
    name: "java.util.Collections$SingletonSet",
    suid: 3_193_687_207_550_431_679,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("element", "Ljava/lang/Object;")],
};
pub static COLLECTIONS_UNMODIFIABLE_COLLECTION: Class = Class {
    name: "java.util.Collections$UnmodifiableCollection",
    suid: 1_820_017_752_578_914_078,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("c", "Ljava/util/Collection;")],
};
pub static COLLECTIONS_UNMODIFIABLE_LIST: Class = Class {
    name: "java.util.Collections$UnmodifiableList",
    suid: -283_967_356_065_247_728,
    flags: SERIALIZABLE,
    parent: Some(&COLLECTIONS_UNMODIFIABLE_COLLECTION),
    fields: &[Field::new("list", "Ljava/util/List;")],
};
pub static COLLECTIONS_UNMODIFIABLE_MAP: Class = Class {
    name: "java.util.Collections$UnmodifiableMap",
    suid: -1_034_234_728_574_286_014,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[Field::new("m", "Ljava/util/Map;")],
};
pub static COLLECTIONS_UNMODIFIABLE_RANDOM_ACCESS_LIST: Class = Class {
    name: "java.util.Collections$UnmodifiableRandomAccessList",
    suid: -2_542_308_836_966_382_001,
    flags: SERIALIZABLE,
    parent: Some(&COLLECTIONS_UNMODIFIABLE_LIST),
    fields: &[],
};
pub static COLLECTIONS_UNMODIFIABLE_SET: Class = Class {
    name: "java.util.Collections$UnmodifiableSet",
    suid: -9_215_047_833_775_013_803,
    flags: SERIALIZABLE,
    parent: Some(&COLLECTIONS_UNMODIFIABLE_COLLECTION),
    fields: &[],
};
pub static DATE: Class = Class {
    name: "java.util.Date",
    suid: 7_523_967_970_034_938_905,
    flags: SERIALIZABLE | WRITES,
    parent: None,
    fields: &[],
};
pub static EVENT_OBJECT: Class = Class {
    name: "java.util.EventObject",
    suid: 5_516_075_349_620_653_480,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
pub static HASH_MAP: Class = Class {
    name: "java.util.HashMap",
    suid: 362_498_820_763_181_265,
    flags: SERIALIZABLE | WRITES,
    parent: None,
    fields: &[Field::new("loadFactor", "F"), Field::new("threshold", "I")],
};
pub static HASH_SET: Class = Class {
    name: "java.util.HashSet",
    suid: -5_024_744_406_713_321_676,
    flags: SERIALIZABLE | WRITES,
    parent: None,
    fields: &[],
};
pub static HASHTABLE: Class = Class {
    name: "java.util.Hashtable",
    suid: 1_421_746_759_512_286_392,
    flags: SERIALIZABLE | WRITES,
    parent: None,
    fields: &[Field::new("loadFactor", "F"), Field::new("threshold", "I")],
};
pub static LINKED_HASH_MAP: Class = Class {
    name: "java.util.LinkedHashMap",
    suid: 3_801_124_242_820_219_131,
    flags: SERIALIZABLE,
    parent: Some(&HASH_MAP),
    fields: &[Field::new("accessOrder", "Z")],
};
pub static LINKED_HASH_SET: Class = Class {
    name: "java.util.LinkedHashSet",
    suid: -2_851_667_679_971_038_690,
    flags: SERIALIZABLE,
    parent: Some(&HASH_SET),
    fields: &[],
};
pub static LINKED_LIST: Class = Class {
    name: "java.util.LinkedList",
    suid: 876_323_262_645_176_354,
    flags: SERIALIZABLE | WRITES,
    parent: None,
    fields: &[],
};
pub static TREE_MAP: Class = Class {
    name: "java.util.TreeMap",
    suid: 919_286_545_866_124_006,
    flags: SERIALIZABLE | WRITES,
    parent: None,
    fields: &[Field::new("comparator", "Ljava/util/Comparator;")],
};
pub static TREE_SET: Class = Class {
    name: "java.util.TreeSet",
    suid: -2_479_143_000_061_671_589,
    flags: SERIALIZABLE | WRITES,
    parent: None,
    fields: &[],
};
pub static VECTOR: Class = Class {
    name: "java.util.Vector",
    suid: -2_767_605_614_048_989_439,
    flags: SERIALIZABLE | WRITES,
    parent: None,
    fields: &[
        Field::new("capacityIncrement", "I"),
        Field::new("elementCount", "I"),
        Field::new("elementData", "[Ljava/lang/Object;"),
    ],
};
pub static SSL_RMI_CLIENT_SOCKET_FACTORY: Class = Class {
    name: "javax.rmi.ssl.SslRMIClientSocketFactory",
    suid: -8_310_631_444_933_958_385,
    flags: SERIALIZABLE,
    parent: None,
    fields: &[],
};
