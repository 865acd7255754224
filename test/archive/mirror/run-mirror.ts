// Mirrors once, as a process that a test can kill.
import { prepareFolder } from '../../../archive/mirror/folder.ts'
import { mirrorArchive } from '../../../archive/mirror/mirror.ts'

const [source, dir] = process.argv.slice(2) as [string, string]
await prepareFolder(dir)
const client = { sleep: () => Promise.resolve() }
const report = await mirrorArchive({ source, dir, selection: {}, keys: null, jobs: 4, client })
process.exitCode = report.ok ? 0 : 1
