// Tests npm run snapshot on an archive with a changed or damaged manifest (COMMANDS.md 2.5, FORMAT.md 15.4).
// Rules: COMMANDS.md 2.5.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { manifestKey } from '../../../archive/format/paths.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { workshopForEach } from '../workshop.ts'
import { runCommand } from './command.ts'

const DAYS = ['2026-11-17', '2026-11-18'] as const
const RANGE = ['--from', DAYS[0], '--to', DAYS[1]]

const workshop = workshopForEach()
beforeEach(async () => {
  await workshop.archive(DAYS[1], await workshop.archive(DAYS[0]))
})

const run = (...args: string[]) => runCommand(args, workshop.dir, { DATA_DIR: workshop.dir })

it.each([
  [
    'another valid one',
    (text: string) => text.replace('"ffmpeg": "5.1.9"', '"ffmpeg": "7"'),
    /\(manifest_not_logged\)$/,
  ],
  ['damaged', (text: string) => text.slice(0, -20), /manifest\.json: /],
] as const)(
  'a run over an archived day whose manifest is %s reports that day as failed, and completes',
  async (_, change, reason) => {
    const path = join(workshop.archiveDir, manifestKey(DAYS[0]))
    overwriteFile(path, change(readFileSync(path, 'utf8')))
    const { status, stdout } = await run(...RANGE, '--json')
    expect(status).toBe(1)
    expect(JSON.parse(stdout).days).toEqual([
      { day: DAYS[0], status: 'failed', message: expect.stringMatching(reason) },
      { day: DAYS[1], status: 'present' },
    ])
    const sums = readFileSync(join(workshop.archiveDir, 'SHA256SUMS'), 'utf8')
    expect(sums).toContain(DAYS[1])
  },
)
