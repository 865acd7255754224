// index.csv: the columns of FORMAT.md 9, and empty fields for unavailable values.
// Rules: FORMAT.md 9.1-9.2.
import { expect, it } from 'vitest'
import { writeCsv } from '../../../archive/format/csv.ts'
import { makeManifest, makeSnapshot, perCounter, picture, video } from '../days.ts'

const HEADER =
  'day,messages,message_bytes,directories,active_directories,investigations,observations,attempts,' +
  'corrections,results,reuses,sources,reviews,coverage,clock,conclusion,generated_at,' +
  'wav_sha256,mp4_sha256,png_sha256\r\n'

const media = { wav: new Uint8Array([1]), mp4: video(64, 36, 1, 1), png: picture(64, 36, 0) }

it('the CSV of an archive without days is only the header row', () => {
  expect(writeCsv([])).toBe(HEADER)
})

it('a day is a row that ends in CRLF, without quotes, in the order given', () => {
  const days = ['2026-11-20', '2026-11-19'].map((day) => makeManifest(makeSnapshot(day), media))
  const [head, first, second, ...rest] = writeCsv(days).split('\r\n')
  expect(`${head}\r\n`).toBe(HEADER)
  const { wav, mp4, png } = days[0]!.media
  const hashes = [wav, mp4, png].map((medium) => (medium.available ? medium.sha256 : ''))
  const counters = Array.from({ length: 12 }, (_, index) => (index === 0 ? 0 : index * 1000 + 20))
  const flags = ['complete', 'ok', 'active', '2026-11-21T00:05:00.000Z']
  expect(first).toBe(['2026-11-20', ...counters, ...flags, ...hashes].join(','))
  expect(second?.slice(0, 10)).toBe('2026-11-19')
  expect(rest).toEqual([''])
})

it('an unavailable count or media file is an empty field, while a count of zero is 0', () => {
  const snapshot = makeSnapshot('2026-11-19', {
    counters: perCounter((index) => (index === 0 ? null : '0')),
    availability: perCounter((index) => index !== 0),
    conclusion: 'inconclusive',
  })
  const manifest = makeManifest(snapshot, media)
  manifest.media.mp4 = { available: false, reason: 'ffmpeg_not_found' }
  const fields = writeCsv([manifest]).split('\r\n')[1]!.split(',')
  expect(fields).toHaveLength(20)
  expect(fields[1]).toBe('')
  expect(fields[2]).toBe('0')
  expect(fields[18]).toBe('')
})
