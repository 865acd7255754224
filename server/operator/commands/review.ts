// operator review: records a review of a message (API.md 7.3).
import { OUTCOMES } from '../../../archive/format/record-lines.ts'
import { admitCommand } from '../../clock/command.ts'
import { recordReview } from '../../reviews/queries.ts'
import { reviewInput } from '../../reviews/rules.ts'
import { readId } from '../../wire/query.ts'
import { readShape } from '../../wire/shape.ts'
import { defineCommand, REASON, writing } from '../command.ts'

export const review = defineCommand({
  name: 'review',
  help: {
    [`review MESSAGE_ID --outcome ${OUTCOMES.join('|')} --reason R [--evidence-note N]`]:
      'records a review of a message that belongs to an investigation, and supersedes its earlier review; substantiated needs an evidence note',
  },
  words: [{ name: 'MESSAGE_ID' }],
  options: {
    outcome: { takes: 'O', isRequired: true },
    ...REASON,
    'evidence-note': { takes: 'N', mayBeEmpty: true },
  },
  prepare([id = ''], { outcome, reason, 'evidence-note': evidence_note }) {
    const message_id = readId(id, 'MESSAGE_ID')
    const input = readShape(reviewInput, { message_id, outcome, reason, evidence_note })
    return writing(async (database, { clock }) => {
      const record = await database.write(async (tx, opening) =>
        recordReview(tx, input, await admitCommand(tx, opening, clock)),
      )
      const superseded =
        record.supersedes_id === null ? '' : `, supersedes review ${record.supersedes_id}`
      return {
        json: record,
        text: `review ${record.id} of message ${record.message_id}: ${record.outcome}${superseded}`,
      }
    })
  },
})
