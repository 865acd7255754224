// The shipped recordings, decoded at once.
import { decodeWav } from '../../../protocol/index.ts'
import { describeRecordings } from './recordings.ts'

describeRecordings('at once', decodeWav)
