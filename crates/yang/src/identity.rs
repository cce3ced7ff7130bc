//! Values that are identities (RFC 7950 section 9.10): two are the same whichever prefixes they are written with.

use crate::forest::{Forest, NodeId, Place};
use crate::own::{OwnNode, Prefixes, identities};
use crate::value_type::ValueType;

/// An identity, by the namespace of its module and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity<'i> {
    /// The namespace; `None`: any, for one that was named without a module.
    pub namespace: Option<&'i str>,
    /// The name.
    pub name: &'i str,
}

/// How the values of a leaf that are identities are kept and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Those of the leaf's own module, without a prefix.
    Own,
    /// Those of another module, with this prefix; its namespace.
    Of(&'static str, &'static str),
    /// Those of several modules, with their prefixes; those of the leaf's own without one.
    Modules,
}

impl Place {
    /// Whether its values are identities.
    pub fn has_identities(&self) -> bool {
        self.identities().is_some()
    }

    fn identities(&self) -> Option<Form> {
        let Place::Own { node: OwnNode { setting, prefixes, .. }, .. } = *self else { return None };
        match (setting.as_ref().map(|setting| setting.value), prefixes) {
            (Some(ValueType::Identity(..)), _) | (None, Some(Prefixes::OwnIdentity)) => Some(Form::Own),
            (Some(value), _) => value.declares().map(|(prefix, namespace)| Form::Of(prefix, namespace)),
            (None, Some(Prefixes::Identity(prefix, namespace))) => Some(Form::Of(prefix, namespace)),
            (None, Some(Prefixes::Identities)) => Some(Form::Modules),
            (None, Some(Prefixes::Nodes | Prefixes::Path) | None) => None,
        }
    }
}

impl Forest {
    /// The identity that a value of a leaf is, as it is kept.
    pub fn identity<'i>(&'i self, leaf: NodeId, value: &'i str) -> Option<Identity<'i>> {
        let own = self.module(leaf).namespace.as_str();
        let (namespace, name) = match (self[leaf].place.identities()?, value.split_once(':')) {
            (Form::Own | Form::Modules, None) => (own, value),
            (Form::Of(prefix, namespace), Some((found, name))) if found == prefix => (namespace, name),
            (Form::Modules, Some((prefix, name))) => {
                let module = self.modules().iter().find(|module| module.prefix == prefix)?;
                (module.namespace.as_str(), name)
            }
            _ => return None,
        };
        Some(Identity { namespace: Some(namespace), name })
    }

    /// The value of a leaf, as it is kept, that is an identity; `None`: the leaf has no such value.
    pub fn identity_value(&self, leaf: NodeId, identity: Identity<'_>) -> Option<String> {
        let own = self.module(leaf).namespace.as_str();
        let Identity { namespace, name } = identity;
        match self[leaf].place.identities()? {
            Form::Own => namespace.is_none_or(|it| it == own).then(|| name.to_owned()),
            Form::Of(prefix, of) => namespace.is_none_or(|it| it == of).then(|| format!("{prefix}:{name}")),
            Form::Modules => {
                let module = match namespace {
                    Some(namespace) => self.modules().iter().find(|it| it.namespace == namespace)?,
                    None => {
                        let name_of =
                            |module: &'static str| self.modules().iter().find(|it| it.name == module);
                        identities::modules_with(name).find_map(name_of)?
                    }
                };
                let is_own = module.namespace == own;
                Some(if is_own { name.to_owned() } else { format!("{}:{name}", module.prefix) })
            }
        }
    }

    /// Whether an identity is derived from another one, or with `or_self` is that one (RFC 7950 section 10.4).
    pub fn is_derived(&self, identity: Identity<'_>, from: Identity<'_>, or_self: bool) -> bool {
        let named = |module: &str| self.modules().iter().find(|it| it.name == module);
        let is_it = |namespace: Option<&str>, name: &str| {
            name == from.name && (from.namespace.is_none() || from.namespace == namespace)
        };
        if or_self && is_it(identity.namespace, identity.name) {
            return true;
        }
        let module = self.modules().iter().find(|it| Some(it.namespace.as_str()) == identity.namespace);
        let mut base = module.and_then(|module| identities::base(module.name, identity.name));
        while let Some((module, name)) = base {
            if is_it(named(module).map(|it| it.namespace.as_str()), name) {
                return true;
            }
            base = identities::base(module, name);
        }
        false
    }
}
