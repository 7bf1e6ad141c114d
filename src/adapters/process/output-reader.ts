import { readSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { HidingLine, OutputBatch, OutputStream } from '../../core/ports/task-processes.ts';
import { errorCode } from './error-code.ts';
import { LineAssembler } from './line-assembler.ts';
import { PROCESS_LIMITS } from './limits.ts';
import type { OutputPipe } from './output-pipe.ts';

interface Stream {
  readonly name: OutputStream;
  readonly socket: Socket;
  readonly descriptor: number;
  readonly lines: LineAssembler;
  /** Lines that are read but not delivered yet. */
  gathered: string[];
  /** Indices of the cut lines. */
  cut: number[];
  bytes: number;
  closed: boolean;
}

/** A line that redacts the content of other lines, or tries to. */
const HIDING = /openjd_redacted_env/i;

/**
 * Reads the two output pipes of a process by lines.
 *
 * - Flow control: reading pauses while more than the window is delivered and not consumed, so that a task cannot write
 *   faster than its output is processed.
 * - Order: the order of lines in different pipes is unknown. Lines of one pipe are delivered after the other pipe was
 *   read, so that everything written before them is available. Standard output comes first, and each batch lists the
 *   redaction lines of the other pipe.
 * - Exits: `rest` after the end of the process, or `drained` if the pipes are reused.
 */
export class OutputReader {
  private readonly stdout: Stream;
  private readonly stderr: Stream;
  private deliver: (batch: OutputBatch) => void;
  private readonly buffer = Buffer.allocUnsafe(PROCESS_LIMITS.pipeBytes);
  private isGathering = false;
  private later: NodeJS.Immediate | null = null;
  private unconsumed = 0;
  private paused = false;
  private exited = false;
  private deadline: NodeJS.Timeout | null = null;
  private whenClosed: () => void = () => undefined;
  private whenResumed: () => void = () => undefined;

  constructor(stdout: OutputPipe, stderr: OutputPipe, deliver: (batch: OutputBatch) => void) {
    this.deliver = deliver;
    this.stdout = this.open('stdout', stdout);
    this.stderr = this.open('stderr', stderr);
  }

  consumed(bytes: number): void {
    this.unconsumed -= bytes;
    if (!this.paused || this.unconsumed >= PROCESS_LIMITS.outputWindowBytes) return;
    this.paused = false;
    for (const { socket } of this.streams) socket.resume();
    this.goOnLater();
    this.watchDeadline();
    this.whenResumed();
  }

  /** Starts the output of the next process, which writes to the same pipes. */
  begin(deliver: (batch: OutputBatch) => void): void {
    this.deliver = deliver;
    if (this.paused) this.consumed(this.unconsumed);
    this.unconsumed = 0;
  }

  /**
   * Resolves when everything in the pipes is delivered: no process writes to them any more, and they are to be reused.
   * If something still writes, reading ends after `PROCESS_LIMITS.outputAfterExitMs`.
   */
  async drained(): Promise<void> {
    for (let readingMs = 0; !this.allClosed && readingMs < PROCESS_LIMITS.outputAfterExitMs;) {
      if (this.paused) {
        await new Promise<void>((resolve) => {
          this.whenResumed = resolve;
        });
        continue;
      }
      const begun = performance.now();
      this.isGathering = true;
      const bytes = this.drain(this.stdout) + this.drain(this.stderr);
      this.isGathering = false;
      this.handOn(0);
      if (bytes === 0) break;
      readingMs += performance.now() - begun;
    }
    for (const stream of this.streams) {
      const last = stream.lines.end();
      if (last !== null) this.gather(stream, [last]);
    }
    this.handOn(0);
    this.deliver = () => undefined;
  }

  /**
   * Called after the exit of the process: resolves at the end of the output, or when another process has kept it open
   * for `PROCESS_LIMITS.outputAfterExitMs` of reading.
   */
  async rest(): Promise<void> {
    this.exited = true;
    if (this.allClosed) return;
    await new Promise<void>((resolve) => {
      this.whenClosed = resolve;
      this.watchDeadline();
    });
  }

  close(): void {
    for (const { socket } of this.streams) socket.destroy();
  }

  private get streams(): readonly [Stream, Stream] {
    return [this.stdout, this.stderr];
  }

  private get allClosed(): boolean {
    return this.streams.every(({ closed }) => closed);
  }

  private open(name: OutputStream, { reader: socket, descriptor }: OutputPipe): Stream {
    const stream: Stream = {
      name,
      socket,
      descriptor,
      lines: new LineAssembler(PROCESS_LIMITS.lineBytes),
      gathered: [],
      cut: [],
      bytes: 0,
      closed: false,
    };
    socket.on('data', (bytes) => {
      this.take(stream, bytes);
      if (!this.isGathering) this.round(stream);
    });
    socket.on('error', () => {
      // 'close' follows.
    });
    socket.on('close', () => {
      const last = stream.lines.end();
      if (last !== null) this.gather(stream, [last]);
      stream.closed = true;
      if (!this.allClosed) {
        this.goOnLater();
        return;
      }
      this.handOn(0);
      if (this.deadline !== null) clearTimeout(this.deadline);
      this.whenClosed();
    });
    return stream;
  }

  private take(stream: Stream, bytes: Uint8Array): void {
    this.gather(stream, stream.lines.push(bytes));
    stream.bytes += bytes.length;
  }

  /** `lines`: the latest result of the assembler. */
  private gather(stream: Stream, lines: string[]): void {
    const { gathered } = stream;
    for (const index of stream.lines.lastCut) stream.cut.push(gathered.length + index);
    if (gathered.length === 0) stream.gathered = lines;
    else for (const line of lines) gathered.push(line);
  }

  /** Reads the pipes alternately until both are empty, starting with the one that was not read last; then delivers. */
  private round(readLast: Stream): void {
    this.isGathering = true;
    let last = readLast;
    let held = 0;
    for (let bytes = 0; ;) {
      last = last === this.stdout ? this.stderr : this.stdout;
      const before = last.gathered.length;
      const read = this.drain(last);
      if (read === 0) break;
      bytes += read;
      if (last === this.stdout || bytes < PROCESS_LIMITS.outputWindowBytes) continue;
      // The output does not end: the data read last waits for the next round.
      held = last.gathered.length - before;
      break;
    }
    this.isGathering = false;
    this.handOn(held);
    if (held > 0) this.goOnLater();
  }

  /** Reads the available data of the pipe. Returns the number of bytes. */
  private drain(stream: Stream): number {
    const { socket, descriptor, bytes: before } = stream;
    if (socket.destroyed) return 0;
    // Emits 'data'.
    if (socket.readableLength > 0) socket.read();
    try {
      const count = readSync(descriptor, this.buffer);
      this.take(stream, this.buffer.subarray(0, count));
    } catch (error) {
      // The socket also emits the error of the pipe.
      if (errorCode(error) === null) throw error;
    }
    return stream.bytes - before;
  }

  /** Starts a round without new output, for lines that were held back or the end of a pipe. */
  private goOnLater(): void {
    if (this.later !== null || this.streams.every(({ gathered }) => gathered.length === 0)) return;
    this.later = setImmediate(() => {
      this.later = null;
      if (!this.paused && !this.allClosed) {
        this.round(this.stdout.gathered.length > 0 ? this.stdout : this.stderr);
      }
    });
  }

  /** Delivers the gathered lines, except for `held` lines of standard error. */
  private handOn(held: number): void {
    const { stdout, stderr } = this;
    const areBoth = stdout.gathered.length > 0 && stderr.gathered.length > 0;
    const [besideStdout, besideStderr] = areBoth ? [hidingOf(stderr), hidingOf(stdout)] : [[], []];
    this.hand(stdout, stdout.gathered.length, besideStdout);
    this.hand(stderr, stderr.gathered.length - held, besideStderr);
    if (this.paused || this.unconsumed < PROCESS_LIMITS.outputWindowBytes) return;
    this.paused = true;
    for (const { socket } of this.streams) socket.pause();
    if (this.deadline !== null) clearTimeout(this.deadline);
    this.deadline = null;
  }

  private hand(stream: Stream, count: number, hiding: readonly HidingLine[]): void {
    if (stream.gathered.length === 0) stream.bytes = 0;
    if (count === 0) return;
    const { name, bytes, gathered, cut } = stream;
    stream.gathered = gathered.splice(count);
    stream.cut = cut.flatMap((index) => (index < count ? [] : [index - count]));
    stream.bytes = 0;
    this.unconsumed += bytes;
    const taken = cut.filter((index) => index < count);
    this.deliver({
      stream: name,
      lines: gathered,
      bytes,
      ...(taken.length > 0 && { cut: taken }),
      ...(hiding.length > 0 && { hiding }),
    });
  }

  /** The time after the exit counts only while the output is being read. */
  private watchDeadline(): void {
    if (!this.exited || this.paused || this.deadline !== null) return;
    this.deadline = setTimeout(() => {
      this.close();
    }, PROCESS_LIMITS.outputAfterExitMs);
  }
}

const hidingOf = ({ gathered, cut }: Stream): readonly HidingLine[] =>
  gathered.flatMap((line, index) => (HIDING.test(line) ? [{ line, isCut: cut.includes(index) }] : []));
