import { test } from 'tap';
import {
  busFinding,
  encryptionFinding,
  permissionFinding,
  type BusVisit,
} from '../../../src/core/host-check/bus-findings.ts';

const visit = (parts: Partial<Extract<BusVisit, { ok: true }>> = {}): BusVisit => ({
  ok: true,
  server: 'farm:4222',
  version: '2.14.3',
  isEncrypted: true,
  permitted: [],
  ...parts,
});
const failed = (reason: string): BusVisit => ({ ok: false, reason });

void test('an old nats-server is a warning with authentication only', (t) => {
  t.match(busFinding(visit(), true), { status: 'ok', found: 'farm:4222, nats-server 2.14.3' });
  t.match(busFinding(visit({ version: '2.9.10' }), true), { status: 'warning', fix: /2\.12\.12/ });
  t.match(busFinding(visit({ version: '2.9.10' }), false), { status: 'ok' });
  t.match(busFinding(visit({ version: 'unknown' }), true), { status: 'warning' });
  t.end();
});

void test('a bus that cannot be used is a failure with a remedy for its reason', (t) => {
  t.match(busFinding(failed('farm:4222: connection refused'), false), { status: 'failure', fix: /bus\.url/ });
  t.match(busFinding(failed('Authorization Violation'), true), { status: 'failure', fix: /revoked/ });
  t.match(busFinding(failed('unable to verify the first certificate'), true), { fix: /bus\.tls\.ca_file/ });
  for (const finding of [encryptionFinding(failed('x'), false), permissionFinding(failed('x'), true)])
    t.match(finding, { status: 'skipped', found: 'the bus cannot be used' });
  t.end();
});

void test('a connection without encryption is a warning, except on the host itself', (t) => {
  t.match(encryptionFinding(visit(), false), { status: 'ok' });
  t.match(encryptionFinding(visit({ isEncrypted: false }), false), { status: 'warning', fix: /tls:/ });
  t.match(encryptionFinding(visit({ isEncrypted: false }), true), { status: 'skipped' });
  t.end();
});

void test('a credential that allows messages of others is a failure', (t) => {
  t.match(permissionFinding(visit(), true), { status: 'ok', found: /refused, as they should be/ });
  t.match(permissionFinding(visit({ permitted: ['>'] }), true), {
    status: 'failure',
    found: /can subscribe to >/,
    fix: /bus permissions/,
  });
  t.match(permissionFinding(visit(), false), { status: 'warning', found: /act as a worker/ });
  t.match(permissionFinding(visit({ permitted: ['>', '_INBOX.>'] }), false), {
    status: 'warning',
    found: /read assignments of all workers/,
  });
  t.end();
});
