// While publishing is off, every page says so in its header and links to no form.
// Rules: API.md 8.2-8.3.
import { expect, test } from 'vitest'
import { operated } from '../../support/operator.ts'
import { startSite, TAME } from './site.ts'

const site = await startSite(TAME)

const CLOSED = '<span class="closed">Writing is closed</span>'

/** Returns the pages whose header links to the form, and those whose header says that writing is closed. */
async function headers() {
  const linking: string[] = []
  const closed: string[] = []
  for (const path of site.paths) {
    const { text } = await site.service.client.get(path)
    const [header = ''] = /<header>.*?<\/header>/s.exec(text) ?? []
    if (header.includes('href="/write"')) linking.push(path)
    if (header.includes(CLOSED)) closed.push(path)
  }
  return { linking, closed }
}

test('every page links to the form while messages are accepted, and says at once when writing is closed', async () => {
  const open = { linking: site.paths, closed: [] }
  const closed = { linking: [], closed: site.paths }
  expect(await headers()).toEqual(open)
  await operated(site.service, 'feature', 'messages', 'off', '--reason', 'a test')
  expect(await headers()).toEqual(closed)
  await operated(site.service, 'feature', 'messages', 'on', '--reason', 'a test')
  expect(await headers()).toEqual(open)
  await operated(site.service, 'mode', 'read-only', '--reason', 'a test')
  expect(await headers()).toEqual(closed)
  await operated(site.service, 'mode', 'open', '--reason', 'a test')
})
