// Runs a command in the process of the test: a start of Node takes longer than most commands.
import { Readable, Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { type Command, execute } from '../../../archive/base/terminal.ts'

/**
 * @param input what the command reads from standard input
 * @param env its environment variables
 * @returns its error without colours, which depend on the terminal that the tests run in
 */
export async function executeHere(
  command: Command,
  args: string[],
  input: Uint8Array = new Uint8Array(),
  env: NodeJS.ProcessEnv = {},
) {
  const [stdout, stderr] = [collector(), collector()]
  const terminal = {
    environment: () => env,
    stdin: Readable.from([input]),
    stdout: stdout.stream,
    stderr: stderr.stream,
  }
  const status = await execute(command, args, terminal)
  return { status, out: stdout.bytes(), error: stripVTControlCharacters(String(stderr.bytes())) }
}

function collector() {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, bytes: () => Buffer.concat(chunks) }
}
