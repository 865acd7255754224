// All constants of protocol V1 (SPEC.md 3 to 7), and the three tables derived from one generator.

// The frame: 106 bytes, big-endian (SPEC.md 3).
//
//   0        1     2     3     4        5           6                      102            106
//   +--------+-----+-----+-----+--------+-----------+------ - - - ---------+--- - - - ----+
//   |ver|cov.|    day    | avail. |clock| conclusion|  12 counters, u64    |    CRC-32    |
//   +--------+-----+-----+-----+--------+-----------+------ - - - ---------+--- - - - ----+
//     4   4       16       12      4         8              12 x 64               32       bits

export const PROTOCOL_VERSION = 1
/** The largest day number, days since 1970-01-01: 2149-06-06. */
export const LAST_DAY_NUMBER = 0xffff
export const COUNTER_BYTES = 8
export const LARGEST_COUNTER = 2n ** 64n - 1n
/** Byte offset of each field of a frame. */
export const OFFSET = { flags: 0, day: 1, availability: 3, conclusion: 5, counters: 6, crc: 102 }
export const FRAME_BYTES = OFFSET.crc + 4
export const FRAME_BITS = FRAME_BYTES * 8
/** CRC-32 of IEEE 802.3, in the reflected form that a right-shifting CRC uses. */
export const CRC_POLYNOMIAL = 0xedb88320

// The code: the bits of a frame are split among seven polar codes of increasing rate, one per label bit (SPEC.md 5).

export const LEVELS = 7
export const CODE_LENGTH = 256
/** Information bits of each level; they add up to FRAME_BITS. */
export const INFORMATION_COUNTS = [62, 81, 100, 122, 143, 162, 178] as const

// The waveform: one tone per slot, with a known sync tone in every 17th slot (SPEC.md 6 and 7).
//
//   slot    0    1 .. 16   17   18 .. 33   34          255   256 .. 271  272
//         +----+----------+----+----------+----+-- - - -+----+----------+----+
//    ramp |sync| 16 data  |sync| 16 data  |sync|        |sync| 16 data  |sync| ramp
//         +----+----------+----+----------+----+-- - - -+----+----------+----+
//   480     5120 samples each, 273 slots                                       480 samples

export const SAMPLE_RATE = 48_000
/** Length of a slot [samples]: 106.7 ms. */
export const SYMBOL_SAMPLES = 5120
/** Length of the fade before slot 0 and after the last slot [samples]: 10 ms. */
export const RAMP_SAMPLES = 480
export const TONES = 1 << LEVELS
/** Spacing of the tones [Hz]: 9.375, so that each tone has a whole number of periods in a slot. */
export const TONE_SPACING = SAMPLE_RATE / SYMBOL_SAMPLES
/** The lowest tone in even and in odd slots, as a multiple of TONE_SPACING (506.25 Hz and 1500 Hz). */
export const BASE_BINS = [54, 160] as const
export const SYNC_PERIOD = 17
export const SYNC_COUNT = CODE_LENGTH / (SYNC_PERIOD - 1) + 1
export const SLOTS = CODE_LENGTH + SYNC_COUNT
export const TRANSMISSION_SAMPLES = SLOTS * SYMBOL_SAMPLES + 2 * RAMP_SAMPLES
/** Duration of a transmission at speed 1 [s]: 29.14. */
export const TRANSMISSION_SECONDS = TRANSMISSION_SAMPLES / SAMPLE_RATE
/** Peak of the waveform as a fraction of full scale. */
export const AMPLITUDE = 0.5

/** Returns the frequency [Hz] of `tone` (0 to 127) in `slot` (0 to 272), SPEC.md 7.1. */
export function slotFrequency(tone: number, slot: number): number {
  return (BASE_BINS[slot & 1]! + tone) * TONE_SPACING
}

// The tables: one xorshift generator yields the permutation, the mask and the sync tones, in this order (SPEC.md 4).

export const GENERATOR_SEED = 0x1d872b41

/** Marsaglia's 32-bit xorshift (13, 17, 5): each call returns the next state, unsigned. */
export function xorshift32(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}

const next = xorshift32(GENERATOR_SEED)

/** Code position i travels in data slot PERMUTATION[i] (a Fisher-Yates shuffle, SPEC.md 4.2). */
export const PERMUTATION: Uint8Array = shuffled(CODE_LENGTH)
/** LABEL_MASK[i] is XORed with the label of code position i (SPEC.md 4.3). */
export const LABEL_MASK: Uint8Array = Uint8Array.from({ length: CODE_LENGTH }, drawTone)
/** The tones of the sync slots (SPEC.md 4.4). */
export const SYNC_TONES: Uint8Array = Uint8Array.from({ length: SYNC_COUNT }, drawTone)

function shuffled(length: number): Uint8Array {
  const order = Uint8Array.from({ length }, (_, i) => i)
  for (let i = length - 1; i > 0; i--) {
    const j = next() % (i + 1)
    const moved = order[i]!
    order[i] = order[j]!
    order[j] = moved
  }
  return order
}

function drawTone(): number {
  return (next() >>> 8) % TONES
}
