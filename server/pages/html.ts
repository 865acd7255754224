// A piece of HTML.
import type { html } from 'hono/html'

/** hono/html escapes every text that is put into one. */
export type Html = ReturnType<typeof html>
