import { readFileSync } from 'node:fs';
import { clusterNames } from '../../../src/adapters/nats/log/cluster-names.ts';
import { steadyMs } from '../../../src/adapters/cluster/standing.ts';
import { percentile } from '../results.ts';
import { RawNatsClient } from '../raw-nats-client.ts';
import { BENCH_CLUSTER } from './bench-cluster.ts';

/** How far followers are behind the owner. */
export interface LagFigures {
  /** From the announcement of a record, which follows its acceptance, until a follower has applied it. */
  readonly time_ms: { readonly p50: number; readonly p99: number };
  /** Accepted records that a follower has not applied, at an announcement. */
  readonly records: { readonly p50: number; readonly p99: number };
  readonly announcements: number;
}

/** A moment at which a position was reached. */
interface Reached {
  readonly at: number;
  readonly position: number;
}

/** Environment of the nodes that lets them write what they apply. */
export const probeEnvironment = (file: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=${new URL('./standing-probe.js', import.meta.url).href}`,
  CALLSHEET_BENCH_STANDING: file,
});

/** Records how far the owner says that the log is. */
export class AcceptedRecords {
  readonly #reached: Reached[] = [];
  readonly #client: RawNatsClient;

  private constructor(client: RawNatsClient) {
    this.#client = client;
  }

  static async start(busPort: number): Promise<AcceptedRecords> {
    const client: RawNatsClient = await RawNatsClient.open('127.0.0.1', busPort, (_subscription, payload) => {
      records.#reached.push({ at: steadyMs(), position: Number(payload.toString('latin1')) });
    });
    const records: AcceptedRecords = new AcceptedRecords(client);
    client.subscribe(clusterNames(BENCH_CLUSTER).tail, 1);
    return records;
  }

  /** Compares with what the followers with these process ids have applied, by their files. */
  lag(file: string, followers: readonly number[]): LagFigures {
    this.#client.close();
    const times: number[] = [];
    const records: number[] = [];
    for (const pid of followers) {
      const applied = readFileSync(`${file}.${pid}`, 'utf8')
        .trim()
        .split('\n')
        .map((line): Reached => {
          const [at, position] = line.split(' ').map(Number);
          return { at: at ?? 0, position: position ?? 0 };
        });
      let next = 0;
      let before = 0;
      for (const { at, position } of this.#reached) {
        while ((applied[before + 1]?.at ?? Infinity) <= at) before++;
        while ((applied[next]?.position ?? Infinity) < position) next++;
        const reached = applied[next];
        if (reached === undefined) break;
        times.push(Math.max(0, reached.at - at));
        records.push(Math.max(0, position - (applied[before]?.position ?? 0)));
      }
    }
    return { time_ms: quantiles(times), records: quantiles(records), announcements: this.#reached.length };
  }
}

function quantiles(values: readonly number[]): { readonly p50: number; readonly p99: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => Math.round(10 * percentile(sorted, share)) / 10;
  return { p50: at(0.5), p99: at(0.99) };
}
