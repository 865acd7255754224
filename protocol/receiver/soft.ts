// Arithmetic on log-likelihood ratios, by table: ln(1 + exp(-x)) to within 0.008.

const STEPS = 64
const END = 12
const TABLE = Float32Array.from({ length: STEPS * END + 1 }, (_, i) =>
  i === STEPS * END ? 0 : Math.log1p(Math.exp(-(i + 0.5) / STEPS)),
)

/** ln(1 + exp(-x)) for x >= 0, taken as 0 from 12 on. */
function softStep(x: number): number {
  return x >= END ? 0 : TABLE[(x * STEPS) | 0]!
}

/** -ln of the probability that a bit with the ratio `llr` = ln(P0/P1) is 0. */
export function costOfZero(llr: number): number {
  return llr >= 0 ? softStep(llr) : softStep(-llr) - llr
}

/** ln(exp(a) + exp(b)). */
export function logAdd(a: number, b: number): number {
  return a > b ? a + softStep(a - b) : b + softStep(b - a)
}

/** The ratio of the exclusive or of two bits, exact but for the table ("box plus"). */
export function ratioOfXor(a: number, b: number): number {
  const sum = a + b
  const difference = a - b
  const positiveSum = sum < 0 ? -sum : sum
  const positiveDifference = difference < 0 ? -difference : difference
  const larger = (positiveSum - positiveDifference) * 0.5
  return larger + softStep(positiveSum) - softStep(positiveDifference)
}
