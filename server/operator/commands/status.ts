// operator status: reports modes, counts, days, the signed log, clocks and servers.
import { openReader } from '../../../archive/reading/reader.ts'
import { readConfig } from '../../config.ts'
import { defineCommand, reading } from '../command.ts'
import { reportStatus } from '../status.ts'

export const status = defineCommand({
  name: 'status',
  help: [
    {
      forms: ['status [--check]'],
      summary:
        'prints modes, record counts, the newest day and the last failure, the signed log and its witnesses, who signs receipts, the clocks, and the last heartbeats of servers; with --check it exits 1 if yesterday has not been made, the archive cannot be read, or a clock is wrong',
    },
  ],
  words: [],
  options: { check: {} },
  prepare: (_, { check }) =>
    reading(async (database, { env, clock, heading, random }) => {
      const { forcedModes, archive, signingKeyFile, witnessPolicy } = readConfig(env)
      const reader = await openReader(archive, random)
      const options = { check, forcedModes, archive: reader, signingKeyFile, witnessPolicy }
      return reportStatus(database, options, clock, heading)
    }),
})
