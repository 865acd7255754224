// Writes damaged-findings.json, what verify says of each damaged copy at each kind of place:
// `npx -- node test/archive/verify/generate-findings.ts`.
import { writeFileSync } from 'node:fs'
import { cases, damagedCopy, linesAt, PLACES, SAID, type Said } from './damaged-copies.ts'

const said: Record<string, Said> = {}
for (const one of cases) {
  const dir = damagedCopy(one)
  const found: Said = {}
  for (const kind of Object.keys(PLACES)) {
    const lines = await linesAt(kind, dir, one)
    if (String(lines) !== String(found['a folder'])) found[kind] = lines
  }
  said[one.why] = found
}
writeFileSync(SAID, `${JSON.stringify(said, null, 1)}\n`)
process.exit()
