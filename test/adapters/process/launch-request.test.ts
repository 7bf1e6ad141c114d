import fc from 'fast-check';
import { test } from 'tap';
import {
  encodeRequest,
  parseAnswer,
  type LaunchRequest,
} from '../../../src/adapters/process/launch-request.ts';

const REQUEST: LaunchRequest = {
  run: 7,
  workingDirectory: '/work/é',
  command: 'render',
  args: ['-f', ''],
  environment: { PATH: '/bin', MARK: 'm.7', 'odd name': 'a=b' },
  varying: 'MARK',
  files: [{ path: '/work/rules', data: 'x\0y', runnable: true }],
};

/** Returns the fields as launcher.pl reads them from a frame. */
function fieldsOf(frame: Buffer): string[] {
  const fields: string[] = [];
  for (let at = 4; at < frame.length;) {
    const length = frame.readUInt32BE(at);
    fields.push(frame.toString('utf8', at + 4, at + 4 + length));
    at += 4 + length;
  }
  return fields;
}

test('a request is a frame of fields with length prefixes', (t) => {
  const frame = encodeRequest(REQUEST);
  t.equal(frame?.readUInt32BE(0), (frame?.length ?? 0) - 4);
  t.same(frame === null ? null : fieldsOf(frame), [
    '7',
    '/work/é',
    '1',
    '/work/rules',
    '0700',
    'x\0y',
    '2',
    'render',
    '-f',
    '',
    'PATH=/bin\0odd name=a=b\0',
    'MARK',
    'm.7',
  ]);
  t.end();
});

test('arbitrary texts round-trip', (t) => {
  const text = fc.string({ unit: 'grapheme' }).filter((each) => !each.includes('\0'));
  fc.assert(
    fc.property(text, fc.array(text), text, (command, args, data) => {
      const files = [{ path: '/f', data, runnable: false }];
      const frame = encodeRequest({ ...REQUEST, command, args, files });
      const fields = frame === null ? [] : fieldsOf(frame);
      t.same(fields.slice(3, 6), ['/f', '0600', data]);
      t.same(fields.slice(6, 8 + args.length), [String(args.length), command, ...args]);
    }),
  );
  t.end();
});

test('requests with null characters or too much data are left to the daemon', (t) => {
  t.equal(encodeRequest({ ...REQUEST, command: 'a\0b' }), null);
  t.equal(encodeRequest({ ...REQUEST, args: ['a\0b'] }), null);
  t.equal(encodeRequest({ ...REQUEST, workingDirectory: '/\0' }), null);
  t.equal(encodeRequest({ ...REQUEST, environment: { A: '\0' } }), null);
  t.equal(encodeRequest({ ...REQUEST, environment: { MARK: '\0' } }), null);
  t.equal(encodeRequest({ ...REQUEST, files: [{ path: '/\0', data: '', runnable: false }] }), null);
  t.equal(encodeRequest({ ...REQUEST, args: ['x'.repeat(1024 * 1024)] }), null);
  t.not(encodeRequest({ ...REQUEST, args: ['x'.repeat(1024 * 1024 - 1000)] }), null);
  t.end();
});

test('valid replies are parsed, and others rejected', (t) => {
  t.same(parseAnswer('ready'), { type: 'ready' });
  t.same(parseAnswer('started 3 4711'), { type: 'started', run: 3, pid: 4711 });
  t.same(parseAnswer('ended 3 137 0'), { type: 'ended', run: 3, code: 137, signal: 0 });
  t.same(parseAnswer('failed 3 file 28'), { type: 'failed', run: 3, stage: 'file', errno: 28 });
  t.same(parseAnswer('failed 3 start 2'), { type: 'failed', run: 3, stage: 'start', errno: 2 });
  for (const line of [
    '',
    'ready 1 2',
    'started',
    'started 3',
    'started 3 file 4',
    'started 3 4 5',
    'started -1 4',
    'started 3 4x',
    'ended 3 4',
    'ended 3 file 4 5',
    'failed 3 4',
    'failed 3 disk 4',
    'failed 3 file 4 5',
    'Segmentation fault',
    'started 3 4\n',
  ])
    t.equal(parseAnswer(line), null, line);
  t.end();
});
