// The video of a day by the ffmpeg of this machine, and twice by each there is.
import { findFfmpeg } from '../../../pipeline/render/ffmpeg.ts'
import { findProgram } from '../../support/programs.ts'
import { describeVideosBy, testRepeatedVideoBy } from './videos.ts'

const onPath = findProgram('ffmpeg')
const ours = onPath === undefined ? null : findFfmpeg({ FFMPEG_PATH: onPath })

describeVideosBy('the ffmpeg on PATH', ours)
testRepeatedVideoBy('the ffmpeg on PATH', ours)
testRepeatedVideoBy("npm's build of 2018", findFfmpeg({ PATH: '' }))
