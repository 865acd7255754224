// The film of a day by the ffmpeg of this machine, and twice by each there is.
import { findFfmpeg } from '../../../pipeline/render/find-ffmpeg.ts'
import { findProgram } from '../../support/programs.ts'
import { describeFilmsBy, testRepeatedFilmBy } from './films.ts'

const onPath = findProgram('ffmpeg')
const ours = onPath === undefined ? null : findFfmpeg({ FFMPEG_PATH: onPath })

describeFilmsBy('the ffmpeg on PATH', ours)
testRepeatedFilmBy('the ffmpeg on PATH', ours)
testRepeatedFilmBy("npm's build of 2018", findFfmpeg({ PATH: '' }))
