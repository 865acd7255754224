// The receiver's low-pass kernel, a Kaiser-windowed sinc: for resampling to the baseband and for time scaling.

/** Zero crossings of the sinc on either side; the kernel is 0 beyond. */
export const KERNEL_REACH = 4
/** Kaiser beta for 60 dB of attenuation: passband to 0.27, stopband from 0.73 of the rate that it is scaled to. */
const KAISER_BETA = 5.65

/** Returns the kernel at `x` [samples of the lower of the two rates]; 1 at 0. */
export function kernel(x: number): number {
  if (Math.abs(x) >= KERNEL_REACH) return 0
  const window = besselI0(KAISER_BETA * Math.sqrt(1 - (x / KERNEL_REACH) ** 2))
  return (sinc(x) * window) / besselI0(KAISER_BETA)
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

/** The modified Bessel function of order 0 by its series, which is accurate for the small arguments of windows. */
function besselI0(x: number): number {
  let term = 1
  let sum = 1
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}
