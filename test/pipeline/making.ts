// Makes one day as a run does, but for its handling of failures, so that a test sees what a stage throws.
import { fixDay } from '../../pipeline/fix.ts'
import { renderDay, sealDay } from '../../pipeline/publish.ts'
import type { DayOutcome, Pipeline } from '../../pipeline/session.ts'

/** @throws when it could not be made */
export async function makeDay(pipeline: Pipeline, day: string): Promise<DayOutcome> {
  const fixed = await fixDay(pipeline, day)
  if ('status' in fixed) return fixed
  const sealed = await sealDay(pipeline, await renderDay(pipeline, fixed.snapshot))
  const notes = [...fixed.notes, ...sealed]
  return { day, status: 'published', ...(notes.length > 0 && { message: notes.join('; ') }) }
}
