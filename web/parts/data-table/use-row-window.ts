import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useMemo, useState, useSyncExternalStore } from 'react';
import type { RowSource } from './column.ts';
import { PageWindow, type Page } from './page-window.ts';

/** A page as the lists of the service answer it. */
interface RestPage<Row> {
  readonly items: readonly Row[];
  readonly total: number;
}

export interface RowWindowOptions<Row> {
  /** Under which the pages are kept: all that `fetchPage` depends on, as plain values. */
  readonly key: readonly unknown[];
  readonly fetchPage: (offset: number, limit: number, signal: AbortSignal) => Promise<RestPage<Row>>;
  readonly pageSize?: number;
}

/** Rows of a paged list that follow what happens to it. */
export interface RowWindow<Row> extends RowSource<Row> {
  /** Changes loaded rows in place: `change` answers the row itself where nothing is to be changed. */
  patch(change: (row: Row) => Row): void;
  /** Takes loaded rows out; gives how many. */
  drop(isGone: (row: Row) => boolean): number;
  /** Loads what is looked at again, and the rest when it is looked at; calls that come close together are one. */
  refresh(): void;
}

const PAGE_SIZE = 100;

/**
 * Rows of a list of the service, of which those that are looked at are loaded. When the key changes, the rows of the last one are shown until
 * the first of the new ones arrive.
 */
export function useRowWindow<Row>(options: RowWindowOptions<Row>): RowWindow<Row> {
  const client = useQueryClient();
  const name = JSON.stringify(options.key);
  const [held, setHeld] = useState(() => ({
    name,
    list: new WindowStore(client, options),
    before: null as WindowStore<Row> | null,
  }));
  let current = held;
  if (held.name !== name) {
    // A view that never got an answer has nothing to show in place of the next one.
    const before = held.list.window.total === null ? held.before : held.list;
    current = { name, list: new WindowStore(client, options), before };
    setHeld(current);
  }
  const { list, before } = current;
  const version = useSyncExternalStore(list.subscribe, list.version);
  return useMemo(() => sourceOf(list, before, version), [list, before, version]);
}

function sourceOf<Row>(
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
    refresh: () => window.refresh(),
  };
}

/** A window of pages that lives as long as it is looked at, with its answers in the cache of queries. */
class WindowStore<Row> {
  readonly window: PageWindow<Row>;
  readonly #listeners = new Set<() => void>();
  #version = 0;

  constructor(client: QueryClient, { key, fetchPage, pageSize = PAGE_SIZE }: RowWindowOptions<Row>) {
    const keyOf = (offset: number): readonly unknown[] => [...key, { offset, limit: pageSize }];
    this.window = new PageWindow<Row>({
      pageSize,
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
    if (this.#listeners.size === 0) this.window.open();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.window.close();
    };
  };
}
