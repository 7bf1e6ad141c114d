import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/** Standing of a node as its log tells it. */
export interface LoggedStanding {
  readonly state: string;
  readonly epoch: number;
}

const TEXT = 'standing of this node in its cluster';
const OWNS_TEXT = 'this node owns the farms';

/** Reads the log of a node as it grows. */
export class NodeLog {
  readonly #file: string;
  #offset = 0;
  #rest = '';
  #standing: LoggedStanding | null = null;
  #takeovers = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns the last standing since the last `forget`, or null. */
  standing(): LoggedStanding | null {
    this.#read();
    return this.#standing;
  }

  /** Returns the number of times that the node has started to serve as owner. */
  takeovers(): number {
    this.#read();
    return this.#takeovers;
  }

  /** Forgets the standing of a process that has ended. */
  forget(): void {
    this.#read();
    this.#standing = null;
  }

  #read(): void {
    if (!existsSync(this.#file)) return;
    const file = openSync(this.#file, 'r');
    try {
      const bytes = Buffer.alloc(fstatSync(file).size - this.#offset);
      this.#offset += readSync(file, bytes, 0, bytes.length, this.#offset);
      const lines = (this.#rest + bytes.toString('utf8')).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) this.#take(line);
    } finally {
      closeSync(file);
    }
  }

  #take(line: string): void {
    if (line.includes(OWNS_TEXT)) this.#takeovers++;
    if (!line.includes(TEXT)) return;
    const { state, epoch } = JSON.parse(line) as LoggedStanding;
    this.#standing = { state, epoch };
  }
}
