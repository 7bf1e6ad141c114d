/**
 * The front end of a node of a cluster: it passes requests to the owner, delays reads until this node is current, and follows the
 * events of the owner.
 *
 * - States: following, owning (`#owner` is set), closed. A node that loses its ownership ends its process.
 * - Invariants: it listens for requests to the owner only under its own epoch, while its shards run.
 * - Exits: `close`.
 */

import type { Actors } from '../../../http/ports.ts';
import { receivedRequest, wholeResponse } from '../../../http/cluster/through-owner.ts';
import type { ClusterPorts } from '../../../http/cluster/cluster-ports.ts';
import type { RequestHandler } from '../../../http/pipeline/message.ts';
import { CurrentReads } from '../../../src/adapters/cluster/current-reads.ts';
import { frontSubjects, type FrontSubjects } from '../../../src/adapters/cluster/front-subjects.ts';
import { NodeBus, type NodeMessage } from '../../../src/adapters/nats/node-bus.ts';
import { leaderOf, streamInfoSubject } from '../../../src/adapters/nats/log/log-leader.ts';
import { askOwner } from '../../../src/adapters/cluster/owner-requests.ts';
import { OwnerService } from '../../../src/adapters/cluster/owner-service.ts';
import { SharedStanding, steadyMs, type StandingMemory } from '../../../src/adapters/cluster/standing.ts';
import { reasonOf } from '../../../src/adapters/nats/connection.ts';
import { handOverAnswer, readHandOver } from '../../../src/adapters/nats/hand-over.ts';
import type { ServerList } from '../../../src/adapters/nats/server-address.ts';
import type { ForwardedRequest, ForwardedResponse } from '../../../src/core/cluster/forwarded-http.ts';
import type { NodeOverview, NodeRole } from '../../../src/core/cluster/cluster-overview.ts';
import { parsePosition, type PositionAnswer } from '../../../src/core/cluster/front-messages.ts';
import { isOwning, isTerminal } from '../../../src/core/cluster/node-states.ts';
import type { ClusterConfig } from '../../../src/core/config/cluster-config.ts';
import type { BusEvent } from '../../../src/core/ports/bus.ts';
import type { EventBatch } from '../../../src/core/wire/event-batch.ts';
import type { ClusterFigures, ClusterSample } from './cluster-metrics.ts';
import { EventReader, EventWriter, type EventReceivers } from './event-link.ts';
import { Members } from './members.ts';
import { ownerNotes, receiveNote } from './owner-notes.ts';

const TICK_MS = 1000;
/** Interval at which the state of the log node is looked at. */
const WATCH_MS = 50;
/** Time without a lease after which requests in progress get an answer. */
const SILENCE_MS = 5000;
/** A node that has not been current for this time is not ready. */
const NOT_CURRENT_MS = 10_000;
/** Interval of the question which node leads the stream of the log. */
const LEADER_MS = 5000;
/** Time for an owner to answer the question for its position. */
const POSITION_MS = 500;

const decoder = new TextDecoder();

export interface ClusterNodeOptions {
  readonly config: ClusterConfig;
  readonly servers: ServerList | (() => ServerList);
  readonly standing: StandingMemory;
  /** Returns the id of the log; empty before the node has read it. */
  readonly logId: () => string;
  readonly version: string;
  /** Lets another node own the log; null: any that is current. Resolves with its name, just before this process ends. */
  readonly handOver: (to: string | null) => Promise<string>;
  /** `host:port` of the REST API, for the other nodes and for people. */
  readonly httpAddress: string;
}

export interface ClusterNodeEvents extends EventReceivers {
  readonly busChanged: (event: BusEvent) => void;
  /** An error of a handler of a forwarded request. */
  readonly failed: (error: unknown) => void;
}

export class ClusterNode {
  readonly #options: ClusterNodeOptions;
  readonly #events: ClusterNodeEvents;
  readonly #standing: SharedStanding;
  readonly #subjects: FrontSubjects;
  readonly #bus: NodeBus;
  readonly #reads: CurrentReads;
  readonly #members: Members;
  readonly #writer: EventWriter;
  readonly #reader: EventReader;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly figures: ClusterFigures = { forwarded: 0, stale: 0, takeovers: 0 };
  readonly #silenced = new Set<() => void>();
  #owner: Pick<Actors, 'ask' | 'tell'> | null = null;
  #forwarded: RequestHandler | null = null;
  #isStopping = false;
  #logLeader: string | null = null;
  /** Epoch under which this node listens as owner, and the function that ends it; null if it does not. */
  #listening: { readonly epoch: number; readonly isComplete: boolean; readonly end: () => void } | null =
    null;
  #lastServedMs = -Infinity;

  /** Starts to follow the other nodes. */
  constructor(options: ClusterNodeOptions, events: ClusterNodeEvents) {
    const { config, servers, standing, logId } = options;
    this.#options = options;
    this.#events = events;
    this.#standing = new SharedStanding(standing);
    this.#subjects = frontSubjects(config.name);
    this.#bus = new NodeBus(servers, events.busChanged);
    this.#reads = new CurrentReads(this.#standing, (epoch, leftMs) => this.#askPosition(epoch, leftMs));
    this.#members = new Members(config, {
      self: () => this.self(),
      logId,
      logLeader: () => this.#logLeader,
      now: () => Date.now(),
    });
    this.#writer = new EventWriter(config.node, this.#standing, (text) => {
      this.#bus.publish(this.#subjects.events, text);
    });
    this.#reader = new EventReader(this.#standing, events);
    this.#bus.listen(this.#subjects.allStandings, ({ data }) => {
      const fault = this.#members.received(data);
      if (fault !== null) events.warned(`the standing of another node cannot be read: ${fault}`);
    });
    this.#bus.listen(this.#subjects.events, ({ data }) => {
      if (this.#owner === null) this.#reader.received(data);
    });
    this.#timers = [
      setInterval(() => this.#tick(), TICK_MS),
      setInterval(() => this.#watch(), WATCH_MS),
      setInterval(() => void this.#askLeader(), LEADER_MS),
    ];
  }

  /** Sets the handler of forwarded requests; before `serve`. */
  frontStarted(forwarded: RequestHandler): void {
    this.#forwarded = forwarded;
  }

  /** This node owns the cluster, and its shards are ready. */
  serve(actors: Pick<Actors, 'ask' | 'tell'>): void {
    this.#owner = actors;
    this.figures.takeovers += 1;
    this.#reader.close();
    this.#watch();
  }

  /** True from `serve` on: this process has actors. */
  get hasActors(): boolean {
    return this.#owner !== null;
  }

  /** Publishes the events of windows that are readable here to the other nodes. */
  publishEvents(batches: readonly EventBatch[]): void {
    this.#writer.write(batches);
  }

  /** Accepts no further requests of other nodes. Those in progress are answered. */
  stopServing(): void {
    this.#isStopping = true;
    this.#watch();
  }

  async close(): Promise<void> {
    this.stopServing();
    for (const timer of this.#timers) clearInterval(timer);
    this.#reader.close();
    await this.#bus.close();
  }

  /** Messages to actors that a node sends without being the owner. */
  notes(): Pick<Actors, 'ask' | 'tell'> {
    return ownerNotes(this.#bus, () => this.#subjects.notes(this.#standing.read().epoch));
  }

  /** Returns the values of the metrics. */
  sample(): ClusterSample {
    return { self: this.self(), nodes: this.#members.overview().nodes, figures: this.figures };
  }

  ports(): ClusterPorts {
    return {
      isServing: () => this.#isServing(),
      onSilence: (silenced) => {
        this.#silenced.add(silenced);
        return () => this.#silenced.delete(silenced);
      },
      untilCurrent: () => this.#reads.untilCurrent(),
      forward: (request) => askOwner(this.#bus, this.#subjects.http(this.#standing.read().epoch), request),
      pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      count: (what) => {
        this.figures[what] += 1;
      },
      overview: () => this.#members.overview(),
      fault: () => this.#fault(),
      self: () => this.self(),
    };
  }

  self(): NodeOverview {
    const { config, version, httpAddress } = this.#options;
    const { applied, epoch } = this.#standing.read();
    const { records, ms } = this.#reads.lag;
    return {
      name: config.node,
      role: this.#role(),
      position: applied,
      epoch,
      lagRecords: records,
      lagMs: ms,
      isCurrent: this.#reads.isCurrent,
      version,
      httpAddress,
      seenAt: Date.now(),
    };
  }

  /** Resolves if the bus answers; rejects with the reason. */
  async checkBus(timeoutMs: number): Promise<void> {
    const fault = await this.#bus.check(timeoutMs);
    if (fault !== null) throw new Error(fault);
  }

  /** Ignores a short silence of the owner, as at a takeover: clients need a node that waits for the next owner. */
  #fault(): string | null {
    const role = this.#role();
    if (role === 'ended') return 'this node has left the cluster, and its process ends';
    if (role === 'owner')
      return this.#owner === null ? 'this node owns the cluster and starts its actors' : null;
    const silentMs = steadyMs() - this.#standing.read().currentAtMs;
    if (silentMs < NOT_CURRENT_MS) return null;
    const { records } = this.#reads.lag;
    if (records > 0) return `this node is ${records} records behind the owner of the cluster`;
    return role === 'suspended'
      ? 'this node owns the cluster and reaches no quorum'
      : 'no owner of the cluster answers';
  }

  #role(): NodeRole {
    const { state } = this.#standing.read();
    if (isTerminal(state)) return 'ended';
    if (!isOwning(state)) return state === 'candidate' ? 'candidate' : 'follower';
    return this.#standing.canAnswer() ? 'owner' : 'suspended';
  }

  #isServing(): boolean {
    return this.#owner !== null && this.#standing.canAnswer();
  }

  #tick(): void {
    if (this.#standing.canAnswer()) {
      this.#standing.setCurrent(steadyMs());
      if (this.#owner !== null) this.#writer.beat();
    } else void this.#reads.untilCurrent();
    this.#bus.publish(this.#subjects.standing(this.#options.config.node), this.#members.announcement());
  }

  /** Listens as owner under the present epoch, and notices the silence of this node. */
  #watch(): void {
    const now = steadyMs();
    if (this.#standing.canAnswer()) this.#lastServedMs = now;
    else if (now - this.#lastServedMs > SILENCE_MS) for (const silenced of [...this.#silenced]) silenced();
    const { state, epoch } = this.#standing.read();
    const isComplete = this.#owner !== null && this.#forwarded !== null && !this.#isStopping;
    const wanted = isOwning(state) ? epoch : null;
    const have = this.#listening;
    if (have !== null && have.epoch === wanted && have.isComplete === isComplete) return;
    have?.end();
    this.#listening =
      wanted === null ? null : { epoch: wanted, isComplete, end: this.#listen(wanted, isComplete) };
  }

  /** Answers questions for the position as soon as this node owns the cluster, and requests when its shards run. */
  #listen(epoch: number, isComplete: boolean): () => void {
    const ends = [
      this.#bus.listen(this.#subjects.position(epoch), (message) => this.#answerPosition(message)),
    ];
    if (isComplete) {
      const service = new OwnerService(this.#bus, (request) => this.#handle(request), this.#events.failed);
      ends.push(
        service.listen(this.#subjects.http(epoch)),
        this.#bus.listen(this.#subjects.notes(epoch), (message) => this.#receiveNote(message)),
        this.#bus.listen(this.#subjects.handOver, (message) => void this.#handOver(message)),
      );
    }
    return () => {
      for (const end of ends) end();
    };
  }

  #handle(request: ForwardedRequest): Promise<ForwardedResponse> | null {
    const handler = this.#forwarded;
    if (handler === null || this.#isStopping || !this.#isServing()) return null;
    return Promise.resolve(handler(receivedRequest(request))).then(wholeResponse);
  }

  async #handOver({ data, replyTo }: NodeMessage): Promise<void> {
    const answer = await this.#answerHandOver(data);
    if (replyTo !== '') this.#bus.publish(replyTo, answer);
  }

  async #answerHandOver(data: Uint8Array): Promise<string> {
    const { name, node } = this.#options.config;
    const request = readHandOver(data);
    if ('fault' in request) return handOverAnswer(false, `the request cannot be read: ${request.fault}`);
    try {
      const successor = await this.#options.handOver(request.to);
      return handOverAnswer(true, `node ${node} hands cluster ${name} over to node ${successor}`);
    } catch (error) {
      return handOverAnswer(false, reasonOf(error));
    }
  }

  #receiveNote(message: NodeMessage): void {
    if (this.#owner === null) return;
    receiveNote(message, this.#owner, (address, text) => this.#bus.publish(address, text));
  }

  /** The position is read before the lease: every record that another node shows by now was sent before. */
  #answerPosition({ replyTo }: NodeMessage): void {
    const { applied, appended } = this.#standing.read();
    if (!this.#standing.canAnswer()) return;
    const answer: PositionAnswer = { position: Math.max(applied, appended) };
    this.#bus.publish(replyTo, JSON.stringify(answer));
  }

  async #askLeader(): Promise<void> {
    const subject = streamInfoSubject(this.#options.config.name);
    const answer = await this.#bus.request(subject, '', POSITION_MS);
    this.#logLeader = answer.kind === 'answered' ? leaderOf(answer.data) : null;
  }

  async #askPosition(epoch: number, leftMs: number): Promise<number | null> {
    const timeoutMs = Math.min(POSITION_MS, leftMs);
    const answer = await this.#bus.request(this.#subjects.position(epoch), '', timeoutMs);
    if (answer.kind !== 'answered') return null;
    const read = parsePosition(decoder.decode(answer.data));
    return read.ok ? read.value.position : null;
  }
}
