// npm run bench -- traffic: runs 16 writers and 4 cursor readers for 20,000 publications on two servers that share a database, and
// counts pages and missed ids.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { traffic } from '../support/traffic.ts'
import { onStage } from './servers.ts'

const WRITERS = 16
const PUBLICATIONS = 20_000

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
  const began = performance.now()
  const { all, seen, pages } = await traffic(urls, WRITERS, PUBLICATIONS)
  const seconds = (performance.now() - began) / 1000
  const missed = seen.all.map((ids) => all.length - new Set(ids).size)
  console.log(
    `traffic: ${WRITERS} writers and 4 cursor readers for ${seconds.toFixed(0)} s on ${urls.length} servers`,
  )
  console.log(`  ${all.length} publications, missed by the readers of all: ${missed.join(' and ')}`)
  console.log(
    `  ${(all.length / seconds).toFixed(0)} publications/s, ${(pages / seconds).toFixed(0)} pages/s`,
  )
}
