import { test } from 'tap';
import {
  clockFinding,
  serviceFinding,
  versionFinding,
  type HttpAnswer,
} from '../../../src/core/host-check/service-findings.ts';

const NOW = Date.parse('2026-11-23T12:00:00.400Z');
const answer = (parts: Partial<Extract<HttpAnswer, { ok: true }>> = {}): HttpAnswer => ({
  ok: true,
  status: 200,
  date: Date.parse('2026-11-23T12:00:00Z'),
  text: '{"status":"ok"}',
  sentAt: NOW,
  receivedAt: NOW + 20,
  ...parts,
});
const URL = 'http://farm:8080';

void test('the finding about the service has the reason and a remedy', (t) => {
  t.match(serviceFinding(URL, answer(), answer()), { status: 'ok', found: `${URL} is ready`, fix: '' });
  const refused: HttpAnswer = { ok: false, reason: 'connect ECONNREFUSED' };
  t.match(serviceFinding(URL, refused, refused), { status: 'failure', found: /ECONNREFUSED/, fix: /--url/ });
  t.match(serviceFinding(URL, answer({ status: 421 }), answer()), {
    status: 'failure',
    fix: /allowed_hosts/,
  });
  t.match(serviceFinding(URL, answer({ status: 404 }), answer()), { status: 'failure', found: /status 404/ });
  t.match(serviceFinding(URL, answer(), refused), { status: 'failure', found: /readyz: connect/ });
  const degraded = (text: string) => serviceFinding(URL, answer(), answer({ status: 503, text }));
  t.match(degraded('{"checks":{"store":"ok","bus":"not connected"}}'), {
    status: 'failure',
    found: 'the server is not ready: bus: not connected',
  });
  t.match(degraded('{"checks":{"store":"ok","bus":"ok"}}'), { found: /it is stopping/ });
  for (const text of ['', 'null', '[]', '{"checks":3}', '<html>'])
    t.match(degraded(text), { status: 'failure', found: /it (gives no reason)/ }, text);
  t.end();
});

void test('a different version is a warning', (t) => {
  t.match(versionFinding('1.0.0', '1.0.0'), { status: 'ok' });
  t.match(versionFinding('1.1.0', '1.0.0'), { status: 'warning', found: /1\.0\.0, the server 1\.1\.0/ });
  t.end();
});

void test('a clock more than 5 s from that of the service is a warning', (t) => {
  const off = (seconds: number) =>
    clockFinding(answer({ sentAt: NOW + seconds * 1000, receivedAt: NOW + seconds * 1000 + 20 }));
  for (const seconds of [0, 5, -5]) t.match(off(seconds), { status: 'ok' }, String(seconds));
  t.match(off(7), { status: 'warning', found: '6 s ahead of the clock of the server', fix: /chrony/ });
  t.match(off(-6), { status: 'warning', found: '6 s behind the clock of the server' });
  t.match(off(-3600), { status: 'warning', found: '3600 s behind the clock of the server' });
  t.match(
    clockFinding(answer({ sentAt: NOW - 60_000 })),
    { status: 'ok' },
    'a slow answer does not count as a difference',
  );
  t.match(clockFinding(answer({ date: null })), { status: 'skipped' });
  t.match(clockFinding({ ok: false, reason: 'x' }), { status: 'skipped' });
  t.end();
});
