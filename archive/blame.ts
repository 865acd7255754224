// Errors of a setting's value, which name the setting.

/** Throws an error again, with the variable whose value has led to it in front. */
export function blame(variable: string, error: Error): never {
  throw new Error(`${variable}: ${error.message}`, { cause: error })
}

/** Reads the value of a variable. @throws Error that names the variable, and the rule that its value breaks */
export function blaming<T>(variable: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    return blame(variable, error as Error)
  }
}
