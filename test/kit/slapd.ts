import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificates } from './certificates.ts';
import { freePort } from './nats-server.ts';
import { until } from './until.ts';

/** An entry: its RDN and parent, and its attributes. Values may be text or bytes. */
export interface SlapdEntry {
  readonly dn: string;
  readonly attributes: Readonly<Record<string, readonly (string | Buffer)[]>>;
}

export interface SlapdOptions {
  readonly entries: readonly SlapdEntry[];
  /** Lines of slapd.conf before the database, for example `allow bind_anon_cred`. */
  readonly config?: readonly string[];
  /** Names in the certificate of the server; null: the server has no TLS. */
  readonly names?: string | null;
}

export const SUFFIX = 'dc=farm,dc=test';
export const PEOPLE = `ou=people,${SUFFIX}`;
export const GROUPS = `ou=groups,${SUFFIX}`;

/** The account that searches. */
export const SERVICE = { dn: `cn=service,${SUFFIX}`, password: 'service secret' } as const;

/** An ordinary account of the system: slapd has no rights beyond its folder. */
const NOBODY = 65_534;

const ENVIRONMENT = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };

/** A real OpenLDAP server on the loopback, in a folder of its own. */
export class Slapd {
  readonly port: number;
  /** 0 without TLS. */
  readonly tlsPort: number;
  /** PEM file of the authority that has signed the certificate of the server; empty without TLS. */
  readonly caFile: string;
  readonly #folder: string;
  #child: ChildProcess | null = null;

  private constructor(folder: string, ports: readonly [number, number], caFile: string) {
    this.#folder = folder;
    [this.port, this.tlsPort] = ports;
    this.caFile = caFile;
  }

  /** Creates the database and starts the server. */
  static async start({ entries, config = [], names = null }: SlapdOptions): Promise<Slapd> {
    const folder = mkdtempSync(join(tmpdir(), 'callsheet-slapd-'));
    const database = join(folder, 'db');
    mkdirSync(database);
    const tls = names === null ? null : makeCertificates(folder, names);
    const tlsPort = tls === null ? 0 : await freePort();
    const server = new Slapd(folder, [await freePort(), tlsPort], tls?.ca ?? '');
    const lines = [
      ...['core', 'cosine', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`),
      'modulepath /usr/lib/ldap',
      'moduleload back_mdb',
      ...(tls === null
        ? []
        : [
            `TLSCACertificateFile ${tls.ca}`,
            `TLSCertificateFile ${tls.serverCert}`,
            `TLSCertificateKeyFile ${tls.serverKey}`,
          ]),
      ...config,
      'database mdb',
      'maxsize 67108864',
      `suffix "${SUFFIX}"`,
      `directory ${database}`,
      'index objectClass,uid,member,entryUUID eq',
      'access to attrs=userPassword by anonymous auth by * none',
      'access to * by users read by anonymous read',
      '',
    ];
    writeFileSync(join(folder, 'slapd.conf'), lines.join('\n'));
    writeFileSync(join(folder, 'seed.ldif'), [...BASE_ENTRIES, ...entries].map(ldif).join('\n'));
    const { account } = server;
    if ('uid' in account)
      for (const path of [folder, database, ...readdirSync(folder).map((name) => join(folder, name))])
        chownSync(path, NOBODY, NOBODY);
    execFileSync('slapadd', ['-q', '-f', join(folder, 'slapd.conf'), '-l', join(folder, 'seed.ldif')], {
      ...account,
      env: ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await server.restart();
    return server;
  }

  /** URL of the server without TLS. */
  get url(): string {
    return `ldap://127.0.0.1:${this.port}`;
  }

  /** URL of the server with TLS from the first byte. */
  get tlsUrl(): string {
    return `ldaps://127.0.0.1:${this.tlsPort}`;
  }

  /** Options of the processes: tests that run as root start them without its rights. */
  private get account(): { readonly uid?: number; readonly gid?: number } {
    return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  }

  /** Starts the server again on the same ports, with the same entries. */
  async restart(): Promise<void> {
    const urls = [this.url, ...(this.tlsPort === 0 ? [] : [this.tlsUrl])].join(' ');
    // Level "none" logs only important messages, such as the start.
    const child = spawn('slapd', ['-d', 'none', '-h', urls, '-f', join(this.#folder, 'slapd.conf')], {
      ...this.account,
      env: ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      let said = '';
      child.on('error', reject);
      child.on('exit', () => reject(new Error(`slapd ended: ${said}`)));
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-4_000);
        if (said.includes('slapd starting')) resolve();
      });
    });
    // It writes this line before it listens.
    for (const port of this.tlsPort === 0 ? [this.port] : [this.port, this.tlsPort])
      await until(`slapd listens on port ${port}`, () => isListening(port));
  }

  /** Kills the server, like a crash. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  /** Suspends the server: the system accepts connections for it, and no request is answered until `thaw`. */
  async freeze(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('slapd is not running');
    process.kill(pid, 'SIGSTOP');
    const isStopped = (): boolean => /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    while (!isStopped()) await new Promise(setImmediate);
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Stops the server and removes its folder. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') return false;
    throw error;
  } finally {
    socket.destroy();
  }
}

const BASE_ENTRIES: readonly SlapdEntry[] = [
  { dn: SUFFIX, attributes: { objectClass: ['dcObject', 'organization'], o: ['farm'], dc: ['farm'] } },
  { dn: PEOPLE, attributes: { objectClass: ['organizationalUnit'], ou: ['people'] } },
  { dn: GROUPS, attributes: { objectClass: ['organizationalUnit'], ou: ['groups'] } },
  {
    dn: SERVICE.dn,
    attributes: {
      objectClass: ['organizationalRole', 'simpleSecurityObject'],
      cn: ['service'],
      userPassword: [SERVICE.password],
    },
  },
];

/** Returns a user below `PEOPLE` or `parent`. */
export function slapdUser(
  uid: string,
  password: string | null,
  attributes: SlapdEntry['attributes'] = {},
  parent = PEOPLE,
): SlapdEntry {
  return {
    dn: `uid=${escapedValue(uid)},${parent}`,
    attributes: {
      objectClass: ['inetOrgPerson'],
      uid: [uid],
      cn: [uid],
      sn: ['Person'],
      ...(password === null ? {} : { userPassword: [password] }),
      ...attributes,
    },
  };
}

/** Returns a group with these DNs as its members. */
export function slapdGroup(cn: string, members: readonly string[]): SlapdEntry {
  return {
    dn: `cn=${escapedValue(cn)},${GROUPS}`,
    attributes: { objectClass: ['groupOfNames'], cn: [cn], member: members },
  };
}

/** Escapes each byte that is not a letter or digit, for a DN. */
const escapedValue = (value: string): string =>
  [...Buffer.from(value)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9]/.test(character) ? character : `\\${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');

function ldif({ dn, attributes }: SlapdEntry): string {
  const line = (name: string, value: string | Buffer): string =>
    `${name}:: ${Buffer.from(value).toString('base64')}\n`;
  const values = Object.entries(attributes).flatMap(([name, list]) => list.map((value) => line(name, value)));
  return line('dn', dn) + values.join('');
}
