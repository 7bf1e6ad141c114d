import type { ExprLimits } from '../../src/openjd/expr/expr-limits.ts';
import type { RegexEngine } from '../../src/openjd/expr/regex/regex-engine.ts';
import type { WorkerHardware } from '../../src/core/records/worker.ts';

/** What a worker can say anew while it runs: programs are installed, devices fail. */
export interface Capabilities {
  readonly hardware: WorkerHardware;
  readonly tags: Readonly<Record<string, string>>;
}

/** What a worker's daemon is started with. */
export interface AgentSettings {
  readonly name: string;
  readonly hostName: string;
  /** Farm id or name; empty when the service has only one. */
  readonly farm: string;
  /** Queue ids or names; empty means no affinity. */
  readonly queues: readonly string[];
  readonly cpuCount: number;
  readonly memoryMib: number;
  readonly os: string;
  readonly arch: string;
  readonly softwareVersion: string;
  readonly computeLocation: string;
  /** What this worker grants one expression that it evaluates. */
  readonly exprLimits: ExprLimits;
  readonly regex: RegexEngine;
  /** At the start. */
  readonly capabilities: Capabilities;
  /** Where sessions get their directories: absolute. */
  readonly sessionsDirectory: string;
  /** How long a session without a task waits for the next one of its step. */
  readonly sessionLingerMs: number;
  /** Directories of sessions stay when they end. */
  readonly keepsSessions: boolean;
  /** Whether logs go to a spool on the disk while the bus is away. */
  readonly spoolsLogs: boolean;
  /** How long the tasks of a worker that leaves may go on. */
  readonly drainTimeoutMs: number;
}
