import { test } from 'tap';
import { queueId } from '../../../src/core/ids.ts';
import { workerOffer } from '../../kit/lease-parts.ts';

test('the offer of a worker is computed from its record', (t) => {
  const offer = workerOffer({
    ordinal: 7,
    cpuCount: 16,
    memoryMib: 32_768,
    hardware: {
      gpuCount: 2,
      gpuMemoryMib: 24_564,
      gpuModels: ['NVIDIA RTX A5000', 'NVIDIA RTX A5000'],
      scratchMib: 1_048_575,
      osVersion: 'debian-12',
      isolation: ['private_tmp', 'memory_limit'],
      extensions: ['WRAP_ACTIONS'],
    },
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
    'amount.worker.gpu': 2,
    'amount.worker.gpu.memory': 24_564,
    'amount.worker.disk.scratch': 1023,
  });
  t.strictSame(Object.fromEntries(offer.attributes), {
    'attr.worker.os.family': 'linux',
    'attr.worker.os.version': 'debian-12',
    'svc:attr.worker.isolation.private_tmp': 'true',
    'svc:attr.worker.isolation.memory_limit': 'true',
    'svc:attr.worker.extension.wrap_actions': 'true',
    'attr.worker.cpu.arch': 'x86_64',
    'attr.worker.computelocation': 'North',
    'attr.worker.tag.docker': 'true',
  });
  t.notOk(workerOffer({ computeLocation: '' }).attributes.has('attr.worker.computelocation'));
  t.end();
});

test('a worker that registered before hardware was reported has none', (t) => {
  const offer = workerOffer({ cpuCount: 4, memoryMib: 1024 });
  t.strictSame(Object.fromEntries(offer.amounts), {
    'amount.worker.vcpu': 4,
    'amount.worker.memory': 1024,
    'amount.worker.gpu': 0,
    'amount.worker.gpu.memory': 0,
    'amount.worker.disk.scratch': 0,
  });
  t.notOk(offer.attributes.has('attr.worker.os.version'));
  t.end();
});

test('workers with equal signatures are eligible for the same steps', (t) => {
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
    { hardware: { gpuCount: 1, gpuMemoryMib: 0, gpuModels: [], scratchMib: 0, osVersion: '' } },
    { hardware: { gpuCount: 0, gpuMemoryMib: 0, gpuModels: [], scratchMib: 0, osVersion: 'debian-12' } },
    {
      hardware: {
        gpuCount: 0,
        gpuMemoryMib: 0,
        gpuModels: [],
        scratchMib: 0,
        osVersion: '',
        isolation: ['disk_quota'],
      },
    },
    { os: 'windows' },
    { arch: 'arm64' },
    { tags: { x: '1' } },
  ]) {
    t.not(workerOffer({ ...base, ...different }).signature, signature, JSON.stringify(different));
  }
  t.end();
});

test('expression limits distinguish workers only if the server grants more', (t) => {
  const signatureAt = (exprMemoryBytes: number): string =>
    workerOffer({ exprMemoryBytes }, 1_000_000).signature;
  t.equal(signatureAt(1_000_000), signatureAt(2_000_000), 'both are eligible for everything');
  t.equal(signatureAt(1_000_000), workerOffer({}, 1_000_000).signature, 'the default');
  t.not(signatureAt(999_999), signatureAt(1_000_000));
  t.not(signatureAt(999_999), signatureAt(999_998), 'explain reports the limit of each');
  t.end();
});
