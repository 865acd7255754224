// Tests the output of the operator commands log and status.
// Rules: COMMANDS.md 6.1, 6.3.

import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { moderate } from '../../../server/moderation/queries.ts'
import { system } from '../../../server/system/system.ts'
import { act, operated, operator } from '../../support/operator.ts'
import { temporaryFolder } from '../../support/release.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'

const service = await startTestService()
const { publish } = service
await publish.directory('lab')

describe('the log command', () => {
  test('the log lists every action in order with its time and reason, and keeps earlier ones', async () => {
    const own = await startTestService()
    await own.publish.directory('a')
    const clock = clockAt('2026-11-19T08:30:00.000Z')
    const acted = (...args: string[]) => operator(own, args, { clock })
    await acted('hide', 'directory', 'a', '--reason', 'spam\tand\nmore')
    await acted('show', 'directory', 'a', '--reason', 'a mistake')
    await acted('mode', 'read-only', '--reason', 'a move')
    await acted('feature', 'messages', 'off', '--reason', 'too much')
    const at = '2026-11-19T08:30:00.000Z'
    const common = { at, ranges: [] }
    const ofDirectory = { ...common, target_kind: 'directory', target: 'a' }
    const ofService = { ...common, target_kind: 'service' }
    expect(JSON.parse((await acted('log', '--json')).out)).toEqual({
      items: [
        { id: 1, act: 'hide', ...ofDirectory, reason: 'spam\tand\nmore' },
        { id: 2, act: 'show', ...ofDirectory, reason: 'a mistake' },
        { id: 3, act: 'mode', ...ofService, target: 'read-only', reason: 'a move' },
        { id: 4, act: 'feature', ...ofService, target: 'messages off', reason: 'too much' },
      ],
      next_after: 4,
      has_more: false,
    })
    expect((await acted('log', '--after', '2', '--limit', '1')).out).toBe(
      [
        'id  at                        act   target     reason',
        '3   2026-11-19T08:30:00.000Z  mode  read-only  a move',
        'further actions: --after 3',
        '',
      ].join('\n'),
    )
    expect((await acted('log', '--limit', '1')).out).toContain('spam and more')
  })
})

describe('the status command', () => {
  interface Status {
    switches: { switch: string; operator: string; environment: string; in_effect: string }[]
    records: Record<string, { visible: number; hidden: number }>
    servers: {
      alive: boolean
      stopped: boolean
      read_only: boolean
      disabled_features: string[]
      forced_by_its_environment: string[]
    }[]
  }
  const statusOf = async (own: TestService, env: Record<string, string> = {}) =>
    JSON.parse((await operator(own, ['status', '--json'], { env })).out) as Status

  test('the status separates what the operator set from what the environment forces', async () => {
    const own = await startTestService()
    await act(own, 'mode', 'read-only')
    await act(own, 'feature', 'messages', 'off')
    const { switches } = await statusOf(own, { DISABLED_FEATURES: 'messages,transmissions' })
    const on = { operator: 'on', environment: '', in_effect: 'on' }
    expect(switches).toEqual([
      { switch: 'mode', operator: 'read-only', environment: '', in_effect: 'read-only' },
      { switch: 'feature directories', ...on },
      { switch: 'feature messages', operator: 'off', environment: 'forces off', in_effect: 'off' },
      { switch: 'feature investigations', ...on },
      {
        switch: 'feature transmissions',
        operator: 'on',
        environment: 'forces off',
        in_effect: 'off',
      },
    ])
    await act(own, 'mode', 'open')
    const forced = (await statusOf(own, { READ_ONLY: '1' })).switches[0]
    expect(forced).toMatchObject({
      operator: 'open',
      environment: 'forces read-only',
      in_effect: 'read-only',
    })
  })

  test('the status reports a damaged log in its row, beside everything else', async () => {
    const own = await startTestService()
    const dir = temporaryFolder()
    cpSync('archive/vectors/sample', dir, { recursive: true })
    writeFileSync(
      join(dir, 'log'),
      `2026-11-16 ${'0'.repeat(64)}\n${readFileSync(join(dir, 'log'))}`,
    )
    const { log, days } = JSON.parse(
      (await operator(own, ['status', '--json'], { env: { ARCHIVE_DIR: dir } })).out,
    )
    expect({ log, newest: days.newest }).toEqual({
      log: { problem: expect.stringContaining('log') },
      newest: '2026-11-20',
    })
  })

  test('the status shows from heartbeats which settings the environment of each server forces, in 80 columns', async () => {
    const all = ['directories', 'investigations', 'messages', 'transmissions']
    const own = await startTestService({ READ_ONLY: '1', DISABLED_FEATURES: all.join() })
    const { servers } = await statusOf(own)
    expect(servers).toMatchObject([
      {
        alive: true,
        read_only: true,
        disabled_features: all,
        forced_by_its_environment: ['read-only', ...all],
      },
    ])
    const shown = await operated(own, 'status')
    expect(shown).toContain('\n  forced: read-only, directories, ')
    expect(shown).toMatch(
      /\n[0-9a-f]{8} {2}alive {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}\d{4}[^\n]*:\d\d\n/,
    )
    expect(Math.max(...shown.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  test('the status counts visible and hidden records, and reviews as their messages', async () => {
    const own = await startTestService()
    const { directory, message, investigation } = own.publish
    await directory('a')
    await directory('a/b')
    await message('a')
    const { root } = await investigation('a/b')
    await act(own, 'review', root, '--outcome', 'withdrawn')
    await act(own, 'hide', 'directory', 'a/b')
    expect((await statusOf(own)).records).toEqual({
      directories: { visible: 1, hidden: 1 },
      messages: { visible: 1, hidden: 1 },
      investigations: { visible: 0, hidden: 1 },
      reviews: { visible: 0, hidden: 1 },
    })
  })

  test('messages of an interrupted hide count as hidden, and so do their reviews', async () => {
    const own = await startTestService()
    const { directory, investigation } = own.publish
    await directory('a')
    const { root } = await investigation('a')
    await act(own, 'review', root, '--outcome', 'withdrawn')
    const hide = { act: 'hide', kind: 'directory', path: 'a', reason: 'r' } as const
    await own.inDatabase(({ write }) => write((tx) => moderate(tx, hide, 0, 'later')))
    const { messages, reviews } = (await statusOf(own)).records
    expect([messages, reviews]).toEqual(Array(2).fill({ visible: 0, hidden: 1 }))
  })

  test('the status shows a server that was stopped as stopped at once, and the next one as alive', async () => {
    const own = await startTestService()
    await own.restart()
    const { servers } = await statusOf(own)
    expect(servers).toMatchObject([
      { alive: true, stopped: false },
      { alive: false, stopped: true },
    ])
    expect(await operated(own, 'status')).toMatch(/ {2}alive {2}[\s\S]* {2}stopped {2}/)
  })

  test('the status shows a server without a heartbeat for 30 s as gone', async () => {
    const now = () => system.clock.now() + 31_000
    const later = { ...system.clock, now }
    expect((await operator(service, ['status'], { clock: later })).out).toContain('  gone  ')
    expect((await operator(service, ['status'])).out).toContain('  alive  ')
  })
})
