// Where nothing can be published, every page says so in its header and leads to no form.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operated } from '../../support/operator.ts'
import { type Site, startSite, TAME } from './site.ts'

let site: Site
beforeAll(async () => {
  site = await startSite(TAME)
})
afterAll(() => site.service.stop())

const SAID = '<span class="closed">Writing is closed</span>'

/** The pages whose header leads to the form, and those that say that there is none now. */
async function headers() {
  const leading: string[] = []
  const closed: string[] = []
  for (const path of site.paths) {
    const { text } = await site.service.client.get(path)
    const [header = ''] = /<header>.*?<\/header>/s.exec(text) ?? []
    if (header.includes('href="/write"')) leading.push(path)
    if (header.includes(SAID)) closed.push(path)
  }
  return { leading, closed }
}

test('every page leads to the form while messages are taken, and says at once when they are not', async () => {
  const open = { leading: site.paths, closed: [] }
  const closed = { leading: [], closed: site.paths }
  expect(await headers()).toEqual(open)
  await operated(site.service, 'feature', 'messages', 'off')
  expect(await headers()).toEqual(closed)
  await operated(site.service, 'feature', 'messages', 'on')
  expect(await headers()).toEqual(open)
  await operated(site.service, 'mode', 'read-only')
  expect(await headers()).toEqual(closed)
  await operated(site.service, 'mode', 'open')
})
