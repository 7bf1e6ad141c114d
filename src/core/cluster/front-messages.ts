import { AUDIT_TARGETS_MAX, type AuditEvent } from '../records/audit-entry.ts';
import type { JobId } from '../ids.ts';
import type { EventBatch } from '../wire/event-batch.ts';
import {
  flag,
  integer,
  list,
  literal,
  messageParser,
  nothing,
  oneOf,
  record,
  text,
  variant,
  type Reader,
} from '../wire/field-readers.ts';
import { readJobId } from '../wire/identifiers.ts';
import type { NodeOverview, NodeRole } from './cluster-overview.ts';

/** Messages between the front ends of a cluster, as JSON. */
export const FRONT_PROTOCOL_VERSION = 1;

const NAME_MAX = 512;
const TEXT_MAX = 8 * 1024;
const MAX = Number.MAX_SAFE_INTEGER;
/** Characters of the payloads of one batch of events. */
const PAYLOADS_MAX = 16 * 1024 * 1024;
const BATCHES_MAX = 100_000;
const AUDIT_EVENTS_MAX = 1000;

const orNull =
  <T>(read: Reader<T>): Reader<T | null> =>
  (value) =>
    value === null ? null : read(value);

/** Events of committed windows, from the owner. */
export interface EventsMessage {
  readonly v: typeof FRONT_PROTOCOL_VERSION;
  readonly epoch: number;
  readonly node: string;
  /** Rises by one for each message with batches. One without batches repeats the last number. */
  readonly number: number;
  /** A node that has applied this position shows the changes of the events. */
  readonly position: number;
  readonly batches: readonly EventBatch[];
}

type Batch<Subject extends EventBatch['subject']> = Pick<EventBatch, 'count' | 'payloads'> & {
  readonly subject: Subject;
  readonly jobId: Subject extends 'tasks' ? JobId : null;
};

const amount = { count: integer(0, MAX), payloads: text(PAYLOADS_MAX) };

export const parseEvents = messageParser(
  record<EventsMessage>({
    v: literal(FRONT_PROTOCOL_VERSION),
    epoch: integer(0, MAX),
    node: text(NAME_MAX),
    number: integer(0, MAX),
    position: integer(0, MAX),
    batches: list(
      variant<EventBatch>('subject', {
        jobs: record<Batch<'jobs'>>({ subject: literal('jobs'), jobId: nothing, ...amount }),
        workers: record<Batch<'workers'>>({ subject: literal('workers'), jobId: nothing, ...amount }),
        outages: record<Batch<'outages'>>({ subject: literal('outages'), jobId: nothing, ...amount }),
        tasks: record<Batch<'tasks'>>({ subject: literal('tasks'), jobId: readJobId, ...amount }),
      }),
      BATCHES_MAX,
    ),
  }),
  { length: 2 * PAYLOADS_MAX, nesting: 6 },
);

/** Message of a node to the owner that belongs to no request of a client. */
export type NoteMessage =
  | { readonly v: typeof FRONT_PROTOCOL_VERSION; readonly type: 'key-used'; readonly digest: string }
  | {
      readonly v: typeof FRONT_PROTOCOL_VERSION;
      readonly type: 'audit';
      readonly events: readonly AuditEvent[];
    };

const version = literal(FRONT_PROTOCOL_VERSION);

export const parseNote = messageParser(
  variant<NoteMessage>('type', {
    'key-used': record({ v: version, type: literal('key-used'), digest: text(NAME_MAX) }),
    audit: record({
      v: version,
      type: literal('audit'),
      events: list(
        record<AuditEvent>({
          id: text(NAME_MAX),
          actor: text(TEXT_MAX),
          actorId: orNull(text(NAME_MAX)),
          method: text(NAME_MAX),
          path: text(TEXT_MAX),
          operation: orNull(text(NAME_MAX)),
          permission: text(NAME_MAX),
          status: integer(0, 999),
          outcome: oneOf({ denied: true, changed: true, failed: true }),
          reason: orNull(text(TEXT_MAX)),
          targets: list(text(TEXT_MAX), AUDIT_TARGETS_MAX),
          targetCount: integer(0, MAX),
          requestId: text(NAME_MAX),
          remoteAddress: text(NAME_MAX),
          dropped: integer(0, MAX),
        }),
        AUDIT_EVENTS_MAX,
      ),
    }),
  }),
  { length: PAYLOADS_MAX, nesting: 5 },
);

/** Answer of the owner to a note with audit events. */
export interface NoteAnswer {
  /** Why they could not be stored; null if they are. */
  readonly fault: string | null;
}

export const parseNoteAnswer = messageParser(record<NoteAnswer>({ fault: orNull(text(TEXT_MAX)) }), {
  length: 2 * TEXT_MAX,
  nesting: 2,
});

/** Answer of the owner to the question for its position. */
export interface PositionAnswer {
  readonly position: number;
}

export const parsePosition = messageParser(record<PositionAnswer>({ position: integer(0, MAX) }), {
  length: 100,
  nesting: 2,
});

const ROLES: Readonly<Record<NodeRole, true>> = {
  owner: true,
  follower: true,
  candidate: true,
  suspended: true,
  ended: true,
  unreachable: true,
};

/** Standing that a node announces each second. */
export type StandingMessage = Omit<NodeOverview, 'seenAt'> & { readonly v: typeof FRONT_PROTOCOL_VERSION };

export const parseStanding = messageParser(
  record<StandingMessage>({
    v: version,
    name: text(NAME_MAX),
    role: oneOf(ROLES),
    position: integer(0, MAX),
    epoch: integer(0, MAX),
    lagRecords: integer(0, MAX),
    lagMs: integer(0, MAX),
    isCurrent: flag,
    version: text(NAME_MAX),
    httpAddress: text(NAME_MAX),
  }),
  { length: 16 * 1024, nesting: 2 },
);
