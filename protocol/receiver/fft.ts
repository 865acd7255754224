// A radix-4 FFT for lengths that are a power of two, in Stockham's autosort form, which needs no bit reversal.

/** A transform of fixed length with its tables and scratch space; not thread-safe. */
export class FourierTransform {
  readonly length: number
  readonly #cos: Float64Array
  readonly #sin: Float64Array
  #real: Float64Array
  #imag: Float64Array
  #spareReal: Float64Array
  #spareImag: Float64Array

  /** @param length a power of two, at least 4 */
  constructor(length: number) {
    this.length = length
    this.#cos = Float64Array.from({ length }, (_, i) => Math.cos((2 * Math.PI * i) / length))
    this.#sin = Float64Array.from({ length }, (_, i) => -Math.sin((2 * Math.PI * i) / length))
    this.#real = new Float64Array(length)
    this.#imag = new Float64Array(length)
    this.#spareReal = new Float64Array(length)
    this.#spareImag = new Float64Array(length)
  }

  /** Real parts: the input before `run`, the unscaled spectrum after it, bin 0 first. */
  get real(): Float64Array {
    return this.#real
  }

  /** Imaginary parts, as `real`. */
  get imag(): Float64Array {
    return this.#imag
  }

  /** Transforms `real` and `imag`. Read both properties again afterwards, as the buffers are swapped. */
  run(): void {
    let size = this.length
    let stride = 1
    for (; size >= 4; size >>= 2, stride <<= 2) this.#radix4(size, stride)
    if (size === 2) this.#radix2(stride)
  }

  #radix4(size: number, stride: number): void {
    const [xr, xi, yr, yi] = [this.#real, this.#imag, this.#spareReal, this.#spareImag]
    const cos = this.#cos
    const sin = this.#sin
    const quarter = size >> 2
    const step = quarter * stride
    for (let p = 0; p < quarter; p++) {
      const w1r = cos[p * stride]!
      const w1i = sin[p * stride]!
      const w2r = cos[2 * p * stride]!
      const w2i = sin[2 * p * stride]!
      const w3r = cos[3 * p * stride]!
      const w3i = sin[3 * p * stride]!
      for (let q = 0; q < stride; q++) {
        const a = q + stride * p
        const sumR = xr[a]! + xr[a + 2 * step]!
        const sumI = xi[a]! + xi[a + 2 * step]!
        const differenceR = xr[a]! - xr[a + 2 * step]!
        const differenceI = xi[a]! - xi[a + 2 * step]!
        const oddR = xr[a + step]! + xr[a + 3 * step]!
        const oddI = xi[a + step]! + xi[a + 3 * step]!
        const rotatedR = xi[a + step]! - xi[a + 3 * step]!
        const rotatedI = xr[a + 3 * step]! - xr[a + step]!
        const b = q + stride * 4 * p
        yr[b] = sumR + oddR
        yi[b] = sumI + oddI
        const r1 = differenceR + rotatedR
        const i1 = differenceI + rotatedI
        yr[b + stride] = r1 * w1r - i1 * w1i
        yi[b + stride] = r1 * w1i + i1 * w1r
        const r2 = sumR - oddR
        const i2 = sumI - oddI
        yr[b + 2 * stride] = r2 * w2r - i2 * w2i
        yi[b + 2 * stride] = r2 * w2i + i2 * w2r
        const r3 = differenceR - rotatedR
        const i3 = differenceI - rotatedI
        yr[b + 3 * stride] = r3 * w3r - i3 * w3i
        yi[b + 3 * stride] = r3 * w3i + i3 * w3r
      }
    }
    this.#swap()
  }

  #radix2(stride: number): void {
    const [xr, xi, yr, yi] = [this.#real, this.#imag, this.#spareReal, this.#spareImag]
    for (let q = 0; q < stride; q++) {
      yr[q] = xr[q]! + xr[q + stride]!
      yi[q] = xi[q]! + xi[q + stride]!
      yr[q + stride] = xr[q]! - xr[q + stride]!
      yi[q + stride] = xi[q]! - xi[q + stride]!
    }
    this.#swap()
  }

  #swap(): void {
    const [real, imag] = [this.#real, this.#imag]
    this.#real = this.#spareReal
    this.#imag = this.#spareImag
    this.#spareReal = real
    this.#spareImag = imag
  }
}
