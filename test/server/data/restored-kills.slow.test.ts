// A run that was killed between any two of its writes is not taken for a restore; and after a restore, no id that it has
// published is given again.
// Rules: API.md 9.14.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderPlace } from '../../../archive/place/folder.ts'
import { partsInFolder } from '../../support/sealing.ts'
import { killAfterEachWrite } from './killed-runs.ts'

test('an archive in a folder: the database is compared right after a kill at any write', async () => {
  const kills = await killAfterEachWrite(async (dataDir) => {
    const dir = join(dataDir, 'transmissions')
    return {
      place: folderPlace(dir),
      location: { dir },
      partsOn: (database, kill) => partsInFolder(dir, database, kill),
    }
  })
  expect(kills).toBeGreaterThan(20)
}, 600_000)
