import { spawn, type ChildProcess } from 'node:child_process';
import { Duplex } from 'node:stream';
import { launchOf } from './launch.ts';
import { parseAnswer, type LaunchAnswer } from './launch-request.ts';
import type { Mask } from './mask.ts';
import { LineAssembler } from './line-assembler.ts';
import { PROCESS_LIMITS } from './limits.ts';
import type { OutputPipes } from './output-pipe.ts';
import { OutputReader } from './output-reader.ts';
import { programFile } from './program-file.ts';
import type { Cgroup } from './session-cgroup.ts';
import type { SessionView } from './session-view.ts';

const COMMAND_PATH = '/usr/local/bin:/usr/bin:/bin';
/** Descriptor of launcher.pl for its connection to the agent. */
const CHANNEL = 3;

interface LauncherOptions {
  /** Contains only the launcher and its children; null without control groups. */
  readonly cgroup: Cgroup | null;
  /** Control groups of its session, which it joins for all its children. */
  readonly groups: readonly string[];
  /** Marks of the session: in its environment, and so in that of a process that is being started. */
  readonly marks: Readonly<Record<string, string>>;
  readonly pipes: OutputPipes;
  /** Files that it and its processes must not see; null for nothing. */
  readonly mask: Mask | null;
  /** `none`: it and its processes have no network. */
  readonly network: 'open' | 'none';
  /** The view of the machine that it and its processes have. */
  readonly view: SessionView;
  readonly noNewPrivileges: boolean;
}

/** Listener of the process that is starting or running. */
interface LaunchListener {
  answered(answer: Exclude<LaunchAnswer, { type: 'ready' }>): void;
  /** The launcher has exited: there are no further replies. */
  lost(): void;
}

/**
 * The agent's side of launcher.pl: a small process per session that starts its tasks. Node forks its own large process
 * for each start, and uses further programs to join a control group; here both costs arise once per session
 * (docs/decisions/launcher.md). Only for tasks of the worker's own account: processes of other accounts must have no
 * connection to the agent.
 *
 * - States: idle, starting, running a process, ended.
 * - Invariants: at most one process at a time.
 * - Exits: `retire`, an invalid reply, or the end of the process; `lost` is called once.
 */
export class Launcher {
  readonly output: OutputReader;
  /** Resolves when it has exited. */
  readonly exited: Promise<void>;
  private readonly child: ChildProcess;
  private readonly channel: Duplex;
  private readonly cgroup: Cgroup | null;
  private listener: LaunchListener | null = null;
  private ready: (isReady: boolean) => void = () => undefined;
  private isGone = false;

  private constructor(child: ChildProcess, channel: Duplex, output: OutputReader, cgroup: Cgroup | null) {
    this.child = child;
    this.channel = channel;
    this.output = output;
    this.cgroup = cgroup;
    const lines = new LineAssembler(PROCESS_LIMITS.lineBytes);
    channel.on('data', (bytes: Buffer) => {
      for (const line of lines.push(bytes)) this.heard(line);
    });
    channel.on('error', () => {
      // 'close' follows.
    });
    channel.on('close', () => this.gone());
    child.on('error', () => this.gone());
    this.exited = new Promise((resolve) => {
      child.on('exit', () => {
        cgroup?.remove();
        resolve();
      });
    });
  }

  /** Starts a launcher. Returns null if it cannot run, because perl is missing, or could not join its group. */
  static async start({
    cgroup,
    groups,
    marks,
    pipes,
    mask,
    network,
    view,
    noNewPrivileges,
  }: LauncherOptions): Promise<Launcher | null> {
    const [stdout, stderr] = await pipes.open(null);
    const output = new OutputReader(stdout, stderr, () => undefined);
    const { command, args, environment } = launchOf(
      {
        command: 'perl',
        args: [programFile('launcher.pl')],
        environment: { PATH: COMMAND_PATH, LC_ALL: 'C', ...marks },
      },
      {
        ids: null,
        cgroup: cgroup?.path ?? null,
        groups,
        mask,
        network,
        view,
        noNewPrivileges,
        lastDescriptor: CHANNEL,
      },
    );
    let child: ChildProcess;
    try {
      child = spawn(command, [...args], {
        cwd: '/',
        env: environment,
        detached: true,
        stdio: ['ignore', stdout.writer, stderr.writer, 'pipe'],
      });
    } catch (error) {
      output.close();
      throw error;
    } finally {
      stdout.closeWriter();
      stderr.closeWriter();
    }
    // Without a free descriptor there is no process and there are no streams, and the error is emitted later.
    child.on('error', () => undefined);
    const { stdio }: { readonly stdio?: readonly unknown[] } = child;
    const channel = stdio?.[CHANNEL];
    if (!(channel instanceof Duplex)) {
      output.close();
      throw new Error('the launcher was started without its channel');
    }
    const launcher = new Launcher(child, channel, output, cgroup);
    const isReady = await new Promise<boolean>((resolve) => {
      launcher.ready = resolve;
    });
    if (isReady && (cgroup === null || launcher.isAlone)) return launcher;
    launcher.retire();
    return null;
  }

  /** Reports whether it can start another process: it is running and was not ended. */
  get isUsable(): boolean {
    return !this.isGone;
  }

  /** Reports whether it is the only process in its control group; false without one. */
  get isAlone(): boolean {
    const { pid } = this.child;
    return pid !== undefined && this.cgroup !== null && this.cgroup.holdsOnly(pid);
  }

  get group(): Cgroup | null {
    return this.cgroup;
  }

  /** Starts a process. `frame` is its request; one process at a time. */
  launch(frame: Buffer, listener: LaunchListener): void {
    this.listener = listener;
    if (this.isGone) listener.lost();
    else this.channel.write(frame);
  }

  /** Ends the launcher and its pipes when it is no longer needed. */
  retire(): void {
    this.isGone = true;
    this.listener = null;
    this.child.kill('SIGKILL');
    this.channel.destroy();
    this.output.close();
  }

  private heard(line: string): void {
    const answer = parseAnswer(line);
    if (answer === null) {
      // A launcher sends nothing else, so this process is not one.
      this.child.kill('SIGKILL');
    } else if (answer.type === 'ready') this.ready(true);
    else this.listener?.answered(answer);
  }

  private gone(): void {
    this.ready(false);
    if (this.isGone) return;
    this.isGone = true;
    const { listener } = this;
    this.listener = null;
    listener?.lost();
  }
}
