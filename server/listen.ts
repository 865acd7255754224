// Puts a transport on its port, and says which variable is to blame where that fails.
import type { Transport } from './http/transport.ts'

export interface Place {
  host: string
  port: number
  /** Where the port comes from. */
  variable: 'PORT' | 'METRICS_PORT'
}

/**
 * @returns where it listens, as in http://127.0.0.1:3000/
 * @throws Error with one line that names the variable
 */
export async function listen(transport: Transport, place: Place): Promise<string> {
  try {
    return await transport.listen(place.port, place.host)
  } catch (error) {
    throw new Error(problemOf(error as NodeJS.ErrnoException, place), { cause: error })
  }
}

function problemOf(
  { code, message }: NodeJS.ErrnoException,
  { host, port, variable }: Place,
): string {
  if (code === 'EADDRINUSE') return `${variable}: ${port} is in use by another program`
  if (code === 'EACCES') return `${variable}: ${port} may not be used by this user`
  if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL')
    return `HOST: ${host} is not an address of this machine`
  return `HOST, ${variable}: ${message}`
}
