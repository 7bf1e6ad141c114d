import type { Random } from '../random.ts';
import type { EventLoop } from './event-loop.ts';
import type { LogModel } from './log-model.ts';
import type { NetworkModel } from './network-model.ts';
import type { ServiceModel } from './service-model.ts';

const MACHINES = [0, 1, 2];
const GAP_MS = [500, 8000] as const;
const LOSS_SHARE_MAX = 0.2;

export interface FaultParts {
  readonly loop: EventLoop;
  readonly random: Random;
  readonly network: NetworkModel;
  readonly log: LogModel;
  readonly services: readonly ServiceModel[];
  readonly note: (...parts: readonly (string | number)[]) => void;
}

/** A fault. Returns the action that removes it, which must be repeatable. */
type Fault = (parts: FaultParts) => { readonly lastsMs: number; readonly remove: () => void };

const FAULTS: Readonly<Record<string, Fault>> = {
  'service killed': ({ random, services }) => {
    const service = ownerOrAny(random, services);
    service.kill(true);
    return { lastsMs: random.between(300, 4000), remove: () => service.start() };
  },
  'service paused': ({ random, services }) => {
    const { process } = ownerOrAny(random, services);
    process.pause();
    return { lastsMs: random.between(100, 6000), remove: () => process.resume() };
  },
  'server killed': ({ random, log }) => {
    const server = log.leader ?? random.pick(log.servers);
    log.kill(server, true);
    return { lastsMs: random.between(500, 9000), remove: () => log.start(server) };
  },
  'server paused': ({ random, log }) => {
    const { process } = random.chance(0.5)
      ? (log.leader ?? random.pick(log.servers))
      : random.pick(log.servers);
    process.pause();
    return { lastsMs: random.between(100, 12_000), remove: () => process.resume() };
  },
  'service hands over': ({ random, services }) => {
    ownerOrAny(random, services).handOver(random.pick(services).name);
    return { lastsMs: 0, remove: () => undefined };
  },
  'leader handed over': ({ log }) => {
    log.stepDown();
    return { lastsMs: 0, remove: () => undefined };
  },
  // The simulation releases them as soon as an epoch has begun.
  'appends held until a takeover': ({ random, log, services }) => {
    log.holdAppends(ownerOrAny(random, services).id);
    return { lastsMs: random.between(1000, 6000), remove: () => log.releaseAppends() };
  },
  'machine without power': (parts) => losePower(parts, [parts.random.pick(MACHINES)]),
  'all machines without power': (parts) => losePower(parts, MACHINES),
  'machine cut off': ({ random, network }) => {
    const machine = random.pick(MACHINES);
    return cut(
      random,
      network,
      others(machine).flatMap((other) => [
        [machine, other],
        [other, machine],
      ]),
    );
  },
  'link cut in one direction': ({ random, network }) => {
    const machine = random.pick(MACHINES);
    return cut(random, network, [[machine, random.pick(others(machine))]]);
  },
  'link cut': ({ random, network }) => {
    const machine = random.pick(MACHINES);
    const other = random.pick(others(machine));
    return cut(random, network, [
      [machine, other],
      [other, machine],
    ]);
  },
};

/** Faults of a seed: some kinds, at random times. */
export class ClusterFaults {
  readonly #parts: FaultParts;
  readonly #kinds: readonly string[];
  readonly #lossShare: number;
  readonly #removals = new Set<() => void>();
  #isOver = false;

  constructor(parts: FaultParts) {
    const { random } = parts;
    this.#parts = parts;
    const names = Object.keys(FAULTS);
    this.#kinds = random.shuffled(names).slice(0, random.between(1, names.length));
    this.#lossShare = random.chance(0.5) ? random.next() * LOSS_SHARE_MAX : 0;
    this.#beginLater();
  }

  /** Share of acknowledgements that are lost. */
  get lossShare(): number {
    return this.#isOver ? 0 : this.#lossShare;
  }

  get kinds(): readonly string[] {
    return this.#kinds;
  }

  removeAll(): void {
    this.#isOver = true;
    for (const remove of this.#removals) remove();
    this.#removals.clear();
    const { services, log } = this.#parts;
    for (const service of services) service.start();
    for (const server of log.servers) if (!server.process.isUp) log.start(server);
  }

  #beginLater(): void {
    const { loop, random } = this.#parts;
    loop.after(random.between(...GAP_MS), () => {
      if (this.#isOver) return;
      this.#begin();
      this.#beginLater();
    });
  }

  #begin(): void {
    const { loop, random, note } = this.#parts;
    const kind = random.pick(this.#kinds);
    const fault = FAULTS[kind];
    if (fault === undefined) throw new RangeError(`unknown fault ${kind}`);
    note('fault:', kind);
    const { lastsMs, remove } = fault(this.#parts);
    this.#removals.add(remove);
    loop.after(lastsMs, () => {
      if (!this.#removals.delete(remove)) return;
      note('removed:', kind);
      remove();
    });
  }
}

const others = (machine: number): readonly number[] => MACHINES.filter((each) => each !== machine);

const ownerOrAny = (random: Random, services: readonly ServiceModel[]): ServiceModel =>
  services.find(({ isOwner }) => isOwner && random.chance(0.7)) ?? random.pick(services);

function losePower({ random, log, services }: FaultParts, machines: readonly number[]): ReturnType<Fault> {
  const [lostServers, lostServices] = [
    log.servers.filter(({ id }) => machines.includes(id)),
    services.filter(({ id }) => machines.includes(id)),
  ];
  for (const server of lostServers) log.kill(server, false);
  for (const service of lostServices) service.kill(false);
  return {
    lastsMs: random.between(500, 6000),
    remove: () => {
      for (const server of lostServers) log.start(server);
      for (const service of lostServices) service.start();
    },
  };
}

function cut(
  random: Random,
  network: NetworkModel,
  links: readonly (readonly [number, number] | readonly number[])[],
): ReturnType<Fault> {
  for (const [from = 0, to = 0] of links) network.cut(from, to);
  return {
    lastsMs: random.between(200, 12_000),
    remove: () => {
      for (const [from = 0, to = 0] of links) network.restore(from, to);
    },
  };
}
