import type { Installation } from './installation.ts';

/** Result of measuring one system with one number of workers, in milliseconds and seconds. */
export interface WorkFigures {
  /** From the first task in a worker's hands to the last one whose end is kept. */
  readonly seconds: number;
  /** From a worker being free to its having the next task; null where the system has no such thing to be seen. */
  readonly leaseP50Ms: number | null;
  readonly leaseP99Ms: number | null;
}

/** The tasks of a measurement. */
export interface Work {
  readonly tasks: number;
  /** Number of tasks at the start that are not timed. */
  readonly warmUp: number;
}

/** A running system with an empty store, and no other system. */
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
  /** When an end that was reported survives a power cut. */
  readonly durability: string;
  /** How its time from being free to having a task is measured. */
  readonly latency: string;
  /** How it is set, for the reader of the table. */
  readonly settings: string;
  /** Numbers of workers that it is measured with, of those asked for. */
  readonly fewestWorkers?: number;
  readonly mostWorkers?: number;
  /** How many of the tasks it is given: slow systems fewer, batches more, so that each takes seconds. */
  readonly share: number;
  /** Nothing in it gets faster by running: it has no tasks that come first and are not timed. */
  readonly needsNoWarmUp?: boolean;
  /** Left out unless it is named: what it adds to the table is not worth its minutes. */
  readonly onlyWhenNamed?: boolean;
  /** Versions of what it is made of. Throws `Missing` when a part cannot be had. */
  versions(installation: Installation): Promise<Readonly<Record<string, string>>>;
  start(installation: Installation, workers: number): Promise<RunningPeer>;
}

/** How the wait for a task is measured if one process holds many slots. */
export const SLOT_LATENCY =
  'from the end of the work of a task to the start of the next, with reporting the end in it; slots have no names, the longest free gets the task';
