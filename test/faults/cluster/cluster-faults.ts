import { randomInt } from 'node:crypto';
import { until } from '../../kit/until.ts';
import type { Machine } from './machine.ts';
import type { Rig } from './rig.ts';

const LEADER_MS = 30_000;

type Act = (machine: Machine, rig: Rig) => Promise<void> | void;

/** A kind of fault. */
export interface ClusterFault {
  readonly title: string;
  /** Bounds of the time between its begin and its end. */
  readonly holdMs: readonly [shortest: number, longest: number];
  /** Brings about what must be so before it begins; null if it needs nothing. */
  readonly prepare: ((rig: Rig) => Promise<void>) | null;
  /** Returns the machines that it affects. */
  readonly choose: (rig: Rig) => Promise<readonly Machine[]>;
  readonly begin: Act;
  /** Starts what was killed, heals what was cut. */
  readonly end: Act;
}

const ownerOf = (rig: Rig): Promise<Machine> => until('a node owns the farms', () => rig.owner());

const anyOf = (machines: readonly Machine[]): Machine => {
  const machine = machines[randomInt(machines.length)];
  if (machine === undefined) throw new Error('no machine to choose from');
  return machine;
};

const leaderOf = async (rig: Rig): Promise<Machine> =>
  rig.machine(await until('the log has a leader', () => rig.leader.node(), LEADER_MS));

/** Makes the owner's server the leader of the log. */
async function joinOwnerAndLeader(rig: Rig): Promise<void> {
  const owner = await ownerOf(rig);
  await until(
    `${owner.name} leads the log`,
    async () => {
      if ((await rig.leader.node()) === owner.name) return true;
      await rig.leader.prefer(owner.name);
      return false;
    },
    LEADER_MS,
  );
}

/** Makes another server than the owner's the leader of the log. */
async function partOwnerAndLeader(rig: Rig): Promise<void> {
  const owner = await ownerOf(rig);
  const other = anyOf(rig.others(owner));
  await until(
    `${other.name} leads the log`,
    async () => {
      const leader = await rig.leader.node();
      if (leader !== null && leader !== owner.name) return true;
      await rig.leader.prefer(other.name);
      return false;
    },
    LEADER_MS,
  );
}

const owner: ClusterFault['choose'] = async (rig) => [await ownerOf(rig)];
const leader: ClusterFault['choose'] = async (rig) => [await leaderOf(rig)];
const follower: ClusterFault['choose'] = async (rig) => [anyOf(rig.others(await ownerOf(rig)))];
const everyMachine: ClusterFault['choose'] = async ({ machines }) => machines;

const SECOND_MS = 1000;
const KILL_HOLD_MS = [200, 6 * SECOND_MS] as const;
/** Longer than an election of the log: machines come back slowly. */
const MACHINE_HOLD_MS = [10 * SECOND_MS, 14 * SECOND_MS] as const;
const PAUSE_HOLD_MS = [SECOND_MS, 20 * SECOND_MS] as const;
const CUT_HOLD_MS = [3 * SECOND_MS, 15 * SECOND_MS] as const;
const FULL_HOLD_MS = [5 * SECOND_MS, 15 * SECOND_MS] as const;
const CLOCK_HOLD_MS = [3 * SECOND_MS, 8 * SECOND_MS] as const;
const CLOCK_JUMP_MS = 3_600_000;

const cutToPeers: Act = (machine, { network, others }) => {
  for (const { host } of others(machine)) network.cut(machine.host, host);
};
const cutPeersFrom: Act = (machine, { network, others }) => {
  for (const { host } of others(machine)) network.cut(host, machine.host);
};
const cutFromPeers: Act = async (machine, rig) => {
  await cutToPeers(machine, rig);
  await cutPeersFrom(machine, rig);
};
const joinPeers: Act = (machine, { network, others }) => {
  for (const { host } of others(machine)) network.join(machine.host, host);
  for (const { host } of others(machine)) network.join(host, machine.host);
};

export const FAULTS = {
  'owner-killed': {
    title: 'SIGKILL of the owner',
    holdMs: KILL_HOLD_MS,
    prepare: partOwnerAndLeader,
    choose: owner,
    begin: ({ node }) => node.holdDown(),
    end: ({ node }) => node.start(),
  },
  'leader-killed': {
    title: 'SIGKILL of the nats-server that leads the log; its node starts it again',
    holdMs: KILL_HOLD_MS,
    prepare: partOwnerAndLeader,
    choose: leader,
    begin: (machine) => machine.killBus(),
    end: () => undefined,
  },
  'both-killed': {
    title: 'SIGKILL of owner and leader: all processes of one machine',
    holdMs: MACHINE_HOLD_MS,
    prepare: joinOwnerAndLeader,
    choose: owner,
    begin: (machine) => machine.kill(),
    end: (machine) => machine.start(),
  },
  'owner-paused': {
    title: 'SIGSTOP of the owner',
    holdMs: PAUSE_HOLD_MS,
    prepare: null,
    choose: owner,
    begin: ({ node }) => node.signal('SIGSTOP'),
    end: ({ node }) => node.signal('SIGCONT'),
  },
  'machine-paused': {
    title: 'SIGSTOP of owner and nats-server of one machine',
    holdMs: PAUSE_HOLD_MS,
    prepare: null,
    choose: owner,
    begin: (machine) => machine.signal('SIGSTOP'),
    end: (machine) => machine.signal('SIGCONT'),
  },
  'owner-cut-off': {
    title: "the owner's machine and its peers do not reach each other; workers and clients reach all",
    holdMs: CUT_HOLD_MS,
    prepare: null,
    choose: owner,
    begin: cutFromPeers,
    end: joinPeers,
  },
  'owner-unplugged': {
    title: "the owner's machine reaches nothing",
    holdMs: CUT_HOLD_MS,
    prepare: null,
    choose: owner,
    begin: ({ host }, { network }) => network.unplug(host),
    end: ({ host }, { network }) => network.plug(host),
  },
  'owner-not-heard': {
    title: "packets of the owner's machine do not reach its peers (one way)",
    holdMs: CUT_HOLD_MS,
    prepare: null,
    choose: owner,
    begin: cutToPeers,
    end: joinPeers,
  },
  'owner-deaf': {
    title: "packets of its peers do not reach the owner's machine (one way)",
    holdMs: CUT_HOLD_MS,
    prepare: null,
    choose: owner,
    begin: cutPeersFrom,
    end: joinPeers,
  },
  'leader-cut-off': {
    title: "the machine of the log's leader and its peers do not reach each other",
    holdMs: CUT_HOLD_MS,
    prepare: partOwnerAndLeader,
    choose: leader,
    begin: cutFromPeers,
    end: joinPeers,
  },
  'power-lost': {
    title: "the owner's machine loses power, and what was not flushed",
    holdMs: MACHINE_HOLD_MS,
    prepare: null,
    choose: owner,
    begin: (machine) => machine.losePower(),
    end: (machine) => machine.powerUp(),
  },
  'all-power-lost': {
    title: 'all three machines lose power at the same time',
    holdMs: KILL_HOLD_MS,
    prepare: null,
    choose: everyMachine,
    begin: (machine) => machine.losePower(),
    end: (machine) => machine.powerUp(),
  },
  'owner-disk-full': {
    title: "the disk of the owner's machine is full",
    holdMs: FULL_HOLD_MS,
    prepare: null,
    choose: owner,
    begin: ({ disk }) => disk.fill(),
    end: ({ disk }) => disk.empty(),
  },
  'follower-disk-full': {
    title: 'the disk of another machine is full',
    holdMs: FULL_HOLD_MS,
    prepare: null,
    choose: follower,
    begin: ({ disk }) => disk.fill(),
    end: ({ disk }) => disk.empty(),
  },
  'clock-ahead': {
    title: "the owner's wall clock jumps ahead by an hour, and back",
    holdMs: CLOCK_HOLD_MS,
    prepare: null,
    choose: owner,
    begin: (machine) => machine.shiftClock(CLOCK_JUMP_MS),
    end: (machine) => machine.shiftClock(0),
  },
  'clock-behind': {
    title: "the owner's wall clock jumps back by an hour, and ahead",
    holdMs: CLOCK_HOLD_MS,
    prepare: null,
    choose: owner,
    begin: (machine) => machine.shiftClock(-CLOCK_JUMP_MS),
    end: (machine) => machine.shiftClock(0),
  },
} as const satisfies Readonly<Record<string, ClusterFault>>;

export type FaultName = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];
