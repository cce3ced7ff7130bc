//! The two readers agree on every message: what the quick one accepts, the other one accepts with the same values.
