// Makes a certificate authority and a server certificate with openssl, for tests of TLS.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './release.ts'
import { chownToUser } from './unprivileged.ts'

export interface Certificates {
  /** The authority's certificate. */
  authority: string
  /** Valid only for 127.0.0.1. */
  certificate: string
  /** Readable by the unprivileged user that the test servers run as. */
  key: string
}

/** @param openssl path of the program */
export function makeCertificates(openssl: string): Certificates {
  const folder = temporaryFolder()
  chownToUser(folder)
  const at = (name: string) => join(folder, name)
  const run = (...args: string[]) =>
    execFileSync(openssl, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const authority = ['-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Our authority']
  run('req', '-x509', ...newKey, ...authority)
  run('req', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=127.0.0.1')
  writeFileSync(at('names'), 'subjectAltName=IP:127.0.0.1')
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names']
  run('x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.pem')
  chownToUser(at('server.key'))
  return { authority: at('ca.pem'), certificate: at('server.pem'), key: at('server.key') }
}
