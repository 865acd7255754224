// Finding the archive at an address: a service, by its base address or its list of days, or a folder.
import { expect, test } from 'vitest'
import type { Client } from '../../../archive/http/client.ts'
import { FetchFailure } from '../../../archive/http/failure.ts'
import { findOrigin } from '../../../archive/mirror/origin.ts'

/** A client of a server that has only these files. */
const serving = (...addresses: string[]) =>
  ({
    read: (address: string) =>
      addresses.includes(address)
        ? Promise.resolve(Buffer.from('content'))
        : Promise.reject(new FetchFailure('missing', 'the server does not have it')),
  }) as unknown as Client

const service = ['https://a.example/transmissions/checkpoint']
const list = 'https://a.example/transmissions/index.json'

test('the URL of a list of days leads to its service, while a folder of the same name stays a folder', async () => {
  const manifestAt = async (...served: string[]) => {
    const { origin } = await findOrigin(serving(...served), 'https://a.example/transmissions')
    return origin.manifest('2026-11-19').slice('https://a.example/transmissions/'.length)
  }
  expect(await manifestAt(...service, list)).toBe('2026-11-19.manifest.json')
  expect(await manifestAt(...service)).toBe('2026-11-19/2026-11-19.manifest.json')
})
