import { test } from 'tap';
import { IDLE_CLOSE_MS, Liveness, PING_EVERY_MS, TICK_MS } from '../../../http/ws/liveness.ts';

class Watched {
  pings = 0;
  closings: [number, string][] = [];
  ping(): void {
    this.pings += 1;
  }
  close(code: number, reason: string): void {
    this.closings.push([code, reason]);
  }
}

const TICKS = PING_EVERY_MS / TICK_MS;

void test('uses the times of the contract', async (t) => {
  t.equal(PING_EVERY_MS, 30_000);
  t.equal(IDLE_CLOSE_MS, 300_000);
});

void test('pings each connection every 30 seconds, spread over time', async (t) => {
  let now = 0;
  const liveness = new Liveness<Watched>(() => now);
  const all = Array.from({ length: 3 * TICKS }, () => new Watched());
  for (const each of all) liveness.enter(each);
  for (let tick = 1; tick <= 2 * TICKS; tick++) {
    now += TICK_MS;
    const before = all.reduce((sum, each) => sum + each.pings, 0);
    liveness.tick();
    t.equal(all.reduce((sum, each) => sum + each.pings, 0) - before, 3, `tick ${tick}`);
  }
  t.ok(all.every((each) => each.pings === 2));
});

void test('closes a connection without frames for 5 minutes with 1001, and stops its pings', async (t) => {
  let now = 0;
  const liveness = new Liveness<Watched>(() => now);
  const [silent, alive, gone] = [new Watched(), new Watched(), new Watched()];
  for (const each of [silent, alive, gone]) liveness.enter(each);
  now = IDLE_CLOSE_MS - 1;
  liveness.frameReceived(alive);
  liveness.leave(gone);
  liveness.frameReceived(gone);
  liveness.tick();
  t.strictSame(silent.closings, []);
  now = IDLE_CLOSE_MS;
  liveness.tick();
  t.strictSame(silent.closings, [[1001, 'no frame for 5 minutes']]);
  t.strictSame([alive.closings, gone.closings], [[], []]);
  const { pings } = silent;
  for (let tick = 0; tick < 2 * TICKS; tick++) liveness.tick();
  t.equal(silent.pings, pings);
  liveness.stop();
  t.strictSame(alive.closings, [[1001, 'the service is stopping']]);
  t.equal(silent.closings.length, 1);
});
