// operator log: prints the record of moderation, with the paths that are not public.
import { headedTable } from '../../../archive/base/terminal-text.ts'
import { listRanges, readLog, readRanges } from '../../database/records/action-log.ts'
import { instant } from '../../wire/instant.ts'
import { cutPage } from '../../wire/page.ts'
import { readAfter, readLimit } from '../../wire/query.ts'
import { defineCommand, reading } from '../command.ts'

type ActionRow = Awaited<ReturnType<typeof readLog>>[number]

const itemOf = ({ ranges, at, ...row }: ActionRow) => ({
  ...row,
  at: instant(at),
  ranges: readRanges(ranges),
})

const targetOf = ({ target_kind: kind, target, ranges }: ReturnType<typeof itemOf>): string => {
  if (kind === 'service') return target
  if (ranges.length === 0) return `${kind} ${target}`
  return `messages ${listRanges(ranges)}`
}

export const log = defineCommand({
  name: 'log',
  help: {
    'log [--after ID] [--limit N]':
      'prints the log of actions after ID, oldest first, at most N (1 to 100, default 50)',
  },
  words: [],
  options: { after: { takes: 'ID' }, limit: { takes: 'N' } },
  prepare(_, given) {
    const query = new URLSearchParams(
      Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined),
    )
    const after = readAfter(query)
    const limit = readLimit(query)
    return reading(async (database) => {
      const { rows, hasMore: has_more } = cutPage(
        await readLog(database.db, after, limit + 1),
        limit,
      )
      const items = rows.map(itemOf)
      const next_after = items.at(-1)?.id ?? after
      const cells = items.map((row) => [String(row.id), row.at, row.act, targetOf(row), row.reason])
      const shown = headedTable([['id', 'at', 'act', 'target', 'reason'], ...cells])
      return {
        json: { items, next_after, has_more },
        text: has_more ? `${shown}\nfurther actions: --after ${next_after}` : shown,
      }
    })
  },
})
