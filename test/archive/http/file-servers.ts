// Starts the file servers of other projects on an archive's folder.
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, untilListening } from '../../support/listen.ts'
import { childEnvironment, endProcess, findProgram } from '../../support/programs.ts'
import { released, temporaryFolder } from '../../support/release.ts'

const python3 = findProgram('python3')
const busybox = findProgram('busybox')
const nginx = findProgram('nginx')

export const PROGRAMS = [
  program('python3 -m http.server', python3, (dir, port) => [
    ...['-m', 'http.server', '--bind', '127.0.0.1', '--directory', dir, `${port}`],
  ]),
  program('busybox httpd', busybox, (dir, port) => [
    ...['httpd', '-f', '-p', `127.0.0.1:${port}`, '-h', dir],
  ]),
  program('nginx', nginx, (dir, port, temporary) => nginxArguments(dir, port, temporary, '')),
  program('nginx without keep-alive', nginx, (dir, port, temporary) =>
    nginxArguments(dir, port, temporary, 'keepalive_timeout 0;'),
  ),
]

/** @param path undefined if it is not installed @param words its arguments to serve a folder */
function program(
  name: string,
  path: string | undefined,
  words: (dir: string, port: number, temporary: string) => string[],
) {
  return {
    name,
    path,
    async start(dir: string) {
      const temporary = temporaryFolder()
      const port = await freePort()
      const options = { env: childEnvironment(), stdio: 'ignore' } as const
      const child = spawn(path as string, words(dir, port, temporary), options)
      released(() => endProcess(child, 'SIGTERM'))
      await untilListening(port, child)
      return `http://127.0.0.1:${port}`
    },
  }
}

/** Writes a configuration like that of a distribution, with more directives for the server. */
function nginxArguments(dir: string, port: number, root: string, more: string): string[] {
  // The workers of nginx may run as another user.
  chmodSync(root, 0o755)
  const temporary = join(root, 'temporary')
  mkdirSync(temporary)
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const configuration = `daemon off;
pid ${root}/nginx.pid;
error_log ${root}/error.log;
events {}
http {
  access_log off;
  ${kinds.map((kind) => `${kind}_temp_path ${temporary};`).join('\n  ')}
  types { text/html html; application/json json; image/png png; video/mp4 mp4; }
  gzip on;
  gzip_types application/json text/plain;
  server { listen 127.0.0.1:${port}; root ${dir}; ${more} }
}
`
  writeFileSync(join(root, 'nginx.conf'), configuration)
  return ['-c', join(root, 'nginx.conf'), '-p', root]
}
