// Verifies an archive like npm run verify, with a given number of threads: `node verify-threads.ts FOLDER THREADS`.
import { folderPlace } from '../../archive/place/folder.ts'
import { verifyArchive } from '../../archive/verify/archive.ts'
import { openDecoderPool } from '../../pipeline/decoder-pool.ts'

const [folder = '', threads] = process.argv.slice(2)
const pool = openDecoderPool(Number(threads))
const { ok } = await verifyArchive(folderPlace(folder), {
  decode: pool.decode,
  daysAtOnce: pool.width + 2,
})
await pool.close()
process.exitCode = ok ? 0 : 1
