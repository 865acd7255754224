// Reads mutated files as the programs do: recordings, archives, receipts and .env files. A process of its own, with bounded
// memory. Prints a line for each thing that is wrong, and then the number of mutations.
// Usage: node test/faults/hostile-files.ts SEED COUNT BOARD, where BOARD has transmissions/ and receipt
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { isArchiveError } from '../../archive/base/errors.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import { verifyArchive } from '../../archive/verify/archive.ts'
import { verifyReceipt } from '../../archive/verify/receipt.ts'
import { decode as decodeCommand } from '../../pipeline/commands/decode.ts'
import { readConfig } from '../../server/config.ts'
import { decode } from '../archive/decoding.ts'
import { findingsIn } from '../archive/findings.ts'
import { executeHere } from '../pipeline/commands/in-process.ts'
import { ROOT } from '../support/imports.ts'
import { limitMemory } from '../support/memory-limit.ts'
import { whileOverwritten } from '../support/overwrite-file.ts'
import { random } from '../support/random.ts'
import { mutate } from './mutate.ts'

const [seed = '1', count = '100', board = ''] = process.argv.slice(2)
limitMemory(process.pid)
const source = random(Number(seed))
const { one } = source

const folder = mkdtempSync(join(tmpdir(), 'hostile-'))
const [SAMPLE, BOARD] = [join(folder, 'sample'), join(folder, 'board')]
cpSync(join(ROOT, 'archive/vectors/sample'), SAMPLE, { recursive: true })
cpSync(join(board, 'transmissions'), BOARD, { recursive: true })
const RECEIPT = readFileSync(join(board, 'receipt'))
const RECORDINGS = ['short', 'silent', 'half', 'nothing'].map((name) =>
  readFileSync(join(ROOT, `protocol/vectors/${name}.wav`)),
)
const ENV = `BASE_URL=https://board.example/a
MIRRORS=https://a.example,https://b.example
OPERATOR_CONTACT="ops@board.example"
DATABASE_URL=postgres://u:p@db.example:5432/board?sslmode=disable
SCHEDULE='5 0 * * *'
DISABLED_FEATURES=messages,transmissions
LIMIT_MESSAGES_ORIGIN_MINUTE=300
TRUST_PROXY=10.0.0.0/8,::1
ARCHIVE_URL=s3://bucket/prefix
AWS_ACCESS_KEY_ID=key
AWS_SECRET_ACCESS_KEY=secret
METRICS_PORT=9100
PORT=3000
`
const IS_STACK = /^\s+at .*[:(]/m
const isOneLine = (text: string) => text !== '' && !text.includes('\n')

/** Each reads a mutated file, and returns what is wrong. */
const READERS: { share: number; read(): Promise<string | undefined> | string | undefined }[] = [
  {
    share: 2,
    async read() {
      const file = join(folder, 'mutated.wav')
      writeFileSync(file, mutate(one(RECORDINGS), source, one([60, 60, 60, 10_000])))
      const { status, error } = await executeHere(decodeCommand, ['--json', file])
      if ((status !== 0 && status !== 1) || IS_STACK.test(error)) return `wav: ${status} ${error}`
      return undefined
    },
  },
  { share: 12, read: readArchive },
  {
    share: 12,
    async read() {
      const note = mutate(RECEIPT, source)
      if (note.equals(RECEIPT)) return undefined
      const options = { now: Date.parse('2027-01-01T00:00:00Z'), pauseMs: 0, onStep() {} }
      const { verdict } = await verifyReceipt(folderPlace(BOARD), { receipts: [note] }, options)
      return verdict === 'refuted' ? undefined : `receipt: ${verdict}\n${note.toString('latin1')}`
    },
  },
  {
    share: 74,
    read() {
      const text = mutate(Buffer.from(ENV), source).toString()
      try {
        readConfig(parseEnv(text))
        return undefined
      } catch (error) {
        const { message } = error as Error
        return isOneLine(message) ? undefined : `.env: ${message}\n${text}`
      }
    },
  },
]

/** Any change of a file is found. */
async function readArchive(): Promise<string | undefined> {
  const dir = one([SAMPLE, SAMPLE, BOARD])
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' })
  const isPublished = (name: string) => !name.startsWith('.') && statSync(join(dir, name)).isFile()
  const name = one(names.filter(isPublished))
  const good = readFileSync(join(dir, name))
  const mutated = mutate(good, source, one([200, good.length]))
  if (mutated.equals(good)) return undefined
  let fault: string | undefined
  await whileOverwritten(join(dir, name), mutated, async () => {
    try {
      const place = folderPlace(dir)
      const report = await verifyArchive(place, { decode, log: { pauseMs: 0 } })
      if (findingsIn(report).length === 0) fault = `archive: ${name} was changed, and nothing found`
    } catch (error) {
      if (!isArchiveError(error)) fault = `archive: ${name}: ${(error as Error).stack}`
    }
  })
  return fault
}

const shares = READERS.flatMap(({ share, read }) => Array.from({ length: share }, () => read))
for (let i = 0; i < Number(count); i++) {
  const fault = await one(shares)()
  if (fault !== undefined) process.stdout.write(`mutation ${i}: ${fault}\n`)
}
process.stdout.write(`${count} mutations\n`)
rmSync(folder, { recursive: true })
