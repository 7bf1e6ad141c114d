/** A page of a list, as the service answers it. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Of the whole list. */
  readonly total: number;
}

export interface PageWindowPorts<Row> {
  readonly pageSize: number;
  /** What a row is known by, wherever it stands. */
  readonly idOf: (row: Row) => string;
  /** Loads the page at `offset`. */
  readonly fetch: (offset: number) => Promise<Page<Row>>;
  /** Nobody waits for that page any more. */
  readonly cancel: (offset: number) => void;
  /** A page that was loaded before, to be shown until it has been loaded again. */
  readonly cached: (offset: number) => Page<Row> | undefined;
  readonly changed: () => void;
  readonly now: () => number;
  /** Calls once, after so many milliseconds; gives what prevents it. */
  readonly later: (act: () => void, ms: number) => () => void;
}

interface PageState {
  /** Which of the loads of this window the rows are of; rows of an older refresh are shown until newer ones arrive. */
  loaded: number;
  /** How long the list was when they were loaded. */
  total: number;
  isLoading: boolean;
  /** Nobody waits for the load that is under way. */
  isGivenUp: boolean;
}

/** Requests that are under way at the same time. */
const AT_ONCE = 3;
/** Between the starts of two requests: ten a second leave half of what the service allows to others. */
const SPACING_MS = 100;
/** Requests that may start without spacing after a rest. */
const BURST = 4;
/** Pages whose rows are kept. */
const KEPT_PAGES = 60;
/** Refreshes come no closer than this. */
const REFRESH_MS = 500;

/**
 * The rows of a long list, of which those that are looked at are loaded, a page at a time: at most a few requests at once, spaced, and
 * none for a page that is looked at no more when its turn comes. `refresh` loads what is looked at again and lets the rest be loaded when it is
 * looked at.
 */
export class PageWindow<Row> {
  readonly #ports: PageWindowPorts<Row>;
  readonly #pages = new Map<number, PageState>();
  #rows: (Row | undefined)[] = [];
  #total: number | null = null;
  /** What the service said last, which the rows may not show yet. */
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
  /** Raised by a change of the rows: what was asked for before it is of another list. */
  #generation = 0;

  constructor(ports: PageWindowPorts<Row>) {
    this.#ports = ports;
    this.#tokensAt = ports.now();
    const first = ports.cached(0);
    if (first !== undefined) this.#put(0, first, 0);
  }

  /** Null as long as no page has arrived. */
  get total(): number | null {
    return this.#total;
  }

  /** How many rows more the list has, or fewer when negative, than are shown. */
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

  /** Says which rows are looked at. */
  need(first: number, last: number): void {
    this.#view = { first: Math.max(0, first), last: Math.max(first, last) };
    for (const [page, state] of this.#pages) {
      if (!state.isLoading || state.isGivenUp || this.#isInView(page)) continue;
      state.isGivenUp = true;
      this.#ports.cancel(page * this.#ports.pageSize);
    }
    this.#pump();
  }

  /** Loads rows that are not looked at; at once, one page after the other. Rejects when one cannot be loaded. */
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

  /** Changes the loaded rows in place: `change` gives the row itself where nothing is to be changed. */
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

  /** Takes rows out; those behind them move up. Gives how many of the loaded rows were taken. */
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

  /** What is looked at is loaded again, now or as soon as the last refresh is old enough. */
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

  /** The loaded rows that are looked at. */
  inView(): readonly Row[] {
    return this.#rows.slice(this.#view.first, this.#view.last + 1).filter((row) => row !== undefined);
  }

  /**
   * What is looked at shows what it has become, and keeps its place: nothing comes, goes or moves but by a refresh. It happens now, or as
   * soon as the last time is long enough ago.
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
            // The list has been loaded: what the service does not answer now, it is asked again soon.
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

  /** Loads nothing more until it is opened. */
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

  /** Goes on with what is looked at. */
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

  /** The page to load next, those in the middle of the view first; null when none is to be loaded now. */
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

  /** Rows that were not there when their page was loaded may be there now. */
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
