// The template tag of the pages: escapes every interpolated string, and joins the lines that an indentation continues.
import { html as escaping, raw } from 'hono/html'

export { raw }

/** HTML that a template or `raw` has made. */
export type Html = ReturnType<typeof escaping>

/**
 * Renders a template. An indented line continues the one above, and so does the closing tag below it: the break between
 * them becomes one space, or nothing where a browser would show nothing or nobody wants a space.
 */
export const html = (strings: TemplateStringsArray, ...values: unknown[]): Html =>
  escaping(JOINED.get(strings) ?? withLinesJoined(strings), ...values)

/** The joined strings of each template in the source, kept since it is first rendered. */
const JOINED = new WeakMap<TemplateStringsArray, TemplateStringsArray>()

/** Stands for an interpolated value while the strings are one text. */
const VALUE = '\0'

/** A break within a tag. */
const BREAK_IN_TAG = /\n +(?=[^<>]*>)/g

/** A break between such lines, with the tag before it and the beginning of the tag after it. */
const BREAK =
  /(?<tag><(?<end>\/?)(?<name>\w+)[^<>]*>)?\n(?: +|(?<=\n +[^\n]*\n)(?=<\/))(?=(?<next><\/?)?(?<nextName>\w*)(?<last>$)?)/g

function withLinesJoined(strings: TemplateStringsArray): TemplateStringsArray {
  const broken = strings.join(VALUE).replace(BREAK_IN_TAG, ' ')
  const text = broken.replace(BREAK, (...match) => {
    const { tag = '', end, name, next, nextName, last } = match.at(-1)
    const isInside = (end === '' && !VOID.has(name)) || next === '</'
    const isByBlock = isBlock(name) || (next === '<' && isBlock(nextName))
    return isInside || isByBlock || last === '' ? tag : `${tag} `
  })
  const joined = Object.assign(text.split(VALUE), { raw: strings.raw })
  JOINED.set(strings, joined)
  return joined
}

/** Elements of text: white space between them is seen. */
const INLINE = new Set(
  'a audio b bdi button code img input label q s select span svg time video'.split(' '),
)

/** Elements of text without content. */
const VOID = new Set(['img', 'input'])

const isBlock = (name: string | undefined): boolean => name !== undefined && !INLINE.has(name)
