//! Hidden cells of rows that are delegated work: by whose rights it is done, and how long.

/// By whose rights the row acts: its security model, level and name.
pub const AUTHORITY: &str = "authority";

/// How many seconds the row lasts from when it was last configured, in decimal digits.
pub const LIFETIME: &str = "lifetime";

/// When it ends: seconds since 1970, in decimal digits.
pub const EXPIRES: &str = "expires";
