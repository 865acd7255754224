// The documents know every operator command.
// Rules: COMMANDS.md 6.1.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../../server/operator/parse.ts'
import { ROOT } from '../../support/imports.ts'

const NAMES = COMMANDS.map(({ name }) => name).sort()

/** The places of each document that name commands: a part of it, and the names there. */
test.each([
  [
    'pipeline/COMMANDS.md',
    /(?<=\*\*6\.1 Actions\.\*\*.*\n\n)(?:\|.*\n)+/,
    /(?<=^\|[^|]*`)[a-z]+/gm,
  ],
  ['README.md', /^\| `npm run operator -- …` \|.*$/m, /(?<=`)[a-z]+(?=`)/g],
  ['server/deploy/OPERATING.md', /[\s\S]*/, /(?<=operator -- )[a-z]+/g],
])('%s names every command', (document, part, names) => {
  const [text = ''] = part.exec(readFileSync(join(ROOT, document), 'utf8')) ?? []
  expect(NAMES.filter((name) => text.match(names)?.includes(name))).toEqual(NAMES)
})
