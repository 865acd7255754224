// The scripts of the pages: small, stored in the cache folder, and served without it too.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startTestService, type TestService } from '../../support/service.ts'

let service: TestService

/** Starts a service that has no scripts of others in its cache folder. */
async function startWithoutScripts(): Promise<TestService> {
  const started = await startTestService()
  rmSync(join(started.dataDir, '.cache'), { recursive: true, force: true })
  return started
}

/** Returns the compressed size of a response body [bytes]. Uses node:http because fetch would decompress it. */
const compressedSize = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    get(service.url + path, { headers: { 'accept-encoding': 'gzip, br' } }, async (answer) =>
      resolve((await buffer(answer)).length),
    ).on('error', reject)
  })

const pageScript = async (): Promise<string> => {
  const { text } = await service.client.get('/transmissions/decode')
  return text.match(/<script type="module" src="([^"]+)"/)?.[1] as string
}

/** Lists what a browser loads for the page: its HTML, the resources that it refers to, and the script's worker. */
async function loadsOf(page: string): Promise<string[]> {
  const { text } = await service.client.get(page)
  const linked = [...text.matchAll(/(?:<link rel="(?!alternate)[^>]* href|src)="(\/[^"]+)"/g)].map(
    ([, url]) => url!,
  )
  const script = linked.find((url) => url.endsWith('.js')) as string
  const { text: code } = await service.client.get(script)
  const inner = [...code.matchAll(/["'](\.\/[^"']+\.js)["']/g)].map(
    ([, url]) => new URL(url!, service.url + script).pathname,
  )
  return [...new Set([page, ...linked, ...inner])]
}

test('the decoder page takes at most 6 requests and 60 KB', async () => {
  service = await startTestService()
  const loads = await loadsOf('/transmissions/decode')
  expect(loads).toContainEqual(expect.stringMatching(/decode-worker\.js$/))
  expect(loads.length).toBeLessThanOrEqual(6)
  const sizes = await Promise.all(loads.map(compressedSize))
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(60_000)
})

test('scripts are built at the first request and read from the cache folder after that', async () => {
  service = await startWithoutScripts()
  const folder = join(service.dataDir, '.cache/scripts')
  const address = await pageScript()
  expect(() => readdirSync(folder)).toThrow('ENOENT')
  const { text } = await service.client.get(address)
  const [version = ''] = readdirSync(folder)
  const file = join(folder, version, 'decode-page.js')
  expect(address).toBe(`/static/${version}/decode-page.js`)
  expect(readFileSync(file, 'utf8')).toBe(text)
  writeFileSync(file, `${text}// stored`)
  await service.restart()
  expect((await service.client.get(address)).text).toBe(`${text}// stored`)
})

test('scripts are served without a writable cache folder, and the log reports it once', async () => {
  service = await startWithoutScripts()
  writeFileSync(join(service.dataDir, '.cache'), 'in the way')
  const address = await pageScript()
  const answers = await Promise.all([
    service.client.get(address),
    service.client.get(address.replace('decode-page', 'decode-worker')),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  await service.client.get(address)
  expect(service.complaints).toHaveLength(1)
  expect(service.complaints[0]).toContain("the pages' scripts cannot be stored")
})
