// The commands of `npm run operator`, in the order of their help.
import type { Command } from './command.ts'
import { backup } from './commands/backup.ts'
import { check } from './commands/check.ts'
import { clock } from './commands/clock.ts'
import { erase } from './commands/erase.ts'
import { exportCommand } from './commands/export.ts'
import { feature } from './commands/feature.ts'
import { hide, show } from './commands/hide.ts'
import { importCommand } from './commands/import.ts'
import { log } from './commands/log.ts'
import { mode } from './commands/mode.ts'
import { review } from './commands/review.ts'
import { status } from './commands/status.ts'

export const COMMANDS: readonly Command[] = [
  review,
  hide,
  show,
  erase,
  mode,
  feature,
  clock,
  log,
  status,
  check,
  backup,
  exportCommand,
  importCommand,
]
