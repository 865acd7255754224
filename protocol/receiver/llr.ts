// Arithmetic on log-likelihood ratios, with ln(1 + exp(-x)) from a table to within 0.008.

const STEPS = 64
const END = 12
const TABLE = Float32Array.from({ length: STEPS * END + 1 }, (_, i) =>
  i === STEPS * END ? 0 : Math.log1p(Math.exp(-(i + 0.5) / STEPS)),
)

/** The correction term of the Jacobian logarithm: ln(1 + exp(-x)) for x >= 0, 0 from x = 12 on. */
function jacobianTerm(x: number): number {
  return x >= END ? 0 : TABLE[(x * STEPS) | 0]!
}

/** Returns -ln of the probability that a bit with log-likelihood ratio `llr` = ln(P0/P1) is 0. */
export function costOfZero(llr: number): number {
  return llr >= 0 ? jacobianTerm(llr) : jacobianTerm(-llr) - llr
}

/** Returns ln(exp(a) + exp(b)), the Jacobian logarithm. */
export function logAdd(a: number, b: number): number {
  return a > b ? a + jacobianTerm(a - b) : b + jacobianTerm(b - a)
}

/** Returns the log-likelihood ratio of the XOR of two bits, exact except for the table. */
export function boxPlus(a: number, b: number): number {
  const sum = a + b
  const difference = a - b
  const positiveSum = sum < 0 ? -sum : sum
  const positiveDifference = difference < 0 ? -difference : difference
  const larger = (positiveSum - positiveDifference) * 0.5
  return larger + jacobianTerm(positiveSum) - jacobianTerm(positiveDifference)
}
