// A place that is lost at one of its operations: before it takes effect, or after it, as when a run is killed there.
import type { Place } from '../../archive/place/place.ts'

export interface PlaceFault {
  /** Which of the operations, counted from 0. */
  at: number
  moment: 'before' | 'after'
}

/** Operations that a run is killed around. */
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

/** The place with one fault, or none, and how many operations it was asked for. */
export function faultyPlace(
  place: Place,
  fault?: PlaceFault,
): { place: Place; readonly operations: number } {
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
    get(target, name: keyof Place) {
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
