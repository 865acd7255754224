// operator backup: copies a SQLite database (COMMANDS.md 6.8).
import { defineCommand, reading } from '../command.ts'
import { backUp } from '../moving/export.ts'

export const backup = defineCommand({
  name: 'backup',
  help: [
    { forms: ['backup FILE'], summary: 'copies a SQLite database, also while a server uses it' },
  ],
  words: [{ name: 'FILE' }],
  options: {},
  prepare: ([file = '']) => reading((database) => backUp(database, file)),
})
