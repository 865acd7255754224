// operator mode and feature: switch read-only mode, and a feature (API.md 8.2).
import { logAction } from '../../database/records/action-log.ts'
import { readModes, setFeature, setReadOnly } from '../../modes/queries.ts'
import { FEATURES, type Feature } from '../../modes/rules.ts'
import { defineCommand, REASON, readReason, writing } from '../command.ts'

export const mode = defineCommand({
  name: 'mode',
  help: {
    'mode read-only|open --reason R':
      'takes effect within a second and persists across restarts; visitors see the reason of read-only mode',
  },
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

export const feature = defineCommand({
  name: 'feature',
  help: {
    'feature NAME on|off --reason R': `likewise, but its reason is only logged; NAME is ${FEATURES.join(', ')}`,
  },
  words: [
    { name: 'feature', oneOf: FEATURES },
    { name: 'switch', oneOf: ['on', 'off'] },
  ],
  options: REASON,
  prepare([name = '', to = ''], { reason: given }) {
    const reason = readReason(given)
    return writing(async (database, { clock }) => {
      const changed = await database.write(async (tx) => {
        if ((await readModes(tx)).disabled.includes(name as Feature) !== (to === 'on')) return false
        await setFeature(tx, name as Feature, to === 'on')
        const act = { act: 'feature', target_kind: 'service', reason } as const
        await logAction(tx, { ...act, target: `${name} ${to}` }, clock.now())
        return true
      })
      return {
        json: { feature: name, switch: to, changed },
        text: `the feature ${name} is ${changed ? '' : 'already '}${to}`,
      }
    })
  },
})
