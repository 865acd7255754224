// ln I0, which appears in every likelihood of a tone of unknown phase.

const STEPS = 64
const END = 32
/** ln sqrt(2 pi) */
const HALF_LOG_TWO_PI = 0.9189385

/** Returns ln I0(x) for x >= 0 from a table, to within 0.008; for inner loops. */
export function tabulatedLogBesselI0(x: number): number {
  return x < END ? TABLE[(x * STEPS) | 0]! : x - 0.5 * Math.log(x) - HALF_LOG_TWO_PI
}

/** Returns ln I0(x), the modified Bessel function, for x >= 0 to 2e-7 (Abramowitz and Stegun 9.8.1 and 9.8.2). */
export function logBesselI0(x: number): number {
  if (x < 3.75) {
    const t = (x / 3.75) ** 2
    return Math.log(polynomial(t, SMALL))
  }
  return x - 0.5 * Math.log(x) + Math.log(polynomial(3.75 / x, LARGE))
}

const SMALL = [1, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813]
const LARGE = [
  0.39894228, 0.01328592, 0.00225319, -0.00157565, 0.00916281, -0.02057706, 0.02635537, -0.01647633,
  0.00392377,
]

function polynomial(x: number, coefficients: readonly number[]): number {
  let value = 0
  for (let i = coefficients.length - 1; i >= 0; i--) value = value * x + coefficients[i]!
  return value
}

const TABLE = Float32Array.from({ length: STEPS * END }, (_, i) => logBesselI0((i + 0.5) / STEPS))
