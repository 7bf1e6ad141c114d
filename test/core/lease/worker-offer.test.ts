import { test } from 'tap';
import { queueId } from '../../../src/core/ids.ts';
import { workerOffer } from '../../kit/lease-parts.ts';

test('what a worker offers follows from its record', (t) => {
  const offer = workerOffer({
    ordinal: 7,
    cpuCount: 16,
    memoryMib: 32_768,
    os: 'linux',
    arch: 'x86_64',
    queueIds: [queueId('q1')],
    computeLocation: 'North',
    tags: { Docker: 'true' },
  });
  t.equal(offer.ordinal, 7);
  t.equal(offer.cpuCount, 16);
  t.equal(offer.computeLocation, 'North');
  t.strictSame(offer.queueIds, ['q1']);
  t.strictSame(Object.fromEntries(offer.amounts), {
    'amount.worker.vcpu': 16,
    'amount.worker.memory': 32_768,
  });
  t.strictSame(Object.fromEntries(offer.attributes), {
    'attr.worker.os.family': 'linux',
    'attr.worker.cpu.arch': 'x86_64',
    'attr.worker.computelocation': 'North',
    'attr.worker.tag.docker': 'true',
  });
  t.notOk(workerOffer({ computeLocation: '' }).attributes.has('attr.worker.computelocation'));
  t.end();
});

test('workers with equal signatures are eligible for the same', (t) => {
  const base = { queueIds: [queueId('a'), queueId('b')], tags: { x: '1', y: '2' } };
  const { signature } = workerOffer(base);
  t.equal(
    workerOffer({ queueIds: [queueId('b'), queueId('a')], tags: { y: '2', x: '1' } }).signature,
    signature,
  );
  t.equal(workerOffer({ ...base, name: 'other', ordinal: 9, incarnation: 'x' }).signature, signature);
  for (const different of [
    { queueIds: [] },
    { computeLocation: 'North' },
    { cpuCount: 9 },
    { memoryMib: 1 },
    { os: 'windows' },
    { arch: 'arm64' },
    { tags: { x: '1' } },
  ]) {
    t.not(workerOffer({ ...base, ...different }).signature, signature, JSON.stringify(different));
  }
  t.end();
});
