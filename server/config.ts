// Reads the service's configuration from the environment and validates it (OPERATING.md 2.1, 2.2).
import { resolve } from 'node:path'
import { validate as isCron } from 'node-cron'
import { MAX_PORT, parseBaseAddress, readVariable } from '../archive/base/base-address.ts'
import { hasKeyFile } from '../archive/base/key-file.ts'
import { readWitnessPolicy, type WitnessPolicy } from '../archive/log/policy-file.ts'
import { readSigningKeys } from '../archive/log/signing-keys.ts'
import type { Env } from './data/environment.ts'
import { type DataConfig, readDataConfig, readLogConfig } from './data/location.ts'
import { isPostgresUrl } from './database/postgres/url.ts'
import { FEATURES, type Feature, type Modes } from './modes/rules.ts'
import { LIMITS, type LimitName, type Quotas } from './publishing/limits.ts'
import { parseTrustedProxies, type TrustedProxies } from './publishing/origin.ts'
import { textWithin } from './wire/text.ts'

export interface Config extends DataConfig {
  host: string
  port: number
  /** The port that serves GET /metrics; undefined to serve no metrics. */
  metricsPort: number | undefined
  /** Without a trailing slash; undefined means the address that the server listens on. */
  baseUrl: string | undefined
  /** How readers reach the operator: a line of text or an address; undefined if none is given. */
  operatorContact: string | undefined
  /** The addresses of mirrors, which the page of days names; without a trailing slash. */
  mirrors: readonly string[]
  /** The witnesses of the log (WITNESS_POLICY); null for none. */
  witnessPolicy: WitnessPolicy | null
  /** A cron expression in UTC, or undefined for `off`. */
  schedule: string | undefined
  /** Whether a run publishes several days newest first. Only the demo sets it; no variable does. */
  newestFirst: boolean
  forcedModes: Modes
  quotas: Quotas
  trustedProxies: TrustedProxies
  /** Whether programs that request media files are redirected to the object store. */
  mediaRedirect: boolean
  /** The name of a log that begins now; undefined unless BASE_URL or LOG_ORIGIN is set. */
  newLogOrigin: string | undefined
  /** The private key that signs the log of days and receipts; the file may be missing. */
  signingKeyFile: string
  logLevel: string
  /** The environment of a pipeline run: the same variables, with absolute paths. */
  pipelineEnvironment: Env
}

/** The largest integer of a structured field (RFC 9651 section 3.3.1): RateLimit-Policy states the quota. */
const MAX_QUOTA = 999_999_999_999_999

const CONTACT = textWithin({ lines: 'one', max: 200, mayBeBlank: false })

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** @throws Error that names the variable and its rule; SettingError for WITNESS_POLICY */
export function readConfig(env: Env): Config {
  const data = readDataConfig(env)
  const { signingKeyFile, logOrigin, defaultLogOrigin } = readLogConfig(env, data)
  // Only runs use the key, and a missing one is created by the first. A bad one is to fail the start, not each night.
  if (env.SIGNING_KEY_FILE && hasKeyFile(signingKeyFile)) readSigningKeys(signingKeyFile)
  return {
    ...data,
    host: env.HOST || '127.0.0.1',
    ...ports(env),
    baseUrl: baseUrl(env.BASE_URL),
    operatorContact: contact(env.OPERATOR_CONTACT),
    mirrors: mirrors(env.MIRRORS ?? ''),
    witnessPolicy: readWitnessPolicy(env.WITNESS_POLICY),
    schedule: schedule(env.SCHEDULE || '5 0 * * *'),
    newestFirst: false,
    forcedModes: {
      readOnly: flag(env, 'READ_ONLY'),
      disabled: features(env.DISABLED_FEATURES ?? ''),
    },
    quotas: quotas(env),
    trustedProxies: readVariable('TRUST_PROXY', () => parseTrustedProxies(env.TRUST_PROXY ?? '')),
    mediaRedirect: mediaRedirect(env, data),
    newLogOrigin: logOrigin ?? (env.BASE_URL ? defaultLogOrigin : undefined),
    signingKeyFile,
    logLevel: logLevel(env.LOG_LEVEL || 'info'),
    pipelineEnvironment: {
      ...env,
      DATA_DIR: data.dataDir,
      DATABASE_URL: isPostgresUrl(data.database) ? data.database : `sqlite:${data.database}`,
      ...('dir' in data.archive && { ARCHIVE_DIR: data.archive.dir }),
      SIGNING_KEY_FILE: signingKeyFile,
      ...(env.WITNESS_POLICY && { WITNESS_POLICY: resolve(env.WITNESS_POLICY) }),
    },
  }
}

function wholeNumber(env: Env, name: string, byDefault: number, max: number): number {
  const text = env[name]
  if (!text) return byDefault
  if (!/^(?:0|[1-9][0-9]{0,15})$/.test(text) || Number(text) > max)
    throw new Error(`${name}: must be a whole number from 0 to ${max}`)
  return Number(text)
}

function ports(env: Env): Pick<Config, 'port' | 'metricsPort'> {
  const port = wholeNumber(env, 'PORT', 3000, MAX_PORT)
  if (!env.METRICS_PORT) return { port, metricsPort: undefined }
  const metricsPort = wholeNumber(env, 'METRICS_PORT', 0, MAX_PORT)
  if (metricsPort === port && port !== 0) throw new Error('METRICS_PORT: must differ from PORT')
  return { port, metricsPort }
}

function flag(env: Env, name: string): boolean {
  const text = env[name] || '0'
  if (text !== '0' && text !== '1') throw new Error(`${name}: must be 1 or 0`)
  return text === '1'
}

function mediaRedirect(env: Env, { archive }: DataConfig): boolean {
  const isOn = flag(env, 'MEDIA_REDIRECT')
  if (isOn && 'dir' in archive) throw new Error('MEDIA_REDIRECT: needs ARCHIVE_URL')
  return isOn
}

function logLevel(text: string): string {
  if (!LOG_LEVELS.includes(text))
    throw new Error(`LOG_LEVEL: must be one of ${LOG_LEVELS.join(', ')}`)
  return text
}

function baseUrl(text: string | undefined): string | undefined {
  if (!text) return undefined
  return readVariable('BASE_URL', () => parseBaseAddress(text))
}

function contact(text: string | undefined): string | undefined {
  if (!text) return undefined
  if (!CONTACT.safeParse(text).success)
    throw new Error('OPERATOR_CONTACT: must be one line of at most 200 characters')
  return text
}

/** The characters of an address that mean nothing to a shell or in a crontab. */
const PLAIN_ADDRESS = /^[A-Za-z0-9.:/_~[\]-]+$/

function mirrors(list: string): string[] {
  const addresses = partsOf(list).map((text) =>
    readVariable('MIRRORS', () => parseBaseAddress(text)),
  )
  const special = addresses.find((address) => !PLAIN_ADDRESS.test(address))
  if (special !== undefined)
    throw new Error(`MIRRORS: ${special} must consist of letters, digits and . : / _ ~ [ ] -`)
  return addresses
}

function schedule(text: string): string | undefined {
  if (text === 'off') return undefined
  if (!isCron(text)) throw new Error('SCHEDULE: must be a cron expression (UTC) or off')
  return text
}

function features(list: string): Feature[] {
  const names = partsOf(list)
  const unknown = names.find((name) => !(FEATURES as readonly string[]).includes(name))
  if (unknown !== undefined)
    throw new Error(`DISABLED_FEATURES: ${unknown} is not one of ${FEATURES.join(', ')}`)
  return FEATURES.filter((name) => names.includes(name))
}

/** The items of a list that are joined by commas. */
function partsOf(list: string): string[] {
  return list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function quotas(env: Env): Quotas {
  const names = Object.keys(LIMITS) as LimitName[]
  return Object.fromEntries(
    names.map((name) => [
      name,
      wholeNumber(env, `LIMIT_${name.toUpperCase()}`, LIMITS[name].byDefault, MAX_QUOTA),
    ]),
  ) as Quotas
}
