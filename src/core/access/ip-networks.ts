/** An IPv6 address as eight groups of 16 bits. IPv4 addresses are mapped: ::ffff:a.b.c.d. */
export type IpAddress = readonly number[];

/** Addresses whose first `prefix` of 128 bits are those of `address`. */
export interface IpNetwork {
  readonly address: IpAddress;
  readonly prefix: number;
}

const GROUPS = 8;
const GROUP_BITS = 16;
const MAPPED_PREFIX = 96;
const MAPPED: IpAddress = [0, 0, 0, 0, 0, 0xffff];

/**
 * Returns the address that a text in the usual form names: dotted decimal, or RFC 4291 with an optional zone, which is
 * ignored. Null if the text is not an address.
 */
export function parseIp(text: string): IpAddress | null {
  if (!text.includes(':')) {
    const groups = ipv4Groups(text);
    return groups === null ? null : [...MAPPED, ...groups];
  }
  const bare = /^([0-9A-Fa-f:.]+)(?:%[0-9A-Za-z._-]+)?$/.exec(text)?.[1];
  if (bare === undefined) return null;
  const [head = '', tail, extra] = bare.split('::');
  if (extra !== undefined) return null;
  // A dotted part can only end the whole address.
  const before = tail === undefined ? groupsOf(head, true) : groupsOf(head, false);
  if (before === null) return null;
  if (tail === undefined) return before.length === GROUPS ? before : null;
  const after = groupsOf(tail, true);
  if (after === null || before.length + after.length >= GROUPS) return null;
  const zeros = Array.from({ length: GROUPS - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after];
}

/** Returns the network of `ADDRESS` or `ADDRESS/PREFIX`; null if the text is neither. */
export function parseNetwork(text: string): IpNetwork | null {
  const [addressText = '', prefixText, extra] = text.split('/');
  const address = parseIp(addressText);
  if (address === null || extra !== undefined || addressText.includes('%')) return null;
  const isIpv4 = !addressText.includes(':');
  const bits = isIpv4 ? GROUPS * GROUP_BITS - MAPPED_PREFIX : GROUPS * GROUP_BITS;
  if (prefixText !== undefined && !/^[0-9]{1,3}$/.test(prefixText)) return null;
  const given = prefixText === undefined ? bits : Number(prefixText);
  if (given > bits) return null;
  return { address, prefix: isIpv4 ? given + MAPPED_PREFIX : given };
}

/** Reports whether an address belongs to a network. */
export function isInNetwork(address: IpAddress, network: IpNetwork): boolean {
  for (let at = 0, bits = network.prefix; bits > 0; at++, bits -= GROUP_BITS) {
    const shift = Math.max(0, GROUP_BITS - bits);
    if ((address[at] ?? 0) >> shift !== (network.address[at] ?? 0) >> shift) return false;
  }
  return true;
}

/** Reports whether an address is that of an IPv4 host. */
export const isMappedIpv4 = (address: IpAddress): boolean =>
  MAPPED.every((group, at) => address[at] === group);

function groupsOf(part: string, mayEndDotted: boolean): number[] | null {
  if (part === '') return [];
  const words = part.split(':');
  const groups: number[] = [];
  for (const [at, word] of words.entries()) {
    const dotted = mayEndDotted && at === words.length - 1 && word.includes('.') ? ipv4Groups(word) : null;
    if (dotted !== null) groups.push(...dotted);
    else if (/^[0-9A-Fa-f]{1,4}$/.test(word)) groups.push(Number.parseInt(word, 16));
    else return null;
  }
  return groups;
}

const OCTET = /^(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])$/;

function ipv4Groups(text: string): [number, number] | null {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every((octet) => OCTET.test(octet))) return null;
  const [a = 0, b = 0, c = 0, d = 0] = octets.map(Number);
  return [(a << 8) | b, (c << 8) | d];
}
