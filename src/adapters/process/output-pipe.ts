import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, constants, fchownSync, openSync, unlinkSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
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

/** FIFOs that a program makes at once: Node itself cannot make one. */
const FIFOS_AT_ONCE = 16;

/** Makes pipes. A few FIFOs wait in its directory; one that is used is there no longer. */
export class OutputPipes {
  private readonly directory: string;
  /** What an earlier daemon has left may still be there. */
  private readonly prefix = randomUUID();
  private readonly stock: string[] = [];
  private made = 0;
  private making: Promise<void> | null = null;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Makes the directory when it is not there. */
  async prepare(): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
  }

  /** Two pipes, for standard output and standard error, that belong to the account. */
  async open(ids: ProcessIds | null): Promise<readonly [OutputPipe, OutputPipe]> {
    return [openFifo(await this.take(), ids), openFifo(await this.take(), ids)];
  }

  private async take(): Promise<string> {
    for (;;) {
      const path = this.stock.pop();
      if (path !== undefined) return path;
      this.making ??= this.make().finally(() => {
        this.making = null;
      });
      await this.making;
    }
  }

  private async make(): Promise<void> {
    const paths = Array.from({ length: FIFOS_AT_ONCE }, () =>
      join(this.directory, `${this.prefix}.${this.made++}`),
    );
    await run('mkfifo', ['-m', '600', ...paths]);
    this.stock.push(...paths);
  }
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
