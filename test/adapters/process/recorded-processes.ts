import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalTaskProcesses } from '../../../src/adapters/process/local-task-processes.ts';
import type { Mask } from '../../../src/adapters/process/mask.ts';
import { PROCESS_LIMITS } from '../../../src/adapters/process/limits.ts';
import { supervisorScript } from '../../../src/adapters/process/supervisor.ts';
import { DENIED_VARIABLES } from '../../../src/core/access/denied-variables.ts';
import { sessionId, type SessionId } from '../../../src/core/ids.ts';
import type {
  ActionEnd,
  ActionStart,
  OutputBatch,
  ResourceRequest,
  RunAs,
} from '../../../src/core/ports/task-processes.ts';
import type { ResourceUsage } from '../../../src/core/resource-usage.ts';
import { NO_LIMITS, type LimitSettings } from '../../../src/adapters/process/limit-settings.ts';

/** One event of the processes. */
export type Told =
  | { readonly type: 'opened'; readonly failure: string | null }
  | { readonly type: 'started'; readonly run: number }
  | { readonly type: 'output'; readonly run: number; readonly batch: OutputBatch }
  | {
      readonly type: 'ended';
      readonly run: number;
      readonly end: ActionEnd;
      readonly usage: ResourceUsage | null;
    }
  | { readonly type: 'closed' };

/** Real processes of one session in its own directory, with all their events. */
export class RecordedProcesses {
  readonly workerDirectory = realpathSync(mkdtempSync(join(tmpdir(), 'callsheet-processes-')));
  readonly sessionId: SessionId;
  readonly directory: string;
  readonly processes: LocalTaskProcesses;
  readonly told: Told[] = [];
  readonly warnings: string[] = [];
  readonly information: string[] = [];
  private waiters: (() => void)[] = [];
  private readonly launcher: boolean;
  private run = 0;

  /** `consume`: treats output as consumed immediately. */
  constructor(
    session: string,
    {
      consume = true,
      ownEnvironment = process.env,
      environmentPassthrough = [],
      defaultUser = '',
      mask,
      sessionsDirectory = null,
      beatTimeoutSeconds = PROCESS_LIMITS.beatTimeoutSeconds,
      launcher = false,
      tasksBeforeLauncher = launcher ? 0 : Infinity,
      limits = NO_LIMITS,
      network = 'open',
      diskQuotaBytes = 0,
      privateTmp = false,
      hideProcesses = false,
      noNewPrivileges = false,
      controlRoot = '/',
    }: {
      consume?: boolean;
      ownEnvironment?: Readonly<Record<string, string | undefined>>;
      environmentPassthrough?: readonly string[];
      defaultUser?: string;
      /** Files that tasks must not see, for the worker's own directory. */
      mask?: (workerDirectory: string) => Mask | null;
      /** Replaces the session directory below the worker's own directory. */
      sessionsDirectory?: string | null;
      beatTimeoutSeconds?: number;
      /** Uses a launcher, as after tasks that leave no processes behind. */
      launcher?: boolean;
      tasksBeforeLauncher?: number;
      limits?: LimitSettings;
      network?: 'open' | 'none';
      diskQuotaBytes?: number;
      privateTmp?: boolean;
      hideProcesses?: boolean;
      noNewPrivileges?: boolean;
      /** Root of the file system for the control groups with limits. */
      controlRoot?: string;
    } = {},
  ) {
    this.launcher = launcher;
    // Prevents other test runs on this machine from ending these processes.
    this.sessionId = sessionId(`${session}-${process.pid}`);
    this.directory = join(sessionsDirectory ?? join(this.workerDirectory, 'sessions'), 'one');
    this.processes = new LocalTaskProcesses({
      workerDirectory: this.workerDirectory,
      supervisorScript: supervisorScript(),
      beatTimeoutSeconds,
      tasksBeforeLauncher,
      ownEnvironment,
      isolation: {
        isEnabled: true,
        environmentPassthrough,
        defaultUser,
        environmentDeny: DENIED_VARIABLES,
        limits,
        network,
        diskQuotaBytes,
        privateTmp,
        hideProcesses,
        noNewPrivileges,
      },
      controlRoot,
      mask: () => mask?.(this.workerDirectory) ?? null,
      warn: (text) => this.warnings.push(text),
      inform: (text, attributes) => this.information.push(`${text}: ${JSON.stringify(attributes)}`),
      events: {
        opened: (_session, failure) => {
          this.tell({ type: 'opened', failure });
        },
        started: (_session, run) => {
          this.tell({ type: 'started', run });
        },
        output: (sessionId, run, batch) => {
          this.tell({ type: 'output', run, batch });
          if (consume) this.processes.consumed(sessionId, batch.bytes);
        },
        ended: (_session, run, end, usage) => {
          this.tell({ type: 'ended', run, end, usage: usage ?? null });
        },
        closed: () => {
          this.tell({ type: 'closed' });
        },
      },
    });
  }

  async open(runAs: RunAs | null = null, request?: ResourceRequest): Promise<void> {
    const failure = await this.tryOpen(runAs, request);
    if (failure !== null) throw new Error(failure);
  }

  /** Why the session could not be opened, or null. */
  async tryOpen(runAs: RunAs | null, request?: ResourceRequest): Promise<string | null> {
    const opening = { directory: this.directory, runAs, ...(request !== undefined && { request }) };
    this.processes.open(this.sessionId, opening);
    return (await this.until((told) => (told.type === 'opened' ? told : null))).failure;
  }

  /** Starts `command` and returns its number. */
  start(command: string, args: readonly string[] = [], rest: Partial<ActionStart> = {}): number {
    this.run += 1;
    this.processes.start(this.sessionId, {
      run: this.run,
      command,
      args,
      variables: {},
      files: [],
      keepsChildren: !this.launcher,
      ...rest,
    });
    return this.run;
  }

  /** Starts a bash script. */
  bash(script: string, rest: Partial<ActionStart> = {}): number {
    return this.start('bash', ['-c', script], rest);
  }

  async ended(run: number): Promise<ActionEnd> {
    return (await this.until((told) => (told.type === 'ended' && told.run === run ? told : null))).end;
  }

  /** Resources that the ended action has used; null if unknown. */
  async used(run: number): Promise<ResourceUsage | null> {
    return (await this.until((told) => (told.type === 'ended' && told.run === run ? told : null))).usage;
  }

  /** Resolves when the action has printed this line. */
  async line(run: number, text: string): Promise<void> {
    await this.until(() => (this.lines(run).includes(text) ? true : null));
  }

  lines(run: number, stream?: 'stdout' | 'stderr'): string[] {
    return this.told.flatMap((told) =>
      told.type === 'output' && told.run === run && (stream === undefined || told.batch.stream === stream)
        ? told.batch.lines
        : [],
    );
  }

  async close(): Promise<void> {
    this.processes.close(this.sessionId, { keepDirectory: false });
    await this.until((told) => (told.type === 'closed' ? told : null));
    await this.processes.settled();
    rmSync(this.workerDirectory, { recursive: true, force: true });
  }

  /** Resolves with the first result of `find` over all past and future events. */
  async until<T>(find: (told: Told) => T | null): Promise<T> {
    for (let next = 0; ;) {
      for (; next < this.told.length; next++) {
        const told = this.told[next];
        const found = told === undefined ? null : find(told);
        if (found !== null) return found;
      }
      await new Promise<void>((resolve) => this.waiters.push(resolve));
    }
  }

  private tell(told: Told): void {
    this.told.push(told);
    const waiters = this.waiters;
    this.waiters = [];
    for (const wake of waiters) wake();
  }
}
