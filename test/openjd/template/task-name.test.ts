import { test } from 'tap';
import { taskNameOf } from '../../../src/openjd/template/task-name.ts';

test('a task name contains the step and its parameters', (t) => {
  t.equal(taskNameOf('render', {}), 'render');
  t.equal(taskNameOf('render', { Frame: '7' }), 'render[Frame=7]');
  t.equal(
    taskNameOf('render', { Frame: '7', Camera: 'left' }),
    'render[Frame=7, Camera=left]',
    'in the order given',
  );
  t.end();
});

test('a name has at most 200 characters', (t) => {
  const exact = taskNameOf('s', { P: 'x'.repeat(195) });
  t.equal(exact.length, 200);
  t.ok(exact.endsWith('x]'));
  const cut = taskNameOf('s', { P: 'x'.repeat(196) });
  t.equal(cut.length, 200);
  t.equal(cut, `s[P=${'x'.repeat(195)}…`);
  t.end();
});
