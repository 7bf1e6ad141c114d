import { test } from 'tap';
import { queueId } from '../../../src/core/ids.ts';
import { coresOf, ineligibilityOf } from '../../../src/core/lease/eligibility.ts';
import type { AttributeRequirement, StepRequirements } from '../../../src/openjd/template/plan.ts';
import type { WorkerRecord } from '../../../src/core/records/worker.ts';
import { offerOf, type WorkerOffer } from '../../../src/core/lease/worker-offer.ts';
import { requirements, workerOffer, workerRecord } from '../../kit/lease-parts.ts';

const QUEUE = queueId('q1');
const OTHER = queueId('q2');

const reason = (
  worker: Partial<WorkerRecord>,
  demand: Partial<StepRequirements>,
  queue = QUEUE,
): string | null =>
  ineligibilityOf(workerOffer(worker), { queueId: queue, requirements: requirements(demand) })?.reason ??
  null;

test('queue affinity: the queue must be one of the worker', (t) => {
  t.equal(reason({ queueIds: [] }, {}), null, 'no affinity means every queue');
  t.equal(reason({ queueIds: [OTHER, QUEUE] }, {}), null);
  t.equal(reason({ queueIds: [OTHER] }, {}), 'queue affinity');
  t.end();
});

test('compute location: compared exactly', (t) => {
  t.equal(reason({ computeLocation: 'North' }, {}), null, 'a step without a compute location runs anywhere');
  t.equal(reason({ computeLocation: 'North' }, { computeLocation: 'North' }), null);
  t.equal(reason({ computeLocation: 'North' }, { computeLocation: 'north' }), 'compute location mismatch');
  t.equal(reason({ computeLocation: '' }, { computeLocation: 'North' }), 'compute location mismatch');
  t.end();
});

test('cores: all cores of the worker count, free or not', (t) => {
  t.equal(reason({ cpuCount: 4 }, { cores: 4 }), null);
  t.equal(reason({ cpuCount: 4 }, { cores: 5 }), 'amount requirement not met');
  t.equal(
    reason({ cpuCount: 4 }, { cores: 4.5 }),
    'amount requirement not met',
    'half a core is rounded up to one',
  );
  t.equal(reason({ cpuCount: 4 }, { cores: null }), null, 'the whole machine, whatever its size');
  t.end();
});

test('returns the cores that a task takes', (t) => {
  t.strictSame(
    [1, 2, 2.1, 0.5, 0, null].map((cores) => coresOf(requirements({ cores }), 8)),
    [1, 2, 3, 1, 1, 8],
  );
  t.end();
});

test('amounts: at least min, at most max', (t) => {
  const memory = (min?: number, max?: number): Partial<StepRequirements> => ({
    amounts: [
      {
        name: 'amount.worker.memory',
        ...(min === undefined ? {} : { min }),
        ...(max === undefined ? {} : { max }),
      },
    ],
  });
  t.equal(reason({ memoryMib: 4096 }, memory(4096)), null);
  t.equal(reason({ memoryMib: 4095 }, memory(4096)), 'amount requirement not met');
  t.equal(reason({ memoryMib: 4096 }, memory(undefined, 4096)), null);
  t.equal(reason({ memoryMib: 4097 }, memory(undefined, 4096)), 'amount requirement not met');
  t.equal(reason({ memoryMib: 4096 }, memory(1024, 8192)), null);
  t.equal(reason({ memoryMib: 4096 }, memory()), null);
  t.equal(
    reason({}, { amounts: [{ name: 'amount.gpu', min: 1 }] }),
    'amount requirement not met',
    'an absent amount is zero',
  );
  t.equal(reason({}, { amounts: [{ name: 'amount.gpu', min: 0 }] }), null);
  t.equal(reason({}, { amounts: [{ name: 'amount.gpu', max: 0 }] }), null);
  t.equal(
    reason(
      { memoryMib: 4096 },
      {
        amounts: [
          { name: 'amount.worker.memory', min: 1 },
          { name: 'amount.gpu', min: 1 },
        ],
      },
    ),
    'amount requirement not met',
    'each amount must be met',
  );
  t.end();
});

test('amounts: GPUs, their memory, and scratch disk in GiB', (t) => {
  const workstation = {
    hardware: {
      gpuCount: 2,
      gpuMemoryMib: 16_376,
      gpuModels: [],
      scratchMib: 100 * 1024 + 1023,
      osVersion: 'debian-12',
    },
  };
  const amount = (name: string, min: number): Partial<StepRequirements> => ({ amounts: [{ name, min }] });
  for (const [name, has] of [
    ['amount.worker.gpu', 2],
    ['amount.worker.gpu.memory', 16_376],
    ['amount.worker.disk.scratch', 100],
  ] as const) {
    t.equal(reason(workstation, amount(name, has)), null, name);
    t.equal(reason(workstation, amount(name, has + 1)), 'amount requirement not met', name);
    t.equal(
      reason({}, amount(name, 1)),
      'amount requirement not met',
      `${name} of a worker without the amount`,
    );
  }
  const version = { attributes: [{ name: 'attr.worker.os.version', anyOf: ['Debian-12'] }] };
  t.equal(reason(workstation, version), null);
  t.equal(reason({}, version), 'attribute requirement not met');
  t.end();
});

test('attributes: anyOf and allOf, case-insensitive', (t) => {
  const os = (rule: Omit<AttributeRequirement, 'name'>): Partial<StepRequirements> => ({
    attributes: [{ name: 'attr.worker.os.family', ...rule }],
  });
  t.equal(reason({ os: 'linux' }, os({ anyOf: ['windows', 'Linux'] })), null);
  t.equal(reason({ os: 'Linux' }, os({ anyOf: ['linux'] })), null);
  t.equal(reason({ os: 'linux' }, os({ anyOf: ['windows', 'macos'] })), 'attribute requirement not met');
  t.equal(reason({ os: 'linux' }, os({ anyOf: [] })), 'attribute requirement not met');
  t.equal(reason({ os: 'linux' }, os({ allOf: ['LINUX'] })), null);
  t.equal(reason({ os: 'linux' }, os({ allOf: ['linux', 'windows'] })), 'attribute requirement not met');
  t.equal(
    reason({ os: 'linux' }, os({ anyOf: ['linux'], allOf: ['windows'] })),
    'attribute requirement not met',
  );
  t.equal(
    reason({ os: 'linux' }, os({ anyOf: ['windows'], allOf: ['linux'] })),
    'attribute requirement not met',
  );
  t.equal(reason({ os: 'linux' }, os({})), null, 'the attribute must exist');
  t.end();
});

test('attributes: capability tags', (t) => {
  const docker: Partial<StepRequirements> = {
    attributes: [{ name: 'attr.worker.tag.docker', anyOf: ['true'] }],
  };
  t.equal(reason({ tags: { docker: 'true' } }, docker), null);
  t.equal(reason({ tags: { Docker: 'TRUE' } }, docker), null, 'names and values are case-insensitive');
  t.equal(reason({ tags: { docker: 'false' } }, docker), 'attribute requirement not met');
  t.equal(reason({ tags: {} }, docker), 'attribute requirement not met');
  t.end();
});

test('attributes: the compute location is compared exactly', (t) => {
  const at = (rule: Omit<AttributeRequirement, 'name'>): Partial<StepRequirements> => ({
    attributes: [{ name: 'attr.worker.computelocation', ...rule }],
  });
  t.equal(reason({ computeLocation: 'North' }, at({ anyOf: ['South', 'North'] })), null);
  t.equal(
    reason({ computeLocation: 'North' }, at({ anyOf: ['north', 'south'] })),
    'attribute requirement not met',
  );
  t.equal(reason({ computeLocation: '' }, at({ anyOf: ['North'] })), 'attribute requirement not met');
  t.end();
});

/** Returns the offer of a worker with this limit, or without one. */
function offerWithLimit(granted: number | undefined, server: number): WorkerOffer {
  if (granted !== undefined) return workerOffer({ exprMemoryBytes: granted }, server);
  const { exprMemoryBytes: _, ...silent } = workerRecord();
  return offerOf(silent, server);
}

test('expression limits: only jobs with EXPR need a worker with the limit of the server', (t) => {
  const reasonAt = (granted: number | undefined, server: number, usesExpressions?: boolean): string | null =>
    ineligibilityOf(offerWithLimit(granted, server), {
      queueId: QUEUE,
      requirements: requirements(usesExpressions === undefined ? {} : { usesExpressions }),
    })?.reason ?? null;
  const sentence = "the worker's advertised expression limits are tighter than the server's";
  t.equal(reasonAt(999_999, 1_000_000, true), sentence);
  t.equal(reasonAt(1_000_000, 1_000_000, true), null, 'the same limit as the server');
  t.equal(reasonAt(2_000_000, 1_000_000, true), null, 'a higher limit than the server');
  t.equal(reasonAt(1, 1_000_000, false), null, 'a job without expressions');
  t.equal(reasonAt(1, 1_000_000), null);
  t.equal(reasonAt(undefined, 1_000_000, true), sentence, 'a worker without a limit predates expressions');
  t.equal(reasonAt(undefined, 1_000_000), null);
  t.strictSame(
    ineligibilityOf(workerOffer({ exprMemoryBytes: 7 }, 9), {
      queueId: QUEUE,
      requirements: requirements({ usesExpressions: true }),
    }),
    { reason: sentence, shortfall: { granted: 7, wanted: 9 } },
  );
  t.equal(
    ineligibilityOf(workerOffer({ exprMemoryBytes: 7, cpuCount: 1 }, 9), {
      queueId: QUEUE,
      requirements: requirements({ usesExpressions: true, cores: 2 }),
    })?.reason,
    'amount requirement not met',
    'the last gate',
  );
  t.end();
});

test('returns the first reason in the order of the contract', (t) => {
  const worker = { queueIds: [OTHER], computeLocation: 'South', cpuCount: 1, os: 'linux' };
  const attributes = [{ name: 'attr.worker.os.family', anyOf: ['windows'] }];
  const demand = { computeLocation: 'North', cores: 2, attributes };
  t.equal(reason(worker, demand), 'queue affinity');
  t.equal(reason(worker, demand, OTHER), 'compute location mismatch');
  t.equal(reason({ ...worker, computeLocation: 'North' }, demand, OTHER), 'amount requirement not met');
  t.equal(
    reason({ ...worker, computeLocation: 'North', cpuCount: 2 }, demand, OTHER),
    'attribute requirement not met',
  );
  t.equal(reason({ ...worker, computeLocation: 'North', cpuCount: 2, os: 'windows' }, demand, OTHER), null);
  t.end();
});
