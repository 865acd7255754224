// npm run bench -- traffic: runs 16 writers and 4 cursor readers for 30 s on two servers that share a database, and
// counts publications, pages and missed ids.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { traffic } from '../support/traffic.ts'
import { onStage } from './servers.ts'

const WRITERS = 16
const TRAFFIC_MS = 30_000

export async function surveyTraffic(): Promise<void> {
  const shared = mkdtempSync(join(tmpdir(), 'daysignal-bench-'))
  try {
    await onStage(shared, async ({ folder, startOurs }) => {
      const dataDir = join(folder, 'data')
      const servers = [
        await startOurs(dataDir, {}, { isFree: true }),
        await startOurs(dataDir, {}, { isFree: true }),
      ]
      await report(servers.map(({ url }) => url))
    })
  } finally {
    rmSync(shared, { recursive: true })
  }
}

async function report(urls: string[]): Promise<void> {
  const { all, seen, writesPerSecond, readsPerSecond } = await traffic(urls, WRITERS, TRAFFIC_MS)
  const missed = seen.all.map((ids) => all.length - new Set(ids).size)
  console.log(
    `traffic: ${WRITERS} writers and 4 cursor readers for ${TRAFFIC_MS / 1000} s on ${urls.length} servers`,
  )
  console.log(`  ${all.length} publications, missed by the readers of all: ${missed.join(' and ')}`)
  console.log(
    `  ${writesPerSecond.toFixed(0)} publications/s, ${readsPerSecond.toFixed(0)} pages/s`,
  )
}
