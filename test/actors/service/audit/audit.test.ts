import { test } from 'tap';
import { AUDIT_SWEEP_EVERY, AUDIT_SWEEP_ROWS } from '../../../../actors/service/audit/audit-actor.ts';
import { AUDIT_LOG, AUDIT_SWEEP } from '../../../../actors/service/audit/messages.ts';
import { replyTo } from '../../../../actors/kernel/address.ts';
import type { AuditBudget, AuditEvent, AuditLimits } from '../../../../src/core/records/audit-entry.ts';
import { idOfAuditKey, keys } from '../../../../src/core/records/tables.ts';
import { startOfUuid7 } from '../../../../src/core/uuid-time.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const HOUR = 3_600_000;
const LIMITS: AuditLimits = { retentionMs: 24 * HOUR, entries: { people: 2_000, strangers: 1_500 } };

/** The audit actor of a test service. */
class TestAudit extends TestFarm {
  #events = 0;

  constructor(limits = LIMITS) {
    super({ audit: limits, unschedulableGraceMs: 0, reservationAfterMs: 0 });
    this.restart();
    this.advance(0);
  }

  /** Records events of now in one message, and returns the reply. */
  record(count: number, actorId: string | null): unknown {
    const events = Array.from({ length: count }, () => this.event(actorId));
    const client = `request ${this.#events}`;
    this.send({
      actor: 'audit',
      id: AUDIT_LOG,
      message: { type: 'audit.record', events, replyTo: replyTo(client) },
    });
    return this.answer(client);
  }

  event(actorId: string | null): AuditEvent {
    this.#events += 1;
    const number = this.#events.toString(16).padStart(12, '0');
    return {
      id: `${startOfUuid7(this.now)}-7000-8000-${number}`,
      actor: actorId === null ? '' : 'ann',
      actorId,
      method: 'POST',
      path: '/api/v1/farms',
      operation: 'createFarm',
      permission: 'infra.manage',
      status: actorId === null ? 401 : 201,
      outcome: actorId === null ? 'denied' : 'changed',
      reason: null,
      targets: [],
      targetCount: 0,
      requestId: `r${number}`,
      remoteAddress: '10.0.0.1',
      dropped: 0,
    };
  }

  /** Ids of the stored entries, oldest first. */
  ids(budget: AuditBudget): string[] {
    const rows = this.store.scan('auditEntry', { prefix: keys.auditEntriesOf(budget) });
    return [...rows].map(({ key }) => idOfAuditKey(key));
  }
}

test('events are stored when the reply is sent, by budget', (t) => {
  const audit = new TestAudit();
  t.match(audit.record(2, 'u1'), { ok: true });
  audit.record(1, null);
  t.equal(audit.ids('people').length, 2);
  t.equal(audit.ids('strangers').length, 1);
  const [row] = audit.store.scan('auditEntry', { prefix: keys.auditEntriesOf('people') });
  t.match(row?.value, { version: 1, serial: 1, actor: 'ann', status: 201, requestId: 'r000000000001' });
  t.end();
});

test('no reply is sent for events that a crash has lost', (t) => {
  const audit = new TestAudit();
  audit.withoutFlush(() => {
    audit.record(1, 'u1');
  });
  t.equal(audit.answer('request 1'), undefined);
  audit.restart();
  t.same(audit.ids('people'), []);
  audit.record(1, 'u1');
  t.equal(audit.ids('people').length, 1, 'the log continues');
  t.end();
});

test('entries are deleted after the retention, also if the service was down', (t) => {
  const audit = new TestAudit();
  audit.record(3, 'u1');
  audit.record(3, null);
  audit.advance(20 * HOUR);
  audit.record(1, 'u1');
  t.equal(audit.ids('people').length, 4);
  audit.advance(5 * HOUR);
  t.equal(audit.ids('people').length, 1);
  t.equal(audit.ids('strangers').length, 0);
  audit.restart(24 * HOUR);
  audit.advance(0);
  t.same(audit.ids('people'), []);
  t.notOk(audit.isResident('audit', AUDIT_SWEEP));
  t.end();
});

test('a flood of denials deletes denials only, and never more than the excess', (t) => {
  const audit = new TestAudit();
  audit.record(500, 'u1');
  const kept = audit.ids('people');
  for (let batch = 0; batch < 30; batch++) audit.record(200, null);
  audit.advance(0);
  t.same(audit.ids('people'), kept);
  const left = audit.ids('strangers').length;
  t.ok(left >= LIMITS.entries.strangers && left <= LIMITS.entries.strangers + AUDIT_SWEEP_EVERY, `${left}`);
  audit.advance(HOUR);
  t.equal(audit.ids('strangers').length, LIMITS.entries.strangers, 'exactly the limit after a sweep');
  t.end();
});

test('serials continue after a restart, so that the number of entries stays known', (t) => {
  const audit = new TestAudit({ ...LIMITS, entries: { people: 100, strangers: 100 } });
  audit.record(90, 'u1');
  audit.restart();
  audit.advance(0);
  audit.record(90, 'u1');
  const newest = audit.ids('people').slice(-100);
  audit.advance(HOUR);
  t.same(audit.ids('people'), newest);
  t.end();
});

test('a sweep deletes in batches of bounded size', (t) => {
  const audit = new TestAudit();
  for (let batch = 0; batch < 9; batch++) audit.record(150, 'u1');
  audit.commits.length = 0;
  audit.advance(26 * HOUR);
  t.same(audit.ids('people'), []);
  t.ok(audit.commits.every((changes) => changes <= AUDIT_SWEEP_ROWS + 10));
  t.ok(audit.commits.length >= 3);
  t.end();
});
