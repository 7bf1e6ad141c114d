import { parseIp, parseNetwork, type IpNetwork } from '../access/ip-networks.ts';
import { boolean, list, right, shown, textual, wrong, type Parsed, type ValueType } from './value-type.ts';

/** `http.trust_proxy`: every peer, no peer, or the peers of these networks are trusted proxies. */
export type TrustedPeers = boolean | readonly IpNetwork[];

const PORT_MAX = 65_535;
const ORIGIN =
  /^([a-z][a-z0-9+.-]*):\/\/(?:\[([0-9a-fA-F:.]+)\]|[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)(?::([0-9]{1,5}))?$/;

/** Returns the scheme of an origin `scheme://host[:port]`; null if the text is not one. */
function originScheme(text: string): string | null {
  const match = ORIGIN.exec(text);
  if (match === null) return null;
  const [, scheme = '', ipv6, port = '1'] = match;
  if (ipv6 !== undefined && (parseIp(ipv6) === null || !ipv6.includes(':'))) return null;
  return Number(port) >= 1 && Number(port) <= PORT_MAX ? scheme : null;
}

/**
 * Returns the type of a CORS origin: exactly `scheme://host[:port]`, or `*`
 * (docs/contract/authentication.md#csrf-and-cors).
 */
function origin(): ValueType<string> {
  return textual('origin', (value) =>
    value === '*' || originScheme(value) !== null
      ? right(value)
      : wrong(
          `must be scheme://host[:port] without a trailing slash, path, query, fragment, blank or embedded *, or the bare *, got ${shown(value)}`,
        ),
  );
}

/** Returns the type of `http.cors_origins`. Unlike in other lists, blanks around an entry are errors. */
export function origins(): ValueType<readonly string[]> {
  const entries = list(origin());
  const hasBlank = (value: unknown): boolean => typeof value === 'string' && /\s/.test(value);
  const blank = (value: unknown): Parsed<never> => wrong(`must not contain blanks, got ${shown(value)}`);
  return {
    label: entries.label,
    fromText: (value) => (hasBlank(value) ? blank(value) : entries.fromText(value)),
    fromDocument: (value) => (hasBlank(value) ? blank(value) : entries.fromDocument(value)),
  };
}

/** Returns the type of the URL of the service: `http://` or `https://`, a host and an optional port. */
export function publicUrl(): ValueType<string> {
  return textual('http://host[:port] or https://host[:port]', (value) => {
    const bare = value.endsWith('/') ? value.slice(0, -1) : value;
    const scheme = originScheme(bare);
    return scheme === 'http' || scheme === 'https'
      ? right(bare.toLowerCase())
      : wrong(`must be http://host[:port] or https://host[:port] without a path, got ${shown(value)}`);
  });
}

const HOST_NAME = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/**
 * Returns the type of a host for which the service answers: a name, `*.` and a domain for all names below it, an
 * address, or `*` for every host. Names are lower case afterwards; an IPv6 address may have brackets.
 */
export function hostPattern(): ValueType<string> {
  return textual('host', (value) => {
    const lower = value.toLowerCase();
    const bare = /^\[(.*)\]$/.exec(lower)?.[1] ?? lower;
    const isAddress = parseIp(bare) !== null && !bare.includes('%');
    if (isAddress && (bare === lower || bare.includes(':'))) return right(bare);
    return lower === '*' || HOST_NAME.test(lower)
      ? right(lower)
      : wrong(`must be a host name, *.DOMAIN, an address or *, without a port, got ${shown(value)}`);
  });
}

function network(): ValueType<IpNetwork> {
  return textual('address or network', (value) => {
    const parsed = parseNetwork(value);
    return parsed === null
      ? wrong(
          `must be true, false, or addresses and networks such as 10.0.0.5 or 10.0.0.0/8, got ${shown(value)}`,
        )
      : right(parsed);
  });
}

/** Returns the type of `http.trust_proxy`: `true`, `false`, or a list of addresses and networks. */
export function trustedPeers(): ValueType<TrustedPeers> {
  const switches = boolean();
  const networks = list(network(), 1);
  return {
    label: 'true, false, or list of addresses and networks',
    fromText: (value) =>
      value === 'true' || value === 'false' ? switches.fromText(value) : networks.fromText(value),
    fromDocument: (value) => {
      if (typeof value === 'boolean') return switches.fromDocument(value);
      return value === 'true' || value === 'false' ? switches.fromText(value) : networks.fromDocument(value);
    },
  };
}

/** An address range, or a host by its name in lower case. */
export type Target =
  | { readonly kind: 'network'; readonly network: IpNetwork }
  | { readonly kind: 'name'; readonly name: string };

/** Returns the type of an address, a network or a host name. */
export function target(): ValueType<Target> {
  return textual<Target>('address, network or host name', (value) => {
    const network = parseNetwork(value);
    if (network !== null) return right({ kind: 'network', network });
    const name = value.toLowerCase();
    // A name that looks like a network is a wrong network.
    return /[a-z]/.test(name) && !name.startsWith('*') && HOST_NAME.test(name)
      ? right({ kind: 'name', name })
      : wrong(
          `must be addresses, networks or host names such as 10.0.0.5, 10.0.0.0/8 or chat.local, got ${shown(value)}`,
        );
  });
}
