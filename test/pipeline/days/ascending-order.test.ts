// Days whose messages have receipts are sealed in ascending order, once the log has a leaf.
// Rules: FORMAT.md 23.3; COMMANDS.md 2.4.
import { beforeEach, expect, test } from 'vitest'
import { dayStart } from '../../../archive/format/calendar.ts'
import { refuseNewestFirst, withEarlierDays } from '../../../pipeline/days/ready-days.ts'
import type { Run } from '../../../pipeline/run/session.ts'
import { workshopForEach } from '../workshop.ts'

const DAYS = ['2026-11-13', '2026-11-14', '2026-11-15', '2026-11-16', '2026-11-17']
const [EARLIER = '', WITHOUT = '', HIDDEN = '', ERASED = '', LAST = ''] = DAYS

const workshop = workshopForEach()
let pipeline: Run
beforeEach(async () => {
  const { records, database } = workshop
  const garden = await records.directory('garden', dayStart(EARLIER))
  await records.message(garden, dayStart(HIDDEN) + 1, 'hidden', 0)
  const erased = await records.message(garden, dayStart(ERASED) + 1, 'erased', 0)
  await records.message(garden, dayStart(LAST) + 1, 'visible')
  // Its salt goes with its text, and its leaf stays.
  await database.write(async (tx) => {
    await tx.updateTable('messages').set({ salt: '' }).where('id', '=', erased).execute()
    await tx
      .insertInto('erasures')
      .values({ message_id: erased, leaf: '0'.repeat(64) })
      .execute()
  })
  pipeline = await workshop.pipeline()
})

const startLog = () => workshop.archive('2026-11-12')

test('a named day comes after the due days before it that have messages with receipts', async () => {
  await startLog()
  expect(await withEarlierDays(pipeline, [LAST], DAYS)).toEqual([HIDDEN, ERASED, LAST])
  expect(await withEarlierDays(pipeline, [HIDDEN, ERASED], DAYS)).toEqual([HIDDEN, ERASED])
  expect(await withEarlierDays(pipeline, [WITHOUT], DAYS)).toEqual([WITHOUT])
  expect(await withEarlierDays(pipeline, [], DAYS)).toEqual([])
})

test('the first day of a log may be any day', async () => {
  expect(await withEarlierDays(pipeline, [LAST], DAYS)).toEqual([LAST])
  await refuseNewestFirst(pipeline, DAYS)
})

test('the newest day does not come first, if one of the days has messages with receipts', async () => {
  await startLog()
  await refuseNewestFirst(pipeline, [EARLIER, WITHOUT])
  await expect(refuseNewestFirst(pipeline, DAYS)).rejects.toThrow(
    `--newest-first: ${HIDDEN} has messages with receipts, and such days are sealed in ascending order`,
  )
})
