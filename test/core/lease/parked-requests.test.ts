import fc from 'fast-check';
import { test } from 'tap';
import { queueId, workerId, type QueueId, type WorkerId } from '../../../src/core/ids.ts';
import { coresOf, isEligible } from '../../../src/core/lease/eligibility.ts';
import { ParkedRequests, type ParkedRequest } from '../../../src/core/lease/parked-requests.ts';
import type { WorkerOffer } from '../../../src/core/lease/worker-offer.ts';
import { requirements, workerOffer } from '../../kit/lease-parts.ts';
import type { Signature } from '../../../src/core/lease/step-entry.ts';

const QUEUES = [queueId('q1'), queueId('q2')];
const WORKER_IDS = ['w1', 'w2', 'w3', 'w4', 'w5'].map(workerId);
const HOLD_MS = 30;

/** w1 and w2 have the same capabilities. */
const offerFor = (id: WorkerId, cpuCount: number): WorkerOffer =>
  workerOffer({
    id,
    cpuCount,
    ...(id === 'w3' ? { queueIds: [queueId('q1')] } : {}),
    ...(id === 'w4' ? { tags: { gpu: 'yes' } } : {}),
    // The same capabilities as w1 and w2, except for expressions.
    ...(id === 'w5' ? { exprMemoryBytes: 1 } : {}),
  });

const signature = (
  queue: QueueId,
  cores: number | null,
  gpu = false,
  usesExpressions = false,
): Signature => ({
  key: '',
  capGroups: [],
  queueId: queue,
  requirements: requirements({
    cores,
    attributes: gpu ? [{ name: 'attr.worker.tag.gpu', anyOf: ['yes'] }] : [],
    usesExpressions,
  }),
  steps: [],
  members: 1,
  avoiding: 0,
});

const SIGNATURES = QUEUES.flatMap((queue) => [
  signature(queue, 1),
  signature(queue, 3),
  signature(queue, null),
  signature(queue, 1, true),
  signature(queue, 1, false, true),
]);

interface Naive {
  readonly request: ParkedRequest<string>;
  offer: WorkerOffer;
  freeCores: number;
}

type Move =
  | {
      readonly do: 'park' | 'regroup';
      readonly worker: WorkerId;
      readonly queue: QueueId | null;
      readonly cpuCount: number;
      readonly freeCores: number;
      readonly later: number;
    }
  | { readonly do: 'take'; readonly worker: WorkerId; readonly queue: QueueId | null }
  | { readonly do: 'takeAll'; readonly worker: WorkerId }
  | { readonly do: 'takeEnded'; readonly later: number };

const worker = fc.constantFrom(...WORKER_IDS);
const queue = fc.option(fc.constantFrom(...QUEUES));

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('park' as const, 'park' as const, 'regroup' as const),
      worker,
      queue,
      cpuCount: fc.constantFrom(2, 4),
      freeCores: fc.integer({ min: -1, max: 4 }),
      later: fc.nat(10),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('take' as const), worker, queue }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('takeAll' as const), worker }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('takeEnded' as const), later: fc.nat(20) }) },
);

const replies = (requests: readonly ParkedRequest<string>[]): string =>
  requests.map(({ replyTo }) => (typeof replyTo === 'string' ? replyTo : 'no text')).join();

test('parked requests behave like a plain list', (t) => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 50, size: 'max' }), (moves) => {
      const real = new ParkedRequests<string>();
      let naive: Naive[] = [];
      let now = 0;
      let number = 0;
      const same = (what: string, found: unknown, wanted: unknown): void => {
        if (found !== wanted) throw new Error(`${what}: ${String(found)}, not ${String(wanted)}`);
      };
      for (const each of moves) {
        switch (each.do) {
          case 'park': {
            now += each.later;
            const request = {
              workerId: each.worker,
              queueId: each.queue,
              replyTo: `r${number++}`,
              until: now + HOLD_MS,
            };
            const offer = offerFor(each.worker, each.cpuCount);
            const replaced = real.park(request, offer, each.freeCores);
            const before = naive.find(
              ({ request: other }) => other.workerId === each.worker && other.queueId === each.queue,
            );
            same('replaced', replaced?.replyTo, before?.request.replyTo);
            naive = naive.filter((other) => other !== before);
            naive.push({ request, offer, freeCores: each.freeCores });
            // The lease actor regroups all requests of a worker when its offer changes.
            real.regroup(each.worker, offer, each.freeCores);
            for (const other of naive.filter(({ request: { workerId: id } }) => id === each.worker)) {
              other.offer = offer;
              other.freeCores = each.freeCores;
            }
            break;
          }
          case 'regroup': {
            const offer = offerFor(each.worker, each.cpuCount);
            real.regroup(each.worker, offer, each.freeCores);
            for (const other of naive.filter(({ request }) => request.workerId === each.worker)) {
              other.offer = offer;
              other.freeCores = each.freeCores;
            }
            break;
          }
          case 'take': {
            const wanted = naive.find(
              ({ request }) => request.workerId === each.worker && request.queueId === each.queue,
            );
            same('taken', real.take(each.worker, each.queue)?.replyTo, wanted?.request.replyTo);
            naive = naive.filter((other) => other !== wanted);
            break;
          }
          case 'takeAll': {
            const wanted = naive
              .filter(({ request }) => request.workerId === each.worker)
              .map(({ request }) => request);
            same('of worker', replies(real.ofWorker(each.worker)), replies(wanted));
            same('all of worker', replies(real.takeAll(each.worker)), replies(wanted));
            naive = naive.filter(({ request }) => request.workerId !== each.worker);
            break;
          }
          case 'takeEnded': {
            now += each.later;
            const wanted = naive.filter(({ request }) => request.until <= now).map(({ request }) => request);
            same('ended', replies(real.takeEnded(now)), replies(wanted));
            naive = naive.filter(({ request }) => request.until > now);
            break;
          }
        }
        same('size', real.size, naive.length);
        same('next end', real.nextEnd(), naive[0]?.request.until ?? null);
        for (const wanted of SIGNATURES) {
          const fit = naive.filter(
            ({ request, offer, freeCores }) =>
              (request.queueId === null || request.queueId === wanted.queueId) &&
              isEligible(offer, wanted) &&
              coresOf(wanted.requirements, offer.cpuCount) <= freeCores,
          );
          const found = [...real.waitingFor(wanted)];
          same('in order', replies(found), replies(fit.map(({ request }) => request)));
        }
      }
    }),
    { numRuns: 1000 },
  );
  t.end();
});

const request = (
  id: string,
  replyTo: string,
  until = 0,
  forQueue: QueueId | null = null,
): ParkedRequest<string> => ({
  workerId: workerId(id),
  queueId: forQueue,
  replyTo,
  until,
});

test('a worker has one request per queue', (t) => {
  const parked = new ParkedRequests<string>();
  const offer = workerOffer();
  t.equal(parked.park(request('w1', 'first'), offer, 8), null);
  t.equal(
    parked.park(request('w1', 'of q1', 0, queueId('q1')), offer, 8),
    null,
    'a request for another queue',
  );
  t.equal(parked.park(request('w1', 'second'), offer, 8)?.replyTo, 'first', 'the older request is returned');
  t.equal(parked.size, 2);
  t.equal(replies(parked.takeAll(workerId('w1'))), 'of q1,second');
  t.equal(parked.size, 0);
  t.equal(parked.nextEnd(), null);
  t.strictSame(parked.takeAll(workerId('w1')), []);
  t.end();
});

test('the request that has been parked longest comes first, in any group', (t) => {
  const parked = new ParkedRequests<string>();
  const small = workerOffer({ id: workerId('w1'), cpuCount: 2 });
  const large = workerOffer({ id: workerId('w2'), cpuCount: 8 });
  parked.park(request('w1', 'oldest'), small, 0);
  parked.park(request('w2', 'newer'), large, 8);
  const waitingFor = (cores: number): string =>
    replies([...parked.waitingFor(signature(queueId('q1'), cores))]);
  t.equal(waitingFor(1), 'newer', 'the oldest worker has no free core');
  parked.regroup(workerId('w1'), small, 2);
  t.equal(waitingFor(1), 'oldest,newer');
  t.equal(waitingFor(4), 'newer', 'the requests that match');
  t.equal(waitingFor(9), '');
  t.end();
});

test('requests may leave their group during an iteration', (t) => {
  const parked = new ParkedRequests<string>();
  const offers = [1, 2, 3, 4, 5].map((each) => workerOffer({ id: workerId(`w${each}`) }));
  for (const offer of offers) parked.park(request(offer.workerId, offer.workerId), offer, 8);
  const walk = parked.waitingFor(signature(queueId('q1'), 1));
  t.equal(walk.next().value?.replyTo, 'w1');
  parked.take(workerId('w1'), null);
  parked.take(workerId('w2'), null);
  for (const offer of offers.slice(2, 3)) parked.regroup(offer.workerId, offer, 0);
  t.equal(walk.next().value?.replyTo, 'w4', 'one was removed, and one has no free core any more');
  parked.take(workerId('w4'), null);
  parked.take(workerId('w5'), null);
  t.equal(walk.next().done, true);
  t.end();
});

test('a request of another group that is taken during an iteration is not returned any more', (t) => {
  const parked = new ParkedRequests<string>();
  for (const [name, cpuCount] of [
    ['w1', 8],
    ['w2', 4],
    ['w3', 8],
  ] as const)
    parked.park(request(name, name), workerOffer({ id: workerId(name), cpuCount }), cpuCount);
  const walk = parked.waitingFor(signature(queueId('q1'), 1));
  t.equal(walk.next().value?.replyTo, 'w1');
  parked.take(workerId('w2'), null);
  t.equal(walk.next().value?.replyTo, 'w3');
  t.equal(walk.next().done, true);
  t.end();
});
