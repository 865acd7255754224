// Runs the vectors of snapshots, manifests and leaves through an independent checker, written in Python from FORMAT.md alone.
// Rules: FORMAT.md 21.1.
import { beforeAll, describe, expect, test } from 'vitest'
import { askPython, findProgram } from '../../support/programs.ts'
import { readVectors } from '../vector-files.ts'

const python = findProgram('python3')
const script = new URL('second-manifest.py', import.meta.url)

interface Vector {
  why: string
  text: string
  manifest: string
  leaves: string[]
}

/** The vectors of a file, list by list, with the question that they put. */
function vectorsIn(name: string, questionOf: (vector: Vector) => unknown[]) {
  const { about: _, ...lists } = readVectors<Record<string, Vector[]>>(name)
  return Object.entries(lists).map(([list, vectors]) => ({
    name: `${name}: ${list}`,
    isGood: list === 'accepted',
    vectors,
    questions: vectors.map(questionOf),
  }))
}

const LISTS = [
  ...vectorsIn('snapshot.json', ({ text }) => ['snapshot', text]),
  ...vectorsIn('manifest.json', ({ text }) => ['manifest', text]),
  ...vectorsIn('leaves.json', ({ manifest, leaves }) => ['leaves', manifest, leaves]),
]

describe.skipIf(python === undefined)('the second checker', () => {
  let answers: (string | null)[]
  beforeAll(() => {
    answers = askPython(
      script,
      LISTS.flatMap(({ questions }) => questions),
    )
  })

  test.each(LISTS)('it agrees with every vector of $name', ({ isGood, vectors, questions }) => {
    const before = LISTS.findIndex((list) => list.questions === questions)
    const start = LISTS.slice(0, before).flatMap((list) => list.questions).length
    const judged = vectors.map(({ why }, i) => ({ why, fault: answers[start + i] }))
    expect(judged.filter(({ fault }) => (fault === null) !== isGood)).toEqual([])
  })
})
