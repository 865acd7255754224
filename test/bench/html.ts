// Compares HTML pages and feeds of a board of 1,000,000 messages with the smallest response of the same service.
import { join } from 'node:path'
import { ARCHIVE_FEED_URL, dayUrl } from '../../archive/format/paths.ts'
import { FEED_URL } from '../../server/pages/api.ts'
import { ICON_FILE } from '../../server/pages/frame/brand.ts'
import { makeArchive } from '../server/transmissions/archive.ts'
import { boardOfMillion, DAY_MS, MILLION, YESTERDAY } from './boards.ts'
import { compare, getting, type Load, ratioRow, scripted } from './load.ts'
import type { Part } from './main.ts'
import type { Row } from './report.ts'
import type { BenchServer } from './servers.ts'

const CONNECTIONS = 16
const DAYS = 30

/** Lua expressions for the path of a request, and the goals of their costs. */
const PAGES: [label: string, path: string, goal: Row['goal'] & object][] = [
  [
    'page of a message with its thread, any of 1,000,000',
    `'/messages/' .. math.random(1, ${MILLION})`,
    { most: 10 },
  ],
  ['home', `'/'`, { most: 6 }],
  ['page of one directory', `'/d/d7'`, { most: 6 }],
  [
    // Harsher than any reader: 26 messages from 26 places of the file, on a page that nobody has read before.
    'older page of a directory, any of 500 and anywhere in it, read once',
    `'/d/d' .. math.random(1, 500) .. '?messages_before=' .. math.random(100000, 800000)`,
    { most: 6 },
  ],
  ['feed of 30 messages', `'${FEED_URL}'`, { most: 6 }],
  [`feed of ${DAYS} days`, `'${ARCHIVE_FEED_URL}'`, { most: 6 }],
]

export const benchHtml: Part = async (stage) => {
  const archive = join(stage.folder, 'transmissions')
  const days = Array.from({ length: DAYS }, (_, i) =>
    new Date(YESTERDAY - (DAYS - 1 - i) * DAY_MS).toISOString().slice(0, 10),
  )
  await makeArchive(archive, days)
  const ours = await stage.startOurs(await boardOfMillion(stage), { ARCHIVE_DIR: archive })
  for (const path of ['/', '/directories']) await untilCounted(ours, path)
  const smallest: Load = { path: ICON_FILE.path, connections: CONNECTIONS }
  const pages = [
    ...PAGES,
    [`page of a day`, `'${dayUrl(days[0] as string)}'`, { most: 6 }],
  ] as const
  return pages.flatMap(([label, path, goal]) =>
    ['identity', 'gzip'].map((coding) => {
      const lua = getting(path, `{ ['Accept-Encoding'] = '${coding}' }`)
      const load = scripted(stage.folder, CONNECTIONS, lua)
      const row = `${label}, ${coding} / smallest route`
      return ratioRow(row, 'CPU', goal, compare([ours, load], [ours, smallest]))
    }),
  )
}

/** Waits for the counts on a page. Counting a million messages is part of a start, and not of reading a page. */
async function untilCounted({ url }: BenchServer, path: string): Promise<void> {
  while ((await (await fetch(url + path)).text()).includes('still being counted'));
}
