// A server to compare with: bare h3 that answers every request with the bytes of a file, as JSON.
import { readFileSync } from 'node:fs'
import { H3, HTTPResponse, serve } from 'h3'

const [port, file] = process.argv.slice(2) as [string, string]
const body = readFileSync(file)
const headers = { 'content-type': 'application/json; charset=utf-8' }
serve(
  new H3().all('/**', () => new HTTPResponse(body, { headers })),
  {
    hostname: '127.0.0.1',
    port: Number(port),
    silent: true,
  },
)
