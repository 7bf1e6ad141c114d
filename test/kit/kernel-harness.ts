import { replyTo } from '../../actors/kernel/address.ts';
import { Kernel } from '../../actors/kernel/kernel.ts';
import type { KernelPorts } from '../../actors/kernel/ports.ts';
import type { CommitCallbacks } from '../../src/core/ports/store.ts';
import { scriptActors, type ScriptActors, type ScriptWorld, type Step } from './script-actors.ts';
import type { Output } from '../../actors/kernel/output.ts';

interface Commit {
  readonly changes: readonly { readonly id: string; readonly value: number | null }[];
  readonly onCommit: CommitCallbacks;
  isDurable: boolean;
  isReadable: boolean;
}

/** A kernel with script actors: the test controls the clock and when a commit becomes durable. */
export class KernelHarness {
  readonly actors: ScriptActors = scriptActors();
  readonly kernel: Kernel<ScriptWorld>;
  /** Durable rows. */
  readonly disk = new Map<string, number>();
  readonly commits: Commit[] = [];
  /** Outputs in order, with processed messages. */
  readonly said: string[] = [];
  readonly logs: string[] = [];
  readonly fatal: string[] = [];
  wall = 1_000_000;
  monotonic = 500;
  wakes = 0;
  /** Prepared flushes, in order. */
  readonly prepared: string[] = [];
  /** Outputs of the readable stage, in order. */
  readonly told: string[] = [];

  constructor(windowsInFlight?: number) {
    const linesOf = (outputs: readonly Output<ScriptWorld>[]): string[] =>
      outputs.map((output) =>
        output.kind === 'effect' ? output.effect : `to ${textOf(output.to)}: ${textOf(output.answer)}`,
      );
    const ports: KernelPorts<ScriptWorld> = {
      reader: this.disk,
      wallClock: () => this.wall,
      monotonicClock: () => this.monotonic,
      newId: () => 'an id',
      commit: (changes, onCommit) => {
        this.commits.push({ changes, onCommit, isDurable: false, isReadable: false });
      },
      prepareFlush: (outputs) => {
        const lines = linesOf(outputs);
        this.prepared.push(...lines);
        return {
          onDurable: () => this.said.push(...lines),
          onReadable: () => this.told.push(...lines),
        };
      },
      log: (level, text) => {
        this.logs.push(`${level}: ${text}`);
      },
      wake: () => {
        this.wakes++;
      },
      fatal: (error) => {
        this.fatal.push(error instanceof Error ? error.message : String(error));
      },
    };
    this.kernel = new Kernel<ScriptWorld>(this.actors.definitions, ports, windowsInFlight);
  }

  /** Posts a script from outside the kernel. `client` receives the reply, and its settlement is recorded. */
  post(id: string, steps: readonly Step[], client?: string): void {
    this.kernel.post(
      {
        actor: 'script',
        id,
        message: { type: 'run', steps, ...(client === undefined ? {} : { replyTo: replyTo(client) }) },
      },
      client === undefined ? null : () => this.said.push(`settled ${client}`),
    );
  }

  /** Makes commit `number` (from 0) durable and readable, and runs its callbacks. */
  flush(number: number): void {
    this.makeDurable(number);
    this.read(number);
  }

  /** Makes commit `number` durable, not yet readable, and runs its callback. */
  makeDurable(number: number): void {
    const commit = this.commits[number];
    if (commit === undefined || commit.isDurable)
      throw new Error(`commit ${number} does not exist or is already durable`);
    commit.isDurable = true;
    commit.onCommit.onDurable();
  }

  /** Makes the durable commit `number` readable, and runs its callback. */
  read(number: number): void {
    const commit = this.commits[number];
    if (commit?.isDurable !== true || commit.isReadable)
      throw new Error(`commit ${number} is not durable or is already readable`);
    commit.isReadable = true;
    for (const { id, value } of commit.changes) {
      if (value === null) this.disk.delete(id);
      else this.disk.set(id, value);
    }
    commit.onCommit.onReadable();
  }

  /** Pumps and flushes until the kernel is idle. */
  settle(): void {
    for (let rounds = 0; rounds < 1000; rounds++) {
      this.kernel.pump();
      this.commits.forEach((commit, number) => {
        if (!commit.isDurable) this.flush(number);
      });
      if (this.kernel.isIdle) return;
    }
    throw new Error('the kernel does not become idle');
  }

  advance(ms: number): void {
    this.wall += ms;
    this.monotonic += ms;
  }

  /** Returns the outputs since the last call. */
  takeOutputs(): string[] {
    return this.said.splice(0);
  }

  stateOf(id: string): unknown {
    return this.kernel.stateOf('script', id);
  }
}

const textOf = (answer: unknown): string => (typeof answer === 'string' ? answer : JSON.stringify(answer));
