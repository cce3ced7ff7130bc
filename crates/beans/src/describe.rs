//! What MBeans say of themselves. Units, identifiers and the names of numbers are in the descriptors, under the names that JMX
//! has for them where it has some.

use trunkline_jmx::model::{
    AttributeInfo, Descriptor, Feature, Impact, Info, NotificationInfo, OperationInfo, ParameterInfo, Value,
};
use trunkline_smi::module::ALL;
use trunkline_smi::schema::{Module, Table};
use trunkline_smi::{Oid, ValueKind, display_oid};

use crate::notification::{ATTRIBUTE_CHANGE, kind_of};
use crate::{
    ABSENT_FLOAT, ABSENT_INTEGER, ABSENT_LONG, Attribute, Bean, Delegate, Group, JavaType, TableBean,
};

/// The attribute of a table that has the number of its rows.
pub const ROW_COUNT: &str = "RowCount";
/// The operation of a table.
pub const ROWS: &str = "rows";

impl Bean<'_> {
    /// What it says of itself; `may_write` knows of which objects the client may write something.
    #[must_use]
    pub fn info(&self, may_write: &dyn Fn(&[u32]) -> bool) -> Info {
        let info = match self {
            Bean::Delegate => delegate(),
            Bean::Notifications => Info {
                description: Some("Where notifications come from".to_owned()),
                notifications: vec![notifications()],
                ..Info::default()
            },
            Bean::Group(group) => of_group(group, may_write),
            Bean::Table(bean) => of_table(bean),
            Bean::Row(bean, _) => of_row(bean, may_write),
        };
        let descriptor = vec![("immutableInfo".to_owned(), "true".into())];
        Info { class: Some(self.class_name()), descriptor, ..info }
    }
}

fn of_group(group: &Group, may_write: &dyn Fn(&[u32]) -> bool) -> Info {
    let attributes = group.attributes.iter().map(|it| it.info(None, it.is_writable(None, may_write)));
    Info {
        description: Some(format!("The scalars of {}", group.name)),
        attributes: attributes.collect(),
        notifications: changes(&Bean::Group(group)),
        ..Info::default()
    }
}

fn of_row(bean: &TableBean, may_write: &dyn Fn(&[u32]) -> bool) -> Info {
    let of = Some(bean.table);
    let attributes = bean.attributes.iter().map(|it| it.info(of, it.is_writable(of, may_write)));
    Info {
        description: Some(format!("A row of {}", bean.table.name)),
        attributes: attributes.collect(),
        notifications: changes(&Bean::Row(bean, Oid::EMPTY)),
        ..Info::default()
    }
}

/// What it sends when an attribute has another value.
fn changes(bean: &Bean<'_>) -> Vec<NotificationInfo> {
    let words = "An attribute has another value";
    let changes = NotificationInfo {
        feature: Feature::new("javax.management.AttributeChangeNotification", words),
        types: vec![ATTRIBUTE_CHANGE.to_owned()],
    };
    bean.notifies().then_some(changes).into_iter().collect()
}

fn of_table(bean: &TableBean) -> Info {
    let count = AttributeInfo {
        feature: Feature::new(ROW_COUNT, "How many rows there are"),
        class: Some(JavaType::Integer.class_name().to_owned()),
        readable: true,
        ..AttributeInfo::default()
    };
    let arrays = bean.attributes.iter().map(|attribute| attribute.array_info(bean.table));
    Info {
        description: Some(format!("{}, by columns: each an array with a cell for each row", bean.table.name)),
        attributes: std::iter::once(count).chain(arrays).collect(),
        operations: vec![rows()],
        ..Info::default()
    }
}

fn rows() -> OperationInfo {
    let parameter = |name: &str, class: &str, description: &str| ParameterInfo {
        feature: Feature::new(name, description),
        class: Some(class.to_owned()),
        open: None,
    };
    OperationInfo {
        feature: Feature::new(ROWS, "Cells of some rows: an array for each of the columns, in their order"),
        parameters: vec![
            parameter("from", "int", "How many of the rows that the filter selects are left out"),
            parameter("count", "int", "How many rows are wanted at most; -1 for all"),
            parameter("columns", "[Ljava.lang.String;", "The names of attributes of rows; null for all"),
            parameter("filter", "javax.management.QueryExp", "Which rows, by their attributes; null for all"),
        ],
        class: Some("[Ljava.lang.Object;".to_owned()),
        impact: Impact::Info,
        open: None,
    }
}

fn delegate() -> Info {
    let attribute = |name: &&str| AttributeInfo {
        feature: Feature::new(name, name),
        class: Some("java.lang.String".to_owned()),
        readable: true,
        ..AttributeInfo::default()
    };
    let types = ["JMX.mbean.registered", "JMX.mbean.unregistered"].map(str::to_owned).to_vec();
    Info {
        description: Some("What this agent is".to_owned()),
        attributes: Delegate::ATTRIBUTES.iter().map(attribute).collect(),
        notifications: vec![NotificationInfo {
            feature: Feature::new(
                "javax.management.MBeanServerNotification",
                "MBeans here come and go without one",
            ),
            types,
        }],
        ..Info::default()
    }
}

fn notifications() -> NotificationInfo {
    let all = ALL.iter().flat_map(|module| module.notifications);
    let mut types: Vec<String> = all.map(|it| kind_of(it.oid, it.name)).collect();
    types.sort_unstable();
    types.dedup();
    NotificationInfo {
        feature: Feature::new(
            "javax.management.Notification",
            "A notification of a MIB module; its objects are the user data",
        ),
        types,
    }
}

impl Attribute {
    fn is_writable(&self, of: Option<&Table>, may_write: &dyn Fn(&[u32]) -> bool) -> bool {
        self.access.is_writable() && self.oid(of).is_some_and(|oid| may_write(&oid))
    }

    fn info(&self, of: Option<&Table>, writable: bool) -> AttributeInfo {
        AttributeInfo {
            feature: self.feature(of),
            class: Some(JavaType::of(&self.syntax).class_name().to_owned()),
            readable: true,
            writable,
            ..AttributeInfo::default()
        }
    }

    /// As an attribute of the table.
    fn array_info(&self, of: &Table) -> AttributeInfo {
        let java = JavaType::of(&self.syntax);
        let mut feature = self.feature(Some(of));
        let absent = match java {
            JavaType::Integer => ABSENT_INTEGER.to_string(),
            JavaType::Long => ABSENT_LONG.to_string(),
            JavaType::Boolean => "false".to_owned(),
            JavaType::Float => ABSENT_FLOAT.to_string(),
            JavaType::Text | JavaType::Octets => "null".to_owned(),
        };
        feature.descriptor.push(("absent".to_owned(), absent.as_str().into()));
        AttributeInfo {
            feature,
            class: Some(java.array_class_name().to_owned()),
            readable: true,
            ..AttributeInfo::default()
        }
    }

    fn feature(&self, of: Option<&Table>) -> Feature {
        Feature {
            descriptor: self.descriptor(of),
            ..Feature::new(self.name, &format!("{} of {}", self.name, from(self.module)))
        }
    }

    fn descriptor(&self, of: Option<&Table>) -> Descriptor {
        let mut fields = Descriptor::new();
        let mut field = |name: &str, value: String| fields.push((name.to_owned(), Value::String(value)));
        if let Some(oid) = self.oid(of) {
            field("oid", display_oid(&oid).to_string());
        }
        let syntax = match self.syntax.convention {
            "" => self.syntax.kind.name(),
            convention => convention,
        };
        field("syntax", syntax.to_owned());
        match self.syntax.kind {
            ValueKind::TimeTicks if self.units.is_empty() => {
                field("units", "hundredths of a second".to_owned())
            }
            _ if !self.units.is_empty() => field("units", self.units.to_owned()),
            _ => {}
        }
        match self.syntax.kind {
            ValueKind::Counter32 | ValueKind::Counter64 => field("metricType", "counter".to_owned()),
            ValueKind::Unsigned32 => field("metricType", "gauge".to_owned()),
            _ => {}
        }
        if !self.syntax.names.is_empty() && JavaType::of(&self.syntax) == JavaType::Integer {
            let names: Vec<String> =
                self.syntax.names.iter().map(|(number, name)| format!("{number}={name}")).collect();
            field("values", names.join(" "));
        }
        fields
    }
}

/// `IF-MIB (RFC 2863)`
fn from(module: &Module) -> String {
    match module.reference {
        "" => module.name.to_owned(),
        reference => format!("{} ({reference})", module.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalog;

    fn info(name: &str, may_write: bool) -> Info {
        let catalog = Catalog::new(|_| true);
        catalog.resolve(&name.parse().unwrap()).unwrap().info(&|_| may_write)
    }

    fn attribute(info: &Info, name: &str) -> AttributeInfo {
        let is_it = |it: &&AttributeInfo| it.feature.name.as_deref() == Some(name);
        info.attributes.iter().find(is_it).unwrap().clone()
    }

    fn field(attribute: &AttributeInfo, name: &str) -> Option<Value> {
        let fields = &attribute.feature.descriptor;
        fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    #[test]
    fn rows_say_what_their_attributes_are() {
        let info = info("trunkline:type=ifEntry,ifIndex=1", true);
        assert_eq!(info.class.as_deref(), Some("trunkline.ifEntry"));
        let octets = attribute(&info, "ifInOctets");
        assert_eq!(octets.class.as_deref(), Some("java.lang.Long"));
        assert_eq!(octets.feature.description.as_deref(), Some("ifInOctets of IF-MIB (RFC 2863)"));
        assert_eq!(field(&octets, "units"), Some("octets".into()));
        assert_eq!(field(&octets, "oid"), Some("1.3.6.1.2.1.2.2.1.10".into()));
        assert_eq!(field(&octets, "metricType"), Some("counter".into()));
        assert!(!octets.writable);
        let status = attribute(&info, "ifAdminStatus");
        assert_eq!(field(&status, "values"), Some("1=up 2=down 3=testing".into()));
        assert!(status.writable && !attribute(&info, "ifIndex").writable);
        assert_eq!(field(&attribute(&info, "ifLastChange"), "units"), Some("hundredths of a second".into()));
    }

    #[test]
    fn who_may_not_write_sees_nothing_writable() {
        for name in ["trunkline:type=ifEntry,ifIndex=1", "trunkline:type=system"] {
            assert!(info(name, false).attributes.iter().all(|it| !it.writable), "{name}");
            assert!(info(name, true).attributes.iter().any(|it| it.writable), "{name}");
        }
    }

    #[test]
    fn tables_have_arrays_and_an_operation() {
        let info = info("trunkline:type=ifTable", true);
        assert_eq!(attribute(&info, "ifInOctets").class.as_deref(), Some("[J"));
        assert_eq!(field(&attribute(&info, "ifMtu"), "absent"), Some("-2147483648".into()));
        assert_eq!(attribute(&info, "ifDescr").class.as_deref(), Some("[Ljava.lang.String;"));
        assert!(info.attributes.iter().all(|it| !it.writable));
        let parameters: Vec<_> =
            info.operations[0].parameters.iter().filter_map(|it| it.class.as_deref()).collect();
        assert_eq!(parameters, ["int", "int", "[Ljava.lang.String;", "javax.management.QueryExp"]);
    }

    #[test]
    fn notifications_are_those_of_the_schema() {
        let info = info("trunkline:type=notifications", false);
        for known in ["trunkline.linkDown", "jmx.monitor.gauge.high"] {
            assert!(info.notifications[0].types.contains(&known.to_owned()), "{known}");
        }
        assert!(!self::info("JMImplementation:type=MBeanServerDelegate", false).attributes.is_empty());
    }
}
