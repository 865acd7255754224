// operator mode: switches read-only mode (API.md 8.2).
import { logAction } from '../../database/records/action-log.ts'
import { readModes, setReadOnly } from '../../modes/queries.ts'
import { defineCommand, writing } from '../command.ts'
import { REASON, readReason } from '../reason.ts'

export const mode = defineCommand({
  name: 'mode',
  help: [
    {
      forms: ['mode read-only|open --reason R'],
      summary:
        'takes effect within a second and persists across restarts; visitors see the reason of read-only mode',
    },
  ],
  words: [{ name: 'mode', oneOf: ['read-only', 'open'] }],
  options: REASON,
  prepare([target = ''], { reason: given }) {
    const reason = readReason(given)
    const readOnly = target === 'read-only'
    return writing(async (database, { clock }) => {
      const changed = await database.write(async (tx) => {
        if ((await readModes(tx)).readOnly === readOnly) return false
        await setReadOnly(tx, readOnly, reason)
        const act = { act: 'mode', target_kind: 'service', target, reason } as const
        await logAction(tx, act, clock.now())
        return true
      })
      return {
        json: { mode: target, changed },
        text: `the mode is ${changed ? '' : 'already '}${target}`,
      }
    })
  },
})
