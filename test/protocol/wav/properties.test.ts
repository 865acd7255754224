// Property tests of the WAV reader: buffer sizes do not matter, and only ProtocolErrors are thrown.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ProtocolError } from '../../../protocol/errors.ts'
import { readWav, WavReader } from '../../../protocol/wav/read.ts'
import { ascii, chunk, store, type WavRecipe, wavFile } from './files.ts'

const depth = fc.constantFrom(
  { tag: 1, bits: 8 },
  { tag: 1, bits: 16 },
  { tag: 1, bits: 24 },
  { tag: 1, bits: 32 },
  { tag: 3, bits: 32 },
  { tag: 3, bits: 64 },
)
const extraChunks = fc.array(
  fc.uint8Array({ maxLength: 9 }).map((content) => chunk('note', content)),
  { maxLength: 3 },
)

const recipes: fc.Arbitrary<WavRecipe & { samples: number[] }> = fc
  .record({
    depth,
    container: fc.constantFrom('RIFF' as const, 'RIFX' as const, 'RF64' as const),
    extensible: fc.boolean(),
    channels: fc.integer({ min: 1, max: 8 }),
    sampleRate: fc.integer({ min: 8000, max: 192_000 }),
    frames: fc.integer({ min: 0, max: 40 }),
    levels: fc.array(fc.integer({ min: -128, max: 127 }), { minLength: 320, maxLength: 320 }),
    before: extraChunks,
  })
  .map(({ depth: { tag, bits }, frames, levels, before, ...rest }) => {
    const samples = levels.slice(0, frames * rest.channels).map((level) => level / 128)
    const sound = store(samples, bits, tag === 3, rest.container === 'RIFX')
    const swapped = rest.container === 'RIFX' ? [] : before
    return { ...rest, tag, bits, sound, samples, before: swapped }
  })

/** Reads `bytes` in buffers split at `cuts`, overwriting each afterwards. @returns the samples of each channel */
function readSplit(bytes: Uint8Array, cuts: number[]): number[][] {
  const reader = new WavReader()
  const joined: number[][] = []
  const bounds = [...new Set([0, ...cuts, bytes.length])].sort((a, b) => a - b)
  const append = (block: Float32Array[]) => {
    for (const [channel, samples] of block.entries()) {
      joined[channel] ??= []
      joined[channel].push(...samples)
    }
  }
  for (const [i, from] of bounds.entries()) {
    const buffer = bytes.slice(from, bounds[i + 1])
    append(reader.push(buffer))
    buffer.fill(0xee)
  }
  append(reader.end())
  return joined
}

test('the reader returns the samples that were stored, whatever the coding, container and chunks', () => {
  fc.assert(
    fc.property(recipes, (recipe) => {
      const { channels, format } = readWav(wavFile(recipe))
      const interleaved = recipe.samples.map(
        (_, i) => channels[i % format.channels]![Math.floor(i / format.channels)],
      )
      expect(format.sampleRate).toBe(recipe.sampleRate)
      expect(interleaved).toEqual(recipe.samples)
    }),
    { numRuns: 300 },
  )
})

test('the reader returns the same samples however the file is split into buffers', () => {
  const cuts = fc.array(fc.nat(1200), { maxLength: 60 })
  fc.assert(
    fc.property(recipes, cuts, (recipe, at) => {
      const file = wavFile({ ...recipe, after: [chunk('LIST', ascii('behind'))] })
      const whole = readWav(file).channels.map((samples) => Array.from(samples))
      const inside = at.filter((cut) => cut < file.length)
      expect(readSplit(file, inside)).toEqual(whole)
      expect(
        readSplit(
          file,
          Array.from(file, (_, i) => i),
        ),
      ).toEqual(whole)
    }),
    { numRuns: 100 },
  )
})

test('the reader reads any corrupted or truncated file, or fails with a ProtocolError', () => {
  const damage = fc.array(fc.tuple(fc.nat(120), fc.nat(255)), { maxLength: 6 })
  fc.assert(
    fc.property(recipes, damage, fc.nat(200), (recipe, changes, cut) => {
      const file = wavFile(recipe)
      for (const [at, byte] of changes) if (at < file.length) file[at] = byte
      readOrReject(file.subarray(0, Math.max(cut, file.length - cut)))
    }),
    { numRuns: 2000 },
  )
})

test('the reader reads any bytes after a WAVE header, or fails with a ProtocolError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, headed) => {
      readOrReject(headed ? Uint8Array.from([...ascii('RIFF\0\0\0\0WAVE'), ...bytes]) : bytes)
    }),
    { numRuns: 2000 },
  )
})

function readOrReject(file: Uint8Array): void {
  try {
    const { channels } = readWav(file)
    const samples = channels.flatMap((channel) => Array.from(channel))
    expect(samples.every(Number.isFinite)).toBe(true)
  } catch (error) {
    expect(error).toBeInstanceOf(ProtocolError)
  }
}
