/**
 * States of a slot: free, held by a job. Invariants: `#held` is 1 exactly for the slots in `#slots`; a changed sort key
 * is noted in its order. Exits: `remove` frees the slot, which the next job may get.
 */

import { JOB_STATUSES, type JobStatus } from '../lifecycle/job-transitions.ts';
import type { JobRecord } from '../records/job.ts';
import { usernameKey } from '../records/user.ts';
import { detachString } from './detach-string.ts';
import { InternedTexts } from './interned-texts.ts';
import { grown, SortedSlots } from './sorted-slots.ts';
import { Upstreams } from './upstreams.ts';

/** Fields by which lists of jobs are filtered, searched and sorted. */
export type ListedJob = Pick<
  JobRecord,
  | 'id'
  | 'farmId'
  | 'queueId'
  | 'name'
  | 'owner'
  | 'project'
  | 'product'
  | 'priority'
  | 'status'
  | 'createdAt'
  | 'updatedAt'
  | 'dependsOn'
>;

export type JobSortKey = 'created_at' | 'priority' | 'status' | 'updated_at' | 'name';

/** Selects jobs for a list (docs/contract/rest.md#jobs). */
export interface JobFilter {
  /** Matches any of them. */
  readonly statuses?: readonly JobStatus[];
  readonly farmId?: string;
  readonly queueId?: string;
  readonly owner?: string;
  readonly project?: string;
  /** Name of the product of the job. */
  readonly product?: string;
  /** Owner in the form of `usernameKey`: matches every spelling. */
  readonly ownerKey?: string;
  /** In lower case. Each must occur in the name, the id, the owner or the project. */
  readonly words: readonly string[];
}

/** Selects one page of the list of jobs. */
export interface JobListQuery extends JobFilter {
  readonly sortBy: JobSortKey;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

export interface JobIdPage {
  readonly ids: readonly string[];
  /** Number of jobs on all pages. */
  readonly total: number;
}

/** Number of jobs by status. */
export type JobCounts = Readonly<Record<JobStatus, number>>;

/** Codes of statuses are in the order of the names. */
const STATUSES = JOB_STATUSES.toSorted();
const SHARED_TEXTS = ['farmId', 'queueId', 'owner', 'project', 'product', 'ownerKey'] as const;
type SharedText = (typeof SHARED_TEXTS)[number];

const FIRST_CAPACITY = 1024;

/**
 * All jobs as columns, with just the fields needed to find the ids of one page of any list. A job has a slot, which is
 * its index in every column. Jobs with equal sort keys are in the order of their ids in both directions, so that pages
 * do not overlap.
 */
export class JobDirectory {
  readonly #slots = new Map<string, number>();
  readonly #freeSlots: number[] = [];
  readonly #upstreams = new Upstreams();
  /** Empty for a slot without a job. */
  readonly #ids: string[] = [];
  readonly #names: string[] = [];
  readonly #searchedNames: string[] = [];
  readonly #searchedIds: string[] = [];
  readonly #texts: Readonly<Record<SharedText, InternedTexts>> = {
    farmId: new InternedTexts(),
    queueId: new InternedTexts(),
    owner: new InternedTexts(),
    project: new InternedTexts(),
    product: new InternedTexts(),
    ownerKey: new InternedTexts(),
  };
  readonly #codes: Record<SharedText, Uint32Array> = {
    farmId: new Uint32Array(FIRST_CAPACITY),
    queueId: new Uint32Array(FIRST_CAPACITY),
    owner: new Uint32Array(FIRST_CAPACITY),
    project: new Uint32Array(FIRST_CAPACITY),
    product: new Uint32Array(FIRST_CAPACITY),
    ownerKey: new Uint32Array(FIRST_CAPACITY),
  };
  /** 1 for a slot that holds a job. */
  #held = new Uint8Array(FIRST_CAPACITY);
  #statuses = new Uint8Array(FIRST_CAPACITY);
  #priorities = new Float64Array(FIRST_CAPACITY);
  #createdAt = new Float64Array(FIRST_CAPACITY);
  #updatedAt = new Float64Array(FIRST_CAPACITY);
  readonly #orders: Readonly<Record<JobSortKey, SortedSlots>> = {
    created_at: this.#orderBy((left, right) => (this.#createdAt[left] ?? 0) - (this.#createdAt[right] ?? 0)),
    priority: this.#orderBy((left, right) => (this.#priorities[left] ?? 0) - (this.#priorities[right] ?? 0)),
    status: this.#orderBy((left, right) => (this.#statuses[left] ?? 0) - (this.#statuses[right] ?? 0)),
    updated_at: this.#orderBy((left, right) => (this.#updatedAt[left] ?? 0) - (this.#updatedAt[right] ?? 0)),
    name: this.#orderBy((left, right) => compareTexts(this.#names[left] ?? '', this.#names[right] ?? '')),
  };

  get size(): number {
    return this.#slots.size;
  }

  has(id: string): boolean {
    return this.#slots.has(id);
  }

  /** Returns the ids of all jobs, unordered. */
  ids(): Iterable<string> {
    return this.#slots.keys();
  }

  /** Adds or updates a job. */
  put(job: ListedJob): void {
    const known = this.#slots.get(job.id);
    if (known === undefined) this.#add(job);
    else this.#change(known, job);
  }

  /** Removes a job, if it is present. */
  remove(id: string): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.#slots.delete(id);
    this.#upstreams.remove(id);
    this.#freeSlots.push(slot);
    this.#held[slot] = 0;
    this.#ids[slot] = '';
    this.#names[slot] = '';
    this.#searchedNames[slot] = '';
    this.#searchedIds[slot] = '';
    for (const text of SHARED_TEXTS) this.#texts[text].release(this.#codes[text][slot] ?? 0);
    for (const order of Object.values(this.#orders)) order.note(slot);
  }

  /** Returns the ids of one page. */
  page(query: JobListQuery): JobIdPage {
    const wanted = this.#wantedBy(query);
    if (wanted === null) return { ids: [], total: 0 };
    let total = 0;
    for (const isWanted of wanted) total += isWanted;
    const order = this.#orders[query.sortBy].inOrder();
    const slots = query.descending
      ? descendingPage(order, wanted, query, this.#sameness(query.sortBy))
      : ascendingPage(order, wanted, query);
    return { ids: slots.map((slot) => this.#ids[slot] ?? ''), total };
  }

  /** Returns the number of matching jobs by status. */
  counts(filter: JobFilter): JobCounts {
    const byCode = STATUSES.map(() => 0);
    const wanted = this.#wantedBy(filter) ?? new Uint8Array(0);
    for (let slot = 0; slot < wanted.length; slot += 1) {
      if (wanted[slot] === 0) continue;
      const code = this.#statuses[slot] ?? 0;
      byCode[code] = (byCode[code] ?? 0) + 1;
    }
    return countsOf(byCode);
  }

  /** Returns the number of matching jobs by status, for each queue that has any. Linear in jobs. */
  countsByQueue(filter: JobFilter): ReadonlyMap<string, JobCounts> {
    const byQueue = new Map<number, { readonly queueId: string; readonly byCode: number[] }>();
    const wanted = this.#wantedBy(filter) ?? new Uint8Array(0);
    for (let slot = 0; slot < wanted.length; slot += 1) {
      if (wanted[slot] === 0) continue;
      const queue = this.#codes.queueId[slot] ?? 0;
      let counted = byQueue.get(queue);
      if (counted === undefined) {
        counted = { queueId: this.#texts.queueId.textOf(queue), byCode: STATUSES.map(() => 0) };
        byQueue.set(queue, counted);
      }
      const code = this.#statuses[slot] ?? 0;
      counted.byCode[code] = (counted.byCode[code] ?? 0) + 1;
    }
    return new Map([...byQueue.values()].map(({ queueId, byCode }) => [queueId, countsOf(byCode)]));
  }

  /**
   * Returns the ids of the jobs whose own `dependsOn` names a job, oldest first; with an `ownerKey`, only those of this
   * owner.
   */
  dependents(id: string, ownerKey?: string): readonly string[] {
    const all = this.#upstreams.dependentsOf(id);
    if (ownerKey === undefined) return all;
    const code = this.#texts.ownerKey.find(ownerKey);
    return all.filter((each) => {
      const slot = this.#slots.get(each);
      return slot !== undefined && this.#codes.ownerKey[slot] === code;
    });
  }

  #add(job: ListedJob): void {
    const slot = this.#freeSlots.pop() ?? this.#ids.length;
    if (slot >= this.#statuses.length) this.#grow(slot);
    const id = detachString(job.id);
    this.#slots.set(id, slot);
    this.#upstreams.add(id, job.dependsOn);
    this.#held[slot] = 1;
    this.#ids[slot] = id;
    this.#searchedIds[slot] = lowered(id);
    this.#setName(slot, job.name);
    for (const text of SHARED_TEXTS) this.#codes[text][slot] = this.#texts[text].take(textOf(job, text));
    this.#statuses[slot] = STATUSES.indexOf(job.status);
    this.#priorities[slot] = job.priority;
    this.#createdAt[slot] = job.createdAt;
    this.#updatedAt[slot] = job.updatedAt;
    for (const order of Object.values(this.#orders)) order.note(slot);
  }

  #change(slot: number, job: ListedJob): void {
    if (this.#names[slot] !== job.name) {
      this.#setName(slot, job.name);
      this.#orders.name.note(slot);
    }
    for (const text of SHARED_TEXTS) {
      const code = this.#codes[text][slot] ?? 0;
      const now = textOf(job, text);
      if (this.#texts[text].textOf(code) === now) continue;
      this.#codes[text][slot] = this.#texts[text].take(now);
      this.#texts[text].release(code);
    }
    const status = STATUSES.indexOf(job.status);
    if (this.#statuses[slot] !== status) {
      this.#statuses[slot] = status;
      this.#orders.status.note(slot);
    }
    if (this.#priorities[slot] !== job.priority) {
      this.#priorities[slot] = job.priority;
      this.#orders.priority.note(slot);
    }
    if (this.#createdAt[slot] !== job.createdAt) {
      this.#createdAt[slot] = job.createdAt;
      this.#orders.created_at.note(slot);
    }
    if (this.#updatedAt[slot] !== job.updatedAt) {
      this.#updatedAt[slot] = job.updatedAt;
      this.#orders.updated_at.note(slot);
    }
  }

  #setName(slot: number, text: string): void {
    const name = detachString(text);
    this.#names[slot] = name;
    this.#searchedNames[slot] = lowered(name);
  }

  #grow(slot: number): void {
    for (const text of SHARED_TEXTS) this.#codes[text] = grown(this.#codes[text], slot);
    this.#held = grown(this.#held, slot);
    this.#statuses = grown(this.#statuses, slot);
    this.#priorities = grown(this.#priorities, slot);
    this.#createdAt = grown(this.#createdAt, slot);
    this.#updatedAt = grown(this.#updatedAt, slot);
  }

  #orderBy(compareKeys: (left: number, right: number) => number): SortedSlots {
    return new SortedSlots(
      (left, right) =>
        compareKeys(left, right) || compareTexts(this.#ids[left] ?? '', this.#ids[right] ?? ''),
      (slot) => this.#held[slot] === 1,
    );
  }

  #sameness(sortBy: JobSortKey): (left: number, right: number) => boolean {
    const columns = {
      created_at: this.#createdAt,
      priority: this.#priorities,
      status: this.#statuses,
      updated_at: this.#updatedAt,
      name: this.#names,
    } as const;
    const column = columns[sortBy];
    return (left, right) => column[left] === column[right];
  }

  /** Returns 1 for each slot that holds a matching job, else 0; null if no job can match. */
  #wantedBy(query: JobFilter): Uint8Array | null {
    const wanted = this.#held.slice(0, this.#ids.length);
    if (query.statuses !== undefined) keepAmong(wanted, this.#statuses, query.statuses);
    for (const text of SHARED_TEXTS) {
      const asked = query[text];
      if (asked === undefined) continue;
      const code = this.#texts[text].find(asked);
      if (code === null) return null;
      keepEqual(wanted, this.#codes[text], code);
    }
    for (const word of new Set(query.words)) if (!this.#keepHaving(wanted, word)) return null;
    return wanted;
  }

  /** Clears the jobs without the word. Reports whether any job is left. */
  #keepHaving(wanted: Uint8Array, word: string): boolean {
    let isAny = false;
    const { owner: owners, project: projects } = this.#codes;
    const isOwner = this.#texts.owner.having(word);
    const isProject = this.#texts.project.having(word);
    for (let slot = 0; slot < wanted.length; slot += 1) {
      if (wanted[slot] === 0) continue;
      const has =
        isOwner[owners[slot] ?? 0] === 1 ||
        isProject[projects[slot] ?? 0] === 1 ||
        this.#searchedNames[slot]?.includes(word) === true ||
        this.#searchedIds[slot]?.includes(word) === true;
      if (has) isAny = true;
      else wanted[slot] = 0;
    }
    return isAny;
  }
}

/** Counts of no jobs. */
export const NO_JOBS: JobCounts = {
  pending: 0,
  blocked: 0,
  paused: 0,
  running: 0,
  completed: 0,
  failed: 0,
  canceled: 0,
};

/** Converts the numbers of jobs by the code of their status. */
function countsOf(byCode: readonly number[]): JobCounts {
  const counts = { ...NO_JOBS };
  for (const [code, status] of STATUSES.entries()) counts[status] = byCode[code] ?? 0;
  return counts;
}

function textOf(job: ListedJob, text: SharedText): string {
  if (text === 'ownerKey') return usernameKey(job.owner);
  return text === 'product' ? (job.product?.name ?? '') : job[text];
}

function keepEqual(wanted: Uint8Array, column: Uint8Array | Uint32Array, code: number): void {
  for (let slot = 0; slot < wanted.length; slot += 1) if (column[slot] !== code) wanted[slot] = 0;
}

function keepAmong(wanted: Uint8Array, column: Uint8Array, statuses: readonly JobStatus[]): void {
  const isAsked = STATUSES.map((status) => statuses.includes(status));
  for (let slot = 0; slot < wanted.length; slot += 1) {
    if (isAsked[column[slot] ?? 0] !== true) wanted[slot] = 0;
  }
}

interface Window {
  readonly offset: number;
  readonly limit: number;
}

function ascendingPage(order: Uint32Array, wanted: Uint8Array, { offset, limit }: Window): readonly number[] {
  const page: number[] = [];
  let passed = 0;
  for (const slot of order) {
    if (page.length >= limit) break;
    if (wanted[slot] === 0) continue;
    if (passed >= offset) page.push(slot);
    passed += 1;
  }
  return page;
}

/** Returns the page in descending order, in which jobs with equal keys stay in ascending order of ids. */
function descendingPage(
  order: Uint32Array,
  wanted: Uint8Array,
  { offset, limit }: Window,
  isSame: (left: number, right: number) => boolean,
): readonly number[] {
  const isWanted = (at: number): boolean => wanted[order[at] ?? 0] === 1;
  const isEqual = (left: number, right: number): boolean => isSame(order[left] ?? 0, order[right] ?? 0);
  let end = order.length;
  let passed = 0;
  while (end > 0 && passed < offset) {
    end -= 1;
    if (isWanted(end)) passed += 1;
  }
  // The page begins within the group of this job: continue at the start of the group.
  for (const at = end; end < order.length && isEqual(end, at); end += 1) if (isWanted(end)) passed -= 1;
  const page: number[] = [];
  while (end > 0 && page.length < limit) {
    let begin = end - 1;
    while (begin > 0 && isEqual(begin - 1, end - 1)) begin -= 1;
    for (let at = begin; at < end && page.length < limit; at += 1) {
      if (!isWanted(at)) continue;
      if (passed >= offset) page.push(order[at] ?? 0);
      passed += 1;
    }
    end = begin;
  }
  return page;
}

const compareTexts = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** Returns the text in lower case. If it already is, the same string is returned, so that it is stored once. */
function lowered(text: string): string {
  const lower = text.toLowerCase();
  return lower === text ? text : lower;
}
