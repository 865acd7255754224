// The one low-pass of the receiver: a sinc under a Kaiser window, used to leave the file's rate and to bend time.

/** Zeros of the sinc on either side; the kernel is 0 from there on. */
export const KERNEL_REACH = 4
/** Shape of the Kaiser window for 60 dB: flat to 0.27 and silent from 0.73 of the rate that it is made for. */
const KAISER_BETA = 5.65

/** The kernel at `x`, in samples of the lower of the two rates; 1 at 0. */
export function kernel(x: number): number {
  if (Math.abs(x) >= KERNEL_REACH) return 0
  const window = besselI0(KAISER_BETA * Math.sqrt(1 - (x / KERNEL_REACH) ** 2))
  return (sinc(x) * window) / besselI0(KAISER_BETA)
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

/** The modified Bessel function of order 0 by its series, for the moderate arguments of windows. */
function besselI0(x: number): number {
  let term = 1
  let sum = 1
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}
