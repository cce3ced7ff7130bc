// Rates from counters (RFC 2578 sections 7.1.6 and 7.1.10): right where a Counter32 begins again at 0, and silent where it is
// unknown how far a counter came: the agent has started again, or the counter has.

const WRAP32 = 2n ** 32n;

/**
 * What a counter counted per second between two samples {value, bits, up, mark, at}; null: nobody knows.
 *
 * `up` is sysUpTime in hundredths of a second, `mark` the time of the last discontinuity (ifCounterDiscontinuityTime), if there is
 * one, and `at` the time of the sample here, in milliseconds.
 */
export function rate(before, after) {
  if (!before || !after || before.value === null || after.value === null) return null;
  if (before.mark !== after.mark) return null;
  const passed = elapsed(before, after);
  if (passed === null) return null;
  let counted = after.value - before.value;
  if (counted < 0n) {
    // A Counter64 takes years to begin again; a Counter32 may have begun again once in a short time.
    if (after.bits !== 32 || passed > LONGEST_32) return null;
    counted += WRAP32;
  }
  return Number(counted) / passed;
}

/** Seconds between two samples by the agent's own clock; null: it was started again, or there is no time between them. */
export function elapsed(before, after) {
  const here = (after.at - before.at) / 1000;
  if (before.up === null || after.up === null) return here > 0 ? here : null;
  // sysUpTime begins again too, after 497 days; then as much has passed there as here.
  const there = Number((after.up - before.up + WRAP32) % WRAP32) / 100;
  if (there <= 0 || Math.abs(there - here) > 5 + here / 2) return null;
  return there;
}

/** A sample of a value in JSON. */
export function sample(value, bits, up, mark, at) {
  const number = it => it === null || it === undefined ? null : BigInt(it);
  return { value: number(value), bits, up: number(up), mark: mark === undefined ? null : String(mark), at };
}

/** A link of 1 Gbit/s counts 2^32 octets in 34 seconds. */
const LONGEST_32 = 30;
