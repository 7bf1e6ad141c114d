import type { BusEndpoint } from './endpoints.ts';

/** The connections that rules refuse. */
export interface Blocked {
  /** User ids of the accounts whose connections are refused. */
  readonly accounts: ReadonlySet<number>;
  readonly endpoints: Iterable<BusEndpoint>;
  /** Ports that are refused at every address of this machine. */
  readonly ports: ReadonlySet<number>;
}

/**
 * Returns the commands that replace the table, in one transaction. A packet is matched before and after another table may
 * have translated its destination: `-150` is before `dstnat`, `10` after `filter`.
 */
export function tableCommands(table: string, { accounts, endpoints, ports }: Blocked): string {
  const found = [...endpoints];
  const servers = (family: BusEndpoint['family']): readonly string[] =>
    found.filter((endpoint) => endpoint.family === family).map(({ address, port }) => `${address} . ${port}`);
  return [
    removalCommands(table),
    `table inet ${table} {`,
    set('accounts', 'uid', [...accounts].map(String)),
    set('servers4', 'ipv4_addr . inet_service', servers(4)),
    set('servers6', 'ipv6_addr . inet_service', servers(6)),
    set('ports', 'inet_service', [...ports].map(String)),
    ' chain bus {',
    '  fib daddr type local tcp dport @ports reject with tcp reset',
    '  ip daddr . tcp dport @servers4 reject with tcp reset',
    '  ip6 daddr . tcp dport @servers6 reject with tcp reset',
    ' }',
    ' chain before_translation { type filter hook output priority -150; meta skuid @accounts jump bus; }',
    ' chain after_translation { type filter hook output priority 10; meta skuid @accounts jump bus; }',
    '}',
    '',
  ].join('\n');
}

/** Returns the commands that remove the table, also if it does not exist. */
export const removalCommands = (table: string): string => `table inet ${table}\ndelete table inet ${table}\n`;

/** Returns the declaration of a set. The syntax has no empty list of elements. */
const set = (name: string, type: string, elements: readonly string[]): string =>
  ` set ${name} { type ${type};${elements.length === 0 ? '' : ` elements = { ${elements.join(', ')} }`} }`;
