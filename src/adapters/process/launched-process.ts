import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import type { ActionEnd, OutputBatch } from '../../core/ports/task-processes.ts';
import { messageOf } from './error-code.ts';
import type { LaunchAnswer, LaunchRequest } from './launch-request.ts';
import type { Launcher } from './launcher.ts';
import { killTree, signalGroup, type ProcessTree } from './process-tree.ts';
import { startFailure } from './start-failure.ts';
import type { Supervisor } from './supervisor.ts';
import type { ActionEvents, TaskProcess } from './task-process.ts';

type Answer<Type extends LaunchAnswer['type']> = Extract<LaunchAnswer, { type: Type }>;

const SIGNAL_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name]),
);

/**
 * A process of a task that the session's launcher starts. Reports everything through `ActionEvents`; never throws.
 *
 * - States: starting, running (`pid` is set), ended.
 * - Invariants: `ended` is reported exactly once, after all output.
 * - Exits: exit of the process, failed start, `kill`, or loss of the launcher or the supervisor, which ends it as
 *   fenced.
 */
export class LaunchedProcess implements TaskProcess {
  private readonly request: LaunchRequest;
  private readonly marker: string;
  private readonly launcher: Launcher;
  private readonly supervisor: Supervisor;
  private readonly events: ActionEvents;
  /** Null before its start and after its end. */
  private pid: number | null = null;
  private isOver = false;
  /** Output that was read before the confirmation of the start; null afterwards. */
  private early: OutputBatch[] | null = [];
  private endAsked = false;
  private killAsked = false;
  private isUnguarded = false;

  /** `marker`: an entry `NAME=value` of its environment that only the processes of this action have. */
  constructor(
    request: LaunchRequest,
    marker: string,
    launcher: Launcher,
    supervisor: Supervisor,
    events: ActionEvents,
  ) {
    this.request = request;
    this.marker = marker;
    this.launcher = launcher;
    this.supervisor = supervisor;
    this.events = events;
  }

  /** `frame`: the encoded request. */
  start(frame: Buffer): void {
    const { launcher, events } = this;
    launcher.output.begin((batch) => {
      if (this.early === null) events.output(batch);
      else this.early.push(batch);
    });
    launcher.launch(frame, {
      answered: (answer) => this.answered(answer),
      lost: () => void this.launcherLost(),
    });
  }

  consumed(bytes: number): void {
    this.launcher.output.consumed(bytes);
  }

  askToEnd(): void {
    this.endAsked = true;
    if (this.pid !== null) signalGroup(this.pid, 'SIGTERM');
  }

  /** The launcher is in the same control group and ends as well. */
  async kill(): Promise<readonly number[]> {
    this.killAsked = true;
    return this.isOver ? [] : killTree(this.treeOf(this.pid));
  }

  async supervisorLost(): Promise<readonly number[]> {
    this.isUnguarded = true;
    return this.kill();
  }

  private treeOf(leader: number | null): ProcessTree {
    const { marker, launcher, supervisor } = this;
    return { marker, cgroup: launcher.group, leader, known: new Map(), since: supervisor.startedAt };
  }

  private answered(answer: Exclude<LaunchAnswer, { type: 'ready' }>): void {
    if (answer.run !== this.request.run || this.isOver) return;
    if (answer.type === 'started') this.started(answer);
    else if (answer.type === 'ended') void this.ended(answer);
    else void this.failed(answer);
  }

  private started({ pid }: Answer<'started'>): void {
    this.pid = pid;
    // A control group already contains everything that the guard has to watch.
    if (this.launcher.group === null) this.supervisor.guardGroup(pid);
    this.events.started();
    const early = this.early ?? [];
    this.early = null;
    for (const batch of early) this.events.output(batch);
    if (this.endAsked) this.askToEnd();
    if (this.killAsked) void this.kill();
  }

  private async failed({ stage, errno }: Answer<'failed'>): Promise<void> {
    this.isOver = true;
    const error = systemError(errno);
    const reason =
      stage === 'file'
        ? `an embedded file could not be written: ${messageOf(error)}`
        : await startFailure(error, this.request);
    await this.launcher.output.drained();
    this.events.ended({ kind: 'not-started', reason });
  }

  private async ended({ code, signal }: Answer<'ended'>): Promise<void> {
    this.isOver = true;
    const { launcher, supervisor, pid } = this;
    this.pid = null;
    if (launcher.group === null) supervisor.guardGroup(null);
    const { isAlone } = launcher;
    // A process that was deliberately moved out of the control group may still be in the process group.
    if (isAlone && (pid === null || !signalGroup(pid, 'SIGKILL'))) await launcher.output.drained();
    else {
      const tree = this.treeOf(pid);
      const left = await killTree(isAlone ? { ...tree, cgroup: null } : tree);
      await launcher.output.drained();
      // The launcher was killed with its control group; processes that could not be killed may still hold its pipes.
      if ((launcher.group !== null && !isAlone) || left.length > 0) launcher.retire();
    }
    const end: ActionEnd =
      signal === 0
        ? { kind: 'exited', code }
        : { kind: 'signaled', signal: SIGNAL_NAMES.get(signal) ?? `signal ${signal}` };
    const mayBeFenced = signal === constants.signals.SIGKILL && !this.killAsked;
    this.events.ended((await this.isFenced(mayBeFenced)) ? { kind: 'fenced' } : end);
  }

  /** The launcher was killed with its children, by this agent, by the guard of the session, or by something else. */
  private async launcherLost(): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    const { launcher, pid } = this;
    this.pid = null;
    await killTree(this.treeOf(pid));
    await launcher.output.drained();
    launcher.retire();
    this.events.ended(
      (await this.isFenced(!this.killAsked)) ? { kind: 'fenced' } : { kind: 'signaled', signal: 'SIGKILL' },
    );
  }

  /** `isInQuestion`: the guard may have killed it. */
  private async isFenced(isInQuestion: boolean): Promise<boolean> {
    return this.isUnguarded || (isInQuestion && (await this.supervisor.state()) !== 'guarding');
  }
}

/** Returns an error as Node makes it from the errno of a call. */
function systemError(errno: number): Error {
  const [code, text] = getSystemErrorMap().get(-errno) ?? [`E${errno}`, 'unknown error'];
  return Object.assign(new Error(`${code}: ${text}`), { code });
}
