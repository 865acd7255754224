// The type of rendered HTML.
import type { html } from 'hono/html'

/** HTML from a hono/html template, which escapes every interpolated string. */
export type Html = ReturnType<typeof html>
