// Forty texts that try to escape their box on a page: by markup, URLs, text direction, stacked combining marks, length,
// and characters that look like control characters.

const MARKS = '\u0300\u0301\u0302\u0303\u0308\u030a\u030b\u030c\u0323\u0330\u0338\u20dd'

/** A letter with many combining marks above and below it. */
const marked = (letter: string, marks: number): string =>
  letter + MARKS.repeat(Math.ceil(marks / MARKS.length)).slice(0, marks)

export const HOSTILE_TEXTS: readonly string[] = [
  // Tags.
  '<script>window.broken=1</script>',
  '</div></article></main><script>window.broken=1</script>',
  '<img src=x onerror="window.broken=1">',
  '<svg onload="window.broken=1"><path d="M0 0"/></svg>',
  '<style>*{display:none!important}</style>',
  '<base href="https://example.com/"><meta http-equiv="refresh" content="0;url=https://example.com/">',
  '<iframe srcdoc="<script>parent.broken=1</script>"></iframe>',
  '<!-- <title></title> --><![CDATA[ ]]><?php ?>',
  '<textarea><plaintext><xmp><noscript>',
  '<template shadowrootmode="open"><slot></slot></template><dialog open>x</dialog>',
  // Attributes.
  '" onmouseover="window.broken=1" x="',
  "' autofocus onfocus='window.broken=1' x='",
  '`onclick=window.broken=1`',
  '" style="position:fixed;inset:0" class="brand" id="main',
  '&quot;&#34;&#x22; onload=&#39;window.broken=1&#39; &lt;b&gt; &amp;amp; &nosuch;',
  '\u0024{window.broken=1} {{constructor.constructor("window.broken=1")()}} <%= 1 %> #{1}',
  // Addresses.
  'javascript:window.broken=1',
  'java\tscript:window.broken=1',
  'data:text/html,<script>window.broken=1</script>',
  '//example.com/@daysignal ../../../etc/passwd %2e%2e%2f %00',
  `https://example.org/${'a'.repeat(1_900)}`,
  'https://example.org/?q="onclick="window.broken=1"#</a><a>',
  // Directions of text.
  '\u202eright to left override that nobody ends',
  '\u202d\u202e\u202d\u202eoverrides in overrides\u202c',
  '\u2066\u2067\u2068isolates that nobody ends',
  '\u2069\u2069\u2069\u202c\u202cends of what never began',
  `\u200f\u061cmarks \u200e${'\u05d0'.repeat(30)} 123 (abc) \u05d1`,
  `\u0645\u0631\u062d\u0628\u0627 <b>${'\u0645'.repeat(200)}</b> 2026-11-20`,
  // Stacks of marks, and glyphs that are high or wide.
  marked('Z', 200),
  [...'H\u00e4mostasis'].map((letter) => marked(letter, 40)).join(''),
  `${marked('a', 60)}\n${marked('b', 60)}\n${marked('c', 60)}`,
  `\u0e01${'\u0e49'.repeat(180)} \ua9c4${'\ua9bf'.repeat(90)}`,
  `${'\ufdfd'.repeat(30)} \u{12031}\u{12031} \u0bf5 \ua9c5 \u{1242b}`,
  // Length.
  'W'.repeat(16_384),
  `${'\u00ad'.repeat(4_000)}soft`,
  'a\n'.repeat(4_000),
  `${'\u{1f9d4}\u{1f3ff}\u200d\u2642\ufe0f\u200d'.repeat(300)}\u{1f994}`,
  // What looks like control characters.
  '\u2400\u241b[31m \u200b\u200c\u200d\u2060\ufeff\u180e x',
  'a\u2028b\u2029c \u{e0001}\u{e0041}\u{e007f} \ufff9\ufffa\ufffb',
  '\n\n\r\n\t  \u3164\u115f\u2800 . \u00a0',
]

const encoder = new TextEncoder()

/** The longest beginning of a text that fits the limits of a field. */
export function cutTo(
  text: string,
  { bytes, characters }: { bytes: number; characters: number },
): string {
  const few = [...text].slice(0, characters).join('')
  return few.slice(0, encoder.encodeInto(few, new Uint8Array(bytes)).read)
}

/** A text on one line, as required of a title and a label. */
export const asLine = (text: string, limits: { bytes: number; characters: number }): string =>
  cutTo(text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' '), limits)
