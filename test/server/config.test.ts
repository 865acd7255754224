// Tests the configuration: an invalid value fails with one line that names the variable and its rule (OPERATING.md 2.1, 2.2).
// Rules: FORMAT.md 16.3; WRITING.md 1.11; API.md 9.13; OPERATING.md 2.1-2.2.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readPipelineConfig } from '../../pipeline/config.ts'
import { readConfig } from '../../server/config.ts'
import { nameOfDatabase } from '../../server/database/open.ts'
import { parsePostgresUrl } from '../../server/database/postgres/url.ts'
import { temporaryFolder } from '../support/release.ts'

const folder = temporaryFolder()
const at = (path: string) => join(folder, path)

test('an empty environment results in the documented defaults', () => {
  expect(readConfig({})).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    baseUrl: undefined,
    dataDir: resolve('data'),
    database: resolve('data/daysignal.sqlite'),
    archive: { dir: resolve('data/transmissions') },
    schedule: '5 0 * * *',
    forcedModes: { readOnly: false, disabled: [] },
    logLevel: 'info',
  })
})

test('the location of an object store is read from ARCHIVE_URL and the AWS variables', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' }
  const env = { ARCHIVE_URL: 's3://bucket/town', MEDIA_REDIRECT: '1', ...keys }
  const config = readConfig(env)
  expect(config).toMatchObject({
    archive: { bucket: 'bucket', prefix: 'town' },
    mediaRedirect: true,
  })
  expect(config.pipelineEnvironment).toMatchObject(env)
  expect(() => readConfig({ ...env, ARCHIVE_DIR: '/srv/archive' })).toThrow(/^ARCHIVE_URL: /)
  expect(() => readConfig({ ARCHIVE_URL: 's3://bucket' })).toThrow(/^AWS_ACCESS_KEY_ID: /)
  expect(() => readConfig({ MEDIA_REDIRECT: '1' })).toThrow('MEDIA_REDIRECT: needs ARCHIVE_URL')
})

test('every variable is read', () => {
  expect(
    readConfig({
      HOST: '0.0.0.0',
      PORT: '8080',
      BASE_URL: 'https://day.example/board/',
      DATA_DIR: '/srv/day',
      ARCHIVE_DIR: '/srv/archive',
      SCHEDULE: 'off',
      READ_ONLY: '1',
      DISABLED_FEATURES: 'transmissions, messages',
      LIMIT_MESSAGES_ORIGIN_MINUTE: '0',
      LOG_LEVEL: 'warn',
    }),
  ).toMatchObject({
    host: '0.0.0.0',
    port: 8080,
    baseUrl: 'https://day.example/board',
    database: '/srv/day/daysignal.sqlite',
    archive: { dir: '/srv/archive' },
    schedule: undefined,
    forcedModes: { readOnly: true, disabled: ['messages', 'transmissions'] },
    quotas: { messages_origin_minute: 0 },
    logLevel: 'warn',
  })
})

test.each([
  ['PORT', '80a'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['BASE_URL', 'day.example'],
  ['BASE_URL', 'ftp://day.example'],
  ['BASE_URL', 'http://me@day.example'],
  ['SCHEDULE', 'daily'],
  ['READ_ONLY', 'yes'],
  ['DISABLED_FEATURES', 'messages,mesages'],
  ['LIMIT_MESSAGES_GLOBAL_DAY', '1.5'],
  ['LIMIT_DIRECTORIES_ORIGIN_HOUR', '-3'],
  ['LIMIT_DIRECTORIES_GLOBAL_DAY', '1000000000000000'],
  ['TRUST_PROXY', '10.0.0.0/99'],
  ['TRUST_PROXY', '10.0.0.0/8/9'],
  ['BASE_URL', 'http://:secret@day.example/'],
  ['LOG_LEVEL', 'loud'],
  ['DATABASE_URL', 'mysql://x/y'],
  ['DATABASE_URL', 'file:/srv/100%.sqlite'],
  ['DATABASE_URL', 'sqlite::memory:'],
  ['DATABASE_URL', ':memory:'],
  ['DATABASE_URL', 'file::memory:?cache=shared'],
  ['DATABASE_URL', 'sqlite:file::memory:'],
  ['DATABASE_URL', 'file:board.sqlite?mode=memory'],
  ['DATABASE_URL', 'postgres:'],
  ['DATABASE_URL', 'postgres://me:secret@:5432/x'],
  ['DATABASE_URL', 'postgres://me:secret@host:65536/x'],
  ['DATABASE_URL', 'postgres://me:secret@host/x?sslmode=require'],
  ['DATABASE_URL', 'postgres://me:secret@host/x?sslmode=verify-full&sslrootcert=/nowhere'],
  ['DATABASE_URL', 'postgres://me:secret@host/x?options=-c'],
])('%s=%s fails with a line that names the variable', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name}: .+`))
})

test.each([
  ['the data folder', at('d'), at('d')],
  ['the data folder in another spelling', at('d'), `${folder}/x/../d/`],
  ['a folder that contains the data folder', at('a/b/d'), at('a')],
  ['the root', at('d'), '/'],
  ['a link to the data folder', at('real'), at('link')],
  ['a folder within a link to the data folder', at('real/d'), at('link/d')],
  ['the folder of DATABASE_URL', at('d'), at('base'), `sqlite:${at('base/x.sqlite')}`],
])('ARCHIVE_DIR must not be %s', (_what, DATA_DIR, ARCHIVE_DIR, DATABASE_URL = '') => {
  mkdirSync(at('real'), { recursive: true })
  rmSync(at('link'), { force: true })
  symlinkSync('real', at('link'))
  const env = { DATA_DIR, ARCHIVE_DIR, DATABASE_URL }
  const line = /^ARCHIVE_DIR: must not be or contain the folder of the database: [^\n]+$/
  expect(() => readConfig(env)).toThrow(line)
  expect(() => readPipelineConfig(env, process.versions, 2)).toThrow(line)
})

test('ARCHIVE_DIR may be in the data folder, next to it, or have a similar name', () => {
  for (const [data, archive] of [
    ['d', 'd/archive'],
    ['d', 'e'],
    ['d', 'd-archive'],
    ['dd', 'd'],
  ] as const)
    expect(() => readConfig({ DATA_DIR: at(data), ARCHIVE_DIR: at(archive) })).not.toThrow()
})

test.each([
  ['file:///srv/a%20b.sqlite', '/srv/a b.sqlite'],
  ['sqlite:/srv/a%20b.sqlite', '/srv/a%20b.sqlite'],
  ['/srv/a%20b.sqlite', '/srv/a%20b.sqlite'],
])('DATABASE_URL=%s names the file %s', (url, file) => {
  expect(readConfig({ DATABASE_URL: url }).database).toBe(file)
})

test('a PostgreSQL URL may name several hosts and is shown without user and password', () => {
  const url = 'postgres://me:p%40ss@one,[::1]:5433/day?sslmode=no-verify'
  const { database } = readConfig({ DATABASE_URL: url })
  expect(database).toBe(url)
  expect(nameOfDatabase(database)).toBe('one:5432,[::1]:5433/day')
  expect(parsePostgresUrl(url)).toEqual({
    hosts: [
      { host: 'one', port: 5432 },
      { host: '::1', port: 5433 },
    ],
    user: 'me',
    password: 'p@ss',
    database: 'day',
    ssl: { rejectUnauthorized: false },
  })
})

test('the environment sets the log’s name and key, and BASE_URL the default name', () => {
  const named = (env: Record<string, string>) => {
    const { logOrigin, defaultLogOrigin, signingKeyFile } = readPipelineConfig(
      env,
      process.versions,
      1,
    )
    return { logOrigin, defaultLogOrigin, signingKeyFile }
  }
  expect(named({})).toEqual({
    logOrigin: undefined,
    defaultLogOrigin: 'localhost/transmissions',
    signingKeyFile: resolve('data/signing.key'),
  })
  const base = { BASE_URL: 'https://example.org:8443/board/', SIGNING_KEY_FILE: 'keys/k' }
  expect(named({ ...base, LOG_ORIGIN: 'log.example' })).toEqual({
    logOrigin: 'log.example',
    defaultLogOrigin: 'example.org:8443/board/transmissions',
    signingKeyFile: resolve('keys/k'),
  })
})

test.each<[name: string, value: string, rule: string]>([
  ['LOG_ORIGIN', 'a b', 'must not have '],
  ['LOG_ORIGIN', 'a+b', 'must not have '],
  ['LOG_ORIGIN', 'a\tb', 'must not have '],
  ['LOG_ORIGIN', 'a\u00a0b', 'must not have '],
  ['LOG_ORIGIN', 'a\u0085b', 'must not have '],
  ['SIGNING_KEY_FILE', process.execPath, '.* must be an Ed25519 key, as PKCS #8 in PEM$'],
  ['SIGNING_KEY_FILE', at('public/keys/signing.key'), 'must not be in ARCHIVE_DIR'],
])('%s must not be %j: %s', (name, value, rule) => {
  const env = { DATA_DIR: at('d'), ARCHIVE_DIR: at('public'), [name]: value }
  expect(() => readConfig(env)).toThrow(new RegExp(`^${name}: ${rule}`))
})

test('MIRRORS is a list of addresses that can stand in a crontab', () => {
  const mirrorsOf = (MIRRORS: string) => readConfig({ MIRRORS }).mirrors
  expect(readConfig({}).mirrors).toEqual([])
  expect(mirrorsOf(' https://a.example/copy/, http://[::1]:8080 ,')).toEqual([
    'https://a.example/copy',
    'http://[::1]:8080',
  ])
  expect(() => mirrorsOf('a.example')).toThrow(/^MIRRORS: must be an http or https address/)
  for (const path of ["'", '$(id)', '%20', '&', ';', '`id`'])
    expect(() => mirrorsOf(`https://a.example/${path}`)).toThrow(/^MIRRORS: .* must consist of /)
})
