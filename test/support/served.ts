// Opens an archive behind a server, as the commands do.
import type { ClientOptions } from '../../archive/http/client.ts'
import { openPlace } from '../../archive/place/open.ts'
import type { Place } from '../../archive/place/place.ts'

export function openServed(url: string, options: ClientOptions = {}): Promise<Place> {
  return openPlace({ url }, { random: () => 1, ...options })
}
