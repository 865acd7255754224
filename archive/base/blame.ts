// Names the environment variable in errors that its value causes.

/** Rethrows an error, prefixed with the variable whose value caused it. */
export function blame(variable: string, error: Error): never {
  throw new Error(`${variable}: ${error.message}`, { cause: error })
}

/** Runs `read` on the value of a variable. @throws Error that names the variable and the broken rule */
export function readVariable<T>(variable: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    return blame(variable, error as Error)
  }
}
