// The environment: every wrong value stops the start with a line that names variable and rule.
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../server/config.ts'

test('an empty environment gives the documented defaults', () => {
  expect(readConfig({})).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    baseUrl: undefined,
    dataDir: resolve('data'),
    database: resolve('data/daysignal.sqlite'),
    archiveDir: resolve('data/transmissions'),
    schedule: '5 0 * * *',
    forcedModes: { readOnly: false, disabled: [] },
    quotas: {
      messages_origin_minute: 300,
      messages_global_minute: 1200,
      messages_global_day: 50_000,
      directories_origin_hour: 100,
      directories_global_day: 2000,
    },
    logLevel: 'info',
  })
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
    archiveDir: '/srv/archive',
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
  ['SCHEDULE', 'daily'],
  ['READ_ONLY', 'yes'],
  ['DISABLED_FEATURES', 'messages,mesages'],
  ['LIMIT_MESSAGES_GLOBAL_DAY', '1.5'],
  ['LIMIT_DIRECTORIES_ORIGIN_HOUR', '-3'],
  ['TRUST_PROXY', '10.0.0.0/99'],
  ['TRUST_PROXY', '10.0.0.0/8/9'],
  ['BASE_URL', 'http://:secret@day.example/'],
  ['FFMPEG_PATH', '/nowhere/ffmpeg'],
  ['LOG_LEVEL', 'loud'],
  ['DATABASE_URL', 'mysql://x/y'],
])('%s=%s is refused by a line that names it', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name}: .+`))
})
