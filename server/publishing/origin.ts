// Determines the origin of a request (API.md 6.4): its client address, and the keyed hash that is stored.
import { createHmac, type KeyObject } from 'node:crypto'
import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net'
import type { Origin } from '../http/slots.ts'

/** The networks whose X-Forwarded-For is trusted. */
export type TrustedProxies = BlockList

/** Parses a comma-separated list of addresses and CIDRs. @throws Error that names the invalid entry */
export function parseTrustedProxies(list: string): TrustedProxies {
  const trusted = new BlockList()
  for (const entry of list.split(',').map((item) => item.trim())) {
    if (entry === '') continue
    const [address = '', bits, rest] = entry.split('/')
    const version = isIP(address)
    const prefix = bits === undefined ? (version === 6 ? 128 : 32) : Number(bits)
    if (
      version === 0 ||
      rest !== undefined ||
      !/^[0-9]{1,3}$/.test(bits ?? '0') ||
      prefix > (version === 6 ? 128 : 32)
    )
      throw new Error(`${JSON.stringify(entry)} is not an address or a CIDR`)
    trusted.addSubnet(address, prefix, version === 6 ? 'ipv6' : 'ipv4')
  }
  return trusted
}

/**
 * Returns the client's address: the peer's, or if the peer is a trusted proxy, the rightmost address of X-Forwarded-For
 * that is not one.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  trusted: TrustedProxies,
): string {
  let address = plainAddress(peer)
  const hops = (forwardedFor ?? '').split(',').map((hop) => plainAddress(hop.trim()))
  while (isTrusted(address, trusted)) {
    const hop = hops.pop()
    if (hop === undefined || isIP(hop) === 0) break
    address = hop
  }
  return address
}

function isTrusted(address: string, trusted: TrustedProxies): boolean {
  const version = isIP(address)
  return version !== 0 && trusted.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

/** Strips brackets, port, zone and the IPv4-mapped prefix from an address. */
function plainAddress(text: string): string {
  if (isIPv4(text)) return text
  const address = text
    .replace(/^\[([^\]]*)\](?::[0-9]+)?$/, '$1')
    .replace(/^([0-9.]+):[0-9]+$/, '$1')
    .replace(/%.*$/, '')
    .toLowerCase()
  if (!isIPv6(address)) return address
  const { address: canonical } = new SocketAddress({ address, family: 'ipv6' })
  return canonical.replace(/^::ffff:(?=[0-9.]+$)/, '')
}

/** Returns the eight 16-bit groups of a valid IPv6 address. */
function expandIPv6(address: string): number[] {
  // The URL parser writes an IPv4 address at the end as two groups.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((g) => parseInt(g, 16)))
  const left = groups(head)
  const right = tail === undefined ? [] : groups(tail)
  return [...left, ...Array(8 - left.length - right.length).fill(0), ...right]
}

/** Returns the origin that limits and keys belong to: an IPv4 address, or the /64 of an IPv6 address. */
export function originOf(address: string): string {
  if (!isIPv6(address)) return address
  return `${expandIPv6(address)
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** Returns the origin of a connection's peer; null for a trusted proxy, which carries the requests of many origins. */
export function originOfPeer(peer: string, trusted: TrustedProxies): Origin {
  const address = plainAddress(peer)
  return isTrusted(address, trusted) ? null : originOf(address)
}

/** Returns the only form in which an origin is stored. */
export function hashOrigin(key: KeyObject, origin: string): string {
  return createHmac('sha256', key).update(origin).digest('hex')
}
