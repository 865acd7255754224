// Tests the records of a day: which messages are leaves, the data of a leaf, and the snapshot's `records`.
// Rules: FORMAT.md 18.1-18.2, 18.4.
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { parseSnapshot, snapshotBytes } from '../../../archive/format/snapshot.ts'
import { messageLeaf, messageLeafData } from '../../../archive/log/sealed-records.ts'
import { takeSnapshot } from '../../../pipeline/days/snapshot.ts'
import { findRecorded, readRecorded } from '../../../server/data/recorded.ts'
import { sealedRecordsOf } from '../../archive/days.ts'
import { workshopForEach } from '../workshop.ts'

const DAY = '2026-11-19'
const FROM = Date.parse(`${DAY}T00:00:00Z`)
const TO = FROM + 86_400_000
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const workshop = workshopForEach()

async function recorded() {
  const pages = await Array.fromAsync(readRecorded(workshop.database.db, { from: FROM, to: TO }))
  return pages.flat().sort((a, b) => Number(a.id - b.id))
}

it('the records are all messages of the day, hidden or not, and none of other days', async () => {
  const { records } = workshop
  const garden = await records.directory('garden', FROM)
  await records.message(garden, FROM - 1, 'of the day before')
  const first = await records.message(garden, FROM, 'the first')
  const hidden = await records.message(garden, FROM + 1, 'hidden', 0)
  const last = await records.message(garden, TO - 1, 'the last')
  await records.message(garden, TO, 'of the next day')
  expect((await recorded()).map(({ id }) => id)).toEqual([first, hidden, last])
})

it('no record is lost or repeated at a page boundary, even if many have the same time', async () => {
  const garden = await workshop.records.directory('garden', FROM)
  const ids = await Promise.all(
    Array.from({ length: 450 }, (_, i) =>
      workshop.records.message(garden, FROM + (i < 300 ? 7 : i), 'at once'),
    ),
  )
  expect((await recorded()).map(({ id }) => id)).toEqual(ids)
})

it('a leaf covers the title of a question, the kind of a contribution, and their sources and links', async () => {
  const { records, database } = workshop
  const garden = await records.directory('garden', FROM)
  const { id: investigation, root } = await records.investigation(garden, FROM, 1)
  const contribution = await records.entry(investigation, garden, FROM + 1, 'result', 0)
  const leafOf = async (id: bigint) => messageLeafData((await findRecorded(database.db, id))!)
  const source = '{"url":"https://example.org/","note":""}'
  const question = `{"investigation_id":${investigation},"kind":"question","title":"Why?","sources":[${source}],"links":[]}`
  const result = `{"investigation_id":${investigation},"kind":"result","title":null,"sources":[],"links":[]}`
  expect(await leafOf(root)).toBe(
    `daysignal-message-v1\n${root}\ngarden\n${'0'.repeat(64)}\n2026-11-19T00:00:00.000Z\n2026-11-19T00:00:00.000Z\n${sha256('')}\n${sha256(question)}\n${String(root).padStart(32, '0')}\n`,
  )
  expect((await leafOf(contribution)).split('\n')[7]).toBe(sha256(result))
  expect(await findRecorded(database.db, 999n)).toBeNull()
})

it('the last property of a snapshot states the number, first and last id, and root of the records', async () => {
  const { records, database } = workshop
  const garden = await records.directory('garden', FROM)
  const first = await records.message(garden, FROM + 5, 'later, but first by id')
  const last = await records.message(garden, FROM, 'hidden', 0)
  const { snapshot } = await takeSnapshot(database, DAY, null, TO)
  const leaves = (await recorded()).map((message) => ({
    id: message.id,
    leaf: messageLeaf(message),
  }))
  expect(snapshot.records).toEqual(sealedRecordsOf(leaves))
  expect(snapshot.records).toMatchObject({
    count: '2',
    first_message_id: String(first),
    last_message_id: String(last),
  })
  expect(Object.keys(snapshot).at(-1)).toBe('records')
  expect(parseSnapshot(snapshotBytes(snapshot))).toEqual(snapshot)
})
