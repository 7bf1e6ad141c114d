import type { ExprLimits } from '../../src/openjd/expr/expr-limits.ts';
import type { RegexEngine } from '../../src/openjd/expr/regex/regex-engine.ts';
import type { WorkerHardware } from '../../src/core/records/worker.ts';

/** Properties of a worker that can change while it runs: programs are installed, devices fail. */
export interface Capabilities {
  readonly hardware: WorkerHardware;
  readonly tags: Readonly<Record<string, string>>;
}

/** Settings of a worker agent. */
export interface AgentSettings {
  readonly name: string;
  readonly hostName: string;
  /** Farm id or name; empty if the service has only one farm. */
  readonly farm: string;
  /** Queue ids or names; empty for no affinity. */
  readonly queues: readonly string[];
  readonly cpuCount: number;
  readonly memoryMib: number;
  /** Further amounts by name in lower case. */
  readonly amounts: Readonly<Record<string, number>>;
  readonly os: string;
  readonly arch: string;
  readonly softwareVersion: string;
  readonly computeLocation: string;
  /** Limits of one expression that this worker evaluates. */
  readonly exprLimits: ExprLimits;
  readonly regex: RegexEngine;
  /** Capabilities at the start. */
  readonly capabilities: Capabilities;
  /** Parent of the session directories, absolute. */
  readonly sessionsDirectory: string;
  /** Time that a session without a task waits for the next task of its step. */
  readonly sessionLingerMs: number;
  /** Whether session directories are kept after the end of their session. */
  readonly keepsSessions: boolean;
  /** Whether logs go to a spool on disk while the bus is unreachable. */
  readonly spoolsLogs: boolean;
  /** Maximum time that tasks may continue when the agent shuts down. */
  readonly drainTimeoutMs: number;
}
