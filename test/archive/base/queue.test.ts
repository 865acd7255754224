// Tests the one queue of asynchronous work.
import { expect, test } from 'vitest'
import { Queue } from '../../../archive/base/concurrently.ts'

test('at most its width of works run at a time, in order of arrival, and a failure stops none of the others', async () => {
  const queue = new Queue(2)
  const started: number[] = []
  const finish: (() => void)[] = []
  const results = [0, 1, 2, 3].map((n) =>
    queue.run(async () => {
      started.push(n)
      await new Promise<void>((resolve) => finish.push(resolve))
      if (n === 0) throw new Error('failed')
      return n
    }),
  )
  const settled = Promise.allSettled(results)
  expect(started).toEqual([0, 1])
  finish[1]?.()
  expect(await results[1]).toBe(1)
  await Promise.resolve()
  expect(started).toEqual([0, 1, 2])
  finish[0]?.()
  await expect(results[0]).rejects.toThrow('failed')
  await Promise.resolve()
  expect(started).toEqual([0, 1, 2, 3])
  for (const end of finish) end()
  expect((await settled).map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ])
})
