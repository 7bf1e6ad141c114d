import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { isObject, privatePath, readPrivateJson, writePrivateJson } from './private-file.ts';

/** A server with the key and the defaults that commands use for it. */
export interface StoredContext {
  readonly url: string;
  /** Null to use the key of `callsheet login` for this address. */
  readonly key: string | null;
  /** Default farm and queue, as given on the command line; null for none. */
  readonly farm: string | null;
  readonly queue: string | null;
}

/** All contexts, by name. */
export interface StoredContexts {
  /** Name of the context that commands use; null for none. */
  readonly current: string | null;
  readonly contexts: ReadonlyMap<string, StoredContext>;
}

const VERSION = 1;

/** Returns the path of the file with the contexts. */
export const contextsPath = (): string => privatePath('contexts.json');

/**
 * Returns the stored contexts; none if the file does not exist.
 *
 * @throws CommandError if the file belongs to another user, can be read by others, or is invalid.
 */
export function storedContexts(): StoredContexts {
  const path = contextsPath();
  const document = readPrivateJson(path);
  if (document === undefined) return { current: null, contexts: new Map() };
  const invalid = new CommandError(
    EXIT.usage,
    `${path}: is not a file of contexts; delete it and run callsheet context add`,
  );
  if (!isObject(document) || document['version'] !== VERSION || !isObject(document['contexts']))
    throw invalid;
  const contexts = new Map<string, StoredContext>();
  for (const [name, entry] of Object.entries(document['contexts'])) {
    const context = contextIn(entry);
    if (context === null) throw invalid;
    contexts.set(name, context);
  }
  const current = document['current'];
  if (current !== null && (typeof current !== 'string' || !contexts.has(current))) throw invalid;
  return { current, contexts };
}

/** Stores all contexts. Throws as `storedContexts`. */
export const storeContexts = ({ current, contexts }: StoredContexts): void =>
  writePrivateJson(contextsPath(), { version: VERSION, current, contexts: Object.fromEntries(contexts) });

function contextIn(entry: unknown): StoredContext | null {
  if (!isObject(entry)) return null;
  const { url, key, farm, queue } = entry;
  if (typeof url !== 'string' || !isTextOrNull(key) || !isTextOrNull(farm) || !isTextOrNull(queue))
    return null;
  return { url, key, farm, queue };
}

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string';
