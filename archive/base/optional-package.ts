// Loads packages that only some installations need.
import { systemCode } from './system-error.ts'

/**
 * @param load imports the package
 * @param need the start of the error message, such as `PostgreSQL needs the package pg`
 * @throws Error with that message if the package is not installed
 */
export async function loadOptional<T>(load: () => Promise<T>, need: string): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (systemCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(`${need}; npm ci installs it`, { cause: error })
  }
}
