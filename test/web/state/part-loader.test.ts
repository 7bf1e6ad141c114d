import { test } from 'tap';
import { loadPart, PartUnavailable, type PartEffects } from '../../../web/state/part-loader.ts';

const OWN = '<script type="module" src="/assets/index-A.js"></script>';
const NEW = '<script type="module" src="/assets/index-B.js"></script>';

/** A browser with a page of build A. `failures` is the number of attempts that fail. */
function browser(index: string | null, failures: number) {
  const seen = { attempts: 0, waits: [] as number[], reloads: 0, stored: null as string | null, now: 1e12 };
  const effects: PartEffects = {
    delay: (ms) => {
      seen.waits.push(ms);
      return Promise.resolve();
    },
    now: () => seen.now,
    ownScript: () => '/assets/index-A.js',
    index: () => Promise.resolve(index),
    reload: () => (seen.reloads += 1),
    lastReload: { get: () => seen.stored, set: (text) => (seen.stored = text) },
  };
  const load = (): Promise<string> => {
    seen.attempts += 1;
    return seen.attempts > failures ? Promise.resolve('page') : Promise.reject(new TypeError('failed'));
  };
  return { seen, load: () => loadPart(load, effects) };
}

const faultOf = (loading: Promise<unknown>): Promise<string> =>
  loading.then(
    () => 'none',
    (error: unknown) => (error instanceof PartUnavailable ? error.fault : String(error)),
  );

void test('a part is loaded again after a failure', async (t) => {
  const { seen, load } = browser(OWN, 2);
  t.equal(await load(), 'page');
  t.strictSame(seen.waits, [500, 2000]);
  t.equal(seen.reloads, 0);
});

void test('the fault of a part that cannot be loaded has a sentence', async (t) => {
  const unreachable = browser(null, Infinity);
  t.equal(await faultOf(unreachable.load()), 'unreachable');
  t.equal(unreachable.seen.attempts, 3);
  t.equal(await faultOf(browser(OWN, Infinity).load()), 'broken');
  t.match(new PartUnavailable('unreachable', null).message, /server cannot be reached/);
});

void test('a new build is loaded once, and causes no loop', async (t) => {
  const { seen, load } = browser(NEW, Infinity);
  let isSettled = false;
  const settled = (): void => {
    isSettled = true;
  };
  load().then(settled, settled);
  await new Promise(setImmediate);
  t.equal(seen.reloads, 1);
  t.equal(isSettled, false, 'the page is about to be replaced');
  t.strictSame(seen.waits, []);
  seen.now += 59_000;
  t.equal(await faultOf(load()), 'new-build');
  t.equal(seen.reloads, 1);
  seen.now += 1_000;
  load().then(settled, settled);
  await new Promise(setImmediate);
  t.equal(seen.reloads, 2, 'another build, a minute later');
});
