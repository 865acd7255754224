// The alert rules of server/deploy: each fires on what a real server's metrics say in that state, and on nothing else.
// Rules: API.md 10.2; COMMANDS.md 6.8; OPERATING.md 10.2.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseNote } from '../../../archive/log/note.ts'
import { makeDays, publishSigned } from '../../archive/mirror/signed-archive.ts'
import { vkeyOf } from '../../archive/signing.ts'
import { ROOT } from '../../support/imports.ts'
import { freePort } from '../../support/listen.ts'
import { operator } from '../../support/operator.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { findProgram } from '../../support/programs.ts'
import { released, temporaryFolder } from '../../support/release.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'
import { until } from '../../support/time.ts'
import { startWitness, type Witness } from '../../support/witness.ts'

const RULES = join(ROOT, 'server/deploy/prometheus-alerts.yml')
const NAMES = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
const promtool = findProgram('promtool')

const HOUR = 9
const NOW = `2026-11-03T0${HOUR}:00:00Z`
const MINUTES = HOUR * 60

/** Samples by their names with labels. */
type Scrape = Map<string, number>

const clock = clockAt(NOW)
let service: TestService
let witnesses: Witness[]
let backups: string
let port: number

/** Starts a board on which all is well: yesterday is sealed and witnessed, and there is a backup. */
async function startHealthy(): Promise<void> {
  const folder = temporaryFolder()
  const policy = join(folder, 'policy')
  backups = temporaryFolder()
  witnesses = [await startWitness('w/1', 2, vkeyOf(1)), await startWitness('w/2', 3, vkeyOf(1))]
  for (const witness of witnesses) {
    witness.now = Date.parse(NOW) / 1000
    released(() => witness.close())
  }
  const lines = witnesses.map(({ vkey, url }, i) => `witness w${i} ${vkey} ${url}\n`).join('')
  writeFileSync(policy, `${lines}group q all w0 w1\nquorum q\n`)
  port = await freePort()
  service = await startTestService({ WITNESS_POLICY: policy, METRICS_PORT: String(port) }, clock)
  await publishSigned(service.archiveDir, makeDays(2))
  sign(witnesses)
  await service.publish.directory('lab')
  await backUp()
}

async function backUp(): Promise<void> {
  const { code, err } = await operator(service, ['backup', backups, '--keep', '2'], { clock })
  expect([code, err]).toEqual([0, ''])
}

/** Leaves the lines of these witnesses on the checkpoint. */
function sign(signing: Witness[]): void {
  const path = join(service.archiveDir, 'checkpoint')
  const { text } = parseNote(readFileSync(path))
  const own = readFileSync(path, 'utf8').split('\n').slice(0, 5).join('\n')
  overwriteFile(path, `${own}\n${signing.map((witness) => witness.cosign(text)).join('')}`)
}

async function scrape(at = port): Promise<Scrape> {
  const text = await (await fetch(`http://127.0.0.1:${at}/metrics`)).text()
  const samples = text.split('\n').filter((line) => line.startsWith('daysignal_'))
  return new Map(
    samples.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

/**
 * Returns the alerts that fire at NOW's hour, if the metrics were as in the first scrape, and in the last minutes as in
 * the second.
 * @param more series in the notation of promtool
 */
function firing(before: Scrape, after: Scrape, minutes: number, more: string[] = []): string[] {
  const midnight = clock.now() / 1000 - HOUR * 3600
  // The clock of promtool begins in 1970.
  const value = (name: string, scrape: Scrape) => {
    const found = scrape.get(name)
    if (found === undefined) return '_'
    return /^daysignal_last_/.test(name) ? found - midnight : found
  }
  const labelled = (name: string) =>
    name.includes('{') ? name.replace('}', ',instance="a"}') : `${name}{instance="a"}`
  const series = [...new Set([...before.keys(), ...after.keys()])].map((name) => {
    const [first, last] = [value(name, before), value(name, after)]
    const samples = (level: number | string, times: number) =>
      times < 0 ? '' : level === '_' ? `_x${times + 1}` : `${level}+0x${times}`
    return `    - series: '${labelled(name)}'\n      values: '${samples(first, MINUTES - minutes - 1)} ${samples(last, minutes)}'`
  })
  const file = join(temporaryFolder(), 'test.yml')
  const asked = NAMES.map(
    (name) => `    - eval_time: ${HOUR}h\n      alertname: ${name}\n      exp_alerts: []`,
  )
  writeFileSync(
    file,
    `rule_files: [${RULES}]\ntests:\n- interval: 1m\n  input_series:\n${[...series, ...more].join('\n')}\n  alert_rule_test:\n${asked.join('\n')}\n`,
  )
  const { stdout, stderr } = spawnSync(promtool as string, ['test', 'rules', file], {
    encoding: 'utf8',
  })
  const output = stdout + stderr
  expect(output).toMatch(/SUCCESS|got:/)
  return [...output.matchAll(/Labels:\{alertname="(\w+)"/g)].map(([, name = '']) => name)
}

describe.skipIf(!promtool)('alerts', () => {
  let healthy: Scrape
  beforeAll(async () => {
    await startHealthy()
    healthy = await scrape()
  })

  test('the rules are valid', () => {
    execFileSync(promtool as string, ['check', 'rules', RULES], { stdio: 'pipe' })
  })

  test('none fires while all is well', () => {
    expect(firing(healthy, healthy, 5)).toEqual([])
  })

  test('a disk that is nearly full, and a server that does not answer', () => {
    const disk = (name: string, bytes: number) =>
      `    - series: 'node_filesystem_${name}_bytes{mountpoint="/",fstype="ext4"}'\n      values: '${bytes}+0x${MINUTES}'`
    const up = `    - series: 'up{job="daysignal"}'\n      values: '0+0x${MINUTES}'`
    const more = [disk('avail', 9), disk('size', 100)]
    expect(firing(healthy, healthy, 5, more)).toEqual(['DaysignalDiskNearlyFull'])
    expect(firing(healthy, healthy, 5, [disk('avail', 11), disk('size', 100)])).toEqual([])
    expect(firing(healthy, healthy, 5, [up])).toEqual(['DaysignalDown'])
  })

  test('a log that too few witnesses have signed for three hours', async () => {
    sign(witnesses.slice(1))
    const unwitnessed = await scrape()
    sign(witnesses)
    expect(firing(healthy, unwitnessed, MINUTES - 1)).toEqual(['DaysignalNotWitnessed'])
    expect(firing(healthy, unwitnessed, 60)).toEqual([])
  })

  test('an archive that cannot be read', async () => {
    renameSync(service.archiveDir, `${service.archiveDir}.away`)
    const away = await scrape()
    renameSync(`${service.archiveDir}.away`, service.archiveDir)
    expect(firing(healthy, away, 5)).toEqual(['DaysignalArchiveAway'])
  })

  test('a clock that is wrong, and what it refuses, the first time too', async () => {
    clock.step('2030-01-01T00:00:00Z')
    await service.client.post('/api/v1/messages', { directory: 'lab', body: 'b' })
    const wrong = await scrape()
    clock.step(NOW)
    expect(firing(healthy, wrong, 5)).toEqual(['DaysignalClockWrong', 'DaysignalWritesRefused'])
    await service.client.post('/api/v1/messages', { directory: 'lab', body: 'b' })
  })

  test('a day that is not sealed, and a backup that is older than a day', async () => {
    clock.passTo('2026-11-04T09:00:00Z')
    await backUp()
    const unsealed = await scrape()
    expect(firing(unsealed, unsealed, 5)).toEqual(['DaysignalDayNotSealed'])
    clock.passTo('2026-11-05T09:00:00Z')
    const old = await scrape()
    expect(firing(old, old, 5)).toEqual(['DaysignalDayNotSealed'])
    clock.passTo('2026-11-06T09:00:00Z')
    const older = await scrape()
    expect(firing(older, older, 5)).toEqual(['DaysignalDayNotSealed', 'DaysignalBackupOld'])
    await backUp()
    expect(readdirSync(backups)).toEqual([
      'daysignal-20261104T090000Z.sqlite',
      'daysignal-20261106T090000Z.sqlite',
    ])
  })

  test('a first day that was never sealed, and a board that was never backed up', async () => {
    const since = clockAt('2026-11-02T12:00:00Z')
    const at = await freePort()
    await startTestService({ METRICS_PORT: String(at) }, since)
    expect((await scrape(at)).get('daysignal_last_sealed_day_seconds')).toBe(
      Date.parse('2026-11-01') / 1000,
    )
    since.passTo(NOW)
    const forgotten = await scrape(at)
    expect(firing(forgotten, forgotten, 5)).toEqual(['DaysignalDayNotSealed', 'DaysignalBackupOld'])
  })

  test('an error of the server', async () => {
    const before = await scrape()
    // Not through the service's own code, which refuses a file without that table.
    const db = new DatabaseSync(service.config.database)
    db.exec('alter table reviews rename to away')
    db.close()
    expect((await service.client.get('/continuity')).status).toBe(500)
    expect(firing(before, await scrape(), 5)).toContain('DaysignalServerErrors')
  })

  test('a database that cannot be read', async () => {
    const before = await scrape()
    const path = service.config.database
    renameSync(path, `${path}.away`)
    const away = await scrape()
    renameSync(`${path}.away`, path)
    expect(firing(before, away, 5)).toContain('DaysignalDatabaseAway')
  })
})

const prometheus = findProgram('prometheus')

test.skipIf(!prometheus)('Prometheus reads a server, and its alert fires', async () => {
  const metricsPort = await freePort()
  const stepped = clockAt(NOW)
  const server = await startTestService({ METRICS_PORT: String(metricsPort) }, stepped)
  await server.publish.directory('lab')
  stepped.step('2030-01-01T00:00:00Z')
  await server.client.post('/api/v1/messages', { directory: 'lab', body: 'b' })
  const folder = temporaryFolder()
  writeFileSync(
    join(folder, 'prometheus.yml'),
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [${RULES}]
scrape_configs:
  - job_name: daysignal
    static_configs: [{ targets: ['127.0.0.1:${metricsPort}'] }]
`,
  )
  const listen = `127.0.0.1:${await freePort()}`
  const child = spawn(
    prometheus as string,
    ['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--web.listen-address=${listen}`],
    { cwd: folder, stdio: 'ignore' },
  )
  try {
    const ask = (path: string) => fetch(`http://${listen}/api/v1/${path}`)
    await until(async () => {
      const answer = await ask('alerts').catch(() => null)
      const text = (await answer?.text()) ?? ''
      return /"alertname":"DaysignalClockWrong"[^}]*\}[^{]*\{[^}]*\}[^}]*"state":"firing"/.test(
        text,
      )
    })
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
})
