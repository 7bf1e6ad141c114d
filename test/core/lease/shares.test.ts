import { test } from 'tap';
import { jobId, queueId } from '../../../src/core/ids.ts';
import { Shares, type StoredUsage } from '../../../src/core/lease/shares.ts';
import type { QueuePolicySetting } from '../../../src/core/records/queue-policy.ts';

const SETTING: QueuePolicySetting = {
  version: 1,
  kind: 'weighted',
  sharedBy: 'owner',
  weights: [],
  halfLifeSeconds: 86_400,
  priorityFirst: true,
};
const NOON = Date.UTC(2026, 0, 1, 12);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** At this time after noon, the cores in use by the tasks of an owner change by this number. */
type Turn = readonly [afterNoon: number, owner?: string, change?: number];

/** Shares of which all changes are saved after each turn. */
class SavedShares {
  readonly cores = new Map<string, number>();
  private readonly setting: QueuePolicySetting;
  private readonly stored = new Map<string, StoredUsage>();
  private readonly warm: Shares;

  constructor(setting: QueuePolicySetting) {
    this.setting = setting;
    this.warm = new Shares(setting);
    for (const owner of ['ana', 'tomas']) join(this.warm, owner);
    this.warm.start(NOON - SECOND);
  }

  turn([afterNoon, owner, change = 0]: Turn): void {
    this.warm.advance(NOON + afterNoon);
    if (owner !== undefined) {
      this.warm.count(jobId(owner), 0, change);
      this.cores.set(owner, (this.cores.get(owner) ?? 0) + change);
    }
    const { changed, forgotten } = this.warm.takeUnsaved();
    for (const name of forgotten) this.stored.delete(name);
    for (const usage of changed) this.stored.set(usage.name, usage);
  }

  /** Returns what the shares know of each owner with usage: those in memory, and those loaded from what is saved. */
  known(): { readonly warm: unknown; readonly cold: unknown } {
    const cold = new Shares(this.setting, this.stored.values());
    for (const [owner, cores] of this.cores) cold.count(jobId(owner), 0, cores);
    for (const owner of ['ana', 'tomas']) join(cold, owner);
    cold.start(this.warm.time);
    return { warm: ownersOf(this.warm), cold: ownersOf(cold) };
  }
}

const join = (shares: Shares, owner: string): unknown =>
  shares.join({ jobId: jobId(owner), stepOrder: 0, meanMs: null, queueId: queueId('q'), owner, project: '' });

const ownersOf = (shares: Shares) =>
  shares
    .all()
    .filter(({ at }) => at > 0)
    .map(({ name, cores, usage, at, level, rank }) => ({ name, cores, usage, at, level, rank }));

const CASES: readonly (readonly [name: string, turns: readonly Turn[], setting?: QueuePolicySetting])[] = [
  ['the clock is set back to before minutes that are counted', [[0, 'ana', 2], [3 * MINUTE], [MINUTE]]],
  [
    'a minute comes again for an owner with cores since the clock was set back',
    [[10 * MINUTE], [0], [SECOND, 'ana', 2], [2 * MINUTE]],
  ],
  [
    'the clock is set back by an hour and a second',
    [[0, 'ana', 2], [50 * SECOND, 'ana', -2], [49 * SECOND - HOUR]],
  ],
  [
    'the clock is set back twice, by more than an hour together',
    [[0, 'ana', 2], [MINUTE, 'ana', -2], [-40 * MINUTE], [-70 * MINUTE]],
  ],
  [
    'usage becomes negligible at the begin of a half-life that comes again',
    [[0], [-3 * HOUR, 'ana', 1], [-3 * HOUR + 500, 'ana', -1], [-2 * HOUR]],
    { ...SETTING, halfLifeSeconds: 3600 },
  ],
  [
    'negligible usage ends with the begin of a half-life',
    [
      [-500, 'ana', 1],
      [0, 'ana', -1],
    ],
    { ...SETTING, halfLifeSeconds: 3600 },
  ],
];

for (const [name, turns, setting = SETTING] of CASES) {
  test(`loaded shares are those in memory if ${name}`, (t) => {
    const shares = new SavedShares(setting);
    for (const turn of turns) {
      shares.turn(turn);
      const { warm, cold } = shares.known();
      t.strictSame(cold, warm, `${turn[0] / SECOND} s after noon`);
    }
    t.end();
  });
}
