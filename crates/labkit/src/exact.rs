//! The exact length of a message of SNMPv1 or SNMPv2c, for comparison with the measured one: BER lengths as
//! encoded, names as they are. The formulas of Pras et al. (2005) without their simplifications.

/// The octets of BER's definite length for `contents` octets: 1 below 128, else 1 and as many as the number needs.
pub const fn length_octets(contents: u64) -> u64 {
    if contents < 128 { 1 } else { 1 + (64 - contents.leading_zeros() as u64).div_ceil(8) }
}

/// An element of `contents` octets with its one-octet tag and its length.
pub const fn element(contents: u64) -> u64 {
    1 + length_octets(contents) + contents
}

/// The contents octets of an INTEGER: the minimum for two's complement.
pub const fn integer_contents(number: i64) -> u64 {
    let magnitude = if number < 0 { !number } else { number } as u64;
    let octets = (65 - magnitude.leading_zeros() as u64).div_ceil(8);
    if octets == 0 { 1 } else { octets }
}

/// The contents octets of an OBJECT IDENTIFIER: the first two sub-identifiers in one octet (while they fit), the
/// others in as many groups of seven bits as they need.
pub fn name_contents(name: &[u32]) -> u64 {
    let of = |number: u64| (64 - number.leading_zeros() as u64).div_ceil(7).max(1);
    let first = match name {
        [] => 0,
        [only] => of(u64::from(*only) * 40),
        [one, two, ..] => of(u64::from(*one) * 40 + u64::from(*two)),
    };
    first + name.iter().skip(2).map(|&sub_id| of(u64::from(sub_id))).sum::<u64>()
}

/// A whole message: `community` octets, the four integers of the header, and each binding's name and the contents
/// octets of its value.
pub fn message<'a>(
    community: u64,
    integers: [i64; 4],
    bindings: impl IntoIterator<Item = (&'a [u32], u64)>,
) -> u64 {
    let list = binding_list(bindings);
    let [version, in_pdu @ ..] = integers.map(|number| element(integer_contents(number)));
    element(version + element(community) + element(in_pdu.iter().sum::<u64>() + list))
}

/// A list of variable bindings: each one's name and the contents octets of its value.
pub fn binding_list<'a>(bindings: impl IntoIterator<Item = (&'a [u32], u64)>) -> u64 {
    let binding = |(name, value): (&[u32], u64)| element(element(name_contents(name)) + element(value));
    element(bindings.into_iter().map(binding).sum())
}
