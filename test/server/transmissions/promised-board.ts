// A board with a real server that is killed while it writes and whose clock is stepped, the receipts that its visitors
// keep, and an operator who may change a message in the database.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { dayOf, dayStart, nextDay, previousDay } from '../../../archive/format/calendar.ts'
import { sha256Of } from '../../../archive/format/hash.ts'
import { CHECKPOINT_FILE } from '../../../archive/format/paths.ts'
import { parseReceipt } from '../../../archive/log/receipt.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { verifyReceipt } from '../../../archive/verify/receipt.ts'
import type { Judgement } from '../../../archive/verify/receipt-verdict.ts'
import { judgeReceipt } from '../../../pipeline/commands/verify-receipt.ts'
import { daysBetween } from '../../../pipeline/days/due-days.ts'
import type { Database } from '../../../server/database/database.ts'
import { type Client, clientOf } from '../../support/client.ts'
import { type Clocks, clockIn, setClocks } from '../../support/clock-file.ts'
import {
  databaseIn,
  dataEnvironment,
  openExisting,
  removeDatabase,
} from '../../support/database.ts'
import { type Kill, KillSwitch } from '../../support/kill-switch.ts'
import type { Random } from '../../support/random.ts'
import { temporaryFolder } from '../../support/release.ts'
import { partsInFolder, runOn } from '../../support/sealing.ts'
import { openServed } from '../../support/served.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'

/** Long ago, so that a command that reads the real clock finds all deadlines passed. */
const FIRST_DAY = '2025-06-01'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** A receipt that a visitor keeps. */
export interface Kept {
  id: bigint
  /** The day that it promises. */
  day: string
  note: Uint8Array
}

export class PromisedBoard {
  /** DATA_DIR of the server and of the runs. */
  readonly dir = temporaryFolder()
  readonly receipts: Kept[] = []
  readonly #random: Random
  readonly #clockFile = join(this.dir, 'clocks.json')
  readonly #client: Client = clientOf(() => this.#server?.url ?? '')
  #clocks: Clocks
  #server: ServerProcess | null = null
  #database: Database | null = null
  #keys = 0

  static async open(random: Random): Promise<PromisedBoard> {
    const board = new PromisedBoard(random)
    await databaseIn(board.dir)
    await board.#start()
    const { status } = await board.#client.post('/api/v1/directories', { path: 'lab' })
    expect(status).toBe(201)
    return board
  }

  private constructor(random: Random) {
    this.#random = random
    const noon = dayStart(FIRST_DAY) + DAY_MS / 2
    this.#clocks = { wall: noon, database: noon, sinceBoot: DAY_MS }
    setClocks(this.#clockFile, this.#clocks)
  }

  get archiveDir(): string {
    return join(this.dir, 'transmissions')
  }

  /** The right time [ms since 1970]. */
  get now(): number {
    return this.#clocks.database
  }

  /** The signed checkpoint as it is published now. */
  get checkpoint(): Uint8Array {
    return readFileSync(join(this.archiveDir, CHECKPOINT_FILE))
  }

  /** Publishes messages and keeps their receipts. A server whose clock is wrong refuses them. */
  async post(count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      this.#pass(this.#count(1, 20) * MINUTE_MS)
      await this.#send(this.#newKey())
    }
  }

  /** Kills the server while it writes. Its clients repeat what was not answered. */
  async kill(): Promise<void> {
    const keys = Array.from({ length: this.#count(2, 8) }, () => this.#newKey())
    const sent = keys.map((key) =>
      this.#send(key).catch((error) => {
        if (!(error instanceof TypeError)) throw error
      }),
    )
    await Promise.race(sent)
    await this.#server?.kill()
    await Promise.all(sent)
    await this.#start()
    for (const key of keys) await this.#send(key)
  }

  /** Steps the clock of the server's machine, which its operator corrects after some messages. */
  async step(): Promise<void> {
    this.#set({ ...this.#clocks, wall: this.now + this.#count(-20, 20) * HOUR_MS })
    await this.post(1)
    if (this.#random.uniform() < 0.5) await this.kill()
    await this.post(2)
    this.#set({ ...this.#clocks, wall: this.now })
    await this.post(2)
  }

  /**
   * Lets the day end, and seals it; the run may be killed, and is repeated then. The server's clock, which is behind by less
   * than it notices, then still shows that day.
   */
  async endDay(): Promise<void> {
    this.#pass(dayStart(nextDay(dayOf(this.now))) + MINUTE_MS / 2 - this.now)
    if (this.#random.uniform() < 0.5)
      await this.#run({
        at: this.#count(0, 40),
        moment: this.#random.uniform() < 0.5 ? 'before' : 'after',
      })
    await this.#run()
    this.#set({ ...this.#clocks, wall: this.now - (5 / 6) * MINUTE_MS })
    await this.#send(this.#newKey())
    this.#set({ ...this.#clocks, wall: this.now })
  }

  /**
   * Changes a message whose day is sealed, and seals all days again, into a new log with the same key.
   * @returns its receipt
   */
  async reseal(): Promise<Kept> {
    const sealed = await new ArchiveReader(folderPlace(this.archiveDir)).days()
    const target = this.receipts.find(({ day }) => sealed.includes(day)) as Kept
    await this.#server?.kill()
    const body = 'another text'
    const body_hash = sha256Of(Buffer.from(body))
    await (await this.#open()).write(async (tx) => {
      await tx
        .updateTable('messages')
        .set({ body, body_hash })
        .where('id', '=', target.id)
        .execute()
      await tx.deleteFrom('settings').where('name', '=', 'log.checkpoint').execute()
    })
    rmSync(this.archiveDir, { recursive: true })
    mkdirSync(this.archiveDir)
    await this.#run()
    await this.#start()
    return target
  }

  /** Judges a receipt by the folder of the archive. */
  judgeHere({ note }: Kept): Promise<Judgement> {
    const options = { now: this.now, onStep() {} }
    return verifyReceipt(folderPlace(this.archiveDir), { receipts: [note] }, options)
  }

  /** Judges a receipt by what the server shows, and keeps the evidence in a folder. */
  async judgeServed({ note }: Kept, evidence: string): Promise<Judgement> {
    const place = await openServed(this.#server?.url ?? '')
    const options = { now: this.now, onStep() {} }
    return judgeReceipt(place, { receipts: [note] }, options, evidence)
  }

  async close(): Promise<void> {
    await this.#server?.kill()
    await this.#database?.close()
    this.#database = null
    await removeDatabase(this.dir)
    rmSync(this.dir, { recursive: true, force: true })
  }

  async #start(): Promise<void> {
    const env = { ...dataEnvironment(this.dir), BASE_URL: 'https://board.example' }
    const program = ['test/support/clocked-server.ts', this.#clockFile]
    this.#server = await startServerProcess(env, program)
  }

  /** The operator's own connection to the database. */
  async #open(): Promise<Database> {
    const clock = clockIn(this.#clockFile)
    this.#database ??= await openExisting(await databaseIn(this.dir), clock)
    return this.#database
  }

  /** Sends a message, perhaps again, and keeps its receipt unless the server refuses the message. */
  async #send(key: string): Promise<void> {
    const request = { directory: 'lab', body: `message ${key}` }
    const reply = await this.#client.post('/api/v1/messages', request, { 'idempotency-key': key })
    if (reply.status === 503) return
    const [, url = ''] = /^<(.*)>; rel="receipt"$/.exec(reply.headers.get('link') ?? '') ?? []
    const receipt = await this.#client.get(url)
    expect([reply.status, receipt.status]).toEqual([expect.toBeOneOf([200, 201]), 200])
    const { id, day } = parseReceipt(receipt.bytes).message
    if (this.receipts.some((kept) => kept.id === id)) return
    this.receipts.push({ id, day, note: receipt.bytes })
  }

  /** Seals all days that have ended, as the runs of the nights do. */
  async #run(kill?: Kill): Promise<void> {
    const sealed = await new ArchiveReader(folderPlace(this.archiveDir)).days()
    const ended = daysBetween(FIRST_DAY, previousDay(dayOf(this.now)))
    const due = ended.filter((day) => !sealed.includes(day))
    const parts = await partsInFolder(this.archiveDir, await this.#open(), new KillSwitch(kill))
    const run = runOn(parts, this.dir, due, this.now)
    if (kill) await run.catch((error) => expect(error.message).toMatch(/killed$/))
    else await run
  }

  /** Lets time pass on all clocks. */
  #pass(ms: number): void {
    const { wall, database, sinceBoot } = this.#clocks
    this.#set({ wall: wall + ms, database: database + ms, sinceBoot: sinceBoot + ms })
  }

  #set(clocks: Clocks): void {
    this.#clocks = clocks
    setClocks(this.#clockFile, clocks)
  }

  #newKey(): string {
    this.#keys += 1
    return `k${this.#keys}`
  }

  /** A random whole number from `least` to `most`. */
  #count(least: number, most: number): number {
    return least + Math.floor(this.#random.uniform() * (most - least + 1))
  }
}
