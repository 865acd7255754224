// Packages that are installed for those only who need them.
import { systemCode } from './errors.ts'

/**
 * @param load imports the package
 * @param need what needs which package, as in `PostgreSQL needs the package pg`
 * @throws Error that states the need where the package is not installed
 */
export async function loadOptional<T>(load: () => Promise<T>, need: string): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (systemCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(`${need}; npm ci installs it`, { cause: error })
  }
}
