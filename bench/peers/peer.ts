import type { Installation } from './installation.ts';

/** Result of measuring one system with one number of workers, in milliseconds and seconds. */
export interface WorkFigures {
  /** From the first task of a worker to the last one whose end is stored. */
  readonly seconds: number;
  /** From the moment a worker is free until it has the next task; null if the system does not expose this. */
  readonly leaseP50Ms: number | null;
  readonly leaseP99Ms: number | null;
}

/** The tasks of a measurement. */
export interface Work {
  readonly tasks: number;
  /** Number of tasks at the start that are not timed. */
  readonly warmUp: number;
}

/** A running system with an empty store. No other system runs. */
export interface RunningPeer {
  /** Submits n tasks that do nothing; returns the seconds until the last of them was accepted. */
  submit(tasks: number): Promise<number>;
  /** Has the workers run all of them. */
  work(workers: number, work: Work): Promise<WorkFigures>;
  stop(): Promise<void>;
}

/** The measured unit: tasks one by one, tasks in batches, or processes. A system is compared with Callsheet's figure of its kind. */
export type Kind = 'cycles' | 'batches' | 'processes';

/** A system of the comparison. */
export interface Peer {
  readonly name: string;
  readonly kind: Kind;
  /** When a reported end survives a power cut. */
  readonly durability: string;
  /** How the time from being free to having a task is measured. */
  readonly latency: string;
  /** Settings, for the reader of the table. */
  readonly settings: string;
  /** Numbers of workers that it is measured with, out of the requested ones. */
  readonly fewestWorkers?: number;
  readonly mostWorkers?: number;
  /** Share of the tasks that it gets: slow systems fewer, batches more, so that each takes seconds. */
  readonly share: number;
  /** True if it needs no warm-up because it does not become faster by running. */
  readonly needsNoWarmUp?: boolean;
  /** Skipped unless it is named: it adds little to the table for its minutes. */
  readonly onlyWhenNamed?: boolean;
  /** Versions of its parts. Throws `Missing` if a part is not installed. */
  versions(installation: Installation): Promise<Readonly<Record<string, string>>>;
  start(installation: Installation, workers: number): Promise<RunningPeer>;
}

/** How the wait for a task is measured if one process holds many slots. */
export const SLOT_LATENCY =
  'from the end of the work of a task to the start of the next, with reporting the end in it; slots have no names, the longest free gets the task';
