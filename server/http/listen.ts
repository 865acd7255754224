// Binds a transport to its port, and names the variable at fault if that fails.
import type { Transport } from './transport.ts'

export interface ListenAddress {
  host: string
  port: number
  /** The environment variable that sets the port. */
  variable: 'PORT' | 'METRICS_PORT'
}

/**
 * @returns the URL that it listens on, such as http://127.0.0.1:3000/
 * @throws Error with one line that names the variable
 */
export async function listen(transport: Transport, address: ListenAddress): Promise<string> {
  try {
    return await transport.listen(address.port, address.host)
  } catch (error) {
    throw new Error(problemOf(error as NodeJS.ErrnoException, address), { cause: error })
  }
}

function problemOf(
  { code, message }: NodeJS.ErrnoException,
  { host, port, variable }: ListenAddress,
): string {
  if (code === 'EADDRINUSE') return `${variable}: ${port} is in use by another program`
  if (code === 'EACCES') return `${variable}: no permission to listen on ${port}`
  if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL')
    return `HOST: ${host} is not an address of this machine`
  return `HOST, ${variable}: ${message}`
}
