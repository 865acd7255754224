// Starts nginx with the configuration of server/deploy, on a free port and in a temporary folder.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/listen.ts'
import { endProcess } from '../support/programs.ts'
import { released, temporaryFolder } from '../support/release.ts'
import { until } from '../support/time.ts'

const CONFIG = new URL('../../server/deploy/nginx.conf', import.meta.url)

export interface Nginx {
  url: string
  /** The folder of the cache. */
  cache: string
  /** Returns how many responses are cached. */
  copies(): number
  /** Returns how the cache was used for each request of a path so far: MISS, HIT, EXPIRED and so on. */
  cacheUses(path: string): string[]
  /** Returns the log that operators have. */
  requests(): string
}

/**
 * @param program path of nginx
 * @param upstreams addresses of the services, such as 127.0.0.1:3000
 * @param more directives of another file of conf.d
 */
export async function startNginx(
  program: string,
  upstreams: readonly string[],
  more = '',
): Promise<Nginx> {
  const folder = temporaryFolder()
  const port = await freePort()
  writeFileSync(join(folder, 'site.conf'), siteOf(folder, port, upstreams))
  writeFileSync(join(folder, 'nginx.conf'), mainOf(folder, more))
  const child = spawn(program, ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')])
  released(() => endProcess(child, 'SIGTERM'))
  const url = `http://127.0.0.1:${port}`
  const isUp = () => fetch(url).then(Boolean, () => false)
  await until(async () => child.exitCode !== null || (await isUp()))
  if (child.exitCode !== null) throw new Error(readFileSync(join(folder, 'error.log'), 'utf8'))
  const cache = join(folder, 'daysignal')
  return {
    url,
    cache,
    copies: () =>
      readdirSync(cache, { recursive: true, withFileTypes: true }).filter((item) => item.isFile())
        .length,
    cacheUses: (path) =>
      readFileSync(join(folder, 'access.log'), 'utf8')
        .split('\n')
        .flatMap((line) => (line.startsWith(`${path} `) ? line.slice(path.length + 1) : [])),
    requests: () => readFileSync(join(folder, 'requests.log'), 'utf8'),
  }
}

/** Returns a configuration that includes that of server/deploy, and logs how the cache is used. */
const mainOf = (folder: string, more: string) => `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
pid ${folder}/pid;
error_log ${folder}/error.log;
events {}
http {
  log_format uses '$uri $upstream_cache_status';
  access_log ${folder}/access.log uses;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/1;
  uwsgi_temp_path ${folder}/2;
  scgi_temp_path ${folder}/3;
  include ${folder}/site.conf;
  ${more}
}`

/** Returns the configuration of server/deploy with other addresses and folders. */
function siteOf(folder: string, port: number, upstreams: readonly string[]): string {
  const servers = upstreams.map((address) => `server ${address} fail_timeout=1s;`).join('\n  ')
  return [
    ['server 127.0.0.1:3000 fail_timeout=1s;', servers],
    // nginx creates only the last folder of the cache's path.
    ['/var/cache/', `${folder}/`],
    ['listen 80;', `listen 127.0.0.1:${port};`],
    ['listen [::]:80;', ''],
    [
      'access_log /var/log/nginx/access.log daysignal;',
      `access_log ${folder}/access.log uses; access_log ${folder}/requests.log daysignal;`,
    ],
  ].reduce(
    (text, [from = '', to = '']) => {
      if (!text.includes(from)) throw new Error(`nginx.conf has no ${from}`)
      return text.replace(from, to)
    },
    readFileSync(CONFIG, 'utf8'),
  )
}
