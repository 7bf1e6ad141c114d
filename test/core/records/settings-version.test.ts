import * as fc from 'fast-check';
import { test } from 'tap';
import { versionOf, versionRefusal } from '../../../src/core/records/settings-version.ts';

const settings = fc.record({
  name: fc.string(),
  priority: fc.integer(),
  paused: fc.boolean(),
  run_as_user: fc.option(fc.string(), { nil: undefined }),
});

test('a change is refused exactly when settings differ, and the refusal names these', (t) => {
  fc.assert(
    fc.property(settings, settings, (before, now) => {
      const refusal = versionRefusal('queue', now, [versionOf(before)]);
      const names = (['name', 'priority', 'paused', 'run_as_user'] as const).filter(
        (name) => before[name] !== now[name],
      );
      t.strictSame(
        refusal?.errors?.map(({ pointer }) => pointer) ?? [],
        names.map((name) => `/${name}`),
      );
      t.equal(refusal === null, names.length === 0);
    }),
  );
  t.end();
});

test('one of several versions is enough, and no version is any version', (t) => {
  const now = { name: 'b', priority: 2 };
  t.equal(versionRefusal('farm', now, null), null);
  t.equal(versionRefusal('farm', now, [versionOf({ name: 'a', priority: 1 }), versionOf(now)]), null);
  t.strictSame(
    versionRefusal('farm', now, [
      versionOf({ name: 'a', priority: 1 }),
      versionOf({ name: 'a', priority: 2 }),
    ]),
    {
      kind: 'precondition-failed',
      detail: 'the farm was changed since it was read: name',
      errors: [{ pointer: '/name', detail: 'is now "b"' }],
    },
  );
  t.strictSame(versionRefusal('farm', now, ['other']), {
    kind: 'precondition-failed',
    detail: 'If-Match has no version of this farm',
  });
  t.end();
});

test('a refusal repeats neither hidden nor long values', (t) => {
  const now = { url: 'https://example.org/secret', name: 'x'.repeat(300) };
  const errors = versionRefusal('webhook', now, [versionOf({ url: '', name: '' })])?.errors;
  t.strictSame(
    errors?.map(({ detail }) => detail),
    ['has changed', 'has changed'],
  );
  t.end();
});
