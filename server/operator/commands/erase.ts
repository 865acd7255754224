// operator erase: removes the content of a hidden message for good (API.md 10.5).
import { eraseMessage } from '../../moderation/erase.ts'
import { readId } from '../../wire/query.ts'
import { defineCommand, writing } from '../command.ts'
import { readReason } from '../reason.ts'

export const erase = defineCommand({
  name: 'erase',
  help: [
    {
      forms: ['erase message ID --reason R'],
      summary:
        'permanently removes what the author of a hidden message wrote: text, label, title, sources, links; id, times and the hash of its leaf remain',
    },
  ],
  words: [{ name: 'kind of record', oneOf: ['message'] }, { name: 'ID' }],
  options: { reason: { type: 'string', isRequired: true } },
  prepare([, word = ''], { reason: given }) {
    const id = readId(word)
    const reason = readReason(given)
    return writing(async (database, { clock }) => {
      const changed = await database.write((tx) => eraseMessage(tx, { id, reason }, clock.now()))
      return {
        json: { act: 'erase', target_kind: 'message', target: String(id), reason, changed },
        text: changed
          ? `message ${id} is erased; API.md 10.5 names what remains, and backups still contain it`
          : `message ${id} is already erased`,
      }
    })
  },
})
