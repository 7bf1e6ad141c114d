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
  /** Read and not yet handed on. */
  gathered: string[];
  /** Which of these have lost their end: indices. */
  cut: number[];
  bytes: number;
  closed: boolean;
}

/** A line that hides what other lines hold, or tries to. */
const HIDING = /openjd_redacted_env/i;

/**
 * Reads the two output pipes of a process by lines. Reading pauses while more than the window is handed on and not
 * consumed, so that a task cannot write faster than its output is taken away.
 *
 * Which of two lines in different pipes was written first cannot be told. What was read of one pipe is handed on when the other was read
 * after that: all that was written before it is there by then. Standard output comes first, and each batch says which lines of the
 * other pipe hide something.
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

  /** The next process writes to the same pipes: what is read from now on is its output. */
  begin(deliver: (batch: OutputBatch) => void): void {
    this.deliver = deliver;
    if (this.paused) this.consumed(this.unconsumed);
    this.unconsumed = 0;
  }

  /**
   * Nothing writes to the pipes any more, and they are to be used again: resolves when all that is in them is handed on. Something that writes all
   * the same is heard for `PROCESS_LIMITS.outputAfterExitMs` of reading.
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
   * The process has ended: resolves when the output is at its end, or when something that the process left behind has
   * held it open for `PROCESS_LIMITS.outputAfterExitMs` of reading.
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

  /** `lines`: what the assembler has given last. */
  private gather(stream: Stream, lines: string[]): void {
    const { gathered } = stream;
    for (const index of stream.lines.lastCut) stream.cut.push(gathered.length + index);
    if (gathered.length === 0) stream.gathered = lines;
    else for (const line of lines) gathered.push(line);
  }

  /** Reads the pipes in turns until nothing is there, beginning with the other one than what was read last; then hands on. */
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
      // There is no end of it: what was read last waits for the next round.
      held = last.gathered.length - before;
      break;
    }
    this.isGathering = false;
    this.handOn(held);
    if (held > 0) this.goOnLater();
  }

  /** What is in the pipe now. Gives the number of bytes. */
  private drain(stream: Stream): number {
    const { socket, descriptor, bytes: before } = stream;
    if (socket.destroyed) return 0;
    // Tells 'data'.
    if (socket.readableLength > 0) socket.read();
    try {
      const count = readSync(descriptor, this.buffer);
      this.take(stream, this.buffer.subarray(0, count));
    } catch (error) {
      // What is wrong with the pipe is told by the socket as well.
      if (errorCode(error) === null) throw error;
    }
    return stream.bytes - before;
  }

  /** A round that no new output brings about, for what was held back or is the end of a pipe. */
  private goOnLater(): void {
    if (this.later !== null || this.streams.every(({ gathered }) => gathered.length === 0)) return;
    this.later = setImmediate(() => {
      this.later = null;
      if (!this.paused && !this.allClosed) {
        this.round(this.stdout.gathered.length > 0 ? this.stdout : this.stderr);
      }
    });
  }

  /** Hands on what was gathered, but for so many lines of standard error. */
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

  /** The time after the exit runs only while the output is being read. */
  private watchDeadline(): void {
    if (!this.exited || this.paused || this.deadline !== null) return;
    this.deadline = setTimeout(() => {
      this.close();
    }, PROCESS_LIMITS.outputAfterExitMs);
  }
}

const hidingOf = ({ gathered, cut }: Stream): readonly HidingLine[] =>
  gathered.flatMap((line, index) => (HIDING.test(line) ? [{ line, isCut: cut.includes(index) }] : []));
