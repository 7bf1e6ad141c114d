import { spawn, type ChildProcess } from 'node:child_process';
import type { ActionEnd } from '../../core/ports/task-processes.ts';
import type { ProcessIds } from '../../core/access/isolation-names.ts';
import { messageOf } from './error-code.ts';
import { launchOf, needsPreparation, type Command, type Preparation } from './launch.ts';
import type { Mask } from './mask.ts';
import { OutputReader } from './output-reader.ts';
import type { OutputPipe, OutputPipes } from './output-pipe.ts';
import { findTree, hasExited, killTree, signalGroup, type ProcessTree } from './process-tree.ts';
import type { Cgroup } from './session-cgroup.ts';
import type { SessionView } from './session-view.ts';
import { preflightError } from './start-check.ts';
import { startFailure } from './start-failure.ts';
import type { Supervisor } from './supervisor.ts';
import type { ActionEvents, TaskProcess } from './task-process.ts';

/** Command of an action: no shell parses it, and nothing is split. */
export interface ActionCommand extends Command {
  /** The account that it runs as; null for the worker's own. */
  readonly ids: ProcessIds | null;
  /** Files that it must not see; null for nothing. */
  readonly mask: Mask | null;
  readonly network: 'open' | 'none';
  readonly view: SessionView;
  readonly noNewPrivileges: boolean;
  readonly workingDirectory: string;
  /** An entry `NAME=value` of `environment` that only the processes of this action have. */
  readonly marker: string;
  /** Contains only the processes of this action; null without control groups. */
  readonly cgroup: Cgroup | null;
  /** Control groups of its session with limits. */
  readonly groups: readonly string[];
  /** Set if its remaining processes are not ended with it. */
  readonly keepsChildren: boolean;
}

/**
 * One process of an action with its output, in its own process group. Reports everything through `ActionEvents`; never
 * throws.
 *
 * - States: starting, running, ended.
 * - Invariants: `ended` is reported exactly once, after all output.
 * - Exits: exit of the process, failed start, `kill`, or `supervisorLost`, which ends it as fenced.
 */
export class ActionProcess implements TaskProcess {
  private readonly command: ActionCommand;
  private readonly supervisor: Supervisor;
  private readonly events: ActionEvents;
  private child: ChildProcess | null = null;
  private output: OutputReader | null = null;
  private endAsked = false;
  private killAsked = false;
  private lost = false;

  constructor(command: ActionCommand, supervisor: Supervisor, events: ActionEvents) {
    this.command = command;
    this.supervisor = supervisor;
    this.events = events;
  }

  /** `makePipes`: pipes for its output. */
  async start(makePipes: OutputPipes): Promise<void> {
    const state = await this.supervisor.state();
    if (state !== 'guarding') {
      this.events.ended({ kind: 'fenced' });
      return;
    }
    const obstacle = await this.obstacle();
    if (obstacle !== null) {
      this.events.ended({ kind: 'not-started', reason: obstacle });
      return;
    }
    let pipes: readonly [OutputPipe, OutputPipe];
    try {
      pipes = await makePipes.open(this.command.ids);
    } catch (error) {
      this.events.ended({ kind: 'not-started', reason: `no pipe for its output: ${messageOf(error)}` });
      return;
    }
    if (this.killAsked) {
      for (const pipe of pipes) discard(pipe);
      this.events.ended(this.lost ? { kind: 'fenced' } : { kind: 'signaled', signal: 'SIGKILL' });
      return;
    }
    this.output = new OutputReader(pipes[0], pipes[1], (batch) => {
      this.events.output(batch);
    });
    const failure = await this.spawn(pipes);
    for (const pipe of pipes) pipe.closeWriter();
    if (failure !== null) {
      this.output.close();
      this.events.ended({ kind: 'not-started', reason: await startFailure(failure, this.command) });
    }
  }

  /** This number of output bytes is processed: a paused reader continues. */
  consumed(bytes: number): void {
    this.output?.consumed(bytes);
  }

  /** Sends SIGTERM to the process group. */
  askToEnd(): void {
    this.endAsked = true;
    const group = this.group;
    if (group !== null) signalGroup(group, 'SIGTERM');
  }

  /** Sends SIGKILL to everything that the action has started. Returns the processes that could not be ended. */
  async kill(): Promise<readonly number[]> {
    this.killAsked = true;
    return killTree(this.treeOf(this.group));
  }

  /** The guard of its processes is lost: they are killed, and the action ends as fenced. */
  async supervisorLost(): Promise<readonly number[]> {
    this.lost = true;
    return this.kill();
  }

  private treeOf(leader: number | null): ProcessTree {
    const { marker, cgroup } = this.command;
    return { marker, cgroup, leader, known: new Map(), since: this.supervisor.startedAt };
  }

  /** The process group while its leader runs: afterwards the number may be reused. */
  private get group(): number | null {
    const child = this.child;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null
      ? child.pid
      : null;
  }

  /** Returns why it certainly cannot be started, for cases in which a start would not fail visibly. */
  private async obstacle(): Promise<string | null> {
    const { command, environment, workingDirectory, ids } = this.command;
    return needsPreparation(this.preparation)
      ? preflightError(command, environment['PATH'], workingDirectory, ids === null)
      : null;
  }

  private get preparation(): Preparation {
    const { ids, cgroup, groups, mask, network, view, noNewPrivileges, workingDirectory } = this.command;
    return {
      ids,
      cgroup: cgroup?.path ?? null,
      groups,
      mask,
      network,
      view,
      noNewPrivileges,
      workingDirectory,
    };
  }

  /** Returns the error if it could not be started. */
  private async spawn(pipes: readonly [OutputPipe, OutputPipe]): Promise<unknown> {
    let child: ChildProcess;
    const launch = launchOf(this.command, this.preparation);
    try {
      child = spawn(launch.command, [...launch.args], {
        cwd: this.command.workingDirectory,
        env: launch.environment,
        detached: true,
        stdio: ['ignore', pipes[0].writer, pipes[1].writer],
      });
    } catch (error) {
      return error;
    }
    this.child = child;
    child.on('exit', (code, signal) => {
      void this.exited(code, signal);
    });
    return new Promise((resolve) => {
      child.on('error', resolve);
      child.on('spawn', () => {
        if (child.pid !== undefined) {
          this.supervisor.guardGroup(child.pid);
          this.events.started();
          if (this.endAsked) this.askToEnd();
          if (this.killAsked) void this.kill();
        }
        resolve(null);
      });
    });
  }

  private async exited(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    this.supervisor.guardGroup(null);
    await this.settleChildren();
    await this.output?.rest();
    this.events.ended(await this.endOf(code, signal));
  }

  /**
   * Ends the remaining processes, or records them if they may continue. Process ids are assigned in a cycle, so its own
   * id is not reused right after its end.
   */
  private async settleChildren(): Promise<void> {
    const tree = this.treeOf(this.child?.pid ?? null);
    if (this.command.keepsChildren) this.events.left(await findTree(tree));
    else if (hasExited(tree) || (await killTree(tree)).length === 0) tree.cgroup?.remove();
  }

  private async endOf(code: number | null, signal: NodeJS.Signals | null): Promise<ActionEnd> {
    if (this.lost) return { kind: 'fenced' };
    if (signal === 'SIGKILL' && !this.killAsked && (await this.supervisor.state()) !== 'guarding') {
      return { kind: 'fenced' };
    }
    return signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signaled', signal };
  }
}

function discard(pipe: OutputPipe): void {
  pipe.closeWriter();
  pipe.reader.destroy();
}
