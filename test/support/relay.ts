// A relay in front of an object store that forwards every request, drops the responses to some writes, and can be cut.
import { createServer, request as send } from 'node:http'
import { listen } from './listen.ts'

export interface Relay {
  endpoint: string
  /** The number of dropped responses; their requests have taken effect. */
  readonly lost: number
  /** While true, every request ends without a response and takes no effect. */
  isCut: boolean
  stop(): Promise<void>
}

/** @param loseEvery n drops the response to every nth write */
export async function startRelay(
  endpoint: string,
  loseEvery: number = Number.POSITIVE_INFINITY,
): Promise<Relay> {
  let writes = 0
  let lost = 0
  const { hostname, port: target } = new URL(endpoint)
  const server = createServer((incoming, response) => {
    if (relay.isCut) return void incoming.socket.destroy()
    const { method, url, headers } = incoming
    const isLost = method === 'PUT' && ++writes % loseEvery === 0
    const upstream = send({ hostname, port: target, method, path: url, headers }, (answer) => {
      if (!isLost) {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
        return
      }
      lost++
      answer.resume().on('end', () => incoming.socket.destroy())
    })
    upstream.on('error', () => incoming.socket.destroy())
    incoming.pipe(upstream)
  })
  const { url, close } = await listen(server)
  const relay: Relay = {
    endpoint: url,
    get lost() {
      return lost
    },
    isCut: false,
    stop: close,
  }
  return relay
}
