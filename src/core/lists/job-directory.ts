import { JOB_STATUSES, type JobStatus } from '../lifecycle/job-transitions.ts';
import type { JobRecord } from '../records/job.ts';
import { InternedTexts } from './interned-texts.ts';
import { grown, SortedSlots } from './sorted-slots.ts';

/** What lists of jobs filter, search and sort by. */
export type ListedJob = Pick<
  JobRecord,
  | 'id'
  | 'farmId'
  | 'queueId'
  | 'name'
  | 'owner'
  | 'project'
  | 'priority'
  | 'status'
  | 'createdAt'
  | 'updatedAt'
>;

export type JobSortKey = 'created_at' | 'priority' | 'status' | 'updated_at' | 'name';

/** A page of the list of jobs that is asked for (interface.md, "Endpoints", "Jobs"). */
export interface JobListQuery {
  readonly status?: JobStatus;
  readonly farmId?: string;
  readonly queueId?: string;
  readonly owner?: string;
  readonly project?: string;
  /** In lower case. Each must occur in the name, the id, the owner or the project. */
  readonly words: readonly string[];
  readonly sortBy: JobSortKey;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

export interface JobIdPage {
  readonly ids: readonly string[];
  /** Jobs on all pages. */
  readonly total: number;
}

/** Codes of statuses: their order is that of the names. */
const STATUSES = JOB_STATUSES.toSorted();
const SHARED_TEXTS = ['farmId', 'queueId', 'owner', 'project'] as const;
type SharedText = (typeof SHARED_TEXTS)[number];

const FIRST_CAPACITY = 1024;

/**
 * All jobs as columns: what is needed to find the ids of one page of any list, and nothing else. A job has a slot, which
 * is its index in every column. Jobs that are equal in the key of a sort come in the order of their ids, in both
 * directions, so that pages do not overlap.
 */
export class JobDirectory {
  readonly #slots = new Map<string, number>();
  readonly #freeSlots: number[] = [];
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
  };
  readonly #codes: Record<SharedText, Uint32Array> = {
    farmId: new Uint32Array(FIRST_CAPACITY),
    queueId: new Uint32Array(FIRST_CAPACITY),
    owner: new Uint32Array(FIRST_CAPACITY),
    project: new Uint32Array(FIRST_CAPACITY),
  };
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

  /** The ids of all jobs, in no order. */
  ids(): Iterable<string> {
    return this.#slots.keys();
  }

  /** Adds a job, or takes over what has changed of it. */
  put(job: ListedJob): void {
    const known = this.#slots.get(job.id);
    if (known === undefined) this.#add(job);
    else this.#change(known, job);
  }

  /** Forgets a job; nothing happens when it is not known. */
  remove(id: string): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.#slots.delete(id);
    this.#freeSlots.push(slot);
    this.#ids[slot] = '';
    this.#names[slot] = '';
    this.#searchedNames[slot] = '';
    this.#searchedIds[slot] = '';
    for (const text of SHARED_TEXTS) this.#texts[text].release(this.#codes[text][slot] ?? 0);
    for (const order of Object.values(this.#orders)) order.note(slot);
  }

  /** The ids of one page. */
  page(query: JobListQuery): JobIdPage {
    const isWanted = this.#filterOf(query);
    if (isWanted === null) return { ids: [], total: 0 };
    const slots = this.#orders[query.sortBy].inOrder();
    const ids: string[] = [];
    const end = query.offset + query.limit;
    let total = 0;
    const look = (slot: number): void => {
      if (!isWanted(slot)) return;
      if (total >= query.offset && total < end) ids.push(this.#ids[slot] ?? '');
      total += 1;
    };
    if (query.descending) this.#eachDescending(slots, query.sortBy, look);
    else for (const slot of slots) look(slot);
    return { ids, total };
  }

  #add(job: ListedJob): void {
    const slot = this.#freeSlots.pop() ?? this.#ids.length;
    if (slot >= this.#statuses.length) this.#grow(slot);
    this.#slots.set(job.id, slot);
    this.#ids[slot] = job.id;
    this.#searchedIds[slot] = lowered(job.id);
    this.#names[slot] = job.name;
    this.#searchedNames[slot] = lowered(job.name);
    for (const text of SHARED_TEXTS) this.#codes[text][slot] = this.#texts[text].take(job[text]);
    this.#statuses[slot] = STATUSES.indexOf(job.status);
    this.#priorities[slot] = job.priority;
    this.#createdAt[slot] = job.createdAt;
    this.#updatedAt[slot] = job.updatedAt;
    for (const order of Object.values(this.#orders)) order.note(slot);
  }

  #change(slot: number, job: ListedJob): void {
    if (this.#names[slot] !== job.name) {
      this.#names[slot] = job.name;
      this.#searchedNames[slot] = lowered(job.name);
      this.#orders.name.note(slot);
    }
    for (const text of SHARED_TEXTS) {
      const code = this.#codes[text][slot] ?? 0;
      if (this.#texts[text].textOf(code) === job[text]) continue;
      this.#codes[text][slot] = this.#texts[text].take(job[text]);
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

  #grow(slot: number): void {
    for (const text of SHARED_TEXTS) this.#codes[text] = grown(this.#codes[text], slot);
    this.#statuses = grown(this.#statuses, slot);
    this.#priorities = grown(this.#priorities, slot);
    this.#createdAt = grown(this.#createdAt, slot);
    this.#updatedAt = grown(this.#updatedAt, slot);
  }

  #orderBy(compareKeys: (left: number, right: number) => number): SortedSlots {
    return new SortedSlots(
      (left, right) =>
        compareKeys(left, right) || compareTexts(this.#ids[left] ?? '', this.#ids[right] ?? ''),
      (slot) => this.#ids[slot] !== '',
    );
  }

  /** Slots against their order; those that are equal in the key stay in the order of their ids. */
  #eachDescending(slots: Uint32Array, sortBy: JobSortKey, look: (slot: number) => void): void {
    const isSame = this.#sameness(sortBy);
    for (let end = slots.length; end > 0;) {
      const last = slots[end - 1] ?? 0;
      let begin = end - 1;
      while (begin > 0 && isSame(slots[begin - 1] ?? 0, last)) begin -= 1;
      for (let at = begin; at < end; at += 1) look(slots[at] ?? 0);
      end = begin;
    }
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

  /** Whether the job of a slot is wanted; null when none can be. */
  #filterOf(query: JobListQuery): ((slot: number) => boolean) | null {
    const tests: ((slot: number) => boolean)[] = [];
    if (query.status !== undefined) {
      const status = STATUSES.indexOf(query.status);
      const statuses = this.#statuses;
      tests.push((slot) => statuses[slot] === status);
    }
    for (const text of SHARED_TEXTS) {
      const wanted = query[text];
      if (wanted === undefined) continue;
      const code = this.#texts[text].find(wanted);
      if (code === null) return null;
      const codes = this.#codes[text];
      tests.push((slot) => codes[slot] === code);
    }
    for (const word of new Set(query.words)) tests.push(this.#has(word));
    return (slot) => tests.every((test) => test(slot));
  }

  #has(word: string): (slot: number) => boolean {
    const names = this.#searchedNames;
    const ids = this.#searchedIds;
    const { owner: owners, project: projects } = this.#codes;
    const isOwner = this.#texts.owner.having(word);
    const isProject = this.#texts.project.having(word);
    return (slot) =>
      isOwner[owners[slot] ?? 0] === 1 ||
      isProject[projects[slot] ?? 0] === 1 ||
      names[slot]?.includes(word) === true ||
      ids[slot]?.includes(word) === true;
  }
}

const compareTexts = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** In lower case; the same string when it is so already, which then is held once. */
function lowered(text: string): string {
  const lower = text.toLowerCase();
  return lower === text ? text : lower;
}
