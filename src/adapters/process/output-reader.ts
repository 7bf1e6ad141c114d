import type { Socket } from 'node:net';
import type { OutputBatch, OutputStream } from '../../core/ports/task-processes.ts';
import { LineAssembler } from './line-assembler.ts';
import { PROCESS_LIMITS } from './limits.ts';

interface Stream {
  readonly name: OutputStream;
  readonly socket: Socket;
  readonly lines: LineAssembler;
  closed: boolean;
}

/**
 * Reads the two output pipes of a process by lines. Reading pauses while more than the window is handed on and not
 * consumed, so that a task cannot write faster than its output is taken away.
 */
export class OutputReader {
  private readonly streams: readonly Stream[];
  private readonly deliver: (batch: OutputBatch) => void;
  private unconsumed = 0;
  private paused = false;
  private exited = false;
  private deadline: NodeJS.Timeout | null = null;
  private whenClosed: () => void = () => undefined;

  constructor(stdout: Socket, stderr: Socket, deliver: (batch: OutputBatch) => void) {
    this.deliver = deliver;
    this.streams = [this.open('stdout', stdout), this.open('stderr', stderr)];
  }

  consumed(bytes: number): void {
    this.unconsumed -= bytes;
    if (!this.paused || this.unconsumed >= PROCESS_LIMITS.outputWindowBytes) return;
    this.paused = false;
    for (const { socket } of this.streams) socket.resume();
    this.watchDeadline();
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

  private get allClosed(): boolean {
    return this.streams.every(({ closed }) => closed);
  }

  private open(name: OutputStream, socket: Socket): Stream {
    const stream: Stream = {
      name,
      socket,
      lines: new LineAssembler(PROCESS_LIMITS.lineBytes),
      closed: false,
    };
    socket.on('data', (bytes) => {
      this.hand(stream, stream.lines.push(bytes), bytes.length);
    });
    socket.on('error', () => {
      // 'close' follows.
    });
    socket.on('close', () => {
      const last = stream.lines.end();
      if (last !== null) this.hand(stream, [last], 0);
      stream.closed = true;
      if (!this.allClosed) return;
      if (this.deadline !== null) clearTimeout(this.deadline);
      this.whenClosed();
    });
    return stream;
  }

  private hand(stream: Stream, lines: readonly string[], bytes: number): void {
    if (lines.length === 0) return;
    this.unconsumed += bytes;
    const cut = stream.lines.lastCut;
    this.deliver({ stream: stream.name, lines, bytes, ...(cut.length > 0 && { cut }) });
    if (this.paused || this.unconsumed < PROCESS_LIMITS.outputWindowBytes) return;
    this.paused = true;
    for (const { socket } of this.streams) socket.pause();
    if (this.deadline !== null) clearTimeout(this.deadline);
    this.deadline = null;
  }

  /** The time after the exit runs only while the output is being read. */
  private watchDeadline(): void {
    if (!this.exited || this.paused || this.deadline !== null) return;
    this.deadline = setTimeout(() => {
      this.close();
    }, PROCESS_LIMITS.outputAfterExitMs);
  }
}
