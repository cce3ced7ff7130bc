//! Setters of options. Options are `non_exhaustive`, so that a new field breaks no caller: they are created by
//! `default()` or by a parser, and changed field by field or by these setters.

/// `setters! { Options { timeout: Duration => with_timeout, } }`
macro_rules! setters {
    ($of:ident { $($name:ident: $kind:ty => $setter:ident,)* }) => {
        impl $of {
            $(
                #[doc = concat!("The same, with this [`", stringify!($name), "`](Self::", stringify!($name), ").")]
                #[must_use]
                pub fn $setter(mut self, $name: $kind) -> Self {
                    self.$name = $name;
                    self
                }
            )*
        }
    };
}

pub(crate) use setters;
