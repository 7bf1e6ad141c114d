import type { StoredRecord } from '../../../src/core/cluster/node-messages.ts';
import type { Random } from '../random.ts';
import type { EventLoop } from './event-loop.ts';
import { LogServer, type LogEntry } from './log-server.ts';
import type { NetworkModel } from './network-model.ts';

const SERVERS = [0, 1, 2];
const QUORUM = 2;
const BEAT_MS = 200;
const ELECTION_MS = [4000, 9000] as const;
const HANDED_OVER_MS = [140, 460] as const;
/** A leader without answers of a quorum stops after this time. */
const LOST_QUORUM_MS = 10_000;
const READ_MAX = 50;
const READ_WAIT_MS = 150;
/** Share of reads that the local server answers. */
const LOCAL_SHARE = 0.7;

/** Rules of the log that a mutant breaks. */
export interface LogRules {
  /** Whether the leader refuses an append whose expected position differs. */
  readonly checksPosition: boolean;
  /** Whether a server flushes before it answers. */
  readonly flushesAlways: boolean;
  /** Number of servers that must have a record before it is acknowledged. */
  readonly quorum: number;
}

export const SOUND_LOG: LogRules = { checksPosition: true, flushesAlways: true, quorum: QUORUM };

export interface AppendRequest {
  readonly position: number;
  readonly bytes: Uint8Array;
  /** Null if the append was refused. */
  readonly onResult: (position: number | null) => void;
}

export interface ReadResult {
  readonly records: readonly StoredRecord[];
  readonly first: number;
  readonly last: number;
  readonly isFromLeader: boolean;
}

export interface LogModelParts {
  readonly loop: EventLoop;
  readonly network: NetworkModel;
  readonly random: Random;
  readonly rules: LogRules;
  /** Share of acknowledgements that are lost. */
  readonly lossShare: () => number;
  /** Called for each entry that a quorum has, in order. */
  readonly onCommitted: (position: number, bytes: Uint8Array) => void;
}

/**
 * A replicated stream with conditional appends: three servers that elect a leader and replicate to a quorum. A leader
 * compares the expected position with what it has, committed or not, and a refused append says nothing about what will
 * remain. Servers answer reads from what they know to be committed, so a read may be old.
 */
export class LogModel {
  readonly servers: readonly LogServer[] = SERVERS.map((id) => new LogServer(id));
  readonly #parts: LogModelParts;
  readonly #pending = new Map<LogServer, { length: number; term: number; onStored: () => void }[]>();
  /** Appends of machines whose way to the servers is stopped. */
  readonly #held = new Map<number, (() => void)[]>();
  #reported = 0;

  constructor(parts: LogModelParts) {
    this.#parts = parts;
    for (const server of this.servers) {
      this.#postponeElection(server, parts.random.between(0, 300));
      this.#tick(server);
    }
  }

  /** The leader with the highest term, if it runs. */
  get leader(): LogServer | null {
    const leaders = this.servers.filter(({ role, process }) => role === 'leader' && process.isRunning);
    return leaders.sort((a, b) => b.term - a.term)[0] ?? null;
  }

  append(machine: number, request: AppendRequest): void {
    const held = this.#held.get(machine);
    if (held === undefined) this.#sendAppend(machine, request);
    else held.push(() => this.#sendAppend(machine, request));
  }

  /** Stops the appends of a machine on their way, until they are released. */
  holdAppends(machine: number): void {
    if (!this.#held.has(machine)) this.#held.set(machine, []);
  }

  releaseAppends(): void {
    const held = [...this.#held.values()].flat();
    this.#held.clear();
    for (const send of held) send();
  }

  #sendAppend(machine: number, request: AppendRequest): void {
    const entry = this.#entryServer(machine);
    if (entry === null) return;
    const { network } = this.#parts;
    network.send(machine, entry.id, () =>
      entry.process.deliver(() => {
        const leader = this.servers[entry.leader ?? -1];
        if (leader === undefined) return;
        network.send(entry.id, leader.id, () =>
          leader.process.deliver(() => this.#onAppend(leader, machine, request)),
        );
      }),
    );
  }

  read(machine: number, from: number, onResult: (result: ReadResult) => void): void {
    const { network, random, loop } = this.#parts;
    const entry = this.#entryServer(machine);
    const server = random.chance(LOCAL_SHARE) ? entry : (this.servers[entry?.leader ?? -1] ?? null);
    if (server === null) return;
    const respond = (): void =>
      server.process.deliver(() => {
        const result = resultOf(server, from);
        network.send(server.id, machine, () => onResult(result));
      });
    network.send(machine, server.id, () =>
      server.process.deliver(() => {
        if (server.committed >= from) respond();
        else loop.after(READ_WAIT_MS, respond);
      }),
    );
  }

  /** The leader hands over to another server. */
  stepDown(): void {
    const { leader } = this;
    if (leader === null) return;
    leader.becomeFollower(leader.term);
    this.#postponeElection(leader);
    const others = this.servers.filter(({ id }) => id !== leader.id);
    this.#postponeElection(this.#parts.random.pick(others), this.#parts.random.between(...HANDED_OVER_MS));
  }

  kill(server: LogServer, hasPower: boolean): void {
    server.process.kill();
    server.role = 'follower';
    server.leader = null;
    this.#pending.delete(server);
    if (!hasPower) server.losePower();
  }

  start(server: LogServer): void {
    server.process.start();
    this.#postponeElection(server);
  }

  /** Changes a bit of a committed entry on the disk of a server. Returns whether it has one. */
  flipBit(server: LogServer): boolean {
    const { random } = this.#parts;
    if (server.committed === 0) return false;
    const at = random.between(0, server.committed - 1);
    const entry = server.log[at];
    if (entry === undefined) return false;
    const bytes = entry.bytes.slice();
    const byte = random.between(0, bytes.length - 1);
    bytes[byte] = (bytes[byte] ?? 0) ^ (1 << random.between(0, 7));
    server.log[at] = { term: entry.term, bytes };
    return true;
  }

  /** The server that the clients of a machine are connected to. */
  #entryServer(machine: number): LogServer | null {
    const { network } = this.#parts;
    const order = [machine, ...SERVERS.filter((id) => id !== machine)];
    for (const id of order) {
      const server = this.servers[id];
      if (server?.process.isUp === true && network.isOpen(machine, id)) return server;
    }
    return null;
  }

  #onAppend(leader: LogServer, machine: number, { position, bytes, onResult }: AppendRequest): void {
    if (leader.role !== 'leader') return;
    const { network, rules } = this.#parts;
    if (rules.checksPosition && leader.log.length !== position - 1) {
      network.send(leader.id, machine, () => onResult(null));
      return;
    }
    leader.log.push({ term: leader.term, bytes });
    const length = leader.log.length;
    const pending = this.#pending.get(leader) ?? [];
    this.#pending.set(leader, pending);
    const onStored = (): void => {
      if (this.#parts.random.chance(this.#parts.lossShare())) return;
      network.send(leader.id, machine, () => onResult(length));
    };
    pending.push({ length, term: leader.term, onStored });
    this.#replicate(leader);
  }

  #tick(server: LogServer): void {
    const { loop } = this.#parts;
    loop.after(BEAT_MS, () => this.#tick(server));
    if (!server.process.isRunning) return;
    server.flushed = server.log.length;
    if (server.role === 'leader') {
      const answering = server.answeredMs.filter((ms) => loop.nowMs - ms < LOST_QUORUM_MS).length;
      if (answering >= QUORUM - 1) this.#replicate(server);
      else {
        server.becomeFollower(server.term);
        this.#postponeElection(server);
      }
    } else if (loop.nowMs >= server.electionDueMs) this.#stand(server);
  }

  #postponeElection(server: LogServer, ms?: number): void {
    const { loop, random } = this.#parts;
    server.electionDueMs = loop.nowMs + (ms ?? random.between(...ELECTION_MS));
  }

  #stand(server: LogServer): void {
    server.term++;
    server.role = 'candidate';
    server.leader = null;
    server.votedFor = server.id;
    server.votes = new Set([server.id]);
    this.#postponeElection(server);
    const { term, lastTerm, log } = server;
    for (const other of this.#othersOf(server)) {
      this.#message(server, other, () => {
        if (term > other.term) other.becomeFollower(term);
        const isFree = other.votedFor === null || other.votedFor === server.id;
        if (term < other.term || !isFree || !other.isCoveredBy(lastTerm, log.length)) return;
        other.votedFor = server.id;
        this.#postponeElection(other);
        this.#message(other, server, () => this.#onVote(server, other.id, term));
      });
    }
  }

  #onVote(server: LogServer, from: number, term: number): void {
    if (server.role !== 'candidate' || server.term !== term) return;
    server.votes.add(from);
    if (server.votes.size < QUORUM) return;
    server.role = 'leader';
    server.leader = server.id;
    server.lastTerm = term;
    server.firstOfTerm = server.log.length;
    server.matched = SERVERS.map(() => 0);
    server.answeredMs = this.#othersOf(server).map(() => this.#parts.loop.nowMs);
    this.#replicate(server);
  }

  #replicate(leader: LogServer): void {
    const { rules } = this.#parts;
    if (rules.flushesAlways) leader.flushed = leader.log.length;
    this.#commit(leader);
    for (const other of this.#othersOf(leader)) {
      const from = leader.matched[other.id] ?? 0;
      const replication = {
        term: leader.term,
        leader: leader.id,
        from,
        entries: leader.log.slice(from),
        committed: leader.committed,
      };
      this.#message(leader, other, () => {
        if (replication.term < other.term) return;
        other.becomeFollower(replication.term);
        other.leader = leader.id;
        this.#postponeElection(other);
        const same = other.store(replication);
        if (rules.flushesAlways) other.flushed = other.log.length;
        this.#message(other, leader, () => this.#onReplicated(leader, other, replication.term, same));
      });
    }
  }

  #onReplicated(leader: LogServer, other: LogServer, term: number, same: number | null): void {
    if (leader.role !== 'leader' || leader.term !== term) return;
    const at = this.#othersOf(leader).findIndex(({ id }) => id === other.id);
    leader.answeredMs[at] = this.#parts.loop.nowMs;
    leader.matched[other.id] = same === null ? 0 : Math.max(leader.matched[other.id] ?? 0, same);
    this.#commit(leader);
  }

  /** Commits what a quorum has, as soon as it has an entry of this term or all entries before it. */
  #commit(leader: LogServer): void {
    const lengths = this.servers
      .map(({ id }) => (id === leader.id ? leader.log.length : (leader.matched[id] ?? 0)))
      .sort((a, b) => b - a);
    const length = lengths[this.#parts.rules.quorum - 1] ?? 0;
    const hasOwnTerm = length >= leader.firstOfTerm;
    if (hasOwnTerm) leader.committed = Math.max(leader.committed, length);
    for (; this.#reported < leader.committed; this.#reported++) {
      const entry = leader.log[this.#reported];
      if (entry !== undefined) this.#parts.onCommitted(this.#reported + 1, entry.bytes);
    }
    const pending = this.#pending.get(leader) ?? [];
    for (let next = pending[0]; next !== undefined; next = pending[0]) {
      if (next.term === leader.term && next.length > leader.committed) break;
      pending.shift();
      if (next.term === leader.term) next.onStored();
    }
  }

  #message(from: LogServer, to: LogServer, run: () => void): void {
    this.#parts.network.send(from.id, to.id, () => to.process.deliver(run));
  }

  #othersOf(server: LogServer): readonly LogServer[] {
    return this.servers.filter(({ id }) => id !== server.id);
  }
}

function resultOf(server: LogServer, from: number): ReadResult {
  const entries: readonly LogEntry[] = server.log.slice(
    from - 1,
    Math.min(server.committed, from - 1 + READ_MAX),
  );
  return {
    records: entries.map(({ bytes }, at) => ({ position: from + at, bytes })),
    first: 1,
    last: server.committed,
    isFromLeader: server.role === 'leader',
  };
}
