import type { StoreReader } from '../../src/core/ports/store.ts';
import {
  AUDIT_BUDGETS,
  type AuditBudget,
  type AuditEntryRecord,
  type AuditOutcome,
} from '../../src/core/records/audit-entry.ts';
import { idOfAuditKey, keys } from '../../src/core/records/tables.ts';
import { usernameKey } from '../../src/core/records/user.ts';
import { startOfUuid7 } from '../../src/core/uuid-time.ts';

/** Selects entries of the audit log. Undefined: every value. */
export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly method?: string | undefined;
  /** Start of the path. */
  readonly path?: string | undefined;
  readonly permission?: string | undefined;
  readonly target?: string | undefined;
  /** Milliseconds since the epoch, included. */
  readonly since?: number | undefined;
  /** Milliseconds since the epoch, excluded. */
  readonly until?: number | undefined;
}

export interface FoundEntry {
  readonly id: string;
  readonly entry: AuditEntryRecord;
}

export interface AuditPart {
  readonly found: readonly FoundEntry[];
  /** Id from which on older entries follow; null at the end. */
  readonly before: string | null;
}

/** Above every id. */
const NEWEST = '~';

/** Entries that one part reads: some milliseconds. */
export const PART_ROWS = 500;

/**
 * Reads one part of the entries before an id (null: all), latest first: at most `wanted` that match, among at most
 * `PART_ROWS`. The caller lets other work run between two parts.
 */
export function readAuditPart(
  store: StoreReader,
  filter: AuditFilter,
  before: string | null,
  wanted: number,
): AuditPart {
  const newest = filter.until === undefined ? NEWEST : startOfUuid7(filter.until);
  const start = before === null || before > newest ? newest : before;
  const oldest = filter.since === undefined ? '' : startOfUuid7(filter.since);
  const isWanted = matcherOf(filter);
  const found: FoundEntry[] = [];
  let read = 0;
  let last: string | null = null;
  for (const { id, entry } of merged(store, budgetsOf(filter), start)) {
    if (id < oldest) return { found, before: null };
    if (found.length >= wanted || read >= PART_ROWS) return { found, before: last };
    read++;
    last = id;
    if (isWanted(entry)) found.push({ id, entry });
  }
  return { found, before: null };
}

/** Budgets that have entries with an outcome. Changes are made by people only. */
const BUDGETS_OF: Readonly<Record<AuditOutcome, readonly AuditBudget[]>> = {
  denied: ['people', 'strangers'],
  changed: ['people'],
  failed: ['people', 'strangers'],
  decided: ['service'],
};

const budgetsOf = ({ outcome }: AuditFilter): readonly AuditBudget[] =>
  outcome === undefined ? AUDIT_BUDGETS : BUDGETS_OF[outcome];

/** Yields the entries of several budgets before an id, latest first. */
function* merged(
  store: StoreReader,
  budgets: readonly AuditBudget[],
  before: string,
): Generator<FoundEntry, void, undefined> {
  const iterators = budgets.map((budget) => entriesOf(store, budget, before));
  const heads = iterators.map((iterator) => iterator.next());
  try {
    for (;;) {
      let latest = -1;
      let id = '';
      for (const [index, head] of heads.entries()) {
        if (head.done === true || head.value.id <= id) continue;
        latest = index;
        id = head.value.id;
      }
      const head = heads[latest];
      const iterator = iterators[latest];
      if (head === undefined || head.done === true || iterator === undefined) return;
      yield head.value;
      heads[latest] = iterator.next();
    }
  } finally {
    for (const iterator of iterators) iterator.return();
  }
}

function* entriesOf(
  store: StoreReader,
  budget: AuditBudget,
  before: string,
): Generator<FoundEntry, void, undefined> {
  const prefix = keys.auditEntriesOf(budget);
  const after = keys.auditEntry(budget, before);
  for (const { key, value } of store.scan('auditEntry', { prefix, after, reverse: true }))
    yield { id: idOfAuditKey(key), entry: value };
}

function matcherOf(filter: AuditFilter): (entry: AuditEntryRecord) => boolean {
  const { outcome, method, path, permission, target } = filter;
  const actor = filter.actor === undefined ? undefined : usernameKey(filter.actor);
  return (entry) =>
    (actor === undefined || usernameKey(entry.actor) === actor) &&
    (outcome === undefined || entry.outcome === outcome) &&
    (method === undefined || entry.method === method) &&
    (path === undefined || entry.path.startsWith(path)) &&
    (permission === undefined || entry.permission === permission) &&
    (target === undefined || entry.targets.includes(target));
}
