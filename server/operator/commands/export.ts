// operator export: writes every row to a file (COMMANDS.md 6.7).
import { defineCommand, reading } from '../command.ts'
import { exportRecords } from '../moving/export.ts'

export const exportCommand = defineCommand({
  name: 'export',
  help: [
    {
      forms: ['export FILE'],
      summary: 'writes all records to a new file, which an import reads; FILE.gz is compressed',
    },
  ],
  words: [{ name: 'FILE' }],
  options: {},
  prepare: ([file = '']) =>
    reading((database, { progress }) => exportRecords(database, file, progress)),
})
