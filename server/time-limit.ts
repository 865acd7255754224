// Bounds how long something is waited for.

/** Resolves or rejects as the promise does, or resolves with `otherwise` after this time [ms]. */
export function within<T, U>(ms: number, promise: Promise<T>, otherwise: U): Promise<T | U> {
  const { promise: late, resolve } = Promise.withResolvers<U>()
  const timer = setTimeout(resolve, ms, otherwise).unref()
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
