/**
 * States: the log (it stays in memory), a piece of a sweep (evicted after its turn). Invariants: the timer is set while
 * the log is active; `next` is above the serials of all stored entries; a piece deletes only the oldest entries of a
 * budget; a decision has either its row or its entry. Exits: a piece that is not full is the last one of its sweep.
 */

import type { StoreReader } from '../../../src/core/ports/store.ts';
import { done } from '../../../src/core/problems.ts';
import {
  AUDIT_BUDGETS,
  budgetOf,
  entryOfDecision,
  type AuditBudget,
  type AuditDecision,
  type AuditEntryRecord,
  type AuditEvent,
  type AuditSettings,
} from '../../../src/core/records/audit-entry.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { idOfAuditKey, keys } from '../../../src/core/records/tables.ts';
import { timeOfUuid7 } from '../../../src/core/uuid-time.ts';
import type { ActorDefinition } from '../../kernel/actor.ts';
import type { ServiceContext, ServiceSystem } from '../service-system.ts';
import { AUDIT_SWEEP } from './messages.ts';

const PERIOD_MS = 3_600_000;

/** Maximum number of rows that one piece of a sweep deletes. */
export const AUDIT_SWEEP_ROWS = 500;

/** Number of new entries after which a sweep starts: up to this number may exceed the maximum. */
export const AUDIT_SWEEP_EVERY = 1_000;

interface AuditLog {
  readonly kind: 'log';
  /** Serial of the next entry by budget. */
  readonly next: Record<AuditBudget, number>;
  /** Entries since the last sweep. */
  fresh: number;
  /** Decisions that were stored, but had no entry, before the load. */
  readonly backlog: { readonly id: string; readonly decision: AuditDecision }[];
  /** Ids of the backlog whose message may still arrive. */
  readonly recovered: Set<string>;
}

type AuditState =
  | AuditLog
  /** Keys of entries that are too old or too many. */
  | { readonly kind: 'piece'; readonly surplus: readonly string[] };

/**
 * The audit actor writes the audit log (docs/decisions/audit.md) and keeps it within its retention and its number of
 * entries.
 */
export const auditActor = (limits: AuditSettings): ActorDefinition<ServiceSystem, 'audit', AuditState> => ({
  kind: 'audit',
  load: (id, reader, now) => (id === AUDIT_SWEEP ? loadPiece(reader, limits, now) : loadLog(reader)),
  onActivated: (state, context) => {
    if (state.kind !== 'log') return;
    for (const { id, decision } of state.backlog.splice(0)) writeDecision(state, id, decision, context);
    context.after('sweep', 0, { type: 'audit.due' });
  },
  isEvictable: (state) => state.kind === 'piece',
  onMissing: () => null,
  handlers: {
    'audit.activate': () => undefined,
    'audit.record': (state, { events, replyTo }, context) => {
      if (state.kind !== 'log') return;
      for (const event of events) write(state, event, context);
      sweepIfDue(state, context);
      context.reply(replyTo, done(null));
    },
    'audit.decided': (state, { id, decision }, context) => {
      if (state.kind !== 'log' || state.recovered.delete(id)) return;
      writeDecision(state, id, decision, context);
      sweepIfDue(state, context);
    },
    'audit.due': (state, _message, context) => {
      if (state.kind !== 'log') return;
      startSweep(state, context);
      context.after('sweep', PERIOD_MS, { type: 'audit.due' });
    },
    'audit.sweep': (state, message, context) => {
      if (state.kind !== 'piece') return;
      for (const key of state.surplus) context.change(remove('auditEntry', key));
      if (state.surplus.length < AUDIT_SWEEP_ROWS) return;
      context.effect({ kind: 'forward', envelope: { actor: 'audit', id: AUDIT_SWEEP, message } });
    },
  },
});

function loadLog(reader: StoreReader): AuditLog {
  const after = (budget: AuditBudget): number => (serialAt(reader, budget, true) ?? 0) + 1;
  const backlog = [...reader.scan('auditDecision')].map(({ key, value }) => ({
    id: key,
    decision: value.decision,
  }));
  return {
    kind: 'log',
    next: { people: after('people'), strangers: after('strangers'), service: after('service') },
    fresh: 0,
    backlog,
    recovered: new Set(backlog.map(({ id }) => id)),
  };
}

function loadPiece(reader: StoreReader, { retentionMs, entries }: AuditSettings, now: number): AuditState {
  const surplus: string[] = [];
  for (const budget of AUDIT_BUDGETS) {
    const first = serialAt(reader, budget, false) ?? 0;
    const last = serialAt(reader, budget, true) ?? 0;
    const excess = last - first + 1 - entries[budget];
    let seen = 0;
    for (const { key } of reader.scan('auditEntry', { prefix: keys.auditEntriesOf(budget) })) {
      if (surplus.length >= AUDIT_SWEEP_ROWS) break;
      if (seen >= excess && timeOfUuid7(idOfAuditKey(key)) >= now - retentionMs) break;
      surplus.push(key);
      seen++;
    }
  }
  return { kind: 'piece', surplus };
}

/** Returns the serial of the oldest or newest entry of a budget; undefined if the budget is empty. */
function serialAt(reader: StoreReader, budget: AuditBudget, isNewest: boolean): number | undefined {
  const prefix = keys.auditEntriesOf(budget);
  const [row] = reader.scan('auditEntry', { prefix, reverse: isNewest, limit: 1 });
  return row?.value.serial;
}

function write(state: AuditLog, event: AuditEvent, context: ServiceContext<'audit'>): void {
  const { id, ...given } = event;
  writeEntry(state, budgetOf(event), id, { version: 1, ...given }, context);
}

/** Writes the entry of a decision, and removes its row. */
function writeDecision(
  state: AuditLog,
  id: string,
  decision: AuditDecision,
  context: ServiceContext<'audit'>,
): void {
  writeEntry(state, 'service', id, entryOfDecision(decision), context);
  context.change(remove('auditDecision', keys.auditDecision(id)));
}

function writeEntry(
  state: AuditLog,
  budget: AuditBudget,
  id: string,
  entry: Omit<AuditEntryRecord, 'serial'>,
  context: ServiceContext<'audit'>,
): void {
  const serial = state.next[budget]++;
  state.fresh++;
  context.change(put('auditEntry', keys.auditEntry(budget, id), { ...entry, serial }));
}

function sweepIfDue(state: AuditLog, context: ServiceContext<'audit'>): void {
  if (state.fresh >= AUDIT_SWEEP_EVERY) startSweep(state, context);
}

function startSweep(state: AuditLog, context: ServiceContext<'audit'>): void {
  state.fresh = 0;
  context.send('audit', AUDIT_SWEEP, { type: 'audit.sweep' });
}
