// Mirrors once, as a process that a test can kill.
import { mirrorFrom } from './signed-archive.ts'

const [source, dir] = process.argv.slice(2) as [string, string]
const report = await mirrorFrom(source, dir, { jobs: 4 })
process.exitCode = report.ok ? 0 : 1
