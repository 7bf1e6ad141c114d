/**
 * States of a subject: followed, idle, dropped; `jobs`, `workers`, `outages` and `diagnostics` always exist. Invariants: `#idle`
 * has only channels without followers, the longest idle first; a channel of `#ownJobs` has exactly the events of its
 * owner's jobs, numbered without gaps. Exits: an idle subject is dropped after five minutes or
 * when there are too many; `stop` closes all.
 */

import { isInScope, type OwnerScope } from '../../src/core/access/owner-scope.ts';
import type { DiagnosticRecord } from '../../src/core/diagnostics/record.ts';
import type { LogChunk } from '../../src/core/records/log-chunk.ts';
import { usernameKey } from '../../src/core/records/user.ts';
import type { DomainEvent, JobEvent } from '../../src/core/wire/events.ts';
import { Channel } from './channel.ts';
import { diagnosticPayload, jobPayload, logPayload, ownerOf } from './payloads.ts';
import { Pump } from './pump.ts';

export interface HubOptions {
  /** Retained events per subject (`events.replay_depth`). */
  readonly replayDepth: number;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns milliseconds of a clock that never goes back. */
  readonly steadyNow: () => number;
  /**
   * Added to all numbers; absent: nothing. The nodes of a cluster have different ones, so that a client that comes from another
   * node gets a gap (`numbersOfNode`).
   */
  readonly firstNumber?: number;
}

/** Subjects that always exist. The others exist while they have followers, and for a time afterwards. */
const LASTING_SUBJECTS = ['jobs', 'workers', 'outages', 'diagnostics'] as const;
type LastingSubject = (typeof LASTING_SUBJECTS)[number];

/** Time for which a subject without followers retains its events, for clients that reconnect. */
const IDLE_SUBJECT_MS = 5 * 60_000;
/**
 * Maximum number of subjects without followers; beyond it, the one without followers for the longest time is dropped.
 */
const IDLE_SUBJECTS_MAX = 256;
/** Numbers start at the time in microseconds, so that a subject never reuses the numbers of an earlier run. */
const COUNTS_PER_MS = 1000;

/** Numbers of one node of a cluster: enough for nine years of microseconds. */
const NUMBERS_PER_NODE = 2 ** 48;
/** Nodes beyond it share numbers: sums must stay exact integers. */
const NODES_APART = 16;

/** Returns the first number of the node at this place among the nodes of its cluster. */
export const numbersOfNode = (place: number): number => (place % NODES_APART) * NUMBERS_PER_NODE;

/** Counters of the hub, for metrics. */
export interface HubFigures {
  readonly clients: number;
  /** Events sent to all clients together. */
  readonly pushed: number;
  /** Events that clients missed because they read too slowly or reconnected too late. */
  readonly missed: number;
}

/** Events of the service by subject (docs/contract/events.md). An event that no client can get costs nothing. */
export class EventHub {
  /** Incremented by the clients. */
  readonly counts = { clients: 0, pushed: 0, missed: 0 };
  readonly #options: HubOptions;
  readonly #channels = new Map<string, Channel>();
  readonly #lasting: Readonly<Record<LastingSubject, Channel>>;
  /** By owner: the subject `jobs` as those see it who see only the jobs of this owner. */
  readonly #ownJobs = new Map<string, Channel>();
  /** Time at which each channel lost its last follower, oldest first. */
  readonly #idle = new Map<Channel, number>();
  readonly #pump: Pump;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#pump = new Pump(options.replayDepth, options.steadyNow);
    const make = (subject: LastingSubject): Channel => this.#enter(this.#channel(subject));
    this.#lasting = {
      jobs: make('jobs'),
      workers: make('workers'),
      outages: make('outages'),
      diagnostics: make('diagnostics'),
    };
  }

  get figures(): HubFigures {
    return { ...this.counts };
  }

  /** Publishes events of the shards, after their commit. */
  publish(events: readonly DomainEvent[]): void {
    for (const event of events) {
      switch (event.subject) {
        case 'jobs':
          this.#publishJob(event.payload);
          break;
        case 'workers':
          this.#push(this.#lasting.workers, event.payload);
          break;
        case 'outages':
          this.#push(this.#lasting.outages, event.payload);
          break;
        case 'tasks': {
          const channel = this.#channels.get(tasksSubject(event.payload.job_id));
          if (channel !== undefined) this.#push(channel, event.payload);
          break;
        }
        case 'tasks-lost':
          this.#lose(this.#channels.get(tasksSubject(event.payload.job_id)));
      }
    }
  }

  /** Declares a gap in all events of the shards: some may be lost between the nodes of a cluster. */
  loseEvents(): void {
    for (const channel of [...this.#channels.values(), ...this.#ownJobs.values()])
      if (isOfShards(channel.subject)) this.#lose(channel);
  }

  #publishJob(event: JobEvent): void {
    const payload = jobPayload(event);
    this.#push(this.#lasting.jobs, payload);
    if (this.#ownJobs.size === 0) return;
    const own = this.#ownJobs.get(usernameKey(event.owner));
    if (own !== undefined) this.#push(own, payload);
  }

  publishDiagnostic(record: DiagnosticRecord): void {
    const { payload, weight } = diagnosticPayload(record);
    this.#push(this.#lasting.diagnostics, payload, weight);
  }

  publishLog(channel: Channel, chunks: readonly LogChunk[]): void {
    for (const chunk of chunks) this.#push(channel, logPayload(chunk), chunk.data.length);
  }

  /**
   * Returns the channel of the subject `jobs` for a scope. That of one owner has numbers of its own, so that neither they
   * nor a gap tell anything about other jobs; it starts with the retained events of this owner.
   */
  jobs(scope: OwnerScope): Channel {
    if (scope === null) return this.#lasting.jobs;
    const known = this.#ownJobs.get(scope);
    if (known !== undefined) return known;
    const own = this.#channel('jobs', () => this.#ownJobs.delete(scope));
    for (const payload of this.#lasting.jobs.ring.payloads()) {
      if (isInScope(scope, ownerOf(payload))) own.ring.push(payload);
    }
    own.deliveredTo = own.ring.last;
    this.#ownJobs.set(scope, own);
    return own;
  }

  get workers(): Channel {
    return this.#lasting.workers;
  }

  get outages(): Channel {
    return this.#lasting.outages;
  }

  get diagnostics(): Channel {
    return this.#lasting.diagnostics;
  }

  /** Returns the channel of a subject if it exists. */
  find(subject: string): Channel | undefined {
    return this.#channels.get(subject);
  }

  /** Creates the channel of a subject. It is dropped after a time without followers. */
  open(subject: string, close?: () => void): Channel {
    return this.#enter(this.#channel(subject, close));
  }

  /** Registers a follower of the channel. */
  addFollower(channel: Channel): void {
    this.#idle.delete(channel);
  }

  /** Removes a follower of the channel. */
  removeFollower(channel: Channel): void {
    const isLasting = LASTING_SUBJECTS.some((subject) => this.#lasting[subject] === channel);
    if (isLasting || channel.followers.size > 0) return;
    this.#idle.delete(channel);
    this.#idle.set(channel, this.#options.steadyNow());
    if (this.#idle.size > IDLE_SUBJECTS_MAX) this.#forgetIdle(Infinity, 1);
  }

  /** Must be called periodically. Drops subjects that have had no followers for long. */
  tick(): void {
    this.#forgetIdle(this.#options.steadyNow() - IDLE_SUBJECT_MS, this.#idle.size);
  }

  /** Closes every subject. */
  stop(): void {
    for (const channel of [...this.#channels.values(), ...this.#ownJobs.values()]) channel.close();
    this.#channels.clear();
    this.#idle.clear();
  }

  #forgetIdle(leftBefore: number, atMost: number): void {
    let forgotten = 0;
    for (const [channel, leftAt] of this.#idle) {
      if (leftAt > leftBefore || forgotten === atMost) return;
      this.#idle.delete(channel);
      if (this.#channels.get(channel.subject) === channel) this.#channels.delete(channel.subject);
      channel.close();
      forgotten += 1;
    }
  }

  #channel(subject: string, close?: () => void): Channel {
    const { now, firstNumber = 0, replayDepth } = this.#options;
    return new Channel(subject, firstNumber + now() * COUNTS_PER_MS, replayDepth, close);
  }

  #enter(channel: Channel): Channel {
    this.#channels.set(channel.subject, channel);
    return channel;
  }

  /** Gives every client of the channel a gap. */
  #lose(channel: Channel | undefined): void {
    if (channel === undefined) return;
    channel.ring.lose();
    if (channel.followers.size > 0) this.#pump.changed(channel);
  }

  #push(channel: Channel, payload: object, weight = 0): void {
    channel.ring.push(payload, weight);
    if (channel.followers.size > 0) this.#pump.changed(channel);
  }
}

/** Reports whether the events of a subject come from the shards; those of others come from this process. */
const isOfShards = (subject: string): boolean =>
  subject === 'jobs' || subject === 'workers' || subject === 'outages' || subject.startsWith('jobs/');

/** Returns the subject of the tasks of a job. */
export const tasksSubject = (job: string): string => `jobs/${job}/tasks`;
