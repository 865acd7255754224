// Maps items concurrently and yields the results in the order of the items.

/** @param width the maximum number of items in progress */
export async function* mapInOrder<T, R>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running: Promise<R>[] = []
  for (const item of items) {
    const result = work(item)
    // A failure while an earlier item is awaited is thrown when its turn comes; until then it counts as handled.
    result.catch(() => {})
    running.push(result)
    if (running.length >= width) yield running.shift() as Promise<R>
  }
  yield* running
}
