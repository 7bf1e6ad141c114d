import fc from 'fast-check';
import { test } from 'tap';
import { attemptIdOf, jobId, queueId, taskIdOf, workerId } from '../../../src/core/ids.ts';
import { logFault, presenceFault, senderFault, statusFault } from '../../../src/core/wire/sender-check.ts';
import {
  inboxRootOf,
  leaseRequests,
  parseWorkerSubject,
  scopedSubjects,
  STREAMS,
  subjects,
} from '../../../src/core/wire/subjects.ts';

const id = fc.uuid();
const KINDS = ['lease', 'status', 'logs'] as const;

/** Reports whether a subject matches a pattern of the bus without `>`. */
const matches = (pattern: string, subject: string): boolean => {
  const [wanted, given] = [pattern.split('.'), subject.split('.')];
  return wanted.length === given.length && wanted.every((token, at) => token === '*' || token === given[at]);
};

test('the worker is the last token of a scoped subject, and is read from it', (t) => {
  fc.assert(
    fc.property(id, id, fc.nat(9), fc.nat(99), (one, other, stepOrder, index) => {
      const worker = workerId(one);
      const scoped = scopedSubjects(worker);
      const job = jobId(other);
      const task = taskIdOf({ jobId: job, stepOrder, index });
      const forms = [
        ['lease', subjects.lease(queueId(other)), scoped.lease(queueId(other)), other],
        ['lease', subjects.lease('_any'), scoped.lease('_any'), '_any'],
        ['status', subjects.status(job), scoped.status(job), other],
        ['logs', subjects.logs(task), scoped.logs(task), task],
        ['presence', subjects.register, scoped.register, 'register'],
        ['presence', subjects.heartbeat, scoped.heartbeat, 'heartbeat'],
        ['presence', subjects.deregister, scoped.deregister, 'deregister'],
      ] as const;
      for (const [kind, plain, withWorker, about] of forms) {
        t.same(parseWorkerSubject(kind, plain), { about, worker: null });
        t.same(parseWorkerSubject(kind, withWorker), { about, worker });
        t.equal(withWorker, `${plain}.${worker}`);
      }
      const stored = [
        [STREAMS.status, subjects.status(job), scoped.status(job)],
        [STREAMS.logs, subjects.logs(task), scoped.logs(task)],
        [STREAMS.cancel, subjects.cancel(task), scoped.cancel(task)],
        [STREAMS.presence, subjects.heartbeat, scoped.heartbeat],
      ] as const;
      for (const [stream, ...both] of stored)
        for (const subject of both)
          t.equal(stream.subjects.filter((pattern) => matches(pattern, subject)).length, 1, subject);
      t.ok(
        matches(leaseRequests(true), scoped.lease('_any')) &&
          !matches(leaseRequests(true), subjects.lease('_any')),
      );
      t.ok(
        matches(leaseRequests(false), subjects.lease('_any')) &&
          !matches(leaseRequests(false), scoped.lease('_any')),
      );
    }),
    { numRuns: 20 },
  );
  t.end();
});

test('a subject with other tokens is invalid', (t) => {
  const worker = '01890a5d-ac96-774b-bcce-b302099a8058';
  for (const kind of KINDS)
    for (const rest of [
      '',
      '.',
      `.${worker}`,
      `a.b`,
      `a.${worker}.b`,
      `a.${worker}.`,
      `a.${worker.toUpperCase()}`,
      'a.*',
    ])
      t.equal(parseWorkerSubject(kind, `task.${kind}.${rest}`), null, rest);
  t.equal(parseWorkerSubject('presence', 'worker'), null);
  t.equal(parseWorkerSubject('presence', `worker.register.${worker}.${worker}`), null);
  t.end();
});

test('with authentication, only the worker of the subject may send a message, with its own inbox', (t) => {
  fc.assert(
    fc.property(id, id, id, fc.boolean(), (one, two, third, isScoped) => {
      fc.pre(one !== two);
      const [worker, other, job] = [workerId(one), workerId(two), jobId(third)];
      const task = { jobId: job, stepOrder: 0, index: 0 };
      const status = {
        task_id: taskIdOf(task),
        attempt_id: attemptIdOf({ ...task, attemptNumber: 1 }),
        worker_id: worker,
      };
      const own = scopedSubjects(worker);
      const foreign = scopedSubjects(other);
      const inbox = `${inboxRootOf(worker)}.start.token`;
      const unscoped = isScoped ? { kind: 'refused', reason: 'no-worker' } : null;
      const refused = { kind: 'refused', reason: 'other-worker' };
      t.same(statusFault(own.status(job), status, isScoped), null);
      t.same(statusFault(foreign.status(job), status, isScoped), refused);
      t.same(statusFault(subjects.status(job), status, isScoped), unscoped);
      t.match(statusFault(own.status(jobId(two)), status, isScoped), { kind: 'invalid' });
      const beat = { type: 'heartbeat', worker_id: worker, reply_to: inbox } as const;
      t.same(presenceFault(own.heartbeat, beat, isScoped), null);
      t.same(presenceFault(foreign.heartbeat, beat, isScoped), refused);
      t.same(presenceFault(subjects.heartbeat, beat, isScoped), unscoped);
      t.match(presenceFault(own.register, beat, isScoped), { kind: 'invalid' });
      for (const reply_to of [
        `${inboxRootOf(other)}.start.token`,
        '_INBOX.start.token',
        inboxRootOf(worker),
        `${inboxRootOf(worker)}x.y`,
      ])
        t.same(presenceFault(own.heartbeat, { ...beat, reply_to }, isScoped), {
          kind: 'refused',
          reason: 'other-inbox',
        });
      t.equal(senderFault({ about: '_any', worker }, worker, inbox, isScoped), null);
      t.same(logFault(own.logs(status.task_id), status, isScoped), null);
      t.same(logFault(subjects.logs(status.task_id), status, isScoped), unscoped);
    }),
    { numRuns: 50 },
  );
  t.end();
});
