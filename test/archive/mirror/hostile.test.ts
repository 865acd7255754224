// Mirrors of hostile servers: what is rejected and reported, and what remains in the folder.
// Rules: FORMAT.md 19.3; COMMANDS.md 4.2-4.3, 4.5.
import { cpSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import { manifestBytes } from '../../../archive/format/manifest.ts'
import { parseVkey } from '../../../archive/log/note.ts'
import type { MirrorOptions } from '../../../archive/mirror/mirror.ts'
import { openWriter } from '../../support/writers.ts'
import { makeManifest, publish } from '../days.ts'
import { openTestLog, vkeyOf } from '../signing.ts'
import { codesOf, days, mediaIn, mirrorFixture, put, wav } from './mirror-fixture.ts'
import { filesIn, publishSigned, sendFile, serveFolder } from './signed-archive.ts'

const at = mirrorFixture()

describe('hostile servers', () => {
  const CHANGES: [string, (bytes: Buffer) => Buffer, string][] = [
    [
      'a changed byte',
      (bytes) => Buffer.concat([bytes.subarray(1), Buffer.from('x')]),
      'medium_hash',
    ],
    ['a missing byte', (bytes) => bytes.subarray(0, -1), 'unreachable'],
    ['an extra byte', (bytes) => Buffer.concat([bytes, Buffer.from('x')]), 'too_large'],
    ['no bytes', () => Buffer.alloc(0), 'unreachable'],
  ]
  test.each(CHANGES)('a medium that arrives with %s is not published', async (_, change, code) => {
    at.answer(wav(1), (request, response, bytes) => {
      sendFile(request, response, change(bytes))
    })
    const report = await at.mirror()
    expect(codesOf(report)).toEqual([code])
    at.expectOriginBytes()
    expect(mediaIn(at.dir)).not.toContain(wav(1).slice(1))
  })

  test('a mirror does not follow a redirect', async () => {
    const elsewhere = await serveFolder(at.source)
    at.answer(wav(1), (_, response) => {
      response.writeHead(302, { location: elsewhere.url + wav(1) }).end()
    })
    const message = 'the server answers 302, and redirects are not followed'
    expect((await at.mirror()).findings).toMatchObject([{ code: 'http_status', message }])
    expect(elsewhere.requests).toEqual([])
  })

  test('a mirror aborts a body that never ends', async () => {
    let sent = 0
    at.answer(/\.wav$|^\/log$/, (_request, response) => {
      response.writeHead(200)
      const more = () => {
        sent += 65_536
        response.write(Buffer.alloc(65_536, 'x'), () => response.destroyed || more())
      }
      more()
    })
    expect((await at.mirror()).findings).toMatchObject([
      { code: 'too_large', file: `${at.server.url}/log` },
    ])
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  test('a mirror writes nothing through a link in place of a day folder', async () => {
    await at.mirror()
    const elsewhere = join(at.root, 'elsewhere')
    renameSync(join(at.dir, '2026-11-01'), elsewhere)
    symlinkSync(elsewhere, join(at.dir, '2026-11-01'))
    const [medium = ''] = readdirSync(elsewhere).filter((name) => name.endsWith('.wav'))
    rmSync(join(elsewhere, medium))
    const before = readdirSync(elsewhere)
    const report = await at.mirror()
    expect(codesOf(report)).toContain('not_a_file')
    expect(report.findings[0]?.message).toContain('2026-11-01 is a link')
    expect(readdirSync(elsewhere)).toEqual(before)
  })

  test('manifests that are refused concurrently are all kept, each with its own bytes', async () => {
    const shown = new Map<string, Buffer>()
    at.answer(/\.manifest\.json$/, (request, response, bytes) => {
      const other = Buffer.concat([bytes, Buffer.from(' ')])
      shown.set(`.refused/${request.url?.slice(12)}.${sha256Of(other)}`, other)
      sendFile(request, response, other)
    })
    expect(codesOf(await at.mirror())).toEqual(['manifest_not_logged', 'manifest_not_logged'])
    const refused = [...filesIn(at.dir)].filter(([name]) => name.startsWith('.refused/'))
    expect(new Map(refused)).toEqual(shown)
  })

  test('a swapped manifest is reported, in a new mirror and in one that has the day', async () => {
    await at.mirror()
    const first = days[0]
    const other = makeManifest(
      { ...first.snapshot, generated_at: '2026-11-02T00:06:00.000Z' },
      first.media,
    )
    const name = '2026-11-01/2026-11-01.manifest.json'
    const sums = filesIn(at.source).get('SHA256SUMS')?.toString() as string
    const sha256 = sha256Of(manifestBytes(other))
    put(at.source, name, manifestBytes(other))
    put(
      at.source,
      'SHA256SUMS',
      sums.replace(/.{64}(?= {2}2026-11-01\/2026-11-01\.manifest)/, sha256),
    )
    const before = filesIn(at.dir)
    const kept = `.refused/2026-11-01.manifest.json.${sha256}`
    expect((await at.mirror()).findings).toEqual([
      {
        code: 'manifest_not_logged',
        file: name,
        message: `is not the manifest that the log names; it is kept as ${kept}`,
      },
    ])
    expect(filesIn(at.dir)).toEqual(new Map([...filesIn(at.dir), ...before]))
    expect(filesIn(at.dir).get(kept)).toEqual(Buffer.from(manifestBytes(other)))
    const fresh = `${at.dir}-fresh`
    expect(codesOf(await at.mirror({ dir: fresh }))).toEqual(['manifest_not_logged'])
    expect([...filesIn(fresh).keys()]).not.toContain(name)
  })

  test('a mirror keeps its own log when the server rewrites history, and stores the other as evidence', async () => {
    await at.mirror()
    const before = filesIn(at.dir)
    const log = filesIn(at.source).get('log')?.toString() as string
    const lines = log.split(/(?<=\n)/)
    const flipped = log.replace(/[0-9a-f]\n$/, (end) => (end[0] === '0' ? '1\n' : '0\n'))
    for (const changed of [lines[0] as string, lines.reverse().join(''), flipped]) {
      put(at.source, 'log', changed)
      const report = await at.mirror()
      expect(codesOf(report)).toEqual(['log_rewritten'])
      expect(report.findings[0]?.message).not.toContain('\n')
      const after = filesIn(at.dir)
      for (const [name, bytes] of before) expect(after.get(name)).toEqual(bytes)
      expect([...after.keys()]).toContain(`.refused/log.${sha256Of(Buffer.from(changed))}`)
    }
  })

  test('a second history signed with the same key is reported', async () => {
    await at.mirror()
    rmSync(at.source, { recursive: true })
    const other = days.map((day) => {
      const snapshot = { ...day.snapshot, generated_at: day.snapshot.to }
      return { ...day, snapshot, manifest: makeManifest(snapshot, day.media) }
    })
    await publishSigned(at.source, other)
    expect(codesOf(await at.mirror())).toEqual(['log_rewritten'])
    expect(readdirSync(at.dir)).not.toContain('2026-11-03')
  })

  test('a log that was rolled back is reported', async () => {
    await at.publishThird()
    await at.mirror()
    rmSync(at.source, { recursive: true })
    cpSync(at.model, at.source, { recursive: true })
    expect(codesOf(await at.mirror())).toEqual(['log_rewritten'])
  })

  test('a signature by a key other than the given one is reported', async () => {
    const keys = [parseVkey(vkeyOf(2))]
    expect(codesOf(await at.mirror({ keys }))).toEqual(['unknown_signer'])
    expect(await at.mirror({ keys: [parseVkey(vkeyOf(1))] })).toMatchObject({ ok: true })
  })
})

/** Mirrors without media, which takes less time. */
const mirror = (options: Partial<MirrorOptions> = {}) =>
  at.mirror({ selection: { media: [] }, ...options })

describe('keys', () => {
  const settings = () => JSON.parse(filesIn(at.dir).get('mirror.json')?.toString() as string)

  /** Signs the origin's log, and a third day once it is published, with these keys only. */
  async function signWith(...keys: number[]): Promise<void> {
    const log = await openTestLog(at.source, { keys })
    await log.append([days[2].snapshot.day])
  }

  async function publishThird(): Promise<void> {
    await publish(await openWriter(at.source, { create: false }), days[2])
  }

  /** The origin publishes the third day with a checkpoint that only another key has signed. */
  async function expectOtherSignerUnknown(): Promise<void> {
    rmSync(join(at.source, 'checkpoint'))
    await publishThird()
    await signWith(2)
    expect(codesOf(await mirror())).toEqual(['unknown_signer'])
  }

  test('a mirror trusts no key that the source adds later, not even one that signs with the earlier keys', async () => {
    await mirror()
    expect(settings()).not.toHaveProperty('keys')
    await signWith(2, 1)
    expect(await mirror()).toMatchObject({ ok: true })
    expect(filesIn(at.dir).get('key')?.toString()).toBe(`${vkeyOf(2)}\n${vkeyOf(1)}\n`)
    expect(settings().keys).toEqual([vkeyOf(1)])
    await expectOtherSignerUnknown()
    expect(readdirSync(at.dir)).not.toContain('2026-11-03')
    expect(await mirror({ keys: [parseVkey(vkeyOf(2))] })).toMatchObject({ ok: true, updated: 1 })
    expect(settings().keys).toEqual([vkeyOf(2)])
    expect(await mirror()).toMatchObject({ ok: true })
  })

  test('a new mirror trusts only keys that have signed the checkpoint', async () => {
    put(at.source, 'key', `${vkeyOf(1)}\n${vkeyOf(2)}\n`)
    await mirror()
    expect(settings().keys).toEqual([vkeyOf(1)])
    await expectOtherSignerUnknown()
  })

  test('a key that the caller gives is trusted later, even if the run ended before its checkpoint', async () => {
    await mirror({ keys: [parseVkey(vkeyOf(1))] })
    expect(settings().keys).toEqual([vkeyOf(1)])
    for (const name of ['checkpoint', 'key']) rmSync(join(at.dir, name))
    await expectOtherSignerUnknown()
  })

  test('a mirror without keys in mirror.json trusts only keys that have signed its checkpoint', async () => {
    await mirror()
    put(at.dir, 'key', `${vkeyOf(1)}\n${vkeyOf(2)}\n`)
    await expectOtherSignerUnknown()
  })
})

describe('damage to the mirror itself', () => {
  test.each([
    ['checkpoint', 'invalid_checkpoint', 'nothing'],
    ['log', 'log_rewritten', ''],
  ])('a damaged %s of the mirror is not held against the source', async (name, code, damage) => {
    await mirror()
    put(at.dir, name, damage)
    const { findings } = await mirror()
    expect(findings).toMatchObject([{ code, file: name }])
    expect(findings[0]?.message).toContain('this file of the mirror itself is damaged')
    expect(readdirSync(at.dir)).not.toContain('.refused')
  })

  test('a damaged key is named, and replaced once the caller gives the trusted key', async () => {
    await mirror()
    put(at.dir, 'key', 'nothing')
    expect((await mirror()).findings).toMatchObject([{ code: 'invalid_key', file: 'key' }])
    expect(await mirror({ keys: [parseVkey(vkeyOf(1))] })).toMatchObject({ ok: true })
    expect(filesIn(at.dir).get('key')?.toString()).toBe(`${vkeyOf(1)}\n`)
  })
})
