//! The functions: their names, and what they take.

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// counter32(integer): as a Counter32.
    Counter32,
    /// counter64(integer): as a Counter64.
    Counter64,
    /// arraySection(array, first, last).
    ArraySection,
    /// stringBegins(octets, octets).
    StringBegins,
    /// stringEnds(octets, octets).
    StringEnds,
    /// stringContains(octets, octets).
    StringContains,
    /// oidBegins(oid, oid).
    OidBegins,
    /// oidEnds(oid, oid).
    OidEnds,
    /// oidContains(oid, oid).
    OidContains,
    /// average(integer): over samples.
    Average,
    /// maximum(integer): over samples.
    Maximum,
    /// minimum(integer): over samples.
    Minimum,
    /// sum($n): over the instances.
    Sum,
    /// exists($n).
    Exists,
    /// count($n): how many instances there are. Not in the RFC.
    Count,
    /// mean($n): over the instances, rounded towards zero. Not in the RFC.
    Mean,
    /// lowest($n): over the instances. Not in the RFC.
    Lowest,
    /// highest($n): over the instances. Not in the RFC.
    Highest,
    /// quantile($n, percent): the least value that so many per cent of the instances do not exceed. Not in the RFC.
    Quantile,
}

impl Function {
    /// All of them.
    pub const ALL: [Function; 19] = [
        Function::Counter32,
        Function::Counter64,
        Function::ArraySection,
        Function::StringBegins,
        Function::StringEnds,
        Function::StringContains,
        Function::OidBegins,
        Function::OidEnds,
        Function::OidContains,
        Function::Average,
        Function::Maximum,
        Function::Minimum,
        Function::Sum,
        Function::Exists,
        Function::Count,
        Function::Mean,
        Function::Lowest,
        Function::Highest,
        Function::Quantile,
    ];

    /// The function of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Function::Counter32 => "counter32",
            Function::Counter64 => "counter64",
            Function::ArraySection => "arraySection",
            Function::StringBegins => "stringBegins",
            Function::StringEnds => "stringEnds",
            Function::StringContains => "stringContains",
            Function::OidBegins => "oidBegins",
            Function::OidEnds => "oidEnds",
            Function::OidContains => "oidContains",
            Function::Average => "average",
            Function::Maximum => "maximum",
            Function::Minimum => "minimum",
            Function::Sum => "sum",
            Function::Exists => "exists",
            Function::Count => "count",
            Function::Mean => "mean",
            Function::Lowest => "lowest",
            Function::Highest => "highest",
            Function::Quantile => "quantile",
        }
    }

    /// How many arguments it has.
    pub const fn arity(self) -> usize {
        match self {
            Function::ArraySection => 3,
            Function::StringBegins
            | Function::StringEnds
            | Function::StringContains
            | Function::OidBegins
            | Function::OidEnds
            | Function::OidContains
            | Function::Quantile => 2,
            _ => 1,
        }
    }

    /// Whether it is over the instances of its first argument.
    pub const fn is_aggregate(self) -> bool {
        matches!(
            self,
            Function::Sum
                | Function::Count
                | Function::Mean
                | Function::Lowest
                | Function::Highest
                | Function::Quantile
        )
    }

    /// Whether it is over samples.
    pub const fn has_memory(self) -> bool {
        matches!(self, Function::Average | Function::Maximum | Function::Minimum)
    }

    /// Whether it takes octet strings.
    pub(crate) const fn is_of_strings(self) -> bool {
        matches!(self, Function::StringBegins | Function::StringEnds | Function::StringContains)
    }
}
