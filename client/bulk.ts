import type { BulkResult, BulkResults } from './resources.ts';

/** Maximum number of items per request (http/routes/bulk.ts). */
const BULK_LOT = 1_000;

export interface BulkOutcome {
  /** Number of changed items. */
  readonly done: number;
  /** Retried tasks, when jobs or tasks are retried. */
  readonly retried: number;
  /** Retried dependents of the jobs. */
  readonly dependents: number;
  /** Items that were in the requested state already, or had nothing to retry. */
  readonly unchanged: readonly BulkResult[];
  readonly refused: readonly BulkResult[];
  /** Items that were not requested because of a cancellation. */
  readonly left: number;
}

export interface BulkControl {
  /** Called after each request with the number of processed items. */
  readonly progress: (dealtWith: number) => void;
  readonly isStopped: () => boolean;
}

const WITHOUT_CONTROL: BulkControl = { progress: () => undefined, isStopped: () => false };

/**
 * Applies an action to many items, 1,000 per request, one request after the other. Rejects with the error of a
 * request that fails as a whole; earlier requests keep their effect.
 */
export async function runBulk(
  ids: readonly string[],
  send: (lot: string[]) => Promise<BulkResults>,
  { progress, isStopped }: BulkControl = WITHOUT_CONTROL,
): Promise<BulkOutcome> {
  let done = 0;
  let retried = 0;
  let dependents = 0;
  const unchanged: BulkResult[] = [];
  const refused: BulkResult[] = [];
  let dealtWith = 0;
  while (dealtWith < ids.length && !isStopped()) {
    const lot = ids.slice(dealtWith, dealtWith + BULK_LOT);
    const { results } = await send(lot);
    for (const result of results) {
      retried += result.retried ?? 0;
      dependents += result.dependents ?? 0;
      if (result.changed) done += 1;
      else (result.ok ? unchanged : refused).push(result);
    }
    dealtWith += lot.length;
    progress(dealtWith);
  }
  return { done, retried, dependents, unchanged, refused, left: ids.length - dealtWith };
}

/**
 * Returns the ids of all items of a list except some, requested page by page. Sort by age, oldest first, so that new
 * items come last.
 */
export async function collectIds(
  page: (
    offset: number,
    limit: number,
  ) => Promise<{ readonly items: readonly { readonly id: string }[]; readonly total: number }>,
  except: ReadonlySet<string>,
  progress: (collected: number, total: number) => void = () => undefined,
): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (let offset = 0; ; offset += BULK_LOT) {
    const { items, total } = await page(offset, BULK_LOT);
    for (const { id } of items) if (!except.has(id)) ids.add(id);
    progress(ids.size, total);
    if (offset + BULK_LOT >= total) return [...ids];
  }
}

/** Rejected items with the same reason. */
export interface RefusalGroup {
  readonly reason: string;
  readonly ids: readonly string[];
}

/** Groups rejected items by reason, most frequent first. */
export function refusalGroups(refused: readonly BulkResult[]): readonly RefusalGroup[] {
  const groups = new Map<string, string[]>();
  for (const { id, problem, status } of refused) {
    const reason = reasonOf(problem?.detail ?? problem?.title ?? `status ${status}`, id);
    const ids = groups.get(reason);
    if (ids === undefined) groups.set(reason, [id]);
    else ids.push(id);
  }
  return [...groups]
    .map(([reason, ids]) => ({ reason, ids }))
    .sort((one, other) => other.ids.length - one.ids.length);
}

/** Removes the id of the item from the reason, so that equal reasons compare equal. */
const reasonOf = (detail: string, id: string): string => detail.replaceAll(` ${id}`, '').replaceAll(id, '');
