import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'tap';
import { SimulatedService, SUBJECTS, type Listening, type SimulatedSubject } from './simulated-service.ts';

type Step =
  | { readonly do: 'publish'; readonly subject: SimulatedSubject; readonly count: number }
  | {
      readonly do: 'subscribe';
      readonly subject: SimulatedSubject;
      readonly since: 'now' | 'kept' | 'behind';
      readonly back: number;
    }
  | { readonly do: 'unsubscribe'; readonly listener: number }
  | { readonly do: 'down' | 'up'; readonly count: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'start'; readonly isBehind: boolean }
  | { readonly do: 'forget'; readonly subject: SimulatedSubject }
  | { readonly do: 'pump' | 'answerConnect' | 'cut' | 'stop' | 'retry' };

const subject = fc.constantFrom(...SUBJECTS);
const count = fc.integer({ min: 1, max: 8 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('publish' as const), subject, count }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('subscribe' as const),
      subject,
      since: fc.constantFrom('now' as const, 'kept' as const, 'behind' as const),
      back: fc.nat(6),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unsubscribe' as const), listener: fc.nat(5) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('down' as const, 'up' as const), count }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('pump' as const, 'answerConnect' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(40_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('cut' as const, 'stop' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('start' as const), isBehind: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('retry' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), subject }) },
);

function take(service: SimulatedService, step: Step): void {
  switch (step.do) {
    case 'publish':
      for (let n = 0; n < step.count; n++) service.publish(step.subject);
      return;
    case 'subscribe': {
      const published = service.published[step.subject];
      const at = published.length - 1 - step.back;
      const seq = published[at] ?? 0;
      if (step.since === 'now') service.subscribe(step.subject, 'now', null);
      else if (step.since === 'kept' || seq === 0) service.subscribe(step.subject, 0, null);
      else service.subscribe(step.subject, seq, at + 1);
      return;
    }
    case 'unsubscribe':
      service.unsubscribe(step.listener);
      return;
    case 'down':
    case 'up':
      for (let n = 0; n < step.count; n++) service[step.do]();
      return;
    case 'pass':
      service.pass(step.ms);
      return;
    case 'start':
      service.start(step.isBehind);
      return;
    case 'forget':
      service.forget(step.subject);
      return;
    case 'retry':
      service.input({ is: 'retry' });
      return;
    default:
      service[step.do]();
  }
}

/** Returns the error in the deliveries to a listener, or null. */
function fault({ since, has, told, isThere }: Listening, published: readonly number[]): string | null {
  /** Events that the listener has received or reloaded; null while it has requested all retained events. */
  let covered = has;
  let lastIndex = -1;
  let mayJump = true;
  let readies = 0;
  for (const each of told) {
    switch (each.is) {
      case 'ready':
        readies += 1;
        covered = Math.max(covered ?? 0, has === null ? each.there : 0);
        break;
      case 'gap':
        covered = each.there;
        mayJump = true;
        break;
      case 'refused':
        return 'was refused';
      case 'event':
        if (published[each.index] !== each.seq) return `${each.index} is not ${each.seq}`;
        if (readies === 0) return `${each.index} before ready`;
        if (each.index <= lastIndex) return `${each.index} after ${lastIndex}`;
        if (!mayJump && each.index !== lastIndex + 1) return `${each.index} right after ${lastIndex}`;
        if (each.index > (covered ?? 0)) return `${covered} to ${each.index} are lost`;
        if (since === 0 && lastIndex === -1 && mayJump) covered = each.index;
        covered = Math.max(covered ?? 0, each.index + 1);
        lastIndex = each.index;
        mayJump = false;
    }
  }
  if (!isThere) return null;
  if (readies !== 1) return `ready was delivered ${readies} times`;
  return covered === published.length ? null : `${covered} of ${published.length} at the end`;
}

/** Runs the steps and delivers everything that is pending. */
function after(steps: readonly Step[], depth: number, chance: number): SimulatedService {
  const service = new SimulatedService(depth, () => chance);
  for (const each of steps) take(service, each);
  service.settle();
  return service;
}

const steps = fc.array(step, { minLength: 1, maxLength: 80, size: 'max' });
/** A small ring drops events that clients still need. */
const SMALL = 4;
/** More events than one run has. */
const LARGE = 1000;
const chance = fc.constantFrom(0, 0.5, 0.999);

test('a listener is notified of every loss, with any faults of connection and service', (t) => {
  fc.assert(
    fc.property(steps, chance, (all, number) => {
      const { listeners, published, problems, underWay, protocol } = after(all, SMALL, number);
      const faults = listeners
        .map((listening) => fault(listening, published[listening.subject]))
        .filter((each) => each !== null);
      const left = { faults, problems, underWay, phase: protocol.phase };
      assert.deepEqual(left, { faults: [], problems: [], underWay: 0, phase: 'live' });
    }),
    { numRuns: 2000 },
  );
  t.end();
});

test('no gap is reported while the service retains all events', (t) => {
  const keeps = steps.map((all) => all.filter((each) => each.do !== 'stop' && each.do !== 'forget'));
  fc.assert(
    fc.property(keeps, chance, (all, number) => {
      const { listeners, published } = after(all, LARGE, number);
      for (const listening of listeners) {
        const { told, subject } = listening;
        assert.equal(fault(listening, published[subject]), null);
        assert.ok(!told.some((each) => each.is === 'gap'));
      }
    }),
    { numRuns: 1000 },
  );
  t.end();
});
