import { test } from 'tap';
import {
  CASCADE_REASON,
  FAILURE_LIMIT_PARK_REASON,
  reportedFailureReason,
  UPSTREAM_JOB_REASON,
  USER_CANCEL_REASON,
  WORKER_OFFLINE_MESSAGE,
} from '../../../src/core/lifecycle/failure-reasons.ts';

test('the reasons are exactly those of docs/contract/task-states.md', (t) => {
  t.equal(CASCADE_REASON, 'canceled: upstream step failed');
  t.equal(USER_CANCEL_REASON, 'canceled by user');
  t.equal(WORKER_OFFLINE_MESSAGE, 'worker went offline');
  t.equal(FAILURE_LIMIT_PARK_REASON, 'failure limit reached');
  t.equal(
    UPSTREAM_JOB_REASON,
    'canceled: upstream job failed',
    'this text is not in the contract; it follows the pattern of the upstream reason',
  );
  t.end();
});

test('returns the reason of a reported failure', (t) => {
  t.equal(reportedFailureReason('disk on fire', 3), 'disk on fire', 'the unchanged message');
  t.equal(reportedFailureReason(' ', 3), ' ', 'unchanged even if blank');
  t.equal(reportedFailureReason('', 3), 'failed (exit 3)');
  t.equal(reportedFailureReason('', 0), 'failed (exit 0)');
  t.equal(reportedFailureReason('', -9), 'failed (exit -9)');
  t.equal(reportedFailureReason('', undefined), 'failed');
  t.end();
});
