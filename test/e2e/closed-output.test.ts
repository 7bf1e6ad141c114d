import { join } from 'node:path';
import { test } from 'tap';
import { Daemon, freePort } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

test('a service continues after its output is closed', async (t) => {
  const folder = t.testdir();
  const [http, bus] = [await freePort(), await freePort()];
  const daemon = new Daemon(
    [
      'server',
      `--http-addr=127.0.0.1:${http}`,
      `--bus-addr=127.0.0.1:${bus}`,
      `--data-dir=${join(folder, 'data')}`,
      '--log-format=text',
      '--stop-bus',
    ],
    join(folder, 'server.log'),
  );
  t.teardown(() => daemon.kill());
  daemon.child.stdout?.destroy();
  const url = `http://127.0.0.1:${http}/readyz`;
  await until('the service is ready', async () => {
    if (!daemon.isRunning) throw new Error('the service has ended');
    return fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  daemon.child.kill('SIGTERM');
  t.same(await daemon.ended, { code: 0, signal: null });
  t.match(daemon.log(), /stopping/);
});
