import { test } from 'tap';
import { AUDIT_SWEEP_EVERY, AUDIT_SWEEP_ROWS } from '../../../../actors/service/audit/audit-actor.ts';
import { AUDIT_LOG, AUDIT_SWEEP } from '../../../../actors/service/audit/messages.ts';
import { replyTo } from '../../../../actors/kernel/address.ts';
import { attemptIdOf, jobId, queueId, workerId } from '../../../../src/core/ids.ts';
import type {
  AuditBudget,
  AuditDecision,
  AuditEvent,
  AuditSettings,
} from '../../../../src/core/records/audit-entry.ts';
import { idOfAuditKey, keys } from '../../../../src/core/records/tables.ts';
import { startOfUuid7 } from '../../../../src/core/uuid-time.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const HOUR = 3_600_000;
const LIMITS: AuditSettings = {
  isOn: true,
  retentionMs: 24 * HOUR,
  entries: { people: 2_000, strangers: 1_500, service: 1_200 },
};

const JOB = '01890a5d-ac96-774b-bcce-b302099a8057';
const DECISION: AuditDecision = {
  kind: 'preemption',
  attemptId: attemptIdOf({ jobId: jobId(JOB), stepOrder: 0, index: 3, attemptNumber: 2 }),
  workerId: workerId('w'),
  queueId: queueId('night'),
  preemption: {
    jobId: jobId('waiting'),
    stepOrder: 1,
    queueId: queueId('urgent'),
    queue: 'urgent',
    waitedMs: 300_000,
    afterSeconds: 300,
    policyVersion: 4,
  },
};

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

  /** Sends decisions to the log without their rows, as after the commit of each. */
  decide(count: number): void {
    for (let each = 0; each < count; each++) {
      this.#events += 1;
      const id = `${startOfUuid7(this.now)}-7000-8000-${this.#events.toString(16).padStart(12, '0')}`;
      this.post({
        actor: 'audit',
        id: AUDIT_LOG,
        message: { type: 'audit.decided', id, decision: DECISION },
      });
    }
    this.run();
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
  const audit = new TestAudit({ ...LIMITS, entries: { people: 100, strangers: 100, service: 100 } });
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

test('a flood of decisions deletes decisions only', (t) => {
  const audit = new TestAudit();
  audit.record(500, 'u1');
  audit.record(300, null);
  audit.decide(AUDIT_SWEEP_EVERY + 500);
  audit.advance(HOUR);
  t.equal(audit.ids('service').length, LIMITS.entries.service);
  t.same([audit.ids('people').length, audit.ids('strangers').length], [500, 300]);
  const [row] = audit.store.scan('auditEntry', { prefix: keys.auditEntriesOf('service') });
  t.match(row?.value, {
    actor: '',
    method: 'PREEMPT',
    path: /^\/api\/v1\/tasks\/01890a5d-/,
    status: 0,
    outcome: 'decided',
    reason: /^Taken back for queue urgent, of which a task had waited 5 min \(.*preemption setting 4\)/,
    targets: [String, DECISION.attemptId, 'w', 'waiting', 'urgent'],
    decision: DECISION,
  });
  t.end();
});
