// Which archive a mirror finds at an address: a service's, by the address of its list of days too, or a folder.
import { expect, test } from 'vitest'
import { type Client, FetchFailure } from '../../../archive/mirror/client.ts'
import { findOrigin } from '../../../archive/mirror/origin.ts'

/** A server that has these addresses and no others. */
const serving = (...addresses: string[]) =>
  ({
    read: (address: string) =>
      addresses.includes(address)
        ? Promise.resolve(Buffer.from('content'))
        : Promise.reject(new FetchFailure('missing', 'the server does not have it')),
  }) as unknown as Client

const service = ['https://a.example/transmissions/checkpoint']
const list = 'https://a.example/transmissions/index.json'

test('the list of days of a service leads to the service, and a folder of the same name is a folder', async () => {
  const manifestAt = async (...served: string[]) => {
    const { origin } = await findOrigin(serving(...served), 'https://a.example/transmissions')
    return origin.manifest('2026-11-19').slice('https://a.example/transmissions/'.length)
  }
  expect(await manifestAt(...service, list)).toBe('2026-11-19.manifest.json')
  expect(await manifestAt(...service)).toBe('2026-11-19/2026-11-19.manifest.json')
})
