// Starts a service with content for every page: archived days, a tree of directories, an investigation with every kind of
// contribution, and reviews that supersede each other. The user text is a parameter.
import { operated } from '../../support/operator.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'
import { makeArchive } from '../transmissions/archive.ts'

/** The user text in each kind of field. */
export interface Words {
  /** For one-line fields. */
  line: string
  text: string
  /** The end of a source's URL. */
  url: string
}

export const TAME: Words = { line: 'Ada', text: 'First frost tonight.', url: 'frost' }

export interface Site {
  service: TestService
  /** The path of every kind of page, and of several error pages. */
  paths: string[]
}

export const DAYS = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19']

const PATHS = `
  / /write /write?directory=lab /directories /directories?after=zzz /d/lab /d/lab/deep
  /messages/1 /messages/3 /investigations /investigations/1 /investigations/1?limit=1 /investigations/2
  /continuity /continuity?after=9 /moderation /moderation?message=1 /moderation?message=2
  /transmissions /transmissions?before=2026-11-18&limit=1 /transmissions?before=2000-01-01
  /transmissions/2026-11-18 /transmissions/2026-11-19 /transmissions/2026-11 /transmissions/2026
  /transmissions/2026-11-20 /transmissions/2026-11-20/records
  /transmissions/2026-11-20/records?section=sources
  /transmissions/protocol /transmissions/decode /transmissions/listen
  /how-it-works /search /search?q=a*+in:lab /search?q=in:lab /follow /guide /api
  /messages/999 /d/none /d/%3Cb%3E /nowhere /transmissions/2026-11-01 /investigations/x
  /directories?limit=0`

export async function startSite(words: Words): Promise<Site> {
  const service = await startTestService({}, clockAt('2026-11-20T12:00:00.000Z'))
  await makeArchive(service.archiveDir, DAYS, {
    '2026-11-17': { counters: { reviews: null } },
    '2026-11-18': { reasons: [outage('2026-11-18')], media: { mp4: null, wav: null } },
  })
  await publish(service, words)
  return {
    service,
    paths: PATHS.trim().split(/\s+/),
  }
}

const outage = (day: string) => ({
  code: 'service_not_running' as const,
  from: `${day}T01:00:00.000Z`,
  to: `${day}T02:30:00.000Z`,
})

async function publish(service: TestService, { line, text, url }: Words): Promise<void> {
  const board = service.publish
  const author_label = line
  for (const path of ['lab', 'lab/deep'])
    await service.client.post('/api/v1/directories', { path, author_label })
  for (let i = 0; i < 52; i++)
    await service.client.post('/api/v1/messages', { directory: 'lab', body: text, author_label })
  const sources = [{ url: `https://example.org/${url}`, note: text }]
  const question = { title: line, body: text, author_label, sources }
  const { id, root } = await board.investigation('lab/deep', question)
  await board.investigation('lab', { ...question, sources: [] })
  const contribution = { body: text, author_label, sources }
  const to = (message_id: bigint, relation: string) => ({ links: [{ message_id, relation }] })
  const seen = await board.contribution(id, { ...contribution, ...to(root, 'extends') })
  for (const kind of ['attempt', 'result'])
    await board.contribution(id, { ...contribution, kind, ...to(seen, 'supports') })
  await board.contribution(id, { ...contribution, kind: 'correction', ...to(seen, 'corrects') })
  await board.contribution(id, { ...contribution, kind: 'reuse', ...to(1n, 'reuses') })
  for (const outcome of ['unsupported', 'substantiated', 'withdrawn'])
    await operated(
      service,
      ...['review', String(seen), '--outcome', outcome, '--reason', text, '--evidence-note', text],
    )
}
