import type { QueueId, WorkerId } from '../ids.ts';
import { coresOf, ineligibleReason } from './eligibility.ts';
import type { Signature } from './ready-index.ts';
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
  readonly requests: Set<ParkedRequest>;
}

const slotKey = (workerId: WorkerId, queueId: QueueId | null): string => `${workerId} ${queueId ?? ''}`;

/** The parked requests of one farm, grouped so that waking the right ones does not look at the others. */
export class ParkedRequests {
  /** In the order in which they came, which is the order in which their holds end. */
  private readonly all = new Set<ParkedRequest>();
  private readonly bySlot = new Map<string, { readonly request: ParkedRequest; group: Group }>();
  private readonly slotsOfWorker = new Map<WorkerId, Set<string>>();
  private readonly groups = new Map<string, Group>();

  get size(): number {
    return this.all.size;
  }

  /** Parks a request. A worker has one a queue: the one that it replaces is given back. */
  park(request: ParkedRequest, offer: WorkerOffer, freeCores: number): ParkedRequest | null {
    const replaced = this.take(request.workerId, request.queueId);
    const slot = slotKey(request.workerId, request.queueId);
    const group = this.join(request, offer, freeCores);
    this.all.add(request);
    this.bySlot.set(slot, { request, group });
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
    this.leave(parked.request, parked.group);
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
      this.leave(parked.request, parked.group);
      parked.group = this.join(parked.request, offer, freeCores);
    }
  }

  /** The longest parked request that work of this signature could satisfy, or null. */
  firstFor(signature: Signature): ParkedRequest | null {
    for (const { offer, queueId, freeCores, requests } of this.groups.values()) {
      if (queueId !== null && queueId !== signature.queueId) continue;
      if (coresOf(signature.requirements, offer.cpuCount) > freeCores) continue;
      if (ineligibleReason(offer, signature) !== null) continue;
      for (const request of requests) return request;
    }
    return null;
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

  private join(request: ParkedRequest, offer: WorkerOffer, freeCores: number): Group {
    const key = JSON.stringify([offer.signature, request.queueId, freeCores]);
    let group = this.groups.get(key);
    if (group === undefined) {
      group = { offer, queueId: request.queueId, freeCores, requests: new Set() };
      this.groups.set(key, group);
    }
    group.requests.add(request);
    return group;
  }

  private leave(request: ParkedRequest, group: Group): void {
    group.requests.delete(request);
    if (group.requests.size > 0) return;
    this.groups.delete(JSON.stringify([group.offer.signature, group.queueId, group.freeCores]));
  }
}
