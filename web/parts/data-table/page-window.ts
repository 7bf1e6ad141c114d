/**
 * States: closed, open; of a page: absent, loading, loaded (fresh or stale). Invariants: at most three requests at a
 * time; pages in view are not evicted; responses to requests before a `drop` are discarded. Exits: `close` cancels all
 * requests, `open` resumes.
 */

/** One page of a list. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Length of the whole list. */
  readonly total: number;
}

export interface PageWindowPorts<Row> {
  readonly pageSize: number;
  /** Returns the id of a row. */
  readonly idOf: (row: Row) => string;
  /** Requests the page at `offset`. */
  readonly fetch: (offset: number) => Promise<Page<Row>>;
  /** Cancels the request of a page. */
  readonly cancel: (offset: number) => void;
  /** Returns an earlier response for a page, shown until the page is loaded again. */
  readonly cached: (offset: number) => Page<Row> | undefined;
  readonly changed: () => void;
  readonly now: () => number;
  /** Calls `act` once after `ms` milliseconds. Returns a function that cancels the call. */
  readonly later: (act: () => void, ms: number) => () => void;
}

interface PageState {
  /** Refresh that loaded the rows. Rows of an older refresh are shown until newer ones arrive. */
  loaded: number;
  /** Length of the list at that time. */
  total: number;
  isLoading: boolean;
  /** True if the result of the current request is discarded. */
  isGivenUp: boolean;
}

/** Maximum number of parallel requests. */
const AT_ONCE = 3;
/** Interval between requests: 10 per second leave half of the rate limit to other requests. */
const SPACING_MS = 100;
/** Requests that may start without spacing after a quiet interval. */
const BURST = 4;
/** Maximum number of pages in memory. */
const KEPT_PAGES = 60;
/** Minimum interval between refreshes. */
const REFRESH_MS = 500;

/**
 * Loads a long list page by page as rows come into view. Limits and spaces the requests, and skips pages that have
 * left the view. `refresh` reloads the rows in view, and the others when they come into view.
 */
export class PageWindow<Row> {
  readonly #ports: PageWindowPorts<Row>;
  readonly #pages = new Map<number, PageState>();
  #rows: (Row | undefined)[] = [];
  #total: number | null = null;
  /** Latest length reported by the server; the shown rows may lag behind. */
  #latestTotal: number | null = null;
  #error: unknown = null;
  #view = { first: 0, last: 0 };
  #refresh = 1;
  #tokens = BURST;
  #tokensAt: number;
  #cancelTimer: (() => void) | null = null;
  #cancelRefresh: (() => void) | null = null;
  #refreshedAt = -Infinity;
  #isClosed = true;
  #cancelFreshen: (() => void) | null = null;
  #freshenedAt = -Infinity;
  /** Incremented by `drop`: responses to earlier requests no longer match the rows. */
  #generation = 0;

  constructor(ports: PageWindowPorts<Row>) {
    this.#ports = ports;
    this.#tokensAt = ports.now();
    const first = ports.cached(0);
    if (first !== undefined) this.#put(0, first, 0);
  }

  /** Length of the list; null until a page has arrived. */
  get total(): number | null {
    return this.#total;
  }

  /** Rows added to the list since it was shown; negative if rows were removed. */
  get drift(): number {
    return (this.#latestTotal ?? 0) - (this.#total ?? 0);
  }

  get error(): unknown {
    return this.#error;
  }

  get isFetching(): boolean {
    return [...this.#pages.values()].some((page) => page.isLoading);
  }

  row(index: number): Row | undefined {
    return this.#rows[index];
  }

  /** Reports the rows in view. */
  need(first: number, last: number): void {
    this.#view = { first: Math.max(0, first), last: Math.max(first, last) };
    for (const [page, state] of this.#pages) {
      if (!state.isLoading || state.isGivenUp || this.#isInView(page)) continue;
      state.isGivenUp = true;
      this.#ports.cancel(page * this.#ports.pageSize);
    }
    this.#pump();
  }

  /** Loads rows outside the view, one page after the other. Rejects if a page cannot be loaded. */
  async load(first: number, last: number): Promise<void> {
    const { pageSize, fetch } = this.#ports;
    for (let page = Math.floor(first / pageSize); page * pageSize <= last; page += 1) {
      if (this.#hasRows(page)) continue;
      const generation = this.#generation;
      const refresh = this.#refresh;
      const loaded = await fetch(page * pageSize);
      if (this.#isClosed || generation !== this.#generation) return;
      this.#put(page, loaded, refresh);
    }
    this.#ports.changed();
  }

  /** Changes loaded rows in place. `change` returns the same row to leave it unchanged. */
  patch(change: (row: Row) => Row): void {
    let isChanged = false;
    this.#rows.forEach((row, index) => {
      if (row === undefined) return;
      const after = change(row);
      if (after === row) return;
      this.#rows[index] = after;
      isChanged = true;
    });
    if (isChanged) this.#ports.changed();
  }

  /** Removes rows; later rows move up. Returns the number of removed rows. */
  drop(isGone: (row: Row) => boolean): number {
    const kept: (Row | undefined)[] = [];
    let dropped = 0;
    for (let index = 0; index < this.#rows.length; index += 1) {
      const row = this.#rows[index];
      if (row !== undefined && isGone(row)) dropped += 1;
      else kept.push(row);
    }
    if (dropped === 0) return 0;
    this.#rows = kept;
    this.#total = Math.max(0, (this.#total ?? 0) - dropped);
    this.#latestTotal = this.#total;
    this.#generation += 1;
    this.#refreshNow();
    this.#ports.changed();
    return dropped;
  }

  /** Reloads the rows in view, at once or when the minimum interval has passed. */
  refresh(): void {
    if (this.#isClosed || this.#cancelRefresh !== null) return;
    const wait = this.#refreshedAt + REFRESH_MS - this.#ports.now();
    if (wait <= 0) {
      this.#refreshNow();
      return;
    }
    this.#cancelRefresh = this.#ports.later(() => {
      this.#cancelRefresh = null;
      this.#refreshNow();
    }, wait);
  }

  /** Returns the loaded rows in view. */
  inView(): readonly Row[] {
    return this.#rows.slice(this.#view.first, this.#view.last + 1).filter((row) => row !== undefined);
  }

  /**
   * Updates the values of the rows in view, at once or when the minimum interval has passed. Rows keep their
   * positions; only a refresh adds, removes or moves rows.
   */
  freshen(): void {
    if (this.#isClosed || this.#total === null || this.#cancelFreshen !== null) return;
    const wait = this.#freshenedAt + REFRESH_MS - this.#ports.now();
    this.#cancelFreshen = this.#ports.later(
      () => {
        this.#freshenNow().then(
          () => {
            this.#cancelFreshen = null;
          },
          () => {
            // The list is already loaded, and the next event updates it again.
            this.#cancelFreshen = null;
          },
        );
      },
      Math.max(0, wait),
    );
  }

  async #freshenNow(): Promise<void> {
    const { pageSize, fetch, idOf, now, changed } = this.#ports;
    this.#freshenedAt = now();
    const last = Math.min(this.#view.last, Math.max(0, (this.#total ?? 0) - 1));
    for (let page = Math.floor(this.#view.first / pageSize); page * pageSize <= last; page += 1) {
      const generation = this.#generation;
      const loaded = await fetch(page * pageSize);
      if (this.#isClosed || generation !== this.#generation) return;
      const fresh = new Map(loaded.rows.map((row) => [idOf(row), row]));
      const drift = this.drift;
      this.#latestTotal = loaded.total;
      this.patch((row) => fresh.get(idOf(row)) ?? row);
      if (drift !== this.drift) changed();
    }
  }

  /** Cancels all requests until `open` is called. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#cancelRefresh?.();
    this.#cancelFreshen?.();
    this.#cancelTimer = null;
    this.#cancelRefresh = null;
    this.#cancelFreshen = null;
    for (const [page, state] of this.#pages) {
      if (!state.isLoading) continue;
      state.isGivenUp = true;
      this.#ports.cancel(page * this.#ports.pageSize);
    }
  }

  /** Resumes loading the rows in view. */
  open(): void {
    this.#isClosed = false;
    this.#pump();
  }

  #refreshNow(): void {
    this.#cancelRefresh?.();
    this.#cancelRefresh = null;
    this.#refreshedAt = this.#ports.now();
    this.#refresh += 1;
    this.#error = null;
    this.#pump();
  }

  #pump(): void {
    if (this.#isClosed || this.#cancelTimer !== null) return;
    for (;;) {
      const page = this.#next();
      if (page === null) return;
      if (!this.#takeToken()) {
        this.#cancelTimer = this.#ports.later(() => {
          this.#cancelTimer = null;
          this.#pump();
        }, SPACING_MS);
        return;
      }
      this.#start(page);
    }
  }

  /** Returns the next page to load, in list order; null if there is none or the limit of requests is reached. */
  #next(): number | null {
    let loading = 0;
    for (const state of this.#pages.values()) if (state.isLoading) loading += 1;
    if (loading >= AT_ONCE || this.#error !== null) return null;
    const { pageSize } = this.#ports;
    const lastRow = this.#total === null ? 0 : Math.max(0, this.#total - 1);
    const first = Math.floor(Math.min(this.#view.first, lastRow) / pageSize);
    const last = Math.floor(Math.min(this.#view.last, lastRow) / pageSize);
    for (let page = first; page <= last; page += 1) {
      const state = this.#pages.get(page);
      if (state === undefined || (!state.isLoading && !this.#isFresh(page, state))) return page;
    }
    return null;
  }

  /** A page is stale if the list has grown into it since it was loaded. */
  #isFresh(page: number, state: PageState): boolean {
    if (state.loaded < this.#refresh) return false;
    const { pageSize } = this.#ports;
    const end = Math.min((page + 1) * pageSize, this.#total ?? 0);
    return state.total === this.#total || end <= page * pageSize || this.#rows[end - 1] !== undefined;
  }

  #start(page: number): void {
    const { pageSize, fetch, cached, changed } = this.#ports;
    const offset = page * pageSize;
    const before = this.#hasRows(page) ? undefined : cached(offset);
    if (before !== undefined) this.#put(page, before, 0);
    const state = this.#stateOf(page);
    state.isLoading = true;
    state.isGivenUp = false;
    const refresh = this.#refresh;
    const generation = this.#generation;
    fetch(offset).then(
      (loaded) => {
        state.isLoading = false;
        if (generation === this.#generation && !state.isGivenUp) {
          this.#put(page, loaded, refresh);
          this.#error = null;
        }
        changed();
        this.#pump();
      },
      (error: unknown) => {
        state.isLoading = false;
        if (!state.isGivenUp) this.#error = error;
        changed();
        this.#pump();
      },
    );
    changed();
  }

  #put(page: number, loaded: Page<Row>, refresh: number): void {
    const { pageSize } = this.#ports;
    const state = this.#stateOf(page);
    state.loaded = refresh;
    state.total = loaded.total;
    this.#total = loaded.total;
    this.#latestTotal = loaded.total;
    const offset = page * pageSize;
    for (let index = 0; index < pageSize; index += 1) {
      if (offset + index < loaded.total) this.#rows[offset + index] = loaded.rows[index];
    }
    if (this.#rows.length > loaded.total) this.#rows.length = loaded.total;
    this.#evict();
  }

  #stateOf(page: number): PageState {
    const known = this.#pages.get(page);
    if (known !== undefined) return known;
    const state: PageState = { loaded: -1, total: 0, isLoading: false, isGivenUp: false };
    this.#pages.set(page, state);
    return state;
  }

  #evict(): void {
    if (this.#pages.size <= KEPT_PAGES) return;
    const { pageSize } = this.#ports;
    const middle = (this.#view.first + this.#view.last) / 2 / pageSize;
    let farthest: number | null = null;
    for (const [page, state] of this.#pages) {
      if (state.isLoading || this.#isInView(page)) continue;
      if (farthest === null || Math.abs(page - middle) > Math.abs(farthest - middle)) farthest = page;
    }
    if (farthest === null) return;
    this.#pages.delete(farthest);
    const end = Math.min(this.#rows.length, (farthest + 1) * pageSize);
    for (let index = farthest * pageSize; index < end; index += 1) this.#rows[index] = undefined;
  }

  #hasRows(page: number): boolean {
    return this.#rows[page * this.#ports.pageSize] !== undefined;
  }

  #isInView(page: number): boolean {
    const { pageSize } = this.#ports;
    return page * pageSize <= this.#view.last && (page + 1) * pageSize > this.#view.first;
  }

  #takeToken(): boolean {
    const now = this.#ports.now();
    this.#tokens = Math.min(BURST, this.#tokens + (now - this.#tokensAt) / SPACING_MS);
    this.#tokensAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
