// What the environment says about certificates and proxies is followed by mirror and verify.
import { readFileSync } from 'node:fs'
import { createServer as createProxy, request } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Certificates, makeCertificates } from '../../support/certificates.ts'
import { listen } from '../../support/listen.ts'
import { findProgram, runNode } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { makeDays, publishSigned, serveFolder } from '../mirror/signed-archive.ts'

const openssl = findProgram('openssl')

const root = temporaryFolder()
await publishSigned(join(root, 'archive'), makeDays(1))
const server = await serveFolder(join(root, 'archive'))

const FILE = join(import.meta.dirname, '../../../pipeline/commands/verify.ts')
/** Runs npm run verify on an address. */
const verify = (address: string, env: Record<string, string> = {}) =>
  runNode([FILE, address], { cwd: root, env })

describe.skipIf(!openssl)('TLS', () => {
  let certificates: Certificates
  let address: string
  beforeAll(async () => {
    certificates = makeCertificates(openssl as string)
    const [cert, key] = [certificates.certificate, certificates.key].map((path) =>
      readFileSync(path),
    )
    const secure = createSecureServer({ cert, key }, ({ url }, response) => {
      request(server.url + url, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      }).end()
    })
    address = `https://127.0.0.1:${(await listen(secure)).port}`
  })

  test('an archive is read over TLS if the authority is known', async () => {
    const known = await verify(address, { NODE_EXTRA_CA_CERTS: certificates.authority })
    expect(known).toMatchObject({ status: 0, stderr: '' })
    const unknown = await verify(address)
    expect(unknown).toMatchObject({ status: 1, stdout: '' })
    const [line, ...more] = unknown.stderr.trimEnd().split('\n')
    expect(line).toContain(`verify: ${address}: no answer (unable to verify the first certificate`)
    expect(more).toEqual([])
  })
})

test('requests go through the proxy of the environment if NODE_USE_ENV_PROXY is set', async () => {
  const asked: string[] = []
  const proxy = createProxy(({ url = '' }, response) => {
    asked.push(url)
    request(server.url + new URL(url).pathname, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    }).end()
  })
  const { url: HTTP_PROXY } = await listen(proxy)
  const variables = { HTTP_PROXY, NODE_USE_ENV_PROXY: '1' }
  expect(await verify('http://archive.test', variables)).toMatchObject({ status: 0, stderr: '' })
  expect(asked).toContain('http://archive.test/log')
})
