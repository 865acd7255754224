// Work on a few items at once, with the results in the order of the items.

/** @param width how many items are in work at once */
export async function* inOrder<T, R>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running: Promise<R>[] = []
  for (const item of items) {
    const result = work(item)
    // An item that fails while an earlier one is awaited throws when its turn comes.
    result.catch(() => {})
    running.push(result)
    if (running.length >= width) yield running.shift() as Promise<R>
  }
  yield* running
}
