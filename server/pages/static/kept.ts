// Keeps values in localStorage. The browser may deny it, or have no room left.

/** @returns null if nothing that can be read is kept */
export function readKept(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null')
  } catch {
    return null
  }
}

/** @returns false if the browser does not keep it */
export function keep(name: string, value: object): boolean {
  try {
    localStorage.setItem(name, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}
