import { credentialAddresses, openHosts } from '../credentials/service-address.ts';
import { storedContexts, type StoredContext } from '../credentials/stored-contexts.ts';
import { storedCredential } from '../credentials/stored-credentials.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { checkUrl, type CommandKey } from './rest-client.ts';
import type { Terminal } from '../terminal/terminal.ts';

const URL_STANDARD = 'http://127.0.0.1:8080';

/** Options that select the server. */
export interface TargetOptions {
  readonly url?: string;
  readonly context?: string;
  readonly apiKey?: string;
}

/** Server of a command, and the defaults for it. */
export interface Target {
  readonly url: string;
  /** Context that names the server; null if an option or a variable does, or nothing. */
  readonly context: StoredContext | null;
}

/**
 * Returns the server of a command: `--url`, else `--context`, else `SVC_URL`, else the context in use, else the standard
 * address. A context applies also if its address is that of `--url` or `SVC_URL`.
 *
 * @throws CommandError if the address or the file of contexts is invalid, or the context does not exist.
 */
export function targetOf({ url, context: named }: TargetOptions): Target {
  const variable = process.env['SVC_URL'] || undefined;
  const given = url ?? (named === undefined ? variable : undefined);
  if (given !== undefined) checkUrl(given);
  const context = contextNamed(named);
  if (given === undefined) return { url: context?.url ?? URL_STANDARD, context };
  const isSame =
    context !== null && String(credentialAddresses(context.url)) === String(credentialAddresses(given));
  return { url: given, context: isSame ? context : null };
}

/** Returns the context of this name, or the one in use; null if there is none. */
function contextNamed(name: string | undefined): StoredContext | null {
  const { current, contexts } = storedContexts();
  const wanted = name ?? current;
  if (wanted === null) return null;
  const found = contexts.get(wanted);
  if (found === undefined)
    throw new CommandError(
      EXIT.notFound,
      `there is no context ${JSON.stringify(wanted)}: callsheet context list shows all`,
    );
  return found;
}

/** Returns the key of a command: the given one, else `SVC_API_KEY`, else that of the context, else the stored one. */
export function keyOf(
  { apiKey }: TargetOptions,
  { url, context }: Target,
  terminal: Terminal,
): CommandKey | null {
  const given = apiKey ?? process.env['SVC_API_KEY'] ?? '';
  if (given !== '') {
    warnIfOpen(url, terminal);
    return { key: given, source: 'given' };
  }
  if (context !== null && context.key !== null) return { key: context.key, source: 'context' };
  const stored = storedCredential(url);
  return stored === null ? null : { key: stored.key, source: 'stored' };
}

/** Warns before a secret is sent over a connection that others can read. */
export function warnIfOpen(url: string, terminal: Terminal): void {
  const hosts = openHosts(url);
  if (hosts.length > 0)
    terminal.err(
      `warning: the connection to ${hosts.join(', ')} is not encrypted: use https to protect your key\n`,
    );
}
