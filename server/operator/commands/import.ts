// operator import: writes the rows of an export into an empty database, the only command that creates one (API.md 10.12).
import { nameOfDatabase, readDataConfig } from '../../database/location.ts'
import { defineCommand, withDatabase } from '../command.ts'
import { importRecords, verifyExport } from '../import.ts'

export const importCommand = defineCommand({
  name: 'import',
  help: [
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
      const verified = await verifyExport(file, progress)
      return withDatabase(context, { create: true, forImport: true }, (database) =>
        importRecords(database, verified, { name, progress }),
      )
    },
})
