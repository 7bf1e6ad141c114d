import { test } from 'tap';
import { permissionsOf } from '../../../web/state/permissions.ts';

const GRANTED = ['jobs.read', 'jobs.read.all', 'jobs.write', 'infra.read', 'infra.manage', 'apikeys.self'];

test('granted permissions are allowed, others name the missing permission', (t) => {
  const { can, why } = permissionsOf(GRANTED, false);
  t.equal(can('jobs.write'), true);
  t.equal(why('jobs.write'), '');
  t.equal(can('workers.read'), false);
  t.equal(why('workers.read'), 'You lack the permission workers.read.');
  t.end();
});

test('read-only mode allows reading only', (t) => {
  const { can, why } = permissionsOf(GRANTED, true);
  for (const permission of ['jobs.read', 'jobs.read.all', 'infra.read'] as const) {
    t.equal(can(permission), true, permission);
    t.equal(why(permission), '');
  }
  for (const permission of ['jobs.write', 'infra.manage', 'apikeys.self'] as const) {
    t.equal(can(permission), false, permission);
    t.equal(why(permission), 'Read-only mode. Turn it off in Settings.');
  }
  t.equal(why('workers.read'), 'You lack the permission workers.read.', 'read-only mode grants nothing');
  t.end();
});

test('nothing is allowed until the permissions are loaded', (t) => {
  t.equal(permissionsOf([], false).can('jobs.read'), false);
  t.end();
});
