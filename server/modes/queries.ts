// The operator's switches in the database: read-only mode and features.
import type { Transaction } from 'kysely'
import { compiled } from '../store/compiled.ts'
import type { Queryable, Store } from '../store/database.ts'
import type { Schema } from '../store/schema.ts'
import { writeSetting } from '../store/settings.ts'
import { FEATURES, type Feature, type Modes } from './rules.ts'

const MODE = 'mode'
const settingOf = (feature: Feature) => `feature.${feature}`

const readSettings = compiled((db) =>
  db
    .selectFrom('settings')
    .select(['name', 'value'])
    .where('name', 'in', [MODE, ...FEATURES.map(settingOf)]),
)

/** The operator's settings, which outlive a restart. */
export async function readModes(db: Queryable): Promise<Modes> {
  const rows = await readSettings(db, {})
  const values = new Map(rows.map((row) => [row.name, row.value]))
  return {
    readOnly: values.get(MODE) === 'read-only',
    disabled: FEATURES.filter((feature) => values.get(settingOf(feature)) === 'off'),
  }
}

/** Reads the modes again after each commit of any process, once for all who ask meanwhile. */
export function modesOf(
  store: Pick<Store, 'db' | 'version'>,
  read: (db: Queryable) => Promise<Modes>,
): () => Promise<Modes> {
  let known: { version: number; modes: Promise<Modes> } | undefined
  const ask = (version: number) => {
    const asked = { version, modes: read(store.db) }
    asked.modes.catch(() => {
      if (known === asked) known = undefined
    })
    return asked
  }
  return async () => {
    const version = await store.version()
    if (known?.version !== version) known = ask(version)
    return known.modes
  }
}

export async function setReadOnly(tx: Transaction<Schema>, readOnly: boolean): Promise<void> {
  await writeSetting(tx, MODE, readOnly ? 'read-only' : 'open')
}

export async function setFeature(
  tx: Transaction<Schema>,
  feature: Feature,
  on: boolean,
): Promise<void> {
  await writeSetting(tx, settingOf(feature), on ? 'on' : 'off')
}
