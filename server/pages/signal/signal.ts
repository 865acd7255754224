// Handles the pages about the signal: /transmissions/protocol, /transmissions/listen and /transmissions/decode.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { answerText } from '../../http/answer.ts'
import { attach, type Route } from '../../http/mount.ts'
import { namesIn, renderedOnce } from '../../http/static.ts'
import type { CurrentModes } from '../../modes/current.ts'
import { Problem } from '../../wire/problem.ts'
import { SIGNAL_PAGES } from '../api.ts'
import { protocolPage, VECTORS_FOLDER } from './protocol.ts'
import { decoderPage, listenPage } from './receivers.ts'

export function signalRoutes({ modes }: { modes: Pick<CurrentModes, 'isClosed'> }): Route[] {
  const isClosed = () => modes.isClosed()
  const recordings = namesIn(VECTORS_FOLDER, ['.wav'])
  const emptyDecoder = renderedOnce(decoderPage, isClosed)
  const listen = renderedOnce(listenPage, isClosed)
  return attach(SIGNAL_PAGES, {
    showProtocol: renderedOnce(protocolPage, isClosed),
    showListen: async (call, endpoint) => ({ ...(await listen(call, endpoint)), mayListen: true }),
    showDecoder: async (call, endpoint) => {
      const name = call.query.get('vector')
      if (name === null) return emptyDecoder(call, endpoint)
      if (!recordings.includes(name))
        throw new Problem('not_found', `the test vectors have no recording ${name}`)
      const bytes = await readFile(join(VECTORS_FOLDER, name))
      const page = decoderPage({ isClosed: await isClosed() }, { name, bytes })
      return answerText(call, 'html', page, endpoint.cache)
    },
  })
}
