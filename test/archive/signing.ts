// Signs logs in tests: fixed keys, and checkpoints kept in memory instead of a database.
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { type Disk, realDisk } from '../../archive/base/durable.ts'
import { formatVkey, verifierOf } from '../../archive/log/note.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import { DayLog } from '../../archive/writing/day-log.ts'
import type { CheckpointKeeper } from '../../archive/writing/log-leaves.ts'

export const ORIGIN = 'archive.example/transmissions'

/** The Ed25519 key whose 32 secret bytes all have this value. */
export function testKey(byte: number): KeyObject {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  const key = Buffer.concat([prefix, Buffer.alloc(32, byte)])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

export const vkeyOf = (byte: number): string => formatVkey(verifierOf(ORIGIN, testKey(byte)))

export interface MemoryKeeper extends CheckpointKeeper {
  kept: string | null
}

export function memoryKeeper(): MemoryKeeper {
  return {
    kept: null,
    read() {
      return Promise.resolve(this.kept)
    },
    replace(before, after) {
      const isSame = this.kept === before
      if (isSame) this.kept = after
      return Promise.resolve(isSame)
    },
  }
}

/** Opens the log of an archive, to be signed with test keys. */
export async function openTestLog(
  dir: string,
  {
    keeper = memoryKeeper(),
    disk = realDisk,
    keys = [1] as number[],
  }: {
    keeper?: CheckpointKeeper
    disk?: Disk
    keys?: number[]
  } = {},
): Promise<DayLog> {
  const place = folderPlace(dir, disk)
  const signers = keys.map((byte) => ({ name: ORIGIN, privateKey: testKey(byte) }))
  const log = new DayLog(place, keeper, signers)
  await log.reread()
  return log
}
