// Archives one day as a run does, but without handling failures, so that a test sees the error of a stage.

import type { DayOutcome, Run } from '../../pipeline/run/session.ts'
import { fixDay } from '../../pipeline/sealing/fix-snapshot.ts'
import { renderDay, sealDay } from '../../pipeline/sealing/publish.ts'

/** @throws when a stage fails */
export async function archiveDay(pipeline: Run, day: string): Promise<DayOutcome> {
  const fixed = await fixDay(pipeline, day)
  if ('status' in fixed) return fixed
  const sealed = await sealDay(pipeline, await renderDay(pipeline, fixed.snapshot))
  const notes = [...fixed.notes, ...sealed]
  return { day, status: 'published', ...(notes.length > 0 && { message: notes.join('; ') }) }
}
