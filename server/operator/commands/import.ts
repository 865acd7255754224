// operator import: fills an empty database from an export or a mirror, the only command that creates one (API.md 10.12,
// 10.17).
import { stat } from 'node:fs/promises'
import { readDataConfig } from '../../data/location.ts'
import { nameOfDatabase } from '../../database/open.ts'
import { checkMirror } from '../check-mirror.ts'
import { defineCommand, withDatabase } from '../command.ts'
import { importRecords, verifyExport } from '../import.ts'
import { importMirror } from '../import-mirror.ts'

export const importCommand = defineCommand({
  name: 'import',
  help: [
    {
      forms: ['import DIR'],
      summary:
        'makes a board of a mirror with records in an empty database; repeat an interrupted import to resume it',
    },
    {
      forms: ['import FILE'],
      summary:
        'moves the records of an export to an empty database, SQLite or PostgreSQL; repeat an interrupted import to resume it',
    },
  ],
  words: [{ name: 'FILE' }],
  options: {},
  prepare:
    ([file = '']) =>
    async (context) => {
      const { env, progress } = context
      const name = nameOfDatabase(readDataConfig(env).database)
      if (await isFolder(file)) {
        const mirror = await checkMirror(file, progress)
        return withDatabase(context, { create: true, forImport: true }, (database) =>
          importMirror(database, mirror, { name, progress }),
        )
      }
      const verified = await verifyExport(file, progress)
      return withDatabase(context, { create: true, forImport: true }, (database) =>
        importRecords(database, verified, { name, progress }),
      )
    },
})

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
