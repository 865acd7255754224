// operator hide and show: change whether readers see records and everything that belongs to them (API.md 8.1, 8.5).
import { UsageError } from '../../../archive/base/terminal.ts'
import { nameOf, parseTarget, TARGET_KINDS, type Target } from '../../moderation/rules.ts'
import { moderateInSlices } from '../../moderation/sweeps.ts'
import { bulkAction, SELECTING, type Selecting } from '../bulk.ts'
import { type Action, type Command, defineCommand, writing } from '../command.ts'
import { REASON, readReason } from '../reason.ts'

type Act = 'hide' | 'show'

const moderation = (act: Act, summary: string, ofMany: string): Command =>
  defineCommand({
    name: act,
    help: [
      {
        forms: [`${act} message|investigation ID --reason R`, `${act} directory PATH --reason R`],
        summary,
      },
      {
        forms: [
          `${act} messages --from ID --to ID --reason R [--dry-run]`,
          `${act} messages --containing TEXT --reason R [--dry-run]`,
          ...(act === 'show' ? ['show messages --action ID --reason R [--dry-run]'] : []),
        ],
        summary: ofMany,
      },
    ],
    words: [
      { name: 'kind of record', oneOf: [...TARGET_KINDS, 'messages'] },
      { name: 'ID', isOptional: true },
    ],
    options: { ...REASON, ...SELECTING },
    prepare([word = '', id], { reason: given, ...selecting }) {
      const reason = readReason(given)
      if (word === 'messages') return ofMessages(act, id, selecting, reason)
      const option = Object.entries(selecting).find(
        ([, value]) => value !== undefined && value !== false,
      )?.[0]
      if (option) throw new UsageError(`--${option} is for messages, not ${word}`)
      if (id === undefined) throw new UsageError('the ID is missing')
      const kind = TARGET_KINDS.find((kind) => kind === word)
      return ofOne(act, parseTarget(kind ?? 'message', id), reason)
    },
  })

function ofMessages(act: Act, id: string | undefined, given: Selecting, reason: string): Action {
  if (id !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(id)}`)
  return bulkAction(act, given, reason)
}

const ofOne = (act: Act, target: Target, reason: string): Action =>
  writing(async (database, { clock }) => {
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

export const hide = moderation(
  'hide',
  'hides a record and everything that belongs to it; put a PATH that begins with - last, after --',
  'hides all these messages as one action; with --dry-run it only counts them and prints the first ten',
)

export const show = moderation(
  'show',
  'shows again what was hidden',
  'likewise shows messages that were hidden themselves; --action takes back an action on many',
)
