import { test } from 'tap';
import { farmSettingsOf } from '../../../../actors/service/catalog/farm-settings.ts';

const INPUT = { name: 'north', description: '', maxConcurrentTasks: 0, retry: {} };

test('the queue policy of a farm', (t) => {
  const policyAfter = (
    queuePolicy: Parameters<typeof farmSettingsOf>[0]['queuePolicy'],
    before: Parameters<typeof farmSettingsOf>[1] = {},
  ) => farmSettingsOf({ ...INPUT, ...(queuePolicy !== undefined && { queuePolicy }) }, before).queuePolicy;
  t.equal(policyAfter({ kind: 'fifo' }), undefined, 'a farm that always had fifo has no policy');
  const balanced = policyAfter({ kind: 'balanced', sharedBy: 'job' });
  t.match(balanced, { kind: 'balanced', sharedBy: 'job', priorityFirst: true, version: 1 });
  if (balanced === undefined) throw new Error('the farm has no policy');
  const before = { queuePolicy: balanced };
  t.equal(policyAfter(undefined, before), balanced, 'without the fields it stays');
  t.equal(
    policyAfter({ kind: 'balanced', priorityFirst: true }, before),
    balanced,
    'the same setting changes nothing',
  );
  t.match(policyAfter({ priorityFirst: false }, before), {
    sharedBy: 'job',
    priorityFirst: false,
    version: 2,
  });
  t.match(
    policyAfter({ kind: 'weighted' }, before),
    { kind: 'weighted', sharedBy: 'owner', version: 2 },
    'weighted cannot share by job',
  );
  t.match(
    policyAfter({ kind: 'fifo' }, before),
    { kind: 'fifo', version: 2 },
    'versions rise also when it ends',
  );
  t.end();
});
