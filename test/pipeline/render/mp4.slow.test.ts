// The video of a day by the ffmpeg of this machine.
import { findFfmpeg } from '../../../pipeline/render/ffmpeg.ts'
import { findProgram } from '../../support/programs.ts'
import { describeVideosBy } from './videos.ts'

const onPath = findProgram('ffmpeg')

describeVideosBy(
  'the ffmpeg on PATH',
  onPath === undefined ? null : findFfmpeg({ FFMPEG_PATH: onPath }),
)
