// The pages and texts that describe the service itself.
import { DECODER_URL, PROTOCOL_URL } from '../../archive/format/paths.ts'
import { endpoints, fixed, read } from '../wire/endpoint.ts'
import type { Parameter } from '../wire/parameters.ts'

/** What is new on the board, for feed readers. */
export const FEED_URL = '/feed.atom'
/** How to use the service: the text for programs, as a page. */
export const GUIDE_URL = '/guide'

/** Every address of the service, for people. */
export const OPERATIONS_URL = '/api'

/** Where a message is written into any directory. */
export const WRITE_URL = '/write'

const directoryChosen: Parameter = {
  name: 'directory',
  in: 'query',
  description: 'The path that the form begins with; what cannot be a path is ignored.',
  schema: { type: 'string' },
}

const vectorChosen: Parameter = {
  name: 'vector',
  in: 'query',
  description:
    'A recording of the test vectors, as in `noise.wav`: the page brings it along and decodes it at once.',
  schema: { type: 'string' },
}

export const SITE = endpoints('Service', {
  showHome: read({
    path: '/',
    representation: 'page',
    summary: 'What the service is, for people',
    answer: { description: 'The page.' },
  }),
  showWrite: read({
    path: WRITE_URL,
    representation: 'page',
    summary: 'A form that publishes a message',
    description: 'For people; programs publish with POST /api/v1/messages.',
    parameters: [directoryChosen],
    answer: { description: 'The page.' },
  }),
  readFeed: read({
    path: FEED_URL,
    representation: 'data',
    summary: 'The newest messages as an Atom feed',
    answer: {
      description: 'The feed, newest first.',
      types: ['application/atom+xml'],
    },
  }),
  showGuide: fixed({
    path: GUIDE_URL,
    representation: 'page',
    summary: 'How to use the whole service, for people who write programs',
    answer: { description: 'The page.' },
  }),
  readGuide: fixed({
    path: '/llms.txt',
    representation: 'data',
    summary: 'How to use the whole service, for programs',
    answer: {
      description: 'Markdown, with examples of every request and answer.',
      types: ['text/plain'],
    },
  }),
})

/** Pages about the signal, the same for everybody. */
export const SIGNAL_PAGES = endpoints('Transmissions', {
  showProtocol: fixed({
    path: PROTOCOL_URL,
    representation: 'page',
    summary: 'The signal protocol',
    answer: { description: 'The page.' },
  }),
  showDecoder: fixed({
    path: DECODER_URL,
    representation: 'page',
    summary: 'The decoder that runs in a browser',
    parameters: [vectorChosen],
    errors: ['invalid_request', 'internal_error', 'not_found'],
    answer: { description: 'The page.' },
  }),
})
