//! Exceptions of Java, RMI and JMX. `peers/jmx/Describe.java` prints them.

use super::super::class::{Class, Field, SERIALIZABLE, WRITES};

pub static EOF_EXCEPTION: Class = Class {
    name: "java.io.EOFException",
    suid: 6_433_858_223_774_886_977,
    flags: SERIALIZABLE,
    parent: Some(&IO_EXCEPTION),
    fields: &[],
};
pub static IO_EXCEPTION: Class = Class {
    name: "java.io.IOException",
    suid: 7_818_375_828_146_090_155,
    flags: SERIALIZABLE,
    parent: Some(&EXCEPTION),
    fields: &[],
};
pub static INVALID_CLASS_EXCEPTION: Class = Class {
    name: "java.io.InvalidClassException",
    suid: -4_333_316_296_251_054_416,
    flags: SERIALIZABLE,
    parent: Some(&OBJECT_STREAM_EXCEPTION),
    fields: &[Field::new("classname", "Ljava/lang/String;")],
};
pub static INVALID_OBJECT_EXCEPTION: Class = Class {
    name: "java.io.InvalidObjectException",
    suid: 3_233_174_318_281_839_583,
    flags: SERIALIZABLE,
    parent: Some(&OBJECT_STREAM_EXCEPTION),
    fields: &[],
};
pub static NOT_SERIALIZABLE_EXCEPTION: Class = Class {
    name: "java.io.NotSerializableException",
    suid: 2_906_642_554_793_891_381,
    flags: SERIALIZABLE,
    parent: Some(&OBJECT_STREAM_EXCEPTION),
    fields: &[],
};
pub static OBJECT_STREAM_EXCEPTION: Class = Class {
    name: "java.io.ObjectStreamException",
    suid: 7_260_898_174_833_392_607,
    flags: SERIALIZABLE,
    parent: Some(&IO_EXCEPTION),
    fields: &[],
};
pub static STREAM_CORRUPTED_EXCEPTION: Class = Class {
    name: "java.io.StreamCorruptedException",
    suid: 8_983_558_202_217_591_746,
    flags: SERIALIZABLE,
    parent: Some(&OBJECT_STREAM_EXCEPTION),
    fields: &[],
};
pub static ARITHMETIC_EXCEPTION: Class = Class {
    name: "java.lang.ArithmeticException",
    suid: 2_256_477_558_314_496_007,
    flags: SERIALIZABLE,
    parent: Some(&RUNTIME_EXCEPTION),
    fields: &[],
};
pub static ARRAY_INDEX_OUT_OF_BOUNDS_EXCEPTION: Class = Class {
    name: "java.lang.ArrayIndexOutOfBoundsException",
    suid: -5_116_101_128_118_950_844,
    flags: SERIALIZABLE,
    parent: Some(&INDEX_OUT_OF_BOUNDS_EXCEPTION),
    fields: &[],
};
pub static ARRAY_STORE_EXCEPTION: Class = Class {
    name: "java.lang.ArrayStoreException",
    suid: -4_522_193_890_499_838_241,
    flags: SERIALIZABLE,
    parent: Some(&RUNTIME_EXCEPTION),
    fields: &[],
};
pub static ASSERTION_ERROR: Class = Class {
    name: "java.lang.AssertionError",
    suid: -5_013_299_493_970_297_370,
    flags: SERIALIZABLE,
    parent: Some(&ERROR),
    fields: &[],
};
pub static CLASS_CAST_EXCEPTION: Class = Class {
    name: "java.lang.ClassCastException",
    suid: -9_223_365_651_070_458_532,
    flags: SERIALIZABLE,
    parent: Some(&RUNTIME_EXCEPTION),
    fields: &[],
};
pub static CLASS_NOT_FOUND_EXCEPTION: Class = Class {
    name: "java.lang.ClassNotFoundException",
    suid: 9_176_873_029_745_254_542,
    flags: SERIALIZABLE | WRITES,
    parent: Some(&REFLECTIVE_OPERATION_EXCEPTION),
    fields: &[Field::new("ex", "Ljava/lang/Throwable;")],
};
pub static ERROR: Class = Class {
    name: "java.lang.Error",
    suid: 4_980_196_508_277_280_342,
    flags: SERIALIZABLE,
    parent: Some(&THROWABLE),
    fields: &[],
};
pub static EXCEPTION: Class = Class {
    name: "java.lang.Exception",
    suid: -3_387_516_993_124_229_948,
    flags: SERIALIZABLE,
    parent: Some(&THROWABLE),
    fields: &[],
};
pub static ILLEGAL_ACCESS_EXCEPTION: Class = Class {
    name: "java.lang.IllegalAccessException",
    suid: 6_616_958_222_490_762_034,
    flags: SERIALIZABLE,
    parent: Some(&REFLECTIVE_OPERATION_EXCEPTION),
    fields: &[],
};
pub static ILLEGAL_ARGUMENT_EXCEPTION: Class = Class {
    name: "java.lang.IllegalArgumentException",
    suid: -5_365_630_128_856_068_164,
    flags: SERIALIZABLE,
    parent: Some(&RUNTIME_EXCEPTION),
    fields: &[],
};
pub static ILLEGAL_MONITOR_STATE_EXCEPTION: Class = Class {
    name: "java.lang.IllegalMonitorStateException",
    suid: 3_713_306_369_498_869_069,
    flags: SERIALIZABLE,
    parent: Some(&RUNTIME_EXCEPTION),
    fields: &[],
};
pub static ILLEGAL_STATE_EXCEPTION: Class = Class {
    name: "java.lang.IllegalStateException",
    suid: -1_848_914_673_093_119_416,
    flags: SERIALIZABLE,
    parent: Some(&RUNTIME_EXCEPTION),
    fields: &[],
};
pub static INDEX_OUT_OF_BOUNDS_EXCEPTION: Class = Class {
    name: "java.lang.IndexOutOfBoundsException",
    suid: 234_122_996_006_267_687,
    flags: SERIALIZABLE,
    parent: Some(&RUNTIME_EXCEPTION),
    fields: &[],
};
pub static INSTANTIATION_EXCEPTION: Class = Class {
    name: "java.lang.InstantiationException",
    suid: -8_441_929_162_975_509_110,
    flags: SERIALIZABLE,
    parent: Some(&REFLECTIVE_OPERATION_EXCEPTION),
    fields: &[],
};
pub static INTERRUPTED_EXCEPTION: Class = Class {
    name: "java.lang.InterruptedException",
    suid: 6_700_697_376_100_628_473,
    flags: SERIALIZABLE,
    parent: Some(&EXCEPTION),
    fields: &[],
};
pub static LINKAGE_ERROR: Class = Class {
    name: "java.lang.LinkageError",
    suid: 3_579_600_108_157_160_122,
    flags: SERIALIZABLE,
    parent: Some(&ERROR),
    fields: &[],
};
pub static NO_CLASS_DEF_FOUND_ERROR: Class = Class {
    name: "java.lang.NoClassDefFoundError",
    suid: 9_095_859_863_287_012_458,
    flags: SERIALIZABLE,
    parent: Some(&LINKAGE_ERROR),
    fields: &[],
};
pub static NO_SUCH_FIELD_EXCEPTION: Class = Class {
    name: "java.lang.NoSuchFieldException",
    suid: -6_143_714_805_279_938_260,
    flags: SERIALIZABLE,
    parent: Some(&REFLECTIVE_OPERATION_EXCEPTION),
    fields: &[],
};
pub static NO_SUCH_METHOD_EXCEPTION: Class = Class {
    name: "java.lang.NoSuchMethodException",
    suid: 5_034_388_446_362_600_923,
    flags: SERIALIZABLE,
    parent: Some(&REFLECTIVE_OPERATION_EXCEPTION),
    fields: &[],
};
pub static NULL_POINTER_EXCEPTION: Class = Class {
    name: "java.lang.NullPointerException",
    suid: 5_162_710_183_389_028_792,
    flags: SERIALIZABLE,
    parent: Some(&RUNTIME_EXCEPTION),
    fields: &[],
};
pub static NUMBER_FORMAT_EXCEPTION: Class = Class {
    name: "java.lang.NumberFormatException",
    suid: -2_848_938_806_368_998_894,
    flags: SERIALIZABLE,
    parent: Some(&ILLEGAL_ARGUMENT_EXCEPTION),
    fields: &[],
};
pub static OUT_OF_MEMORY_ERROR: Class = Class {
    name: "java.lang.OutOfMemoryError",
    suid: 8_228_564_086_184_010_517,
    flags: SERIALIZABLE,
    parent: Some(&VIRTUAL_MACHINE_ERROR),
    fields: &[],
};
pub static REFLECTIVE_OPERATION_EXCEPTION: Class = Class {
    name: "java.lang.ReflectiveOperationException",
    suid: 123_456_789,
    flags: SERIALIZABLE,
    parent: Some(&EXCEPTION),
    fields: &[],
};
pub static RUNTIME_EXCEPTION: Class = Class {
    name: "java.lang.RuntimeException",
    suid: -7_034_897_190_745_766_939,
    flags: SERIALIZABLE,
    parent: Some(&EXCEPTION),
    fields: &[],
};
pub static SECURITY_EXCEPTION: Class = Class {
    name: "java.lang.SecurityException",
    suid: 6_878_364_983_674_394_167,
    flags: SERIALIZABLE,
    parent: Some(&RUNTIME_EXCEPTION),
    fields: &[],
};
pub static STACK_OVERFLOW_ERROR: Class = Class {
    name: "java.lang.StackOverflowError",
    suid: 8_609_175_038_441_759_607,
    flags: SERIALIZABLE,
    parent: Some(&VIRTUAL_MACHINE_ERROR),
    fields: &[],
};
pub static THROWABLE: Class = Class {
    name: "java.lang.Throwable",
    suid: -3_042_686_055_658_047_285,
    flags: SERIALIZABLE | WRITES,
    parent: None,
    fields: &[
        Field::new("cause", "Ljava/lang/Throwable;"),
        Field::new("detailMessage", "Ljava/lang/String;"),
        Field::new("stackTrace", "[Ljava/lang/StackTraceElement;"),
        Field::new("suppressedExceptions", "Ljava/util/List;"),
    ],
};
pub static UNSUPPORTED_OPERATION_EXCEPTION: Class = Class {
    name: "java.lang.UnsupportedOperationException",
    suid: -1_242_599_979_055_084_673,
    flags: SERIALIZABLE,
    parent: Some(&RUNTIME_EXCEPTION),
    fields: &[],
};
pub static VIRTUAL_MACHINE_ERROR: Class = Class {
    name: "java.lang.VirtualMachineError",
    suid: 4_161_983_926_571_568_670,
    flags: SERIALIZABLE,
    parent: Some(&ERROR),
    fields: &[],
};
pub static INVOCATION_TARGET_EXCEPTION: Class = Class {
    name: "java.lang.reflect.InvocationTargetException",
    suid: 4_085_088_731_926_701_167,
    flags: SERIALIZABLE,
    parent: Some(&REFLECTIVE_OPERATION_EXCEPTION),
    fields: &[Field::new("target", "Ljava/lang/Throwable;")],
};
pub static UNDECLARED_THROWABLE_EXCEPTION: Class = Class {
    name: "java.lang.reflect.UndeclaredThrowableException",
    suid: 330_127_114_055_056_639,
    flags: SERIALIZABLE | WRITES,
    parent: Some(&RUNTIME_EXCEPTION),
    fields: &[Field::new("undeclaredThrowable", "Ljava/lang/Throwable;")],
};
pub static ACCESS_EXCEPTION: Class = Class {
    name: "java.rmi.AccessException",
    suid: 6_314_925_228_044_966_088,
    flags: SERIALIZABLE,
    parent: Some(&REMOTE_EXCEPTION),
    fields: &[],
};
pub static ALREADY_BOUND_EXCEPTION: Class = Class {
    name: "java.rmi.AlreadyBoundException",
    suid: 9_218_657_361_741_657_110,
    flags: SERIALIZABLE,
    parent: Some(&EXCEPTION),
    fields: &[],
};
pub static CONNECT_EXCEPTION: Class = Class {
    name: "java.rmi.ConnectException",
    suid: 4_863_550_261_346_652_506,
    flags: SERIALIZABLE,
    parent: Some(&REMOTE_EXCEPTION),
    fields: &[],
};
pub static CONNECT_IO_EXCEPTION: Class = Class {
    name: "java.rmi.ConnectIOException",
    suid: -8_087_809_532_704_668_744,
    flags: SERIALIZABLE,
    parent: Some(&REMOTE_EXCEPTION),
    fields: &[],
};
pub static MARSHAL_EXCEPTION: Class = Class {
    name: "java.rmi.MarshalException",
    suid: 6_223_554_758_134_037_936,
    flags: SERIALIZABLE,
    parent: Some(&REMOTE_EXCEPTION),
    fields: &[],
};
pub static NO_SUCH_OBJECT_EXCEPTION: Class = Class {
    name: "java.rmi.NoSuchObjectException",
    suid: 6_619_395_951_570_472_985,
    flags: SERIALIZABLE,
    parent: Some(&REMOTE_EXCEPTION),
    fields: &[],
};
pub static NOT_BOUND_EXCEPTION: Class = Class {
    name: "java.rmi.NotBoundException",
    suid: -1_857_741_824_849_069_317,
    flags: SERIALIZABLE,
    parent: Some(&EXCEPTION),
    fields: &[],
};
pub static REMOTE_EXCEPTION: Class = Class {
    name: "java.rmi.RemoteException",
    suid: -5_148_567_311_918_794_206,
    flags: SERIALIZABLE,
    parent: Some(&IO_EXCEPTION),
    fields: &[Field::new("detail", "Ljava/lang/Throwable;")],
};
pub static SERVER_ERROR: Class = Class {
    name: "java.rmi.ServerError",
    suid: 8_455_284_893_909_696_482,
    flags: SERIALIZABLE,
    parent: Some(&REMOTE_EXCEPTION),
    fields: &[],
};
pub static SERVER_EXCEPTION: Class = Class {
    name: "java.rmi.ServerException",
    suid: -4_775_845_313_121_906_682,
    flags: SERIALIZABLE,
    parent: Some(&REMOTE_EXCEPTION),
    fields: &[],
};
pub static STUB_NOT_FOUND_EXCEPTION: Class = Class {
    name: "java.rmi.StubNotFoundException",
    suid: -7_088_199_405_468_872_373,
    flags: SERIALIZABLE,
    parent: Some(&REMOTE_EXCEPTION),
    fields: &[],
};
pub static UNEXPECTED_EXCEPTION: Class = Class {
    name: "java.rmi.UnexpectedException",
    suid: 1_800_467_484_195_073_863,
    flags: SERIALIZABLE,
    parent: Some(&REMOTE_EXCEPTION),
    fields: &[],
};
pub static UNKNOWN_HOST_EXCEPTION: Class = Class {
    name: "java.rmi.UnknownHostException",
    suid: -8_152_710_247_442_114_228,
    flags: SERIALIZABLE,
    parent: Some(&REMOTE_EXCEPTION),
    fields: &[],
};
pub static UNMARSHAL_EXCEPTION: Class = Class {
    name: "java.rmi.UnmarshalException",
    suid: 594_380_845_140_740_218,
    flags: SERIALIZABLE,
    parent: Some(&REMOTE_EXCEPTION),
    fields: &[],
};
pub static SKELETON_MISMATCH_EXCEPTION: Class = Class {
    name: "java.rmi.server.SkeletonMismatchException",
    suid: -7_780_460_454_818_859_281,
    flags: SERIALIZABLE,
    parent: Some(&REMOTE_EXCEPTION),
    fields: &[],
};
pub static ACCESS_CONTROL_EXCEPTION: Class = Class {
    name: "java.security.AccessControlException",
    suid: 5_138_225_684_096_988_535,
    flags: SERIALIZABLE,
    parent: Some(&SECURITY_EXCEPTION),
    fields: &[Field::new("perm", "Ljava/security/Permission;")],
};
pub static CONCURRENT_MODIFICATION_EXCEPTION: Class = Class {
    name: "java.util.ConcurrentModificationException",
    suid: -3_666_751_008_965_953_603,
    flags: SERIALIZABLE,
    parent: Some(&RUNTIME_EXCEPTION),
    fields: &[],
};
pub static MISSING_RESOURCE_EXCEPTION: Class = Class {
    name: "java.util.MissingResourceException",
    suid: -4_876_345_176_062_000_401,
    flags: SERIALIZABLE,
    parent: Some(&RUNTIME_EXCEPTION),
    fields: &[Field::new("className", "Ljava/lang/String;"), Field::new("key", "Ljava/lang/String;")],
};
pub static NO_SUCH_ELEMENT_EXCEPTION: Class = Class {
    name: "java.util.NoSuchElementException",
    suid: 6_769_829_250_639_411_880,
    flags: SERIALIZABLE,
    parent: Some(&RUNTIME_EXCEPTION),
    fields: &[],
};
pub static ATTRIBUTE_NOT_FOUND_EXCEPTION: Class = Class {
    name: "javax.management.AttributeNotFoundException",
    suid: 6_511_584_241_791_106_926,
    flags: SERIALIZABLE,
    parent: Some(&OPERATIONS_EXCEPTION),
    fields: &[],
};
pub static BAD_ATTRIBUTE_VALUE_EXP_EXCEPTION: Class = Class {
    name: "javax.management.BadAttributeValueExpException",
    suid: -3_105_272_988_410_493_376,
    flags: SERIALIZABLE,
    parent: Some(&EXCEPTION),
    fields: &[Field::new("val", "Ljava/lang/String;")],
};
pub static BAD_BINARY_OP_VALUE_EXP_EXCEPTION: Class = Class {
    name: "javax.management.BadBinaryOpValueExpException",
    suid: 5_068_475_589_449_021_227,
    flags: SERIALIZABLE,
    parent: Some(&EXCEPTION),
    fields: &[Field::new("exp", "Ljavax/management/ValueExp;")],
};
pub static BAD_STRING_OPERATION_EXCEPTION: Class = Class {
    name: "javax.management.BadStringOperationException",
    suid: 7_802_201_238_441_662_100,
    flags: SERIALIZABLE,
    parent: Some(&EXCEPTION),
    fields: &[Field::new("op", "Ljava/lang/String;")],
};
pub static INSTANCE_ALREADY_EXISTS_EXCEPTION: Class = Class {
    name: "javax.management.InstanceAlreadyExistsException",
    suid: 8_893_743_928_912_733_931,
    flags: SERIALIZABLE,
    parent: Some(&OPERATIONS_EXCEPTION),
    fields: &[],
};
pub static INSTANCE_NOT_FOUND_EXCEPTION: Class = Class {
    name: "javax.management.InstanceNotFoundException",
    suid: -882_579_438_394_773_049,
    flags: SERIALIZABLE,
    parent: Some(&OPERATIONS_EXCEPTION),
    fields: &[],
};
pub static INTROSPECTION_EXCEPTION: Class = Class {
    name: "javax.management.IntrospectionException",
    suid: 1_054_516_935_875_481_725,
    flags: SERIALIZABLE,
    parent: Some(&OPERATIONS_EXCEPTION),
    fields: &[],
};
pub static INVALID_APPLICATION_EXCEPTION: Class = Class {
    name: "javax.management.InvalidApplicationException",
    suid: -3_048_022_274_675_537_269,
    flags: SERIALIZABLE,
    parent: Some(&EXCEPTION),
    fields: &[Field::new("val", "Ljava/lang/Object;")],
};
pub static INVALID_ATTRIBUTE_VALUE_EXCEPTION: Class = Class {
    name: "javax.management.InvalidAttributeValueException",
    suid: 2_164_571_879_317_142_449,
    flags: SERIALIZABLE,
    parent: Some(&OPERATIONS_EXCEPTION),
    fields: &[],
};
pub static JM_EXCEPTION: Class = Class {
    name: "javax.management.JMException",
    suid: 350_520_924_977_331_825,
    flags: SERIALIZABLE,
    parent: Some(&EXCEPTION),
    fields: &[],
};
pub static JM_RUNTIME_EXCEPTION: Class = Class {
    name: "javax.management.JMRuntimeException",
    suid: 6_573_344_628_407_841_861,
    flags: SERIALIZABLE,
    parent: Some(&RUNTIME_EXCEPTION),
    fields: &[],
};
pub static LISTENER_NOT_FOUND_EXCEPTION: Class = Class {
    name: "javax.management.ListenerNotFoundException",
    suid: -7_242_605_822_448_519_061,
    flags: SERIALIZABLE,
    parent: Some(&OPERATIONS_EXCEPTION),
    fields: &[],
};
pub static MBEAN_EXCEPTION: Class = Class {
    name: "javax.management.MBeanException",
    suid: 4_066_342_430_588_744_142,
    flags: SERIALIZABLE,
    parent: Some(&JM_EXCEPTION),
    fields: &[Field::new("exception", "Ljava/lang/Exception;")],
};
pub static MBEAN_REGISTRATION_EXCEPTION: Class = Class {
    name: "javax.management.MBeanRegistrationException",
    suid: 4_482_382_455_277_067_805,
    flags: SERIALIZABLE,
    parent: Some(&MBEAN_EXCEPTION),
    fields: &[],
};
pub static MALFORMED_OBJECT_NAME_EXCEPTION: Class = Class {
    name: "javax.management.MalformedObjectNameException",
    suid: -572_689_714_442_915_824,
    flags: SERIALIZABLE,
    parent: Some(&OPERATIONS_EXCEPTION),
    fields: &[],
};
pub static NOT_COMPLIANT_MBEAN_EXCEPTION: Class = Class {
    name: "javax.management.NotCompliantMBeanException",
    suid: 5_175_579_583_207_963_577,
    flags: SERIALIZABLE,
    parent: Some(&OPERATIONS_EXCEPTION),
    fields: &[],
};
pub static OPERATIONS_EXCEPTION: Class = Class {
    name: "javax.management.OperationsException",
    suid: -4_967_597_595_580_536_216,
    flags: SERIALIZABLE,
    parent: Some(&JM_EXCEPTION),
    fields: &[],
};
pub static REFLECTION_EXCEPTION: Class = Class {
    name: "javax.management.ReflectionException",
    suid: 9_170_809_325_636_915_553,
    flags: SERIALIZABLE,
    parent: Some(&JM_EXCEPTION),
    fields: &[Field::new("exception", "Ljava/lang/Exception;")],
};
pub static RUNTIME_ERROR_EXCEPTION: Class = Class {
    name: "javax.management.RuntimeErrorException",
    suid: 704_338_937_753_949_796,
    flags: SERIALIZABLE,
    parent: Some(&JM_RUNTIME_EXCEPTION),
    fields: &[Field::new("error", "Ljava/lang/Error;")],
};
pub static RUNTIME_MBEAN_EXCEPTION: Class = Class {
    name: "javax.management.RuntimeMBeanException",
    suid: 5_274_912_751_982_730_171,
    flags: SERIALIZABLE,
    parent: Some(&JM_RUNTIME_EXCEPTION),
    fields: &[Field::new("runtimeException", "Ljava/lang/RuntimeException;")],
};
pub static RUNTIME_OPERATIONS_EXCEPTION: Class = Class {
    name: "javax.management.RuntimeOperationsException",
    suid: -8_408_923_047_489_133_588,
    flags: SERIALIZABLE,
    parent: Some(&JM_RUNTIME_EXCEPTION),
    fields: &[Field::new("runtimeException", "Ljava/lang/RuntimeException;")],
};
pub static SERVICE_NOT_FOUND_EXCEPTION: Class = Class {
    name: "javax.management.ServiceNotFoundException",
    suid: -3_990_675_661_956_646_827,
    flags: SERIALIZABLE,
    parent: Some(&OPERATIONS_EXCEPTION),
    fields: &[],
};
pub static INVALID_KEY_EXCEPTION: Class = Class {
    name: "javax.management.openmbean.InvalidKeyException",
    suid: 4_224_269_443_946_322_062,
    flags: SERIALIZABLE,
    parent: Some(&ILLEGAL_ARGUMENT_EXCEPTION),
    fields: &[],
};
pub static INVALID_OPEN_TYPE_EXCEPTION: Class = Class {
    name: "javax.management.openmbean.InvalidOpenTypeException",
    suid: -2_837_312_755_412_327_534,
    flags: SERIALIZABLE,
    parent: Some(&ILLEGAL_ARGUMENT_EXCEPTION),
    fields: &[],
};
pub static KEY_ALREADY_EXISTS_EXCEPTION: Class = Class {
    name: "javax.management.openmbean.KeyAlreadyExistsException",
    suid: 1_845_183_636_745_282_866,
    flags: SERIALIZABLE,
    parent: Some(&ILLEGAL_ARGUMENT_EXCEPTION),
    fields: &[],
};
pub static OPEN_DATA_EXCEPTION: Class = Class {
    name: "javax.management.openmbean.OpenDataException",
    suid: 8_346_311_255_433_349_870,
    flags: SERIALIZABLE,
    parent: Some(&JM_EXCEPTION),
    fields: &[],
};
pub static JMX_PROVIDER_EXCEPTION: Class = Class {
    name: "javax.management.remote.JMXProviderException",
    suid: -3_166_703_627_550_447_198,
    flags: SERIALIZABLE,
    parent: Some(&IO_EXCEPTION),
    fields: &[Field::new("cause", "Ljava/lang/Throwable;")],
};
pub static JMX_SERVER_ERROR_EXCEPTION: Class = Class {
    name: "javax.management.remote.JMXServerErrorException",
    suid: 3_996_732_239_558_744_666,
    flags: SERIALIZABLE,
    parent: Some(&IO_EXCEPTION),
    fields: &[Field::new("cause", "Ljava/lang/Error;")],
};
pub static NAMING_EXCEPTION: Class = Class {
    name: "javax.naming.NamingException",
    suid: -1_299_181_962_103_167_177,
    flags: SERIALIZABLE,
    parent: Some(&EXCEPTION),
    fields: &[
        Field::new("remainingName", "Ljavax/naming/Name;"),
        Field::new("resolvedName", "Ljavax/naming/Name;"),
        Field::new("resolvedObj", "Ljava/lang/Object;"),
        Field::new("rootException", "Ljava/lang/Throwable;"),
    ],
};
pub static FAILED_LOGIN_EXCEPTION: Class = Class {
    name: "javax.security.auth.login.FailedLoginException",
    suid: 802_556_922_354_616_286,
    flags: SERIALIZABLE,
    parent: Some(&LOGIN_EXCEPTION),
    fields: &[],
};
pub static LOGIN_EXCEPTION: Class = Class {
    name: "javax.security.auth.login.LoginException",
    suid: -4_679_091_624_035_232_488,
    flags: SERIALIZABLE,
    parent: Some(&GENERAL_SECURITY_EXCEPTION),
    fields: &[],
};
pub static GENERAL_SECURITY_EXCEPTION: Class = Class {
    name: "java.security.GeneralSecurityException",
    suid: 894_798_122_053_539_237,
    flags: SERIALIZABLE,
    parent: Some(&EXCEPTION),
    fields: &[],
};
