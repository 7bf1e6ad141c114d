import type { FarmInput } from '../../actors/service/catalog/messages.ts';
import { parseAttemptId } from '../../src/core/ids.ts';
import { BinaryHeap } from '../../src/core/binary-heap.ts';
import type { Quarantine } from '../../src/core/records/worker-evidence.ts';
import type { LeaseReply, RegisterMessage } from '../../src/core/wire/bus-messages.ts';
import type { ServiceSettings } from '../../actors/service/service-system.ts';
import { placeText, type Outage } from '../../src/core/outages/outage.ts';
import { keys } from '../../src/core/records/tables.ts';
import { TestFarm } from '../kit/test-farm.ts';

/** How an attempt of a scenario ends. */
export interface AttemptEnd {
  readonly afterMs: number;
  readonly fails: boolean;
  readonly message?: string;
}

/** An attempt that starts in a scenario. */
export interface StartedAttempt {
  readonly worker: string;
  readonly job: string;
  readonly index: number;
  /** Milliseconds since the start of the scenario. */
  readonly at: number;
}

interface Due {
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
}

const SETTINGS = {
  // Workers of a scenario never fall silent.
  heartbeatTimeoutMs: 1e12,
  reclaimAfterMs: 1e12,
  leaseHoldMs: 1e12,
  staleAssignedMs: 1e12,
} as const;

/**
 * A farm of many workers, by default of one task each, that work by a model, in virtual time, over the real actors. Counts attempts
 * and failures (docs/quarantine.md#measured).
 */
export class VerdictFarm extends TestFarm {
  /** Failed attempts by worker, and by job. */
  readonly failedOn = new Map<string, number>();
  readonly failedOf = new Map<string, number>();
  /** All starts of attempts, with their times. */
  readonly starts: string[] = [];
  /** Places of outages so far. */
  readonly heldPlaces = new Set<string>();
  readonly #model: (attempt: StartedAttempt) => AttemptEnd;
  readonly #due = new BinaryHeap<Due>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  readonly #startedAt: number;
  /** Workers whose request is not answered, in the order in which they have first requested tasks. */
  readonly #idle = new Set<string>();
  readonly #ofSeveralCores = new Set<string>();
  #order = 0;

  constructor(
    settings: Partial<FarmInput>,
    model: (attempt: StartedAttempt) => AttemptEnd,
    service: Partial<ServiceSettings> = {},
  ) {
    super({ ...SETTINGS, ...service });
    this.#model = model;
    this.replaceFarm(settings);
    this.#startedAt = this.now;
  }

  /** Milliseconds since the start. */
  get elapsed(): number {
    return this.now - this.#startedAt;
  }

  /** Does something at a time of the scenario. */
  at(ms: number, act: () => void): void {
    this.#due.push({ at: ms, order: this.#order++, act });
  }

  /** Registers a worker of one core, unless given, which requests tasks from then on. */
  enter(name: string, some: Partial<Omit<RegisterMessage, 'name'>> = {}): void {
    this.register(name, { cpu_count: 1, ...some });
    if ((some.cpu_count ?? 1) > 1) this.#ofSeveralCores.add(name);
    this.#work(() => {
      this.#request(name);
    });
  }

  /** Works until nothing is left to do, or until the time of the scenario. */
  work(untilMs: number): void {
    for (let due = this.#due.takeFirst(); due !== undefined; due = this.#due.takeFirst()) {
      if (due.at > untilMs) break;
      const { act } = due;
      this.#work(() => {
        this.advance(Math.max(0, due.at - this.elapsed));
        act();
      });
    }
  }

  /** All idle workers request tasks again, after a restart of the service if it is a cold one. */
  requestAgain(isCold: boolean): void {
    // Workers that timers have given tasks until now are not idle any more.
    this.#work(() => undefined);
    this.#work(() => {
      if (isCold) this.restart();
      for (const worker of [...this.#idle]) this.#request(worker);
    });
  }

  #request(worker: string): void {
    this.#idle.add(worker);
    this.lease(worker);
  }

  /** Returns the workers that are in quarantine as a whole, by name. */
  quarantined(): ReadonlyMap<string, Quarantine> {
    const found = new Map<string, Quarantine>();
    for (const { key, value } of this.store.scan('workerEvidence'))
      if (value.quarantine !== null) found.set(this.nameOf(key), value.quarantine);
    return found;
  }

  /** Returns the outages of the farm, those that have ended too. */
  outages(): readonly Outage[] {
    return this.store.get('farmOutages', keys.farmOutages(this.farm))?.outages ?? [];
  }

  /** Returns the names of the workers that are in quarantine for some step. */
  quarantinedInSteps(): readonly string[] {
    return [...this.store.scan('workerEvidence')].flatMap(({ key, value }) =>
      value.steps.some(({ quarantine }) => quarantine !== undefined) ? [this.nameOf(key)] : [],
    );
  }

  /** Does something, then starts the attempts that it has assigned. */
  #work(act: () => void): void {
    act();
    for (let said = this.takeOutputs(); said.length > 0; said = this.takeOutputs()) {
      for (const words of said) {
        const client = /^(lease [^:]+):/.exec(words)?.[1];
        const answer = client === undefined ? undefined : this.answers.get(client);
        if (client === undefined || answer === undefined || !('assignments' in answer)) continue;
        this.answers.delete(client);
        this.#start(client.slice('lease '.length), answer);
      }
    }
  }

  #start(worker: string, { assignments }: Extract<LeaseReply, { readonly type: 'leases' }>): void {
    if (assignments.length === 0) return;
    this.#idle.delete(worker);
    // Its other cores may have room for more.
    if (this.#ofSeveralCores.has(worker)) this.#request(worker);
    for (const { attempt_id: id } of assignments) {
      const address = parseAttemptId(id);
      if (address === null) throw new Error(`${id} is not an attempt ID`);
      const job = this.nameOf(address.jobId);
      this.starts.push(`${this.elapsed} ms: ${worker} ${job}/${address.index}#${address.attemptNumber}`);
      const end = this.#model({ worker, job, index: address.index, at: this.elapsed });
      this.at(this.elapsed + end.afterMs, () => {
        const word = `${job}/${address.stepOrder}/${address.index}#${address.attemptNumber}`;
        if (end.fails) {
          count(this.failedOn, worker);
          count(this.failedOf, job);
        }
        this.report(word, end.fails ? 'failed' : 'succeeded', {
          from: worker,
          ...(end.fails && { exitCode: 1, message: end.message ?? 'exit status 1' }),
        });
        for (const outage of this.outages()) this.heldPlaces.add(placeText(outage));
        this.#request(worker);
      });
    }
  }
}

const count = (counts: Map<string, number>, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};
