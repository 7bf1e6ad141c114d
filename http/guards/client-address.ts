import { isIP } from 'node:net';
import { headerValues, type Header } from '../pipeline/message.ts';

/** Stands for clients without a readable address. */
const UNKNOWN = 'unknown';
const GROUPS = 8;
/** Groups of an IPv6 address that identify a customer network: /64. */
const NETWORK_GROUPS = 4;

/**
 * Returns the address that a request counts for: that of the peer. Behind a trusted proxy (`http.trust_proxy`), it is
 * the last entry of `X-Forwarded-For`, the only one that the proxy itself has written, or the peer if the entry is
 * missing or invalid. An IPv6 address counts as its /64, because a client usually has the whole network.
 */
export function clientOf(peer: string, headers: readonly Header[], trustProxy: boolean): string {
  const forwarded = trustProxy ? forwardedFor(headers) : null;
  return forwarded ?? networkOf(peer) ?? UNKNOWN;
}

function forwardedFor(headers: readonly Header[]): string | null {
  const last = headerValues(headers, 'x-forwarded-for').at(-1)?.split(',').at(-1)?.trim() ?? '';
  // Some proxies append the port, which requires brackets around an IPv6 address.
  const bare = /^\[(.+)\](?::[0-9]+)?$/.exec(last)?.[1] ?? /^([0-9.]+):[0-9]+$/.exec(last)?.[1] ?? last;
  return networkOf(bare);
}

/** Normalizes an IPv4 address, or the /64 of an IPv6 address; null if the text is neither. */
function networkOf(address: string): string | null {
  const version = isIP(address);
  if (version === 4) return address;
  if (version !== 6) return null;
  const groups = groupsOf(address);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [high = 0, low = 0] = groups.slice(6);
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  }
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** Returns the eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [bare = ''] = address.split('%');
  const [head = '', tail] = bare.split('::');
  const before = numbersOf(head);
  if (tail === undefined) return before;
  const after = numbersOf(tail);
  const zeros = Math.max(0, GROUPS - before.length - after.length);
  return [...before, ...Array.from({ length: zeros }, () => 0), ...after];
}

function numbersOf(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}
