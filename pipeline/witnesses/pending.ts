// Finds out cheaply whether a run has any witness to ask, since one is started every hour.
import type { WitnessPolicy } from '../../archive/log/policy-file.ts'
import { LOG_CHECKPOINT } from '../../server/data/restored.ts'
import { openDatabase } from '../../server/database/open.ts'
import { readSetting } from '../../server/database/settings/settings.ts'
import type { Clock } from '../../server/system/system.ts'
import type { PipelineConfig } from '../config.ts'
import { witnessesToAsk } from './round.ts'

/** Whether a witness has not signed the newest checkpoint of the database. @throws Error with one line */
export async function hasWitnessToAsk(
  { database: location, dataDir }: PipelineConfig,
  policy: WitnessPolicy,
  clock: Clock,
): Promise<boolean> {
  const database = await openDatabase(location, {
    clock,
    create: false,
    dataDir,
    onlyReads: true,
  })
  try {
    const note = await readSetting(database.db, LOG_CHECKPOINT)
    return note !== null && witnessesToAsk(note, policy).length > 0
  } finally {
    await database.close()
  }
}
