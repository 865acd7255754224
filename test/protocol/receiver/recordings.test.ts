// The shipped recordings, read whole.
import { decodeWav } from '../../../protocol/index.ts'
import { describeRecordings } from './recordings.ts'

describeRecordings('whole', decodeWav)
