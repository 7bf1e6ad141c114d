import { Random } from '../random.ts';
import { Trace } from '../trace.ts';
import { Violation } from '../violation.ts';
import { ClusterFaults } from './cluster-faults.ts';
import { EventLoop } from './event-loop.ts';
import { LogModel, SOUND_LOG, type LogRules } from './log-model.ts';
import { NetworkModel } from './network-model.ts';
import { Oracle } from './oracle.ts';
import { checkFailures, ServiceModel } from './service-model.ts';

const FAULTS_MS = 40_000;
/** Time in which the cluster must work again after the last fault, and everything must have arrived. */
const RECOVERY_MS = 25_000;
/** An owner must answer within this time after that. */
const OWNER_MS = 5000;
const OWNER_LOOK_MS = 50;
/** Decisions that may be on their way at the end. */
const BEHIND_MAX = 40;
const DELAYS_MS = [0.5, 3, 15, 60] as const;
/** Share of seeds with a damaged copy of the log, and when the damage occurs. */
const DAMAGED_SHARE = 0.05;
const DAMAGE_MS = [5000, 35_000] as const;

export interface ClusterResult {
  readonly seed: number;
  readonly violation: Violation | null;
  readonly digest: string;
  readonly events: number;
  readonly decisions: number;
  readonly outputs: number;
  readonly epochs: number;
  readonly faults: readonly string[];
  readonly trace: readonly string[];
}

export interface ClusterOptions {
  readonly rules?: LogRules;
  readonly keepsTrace?: boolean;
}

/** Runs three services on a replicated log with the faults of a seed, and checks the invariants. */
export function simulateCluster(seed: number, options: ClusterOptions = {}): ClusterResult {
  const random = new Random(seed);
  const loop = new EventLoop();
  const trace = new Trace(() => loop.nowMs, options.keepsTrace === true);
  const note = (...parts: readonly (string | number)[]): void => trace.note(...parts);
  const oracle = new Oracle();
  const network = new NetworkModel(loop, random, random.pick(DELAYS_MS));
  let faults: ClusterFaults | null = null;
  const log = new LogModel({
    loop,
    network,
    random,
    rules: options.rules ?? SOUND_LOG,
    lossShare: () => faults?.lossShare ?? 0,
    onCommitted: (position, bytes) => {
      const { epoch } = oracle;
      oracle.onCommitted(position, bytes);
      if (oracle.epoch > epoch) loop.after(0, () => log.releaseAppends());
      note('record', position, 'is committed in epoch', oracle.epoch);
    },
  });
  const services = [0, 1, 2].map((id) => new ServiceModel(id, { loop, log, random, oracle, note }));
  const chosen = new ClusterFaults({ loop, random, network, log, services, note });
  faults = chosen;
  const isDamaged = random.chance(DAMAGED_SHARE);
  if (isDamaged)
    loop.after(random.between(...DAMAGE_MS), () => {
      if (log.flipBit(random.pick(log.servers))) note('a copy of the log is damaged');
    });
  let violation: Violation | null = null;
  try {
    loop.runUntil(FAULTS_MS);
    checkFailures(services, isDamaged ? ['damaged'] : []);
    chosen.removeAll();
    note('all faults are removed');
    loop.runUntil(FAULTS_MS + RECOVERY_MS);
    awaitOwner(loop, services);
    checkEnd(services, log, oracle, isDamaged);
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violation = error;
  }
  return {
    seed,
    violation,
    digest: trace.digest,
    events: loop.count,
    decisions: oracle.fold.decisions,
    outputs: oracle.outputs,
    epochs: oracle.epoch,
    faults: chosen.kinds,
    trace: trace.lines,
  };
}

/** A slow network can suspend an owner for a moment. */
function awaitOwner(loop: EventLoop, services: readonly ServiceModel[]): void {
  const endMs = loop.nowMs + OWNER_MS;
  while (!services.some(({ isOwner }) => isOwner)) {
    if (loop.nowMs >= endMs) throw new Violation('the cluster recovers', 'it has no owner');
    loop.runUntil(loop.nowMs + OWNER_LOOK_MS);
  }
}

function checkEnd(
  services: readonly ServiceModel[],
  log: LogModel,
  oracle: Oracle,
  isDamaged: boolean,
): void {
  checkFailures(services, isDamaged ? ['damaged'] : []);
  const whole = new Oracle();
  const leader = log.leader;
  if (leader === null) throw new Violation('the cluster recovers', 'the log has no leader');
  // A damaged copy is not the log: nodes refuse it.
  if (!isDamaged) {
    leader.log.slice(0, leader.committed).forEach(({ bytes }, at) => whole.onCommitted(at + 1, bytes));
    oracle.checkOutputsAreIn(whole);
  }
  if (isDamaged) return;
  for (const { name, store } of services) {
    oracle.checkStore(name, store.fold, store.mark);
    const behind = oracle.fold.decisions - store.fold.decisions;
    if (behind > BEHIND_MAX) throw new Violation('the cluster recovers', `${name} lacks ${behind} decisions`);
  }
}
