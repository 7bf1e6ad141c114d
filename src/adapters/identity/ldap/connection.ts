import type { Socket } from 'node:net';
import { Client, ResultCodeError, type Entry } from 'ldapts';
import type { DirectoryFilter } from '../../../core/access/directory-filter.ts';
import type { LdapSettings } from '../../../core/config/ldap-settings.ts';
import type { LdapServer } from '../../../core/config/ldap-types.ts';
import { DirectoryFault, messageOf } from './fault.ts';
import { filterObject } from './filter-objects.ts';
import { openTransport } from './transport.ts';

/** Result codes of a bind by which a server refuses the credentials or the account (RFC 4511, A.1). */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [10, 'the entry is on another server; referrals are not followed'],
  [19, 'a rule of the directory forbids the login'],
  [32, 'the entry does not exist'],
  [48, 'the entry has no password'],
  [49, 'invalid credentials'],
  [50, 'the directory forbids the login'],
  [53, 'the directory refuses the login'],
]);

/** Result codes of a server that cannot work at present: time limit, busy, unavailable. */
const BUSY: ReadonlySet<number> = new Set([3, 51, 52]);

const REFERRAL = 10;

/** Entries of a search. */
export interface Found {
  readonly entries: readonly Entry[];
  /** Number of references to other servers in the result. They are not followed. */
  readonly references: number;
}

export interface Query {
  readonly base: string;
  readonly filter: DirectoryFilter;
  readonly attributes: readonly string[];
  /** Attributes whose values are not decoded. */
  readonly binary?: readonly string[];
  /** Maximum number of entries, at least 2. Without it the result is read in pages. */
  readonly most?: number;
  readonly pageSize?: number;
}

/**
 * One connection to a directory server. It is never opened again after it has ended: a search would then be anonymous.
 * `signal` ends it. Calls are sequential.
 */
export class LdapConnection {
  private readonly client: Client;
  private readonly socket: Socket;
  private readonly signal: AbortSignal;

  private constructor(socket: Socket, signal: AbortSignal) {
    this.socket = socket;
    this.signal = signal;
    let isUsed = false;
    this.client = new Client({
      url: 'ldap://directory',
      createConnection: () => {
        if (isUsed) throw new Error('the server closed the connection');
        isUsed = true;
        return socket;
      },
    });
  }

  /** @throws DirectoryFault if the server cannot be reached, or encryption fails. */
  static async open(
    server: LdapServer,
    settings: LdapSettings,
    signal: AbortSignal,
  ): Promise<LdapConnection> {
    return new LdapConnection(await openTransport(server, settings, signal), signal);
  }

  /**
   * Binds as an entry. Returns null if the server accepts the password, else why it refuses. Neither may be empty: the server
   * would bind anonymously, and accept.
   *
   * @throws DirectoryFault if the server does not decide.
   */
  async bind(dn: string, password: string): Promise<string | null> {
    if (dn === '' || password === '') throw new RangeError('a bind needs a name and a password');
    try {
      await this.client.bind(dn, password);
      return null;
    } catch (error) {
      const refusal = error instanceof ResultCodeError ? REFUSALS.get(error.code) : undefined;
      if (refusal === undefined) throw this.fault('the bind failed', error);
      return `${refusal} (${messageOf(error)})`;
    }
  }

  /** @throws DirectoryFault if the server returns no result. */
  async search({ base, filter, attributes, binary, most, pageSize }: Query): Promise<Found> {
    try {
      const { searchEntries, searchReferences } = await this.client.search(base, {
        scope: 'sub',
        filter: filterObject(filter),
        attributes: [...attributes],
        explicitBufferAttributes: [...(binary ?? [])],
        ...(most === undefined ? {} : { sizeLimit: most }),
        ...(pageSize === undefined ? {} : { paged: { pageSize } }),
      });
      return { entries: searchEntries, references: searchReferences.length };
    } catch (error) {
      if (error instanceof ResultCodeError && error.code === REFERRAL)
        throw new DirectoryFault(`${base} is on another server; referrals are not followed`, false);
      throw this.fault(`the search below ${base} failed`, error);
    }
  }

  /** Takes leave of the server and closes the connection. Never rejects. */
  async close(): Promise<void> {
    try {
      await this.client.unbind();
    } catch {
      // The connection has ended already, which is what this method is for.
    } finally {
      this.socket.destroy();
    }
  }

  private fault(what: string, error: unknown): DirectoryFault {
    if (this.signal.aborted) return new DirectoryFault(messageOf(this.signal.reason), true);
    const canAnotherAnswer = !(error instanceof ResultCodeError) || BUSY.has(error.code);
    return new DirectoryFault(`${what}: ${messageOf(error)}`, canAnotherAnswer);
  }
}
