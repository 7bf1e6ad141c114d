import { problemBody } from '../problems.ts';
import type { Ports } from '../ports.ts';
import type { Schemas } from '../views/schemas.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { invalid, problem, type AnyReply, type Call, type ProblemReply } from './operation.ts';
import type { OperationId } from '../openapi/operation-id.ts';

/** Maximum number of items of one request. */
export const BULK_ITEMS_MAX = 1000;
/** Items processed in parallel: enough to fill commits, few enough not to delay leases. */
const AT_ONCE = 32;

/** Selection of items: by ids or by a filter. */
interface Picked<Filter> {
  readonly ids?: readonly string[];
  readonly filter?: Filter;
}

/** Matches of a filter: their total, and the ids of the first `BULK_ITEMS_MAX`. */
interface Found {
  readonly ids: readonly string[];
  readonly total: number;
}

interface BulkReply {
  readonly kind: 'json';
  readonly status: 200;
  readonly body: Schemas['BulkResults'];
}

/** The reply of an item's own route, and whether the item was in the requested state already. */
export interface ItemOutcome {
  readonly reply: AnyReply;
  readonly isUnchanged: boolean;
}

type ItemAction = (id: string) => Promise<ItemOutcome>;

/**
 * Applies an action to each selected item. `act` is the handler of the item's own route. `what` is the plural name of
 * the items.
 */
export async function bulk<Filter>(
  picked: Picked<Filter>,
  what: string,
  find: (filter: Filter) => Found | ProblemReply,
  act: ItemAction,
  ports: Ports,
): Promise<BulkReply | ProblemReply> {
  const found = foundBy(picked, find);
  if ('kind' in found) return found;
  if (found.total > BULK_ITEMS_MAX) {
    const detail = `the filter matches ${found.total} ${what}; a request can change at most ${BULK_ITEMS_MAX}, so narrow the filter`;
    return problem('conflict', detail);
  }
  const results = await mapConcurrently(found.ids, AT_ONCE, async (id) =>
    resultOf(id, await acted(id, act, ports)),
  );
  const changed = results.filter((result) => result.changed).length;
  return { kind: 'json', status: 200, body: { total: results.length, changed, results } };
}

function foundBy<Filter>(
  { ids, filter }: Picked<Filter>,
  find: (filter: Filter) => Found | ProblemReply,
): Found | ProblemReply {
  if (ids !== undefined && filter !== undefined) return invalid('/filter', 'cannot be combined with ids');
  if (filter !== undefined) return find(filter);
  if (ids === undefined) return invalid('/ids', 'is required without a filter');
  const distinct = [...new Set(ids)];
  return { ids: distinct, total: distinct.length };
}

/** Keeps the error of one item from failing the others. */
async function acted(id: string, act: ItemAction, ports: Ports): Promise<ItemOutcome> {
  try {
    return await act(id);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    ports.log('error', 'an item of a bulk request failed', { id, error: text });
    return {
      reply: problem('internal', 'the item failed; the log of the service says why'),
      isUnchanged: true,
    };
  }
}

function resultOf(id: string, { reply, isUnchanged }: ItemOutcome): Schemas['BulkResult'] {
  const changed = !isUnchanged;
  switch (reply.kind) {
    case 'problem': {
      const body = problemBody(reply.problem);
      return { id, ok: false, changed: false, status: body.status, problem: body };
    }
    case 'done':
      return { id, ok: true, changed, status: 204 };
    case 'json': {
      const { status, body } = reply;
      if (!('retried' in body)) return { id, ok: true, changed, status };
      const { retried } = body;
      const dependents = 'dependents' in body ? body.dependents.filter((each) => each.retried > 0).length : 0;
      const counts = { retried, ...(dependents > 0 && { dependents }) };
      return { id, ok: true, changed: retried + dependents > 0, status, ...counts };
    }
    case 'text':
    case 'image':
    case 'kept-json':
    case 'stream':
    case 'redirect':
      throw new Error('the route of an item answers with a text or a redirect');
  }
}

/** Builds the call of an item's own route, without its body. */
export const itemCall = (
  {
    principal,
    client,
    isSecure,
    allHeaders,
    ended,
  }: Pick<Call<OperationId>, 'principal' | 'client' | 'isSecure' | 'allHeaders' | 'ended'>,
  id: string,
) => ({ path: { id }, query: {}, headers: {}, principal, client, isSecure, allHeaders, ended }) as const;
