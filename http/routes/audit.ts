import { setImmediate } from 'node:timers/promises';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { readAuditPart, type AuditFilter, type AuditPart, type FoundEntry } from '../audit/audit-query.ts';
import { auditView } from '../views/audit-view.ts';
import { problem, type Call, type Handler } from './operation.ts';

/** docs/contract/rest.md#audit-log */

const OFF = 'authentication is off (auth.enabled): nothing is recorded in the audit log';

/** Parts that one page reads: 100,000 entries. */
const PARTS_MAX = 200;

/** Entries of one piece of an export. */
const PIECE_ENTRIES = 500;

export const listAudit: Handler<'listAudit'> = async ({ query, ended }, { store, audit }) => {
  if (audit === null) return problem('conflict', OFF);
  const filter = filterOf(query);
  if (query.format === 'ndjson')
    return {
      kind: 'stream',
      contentType: 'application/x-ndjson',
      headers: [['Content-Disposition', 'attachment; filename="audit.ndjson"']],
      pieces: linesOf(store, filter, query.before ?? null, ended()),
    };
  const page = await pageOf(store, filter, query.before ?? null, query.limit);
  const next = page.before === null ? {} : { next: page.before };
  return { kind: 'json', status: 200, body: { items: page.found.map(auditView), ...next } };
};

const filterOf = ({ since, until, ...filter }: Call<'listAudit'>['query']): AuditFilter => ({
  ...filter,
  since: since === undefined ? undefined : Date.parse(since),
  until: until === undefined ? undefined : Date.parse(until),
});

async function pageOf(
  store: StoreReader,
  filter: AuditFilter,
  before: string | null,
  limit: number,
): Promise<AuditPart> {
  const found: FoundEntry[] = [];
  let from = before;
  for (let parts = 0; parts < PARTS_MAX; parts++) {
    if (parts > 0) await setImmediate();
    const part = readAuditPart(store, filter, from, limit - found.length);
    found.push(...part.found);
    from = part.before;
    if (from === null || found.length >= limit) break;
  }
  return { found, before: from };
}

/** Yields all entries before an id as lines. Ends early when the client disconnects. */
async function* linesOf(
  store: StoreReader,
  filter: AuditFilter,
  before: string | null,
  ended: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  let from = before;
  do {
    if (ended.aborted) return;
    const part = readAuditPart(store, filter, from, PIECE_ENTRIES);
    if (part.found.length > 0)
      yield part.found.map((found) => `${JSON.stringify(auditView(found))}\n`).join('');
    from = part.before;
    await setImmediate();
  } while (from !== null);
}
