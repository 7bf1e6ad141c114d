import { isInNetwork, isMappedIpv4, parseIp, parseNetwork, type IpNetwork } from '../access/ip-networks.ts';

/** Receivers in networks that are otherwise refused (`webhooks.allow_private`). */
export interface AllowedTargets {
  /** In lower case. */
  readonly names: readonly string[];
  readonly networks: readonly IpNetwork[];
}

/** IPv4 networks that are not public (IANA IPv4 Special-Purpose Address Registry), with multicast. */
const NOT_PUBLIC_IPV4 = networks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/** Global unicast. NAT64, mapped and compatible addresses, unique local, link-local and multicast are outside. */
const GLOBAL_IPV6 = networks(['2000::/3']);

/** Networks of global unicast that are not public, or that contain an IPv4 address (Teredo, 6to4). */
const NOT_PUBLIC_IPV6 = networks([
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
]);

function networks(texts: readonly string[]): readonly IpNetwork[] {
  return texts.map((text) => {
    const network = parseNetwork(text);
    if (network === null) throw new Error(`${text} is not a network`);
    return network;
  });
}

/**
 * Reports whether a webhook may be sent to an address.
 *
 * @param host - Name or address in the URL, in lower case without brackets.
 * @param address - Address to connect to, dotted or in the form of RFC 4291. Other texts are refused.
 */
export function isAllowedTarget(host: string, address: string, allowed: AllowedTargets): boolean {
  const ip = parseIp(address);
  if (ip === null) return false;
  if (allowed.names.includes(host)) return true;
  const isIn = (network: IpNetwork): boolean => isInNetwork(ip, network);
  if (allowed.networks.some(isIn)) return true;
  if (address.includes(':'))
    return !isMappedIpv4(ip) && GLOBAL_IPV6.some(isIn) && !NOT_PUBLIC_IPV6.some(isIn);
  return !NOT_PUBLIC_IPV4.some(isIn);
}
