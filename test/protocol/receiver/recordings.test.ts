// The shipped recordings, decoded at once.
import { decodeWav } from '../../../protocol/receiver/index.ts'
import { IN_FULL } from '../../support/runs.ts'
import { describeRecordings } from './recordings.ts'

/** Those that npm test decodes: good ones with and without noise, and those that fail quickly. */
const QUICK = [
  'two.wav',
  'noise.wav',
  'cut.wav',
  'room.wav',
  'rough.wav',
  'half.wav',
  'conclusion.wav',
  'nothing.wav',
  'silent.wav',
  'short.wav',
]

describeRecordings('at once', decodeWav, (file) => IN_FULL || QUICK.includes(file))
