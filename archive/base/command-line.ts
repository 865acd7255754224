// The command lines of all programs. Each declares its words and options; parsing, types, usage errors and help follow.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { type Command, lineOf, type Terminal, UsageError } from './terminal.ts'
import { wrapped } from './terminal-text.ts'

/** An argument that is not an option. */
export interface Word {
  /** Its name in the help and in errors, such as FILE. */
  name: string
  oneOf?: readonly string[]
  /** Only the last words may be left out. */
  isOptional?: true
  /** Stands for one or more arguments; only the last word may. */
  isRepeated?: true
  /** A sentence for the help. */
  help?: string
}

export interface OptionRule {
  /** The name of its value in the help, such as FILE. An option without is a switch. */
  takes?: string
  isRequired?: true
  /** May be given several times, each time with another value. */
  isRepeated?: true
  /** Whether its value may be empty, which otherwise is that of an unset variable of a script. */
  mayBeEmpty?: true
  /** Parses a value. @throws Error whose message states the violated rule */
  read?: (text: string) => unknown
  /** A sentence for the help. */
  help?: string
  /** Begins a part of the help with these paragraphs. */
  heading?: readonly string[]
}

export type OptionRules = Readonly<Record<string, OptionRule>>

type ValueOf<Rule> = Rule extends { read: (text: string) => infer T } ? T : string

/** The values of options by name. */
export type Values<Rules> = {
  [Name in keyof Rules]: Rules[Name] extends { takes: string }
    ? Rules[Name] extends { isRepeated: true }
      ? ValueOf<Rules[Name]>[]
      : Rules[Name] extends { isRequired: true }
        ? ValueOf<Rules[Name]>
        : ValueOf<Rules[Name]> | undefined
    : boolean
}

/** The arguments of a program, or of one of its commands. */
export interface CommandLine<Rules extends OptionRules = OptionRules, Arguments = unknown> {
  name: string
  words: readonly Word[]
  options: Rules
  /**
   * Turns valid words and options into what the program works with.
   * @param words as many as `words`, or fewer by optional ones; none of them empty
   * @throws UsageError for arguments that do not go together
   */
  prepare(words: string[], options: Values<Rules>): Arguments
}

/** A program with a help of its own. */
export interface ProgramLine<Rules extends OptionRules = OptionRules, Arguments = unknown>
  extends CommandLine<Rules, Arguments> {
  /** What starts it, if not `npm run` with its name. */
  start?: string
  /** The first paragraph of the help. */
  summary: string
  /** The last paragraphs of the help. */
  closing?: readonly string[]
}

/** Declares a program; the types of its options follow from their rules. */
export const programLine = <const Rules extends OptionRules, Arguments>(
  line: ProgramLine<Rules, Arguments>,
): ProgramLine<Rules, Arguments> => line

/** Makes a program of its command line and its work, which returns the exit code. */
export const program = <Rules extends OptionRules, Arguments>(
  line: ProgramLine<Rules, Arguments>,
  work: (args: Arguments, terminal: Terminal) => Promise<number>,
  exitCodeOf?: Command['exitCodeOf'],
): Command => ({
  name: line.name,
  async run(args, terminal) {
    const parsed = parse(line, args)
    if (parsed !== null) return work(parsed.args, terminal)
    terminal.stdout.write(helpOf(line, terminal.start))
    return 0
  },
  ...(exitCodeOf && { exitCodeOf }),
})

/**
 * Parses the arguments of a program.
 * @returns null for `--help`, whatever else is given
 * @throws UsageError
 */
export function parse<Rules extends OptionRules, Arguments>(
  line: CommandLine<Rules, Arguments>,
  args: string[],
): { args: Arguments } | null {
  const { given, words } = split(args, line.options)
  return given.help === true ? null : { args: accept(line, words, given) }
}

/** Options as they were given. */
export type Given = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>

/**
 * Splits arguments into options and words. Accepts `--help` and `-h`, too.
 * @throws UsageError also for a repeated option that is not `isRepeated`, of which parseArgs alone would use the last
 */
export function split(args: string[], rules: OptionRules): { given: Given; words: string[] } {
  const { values, positionals, tokens } = parsed(args, {
    ...Object.fromEntries(
      Object.entries(rules).map(([name, { takes, isRepeated = false }]) => [
        name,
        { type: takes === undefined ? 'boolean' : 'string', multiple: isRepeated },
      ]),
    ),
    help: { type: 'boolean', short: 'h' },
  })
  const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
  const twice = names.find((name, i) => names.indexOf(name) < i && !rules[name]?.isRepeated)
  if (twice !== undefined) throw new UsageError(`--${twice}: is given twice`)
  return { given: values, words: positionals }
}

function parsed(args: string[], options: ParseArgsOptionsConfig) {
  try {
    return parseArgs({ args, options, allowPositionals: true, tokens: true })
  } catch (error) {
    // Only the first sentence states the error; the rest is advice on quoting.
    throw new UsageError((error as Error).message.split(/\.\s/)[0])
  }
}

/** Checks words and options against their rules, and prepares them. @throws UsageError */
export function accept<Rules extends OptionRules, Arguments>(
  line: CommandLine<Rules, Arguments>,
  words: string[],
  given: Given,
): Arguments {
  checkWords(line.words, words)
  return line.prepare(words, readOptions(line.options, given))
}

function checkWords(expected: readonly Word[], words: string[]): void {
  const last = expected.at(-1)
  const repeated = last?.isRepeated ? words.slice(expected.length).map(() => last) : []
  for (const [i, { name, oneOf, isOptional }] of [...expected, ...repeated].entries()) {
    const word = words[i]
    if (word === undefined && isOptional) break
    const rule = oneOf === undefined ? '' : `; must be one of ${oneOf.join(', ')}`
    if (word === undefined) throw new UsageError(`the ${name} is missing${rule}`)
    if (oneOf && word !== '' && !oneOf.includes(word))
      throw new UsageError(`${JSON.stringify(word)} is not a ${name}${rule}`)
  }
  const empty = words.indexOf('')
  if (empty >= 0) throw new UsageError(`the ${(expected[empty] ?? last)?.name} is empty`)
  const extra = words[expected.length]
  if (extra !== undefined && !last?.isRepeated)
    throw new UsageError(`unexpected argument ${JSON.stringify(extra)}`)
}

function readOptions<Rules extends OptionRules>(rules: Rules, given: Given): Values<Rules> {
  const missing = Object.keys(rules).find(
    (name) => rules[name]?.isRequired && given[name] === undefined,
  )
  if (missing !== undefined) throw new UsageError(`--${missing} is missing`)
  const extra = Object.keys(given).find((name) => !Object.hasOwn(rules, name))
  if (extra !== undefined) throw new UsageError(`does not take --${extra}`)
  const values = Object.entries(rules).map(([name, rule]) => [
    name,
    readOption(name, rule, given[name]),
  ])
  return Object.fromEntries(values)
}

function readOption(name: string, rule: OptionRule, given: Given[string]): unknown {
  if (rule.takes === undefined) return given === true
  if (given === undefined) return rule.isRepeated ? [] : undefined
  const values = [given].flat().map((text) => readValue(name, rule, String(text)))
  const twice = values.find((value, i) => values.indexOf(value) < i)
  if (twice !== undefined) throw new UsageError(`--${name}: ${twice} is given twice`)
  return rule.isRepeated ? values : values[0]
}

/** @throws UsageError */
function readValue(name: string, rule: OptionRule, text: string): unknown {
  const { read = (value: string) => value, mayBeEmpty } = rule
  if (text === '' && !mayBeEmpty) throw new UsageError(`--${name}: is empty`)
  try {
    return read(text)
  } catch (error) {
    throw new UsageError(`--${name}: ${lineOf(error)}`)
  }
}

/** The width of every help. */
export const COLUMNS = 80
/** A longer name has a line of its own, before its sentence. */
const MAX_NAME = 14

/** Breaks a paragraph of a help. */
export const paragraph = (text: string, indent = 0): string =>
  wrapped(' '.repeat(indent) + text, COLUMNS, ' '.repeat(indent))

/** Breaks paragraphs. */
const paragraphs = (texts: readonly string[]): string =>
  texts.map((text) => paragraph(text)).join('\n\n')

/** Composes the help of a program. @param start what its user types before the arguments; by default the script of npm */
export function helpOf(line: Omit<ProgramLine, 'prepare'>, start?: string): string {
  const { name, summary, words, options, closing = [] } = line
  const { json, ...others } = options
  const parts: Part[] = [
    { entries: words.flatMap(({ name, help }) => (help === undefined ? [] : [[name, help]])) },
  ]
  for (const [option, { takes, help = '', heading }] of Object.entries(others)) {
    if (heading !== undefined) parts.push({ heading, entries: [] })
    const shown = takes === undefined ? `--${option}` : `--${option} ${takes}`
    parts.at(-1)?.entries.push([shown, help])
  }
  const own: HelpEntry[] = [
    ...(json?.help ? [['--json', json.help] as const] : []),
    ['--version', 'prints the version of the program'],
    ['--help', 'prints this'],
  ]
  if (parts.length > 1) parts.push({ entries: own })
  else parts[0]?.entries.push(...own)
  const names = parts.flatMap(({ entries }) => entries.map(([shown]) => shown.length))
  const width = Math.max(...names.filter((length) => length <= MAX_NAME))
  const optionsOfUsage = Object.keys(options).length > 0 ? ['[options]'] : []
  const arguments_ = [...words.map(usageOf), ...optionsOfUsage].join(' ')
  const script = `${line.start ?? `npm run ${name}`}${arguments_ === '' ? '' : ' --'}`
  return `${[
    paragraph(summary),
    `  ${start ?? script} ${arguments_}`.trimEnd(),
    ...parts.map((part) => formatPart(part, width)),
    ...(closing.length > 0 ? [paragraphs(closing)] : []),
  ].join('\n\n')}\n`
}

const usageOf = ({ name, isOptional, isRepeated }: Word): string => {
  const shown = isRepeated ? `${name}…` : name
  return isOptional ? `[${shown}]` : shown
}

type HelpEntry = readonly [name: string, sentence: string]

interface Part {
  heading?: readonly string[]
  entries: HelpEntry[]
}

function formatPart({ heading, entries }: Part, width: number): string {
  const indent = ' '.repeat(width + 4)
  const lines = entries.map(([name, sentence]) =>
    name.length <= width
      ? wrapped(`  ${name.padEnd(width)}  ${sentence}`, COLUMNS, indent)
      : `  ${name}\n${paragraph(sentence, width + 4)}`,
  )
  return [...(heading === undefined ? [] : [paragraphs(heading), '']), ...lines].join('\n')
}
