import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { literal, messageParser, record, text, variant } from '../../src/core/wire/field-readers.ts';
import { errorCode } from '../../src/adapters/process/error-code.ts';
import { replaceFile } from '../../src/adapters/system/durable-file.ts';

/** Order of `callsheet cluster recover` about the log of the cluster, for the next start of a node. */
export type LogOrder =
  /** Its store is the beginning of this new log, which it creates. */
  | { readonly v: 1; readonly type: 'create'; readonly log_id: string }
  /** It waits for the log that another node creates. */
  | { readonly v: 1; readonly type: 'follow' };

const UUID_LENGTH = 36;
const parseOrder = messageParser(
  variant<LogOrder>('type', {
    create: record<Extract<LogOrder, { type: 'create' }>>({
      v: literal(1),
      type: literal('create'),
      log_id: text(UUID_LENGTH, UUID_LENGTH),
    }),
    follow: record<Extract<LogOrder, { type: 'follow' }>>({ v: literal(1), type: literal('follow') }),
  }),
  { length: 1024, nesting: 2 },
);

const pathOf = (dataDirectory: string): string => join(dataDirectory, 'cluster-log.json');

/**
 * Returns the order that the last recovery has left; null if there is none.
 *
 * @throws Error that names the file if it cannot be read.
 */
export function readLogOrder(dataDirectory: string): LogOrder | null {
  const path = pathOf(dataDirectory);
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  const parsed = parseOrder(content);
  if (!parsed.ok)
    throw new Error(`${path} is damaged (${parsed.reason}): run callsheet cluster recover again`);
  return parsed.value;
}

/** Replaces the order. It is on disk when this resolves. */
export const writeLogOrder = (dataDirectory: string, order: LogOrder): Promise<void> =>
  replaceFile(pathOf(dataDirectory), `${JSON.stringify(order)}\n`);

/** Removes the order when it is done. */
export const removeLogOrder = (dataDirectory: string): void => rmSync(pathOf(dataDirectory), { force: true });
