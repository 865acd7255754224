// Works on several items at a time.

/** Rejects with the first error only after all work has stopped, because the caller then releases the lock. */
export async function forEachConcurrently<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let left = [...items]
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  const workers = Array.from({ length: width }, () =>
    worker().catch((error) => {
      left = []
      throw error
    }),
  )
  await Promise.allSettled(workers)
  await Promise.all(workers)
}
