// verify finds values that do not follow from a day's other files, even if every hash is right.
// Rules: FORMAT.md 3.3, 7.2, 8.2, 11.2, 13.2.
import { describe, expect, it } from 'vitest'
import type { Manifest } from '../../../archive/format/manifest.ts'
import { writeWav } from '../../../protocol/index.ts'
import { type Day, filenameOf, makeManifest, picture, SAMPLE_RATE, video } from '../days.ts'
import { archiveFixture, first, found, second, third } from './archive-fixture.ts'

const { verify, writeDays } = archiveFixture()

/** The third day with something wrong in it, and with hashes to match. */
function remade(snapshot: Partial<Day['snapshot']>, media: Partial<Day['media']> = {}): Day {
  const whole = { ...third.snapshot, ...snapshot }
  const all = { ...third.media, ...media }
  return { snapshot: whole, media: all, manifest: makeManifest(whole, all) }
}

describe('derived content', () => {
  const json = '2026-11-19/2026-11-19.json'
  const manifest = '2026-11-19/2026-11-19.manifest.json'
  const silence = writeWav(new Int16Array(samples(third).length), SAMPLE_RATE)
  const two = writeWav(
    Int16Array.from([...samples(third), ...new Int16Array(SAMPLE_RATE), ...samples(third)]),
    SAMPLE_RATE,
  )

  it.each<[string, () => Day, string[]]>([
    [
      'a conclusion that does not follow from the fields',
      () => remade({ conclusion: 'quiet' }),
      [`conclusion ${json}`, `sound_differs 2026-11-19/${filenameOf(third, 'wav')}`],
    ],
    [
      'the sound of another day',
      () => remade({}, { wav: second.media.wav }),
      [`sound_differs 2026-11-19/${filenameOf(second, 'wav')}`],
    ],
    [
      'a sound without a transmission',
      () => remade({}, { wav: silence }),
      [`sound_undecodable 2026-11-19/${filenameOf(remade({}, { wav: silence }), 'wav')}`],
    ],
    [
      'a sound with two transmissions, longer than stated',
      () => remade({}, { wav: two }),
      [
        `medium_facts ${manifest}`,
        `sound_differs 2026-11-19/${filenameOf(remade({}, { wav: two }), 'wav')}`,
      ],
    ],
    [
      'a picture of another size',
      () => remade({}, { png: picture(65, 36, 1) }),
      [`medium_facts ${manifest}`],
    ],
    [
      'a video of another length',
      () => remade({}, { mp4: video(64, 36, 730, 25) }),
      [`medium_facts ${manifest}`],
    ],
    [
      'a video of another size',
      () => remade({}, { mp4: video(64, 35, 729, 25) }),
      [`medium_facts ${manifest}`],
    ],
    [
      'a video without a time scale',
      () => remade({}, { mp4: video(64, 36, 0, 0) }),
      [`not_a_medium 2026-11-19/${filenameOf(remade({}, { mp4: video(64, 36, 0, 0) }), 'mp4')}`],
    ],
    [
      'a picture that is not a PNG',
      () => remade({}, { png: third.media.mp4 }),
      [`not_a_medium 2026-11-19/${filenameOf(remade({}, { png: third.media.mp4 }), 'png')}`],
    ],
    [
      'another hash of the day before',
      () => remade({ previous: { day: '2026-11-18', sha256: '00'.repeat(32) } }),
      [`previous_hash ${json}`],
    ],
    [
      'a day before that is not archived',
      () => remade({ previous: { day: '2026-11-16', sha256: '00'.repeat(32) } }),
      [`previous_missing ${json}`],
    ],
  ])('the verifier reports %s', async (_, make, expected) => {
    const day = make()
    writeDays(first, second, day)
    const report = await verify()
    expect(report.days.map(({ ok }) => ok)).toEqual([true, true, false])
    expect(found(report)).toEqual(expected)
  })

  it.each<[string, (manifest: Manifest) => void, string]>([
    ['snapshot', (m) => Object.assign(m.snapshot, { conclusion: 'quiet' }), 'snapshot_differs'],
    ['bytes of the snapshot', (m) => Object.assign(m.snapshot_file, { bytes: 1 }), 'snapshot_size'],
    [
      'hash of the snapshot',
      (m) => Object.assign(m.snapshot_file, { sha256: '00'.repeat(32) }),
      'snapshot_hash',
    ],
    ['bytes of a medium', (m) => Object.assign(m.media.png, { bytes: 1 }), 'medium_size'],
    ['width', (m) => Object.assign(m.media.png, { width: 63 }), 'medium_facts'],
    ['duration', (m) => Object.assign(m.media.wav, { duration_seconds: 29.141 }), 'medium_facts'],
  ])('the verifier reports another %s in the manifest', async (_, change, code) => {
    const changed = structuredClone(third.manifest)
    change(changed)
    writeDays(first, second, { ...third, manifest: changed })
    expect(found(await verify())).toEqual([`${code} ${manifest}`])
  })
})

function samples({ media }: Day): Int16Array {
  return new Int16Array(media.wav.slice(44).buffer)
}
