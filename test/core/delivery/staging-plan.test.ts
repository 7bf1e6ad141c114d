import { test } from 'tap';
import { planStaging } from '../../../src/core/delivery/staging-plan.ts';
import type { ParameterValue } from '../../../src/openjd/template/plan.ts';

const ROOTS = ['/mnt/show', '/mnt/show/cache', 's3://bucket/show', '/mnt/showreel'];
const DIRECTORY = '/w/session-1';

const path = (value: string, dataFlow: 'IN' | 'OUT' = 'IN'): ParameterValue => ({
  type: 'PATH',
  value,
  dataFlow,
  objectType: 'FILE',
});

const plan = (parameters: Readonly<Record<string, ParameterValue>>, roots = ROOTS) =>
  planStaging(parameters, (each) => each, roots, DIRECTORY);

const detailOf = (value: string): string => {
  const planned = plan({ Scene: path(value) });
  return planned.ok ? '' : planned.detail;
};

test('a path is copied from the most specific root to a directory of its parameter', (t) => {
  t.strictSame(plan({ Cache: path('/mnt/show/cache/a/b.vdb', 'OUT') }), {
    ok: true,
    transfers: [
      {
        parameter: 'Cache',
        objectType: 'FILE',
        flow: 'OUT',
        root: '/mnt/show/cache',
        below: ['a', 'b.vdb'],
        directory: DIRECTORY,
        localBelow: ['staged', 'Cache', 'b.vdb'],
        local: '/w/session-1/staged/Cache/b.vdb',
      },
    ],
  });
  t.match(plan({ Cache: path('/mnt/show/cachefile') }), {
    transfers: [{ root: '/mnt/show', below: ['cachefile'] }],
  });
  t.match(plan({ Scene: path('s3://bucket/show/a.ma') }), {
    transfers: [{ root: 's3://bucket/show', below: ['a.ma'] }],
  });
  t.match(plan({ All: path('/mnt/show/') }), {
    transfers: [{ below: [], localBelow: ['staged', 'All', 'root'] }],
  });
  t.end();
});

test('elements of a list with the same name have directories of their own', (t) => {
  const value = JSON.stringify(['/mnt/show/1/a.exr', '/mnt/show/2/a.exr']);
  const planned = plan({ Plates: { type: 'LIST[PATH]', value, dataFlow: 'IN', objectType: 'FILE' } });
  const locals = planned.ok ? planned.transfers.map(({ local }) => local) : [];
  t.strictSame(locals, ['/w/session-1/staged/Plates/0/a.exr', '/w/session-1/staged/Plates/1/a.exr']);
  t.end();
});

test('a path outside of the roots, or one that could lead there, is refused', (t) => {
  t.match(
    detailOf('/mnt/other/a.ma'),
    /^stage_locally: parameter Scene: "\/mnt\/other\/a\.ma" is in no storage location/,
  );
  t.match(detailOf('/mnt/showcase/a.ma'), /is in no storage location/);
  t.match(detailOf('mnt/show/a.ma'), /is in no storage location/);
  t.match(detailOf('s3://bucket/other/a.ma'), /is in no storage location/);
  t.match(detailOf('/mnt/show/../other/a.ma'), /must not climb with "\.\."/);
  t.match(detailOf('/mnt/show/a/..'), /must not climb with "\.\."/);
  t.match(detailOf('/mnt/show/a\nb'), /holds control characters/);
  t.end();
});

test('only paths with a data flow and a value are copied', (t) => {
  const parameters = {
    Plain: { type: 'PATH', value: '/etc/passwd' } as const,
    Empty: path(''),
    Text: { type: 'STRING', value: '/mnt/show/a.ma' } as const,
  };
  t.strictSame(plan(parameters), { ok: true, transfers: [] });
  t.end();
});
