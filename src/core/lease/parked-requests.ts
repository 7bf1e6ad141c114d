/**
 * A request is parked until it is taken. Invariants: a worker has at most one request per queue; each request is in
 * exactly one group; no group is empty; `waiting` has exactly the kinds with groups; `all` is in order of arrival.
 * Exits: `take`, `takeAll`, `takeEnded`, or replacement by `park`.
 */

import { BinaryHeap } from '../binary-heap.ts';
import { partitionPoint } from '../../openjd/primitives/partition-point.ts';
import type { QueueId, WorkerId } from '../ids.ts';
import { coresOf, isEligible } from './eligibility.ts';
import type { AmountLedger } from './worker-amounts.ts';
import type { WorkerOffer } from './worker-offer.ts';
import type { Signature } from './step-entry.ts';

/** A lease request that waits for work (docs/contract/lease.md#parked-requests). */
export interface ParkedRequest<Address> {
  readonly workerId: WorkerId;
  /** Null asks for tasks of any queue. */
  readonly queueId: QueueId | null;
  /** Address of the reply. */
  readonly replyTo: Address;
  /** End of the hold, in milliseconds since the epoch. All requests are held for the same time. */
  readonly until: number;
}

/** Parked requests that the same work can wake: same eligibility, same queue, same free cores and booked amounts. */
interface Group<Address> {
  readonly kind: Kind<Address>;
  readonly queueId: QueueId | null;
  readonly freeCores: number;
  /** `freeCores`, with the booked amounts if there are any. */
  readonly key: number | string;
  /** In order of arrival. */
  readonly parked: Parked<Address>[];
}

interface Parked<Address> {
  readonly request: ParkedRequest<Address>;
  /** Increases with every parked request. */
  readonly order: number;
  group: Group<Address>;
  /** Null if its farm books only cores. */
  ledger: AmountLedger | null;
}

/** Workers that are eligible for the same steps. */
interface Kind<Address> {
  readonly offer: WorkerOffer;
  /** Groups with requests in them, by queue, then by their key. */
  readonly groups: Map<QueueId | null, Map<number | string, Group<Address>>>;
  /** Eligibility by signature, computed on demand. */
  readonly eligible: WeakMap<Signature, boolean>;
}

/** Maximum number of kinds without requests that keep their computed eligibility. */
const KINDS_MAX = 10_000;

/** Position of an iteration over the requests of a group. */
interface Place<Address> {
  readonly group: Group<Address>;
  next: Parked<Address>;
}

const NO_SLOTS: ReadonlySet<string> = new Set();

const slotKey = (workerId: WorkerId, queueId: QueueId | null): string => `${workerId} ${queueId ?? ''}`;

/** The parked requests of one farm, grouped so that a search visits only requests that fit. */
export class ParkedRequests<Address> {
  /** In order of arrival, which is the order in which their holds end. */
  private readonly all = new Set<ParkedRequest<Address>>();
  private readonly bySlot = new Map<string, Parked<Address>>();
  private readonly slotsOfWorker = new Map<WorkerId, Set<string>>();
  private readonly kinds = new Map<string, Kind<Address>>();
  /** Kinds with parked requests. */
  private readonly waiting = new Set<Kind<Address>>();
  private nextOrder = 0;

  get size(): number {
    return this.all.size;
  }

  /** Parks a request. A worker has one request per queue: returns the replaced one, or null. */
  park(
    request: ParkedRequest<Address>,
    offer: WorkerOffer,
    freeCores: number,
    ledger: AmountLedger | null = null,
  ): ParkedRequest<Address> | null {
    const replaced = this.take(request.workerId, request.queueId);
    const slot = slotKey(request.workerId, request.queueId);
    const group = this.groupOf(request, offer, freeCores, ledger);
    const parked = { request, order: this.nextOrder++, group, ledger };
    join(parked);
    this.all.add(request);
    this.bySlot.set(slot, parked);
    const slots = this.slotsOfWorker.get(request.workerId);
    if (slots === undefined) this.slotsOfWorker.set(request.workerId, new Set([slot]));
    else slots.add(slot);
    return replaced;
  }

  /** Removes and returns the request of a worker for a queue, or null. */
  take(workerId: WorkerId, queueId: QueueId | null): ParkedRequest<Address> | null {
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

  /** Removes and returns every request of a worker. */
  takeAll(workerId: WorkerId): ParkedRequest<Address>[] {
    return this.ofWorker(workerId).map((request) => {
      this.take(workerId, request.queueId);
      return request;
    });
  }

  ofWorker(workerId: WorkerId): ParkedRequest<Address>[] {
    const requests: ParkedRequest<Address>[] = [];
    for (const slot of this.slotsOf(workerId)) {
      const parked = this.bySlot.get(slot);
      if (parked !== undefined) requests.push(parked.request);
    }
    return requests;
  }

  /** Returns all requests, the longest waiting first. */
  inOrder(): readonly ParkedRequest<Address>[] {
    return [...this.all];
  }

  /** Updates the groups of a worker's requests after its offer, its free cores or its amounts have changed. */
  regroup(
    workerId: WorkerId,
    offer: WorkerOffer,
    freeCores: number,
    ledger: AmountLedger | null = null,
  ): void {
    for (const slot of this.slotsOf(workerId)) {
      const parked = this.bySlot.get(slot);
      if (parked === undefined) continue;
      this.leave(parked);
      parked.ledger = ledger;
      parked.group = this.groupOf(parked.request, offer, freeCores, ledger);
      join(parked);
    }
  }

  /**
   * Yields the parked requests that work of this signature could satisfy, the longest waiting first. Requests may be
   * removed and regrouped during the iteration. It does not include requests that begin to fit meanwhile.
   */
  *waitingFor(signature: Signature): Generator<ParkedRequest<Address>, void, undefined> {
    const places = new BinaryHeap<Place<Address>>((a, b) => a.next.order < b.next.order);
    for (const group of this.groupsFor(signature)) {
      const next = group.parked[0];
      if (next !== undefined) places.push({ group, next });
    }
    for (let place = places.takeFirst(); place !== undefined; place = places.takeFirst()) {
      const { group, next } = place;
      if (next.group === group && this.all.has(next.request)) yield next.request;
      const after = group.parked[placeOf(group.parked, next.order + 1)];
      if (after === undefined) continue;
      place.next = after;
      places.push(place);
    }
  }

  private *groupsFor(signature: Signature): Generator<Group<Address>, void, undefined> {
    for (const kind of this.waiting) {
      if (!isKindEligible(kind, signature)) continue;
      const cores = coresOf(signature.requirements, kind.offer.cpuCount);
      for (const [queueId, byKey] of kind.groups) {
        if (queueId !== null && queueId !== signature.queueId) continue;
        for (const group of byKey.values())
          if (cores <= group.freeCores && hasAmounts(group, kind.offer, signature)) yield group;
      }
    }
  }

  /** Returns the end of the oldest hold, or null. */
  nextEnd(): number | null {
    for (const request of this.all) return request.until;
    return null;
  }

  /** Removes and returns the requests whose hold has ended. */
  takeEnded(now: number): ParkedRequest<Address>[] {
    const ended: ParkedRequest<Address>[] = [];
    for (const request of this.all) {
      if (request.until > now) break;
      ended.push(request);
    }
    for (const request of ended) this.take(request.workerId, request.queueId);
    return ended;
  }

  private slotsOf(workerId: WorkerId): ReadonlySet<string> {
    // No requests are parked while there is work for all workers.
    return this.all.size === 0 ? NO_SLOTS : (this.slotsOfWorker.get(workerId) ?? NO_SLOTS);
  }

  private groupOf(
    { queueId }: ParkedRequest<Address>,
    offer: WorkerOffer,
    freeCores: number,
    ledger: AmountLedger | null,
  ): Group<Address> {
    const kind = this.kindOf(offer);
    let byKey = kind.groups.get(queueId);
    if (byKey === undefined) {
      byKey = new Map();
      kind.groups.set(queueId, byKey);
    }
    const key = ledger === null ? freeCores : `${freeCores} ${ledger.worker.key}`;
    let group = byKey.get(key);
    if (group === undefined) {
      group = { kind, queueId, freeCores, key, parked: [] };
      byKey.set(key, group);
    }
    this.waiting.add(kind);
    return group;
  }

  private kindOf(offer: WorkerOffer): Kind<Address> {
    const known = this.kinds.get(offer.signature);
    if (known !== undefined) return known;
    if (this.kinds.size >= KINDS_MAX) {
      for (const [key, kind] of this.kinds) if (!this.waiting.has(kind)) this.kinds.delete(key);
    }
    const kind: Kind<Address> = { offer, groups: new Map(), eligible: new WeakMap() };
    this.kinds.set(offer.signature, kind);
    return kind;
  }

  private leave({ group, order }: Parked<Address>): void {
    group.parked.splice(placeOf(group.parked, order), 1);
    if (group.parked.length > 0) return;
    const { kind, queueId, key } = group;
    const byKey = kind.groups.get(queueId);
    byKey?.delete(key);
    if (byKey?.size === 0) kind.groups.delete(queueId);
    if (kind.groups.size === 0) this.waiting.delete(kind);
  }
}

function isKindEligible({ offer, eligible }: Kind<unknown>, signature: Signature): boolean {
  let isFit = eligible.get(signature);
  if (isFit === undefined) {
    isFit = isEligible(offer, signature);
    eligible.set(signature, isFit);
  }
  return isFit;
}

/** Reports whether the workers of the group, which all hold the same, have the amounts of the signature free. */
function hasAmounts({ parked: [first] }: Group<unknown>, offer: WorkerOffer, signature: Signature): boolean {
  const ledger = first?.ledger ?? null;
  return ledger === null || ledger.worker.fits(ledger.farm.demandOf(signature.requirements, offer));
}

function join(parked: Parked<unknown>): void {
  parked.group.parked.splice(placeOf(parked.group.parked, parked.order), 0, parked);
}

/** Returns the index of the request with this order, or the index at which it would be inserted. */
function placeOf(parked: readonly Parked<unknown>[], order: number): number {
  return partitionPoint(parked.length, (at) => (parked[at]?.order ?? Infinity) < order);
}
