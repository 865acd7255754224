// Prints the moderation log.
import { table } from '../../pipeline/commands/terminal.ts'
import { readLog } from '../store/action-log.ts'
import type { Store } from '../store/database.ts'
import { instant } from '../wire/instant.ts'
import { cutPage } from '../wire/page.ts'
import type { Output, Style } from './actions.ts'
import type { Command } from './command.ts'

export async function log(
  store: Store,
  { after, limit }: Extract<Command, { name: 'log' }>,
  heading: Style,
): Promise<Output> {
  const { rows, hasMore: has_more } = cutPage(await readLog(store.db, after, limit + 1), limit)
  const items = rows.map((row) => ({ ...row, at: instant(row.at) }))
  const next_after = items.at(-1)?.id ?? after
  const cells = items.map((row) => [
    String(row.id),
    row.at,
    row.act,
    row.target_kind === 'service' ? row.target : `${row.target_kind} ${row.target}`,
    row.reason,
  ])
  const shown = table([['id', 'at', 'act', 'target', 'reason'], ...cells], heading)
  return {
    json: { items, next_after, has_more },
    text: has_more ? `${shown}\nfurther actions: --after ${next_after}` : shown,
  }
}
