import { execFile } from 'node:child_process';
import { closeSync, constants, fchownSync, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ProcessIds } from '../../core/access/isolation-names.ts';

const run = promisify(execFile);

/**
 * One end for a process to write to, one for the daemon to read from. A real pipe, by way of a FIFO: the sockets that
 * Node makes for its children cannot be opened again as /dev/stdout or /dev/stderr.
 */
export interface OutputPipe {
  readonly reader: Socket;
  /** Of the reader: for reading at once what is there. Nobody's once the reader is destroyed. */
  readonly descriptor: number;
  /** To be given to the process and then closed with `closeWriter`. */
  readonly writer: number;
  closeWriter(): void;
}

/** Two pipes, for standard output and standard error, that belong to the account. `directory` must exist; nothing stays in it. */
export async function openOutputPipes(
  directory: string,
  label: string,
  ids: ProcessIds | null,
): Promise<readonly [OutputPipe, OutputPipe]> {
  const paths = [join(directory, `${label}.out`), join(directory, `${label}.err`)] as const;
  await run('mkfifo', ['-m', '600', ...paths]);
  return [openFifo(paths[0], ids), openFifo(paths[1], ids)];
}

function openFifo(path: string, ids: ProcessIds | null): OutputPipe {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  if (ids !== null) fchownSync(writer, ids.userId, ids.groupId);
  unlinkSync(path);
  let open = true;
  return {
    reader: new Socket({ fd: readEnd, readable: true, writable: false }),
    descriptor: readEnd,
    writer,
    closeWriter: () => {
      if (open) closeSync(writer);
      open = false;
    },
  };
}
