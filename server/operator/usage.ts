// The help of `npm run operator`.
import { FEATURES } from '../modes/rules.ts'
import { OUTCOMES } from '../reviews/rules.ts'

export const USAGE = `What only an operator may do, safe next to a running server.

  npm run operator -- review MESSAGE_ID --reason R [--evidence-note N]
                      --outcome ${OUTCOMES.join('|')}
      records a review of a message of an investigation. It supersedes the
      message's earlier one. Outcome substantiated needs an evidence note.
  npm run operator -- hide|show message|investigation ID --reason R
  npm run operator -- hide|show directory PATH --reason R
      hides or shows a record and all that belongs to it; a PATH that
      begins with - comes last, behind --
  npm run operator -- erase message ID --reason R
      removes the text of a hidden message for good; its hash stays
  npm run operator -- mode read-only|open [--reason R]
  npm run operator -- feature NAME on|off [--reason R]
      takes effect within a second and outlives a restart; NAME is
      ${FEATURES.join(', ')}
  npm run operator -- log [--after ID] [--limit N]
      the log of all this, oldest first: at most N (1 to 100, default 50)
  npm run operator -- status [--check]
      modes, record counts, the newest day and the last failure, the signed
      log, and the last heartbeats of servers; with --check it exits 1 when
      yesterday's day has not been made
  npm run operator -- backup FILE
      copies a SQLite database as it is now, also while it is served
  npm run operator -- export FILE
  npm run operator -- import FILE
      moves all records to an empty database, of SQLite or of PostgreSQL;
      FILE.gz is compressed. An interrupted import is resumed by repeating it
  --json   prints JSON
  --help   prints this

What is so already is reported, changes nothing and is not logged.
The database is found as the server finds it: DATABASE_URL, or DATA_DIR
(default ./data). Exit: 0 done, 1 not done and why, 2 wrong usage.
`
