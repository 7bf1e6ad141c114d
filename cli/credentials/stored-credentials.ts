import {
  chmodSync,
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { CommandError, EXIT } from '../commands/exit-codes.ts';
import { serviceAddress } from './service-address.ts';

/** API key that `callsheet login` has stored for one service. */
export interface StoredCredential {
  readonly key: string;
  /** Null if `login --with-api-key` has stored a key that it has not created. */
  readonly keyId: string | null;
  readonly username: string;
}

/** Environment that determines where the file is. */
export type Environment = Readonly<Record<string, string | undefined>>;

const VERSION = 1;
/** Access of others than the owner. */
const OTHERS = 0o077;

/** Returns the path of the file: in `XDG_CONFIG_HOME`, else in `~/.config`. */
export function credentialsPath(environment: Environment = process.env): string {
  const given = environment['XDG_CONFIG_HOME'] ?? '';
  // A relative path is invalid and ignored (XDG Base Directory Specification).
  const folder = isAbsolute(given) ? given : join(environment['HOME'] || homedir(), '.config');
  return join(folder, 'callsheet', 'credentials.json');
}

/**
 * Returns the credential that is stored for a service; null if there is none.
 *
 * @throws CommandError if the file belongs to another user, can be read by others, or is invalid.
 */
export const storedCredential = (url: string): StoredCredential | null =>
  readAll(credentialsPath()).get(serviceAddress(url)) ?? null;

/** Stores the credential of a service, or removes it if it is null. Throws as `storedCredential`. */
export function storeCredential(url: string, credential: StoredCredential | null): void {
  const path = credentialsPath();
  const all = readAll(path);
  if (credential === null) all.delete(serviceAddress(url));
  else all.set(serviceAddress(url), credential);
  const services = Object.fromEntries(all);
  writeWhole(path, `${JSON.stringify({ version: VERSION, services }, null, 2)}\n`);
}

function readAll(path: string): Map<string, StoredCredential> {
  const text = readPrivate(path);
  if (text === null) return new Map();
  const invalid = new CommandError(
    EXIT.usage,
    `${path}: is not a credentials file; delete it and sign in again`,
  );
  const document = parsed(text);
  if (!isObject(document) || document['version'] !== VERSION || !isObject(document['services']))
    throw invalid;
  const found = new Map<string, StoredCredential>();
  for (const [url, entry] of Object.entries(document['services'])) {
    const credential = credentialOf(entry);
    if (credential === null) throw invalid;
    found.set(url, credential);
  }
  return found;
}

function credentialOf(entry: unknown): StoredCredential | null {
  if (!isObject(entry)) return null;
  const { key, keyId, username } = entry;
  if (typeof key !== 'string' || typeof username !== 'string') return null;
  return typeof keyId === 'string' || keyId === null ? { key, keyId, username } : null;
}

/** Returns the text of a file that only this user can read; null if it does not exist. */
function readPrivate(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (isMissing(error)) return null;
    throw unusable(path, error);
  }
  try {
    const { mode, uid } = fstatSync(file);
    if ((mode & OTHERS) !== 0)
      throw new CommandError(EXIT.usage, `${path}: can be read by other users; run: chmod 600 ${path}`);
    if (uid !== process.getuid?.()) throw new CommandError(EXIT.usage, `${path}: belongs to another user`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Writes a file as a whole, readable by this user only: a reader sees the old or the new content. */
function writeWhole(path: string, text: string): void {
  const folder = dirname(path);
  const temporary = join(folder, `.credentials-${process.pid}.json`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): CommandError {
  const reason = error instanceof Error ? error.message : String(error);
  return new CommandError(EXIT.failed, `${path}: cannot be used: ${reason}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
