// Builds WAV files for tests: every coding, container and header, correct or not.

export interface WavRecipe {
  container?: 'RIFF' | 'RIFX' | 'RF64'
  tag?: number
  /** Writes the extensible form of the fmt chunk around `tag`. */
  extensible?: boolean
  channels?: number
  sampleRate?: number
  bits?: number
  frameBytes?: number
  /** The bytes of the data chunk. */
  sound?: Uint8Array
  /** The stated size of the data chunk, if it is not the true one. */
  dataSize?: number
  riffSize?: number
  before?: Uint8Array[]
  after?: Uint8Array[]
}

/** Builds a WAV file, by default of 16-bit mono PCM at 48 kHz. */
export function wavFile(recipe: WavRecipe): Uint8Array {
  const { container = 'RIFF', sound = new Uint8Array(0), before = [], after = [] } = recipe
  const big = container === 'RIFX'
  const ds64 = container === 'RF64' ? [chunk('ds64', longSizes(sound.length), big)] : []
  const trueSize = container === 'RF64' ? 0xffffffff : sound.length
  const body = [
    ascii('WAVE'),
    ...ds64,
    ...before,
    chunk('fmt ', formatChunk(recipe, big), big),
    chunk('data', sound, big, recipe.dataSize ?? trueSize),
    ...after,
  ]
  const size = body.reduce((sum, part) => sum + part.length, 0)
  const riffSize = recipe.riffSize ?? (container === 'RF64' ? 0xffffffff : size)
  return concat(ascii(container), u32(riffSize, big), ...body)
}

/** Builds a chunk with its pad byte. @param size that it states, if it is not the true one */
export function chunk(
  id: string,
  content: Uint8Array,
  big = false,
  size = content.length,
): Uint8Array {
  return concat(ascii(id), u32(size, big), content, new Uint8Array(content.length % 2))
}

/** Stores interleaved samples of -1 to 1 as PCM or float of `bits` bits. */
export function store(samples: number[], bits: number, float = false, big = false): Uint8Array {
  const bytes = bits / 8
  const view = new DataView(new ArrayBuffer(samples.length * bytes))
  for (const [i, sample] of samples.entries()) {
    const at = i * bytes
    if (float && bits === 32) view.setFloat32(at, sample, !big)
    else if (float) view.setFloat64(at, sample, !big)
    else storeInteger(view, at, bits, sample, big)
  }
  return new Uint8Array(view.buffer)
}

function storeInteger(
  view: DataView,
  at: number,
  bits: number,
  sample: number,
  big: boolean,
): void {
  const full = 2 ** (bits - 1)
  const value = Math.max(-full, Math.min(full - 1, Math.round(sample * full)))
  if (bits === 8) view.setUint8(at, value + 128)
  else if (bits === 16) view.setInt16(at, value, !big)
  else if (bits === 32) view.setInt32(at, value, !big)
  else {
    view.setInt16(big ? at : at + 1, value >> 8, !big)
    view.setUint8(big ? at + 2 : at, value & 0xff)
  }
}

function formatChunk(recipe: WavRecipe, big: boolean): Uint8Array {
  const { tag = 1, channels = 1, sampleRate = 48_000, bits = 16, extensible = false } = recipe
  const frameBytes = recipe.frameBytes ?? (channels * bits) / 8
  const plain = concat(
    u16(extensible ? 0xfffe : tag, big),
    u16(channels, big),
    u32(sampleRate, big),
    u32(sampleRate * frameBytes, big),
    u16(frameBytes, big),
    u16(bits, big),
  )
  if (!extensible) return plain
  const guidEnd = [0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]
  const guid = concat(u32(tag, big), u16(0, big), u16(0x10, big), Uint8Array.from(guidEnd))
  return concat(plain, u16(22, big), u16(bits, big), u32(0, big), guid)
}

function longSizes(dataSize: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(28))
  view.setBigUint64(0, BigInt(dataSize + 100), true)
  view.setBigUint64(8, BigInt(dataSize), true)
  return new Uint8Array(view.buffer)
}

export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0))
}

export function concat(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)))
}

export function u16(value: number, big = false): Uint8Array {
  const bytes = Uint8Array.of(value & 0xff, (value >> 8) & 0xff)
  return big ? bytes.reverse() : bytes
}

export function u32(value: number, big = false): Uint8Array {
  const low = u16(value & 0xffff)
  const bytes = concat(low, u16(Math.floor(value / 65_536)))
  return big ? bytes.reverse() : bytes
}
