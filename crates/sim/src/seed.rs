//! Numbers that are drawn. They depend on the seed and on what they are for, and on nothing else: an agent has the
//! same ones in each run, whichever is asked first.

/// Where numbers are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(u64);

impl Seed {
    /// A seed of the user's.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(mix(number ^ 0x6a09_e667_f3bc_c908))
    }

    /// The seed of a part: of one agent, of one of its interfaces.
    #[must_use]
    pub const fn of(self, part: u64) -> Self {
        Self(mix(self.0 ^ mix(part.wrapping_add(0x9e37_79b9_7f4a_7c15))))
    }

    /// Any number.
    #[must_use]
    pub const fn draw(self, purpose: u64) -> u64 {
        self.of(purpose).0
    }

    /// A number from `least` to `most`, each as often as the others.
    #[must_use]
    pub const fn between(self, purpose: u64, least: u64, most: u64) -> u64 {
        if most <= least {
            return least;
        }
        let wide = self.draw(purpose) as u128 * (most as u128 - least as u128 + 1);
        least + (wide >> 64) as u64
    }

    /// Whether something happens that has this probability.
    #[must_use]
    pub fn happens(self, purpose: u64, probability: f64) -> bool {
        // 53 bits, as many as the fraction has.
        (self.draw(purpose) >> 11) as f64 / (1_u64 << 53) as f64 <= probability && probability > 0.0
    }
}

/// The last step of SplitMix64 (Steele, Lea, Flood 2014): each bit of the result depends on each of the argument.
const fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// The numbers below `size` in another order: a Feistel network over the next power of four, walked until it returns
/// to the range. Needs no table, and each share of the places is exactly that share of the numbers.
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    seed: Seed,
    size: u64,
    half: u32,
}

impl Permutation {
    /// An order that the seed decides.
    #[must_use]
    pub const fn new(seed: Seed, size: u32) -> Self {
        let bits = u64::BITS - (size as u64).saturating_sub(1).leading_zeros();
        Self { seed, size: size as u64, half: bits.div_ceil(2) }
    }

    /// The place of a number; a number beyond the size has none, and is returned.
    #[must_use]
    pub fn place(&self, number: u32) -> u32 {
        let mut at = u64::from(number);
        if at >= self.size {
            return number;
        }
        loop {
            at = self.shuffled(at);
            if at < self.size {
                return at as u32; // below `size`, which is a u32
            }
        }
    }

    fn shuffled(&self, number: u64) -> u64 {
        let mask = (1_u64 << self.half) - 1;
        let (mut left, mut right) = (number >> self.half, number & mask);
        for round in 0..4 {
            (left, right) = (right, left ^ (self.seed.of(round).draw(right) & mask));
        }
        left << self.half | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_has_each_place_once() {
        for size in [1, 2, 3, 10, 64, 65, 1000, 4097] {
            let order = Permutation::new(Seed::new(7), size);
            let mut places: Vec<u32> = (0..size).map(|number| order.place(number)).collect();
            assert!(size < 10 || !places.is_sorted(), "{size}");
            places.sort_unstable();
            assert_eq!(places, (0..size).collect::<Vec<_>>(), "{size}");
            assert_eq!(order.place(size), size);
        }
    }

    #[test]
    fn draws_depend_on_seed_and_purpose_alone() {
        let seed = Seed::new(1);
        assert_eq!(seed.draw(5), Seed::new(1).draw(5));
        assert_ne!(seed.draw(5), seed.draw(6));
        assert_ne!(seed.draw(5), Seed::new(2).draw(5));
        assert_ne!(seed.of(1).draw(2), seed.of(2).draw(1));
        let (mut low, mut high) = (0, 0);
        for purpose in 0..10_000 {
            match seed.between(purpose, 3, 6) {
                3 => low += 1,
                6 => high += 1,
                between => assert!((3..=6).contains(&between)),
            }
        }
        assert!((2_300..2_700).contains(&low) && (2_300..2_700).contains(&high), "{low} {high}");
        assert_eq!((seed.between(0, 9, 9), seed.between(0, 9, 2)), (9, 9));
        let often = (0..10_000).filter(|purpose| seed.happens(*purpose, 0.02)).count();
        assert!((140..260).contains(&often), "{often}");
        assert!((0..1000).all(|purpose| seed.happens(purpose, 1.0) && !seed.happens(purpose, 0.0)));
    }
}
