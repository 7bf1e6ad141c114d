import * as fc from 'fast-check';
import { test } from 'tap';
import { BeanstalkReplies } from '../../../bench/peers/beanstalk-replies.ts';
import { versionIn } from '../../../bench/peers/installation.ts';
import { slurmConfiguration } from '../../../bench/peers/slurm-configuration.ts';
import { WorkClock } from '../../../bench/peers/work-clock.ts';

const REPLIES = 'INSERTED 1\r\nRESERVED 7 4\r\n1\r\n2\r\nDELETED\r\nDEADLINE_SOON\r\nRESERVED 8 0\r\n\r\n';
const READ = [
  { words: ['INSERTED', '1'], body: '' },
  { words: ['RESERVED', '7', '4'], body: '1\r\n2' },
  { words: ['DELETED'], body: '' },
  { words: ['DEADLINE_SOON'], body: '' },
  { words: ['RESERVED', '8', '0'], body: '' },
];

test('replies of beanstalkd are parsed at any chunk boundary', (t) => {
  t.strictSame(new BeanstalkReplies().take(REPLIES), READ);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: REPLIES.length })), (cuts) => {
      const replies = new BeanstalkReplies();
      const at = [0, ...cuts.sort((a, b) => a - b), REPLIES.length];
      const read = at.slice(1).flatMap((end, index) => replies.take(REPLIES.slice(at[index], end)));
      t.strictSame(read, READ);
    }),
    { numRuns: 50 },
  );
  t.end();
});

test('the version of a program is found in its output', (t) => {
  t.equal(versionIn('Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64'), '7.0.15');
  t.equal(versionIn('postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)'), '15.18');
  t.equal(versionIn('beanstalkd 1.12+2'), '1.12+2');
  t.equal(versionIn('slurm-wlm 22.05.8'), '22.05.8');
  t.equal(versionIn('v20.20.2'), '20.20.2');
  t.equal(versionIn('unknown\n'), 'unknown');
  t.end();
});

test('a task is assigned to the slot that has been free for longest, and the time ends with the last required end', async (t) => {
  let now = 100;
  const clock = new WorkClock(3, 0, () => now);
  clock.free();
  now = 101;
  clock.free();
  now = 110;
  t.equal(clock.start(), 1, 'free since 100');
  t.equal(clock.start(), 2, 'free since 101');
  clock.free();
  clock.end();
  now = 112;
  t.equal(clock.start(), 3, 'free since 110');
  now = 2_110;
  clock.end(2);
  await clock.finished;
  t.strictSame(clock.figures(), { seconds: 2, leaseP50Ms: 9, leaseP99Ms: 10 });
});

test('a batch is one wait for many tasks', async (t) => {
  let now = 5;
  const clock = new WorkClock(64, 0, () => now);
  t.equal(clock.startAfter(4, 60), 60);
  t.equal(clock.startAfter(2, 4), 64);
  now = 505;
  clock.end(64);
  await clock.finished;
  t.strictSame(clock.figures(), { seconds: 0.5, leaseP50Ms: 4, leaseP99Ms: 4 });
});

test('warm-up tasks are not timed', async (t) => {
  let now = 0;
  const clock = new WorkClock(6, 3, () => now);
  t.equal(clock.startAfter(50, 2), 2);
  now = 10;
  t.equal(clock.startAfter(7, 2), 4, 'the first batch with a timed task');
  now = 20;
  t.equal(clock.startAfter(3, 2), 6);
  clock.end(5);
  now = 1_010;
  clock.end();
  await clock.finished;
  t.strictSame(clock.figures(), { seconds: 1, leaseP50Ms: 7, leaseP99Ms: 7 });
});

test('an unexpected task is an error of the measurement', (t) => {
  const clock = new WorkClock(1, 0, () => 0);
  t.throws(() => clock.start(), /no worker was free/);
  t.end();
});

test('slurm.conf uses one folder and the loopback, and only the tuned one changes the scheduling', (t) => {
  const node = {
    folder: '/tmp/x',
    host: 'node',
    user: 'someone',
    slots: 64,
    controllerPort: 1001,
    nodePort: 1002,
  };
  const byDefault = slurmConfiguration({ ...node, isTuned: false }).split('\n');
  const tuned = slurmConfiguration({ ...node, isTuned: true }).split('\n');
  t.strictSame(
    tuned.filter((line) => !byDefault.includes(line)),
    [
      'SchedulerType=sched/builtin',
      'SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=1000,default_queue_depth=10000,defer',
      'PriorityType=priority/basic',
      'MinJobAge=2',
      'CompleteWait=0',
      'SlurmctldDebug=error',
      'SlurmdDebug=error',
    ],
  );
  t.strictSame(
    byDefault.filter((line) => !tuned.includes(line)),
    [],
  );
  const paths = byDefault.flatMap((line) =>
    [...line.matchAll(/=(?:socket=)?(\/.*)/g)].map((match) => match[1]),
  );
  t.strictSame(
    paths.filter((path) => path?.startsWith('/tmp/x/') !== true),
    [],
  );
  t.equal(paths.length, 7);
  t.ok(byDefault.includes('SlurmctldHost=node(127.0.0.1)'));
  t.ok(
    byDefault.includes(
      'NodeName=node NodeAddr=127.0.0.1 CPUs=64 Sockets=1 CoresPerSocket=64 ThreadsPerCore=1 RealMemory=1000 State=UNKNOWN',
    ),
  );
  t.end();
});
