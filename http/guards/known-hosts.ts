import { isInNetwork, parseIp, parseNetwork, type IpAddress } from '../../src/core/access/ip-networks.ts';

/** Names and addresses of the machine. */
export interface MachineHosts {
  /** In lower case. */
  readonly names: readonly string[];
  /** Returns the present addresses of the network interfaces. */
  addresses(): readonly string[];
}

export interface HostSettings {
  /** `http.allowed_hosts`, validated. */
  readonly allowed: readonly string[];
  /** `http.public_url`, validated. */
  readonly publicUrl: string | null;
  /** Hosts of the addresses that the service listens on (`http.addr`, `http.pprof_addr`). */
  readonly listenHosts: readonly string[];
  readonly machine: MachineHosts;
  /** Returns milliseconds of a clock that never goes back. */
  steadyNow(): number;
}

/** The name of the loopback (RFC 6761, 6.3), which no other host can have. */
const LOOPBACK_NAME = 'localhost';
const LOOPBACKS = ['127.0.0.0/8', '::1'].flatMap((text) => parseNetwork(text) ?? []);
const ANY_ADDRESS = new Set(['0.0.0.0', '::']);

/** Addresses of the machine change, for example with DHCP; they are read again at most this often. */
const REFRESH_MS = 1_000;

/** Values of `Host` that were accepted are kept, so that each is parsed once; a client may send others on purpose. */
const ACCEPTED_MAX = 256;

const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_-]+(?:\.[a-z0-9_-]+)*))(?::[0-9]{1,5})?$/;

/**
 * Hosts that the service answers to (`http.allowed_hosts`, docs/contract/authentication.md#csrf-and-cors): a browser that
 * is directed to the service under the name of another host (DNS rebinding) sends that name.
 */
export class KnownHosts {
  readonly #settings: HostSettings;
  readonly #names: ReadonlySet<string>;
  /** Domains with a dot in front. */
  readonly #domains: readonly string[];
  readonly #fixed: ReadonlySet<string>;
  readonly #isEvery: boolean;
  readonly #accepted = new Set<string>();
  #addresses: ReadonlySet<string> = new Set();
  #readAt = -Infinity;

  constructor(settings: HostSettings) {
    const { allowed, publicUrl, listenHosts, machine } = settings;
    this.#settings = settings;
    const publicHost = publicUrl === null ? [] : [new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1')];
    const given = [...allowed, ...publicHost, ...listenHosts.map((host) => host.toLowerCase())];
    const addresses = given.filter((host) => !ANY_ADDRESS.has(host));
    const names = given.filter((host) => parseIp(host) === null);
    this.#isEvery = allowed.includes('*');
    this.#domains = names.filter((name) => name.startsWith('*.')).map((name) => name.slice(1));
    this.#names = new Set([LOOPBACK_NAME, ...machine.names, ...names]);
    this.#fixed = keysOf(addresses);
  }

  /** Reports whether the service answers to the value of a `Host` header. The port is not compared. */
  has(host: string): boolean {
    if (this.#isEvery || this.#accepted.has(host)) return true;
    const [, ipv6, name] = HOST.exec(host.toLowerCase()) ?? [];
    const address = parseIp(ipv6 ?? name ?? '');
    const isKnown = address !== null ? this.#hasAddress(address) : name !== undefined && this.#hasName(name);
    if (isKnown && this.#accepted.size < ACCEPTED_MAX) this.#accepted.add(host);
    return isKnown;
  }

  #hasName(name: string): boolean {
    return this.#names.has(name) || this.#domains.some((domain) => name.endsWith(domain));
  }

  #hasAddress(address: IpAddress): boolean {
    if (LOOPBACKS.some((network) => isInNetwork(address, network))) return true;
    const key = keyOf(address);
    if (this.#fixed.has(key) || this.#addresses.has(key)) return true;
    const now = this.#settings.steadyNow();
    if (now - this.#readAt < REFRESH_MS) return false;
    this.#readAt = now;
    this.#addresses = keysOf(this.#settings.machine.addresses());
    return this.#addresses.has(key);
  }
}

const keyOf = (address: IpAddress): string => address.join(':');

const keysOf = (addresses: readonly string[]): ReadonlySet<string> =>
  new Set(
    addresses.flatMap((text) => {
      const address = parseIp(text);
      return address === null ? [] : [keyOf(address)];
    }),
  );
