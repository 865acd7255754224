// How each kind of medium is rendered, in the order of rendering: a kind may need those before it (FORMAT.md 8.7).
import type { MediaKind } from '../../archive/format/media.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { renderFilm } from '../render/film.ts'
import type { Rendering } from '../render/rendering.ts'
import { withWorkFolder } from '../render/work-folder.ts'
import type { Run, Stage } from '../run/session.ts'

export type Parts = Partial<Record<MediaKind, Uint8Array>>

interface Ingredients {
  snapshot: Snapshot
  /** At least the kinds that the renderer needs. */
  parts: Parts
}

interface Renderer {
  readonly stage: Stage
  readonly needs: readonly MediaKind[]
  /** Whether ffmpeg encodes it. */
  readonly isEncoded: boolean
  /** Whether its bytes depend on the drawing code, whose version manifests state (FORMAT.md 8.4). */
  readonly isDrawn: boolean
  /** The run has ffmpeg for a kind that is encoded. */
  readonly render: (run: Run, ingredients: Ingredients) => Promise<Rendering>
}

export const RENDERERS: Readonly<Record<MediaKind, Renderer>> = {
  wav: {
    stage: 'sound',
    needs: [],
    isEncoded: false,
    isDrawn: false,
    render: async ({ tools }, { snapshot }) => tools.renderSound(snapshot),
  },
  png: {
    stage: 'picture',
    needs: [],
    isEncoded: false,
    isDrawn: true,
    render: ({ tools }, { snapshot }) => tools.renderPicture(snapshot),
  },
  mp4: {
    stage: 'film',
    needs: ['wav', 'png'],
    isEncoded: true,
    isDrawn: true,
    render: renderFilmOf,
  },
}

export const RENDER_ORDER = Object.keys(RENDERERS) as MediaKind[]

async function renderFilmOf(
  { archive: { workDir }, tools: { ffmpeg }, signal, report }: Run,
  { snapshot, parts: { wav: sound, png: picture } }: Ingredients,
): Promise<Rendering> {
  if (!sound || !picture || !ffmpeg)
    throw new Error('a film needs the sound, the picture and ffmpeg')
  const { day } = snapshot
  const progress = (fraction: number) => report.progress(day, 'film', fraction)
  return withWorkFolder(workDir, day, (folder) =>
    renderFilm({ snapshot, picture, sound, folder }, { ffmpeg, signal, onProgress: progress }),
  )
}
