import { CATALOG_ID, type FarmInput } from '../../actors/service/catalog/messages.ts';
import type { QueueInput } from '../../actors/service/farm/messages.ts';
import type { QueueId } from '../../src/core/ids.ts';
import type { Outcome } from '../../src/core/problems.ts';
import type { QueueRecord } from '../../src/core/records/queue.ts';
import { keys } from '../../src/core/records/tables.ts';
import { ask, requestUntilAnswered, type ClientWorld } from './client-port.ts';
import { groupCapsOf, NO_GROUP_CAPS } from './cap-plans.ts';
import { canariesOf, guardsOf } from './guard-plans.ts';
import { preemptionOfQueue } from './preemption-plans.ts';
import { rulesOfQueue } from './retry-rule-plans.ts';
import { randomBookedAmounts } from './amount-plans.ts';
import { randomQueuePolicy } from './share-plans.ts';
import { randomRetry } from './job-plans.ts';

/** Clients that create a farm and change its settings and queues. */
export class SettingsClients {
  /** Queues for submissions, without the newest one, which may be deleted. */
  readonly queues: QueueId[] = [];
  private readonly world: ClientWorld;
  private settings = 0;
  private farmSettings = 0;
  private groupCaps = 0;
  private spares = 0;

  constructor(world: ClientWorld) {
    this.world = world;
  }

  /** Creates the farm and its queues; retries until it succeeds. */
  setUp(onReady: () => void): void {
    const { farm, checker } = this.world;
    requestUntilAnswered(
      this.world,
      (replyTo) => ({
        actor: 'catalog',
        id: CATALOG_ID,
        message: { type: 'farm.create', farmId: farm, input: this.farmInput(), replyTo },
      }),
      () => {
        checker.farms.push(farm);
        checker.promise((store) =>
          store.get('farm', keys.farm(farm)) === undefined ? `farm ${farm}` : null,
        );
        this.createQueue(0, onReady);
      },
    );
  }

  replaceQueue(): void {
    const { random } = this.world;
    this.replace(random.pick(this.queues), random.chance(0.4));
  }

  replaceFarm(input: FarmInput = this.farmInput()): void {
    const { farm } = this.world;
    ask(
      this.world,
      (replyTo) => ({
        actor: 'catalog',
        id: CATALOG_ID,
        message: { type: 'farm.replace', farmId: farm, input, replyTo },
      }),
      () => undefined,
    );
  }

  /** Creates a queue, or deletes the newest one. */
  addOrDeleteQueue(): void {
    const { random, farm, options } = this.world;
    const last = this.queues[options.queues];
    if (last === undefined) {
      const input = this.queueInput(`spare${this.spares++}`, false);
      ask<QueueRecord>(
        this.world,
        (replyTo) => ({ actor: 'farm', id: farm, message: { type: 'queue.create', input, replyTo } }),
        (outcome) => {
          if (outcome.ok && this.queues.length === options.queues) this.queues.push(outcome.value.id);
        },
      );
    } else if (random.chance(0.5)) {
      ask<null>(
        this.world,
        (replyTo) => ({ actor: 'farm', id: farm, message: { type: 'queue.delete', queueId: last, replyTo } }),
        (outcome) => {
          const isGone = outcome.ok || outcome.problem.kind === 'not-found';
          if (isGone && this.queues[options.queues] === last) this.queues.pop();
        },
      );
    }
  }

  /** Removes all pauses and caps. */
  lift(): void {
    for (const queueId of this.queues) {
      const queue = this.world.service.store.get('queue', keys.queue(queueId));
      const isGrouped = queue?.ownerCaps !== undefined || queue?.projectCaps !== undefined;
      if (queue?.paused === true || (queue?.maxConcurrentTasks ?? 0) > 0 || isGrouped)
        this.replace(queueId, false, { maxConcurrentTasks: 0, ...NO_GROUP_CAPS });
    }
    const farm = this.world.service.store.get('farm', keys.farm(this.world.farm));
    const isGrouped = farm?.ownerCaps !== undefined || farm?.projectCaps !== undefined;
    if ((farm?.maxConcurrentTasks ?? 0) > 0 || isGrouped)
      this.replaceFarm({ ...this.farmInput(), maxConcurrentTasks: 0, ...NO_GROUP_CAPS });
  }

  private createQueue(number: number, onReady: () => void): void {
    const { farm, checker, options } = this.world;
    if (number >= options.queues) {
      onReady();
      return;
    }
    const input = this.queueInput(`queue${number}`, false);
    requestUntilAnswered(
      this.world,
      (replyTo) => ({ actor: 'farm', id: farm, message: { type: 'queue.create', input, replyTo } }),
      (outcome: Outcome<QueueRecord>) => {
        // A queue with an unanswered creation is found by its name.
        const id = outcome.ok ? outcome.value.id : this.queueNamed(input.name);
        if (id === null) throw new Error(`the queue ${input.name} was rejected, but no queue has the name`);
        this.queues.push(id);
        checker.promise((store) => (store.get('queue', keys.queue(id)) === undefined ? `queue ${id}` : null));
        this.createQueue(number + 1, onReady);
      },
    );
  }

  private queueNamed(name: string): QueueId | null {
    for (const { value } of this.world.service.store.scan('queue')) {
      if (value.farmId === this.world.farm && value.name === name) return value.id;
    }
    return null;
  }

  private replace(queueId: QueueId, paused: boolean, caps: Partial<QueueInput> = {}): void {
    const { service, checker, farm } = this.world;
    const before = service.store.get('queue', keys.queue(queueId));
    if (before === undefined) return;
    const input = { ...this.queueInput(before.name, paused), ...caps };
    ask<QueueRecord>(
      this.world,
      (replyTo) => ({ actor: 'farm', id: farm, message: { type: 'queue.replace', queueId, input, replyTo } }),
      (outcome) => {
        if (!outcome.ok) return;
        const answered = Number(outcome.value.description);
        checker.promise((store) => {
          const record = store.get('queue', keys.queue(queueId));
          // Only the newest queue is ever deleted.
          if (record === undefined && this.isSpare(outcome.value.name)) return null;
          const kept = Number(record?.description);
          return kept >= answered
            ? null
            : `queue ${queueId} has the settings ${kept}, expected ${answered} or later`;
        });
      },
    );
  }

  private isSpare(name: string): boolean {
    return name.startsWith('spare');
  }

  private farmInput(): FarmInput {
    const { random, options, farm } = this.world;
    return {
      name: `farm ${farm}`,
      description: '',
      maxConcurrentTasks: options.limits ? random.pick([0, 0, 1, 3, 10]) : 0,
      retry: { ...randomRetry(random), ...canariesOf(options, this.farmSettings) },
      ...guardsOf(options, this.farmSettings++),
      ...(options.amounts && { bookedAmounts: randomBookedAmounts(random) }),
      ...(options.shares && { queuePolicy: randomQueuePolicy(random, this.queues) }),
      ...(options.groupCaps && groupCapsOf(this.groupCaps++)),
    };
  }

  private queueInput(name: string, paused: boolean): QueueInput {
    const { random, options } = this.world;
    return {
      name,
      // Settings are numbered, so that later ones can be distinguished from earlier ones.
      description: String(this.settings++),
      ...(options.rules && { retryRules: rulesOfQueue(this.settings) }),
      ...(options.groupCaps && groupCapsOf(2 * this.settings)),
      ...(options.preempts && preemptionOfQueue(this.settings)),
      priority: 0,
      maxConcurrentTasks: options.limits ? random.pick([0, 0, 1, 2, 5]) : 0,
      paused,
      retry: { ...randomRetry(random), ...canariesOf(options, this.settings) },
    };
  }
}
