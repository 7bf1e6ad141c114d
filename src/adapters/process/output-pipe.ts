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
 * A pipe from a process to the agent. It is a real pipe, made from a FIFO: the sockets that Node makes for its children
 * cannot be opened as /dev/stdout or /dev/stderr.
 */
export interface OutputPipe {
  readonly reader: Socket;
  /** Descriptor of the reader, for reading available data immediately. Invalid once the reader is destroyed. */
  readonly descriptor: number;
  /** Must be passed to the process and then closed with `closeWriter`. */
  readonly writer: number;
  closeWriter(): void;
}

/** Number of FIFOs created by one run of the program: Node itself cannot create one. */
const FIFOS_AT_ONCE = 16;

/** Creates pipes. Some FIFOs are kept ready in its directory; a used one is removed from there. */
export class OutputPipes {
  private readonly directory: string;
  /** Files of an earlier agent may still exist. */
  private readonly prefix = randomUUID();
  private readonly stock: string[] = [];
  private made = 0;
  private making: Promise<void> | null = null;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Creates the directory if it is missing. */
  async prepare(): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
  }

  /** Opens two pipes, for standard output and standard error, that belong to the account. */
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
