// The version of this program.
import packageJson from '../../package.json' with { type: 'json' }

/** As package.json states it. */
export const { version: VERSION } = packageJson
