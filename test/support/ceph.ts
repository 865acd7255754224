// Starts a temporary Ceph with its S3 gateway for tests: a monitor, an in-memory OSD and the gateway. They run as an
// unprivileged user on free ports of the loopback interface, in one temporary folder, and end with this process.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BucketAccess } from '../../archive/place/location.ts'
import { freePort, untilListening } from './listen.ts'
import { endProcess } from './programs.ts'
import { released } from './release.ts'
import { chownToUser, runAsUser, startAsUser } from './unprivileged.ts'

const PROGRAMS = ['ceph', 'ceph-mon', 'ceph-osd', 'monmaptool', 'radosgw', 'radosgw-admin']

/** Whether Debian's packages ceph-mon, ceph-osd and radosgw are installed. */
export function hasCeph(): boolean {
  return PROGRAMS.every((name) => existsSync(join('/usr/bin', name)))
}

export async function startCeph(): Promise<BucketAccess> {
  const dir = mkdtempSync(join(tmpdir(), 'daysignal-ceph-'))
  for (const name of ['', 'mon', 'run', 'osd', 'rgw']) {
    mkdirSync(join(dir, name), { recursive: true })
    chownToUser(join(dir, name))
  }
  const [monitor, gateway] = [await freePort(), await freePort()]
  const id = randomUUID()
  const settings = join(dir, 'ceph.conf')
  writeFileSync(settings, settingsOf(dir, id, monitor, gateway))
  released(() => rmSync(dir, { recursive: true, force: true }))
  const options = {
    cwd: dir,
    env: { PATH: '/usr/bin:/bin:/usr/sbin', HOME: dir, LC_ALL: 'C.UTF-8' },
  }
  const daemon = (name: string, ...args: string[]) => {
    const command = [name, '-c', settings, ...args, '-f']
    const child = startAsUser(command, join(dir, `${name}.out`), { options })
    released(() => endProcess(child))
    return child
  }
  const tool = (...command: string[]) => runAsUser(command, options)
  const map = join(dir, 'monmap')
  await tool('monmaptool', '--create', '--addv', 'a', `v2:127.0.0.1:${monitor}`, '--fsid', id, map)
  await tool('ceph-mon', '-c', settings, '-i', 'a', '--mkfs', '--monmap', map)
  await untilListening(monitor, daemon('ceph-mon', '-i', 'a'))
  const disk = randomUUID()
  await tool('ceph', '-c', settings, 'osd', 'new', disk)
  await tool('ceph-osd', '-c', settings, '-i', '0', '--mkfs', '--osd-uuid', disk)
  daemon('ceph-osd', '-i', '0')
  const access = { accessKeyId: 'daysignal', secretAccessKey: 'secret', region: 'us-east-1' }
  const admin = ['radosgw-admin', '-c', settings, '-n', 'client.rgw', 'user', 'create']
  const keys = ['--access-key', access.accessKeyId, '--secret', access.secretAccessKey]
  await tool(...admin, '--uid', 'daysignal', '--display-name', 'daysignal', ...keys)
  await untilListening(gateway, daemon('radosgw', '-n', 'client.rgw'))
  return { ...access, endpoint: `http://127.0.0.1:${gateway}` }
}

/**
 * A single monitor and OSD, in memory. The short intervals reduce the start from 12 s to 2 s, and without tcp_nodelay each
 * answer with a body takes 50 ms.
 */
function settingsOf(dir: string, id: string, monitor: number, gateway: number): string {
  return `[global]
fsid = ${id}
mon host = v2:127.0.0.1:${monitor}
mon initial members = a
ms mon client mode = crc
ms mon service mode = crc
ms mon cluster mode = crc
auth cluster required = none
auth service required = none
auth client required = none
run dir = ${dir}/run
admin socket = ${dir}/run/$name.asok
pid file =
log file = ${dir}/$name.log
log to stderr = false
mon cluster log file = ${dir}/cluster.log
crash dir = ${dir}/run
keyring = ${dir}/keyring
osd objectstore = memstore
memstore device bytes = 1073741824
osd memory target = 939524096
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd op num shards = 1
osd op num threads per shard = 1
osd heartbeat interval = 2
mon allow pool size one = true
mon data avail crit = 1
mon data avail warn = 1
mon tick interval = 1
ms bind ipv6 = false
public addr = 127.0.0.1
cluster addr = 127.0.0.1
max open files = 0
paxos propose interval = 0.02
paxos min wait = 0.01
fatal signal handlers = false
[mon.a]
mon data = ${dir}/mon
[osd.0]
osd data = ${dir}/osd
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${gateway} tcp_nodelay=1
rgw data = ${dir}/rgw
rgw thread pool size = 16
rgw enable usage log = false
rgw enable gc threads = false
rgw enable lc threads = false
rgw enable quota threads = false
rgw run sync thread = false
rgw dynamic resharding = false
rgw override bucket index max shards = 1
`
}
