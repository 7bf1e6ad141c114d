import tap, { test } from 'tap';
import { canMakeAccounts } from '../kit/accounts.ts';
import { freePort } from '../kit/daemons.ts';
import { ANONYMOUS_ATTACKS } from './bus-attacks/anonymous-cases.ts';
import { documentedAttacks, runBusAttacks } from './bus-attacks/bus-attack.ts';
import { startClosedBus } from './bus-attacks/closed-bus.ts';
import { CREDENTIAL_ATTACKS } from './bus-attacks/credential-cases.ts';
import { OPEN_BUS_ATTACKS } from './bus-attacks/open-bus-cases.ts';
import { startOpenBus } from './bus-attacks/open-bus.ts';
import { TOKEN_ATTACKS } from './bus-attacks/token-cases.ts';
import { WORKER_MESSAGE_ATTACKS } from './bus-attacks/worker-message-cases.ts';
import { WORKER_SERVER_ATTACKS } from './bus-attacks/worker-server-cases.ts';

tap.setTimeout(240_000);
// Each test has a service of its own.
tap.jobs = 2;

/** Attacks on a bus with and without authentication, by real clients, jobs and workers (docs/threats.md#attacks-on-the-bus). */
const CLOSED_BUS_ATTACKS = [
  ...ANONYMOUS_ATTACKS,
  ...WORKER_MESSAGE_ATTACKS,
  ...WORKER_SERVER_ATTACKS,
  ...TOKEN_ATTACKS,
  ...CREDENTIAL_ATTACKS,
];

const skip = canMakeAccounts ? false : 'only root can run tasks as another account';

test('the page about threats lists every attack', (t) => {
  const attacks = [...CLOSED_BUS_ATTACKS, ...OPEN_BUS_ATTACKS].map(
    ({ id, attacker, action, outcome, proof }) => ({ id, attacker, action, outcome, proof }),
  );
  t.strictSame(
    documentedAttacks(),
    attacks.sort((a, b) => a.id.localeCompare(b.id)),
  );
  t.end();
});

test('attacks on a bus with authentication', { skip, buffered: true }, async (t) => {
  const ports = { httpPort: await freePort(), busPort: await freePort() };
  await runBusAttacks(t, await startClosedBus(t, ports), CLOSED_BUS_ATTACKS);
});

test('attacks on a bus without authentication', { skip, buffered: true }, async (t) => {
  const ports = { httpPort: await freePort(), busPort: await freePort() };
  await runBusAttacks(t, await startOpenBus(t, ports), OPEN_BUS_ATTACKS);
});
