// The pages and texts that describe the service itself.
import { DECODER_URL, PROTOCOL_URL } from '../../archive/format/paths.ts'
import { endpoints, fixed, read } from '../wire/endpoint.ts'

export const SITE = endpoints('Service', {
  showHome: read({
    path: '/',
    representation: 'page',
    summary: 'What the service is, for people',
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
    answer: { description: 'The page.' },
  }),
})
