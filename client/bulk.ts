import type { BulkResult, BulkResults } from './resources.ts';

/** Things that one request may name (http/routes/bulk.ts). */
const BULK_LOT = 1_000;

export interface BulkOutcome {
  readonly done: number;
  /** Tasks that are tried again, of a retry of jobs. */
  readonly retried: number;
  readonly refused: readonly BulkResult[];
  /** Those that were not asked for any more. */
  readonly left: number;
}

export interface BulkControl {
  /** Told after each lot how many have been dealt with. */
  readonly progress: (dealtWith: number) => void;
  readonly isStopped: () => boolean;
}

const WITHOUT_CONTROL: BulkControl = { progress: () => undefined, isStopped: () => false };

/**
 * Does the same to many things, a thousand a request, one request after the other. Rejects with the error of a request that failed as a whole;
 * what was done before it stays done.
 */
export async function runBulk(
  ids: readonly string[],
  send: (lot: string[]) => Promise<BulkResults>,
  { progress, isStopped }: BulkControl = WITHOUT_CONTROL,
): Promise<BulkOutcome> {
  let done = 0;
  let retried = 0;
  const refused: BulkResult[] = [];
  let dealtWith = 0;
  while (dealtWith < ids.length && !isStopped()) {
    const lot = ids.slice(dealtWith, dealtWith + BULK_LOT);
    const { results } = await send(lot);
    for (const result of results) {
      if (result.ok) {
        done += 1;
        retried += result.retried ?? 0;
      } else refused.push(result);
    }
    dealtWith += lot.length;
    progress(dealtWith);
  }
  return { done, retried, refused, left: ids.length - dealtWith };
}

/** The ids of all that a list has, but for some: asked for page by page. Ask for the oldest first, so that what is new meanwhile comes last. */
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

/** Refusals for the same reason. */
export interface RefusalGroup {
  readonly reason: string;
  readonly ids: readonly string[];
}

/** Refusals by their reason, the most frequent first. */
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

/** The reason without the id that it is given for, so that the same reason reads the same. */
const reasonOf = (detail: string, id: string): string => detail.replaceAll(` ${id}`, '').replaceAll(id, '');
