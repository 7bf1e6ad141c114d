import { firstPlace } from '../first-place.ts';
import type { QueueId, WorkerId } from '../ids.ts';
import { coresOf, isEligible } from './eligibility.ts';
import type { Signature } from './signatures.ts';
import type { WorkerOffer } from './worker-offer.ts';

/** A lease request that waits for work (interface.md, "Lease (assignment) algorithm", rules 2, 5 and 6). */
export interface ParkedRequest {
  readonly workerId: WorkerId;
  /** Null asks for tasks of any queue. */
  readonly queueId: QueueId | null;
  /** Who waits for the reply. */
  readonly replyTo: string;
  /** When the hold ends, in milliseconds since the epoch. All requests are held equally long. */
  readonly until: number;
}

/** Parked requests that only work of the same kind can wake: same eligibility, same queue, same free cores. */
interface Group {
  readonly offer: WorkerOffer;
  readonly queueId: QueueId | null;
  readonly freeCores: number;
  /** In the order in which they came. */
  readonly parked: Parked[];
}

interface Parked {
  readonly request: ParkedRequest;
  /** Rises with every request that is parked. */
  readonly order: number;
  group: Group;
}

const NOBODY: ReadonlySet<WorkerId> = new Set();

const slotKey = (workerId: WorkerId, queueId: QueueId | null): string => `${workerId} ${queueId ?? ''}`;

/** The parked requests of one farm, grouped so that waking the right ones does not look at the others. */
export class ParkedRequests {
  /** In the order in which they came, which is the order in which their holds end. */
  private readonly all = new Set<ParkedRequest>();
  private readonly bySlot = new Map<string, Parked>();
  private readonly slotsOfWorker = new Map<WorkerId, Set<string>>();
  private readonly groups = new Map<string, Group>();
  private nextOrder = 0;

  get size(): number {
    return this.all.size;
  }

  /** Parks a request. A worker has one a queue: the one that it replaces is given back. */
  park(request: ParkedRequest, offer: WorkerOffer, freeCores: number): ParkedRequest | null {
    const replaced = this.take(request.workerId, request.queueId);
    const slot = slotKey(request.workerId, request.queueId);
    const parked = { request, order: this.nextOrder++, group: this.groupOf(request, offer, freeCores) };
    join(parked);
    this.all.add(request);
    this.bySlot.set(slot, parked);
    const slots = this.slotsOfWorker.get(request.workerId);
    if (slots === undefined) this.slotsOfWorker.set(request.workerId, new Set([slot]));
    else slots.add(slot);
    return replaced;
  }

  /** Takes out the request of a worker for a queue, or null when it has none. */
  take(workerId: WorkerId, queueId: QueueId | null): ParkedRequest | null {
    const slot = slotKey(workerId, queueId);
    const parked = this.bySlot.get(slot);
    if (parked === undefined) return null;
    this.leave(parked);
    this.all.delete(parked.request);
    this.bySlot.delete(slot);
    const slots = this.slotsOfWorker.get(workerId);
    slots?.delete(slot);
    if (slots?.size === 0) this.slotsOfWorker.delete(workerId);
    return parked.request;
  }

  /** Takes out every request of a worker. */
  takeAll(workerId: WorkerId): ParkedRequest[] {
    return this.ofWorker(workerId).map((request) => {
      this.take(workerId, request.queueId);
      return request;
    });
  }

  ofWorker(workerId: WorkerId): ParkedRequest[] {
    const requests: ParkedRequest[] = [];
    for (const slot of this.slotsOfWorker.get(workerId) ?? []) {
      const parked = this.bySlot.get(slot);
      if (parked !== undefined) requests.push(parked.request);
    }
    return requests;
  }

  /** The worker's offer or free cores have changed. */
  regroup(workerId: WorkerId, offer: WorkerOffer, freeCores: number): void {
    for (const slot of this.slotsOfWorker.get(workerId) ?? []) {
      const parked = this.bySlot.get(slot);
      if (parked === undefined) continue;
      this.leave(parked);
      parked.group = this.groupOf(parked.request, offer, freeCores);
      join(parked);
    }
  }

  /**
   * The longest parked request that work of this signature could satisfy, or null. Requests of the workers in `except`
   * are passed over.
   */
  firstFor(signature: Signature, except: ReadonlySet<WorkerId> = NOBODY): ParkedRequest | null {
    let first: Parked | null = null;
    for (const { offer, queueId, freeCores, parked } of this.groups.values()) {
      const head =
        except.size === 0 ? parked[0] : parked.find(({ request }) => !except.has(request.workerId));
      if (head === undefined || (first !== null && first.order < head.order)) continue;
      if (queueId !== null && queueId !== signature.queueId) continue;
      if (coresOf(signature.requirements, offer.cpuCount) > freeCores) continue;
      if (isEligible(offer, signature)) first = head;
    }
    return first?.request ?? null;
  }

  /** When the oldest hold ends, or null. */
  nextEnd(): number | null {
    for (const request of this.all) return request.until;
    return null;
  }

  /** Takes out the requests whose hold has ended. */
  takeEnded(now: number): ParkedRequest[] {
    const ended: ParkedRequest[] = [];
    for (const request of this.all) {
      if (request.until > now) break;
      ended.push(request);
    }
    for (const request of ended) this.take(request.workerId, request.queueId);
    return ended;
  }

  private groupOf(request: ParkedRequest, offer: WorkerOffer, freeCores: number): Group {
    const key = groupKey(offer, request.queueId, freeCores);
    let group = this.groups.get(key);
    if (group === undefined) {
      group = { offer, queueId: request.queueId, freeCores, parked: [] };
      this.groups.set(key, group);
    }
    return group;
  }

  private leave({ group, order }: Parked): void {
    group.parked.splice(placeOf(group.parked, order), 1);
    if (group.parked.length > 0) return;
    this.groups.delete(groupKey(group.offer, group.queueId, group.freeCores));
  }
}

const groupKey = (offer: WorkerOffer, queueId: QueueId | null, freeCores: number): string =>
  JSON.stringify([offer.signature, queueId, freeCores]);

function join(parked: Parked): void {
  parked.group.parked.splice(placeOf(parked.group.parked, parked.order), 0, parked);
}

/** Where the request of this order stands, or would stand. */
function placeOf(parked: readonly Parked[], order: number): number {
  return firstPlace(parked.length, (at) => (parked[at]?.order ?? Infinity) < order);
}
