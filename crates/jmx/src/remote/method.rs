//! Which methods there are, and how each is called in a message: by the hash of its name and descriptor.

use std::sync::LazyLock;

use sha1::{Digest, Sha1};

use crate::jrmp::Signature;

/// A method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each has the name of its method")]
pub enum Method {
    /// `bind`, `rebind` and `unbind` of the registry, which are refused.
    Bind,
    Rebind,
    Unbind,
    List,
    Lookup,
    Clean,
    Dirty,
    GetVersion,
    NewClient,
    GetConnectionId,
    Close,
    CreateMBean,
    CreateMBeanWithLoader,
    CreateMBeanWithParameters,
    CreateMBeanWithLoaderAndParameters,
    UnregisterMBean,
    GetObjectInstance,
    QueryMBeans,
    QueryNames,
    IsRegistered,
    GetMBeanCount,
    GetAttribute,
    GetAttributes,
    SetAttribute,
    SetAttributes,
    Invoke,
    GetDefaultDomain,
    GetDomains,
    GetMBeanInfo,
    IsInstanceOf,
    AddNotificationListener,
    RemoveNotificationListener,
    RemoveNotificationListenerWithFilter,
    AddNotificationListeners,
    RemoveNotificationListeners,
    FetchNotifications,
}

/// How a method is written in a call.
struct Known {
    method: Method,
    /// The operation's number, or -1.
    operation: i32,
    /// Of the interface if there is a number, and else of the method.
    hash: i64,
    signature: Signature,
}

impl Method {
    /// The method that a call names.
    pub fn find(operation: i32, hash: i64) -> Option<Method> {
        TABLE.find(operation, hash).map(|known| known.method)
    }

    /// What the method that a call names takes and returns.
    pub fn signature_of(operation: i32, hash: i64) -> Option<&'static Signature> {
        TABLE.find(operation, hash).map(|known| &known.signature)
    }

    /// What it takes and returns.
    pub fn signature(self) -> &'static Signature {
        &TABLE.known[self as usize].signature
    }

    /// The number of its operation and its hash, as they are in a call.
    pub fn number(self) -> (i32, i64) {
        let known = &TABLE.known[self as usize];
        (known.operation, known.hash)
    }

    /// All methods.
    pub fn all() -> impl Iterator<Item = Method> {
        METHODS.iter().map(|(method, ..)| *method)
    }

    /// Its name in Java.
    pub fn name(self) -> &'static str {
        METHODS[self as usize].1
    }
}

struct Table {
    known: Vec<Known>,
    /// Positions by hash and number.
    by_hash: Vec<(i64, i32, usize)>,
}

impl Table {
    fn find(&self, operation: i32, hash: i64) -> Option<&Known> {
        let at = self.by_hash.binary_search_by_key(&(hash, operation), |it| (it.0, it.1)).ok()?;
        self.known.get(self.by_hash[at].2)
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let known: Vec<Known> = METHODS
        .iter()
        .map(|(method, name, descriptor)| {
            let (operation, hash) = match method {
                Method::Bind => (0, REGISTRY),
                Method::List => (1, REGISTRY),
                Method::Lookup => (2, REGISTRY),
                Method::Rebind => (3, REGISTRY),
                Method::Unbind => (4, REGISTRY),
                Method::Clean => (0, DGC),
                Method::Dirty => (1, DGC),
                _ => (-1, hash(name, descriptor)),
            };
            let unread = matches!(method, Method::Bind | Method::Rebind | Method::Unbind);
            let signature = Signature { unread, ..Signature::of(&written_out(descriptor)) };
            Known { method: *method, operation, hash, signature }
        })
        .collect();
    let key = |(index, known): (usize, &Known)| (known.hash, known.operation, index);
    let mut by_hash: Vec<_> = known.iter().enumerate().map(key).collect();
    by_hash.sort_unstable();
    Table { known, by_hash }
});

/// The hash of a method (RMI specification, section 8.3): the first octets of SHA-1 over its name and descriptor.
fn hash(name: &str, descriptor: &str) -> i64 {
    let text = format!("{name}{}", written_out(descriptor));
    let mut digest = Sha1::new();
    digest.update((text.len() as u16).to_be_bytes());
    digest.update(text);
    let digest: [u8; 20] = digest.finalize().into();
    let [a, b, c, d, e, f, g, h, ..] = digest;
    i64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// A descriptor with the short forms of [`METHODS`] as Java has them.
fn written_out(descriptor: &str) -> String {
    let mut text = String::new();
    for character in descriptor.chars() {
        match character {
            'N' => text.push_str("Ljavax/management/ObjectName;"),
            'T' => text.push_str("Ljava/lang/String;"),
            'O' => text.push_str("Ljava/lang/Object;"),
            'M' => text.push_str("Ljava/rmi/MarshalledObject;"),
            'S' => text.push_str("Ljavax/security/auth/Subject;"),
            'X' => text.push_str("Ljavax/management/ObjectInstance;"),
            'A' => text.push_str("Ljavax/management/AttributeList;"),
            'E' => text.push_str("Ljava/util/Set;"),
            'G' => text.push_str("Ljava/lang/Integer;"),
            'Q' => text.push_str("Ljavax/management/MBeanInfo;"),
            'R' => text.push_str("Ljavax/management/remote/NotificationResult;"),
            'K' => text.push_str("Ljavax/management/remote/rmi/RMIConnection;"),
            other => text.push(other),
        }
    }
    text
}

/// The hash of the registry's interface, and of that of leases.
const REGISTRY: i64 = 4_905_912_898_345_647_071;
const DGC: i64 = -669_196_253_586_618_813;

/// Each method, in the order of [`Method`], with its name and its descriptor in short: see [`written_out`].
const METHODS: &[(Method, &str, &str)] = &[
    (Method::Bind, "bind", "()V"),
    (Method::Rebind, "rebind", "()V"),
    (Method::Unbind, "unbind", "()V"),
    (Method::List, "list", "()[T"),
    (Method::Lookup, "lookup", "(T)O"),
    (Method::Clean, "clean", "([OJOZ)V"),
    (Method::Dirty, "dirty", "([OJO)O"),
    (Method::GetVersion, "getVersion", "()T"),
    (Method::NewClient, "newClient", "(O)K"),
    (Method::GetConnectionId, "getConnectionId", "()T"),
    (Method::Close, "close", "()V"),
    (Method::CreateMBean, "createMBean", "(TNS)X"),
    (Method::CreateMBeanWithLoader, "createMBean", "(TNNS)X"),
    (Method::CreateMBeanWithParameters, "createMBean", "(TNM[TS)X"),
    (Method::CreateMBeanWithLoaderAndParameters, "createMBean", "(TNNM[TS)X"),
    (Method::UnregisterMBean, "unregisterMBean", "(NS)V"),
    (Method::GetObjectInstance, "getObjectInstance", "(NS)X"),
    (Method::QueryMBeans, "queryMBeans", "(NMS)E"),
    (Method::QueryNames, "queryNames", "(NMS)E"),
    (Method::IsRegistered, "isRegistered", "(NS)Z"),
    (Method::GetMBeanCount, "getMBeanCount", "(S)G"),
    (Method::GetAttribute, "getAttribute", "(NTS)O"),
    (Method::GetAttributes, "getAttributes", "(N[TS)A"),
    (Method::SetAttribute, "setAttribute", "(NMS)V"),
    (Method::SetAttributes, "setAttributes", "(NMS)A"),
    (Method::Invoke, "invoke", "(NTM[TS)O"),
    (Method::GetDefaultDomain, "getDefaultDomain", "(S)T"),
    (Method::GetDomains, "getDomains", "(S)[T"),
    (Method::GetMBeanInfo, "getMBeanInfo", "(NS)Q"),
    (Method::IsInstanceOf, "isInstanceOf", "(NTS)Z"),
    (Method::AddNotificationListener, "addNotificationListener", "(NNMMS)V"),
    (Method::RemoveNotificationListener, "removeNotificationListener", "(NNS)V"),
    (Method::RemoveNotificationListenerWithFilter, "removeNotificationListener", "(NNMMS)V"),
    (Method::AddNotificationListeners, "addNotificationListeners", "([N[M[S)[G"),
    (Method::RemoveNotificationListeners, "removeNotificationListeners", "(N[GS)V"),
    (Method::FetchNotifications, "fetchNotifications", "(JIJ)R"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_in_order_and_found_by_their_hash() {
        for (index, method) in Method::all().enumerate() {
            assert_eq!(method as usize, index);
            let (operation, hash) = method.number();
            assert_eq!(Method::find(operation, hash), Some(method));
        }
        assert_eq!(Method::find(-1, 0), None);
    }

    #[test]
    fn hashes_are_those_of_the_stubs_of_jdk_17() {
        let mut found: Vec<(&str, i64)> = Method::all()
            .filter(|method| method.number().0 == -1)
            .map(|method| (method.name(), method.number().1))
            .collect();
        found.sort_unstable();
        assert_eq!(found, STUBS);
    }

    /// `javap -c` of `RMIServerImpl_Stub` and `RMIConnectionImpl_Stub`.
    const STUBS: &[(&str, i64)] = &[
        ("addNotificationListener", -8_578_317_696_269_497_109),
        ("addNotificationListeners", -5_321_691_879_380_783_377),
        ("close", -4_742_752_445_160_157_748),
        ("createMBean", -8_679_469_989_872_508_324),
        ("createMBean", -6_604_955_182_088_909_937),
        ("createMBean", 2_510_753_813_974_665_446),
        ("createMBean", 4_867_822_117_947_806_114),
        ("fetchNotifications", -5_037_523_307_973_544_478),
        ("getAttribute", -1_089_783_104_982_388_203),
        ("getAttributes", 6_285_293_806_596_348_999),
        ("getConnectionId", -67_907_180_346_059_933),
        ("getDefaultDomain", 6_047_668_923_998_658_472),
        ("getDomains", -6_662_314_179_953_625_551),
        ("getMBeanCount", -2_042_362_057_335_820_635),
        ("getMBeanInfo", -7_404_813_916_326_233_354),
        ("getObjectInstance", 6_950_095_694_996_159_938),
        ("getVersion", -8_081_107_751_519_807_347),
        ("invoke", 1_434_350_937_885_235_744),
        ("isInstanceOf", -2_147_516_868_461_740_814),
        ("isRegistered", 8_325_683_335_228_268_564),
        ("newClient", -1_089_742_558_549_201_240),
        ("queryMBeans", 2_915_881_009_400_597_976),
        ("queryNames", 9_152_567_528_369_059_802),
        ("removeNotificationListener", 2_578_029_900_065_214_857),
        ("removeNotificationListener", 6_604_721_169_198_089_513),
        ("removeNotificationListeners", 2_549_120_024_456_183_446),
        ("setAttribute", 6_738_606_893_952_597_516),
        ("setAttributes", -230_470_228_399_681_820),
        ("unregisterMBean", -159_498_580_868_721_452),
    ];
}
