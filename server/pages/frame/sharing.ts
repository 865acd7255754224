// Renders the metadata of a page for search engines and link previews: canonical URL, JSON alternate, Open Graph.

import type { ServedManifest } from '../../transmissions/views.ts'
import { type Html, html } from '../parts/html.ts'

/** Where a page is, for those who link to it. */
export interface Sharing {
  /** A sentence for search engines and link previews; undefined for a page that reports an error. */
  description?: string
  /** The canonical path, without a query. */
  path?: string
  /** The path of the same content as JSON. */
  json?: string
  /** For link previews. */
  image?: { path: string; width: number; height: number; alt: string } | null
  video?: { path: string; width: number; height: number } | null
}

/** The picture of a day, if there are both. */
export function pictureOf(
  manifest: ServedManifest | null | undefined,
): NonNullable<Sharing['image']> | null {
  if (!manifest?.media.png.available) return null
  const { url, width, height } = manifest.media.png
  const alt = `${manifest.day} as a chord of twelve counters and 273 tones`
  return { path: url, width, height, alt }
}

/** @param baseUrl without a trailing slash; canonical addresses and Open Graph are absolute */
export const addressElements = (baseUrl: string, { path, json }: Sharing): Html =>
  html`<link rel="canonical" href="${baseUrl}${path}">
${json && html`<link rel="alternate" type="application/json" href="${json}">\n`}`

/** The description for search engines, the properties of the Open Graph protocol, and the kind of card for X. */
export function previewElements(title: string, baseUrl: string, sharing: Sharing): Html {
  const { description, path, image, video } = sharing
  const properties = {
    title,
    site_name: 'Daysignal',
    type: path === undefined || path === '/' ? 'website' : 'article',
    ...(path && { url: baseUrl + path }),
    ...(image && {
      image: baseUrl + image.path,
      'image:width': String(image.width),
      'image:height': String(image.height),
      'image:alt': image.alt,
    }),
    ...(video && {
      video: baseUrl + video.path,
      'video:type': 'video/mp4',
      'video:width': String(video.width),
      'video:height': String(video.height),
    }),
  }
  return html`<meta name="description" property="og:description" content="${description}">
${Object.entries(properties).map(
  ([name, content]) => html`<meta property="og:${name}" content="${content}">\n`,
)}<meta name="twitter:card" content="${image ? 'summary_large_image' : 'summary'}">
`
}
