import { directoryInputRefusal } from '../../../core/access/directory-input.ts';
import type { LdapSettings } from '../../../core/config/ldap-settings.ts';
import type { LdapServer } from '../../../core/config/ldap-types.ts';
import type { Directory, DirectoryAnswer } from '../../../core/ports/directory.ts';
import { authenticateAt } from './authenticate-at.ts';
import { DirectoryFault, messageOf } from './fault.ts';
import { LDAP_LIMITS } from './limits.ts';

/** Reports that a server could not answer and the next one is asked. The texts contain no password. */
export type ReportFailover = (url: string, reason: string) => void;

const unavailable = (reason: string): DirectoryAnswer => ({ kind: 'unavailable', reason });

/**
 * Returns the directory of these settings. It opens no connection before the first login, and closes each one at the end of
 * its login.
 */
export function openLdapDirectory(settings: LdapSettings, reportFailover: ReportFailover): Directory {
  return new LdapDirectory(settings, reportFailover);
}

class LdapDirectory implements Directory {
  private readonly settings: LdapSettings;
  private readonly reportFailover: ReportFailover;
  private readonly closing = new AbortController();
  private readonly running = new Set<Promise<DirectoryAnswer>>();
  /** Index of the server that answered last: the next login asks it first. */
  private preferred = 0;

  constructor(settings: LdapSettings, reportFailover: ReportFailover) {
    this.settings = settings;
    this.reportFailover = reportFailover;
  }

  async authenticate(username: string, password: string): Promise<DirectoryAnswer> {
    const reason = directoryInputRefusal(username, password);
    if (reason !== null) return { kind: 'refused', reason };
    if (this.closing.signal.aborted) return unavailable('the service is stopping');
    if (this.running.size >= LDAP_LIMITS.logins)
      return unavailable(`${LDAP_LIMITS.logins} logins wait for the directory already`);
    const login = this.askServers({ username, password });
    this.running.add(login);
    try {
      return await login;
    } finally {
      this.running.delete(login);
    }
  }

  async close(): Promise<void> {
    this.closing.abort(new Error('the service is stopping'));
    await Promise.all(this.running);
  }

  private async askServers(credentials: {
    readonly username: string;
    readonly password: string;
  }): Promise<DirectoryAnswer> {
    const { servers } = this.settings;
    const first = this.preferred;
    const faults: string[] = [];
    for (let step = 0; step < servers.length; step++) {
      const index = (first + step) % servers.length;
      const server = servers[index];
      if (server === undefined || this.closing.signal.aborted) break;
      const outcome = await this.ask(server, credentials);
      if (!(outcome instanceof DirectoryFault)) {
        this.preferred = index;
        return outcome;
      }
      faults.push(`${server.url}: ${outcome.message}`);
      if (!outcome.canAnotherAnswer) break;
      if (step < servers.length - 1) this.reportFailover(server.url, outcome.message);
    }
    return unavailable(faults.length === 0 ? 'the service is stopping' : faults.join('; '));
  }

  /** Returns the answer of one server, or its fault. */
  private async ask(
    server: LdapServer,
    credentials: { readonly username: string; readonly password: string },
  ): Promise<DirectoryAnswer | DirectoryFault> {
    const { timeoutMs } = this.settings;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const signal = AbortSignal.any([deadline.signal, this.closing.signal]);
    try {
      return await authenticateAt(server, this.settings, credentials, signal);
    } catch (error) {
      return error instanceof DirectoryFault ? error : new DirectoryFault(messageOf(error), false);
    } finally {
      clearTimeout(timer);
    }
  }
}
