// operator import: fills an empty database from an export or a mirror, the only command that creates one (COMMANDS.md 6.7,
// COMMANDS.md 6.9).
import { stat } from 'node:fs/promises'
import { readDataConfig } from '../../data/location.ts'
import { nameOfDatabase } from '../../database/open.ts'
import { defineCommand, withDatabase } from '../command.ts'
import { exportSource } from '../moving/exported-rows.ts'
import { checkSource, importRows } from '../moving/import.ts'
import { mirrorSource } from '../moving/mirrored-rows.ts'

export const importCommand = defineCommand({
  name: 'import',
  help: {
    'import DIR':
      'makes a board of a mirror with records in an empty database; an interrupted import leaves it empty',
    'import FILE':
      'moves the records of an export to an empty database, SQLite or PostgreSQL; likewise whole or not at all',
  },
  words: [{ name: 'FILE' }],
  options: {},
  prepare:
    ([file = '']) =>
    async (context) => {
      const { env, progress } = context
      const name = nameOfDatabase(readDataConfig(env).database)
      const isFolder = (await stat(file).catch(() => null))?.isDirectory()
      const source = isFolder ? mirrorSource(file) : exportSource(file)
      // Before the database is opened, which creates it.
      const checked = await checkSource(source, progress)
      return withDatabase(context, { create: true }, (database) =>
        importRows(database, { source, checked }, { name, progress }),
      )
    },
})
