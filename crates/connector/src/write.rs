//! Sets: of attributes of one MBean, all of them or none.

use trunkline_beans::{Attribute, Bean, Source, from_java};
use trunkline_core::{Admission, Caller};
use trunkline_jmx::model::{self, Exception, MarshalledObject, ObjectName, Value};
use trunkline_jmx::stream::classes::exceptions;
use trunkline_smi::Oid;
use trunkline_tree::SetBinding;
use trunkline_tree::policy::ViewType;

use crate::ask::Ask;
use crate::refusal;

impl Ask<'_> {
    /// Sets one attribute.
    pub(crate) async fn set_attribute(
        &self,
        name: &ObjectName,
        attribute: Option<MarshalledObject>,
    ) -> Result<(), Exception> {
        let bean = self.bean(name).await?;
        match self.unmarshalled(attribute)? {
            Value::Attribute(attribute) => self.set(name, &bean, std::slice::from_ref(&*attribute)).await,
            Value::Null => Err(refusal::argument("the Attribute is null")),
            other => Err(refusal::wrong_class(&other, "javax.management.Attribute")),
        }
    }

    /// Sets attributes, and returns those that were set: all, or none if one of them cannot be set.
    pub(crate) async fn set_attributes(
        &self,
        name: &ObjectName,
        attributes: Option<MarshalledObject>,
    ) -> Result<Vec<model::Attribute>, Exception> {
        let bean = self.bean(name).await?;
        let attributes = match self.unmarshalled(attributes)? {
            Value::Attributes(attributes) => attributes,
            Value::Null => return Err(refusal::argument("the AttributeList is null")),
            other => return Err(refusal::wrong_class(&other, "javax.management.AttributeList")),
        };
        match self.set(name, &bean, &attributes).await {
            Ok(()) => Ok(attributes),
            Err(error) if error.class.is(&exceptions::SECURITY_EXCEPTION) => Err(error),
            Err(_) => Ok(Vec::new()),
        }
    }

    async fn set(
        &self,
        name: &ObjectName,
        bean: &Bean<'_>,
        attributes: &[model::Attribute],
    ) -> Result<(), Exception> {
        let (table, index, known) = match bean {
            Bean::Group(group) => (None, &[0][..], &group.attributes),
            Bean::Row(table, index) => (Some(table.table), &index[..], &table.attributes),
            Bean::Delegate | Bean::Notifications | Bean::Table(_) => {
                let words = format!("{} has no attribute that can be set", name.to_text());
                return Err(Exception::new(&exceptions::ATTRIBUTE_NOT_FOUND_EXCEPTION, words));
            }
        };
        let mut bindings = Vec::with_capacity(attributes.len());
        for attribute in attributes {
            let found = known.iter().find(|known| known.name == attribute.name);
            let found = found.ok_or_else(|| refusal::no_attribute(&attribute.name))?;
            let oid = found.oid(table).filter(|_| is_writable(found)).ok_or_else(|| {
                let words = format!("{} cannot be set", attribute.name);
                Exception::new(&exceptions::ATTRIBUTE_NOT_FOUND_EXCEPTION, words)
            })?;
            let value = from_java(&attribute.value, &found.syntax).map_err(|error| {
                let words = format!("{}: {error}", attribute.name);
                Exception::new(&exceptions::INVALID_ATTRIBUTE_VALUE_EXCEPTION, words)
            })?;
            let name = Oid::new(&[&oid, index].concat())
                .map_err(|_| refusal::argument("the name of the object is too long"))?;
            bindings.push(SetBinding { name, value: Some(value) });
        }
        self.bindings(attributes, bindings).await
    }

    async fn bindings(
        &self,
        attributes: &[model::Attribute],
        bindings: Vec<SetBinding>,
    ) -> Result<(), Exception> {
        let principal = self.connection.principal.as_principal();
        let caller = Caller::of_default_context(principal);
        let access = match self.settings.admit(&caller, ViewType::Write) {
            Ok(Admission::Tree(access)) => access.clone(),
            _ => return Err(refusal::access("this principal may write nothing here")),
        };
        self.settings.set(&principal, &access, bindings).await.map_err(|error| {
            let position =
                if let trunkline_core::NotSet::Refused(failure) = &error { failure.binding } else { 0 };
            let attribute = attributes.get(position).map_or("", |attribute| attribute.name.as_str());
            refusal::not_set(attribute, &error)
        })
    }
}

fn is_writable(attribute: &Attribute) -> bool {
    attribute.access.is_writable() && !matches!(attribute.source, Source::Key(_))
}
