import { setTimeout as delay } from 'node:timers/promises';
import { MAKER_LIMITS } from '../../src/adapters/previews/limits.ts';
import { PreviewLines, reasonOf, type PreviewResult } from '../../src/adapters/previews/preview-lines.ts';
import type { PreviewWork } from '../../src/adapters/previews/preview-work.ts';
import type { SessionId } from '../../src/core/ids.ts';
import type { StoreOutcome } from '../../src/core/ports/bus.ts';
import type { PreviewRequest, Previews, WrittenOutput } from '../../src/core/ports/previews.ts';
import type {
  ActionEnd,
  OutputBatch,
  TaskProcesses,
  TaskProcessEvents,
} from '../../src/core/ports/task-processes.ts';
import { canFind } from '../../src/core/previews/declared-outputs.ts';
import { previewCandidates } from '../../src/core/previews/preview-limits.ts';
import { outputPathWrong } from '../../src/core/records/task-output.ts';
import type { PreviewMessage } from '../../src/core/wire/bus-messages.ts';

/** The only action of its session. */
const RUN = 1;
const REQUEST_FILE = 'preview-request.json';
const MIB = 2 ** 20;
/** Pause before a preview is sent again. */
const AGAIN_MS = 5_000;

export interface PreviewMakerOptions {
  readonly processes: () => Pick<TaskProcesses, 'open' | 'start' | 'kill' | 'consumed' | 'close'>;
  readonly publish: (message: PreviewMessage) => Promise<StoreOutcome>;
  /** Directory in which sessions have theirs. */
  readonly sessionsDirectory: string;
  /** Program of Node, and the file of the process that makes previews. */
  readonly program: readonly [string, string];
  readonly newSessionId: () => SessionId;
  /** Time for all previews of an attempt, in milliseconds. */
  readonly timeMs: number;
  readonly log: (level: 'debug' | 'warn', text: string, attributes: Readonly<Record<string, string>>) => void;
}

/** The attempt whose previews are being made. */
interface Current {
  readonly sessionId: SessionId;
  readonly request: PreviewRequest;
  readonly outputs: readonly WrittenOutput[];
  readonly lines: PreviewLines;
  /** `sending`: no process of it is left. */
  phase: 'opening' | 'running' | 'closing' | 'sending';
  hasTimedOut: boolean;
  /** Of its output. */
  bytes: number;
  /** Why no process ran, or how it ended. */
  ending: string;
  timer: NodeJS.Timeout | null;
}

/**
 * Makes previews of outputs, one attempt after another, each in a session of its own: with the account, the isolation and the guard
 * of a task, so that no file is read that the task could not read, and with limits of memory and time.
 */
export class PreviewMaker implements Previews {
  private readonly options: PreviewMakerOptions;
  private readonly waiting: PreviewRequest[] = [];
  private readonly stopping = new AbortController();
  private isStoring = false;
  private current: Current | null = null;
  /** Resolves the stop of this worker. */
  private gone: (() => void) | null = null;

  constructor(options: PreviewMakerOptions) {
    this.options = options;
  }

  serviceStores(isStoring: boolean): void {
    this.isStoring = isStoring;
  }

  make(request: PreviewRequest): void {
    const isWanted = this.isStoring && !this.stopping.signal.aborted;
    if (!isWanted || (imagesOf(request).length === 0 && request.searches.length === 0)) return;
    if (this.waiting.length >= MAKER_LIMITS.waiting) {
      const attributes = { attempt_id: request.attemptId };
      this.options.log('warn', 'an attempt gets no previews: too many wait', attributes);
      return;
    }
    this.waiting.push(request);
    this.next();
  }

  /** Ends the process of the current attempt and drops the others. Resolves when no process of it is left. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.waiting.length = 0;
    const { current } = this;
    if (current === null || current.phase === 'sending') return;
    const gone = new Promise<void>((resolve) => {
      this.gone = resolve;
    });
    if (current.phase === 'running') this.options.processes().kill(current.sessionId, RUN);
    await gone;
  }

  /** Returns a listener that takes the events of its own sessions and passes on those of others. */
  ownEvents(others: TaskProcessEvents): TaskProcessEvents {
    const own = (sessionId: SessionId): Current | null =>
      this.current?.sessionId === sessionId ? this.current : null;
    return {
      opened: (sessionId, failure) => {
        const current = own(sessionId);
        if (current === null) others.opened(sessionId, failure);
        else this.opened(current, failure);
      },
      started: (sessionId, run) => {
        if (own(sessionId) === null) others.started(sessionId, run);
      },
      output: (sessionId, run, batch) => {
        const current = own(sessionId);
        if (current === null) {
          others.output(sessionId, run, batch);
          return;
        }
        this.read(current, batch);
      },
      ended: (sessionId, run, end, usage) => {
        const current = own(sessionId);
        if (current !== null) this.ended(current, end);
        else if (usage === undefined) others.ended(sessionId, run, end);
        else others.ended(sessionId, run, end, usage);
      },
      closed: (sessionId) => {
        const current = own(sessionId);
        if (current === null) others.closed(sessionId);
        else this.closed(current);
      },
    };
  }

  private next(): void {
    if (this.current !== null) return;
    const request = this.waiting.shift();
    if (request === undefined) return;
    const { processes, sessionsDirectory, newSessionId } = this.options;
    const sessionId = newSessionId();
    const outputs = imagesOf(request);
    this.current = {
      sessionId,
      request,
      outputs,
      lines: new PreviewLines(),
      phase: 'opening',
      hasTimedOut: false,
      bytes: 0,
      ending: '',
      timer: null,
    };
    processes().open(sessionId, {
      directory: `${sessionsDirectory}/${sessionId}`,
      runAs: request.runAs,
      request: { memoryMib: MAKER_LIMITS.memoryBytes / MIB, cores: 1 },
    });
  }

  private opened(current: Current, failure: string | null): void {
    const { processes, sessionsDirectory, program } = this.options;
    const { sessionId, outputs, request } = current;
    if (failure !== null || this.stopping.signal.aborted) {
      current.ending = failure ?? '';
      this.close(current);
      return;
    }
    current.phase = 'running';
    current.timer = setTimeout(() => {
      current.hasTimedOut = true;
      processes().kill(sessionId, RUN);
    }, this.options.timeMs);
    const file = `${sessionsDirectory}/${sessionId}/${REQUEST_FILE}`;
    processes().start(sessionId, {
      run: RUN,
      command: 'nice',
      args: [
        '-n',
        String(MAKER_LIMITS.niceness),
        'prlimit',
        `--data=${MAKER_LIMITS.memoryBytes}`,
        `--cpu=${MAKER_LIMITS.cpuSeconds}`,
        '--fsize=0',
        '--core=0',
        ...program,
        file,
      ],
      variables: { NODE_OPTIONS: null, UV_THREADPOOL_SIZE: '1', MALLOC_ARENA_MAX: '2' },
      keepsChildren: false,
      files: [{ path: file, data: JSON.stringify(workOf(request, outputs)), runnable: false }],
    });
  }

  /** Its output is not trusted: a flood of it must not take the time of the worker. */
  private read(current: Current, { stream, lines, bytes }: OutputBatch): void {
    const { sessionId } = current;
    const isOver = current.bytes > MAKER_LIMITS.outputBytes;
    current.bytes += bytes;
    if (stream === 'stdout' && !isOver) for (const line of lines) current.lines.add(line);
    if (!isOver && current.bytes > MAKER_LIMITS.outputBytes) this.options.processes().kill(sessionId, RUN);
    this.options.processes().consumed(sessionId, bytes);
  }

  private ended(current: Current, end: ActionEnd): void {
    if (current.timer !== null) clearTimeout(current.timer);
    current.ending = current.hasTimedOut
      ? `it takes more than ${this.options.timeMs / 1000} s`
      : endingOf(end);
    this.close(current);
  }

  private close(current: Current): void {
    current.phase = 'closing';
    this.options.processes().close(current.sessionId, { keepDirectory: false });
  }

  private closed(current: Current): void {
    current.phase = 'sending';
    this.gone?.();
    void this.send(current);
  }

  /** Sends the results, and begins with the next attempt. */
  private async send(current: Current): Promise<void> {
    const { request, outputs, lines, ending } = current;
    for (const [number, { name }] of outputs.entries()) {
      if (this.stopping.signal.aborted) break;
      const result = lines.results.get(number) ?? { kind: 'missing', reason: reasonOf(ending) };
      await this.publish(messageOf(request, number, { path: name }, result));
    }
    for (const [number, found] of outputs.length === 0 ? foundBy(request, lines) : []) {
      if (this.stopping.signal.aborted) break;
      const result = lines.results.get(number) ?? { kind: 'missing', reason: reasonOf(ending) };
      await this.publish(messageOf(request, number, found, result));
    }
    this.current = null;
    this.next();
  }

  private async publish(message: PreviewMessage): Promise<void> {
    const { attempt_id: attempt, missing } = message;
    if (missing !== undefined)
      this.options.log('debug', 'an output has no preview', { attempt_id: attempt, reason: missing });
    for (let tries = 1; ; tries++) {
      const outcome = await this.options.publish(message);
      if (outcome.type === 'stored' || this.stopping.signal.aborted) return;
      if (tries === MAKER_LIMITS.tries) {
        const attributes = { attempt_id: attempt, reason: outcome.type };
        this.options.log('warn', 'a preview could not be sent', attributes);
        return;
      }
      // It rejects only when the worker stops.
      await delay(AGAIN_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }
}

function messageOf(
  { taskId, attemptId }: PreviewRequest,
  number: number,
  output: Pick<PreviewMessage, 'path' | 'parameter'>,
  result: PreviewResult,
): PreviewMessage {
  const content = result.kind === 'image' ? { data: result.data } : { missing: result.reason };
  return { v: 1, task_id: taskId, attempt_id: attemptId, number, ...output, ...content };
}

/** Returns the outputs to look at: images that the task has named. */
function imagesOf({ outputs }: PreviewRequest): readonly WrittenOutput[] {
  const indices = previewCandidates(outputs.map(({ path }) => path));
  return indices.flatMap((index) => outputs[index] ?? []);
}

const workOf = ({ searches, startedAt }: PreviewRequest, outputs: readonly WrittenOutput[]): PreviewWork => ({
  paths: outputs.map(({ path }) => path),
  searches: outputs.length === 0 ? searches : [],
  startedAt,
});

/** Returns the files that the process has found. It is not trusted: they must be what it was to look for. */
function* foundBy(
  { searches, redact }: PreviewRequest,
  { found }: PreviewLines,
): Generator<[number, Required<Pick<PreviewMessage, 'path' | 'parameter'>>]> {
  for (const [number, { search, path }] of [...found].sort(([one], [other]) => one - other)) {
    const wanted = searches[search];
    const name = redact(path);
    if (wanted === undefined || !canFind(wanted, path) || outputPathWrong(name) !== null) continue;
    yield [number, { path: name, parameter: wanted.parameter }];
  }
}

function endingOf(end: ActionEnd): string {
  switch (end.kind) {
    case 'exited':
      return end.code === 0
        ? 'the image could not be decoded'
        : `the image could not be decoded: exit code ${end.code}`;
    case 'signaled':
      return `the image could not be decoded: ${end.signal}`;
    case 'not-started':
      return end.reason;
    case 'fenced':
      return 'the worker has lost contact';
  }
}
