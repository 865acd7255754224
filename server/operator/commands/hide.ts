// operator hide and show: change whether readers see a record and everything that belongs to it (API.md 8.1).
import { nameOf, parseTarget, TARGET_KINDS, type TargetKind } from '../../moderation/rules.ts'
import { moderateInSlices } from '../../moderation/sweeps.ts'
import { type Command, defineCommand, writing } from '../command.ts'
import { readReason } from '../reason.ts'

const moderation = (act: 'hide' | 'show', summary: string): Command =>
  defineCommand({
    name: act,
    help: [
      {
        forms: [`${act} message|investigation ID --reason R`, `${act} directory PATH --reason R`],
        summary,
      },
    ],
    words: [{ name: 'kind of record', oneOf: TARGET_KINDS }, { name: 'ID' }],
    options: { reason: { type: 'string', isRequired: true } },
    prepare([kind, id = ''], { reason: given }) {
      const target = parseTarget(kind as TargetKind, id)
      const reason = readReason(given)
      return writing(async (database, { clock }) => {
        const request = { act, reason, ...target }
        const { changed, visible } = await moderateInSlices(database, request, clock.now)
        const name = nameOf(target)
        const hidden = act === 'hide'
        const already = changed ? '' : 'already '
        const still = !hidden && !visible ? '; what it belongs to is still hidden' : ''
        return {
          json: { act, target_kind: target.kind, target: name, hidden, visible, reason, changed },
          text: `${target.kind} ${name} is ${already}${hidden ? 'hidden' : 'shown'}${still}`,
        }
      })
    },
  })

export const hide = moderation(
  'hide',
  'hides a record and everything that belongs to it; put a PATH that begins with - last, after --',
)

export const show = moderation('show', 'shows again what was hidden')
