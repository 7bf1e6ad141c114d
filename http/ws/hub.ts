import type { DiagnosticRecord } from '../../src/core/diagnostics/record.ts';
import type { LogChunk } from '../../src/core/records/log-chunk.ts';
import type { DomainEvent } from '../../src/core/wire/events.ts';
import { Channel } from './channel.ts';
import { diagnosticPayload, jobPayload, logPayload } from './payloads.ts';
import { Pump } from './pump.ts';

export interface HubOptions {
  /** Events that are kept of each subject (`events.replay_depth`). */
  readonly replayDepth: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly steadyNow: () => number;
}

/** Subjects that are always there: the others exist while somebody follows them, and a while longer. */
const LASTING_SUBJECTS = ['jobs', 'workers', 'diagnostics'] as const;
type LastingSubject = (typeof LASTING_SUBJECTS)[number];

/** A subject that nobody follows keeps its events this long, for clients that come back. */
const IDLE_SUBJECT_MS = 5 * 60_000;
/** So many subjects that nobody follows are kept: beyond, those that were left first are forgotten. */
const IDLE_SUBJECTS_MAX = 256;
/** Counters begin at the time in microseconds: no subject ever counts through the numbers of its life before again. */
const COUNTS_PER_MS = 1000;

/** What the hub has done, for metrics. */
export interface HubFigures {
  readonly clients: number;
  /** Events that were sent, to all clients together. */
  readonly pushed: number;
  /** Events that clients have missed because they read too slowly, or came back too late. */
  readonly missed: number;
}

/** The events of the service by subject (docs/contract/events.md). An event that nobody can get costs nothing. */
export class EventHub {
  /** What the clients count. */
  readonly counts = { clients: 0, pushed: 0, missed: 0 };
  readonly #options: HubOptions;
  readonly #channels = new Map<string, Channel>();
  readonly #lasting: Readonly<Record<LastingSubject, Channel>>;
  /** When each channel was left by its last follower; those that were left first come first. */
  readonly #idle = new Map<Channel, number>();
  readonly #pump: Pump;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#pump = new Pump(options.replayDepth, options.steadyNow);
    const make = (subject: LastingSubject): Channel => this.#enter(this.#channel(subject));
    this.#lasting = { jobs: make('jobs'), workers: make('workers'), diagnostics: make('diagnostics') };
  }

  get figures(): HubFigures {
    return { ...this.counts };
  }

  /** Takes what the shards have said, after the commit that made it true. */
  publish(events: readonly DomainEvent[]): void {
    for (const event of events) {
      switch (event.subject) {
        case 'jobs':
          this.#push(this.#lasting.jobs, jobPayload(event.payload));
          break;
        case 'workers':
          this.#push(this.#lasting.workers, event.payload);
          break;
        case 'tasks': {
          const channel = this.#channels.get(tasksSubject(event.payload.job_id));
          if (channel !== undefined) this.#push(channel, event.payload);
        }
      }
    }
  }

  publishDiagnostic(record: DiagnosticRecord): void {
    const { payload, weight } = diagnosticPayload(record);
    this.#push(this.#lasting.diagnostics, payload, weight);
  }

  publishLog(channel: Channel, chunks: readonly LogChunk[]): void {
    for (const chunk of chunks) this.#push(channel, logPayload(chunk), chunk.data.length);
  }

  /** The channel of a subject that is there. */
  find(subject: string): Channel | undefined {
    return this.#channels.get(subject);
  }

  /** Makes the channel of a subject that is not there; it is forgotten when nobody has followed it for a while. */
  open(subject: string, close?: () => void): Channel {
    return this.#enter(this.#channel(subject, close));
  }

  /** Somebody follows the channel. */
  entered(channel: Channel): void {
    this.#idle.delete(channel);
  }

  /** Somebody follows the channel no longer. */
  left(channel: Channel): void {
    const isLasting = LASTING_SUBJECTS.some((subject) => subject === channel.subject);
    if (isLasting || channel.followers.size > 0) return;
    this.#idle.delete(channel);
    this.#idle.set(channel, this.#options.steadyNow());
    if (this.#idle.size > IDLE_SUBJECTS_MAX) this.#forgetIdle(Infinity, 1);
  }

  /** To be called once in a while: forgets subjects that nobody has followed for long. */
  tick(): void {
    this.#forgetIdle(this.#options.steadyNow() - IDLE_SUBJECT_MS, this.#idle.size);
  }

  /** Closes every subject. */
  stop(): void {
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
    this.#idle.clear();
  }

  #forgetIdle(leftBefore: number, atMost: number): void {
    let forgotten = 0;
    for (const [channel, leftAt] of this.#idle) {
      if (leftAt > leftBefore || forgotten === atMost) return;
      this.#idle.delete(channel);
      this.#channels.delete(channel.subject);
      channel.close();
      forgotten += 1;
    }
  }

  #channel(subject: string, close?: () => void): Channel {
    return new Channel(subject, this.#options.now() * COUNTS_PER_MS, this.#options.replayDepth, close);
  }

  #enter(channel: Channel): Channel {
    this.#channels.set(channel.subject, channel);
    return channel;
  }

  #push(channel: Channel, payload: object, weight = 0): void {
    channel.ring.push(payload, weight);
    if (channel.followers.size > 0) this.#pump.changed(channel);
  }
}

/** The subject of the tasks of a job. */
export const tasksSubject = (job: string): string => `jobs/${job}/tasks`;
