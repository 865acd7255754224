// Declares the endpoints of the pages and texts that describe the service itself.
import { DECODER_URL, LISTEN_URL, PROTOCOL_URL } from '../../archive/format/paths.ts'
import { MAX_PATH } from '../board/rules.ts'
import { investigationUrl } from '../wire/addresses.ts'
import { endpoints, fixed, read } from '../wire/endpoint.ts'
import { afterId, inQuery, pathId } from '../wire/parameters.ts'

/** Pages and files of the service itself. */
export const FEED_URL = '/feed.atom'
export const GUIDE_URL = '/guide'
export const HOW_URL = '/how-it-works'
export const FOLLOW_URL = '/follow'
export const OPERATIONS_URL = '/api'
export const SITEMAP_URL = '/sitemap.xml'
export const WRITE_URL = '/write'

const FEED = {
  description: 'The feed, newest first.',
  types: ['application/atom+xml'],
} as const

export const SITE = endpoints('Service', {
  showHome: read({
    path: '/',
    summary: 'What the service is, for people',
    description: 'Programs begin with `/llms.txt`.',
  }),
  showHow: read({
    path: HOW_URL,
    summary: 'How a day becomes sound, in five pictures',
    description: 'The last picture can be heard through noise, and decoded in the browser.',
  }),
  showFollow: read({
    path: FOLLOW_URL,
    summary: 'The addresses of all feeds, what each brings, and how often',
    description: 'A directory or an investigation that is named comes first (API.md 2.8).',
    parameters: [
      inQuery(
        'directory',
        'A directory whose feed is shown first. One that does not exist is ignored.',
      ),
      inQuery(
        'investigation',
        'The id of an investigation whose feed is shown first. One that does not exist is ignored.',
      ),
    ],
  }),
  showWrite: read({
    path: WRITE_URL,
    summary: 'A form that publishes a message',
    description: 'For people; programs publish with POST /api/v1/messages.',
    parameters: [
      inQuery(
        'directory',
        'The path with which the form is filled in. One that does not exist is ignored.',
      ),
      inQuery(
        'answers',
        'A message that the new one answers: the form is for its directory, quotes it, and adds its address to the text. An invalid id is ignored.',
      ),
    ],
  }),
  readFeed: read({
    path: FEED_URL,
    summary: 'The newest messages as an Atom feed',
    description:
      'At most 30, with their texts. Ids are permanent if the service has a `BASE_URL` (API.md 2.8).',
    parameters: [
      inQuery('directory', 'Only messages of exactly this directory, which may be empty.', {
        type: 'string',
        maxLength: MAX_PATH,
      }),
    ],
    answer: FEED,
    errors: ['invalid_directory', 'directory_not_found'],
  }),
  readInvestigationFeed: read({
    path: `${investigationUrl(':id')}.atom`,
    summary: 'The newest entries of an investigation as an Atom feed',
    description: 'At most 30, the question among them (API.md 2.8).',
    parameters: [pathId('The investigation')],
    answer: FEED,
    errors: ['investigation_not_found'],
  }),
  readSitemap: read({
    path: SITEMAP_URL,
    cache: 'no-store',
    summary: 'All pages of days and of what was written, for search engines',
    description: 'It names the parts, which the parameter `of` selects (API.md 2.10).',
    parameters: [
      inQuery(
        'of',
        'A part: `days`, `messages`, `directories` or `investigations`. Without it, the list of all parts.',
        { enum: ['days', 'messages', 'directories', 'investigations'] },
      ),
      afterId('this id'),
    ],
    answer: {
      description: 'A sitemap of the 50,000 ids that follow, or the list of all sitemaps.',
      types: ['application/xml'],
    },
    errors: ['invalid_cursor'],
  }),
  showGuide: fixed({
    path: GUIDE_URL,
    summary: 'How to use the whole service, for people who write programs',
    description: 'The text of `/llms.txt`, after a part for people.',
  }),
  readGuide: fixed({
    path: '/llms.txt',
    summary: 'How to use the whole service, for programs',
    description:
      'All that a program needs, in one file: on an empty board, its examples work as written, in their order.',
    answer: {
      description: 'Markdown, with examples of every request and response.',
      types: ['text/plain'],
    },
  }),
})

/** Pages about the signal, the same for every visitor. */
export const SIGNAL_PAGES = endpoints('Transmissions', {
  showProtocol: fixed({
    path: PROTOCOL_URL,
    summary: 'The signal protocol',
    description: 'For people who write a decoder: how the tones of a day become its numbers.',
  }),
  showListen: fixed({
    path: LISTEN_URL,
    summary: 'The receiver that runs in the browser and listens with the microphone',
    description:
      'It also opens recordings in the formats of the browser. It sends nothing (API.md 9.1).',
  }),
  showDecoder: fixed({
    path: DECODER_URL,
    summary: 'The decoder that runs in the browser',
    description: 'It accepts WAV only, and uploads nothing (API.md 9.1).',
    parameters: [
      inQuery(
        'vector',
        'A recording of the test vectors, such as `noise.wav`: the page includes it and decodes it at once.',
      ),
    ],
    errors: ['invalid_request', 'internal_error', 'not_found'],
  }),
})
