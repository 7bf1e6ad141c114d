import { readFileSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';

/** Files of the system in which a machine has further names. */
export interface NameFiles {
  /** hosts(5). */
  readonly hosts: string;
  /** resolv.conf(5). */
  readonly resolver: string;
}

const SYSTEM_FILES: NameFiles = { hosts: '/etc/hosts', resolver: '/etc/resolv.conf' };
const NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

/** Names and addresses of this machine. */
export interface OwnNames {
  /** In lower case. */
  readonly names: readonly string[];
  /** Returns the present addresses of the network interfaces. */
  addresses(): readonly string[];
}

/** Returns the names and addresses of this machine. A file of the system that cannot be read adds no name. */
export const ownNames = (): OwnNames => ({
  names: namesOf(hostname(), { hosts: textOf(SYSTEM_FILES.hosts), resolver: textOf(SYSTEM_FILES.resolver) }),
  addresses: () =>
    Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address)),
});

/**
 * Returns the names under which a machine is known, given the content of its files: the host name, its first label, that
 * label with `.local` (mDNS) and with each search domain of the resolver, and all names on the lines of the hosts file
 * that contain one of these. Other lines of that file may list hosts of strangers, to block them.
 */
export function namesOf(hostName: string, { hosts, resolver }: NameFiles): readonly string[] {
  const full = hostName.toLowerCase();
  const [label = ''] = full.split('.');
  const domains = linesOf(resolver)
    .filter(([word]) => word === 'search' || word === 'domain')
    .flatMap(([, ...words]) => words.map((domain) => domain.replace(/\.$/, '')));
  const derived = [full, label, ...['local', ...domains].map((domain) => `${label}.${domain}`)];
  const listed = linesOf(hosts)
    .map(([, ...words]) => words)
    .filter((words) => words.some((word) => derived.includes(word)))
    .flat();
  return [...new Set([...derived, ...listed])].filter((name) => NAME.test(name));
}

/** Returns the words of each line, in lower case and without comments. */
const linesOf = (text: string): string[][] =>
  text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .toLowerCase()
      .split(/\s+/),
  );

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not every system has these files; http.allowed_hosts adds what is missing.
    return '';
  }
}
