import { CATALOG_ID, type PoolInput } from '../../actors/service/catalog/messages.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { UsagePoolRecord } from '../../src/core/records/usage-pool.ts';
import { ask, requestUntilAnswered, type ClientWorld } from './client-port.ts';
import { rulesOfPool } from './retry-rule-plans.ts';
import { countsOfPool } from './cap-plans.ts';
import { POOL_NAMES } from './job-plans.ts';

/** Clients that register and change usage pools, which all farms share. */
export class PoolClients {
  private readonly world: Omit<ClientWorld, 'farm'>;
  private readonly pools = new Map<string, UsagePoolRecord>();
  private inputs = 0;
  private changes = 0;

  constructor(world: Omit<ClientWorld, 'farm'>) {
    this.world = world;
  }

  /** Registers one pool, so that steps can use pools from the beginning. */
  setUp(onReady: () => void): void {
    if (!this.world.options.pools) {
      onReady();
      return;
    }
    requestUntilAnswered<UsagePoolRecord>(
      this.world,
      (replyTo) => ({
        actor: 'catalog',
        id: CATALOG_ID,
        message: { type: 'pool.create', input: this.input(this.world.random.pick(POOL_NAMES)), replyTo },
      }),
      (outcome) => {
        if (outcome.ok) this.noteKept(outcome.value);
        onReady();
      },
    );
  }

  act(): void {
    const { random, options } = this.world;
    if (!options.pools) return;
    const name = random.pick(POOL_NAMES);
    const known = this.pools.get(name);
    if (known === undefined) this.create(name);
    // Farms are notified one after the other. Only with one farm is the count of a re-created pool reliable.
    else if (options.farms === 1 && random.chance(0.2)) this.delete(known);
    else this.replace(known);
  }

  private create(name: string): void {
    ask<UsagePoolRecord>(
      this.world,
      (replyTo) => ({
        actor: 'catalog',
        id: CATALOG_ID,
        message: { type: 'pool.create', input: this.input(name), replyTo },
      }),
      (outcome) => {
        if (outcome.ok) this.noteKept(outcome.value);
      },
    );
  }

  private replace({ id, name }: UsagePoolRecord): void {
    ask<UsagePoolRecord>(
      this.world,
      (replyTo) => ({
        actor: 'catalog',
        id: CATALOG_ID,
        message: { type: 'pool.replace', poolId: id, input: this.input(name), replyTo },
      }),
      () => undefined,
    );
  }

  private delete({ id, name }: UsagePoolRecord): void {
    this.pools.delete(name);
    ask<null>(
      this.world,
      (replyTo) => ({
        actor: 'catalog',
        id: CATALOG_ID,
        message: { type: 'pool.delete', poolId: id, replyTo },
      }),
      (outcome) => {
        if (!outcome.ok) return;
        this.world.checker.promise((store) =>
          store.get('usagePool', keys.usagePool(id)) === undefined ? null : `the pool ${id} was deleted`,
        );
      },
    );
  }

  private noteKept(record: UsagePoolRecord): void {
    this.pools.set(record.name, record);
    this.world.checker.promise((store) =>
      this.pools.get(record.name)?.id !== record.id ||
      store.get('usagePool', keys.usagePool(record.id)) !== undefined
        ? null
        : `the pool ${record.name} is missing`,
    );
  }

  private input(name: string): PoolInput {
    const maxConcurrent = this.world.random.pick([1, 1, 2, 3, 8]);
    const rules = this.world.options.rules ? { retryRules: rulesOfPool(this.inputs++) } : {};
    const counts = this.world.options.caps ? { counts: countsOfPool(this.changes++) } : {};
    return { name, maxConcurrent, serverHint: '', ...rules, ...counts };
  }
}
