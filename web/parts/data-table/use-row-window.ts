import { QueryObserver, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useMemo, useState, useSyncExternalStore } from 'react';
import type { RowSource } from './column.ts';
import { PageWindow, type Page } from './page-window.ts';

/** Row with the id that identifies it across reloads. */
interface Identified {
  readonly id: string;
}

/** Page in the format of the REST API. */
interface RestPage<Row> {
  readonly items: readonly Row[];
  readonly total: number;
}

export interface RowWindowOptions<Row> {
  /** Cache key: everything that `fetchPage` depends on, as plain values. */
  readonly key: readonly unknown[];
  readonly fetchPage: (offset: number, limit: number, signal: AbortSignal) => Promise<RestPage<Row>>;
  readonly pageSize?: number;
}

/** Rows of a paged list that can be updated in place. */
export interface RowWindow<Row> extends RowSource<Row> {
  /** Changes loaded rows in place. `change` returns the same row to leave it unchanged. */
  patch(change: (row: Row) => Row): void;
  /** Removes loaded rows. Returns their number. */
  drop(isGone: (row: Row) => boolean): number;
  /** Rows added to the list since it was shown; negative if rows were removed. */
  readonly drift: number;
  /** Updates the values of the rows in view without adding, removing or moving rows. */
  freshen(): void;
  /** Returns the loaded rows in view. */
  inView(): readonly Row[];
  /** Reloads the rows in view now, and the others when they come into view. Merges calls in quick succession. */
  refresh(): void;
}

const PAGE_SIZE = 100;

/**
 * Loads the rows of a list as they come into view. When the key changes, the rows of the previous list stay until the
 * new ones arrive. `invalidateQueries` with the key, or a prefix of it, refreshes them.
 */
export function useRowWindow<Row extends Identified>(options: RowWindowOptions<Row>): RowWindow<Row> {
  const client = useQueryClient();
  const name = JSON.stringify(options.key);
  const [held, setHeld] = useState(() => ({
    name,
    list: new WindowStore(client, options),
    before: null as WindowStore<Row> | null,
  }));
  let current = held;
  if (held.name !== name) {
    // A list without a response has no rows to show in place of the next one.
    const before = held.list.window.total === null ? held.before : held.list;
    current = { name, list: new WindowStore(client, options), before };
    setHeld(current);
  }
  const { list, before } = current;
  const version = useSyncExternalStore(list.subscribe, list.version);
  return useMemo(() => sourceOf(list, before, version), [list, before, version]);
}

function sourceOf<Row extends Identified>(
  list: WindowStore<Row>,
  before: WindowStore<Row> | null,
  _version: number,
): RowWindow<Row> {
  const { window } = list;
  const isPrevious = window.total === null && window.error === null && before !== null;
  const shown = isPrevious ? before.window : window;
  return {
    total: shown.total,
    isPrevious,
    isFetching: window.isFetching,
    error: window.error,
    row: (index) => shown.row(index),
    need: (first, last) => window.need(first, last),
    load: (first, last) => window.load(first, last),
    retry: () => window.refresh(),
    patch: (change) => window.patch(change),
    drop: (isGone) => window.drop(isGone),
    drift: isPrevious ? 0 : window.drift,
    freshen: () => window.freshen(),
    inView: () => shown.inView(),
    refresh: () => window.refresh(),
  };
}

/** A page window that loads while it is subscribed, with its responses in the query cache. */
class WindowStore<Row extends Identified> {
  readonly window: PageWindow<Row>;
  readonly #client: QueryClient;
  /** Cache key that stands for all pages: an invalidation reaches it whichever pages are cached. */
  readonly #markKey: readonly unknown[];
  readonly #listeners = new Set<() => void>();
  #version = 0;
  #unfollow: () => void = () => undefined;

  constructor(client: QueryClient, { key, fetchPage, pageSize = PAGE_SIZE }: RowWindowOptions<Row>) {
    this.#client = client;
    this.#markKey = [...key, 'window'];
    const keyOf = (offset: number): readonly unknown[] => [...key, { offset, limit: pageSize }];
    this.window = new PageWindow<Row>({
      pageSize,
      idOf: (row) => row.id,
      fetch: (offset) =>
        client.fetchQuery({
          queryKey: keyOf(offset),
          queryFn: async ({ signal }): Promise<Page<Row>> => {
            const page = await fetchPage(offset, pageSize, signal);
            return { rows: page.items, total: page.total };
          },
          staleTime: 0,
        }),
      cancel: (offset) => void client.cancelQueries({ queryKey: keyOf(offset), exact: true }),
      cached: (offset) => client.getQueryData<Page<Row>>(keyOf(offset)),
      changed: () => {
        this.#version += 1;
        for (const listener of this.#listeners) listener();
      },
      now: () => performance.now(),
      later: (act, ms) => {
        const timer = setTimeout(act, ms);
        return () => clearTimeout(timer);
      },
    });
  }

  readonly version = (): number => this.#version;

  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.#listeners.size === 0) this.#open();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#unfollow();
      this.window.close();
    };
  };

  #open(): void {
    this.window.open();
    const client = this.#client;
    let mark = 0;
    client.setQueryData(this.#markKey, mark);
    const observer = new QueryObserver(client, { queryKey: this.#markKey, enabled: false });
    const unobserve = observer.subscribe(() => undefined);
    const marked = observer.getCurrentQuery();
    const unsubscribe = client.getQueryCache().subscribe((event) => {
      if (event.type !== 'updated' || event.action.type !== 'invalidate' || event.query !== marked) return;
      mark += 1;
      client.setQueryData(this.#markKey, mark);
      this.window.refresh();
    });
    this.#unfollow = () => {
      unsubscribe();
      unobserve();
    };
  }
}
