import { spawn, type ChildProcess } from 'node:child_process';
import { Duplex } from 'node:stream';
import { launchOf } from './launch.ts';
import { parseAnswer, type LaunchAnswer } from './launch-request.ts';
import { LineAssembler } from './line-assembler.ts';
import { PROCESS_LIMITS } from './limits.ts';
import type { OutputPipes } from './output-pipe.ts';
import { OutputReader } from './output-reader.ts';
import { programFile } from './program-file.ts';
import type { Cgroup } from './session-cgroup.ts';

const COMMAND_PATH = '/usr/local/bin:/usr/bin:/bin';
/** Where launcher.pl has the daemon. */
const CHANNEL = 3;

interface LauncherOptions {
  /** Holds it and all that it starts, and nothing else; null where there are no control groups. */
  readonly cgroup: Cgroup | null;
  /** Marks of the session: in its environment, and so in that of a process that is just being started. */
  readonly marks: Readonly<Record<string, string>>;
  readonly pipes: OutputPipes;
}

/** Who waits for the process that is being started or runs. */
interface LaunchListener {
  answered(answer: Exclude<LaunchAnswer, { type: 'ready' }>): void;
  /** The launcher has ended: nothing is answered any more. */
  lost(): void;
}

/**
 * The daemon's side of launcher.pl: a small process of the session that starts its tasks. Node starts a process by a copy of its own large one, and
 * one that is to join a control group by way of other programs; both is paid once a session here (docs/decisions/launcher.md). For tasks of the
 * worker's own account alone: what runs as another one must not have the daemon's ear.
 */
export class Launcher {
  readonly output: OutputReader;
  /** Resolves when it runs no more. */
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

  /** Starts one. Null where it cannot run, because there is no perl, or could not join its group. */
  static async start({ cgroup, marks, pipes }: LauncherOptions): Promise<Launcher | null> {
    const [stdout, stderr] = await pipes.open(null);
    const output = new OutputReader(stdout, stderr, () => undefined);
    const { command, args, environment } = launchOf(
      {
        command: 'perl',
        args: [programFile('launcher.pl')],
        environment: { PATH: COMMAND_PATH, LC_ALL: 'C', ...marks },
      },
      { ids: null, cgroup: cgroup?.path ?? null, lastDescriptor: CHANNEL },
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
    // Where no descriptor is left there is no process and none of its streams, and an error that is told later.
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

  /** Whether it can start another process: it runs, and nothing has ended it. */
  get isUsable(): boolean {
    return !this.isGone;
  }

  /** Whether nothing but itself runs in its control group; false where it has none. */
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

  /** It is of no use any more: it and its pipes are ended. */
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
      // It says nothing else; whatever it is now, it is no launcher.
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
