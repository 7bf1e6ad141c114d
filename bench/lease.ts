/**
 * Question: how fast does a farm lease tasks and process their results? Simulated workers in a separate process, each
 * with its own connection, lease tasks that end at once from a real service through a real nats-server. A lease counts
 * when its commit is flushed and its reply has reached the worker; a cycle when the end of its task is committed.
 * Yardsticks, in the same run and in turns: bare request and reply of the same swarm with messages of the same size,
 * and the same change sets written to a disk by a bare loop.
 *
 * npm run bench -- lease [OPTION]...
 *   --workers 1,16  --cores 1,64  --tasks 1000,1000000   all of them with each other; without these the cases below
 *   --jobs N        jobs that are there at once          --signatures N   different requirements among them
 *   --reports ride|stream                                --offered N      leases a second, for the latency
 *   --policy weighted --owners 200 --booked 4    a shared farm, measured after one large job and after the same jobs, both
 *                   without policy and bookings         --alone   without these
 *   --parked N      only: N workers without work         --repetitions N  --seconds N  --no-disk  --short  --json
 *   --profile FOLDER    stores a profile of the shard and of the store thread of each case, for the first repetition
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { QUEUE_POLICIES } from '../src/core/records/queue-policy.ts';
import { BENCH_AMOUNTS } from './kit/bench-amounts.ts';
import { measureCase, type LeaseFigures, type LeaseTimes } from './kit/lease/lease-case.ts';
import { caseName, leaseTables } from './kit/lease/lease-tables.ts';
import { SIGNATURES_MAX } from './kit/lease/lease-work.ts';
import { measureParked, type ParkedFigures } from './kit/lease/parked.ts';
import { saveResult } from './kit/results.ts';
import type { LeaseCase } from './kit/lease/case-parameters.ts';

const { values } = parseArgs({
  options: {
    workers: { type: 'string' },
    cores: { type: 'string' },
    tasks: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    signatures: { type: 'string', default: '1' },
    reports: { type: 'string', default: 'ride' }, // wording-ok: value of --reports
    policy: { type: 'string', default: 'fifo' },
    owners: { type: 'string', default: '60' },
    booked: { type: 'string', default: '0' },
    alone: { type: 'boolean', default: false },
    offered: { type: 'string' },
    parked: { type: 'string' },
    repetitions: { type: 'string' },
    profile: { type: 'string' },
    seconds: { type: 'string' },
    'no-disk': { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const hundredths = (value: number): number => Math.round(100 * value) / 100;

const totalOf = ({ service, bus, client }: LeaseFigures['cpu_us']): number => service + bus + client;

const TASKS = 100_000;
const OFFERED_PER_SECOND = 5_000;
const PARKED_WORKERS = 4_000;
/** The time for which a request is held: each worker requests once. */
const PARKED_SECONDS = 30;
const WARM_UP_MS = 1_000;
const USUAL_MS = 4_000;
const SHORT_MS = 1_500;

const plain: LeaseCase = {
  workers: 256,
  cores: 1,
  tasks: TASKS,
  jobs: 1,
  signatures: 1,
  owners: 60,
  policy: 'fifo',
  booked: 0,
  reports: 'ride', // wording-ok: value of --reports
  offered: null,
  disk: false,
};

/** Default measurements: each factor that may matter is changed separately. */
const USUAL: readonly LeaseCase[] = [
  { ...plain, workers: 1, disk: true },
  { ...plain, workers: 16, disk: true },
  { ...plain, workers: 64, disk: true },
  { ...plain, workers: 256, disk: true },
  { ...plain, workers: 1_000, disk: true, offered: OFFERED_PER_SECOND },
  { ...plain, workers: 4_000, disk: true },
  { ...plain, cores: 16 },
  { ...plain, cores: 64, disk: true },
  { ...plain, tasks: 1_000 },
  { ...plain, tasks: 1_000_000 },
  { ...plain, tasks: 100, jobs: 10_000, signatures: 200 },
  { ...plain, reports: 'stream' },
];

/** Cases that fit into five minutes for all benches; parked workers have their own bench, `idle`. */
const SHORT: readonly LeaseCase[] = [
  { ...plain, workers: 1 },
  { ...plain, disk: true },
  { ...plain, workers: 1_000, offered: OFFERED_PER_SECOND },
  { ...plain, workers: 4_000 },
  { ...plain, cores: 64 },
  { ...plain, tasks: 100, jobs: 10_000, signatures: 200 },
];

/** Rate of a shared farm, divided by that of a plain one. */
interface Ratio {
  readonly leases: number;
  /** Of the reciprocals of the processor time of all processes for a lease: other load of the machine changes it less. */
  readonly cpu: number;
}

interface SharedToPlain {
  readonly same_jobs: Ratio;
  /** Null for a shared farm with one job. */
  readonly one_job: Ratio | null;
}

const times: LeaseTimes = {
  warmUpMs: WARM_UP_MS,
  measureMs:
    values.seconds === undefined
      ? values.short
        ? SHORT_MS
        : USUAL_MS
      : 1000 * number(values.seconds, 'seconds'),
  repetitions: number(values.repetitions ?? (values.short ? '1' : '3'), 'repetitions'),
};
const figures: { cases: LeaseFigures[]; parked: ParkedFigures[]; shared_to_plain: SharedToPlain[] } = {
  cases: [],
  parked: [],
  shared_to_plain: [],
};
const chosen = choose();
for (const each of chosen.cases) {
  process.stderr.write(`${caseName(each)} ...\n`);
  const measured = await measureCase(each, times, profileOf(figures.cases.length));
  figures.cases.push(measured);
  if (isShared(each) && !values.alone) figures.shared_to_plain.push(comparisonOf(measured, figures.cases));
}
for (const workers of chosen.parked) {
  process.stderr.write(`${workers} workers without work ...\n`);
  figures.parked.push(await measureParked(workers, PARKED_SECONDS));
}
saveResult('lease', figures);
process.stdout.write(
  values.json ? `${JSON.stringify(figures)}\n` : leaseTables(figures.cases, figures.parked),
);
for (const { same_jobs, one_job } of figures.shared_to_plain) {
  const of = ({ leases, cpu }: Ratio): string => `${leases} (by processor time ${cpu})`;
  process.stderr.write(
    `leases of the shared farm by those of a plain one with the same jobs: ${of(same_jobs)}\n`,
  );
  if (one_job !== null) process.stderr.write(`by those of a plain one with one large job: ${of(one_job)}\n`);
}

function choose(): { readonly cases: readonly LeaseCase[]; readonly parked: readonly number[] } {
  const { workers, cores, tasks, parked } = values;
  if (parked !== undefined) return { cases: [], parked: numbers(parked, 'parked') };
  if (workers === undefined && cores === undefined && tasks === undefined) {
    return values.short ? { cases: SHORT, parked: [] } : { cases: USUAL, parked: [PARKED_WORKERS] };
  }
  const signatures = number(values.signatures, 'signatures');
  if (signatures > SIGNATURES_MAX) throw new Error(`--signatures is at most ${SIGNATURES_MAX}`);
  const { reports } = values;
  const isKnown = reports === 'ride' || reports === 'stream'; // wording-ok: value of --reports
  if (!isKnown) {
    throw new Error(`--reports is ride or stream, not ${JSON.stringify(reports)}`); // wording-ok: value of --reports
  }
  const cases = numbers(workers ?? '256', 'workers').flatMap((workerCount) =>
    numbers(cores ?? '1', 'cores').flatMap((coreCount) =>
      numbers(tasks ?? String(TASKS), 'tasks').map((taskCount): LeaseCase => ({
        workers: workerCount,
        cores: coreCount,
        tasks: taskCount,
        jobs: number(values.jobs, 'jobs'),
        signatures,
        owners: number(values.owners, 'owners'),
        policy: policyOf(values.policy),
        booked: bookedOf(values.booked),
        reports,
        offered: values.offered === undefined ? null : number(values.offered, 'offered'),
        disk: !values['no-disk'],
      })),
    ),
  );
  return { cases: values.alone ? cases : cases.flatMap(withPlainOnes), parked: [] };
}

/** Returns the case, for a shared farm behind those that it is compared with. */
function withPlainOnes(each: LeaseCase): readonly LeaseCase[] {
  if (!isShared(each)) return [each];
  const plainJobs: LeaseCase = { ...each, policy: 'fifo', booked: 0 };
  return each.jobs === 1
    ? [plainJobs, each]
    : [{ ...plainJobs, jobs: 1, tasks: TASKS, signatures: 1 }, plainJobs, each];
}

/** Returns where the profiles of a case are stored; null if none are taken. */
function profileOf(nth: number): string | null {
  return values.profile === undefined ? null : join(values.profile, `case-${nth + 1}`);
}

/** Compares a shared farm with the plain ones that were measured before it. */
function comparisonOf(shared: LeaseFigures, cases: readonly LeaseFigures[]): SharedToPlain {
  const plainOnes = cases.slice(-3, -1).filter((each) => !isShared(each) && each.workers === shared.workers);
  const ratioTo = (jobs: number): Ratio | null => {
    const other = plainOnes.findLast((each) => each.jobs === jobs);
    if (other === undefined) return null;
    return {
      leases: hundredths(shared.leases_per_second / other.leases_per_second),
      cpu: hundredths(totalOf(other.cpu_us) / totalOf(shared.cpu_us)),
    };
  };
  const sameJobs = ratioTo(shared.jobs);
  if (sameJobs === null) throw new Error('the plain farm was not measured');
  return { same_jobs: sameJobs, one_job: shared.jobs === 1 ? null : ratioTo(1) };
}

function isShared({ policy, booked }: Pick<LeaseCase, 'policy' | 'booked'>): boolean {
  return policy !== 'fifo' || booked > 0;
}

function policyOf(text: string): LeaseCase['policy'] {
  const policy = QUEUE_POLICIES.find((each) => each === text);
  if (policy === undefined)
    throw new Error(`--policy is ${QUEUE_POLICIES.join(', ')}, not ${JSON.stringify(text)}`);
  return policy;
}

function bookedOf(text: string): number {
  const booked = Number(text);
  if (Number.isSafeInteger(booked) && booked >= 0 && booked <= BENCH_AMOUNTS.length) return booked;
  throw new Error(`--booked wants a whole number up to ${BENCH_AMOUNTS.length}, not ${JSON.stringify(text)}`);
}

function number(text: string, name: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`--${name} wants a whole number from 1 on, not ${JSON.stringify(text)}`);
}

function numbers(text: string, name: string): readonly number[] {
  return text.split(',').map((each) => number(each, name));
}
