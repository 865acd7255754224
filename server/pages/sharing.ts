// What a page tells of itself where it is shared or searched for: its address, its other forms, its picture.
import { html } from 'hono/html'
import type { ServedManifest } from '../transmissions/served.ts'
import type { Html } from './html.ts'

export interface Sharing {
  /** The one address of what the page shows, without a query. */
  path: string
  /** Where the same is as JSON. */
  json?: string
  /** What previews show; they need whole addresses. */
  preview?: Preview
}

export interface Preview {
  /** Of the service, without a trailing slash. */
  baseUrl: string
  image: { path: string; width: number; height: number; alt: string } | null
}

/** A day's picture for a preview; null where it is not here. */
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
