// The estimates of GROWTH.md are those of the program that computes them.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { archiveAfter, MEASURED, readersAt, TABLES, writesPerSecond } from '../../bench/growth.ts'

const page = readFileSync(new URL('../../../server/deploy/GROWTH.md', import.meta.url), 'utf8')

describe('the tables of GROWTH.md', () => {
  test.each(Object.entries(TABLES))('the table of %s is the one that is computed', (_, table) => {
    expect(page).toContain(`\n${table()}\n`)
  })

  test('the figures that the tables are computed from stand on the page', () => {
    const { roundTrips, writeMs, pageMs, cachedPageMs, queryMs, filesPerDay, bytesPerDay } =
      MEASURED
    for (const figure of [
      `| ${roundTrips} | counted`,
      `| ${writeMs} ms |`,
      `| ${pageMs} ms of`,
      `| ${cachedPageMs} ms of`,
      `| ${queryMs} ms of`,
      `| ${filesPerDay}; ${bytesPerDay / 1e6} MB |`,
    ])
      expect(page).toContain(figure)
  })
})

describe('the arithmetic', () => {
  test('a batch of one pays every round trip and the commit alone', () => {
    expect(writesPerSecond(1, 1, 0)).toBeCloseTo(1000 / 1.1)
  })

  test('larger batches approach what deciding one write costs, whatever the commit', () => {
    expect(writesPerSecond(1e9, 20, 0.5)).toBeCloseTo(1000 / MEASURED.writeMs, 0)
  })

  test('what a cache answers costs the service nothing', () => {
    expect(readersAt(1e6, 10, 1)).toMatchObject({ missed: 0, serviceCores: 0, databaseCores: 0 })
  })

  test('a list of a store has a thousand keys', () => {
    expect(archiveAfter(1000)).toMatchObject({ objects: 7000, lists: 7, listsOfDays: 1 })
    expect(archiveAfter(1001)).toMatchObject({ lists: 8, listsOfDays: 2 })
  })
})
