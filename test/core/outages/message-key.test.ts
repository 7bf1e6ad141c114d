import { test } from 'tap';
import { messageKeyOf } from '../../../src/core/outages/message-key.ts';

const keyOf = (message: string, errorLine = ''): string => messageKeyOf(message, errorLine).key;

test('messages that differ in numbers, paths, ids and addresses have one key', (t) => {
  const alike = [
    [
      'cannot write /mnt/renders/shot_010/beauty.0042.exr: no space left on device',
      'cannot write /mnt/renders/shot_7/z.exr: no space left on device',
    ],
    [String.raw`Error: cannot open \\server\share\a.ma`, String.raw`Error: cannot open D:\work\b.ma`],
    ['License error: host 10.0.0.1 port 27000 refused', 'License  error: host 10.20.3.4 port 5053 refused'],
    [
      'job 01900000-0000-7000-8000-000000000007 has no license 0xDEADBEEF',
      'job 01900000-0000-7000-8000-0000000000ff has no license 0x1f',
    ],
    ['\u001B[31mERROR: no license\u001B[0m', 'error: no license'],
    ['cannot read https://assets/a?x=1 now', 'cannot read http://other/b now'],
  ];
  for (const [one = '', other = ''] of alike) {
    t.equal(keyOf(one), keyOf(other), one);
    t.not(keyOf(one), '', one);
  }
  t.not(keyOf('no license for houdini'), keyOf('no license for nuke'));
  t.equal(keyOf('ライセンスがありません 12'), keyOf('ライセンスがありません 7'));
  t.not(keyOf('ライセンスがありません'), '', 'another script');
  t.ok(keyOf('x'.repeat(5000)).length <= 200);
  t.end();
});

test('the error line of the log comes before the message of the worker', (t) => {
  t.same(messageKeyOf('exit status 1', 'ERROR: no license 7'), {
    key: 'error: no license #',
    text: 'ERROR: no license 7',
  });
  t.same(messageKeyOf('no license', 'error'), { key: 'no license', text: 'no license' });
  t.end();
});

test('a message that only says that something has failed has no key', (t) => {
  for (const text of [
    '',
    'exit status 1',
    'failed (exit 137)',
    'The action exited with code 2',
    'Error',
    'signal 9',
  ])
    t.equal(keyOf(text), '', text);
  t.end();
});
