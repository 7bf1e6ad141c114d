import { jetstreamManager, type StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { BusEvent } from '../../core/ports/bus.ts';
import { STREAMS } from '../../core/wire/subjects.ts';
import { reasonOf, withDeadline } from './connection.ts';
import { CONNECTION_LIMITS } from './limits.ts';
import {
  findStream,
  leaderFault,
  managerOf,
  missingReplicas,
  noteRepair,
  repairStream,
  replicasOn,
  settingsFault,
  type StreamKind,
} from './streams.ts';

/**
 * Watches the streams while a connection lasts: repairs changed settings at once and missing copies when servers return,
 * and reports streams that cannot be used. Consumers and publishers re-create deleted streams.
 */
export class StreamWatch {
  readonly #kinds: readonly StreamKind[];
  readonly #replicas: number | null;
  readonly #changed: (event: BusEvent) => void;
  /** Last reported problem by stream; null if it had none. */
  readonly #problems = new Map<StreamKind, string | null>();
  #wake: () => void = () => undefined;

  /** `replicas` is `bus.replicas`; null if it is not set. */
  constructor(kinds: readonly StreamKind[], replicas: number | null, changed: (event: BusEvent) => void) {
    this.#kinds = kinds;
    this.#replicas = replicas;
    this.#changed = changed;
  }

  /** Watches until the connection is closed. */
  async serve(nc: NatsConnection): Promise<void> {
    for (const kind of this.#kinds) {
      nc.subscribe(`$JS.EVENT.ADVISORY.STREAM.UPDATED.${STREAMS[kind].name}`, {
        callback: (error) => {
          // An error is a refused subscription, which the connection has reported.
          if (error === null) this.#wake();
        },
      });
    }
    const { streamCheckMs, repairMsMin } = CONNECTION_LIMITS;
    while (!nc.isClosed() && !nc.isDraining()) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      // Several settings may be changed one after the other.
      await withDeadline(nc.closed(), repairMsMin);
      await Promise.all(this.#kinds.map((kind) => this.#look(nc, kind)));
      await withDeadline(Promise.race([nc.closed(), woken]), streamCheckMs);
    }
  }

  async #look(nc: NatsConnection, kind: StreamKind): Promise<void> {
    const stream = STREAMS[kind].name;
    let problem: string | null;
    try {
      const manager = await managerOf(nc);
      const found = await findStream(manager, kind);
      // Its user creates it.
      if (found === null) return;
      const repair = await repairStream(manager, kind, found, replicasOn(nc, this.#replicas));
      noteRepair(repair, this.#changed);
      problem = leaderFault(repair.info) ?? missingReplicas(repair.info);
    } catch (error) {
      problem = reasonOf(error);
    }
    if (nc.isClosed() || problem === (this.#problems.get(kind) ?? null)) return;
    this.#problems.set(kind, problem);
    if (problem === null) this.#changed({ type: 'stream-restored', stream });
    else this.#changed({ type: 'stream-impaired', stream, reason: problem });
  }
}

/** Returns the streams that cannot be used, each with the reason, as one text; null if there is none. */
export async function streamFaults(nc: NatsConnection, kinds: readonly StreamKind[]): Promise<string | null> {
  const manager = await jetstreamManager(nc, { checkAPI: false, timeout: CONNECTION_LIMITS.streamMs });
  const faultOf = async (kind: StreamKind): Promise<string | null> => {
    let info: StreamInfo | null;
    try {
      info = await findStream(manager, kind);
    } catch (error) {
      return reasonOf(error);
    }
    return info === null ? 'it does not exist' : (leaderFault(info) ?? settingsFault(kind, info));
  };
  const faults = await Promise.all(
    kinds.map(async (kind) => {
      const fault = await faultOf(kind);
      return fault === null ? [] : [`stream ${STREAMS[kind].name}: ${fault}`];
    }),
  );
  const all = faults.flat();
  return all.length === 0 ? null : all.join('; ');
}
