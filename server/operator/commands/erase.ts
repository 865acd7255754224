// operator erase: removes the content of a hidden message for good, or the reason of an action or a review (COMMANDS.md 6.4).
import { eraseActionReason, eraseMessage, eraseReviewReason } from '../../moderation/erase.ts'
import { readId } from '../../wire/query.ts'
import { defineCommand, REASON, readReason, writing } from '../command.ts'

/** How each kind of record is erased, and what is said of it afterwards. */
const KINDS = {
  message: [
    eraseMessage,
    'is erased; COMMANDS.md 6.4 names what remains, and backups still contain it',
  ],
  review: [eraseReviewReason, 'has lost its reason and its evidence note; backups contain them'],
  action: [eraseActionReason, 'has lost its reason; backups still contain it'],
} as const

const IN_USE =
  'other processes use the database, so its write-ahead log may still contain what was erased; repeat the command'

export const erase = defineCommand({
  name: 'erase',
  help: {
    'erase message ID --reason R':
      'permanently removes what the author of a hidden message wrote: text, label, title, sources, links; id, times and the hash of its leaf remain',
    'erase review ID --reason R\nerase action ID --reason R':
      'permanently removes the reason of a review or of an action, if it quotes what was taken down; the entry remains',
  },
  words: [{ name: 'kind of record', oneOf: Object.keys(KINDS) }, { name: 'ID' }],
  options: REASON,
  prepare([word = '', idWord = ''], { reason: given }) {
    const kind = word as keyof typeof KINDS
    const [eraseIn, done] = KINDS[kind]
    const id = readId(idWord)
    const reason = readReason(given)
    return writing(async (database, { clock }) => {
      const changed = await database.write((tx) => eraseIn(tx, { id, reason }, clock.now()))
      const isOverwritten = await database.overwriteDeleted?.()
      return {
        json: { act: 'erase', target_kind: kind, target: String(id), reason, changed },
        text: `${kind} ${id} ${changed ? done : 'is already erased'}`,
        ...(isOverwritten === false && { failedCheck: IN_USE }),
      }
    })
  },
})
