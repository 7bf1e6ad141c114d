import { closeSync, openSync } from 'node:fs';
import pino from 'pino';
import type { AccessLog } from '../../http/access-log/access-log.ts';
import type { Logger } from '../process/logging.ts';

/** Readable by the group, as for a group of log readers. */
const FILE_MODE = 0o640;
/** Maximum size of lines that wait to be written. Further lines are dropped. */
const UNWRITTEN_BYTES_MAX = 16 * 2 ** 20;

export interface AccessLogFile {
  readonly write: AccessLog;
  /** Opens the path again, after a rotation. */
  reopen(): void;
  /** Writes the remaining lines and closes the file. */
  close(): Promise<void>;
}

/**
 * Opens the access log, to which lines of JSON are appended without waiting for the disk. Lines that cannot be written wait for
 * the next one, up to a size, and are then dropped; the log of the service says so once in each outage.
 *
 * @throws Error if the file cannot be opened.
 */
export function openAccessLog(path: string, logger: Pick<Logger, 'warn'>): AccessLogFile {
  try {
    closeSync(openSync(path, 'a', FILE_MODE));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`http.access_log: cannot open ${path}: ${reason}`, { cause: error });
  }
  const destination = pino.destination({
    dest: path,
    append: true,
    mode: FILE_MODE,
    sync: false,
    maxLength: UNWRITTEN_BYTES_MAX,
  });
  let isFailing = false;
  const failing = (reason: string): void => {
    if (!isFailing) logger.warn({ path, reason }, 'the access log cannot be written');
    isFailing = true;
  };
  destination.on('error', (error: Error) => failing(error.message));
  destination.on('drop', () => {
    failing('lines are dropped, because too many wait for the disk');
    // With a full buffer, lines are dropped without a write. An empty write makes it retry.
    destination.write('');
  });
  destination.on('write', () => {
    isFailing = false;
  });
  return {
    write: (record) => {
      destination.write(`${JSON.stringify(record)}\n`);
    },
    reopen: () => {
      destination.reopen();
    },
    close: () =>
      new Promise((resolve) => {
        destination.once('close', resolve);
        destination.once('error', () => destination.destroy());
        destination.end();
      }),
  };
}
