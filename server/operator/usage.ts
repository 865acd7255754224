// The help text of `npm run operator`.
import { FEATURES } from '../modes/rules.ts'
import { OUTCOMES } from '../reviews/rules.ts'

export const USAGE = `Operator commands. They are safe to run next to a running server.

  npm run operator -- review MESSAGE_ID --reason R [--evidence-note N]
                      --outcome ${OUTCOMES.join('|')}
      records a review of a message that belongs to an investigation, and
      supersedes its earlier review; substantiated needs an evidence note
  npm run operator -- hide|show message|investigation ID --reason R
  npm run operator -- hide|show directory PATH --reason R
      hides or shows a record and everything that belongs to it; put a PATH
      that begins with - last, after --
  npm run operator -- erase message ID --reason R
      permanently removes what the author of a hidden message wrote: text,
      label, title, sources, links; id, times and the hash of its leaf remain
  npm run operator -- mode read-only|open --reason R
      takes effect within a second and persists across restarts; visitors see
      the reason of read-only mode
  npm run operator -- feature NAME on|off --reason R
      likewise, but its reason is only logged; NAME is
      ${FEATURES.join(', ')}
  npm run operator -- clock accept --reason R
      makes the clock of this machine the measure of all servers, where they
      refuse to write because clocks differ; prints all times
  npm run operator -- clock repair --reason R [--dry-run]
      dates records anew that a wrong clock has dated into the future, unless
      their day has a snapshot; with --dry-run it only lists them
  npm run operator -- log [--after ID] [--limit N]
      prints the log of actions after ID, oldest first, at most N (1 to 100,
      default 50)
  npm run operator -- status [--check]
      prints modes, record counts, the newest day and the last failure, the
      signed log, the clocks, and the last heartbeats of servers; with --check
      it exits 1 if yesterday has not been made, the archive cannot be read, or
      a clock is wrong
  npm run operator -- backup FILE
      copies a SQLite database, also while a server uses it
  npm run operator -- export FILE
  npm run operator -- import FILE
      move all records to an empty database, SQLite or PostgreSQL; FILE.gz is
      compressed; repeat an interrupted import to resume it
  --json   prints JSON
  --help   prints this help

An action that would change nothing is reported, exits 0 and is not logged.
The database is the one of the server: DATABASE_URL, or the one in DATA_DIR
(default ./data). Exit codes: 0 done, 1 not done, 2 usage error.
`
