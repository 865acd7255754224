// Reads and writes the operator's switches in the database: read-only mode and features.
import { compiled } from '../database/compiled.ts'
import type { Database, Queryable, Transaction } from '../database/database.ts'
import { removeSetting, writeSetting } from '../database/settings/settings.ts'
import { FEATURES, type Feature, type Modes } from './rules.ts'

const MODE = 'mode'
/** Why the mode is read-only. */
const REASON = 'mode.reason'
const settingOf = (feature: Feature) => `feature.${feature}`

const readSettings = compiled((db) =>
  db
    .selectFrom('settings')
    .select(['name', 'value'])
    .where('name', 'in', [MODE, REASON, ...FEATURES.map(settingOf)]),
)

/** Reads the operator's settings, which outlive a restart. */
export async function readModes(db: Queryable): Promise<Modes> {
  const rows = await readSettings(db, {})
  const values = new Map(rows.map((row) => [row.name, row.value]))
  const reason = values.get(REASON)
  return {
    readOnly: values.get(MODE) === 'read-only',
    ...(reason !== undefined && { reason: inSentence(reason) }),
    disabled: FEATURES.filter((feature) => values.get(settingOf(feature)) === 'off'),
  }
}

/** Returns a reason in one line, without the full stop at its end. */
const inSentence = (reason: string): string => reason.trim().replace(/\s+/g, ' ').replace(/\.$/, '')

/** Returns a function that caches the modes until the next commit of any process. Concurrent calls share one read. */
export function cachedModes(
  database: Pick<Database, 'db' | 'version'>,
  read: (db: Queryable) => Promise<Modes>,
): () => Promise<Modes> {
  let cached: { version: number; modes: Promise<Modes> } | undefined
  return async () => {
    const version = await database.version()
    if (cached?.version === version) return cached.modes
    cached = { version, modes: read(database.db) }
    cached.modes.catch(() => {
      cached = undefined
    })
    return cached.modes
  }
}

/** @param reason readers see that of read-only mode */
export async function setReadOnly(
  tx: Transaction,
  readOnly: boolean,
  reason: string,
): Promise<void> {
  await writeSetting(tx, MODE, readOnly ? 'read-only' : 'open')
  if (readOnly) await writeSetting(tx, REASON, reason)
  else await removeSetting(tx, REASON)
}

export async function setFeature(tx: Transaction, feature: Feature, on: boolean): Promise<void> {
  await writeSetting(tx, settingOf(feature), on ? 'on' : 'off')
}
