// A place that simulates a run killed at one operation: the operation fails before or after it takes effect, and so do
// all later ones.
import type { WritablePlace } from '../../archive/place/place.ts'

export interface PlaceFault {
  /** Index of the operation, from 0. */
  at: number
  moment: 'before' | 'after'
}

/** The operations that are counted and can fail. */
const OPERATIONS = [
  'folders',
  'listAll',
  'list',
  'stat',
  'get',
  'put',
  'putIfAbsent',
  'replace',
  'remove',
]

/** Returns the place with at most one fault, and the number of operations that were requested. */
export function faultyPlace(
  place: WritablePlace,
  fault?: PlaceFault,
): { place: WritablePlace; readonly operations: number } {
  let operations = 0
  let isKilled = false
  const counting =
    (work: (...args: unknown[]) => Promise<unknown>) =>
    async (...args: unknown[]) => {
      if (isKilled) throw new Error('killed')
      isKilled = operations++ === fault?.at
      if (isKilled && fault?.moment === 'before') throw new Error('killed')
      const result = await work(...args)
      if (isKilled) throw new Error('killed')
      return result
    }
  const faulty = new Proxy(place, {
    get(target, name: keyof WritablePlace) {
      const value = target[name]
      if (typeof value !== 'function') return value
      const method = (value as (...args: unknown[]) => Promise<unknown>).bind(target)
      return OPERATIONS.includes(name) ? counting(method) : method
    },
  })
  return {
    place: faulty,
    get operations() {
      return operations
    },
  }
}
