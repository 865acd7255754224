// Renders the metadata of a page for search engines and link previews: canonical URL, JSON alternate, Open Graph.
import { html } from 'hono/html'
import type { ServedManifest } from '../transmissions/served.ts'
import type { Html } from './html.ts'

export interface Sharing {
  /** The canonical path of the page, without a query. */
  path: string
  /** The path of the same content as JSON. */
  json?: string
  /** The contents of link previews. */
  preview?: Preview
}

export interface Preview {
  /** Without a trailing slash. Open Graph requires absolute URLs. */
  baseUrl: string
  image: { path: string; width: number; height: number; alt: string } | null
}

/** Returns the picture of a day for its preview; null if it is not available. */
export function pictureOf({ day, media: { png } }: ServedManifest): Preview['image'] {
  if (!png.available) return null
  const { url, width, height } = png
  return { path: url, width, height, alt: `${day} as a chord of twelve counters and 273 tones` }
}

export const sharingElements = (
  { path, json, preview }: Sharing,
  title: string,
  description: string,
): Html => html`<link rel="canonical" href="${path}">
${json ? html`<link rel="alternate" type="application/json" href="${json}">\n` : ''}${preview ? previewElements(preview, { title, description, site_name: 'Daysignal', type: path === '/' ? 'website' : 'article', url: preview.baseUrl + path }) : ''}`

/** The properties of the Open Graph protocol. */
function previewElements({ baseUrl, image }: Preview, own: Record<string, string>): Html {
  const properties = {
    ...own,
    ...(image && {
      image: baseUrl + image.path,
      'image:width': String(image.width),
      'image:height': String(image.height),
      'image:alt': image.alt,
    }),
  }
  return html`${Object.entries(properties).map(
    ([name, content]) => html`<meta property="og:${name}" content="${content}">\n`,
  )}`
}
