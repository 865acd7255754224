// Tests how the archive's folder is created at the first start, and required later.
// Rules: API.md 9.4.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ensureArchiveFolder } from '../../../server/data/archive-folder.ts'
import { workshopForEach } from '../workshop.ts'

const workshop = workshopForEach()
const ensure = () => ensureArchiveFolder(workshop.database, workshop.archiveDir)

describe("the archive's folder", () => {
  it('the first start creates the folder, and the next start finds it', async () => {
    expect(await ensure()).toBe(true)
    expect(existsSync(workshop.archiveDir)).toBe(true)
    expect(await ensure()).toBe(true)
  })

  it('a folder that is missing later is not created again', async () => {
    await ensure()
    renameSync(workshop.archiveDir, `${workshop.archiveDir}.moved`)
    expect(await ensure()).toBe(false)
    expect(existsSync(workshop.archiveDir)).toBe(false)
    renameSync(`${workshop.archiveDir}.moved`, workshop.archiveDir)
    expect(await ensure()).toBe(true)
  })

  it('a folder at another path is created when the setting changes', async () => {
    await ensure()
    const other = `${workshop.archiveDir}-other`
    expect(await ensureArchiveFolder(workshop.database, other)).toBe(true)
    expect(existsSync(other)).toBe(true)
  })

  it('the folder may exist before the first start', async () => {
    mkdirSync(workshop.archiveDir)
    expect(await ensure()).toBe(true)
  })

  it('a file with the name of the folder is an error of one line', async () => {
    writeFileSync(workshop.archiveDir, '')
    await expect(ensure()).rejects.toThrow(/transmissions: is not a folder$/)
  })
})
