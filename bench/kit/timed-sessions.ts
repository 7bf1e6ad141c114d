import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROCESS_LIMITS } from '../../src/adapters/process/limits.ts';
import { LocalTaskProcesses } from '../../src/adapters/process/local-task-processes.ts';
import type { IsolationSettings } from '../../src/adapters/process/isolation.ts';
import { supervisorScript } from '../../src/adapters/process/supervisor.ts';
import { sessionId } from '../../src/core/ids.ts';
import type { ActionEnd } from '../../src/core/ports/task-processes.ts';

/** Durations in milliseconds of one session with one task. */
export interface SessionTimes {
  /** From the request to open a session until a task can start. */
  readonly openMs: number;
  /** From the request to start the task until its end is reported. */
  readonly taskMs: number;
}

export interface TimedSessionsOptions {
  readonly isolation: IsolationSettings;
  /** Tasks are started by the launcher of the session, as the later ones of a session of the worker's own account. */
  readonly usesLauncher: boolean;
  /** Needed with the network `no_bus`. */
  readonly blockAccount?: (userId: number) => Promise<void>;
}

interface Waiting {
  readonly opened: (failure: string | null) => void;
  readonly ended: (end: ActionEnd) => void;
  readonly closed: () => void;
}

/** Sessions with one task that runs `/bin/true`, by the process adapter of the worker. */
export class TimedSessions {
  readonly #directory = realpathSync(mkdtempSync(join(tmpdir(), 'callsheet-bench-')));
  readonly #processes: LocalTaskProcesses;
  readonly #waiting: { -readonly [Event in keyof Waiting]: Waiting[Event] } = {
    opened: () => undefined,
    ended: () => undefined,
    closed: () => undefined,
  };
  #count = 0;

  constructor({ isolation, usesLauncher, blockAccount }: TimedSessionsOptions) {
    // Accounts of tasks reach their directories in it.
    chmodSync(this.#directory, 0o711);
    this.#processes = new LocalTaskProcesses({
      workerDirectory: this.#directory,
      supervisorScript: supervisorScript(),
      beatTimeoutSeconds: PROCESS_LIMITS.beatTimeoutSeconds,
      tasksBeforeLauncher: usesLauncher ? 0 : Infinity,
      ownEnvironment: process.env,
      isolation,
      ...(blockAccount !== undefined && { blockAccount }),
      warn: (text, attributes) => process.stderr.write(`${text}: ${JSON.stringify(attributes)}\n`),
      inform: () => undefined,
      events: {
        opened: (_session, failure) => this.#waiting.opened(failure),
        started: () => undefined,
        output: (session, _run, { bytes }) => this.#processes.consumed(session, bytes),
        ended: (_session, _run, end) => this.#waiting.ended(end),
        closed: () => this.#waiting.closed(),
      },
    });
  }

  /**
   * Opens a session, runs the task and closes the session.
   *
   * @throws Error with the reason if the session cannot be opened or the task fails.
   */
  async run(): Promise<SessionTimes> {
    const id = sessionId(`bench-${process.pid}-${++this.#count}`);
    const directory = join(this.#directory, 'sessions', id);
    const begun = performance.now();
    const failure = await new Promise<string | null>((resolve) => {
      this.#waiting.opened = resolve;
      this.#processes.open(id, { directory, runAs: null, request: { memoryMib: 1024, cores: 1 } });
    });
    const openMs = performance.now() - begun;
    try {
      if (failure !== null) throw new Error(failure);
      const startedAt = performance.now();
      const end = await new Promise<ActionEnd>((resolve) => {
        this.#waiting.ended = resolve;
        this.#processes.start(id, {
          run: 1,
          command: '/bin/true',
          args: [],
          variables: {},
          keepsChildren: false,
          files: [],
        });
      });
      const taskMs = performance.now() - startedAt;
      if (end.kind !== 'exited' || end.code !== 0) throw new Error(`/bin/true: ${JSON.stringify(end)}`);
      return { openMs, taskMs };
    } finally {
      await new Promise<void>((resolve) => {
        this.#waiting.closed = resolve;
        this.#processes.close(id, { keepDirectory: false });
      });
    }
  }

  /** Removes the directory. */
  async close(): Promise<void> {
    await this.#processes.settled();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
