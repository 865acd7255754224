// The shipped recordings, decoded at once.
import { decodeWav } from '../../../protocol/receiver/index.ts'
import { IN_FULL } from '../../support/runs.ts'
import { describeRecordings } from './recordings.ts'

/** Those that npm test decodes: good ones with and without noise, and two that fail. */
const QUICK = [
  'two.wav',
  'noise.wav',
  'cut.wav',
  'room.wav',
  'rough.wav',
  'half.wav',
  'nothing.wav',
]

describeRecordings('at once', decodeWav, (file) => IN_FULL || QUICK.includes(file))
