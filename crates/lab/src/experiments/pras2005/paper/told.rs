//! Numbers in the paper's text about figures 4, 5 and 11 to 14. The curves themselves are printed without numbers,
//! so they are not here.

use std::ops::RangeInclusive;

/// A figure in the text, for a number of objects.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Told {
    /// The number of objects.
    pub objects: u32,
    /// The figure.
    pub figure: f64,
}

const fn at(objects: u32, figure: f64) -> Told {
    Told { objects, figure }
}

/// The figure for this number of objects.
pub fn told(list: &[Told], objects: u32) -> Option<f64> {
    list.iter().find(|it| it.objects == objects).map(|it| it.figure)
}

/// Section IV.B: "more than 90 %" of the values took 1 to 6 octets, per cent.
pub const VALUES_OF_1_TO_6: f64 = 90.0;

/// Section IV.F, octets: the SOAP request ("approximately 500").
pub const REQUEST: f64 = 500.0;
/// The response without rows ("approximately 450").
pub const GENERIC: f64 = 450.0;
/// One ifEntry ("slightly over 1000").
pub const ENTRY: f64 = 1000.0;
/// Per cent of it that its names take.
pub const NAMES_SHARE: f64 = 35.0;
/// Per cent of it that its types take.
pub const TYPES_SHARE: f64 = 15.0;
/// The objects of such an entry: the paper's has no ifLastChange, ifInNUcastPkts, ifInUnknownProtos and ifOutNUcastPkts.
pub const ENTRY_OBJECTS: u32 = 18;
/// Section IV.F: ratio of web services to SNMP Get, for many objects.
pub const OVER_GET: f64 = 2.0;
/// Section IV.F: ratio of web services to SNMP GetBulk, for many objects.
pub const OVER_BULK: f64 = 4.0;

/// Section IV.G: ratio of web services without compression to those with zlib.
pub const COMPRESSION: [Told; 3] = [at(1, 2.0), at(50, 4.0), at(250, 8.0)];
/// Section IV.G: SNMP with OID prefix compression, in per cent of SNMP without; for any number of objects.
pub const PREFIX_COMPRESSION: f64 = 75.0;
/// Section IV.G: from this many objects on compressed web services take fewer octets than SNMP, at application
/// level.
pub const CROSSING: f64 = 70.0;
/// Section IV.H: the same at IP level.
pub const CROSSING_AT_IP: RangeInclusive<f64> = 125.0..=150.0;

/// Section IV.H, octets that IP level adds to the application's: the SOAP exchange, without set-up and release.
pub const WS_EXTRA: [Told; 2] = [at(1, 273.0), at(250, 485.0)];
/// Section IV.H: with compression; the sentence before it has the numbers of objects.
pub const WS_EXTRA_COMPRESSED: [Told; 2] = [at(1, 613.0), at(250, 715.0)];

/// Section V.A, milliseconds: decoding a request and encoding its response in BER.
pub const BER_CODING: [Told; 2] = [at(1, 0.06), at(216, 0.8)];
/// The same in XML.
pub const XML_CODING: [Told; 2] = [at(1, 0.44), at(216, 2.5)];
/// Section V.A: ratio of compression to XML coding, from and to.
pub const COMPRESSION_OVER_CODING: RangeInclusive<f64> = 3.0..=5.0;
/// Section V.A, milliseconds: Net-SNMP's retrieval of the data. For one object 1.2 to 2.0 (the middle here), for
/// five "more than 6".
pub const RETRIEVAL: [Told; 4] = [at(1, 1.6), at(5, 6.0), at(54, 65.0), at(270, 500.0)];
/// Section V.A: from this many objects on XML coding took longer than retrieval in the prototype, which caches.
pub const CODING_OVER_RETRIEVAL: f64 = 180.0;
/// Section V.B: the dynamic memory that compression adds to an operation, kB ("more than").
pub const COMPRESSION_MEMORY: f64 = 300.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_factors_fit_its_times() {
        // "7 times more" for one object, "3 to 7 times" overall
        let over = |objects| told(&XML_CODING, objects).unwrap() / told(&BER_CODING, objects).unwrap();
        assert!((over(1) - 7.0).abs() < 0.5);
        assert!((over(216) - 3.0).abs() < 0.2);
        assert_eq!(told(&COMPRESSION, 22), None);
    }
}
