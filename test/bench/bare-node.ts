// A server to compare with: bare node:http that answers every request with the bytes of a file.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [port, file] = process.argv.slice(2) as [string, string]
const body = readFileSync(file)
createServer((_, response) => response.end(body)).listen(Number(port), '127.0.0.1')
