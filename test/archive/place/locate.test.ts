// What is found at an address: a service, by its base address or its list of days, or an archive's folder.
// Rules: FORMAT.md 19.3.
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { manifestKey } from '../../../archive/format/paths.ts'
import { Client } from '../../../archive/http/client.ts'
import { locate } from '../../../archive/place/locate.ts'
import { isService } from '../../../archive/place/served.ts'
import { listen } from '../../support/listen.ts'

/** Locates `/transmissions` at a server on which these paths have this status, and all others 404. */
async function locateOn(paths: Record<string, number>, path = '/transmissions') {
  const server = createServer(({ url = '' }, response) =>
    response.writeHead(paths[url] ?? 404).end('content'),
  )
  const { url: origin } = await listen(server)
  const client = new Client({ sleep: () => Promise.resolve() })
  const { place, checkpoint } = await locate(client, origin + path)
  return {
    kind: isService(place) ? 'service' : 'folder',
    base: place.name.slice(origin.length),
    manifest: (await place.addressOf(manifestKey('2026-11-19'))).slice(origin.length),
    checkpoint: 'problem' in checkpoint ? checkpoint.problem.code : 'read',
  }
}

const service = { kind: 'service', manifest: '/transmissions/2026-11-19.manifest.json' }
const folder = { kind: 'folder', manifest: '/transmissions/2026-11-19/2026-11-19.manifest.json' }
const inner = '/transmissions/transmissions'

test.each([
  ['a folder', { '/transmissions/checkpoint': 200 }, { ...folder, checkpoint: 'read' }],
  [
    'the list of days of a service',
    { '/transmissions/checkpoint': 200, '/transmissions/index.json': 200 },
    { ...service, base: '', checkpoint: 'read' },
  ],
  [
    'the list of days of a service without a log',
    { '/transmissions/index.json': 200 },
    { ...service, base: '', checkpoint: 'missing' },
  ],
  [
    'a service below the same name',
    { [`${inner}/checkpoint`]: 200, '/transmissions/checkpoint': 200 },
    { kind: 'service', base: '/transmissions', checkpoint: 'read' },
  ],
  [
    'a folder whose checkpoint cannot be read',
    { '/transmissions/checkpoint': 403 },
    { ...folder, checkpoint: 'http_status' },
  ],
  [
    'a service whose checkpoint cannot be read',
    { [`${inner}/checkpoint`]: 503, '/transmissions/checkpoint': 200 },
    { kind: 'service', base: '/transmissions', checkpoint: 'http_status' },
  ],
  ['nothing', {}, { kind: 'service', base: '/transmissions', checkpoint: 'missing' }],
])('%s is found', async (_, paths, expected) => {
  expect(await locateOn(paths)).toMatchObject(expected)
  expect(await locateOn(paths, '/transmissions//')).toMatchObject(expected)
})
