import { optInIsolation } from '../../daemons/worker/opt-in-isolation.ts';
import { credentialMask } from '../../daemons/worker/credential-mask.ts';
import { userInfo } from 'node:os';
import { accountSupport } from '../../src/adapters/host/account-support.ts';
import { isolationSupport } from '../../src/adapters/host/isolation-support.ts';
import { workerDirectoryFacts } from '../../src/adapters/host/directory-facts.ts';
import { findApplications } from '../../src/adapters/host/find-applications.ts';
import { thisMachine } from '../../src/adapters/host/machine.ts';
import { filesOnPath, isProgram } from '../../src/adapters/host/program-files.ts';
import { rootRefusal } from '../../src/adapters/host/root-check.ts';
import { allowedVariables, SECRET_VARIABLES } from '../../src/core/access/denied-variables.ts';
import type { IsolationPart } from '../../src/core/access/isolation-part.ts';
import { KNOWN_APPLICATIONS } from '../../src/core/applications/known-applications.ts';
import { diskFindings } from '../../src/core/host-check/disk-findings.ts';
import { failure, ok, skipped, warning, type Finding } from '../../src/core/host-check/finding.ts';
import { isolationFinding } from '../../src/core/host-check/isolation-findings.ts';
import type { WorkerConfig } from '../../src/core/config/worker-config.ts';
import type { CheckedHost, HostCheck } from './host-check.ts';

const LOCAL_MS = 20_000;

/** Programs that every worker needs, and one that only makes it faster (docs/install.md). */
const NEEDED = ['bash', 'grep', 'flock', 'rm', 'chmod'] as const;
const USEFUL = 'perl';

/** Probes of the isolation of jobs on this machine. Each reports its parts. */
const ISOLATION_PROBES: readonly ((config: WorkerConfig) => Promise<readonly IsolationPart[]>)[] = [
  ({ isolation }) => accountSupport(isolation.enabled),
  isolationSupport,
  optInIsolation,
  async ({ bus, worker }) => {
    const found = await credentialMask(bus.access, worker.dir, worker.credentialsFile);
    return found === null ? [] : [found.part];
  },
];

function checkAccount({ config }: CheckedHost): Promise<readonly Finding[]> {
  const userId = process.getuid?.() ?? null;
  const refusal = rootRefusal(process.platform, userId, config.worker.allowRoot);
  const name = 'own account';
  return Promise.resolve([
    refusal === null
      ? ok(name, `${userInfo().username}: the worker must run as this account, too`)
      : failure(
          name,
          refusal,
          'run this check, and the worker, as another account, or set worker.allow_root',
        ),
  ]);
}

async function checkPrograms(): Promise<readonly Finding[]> {
  const isInstalled = async (program: string): Promise<boolean> => {
    for (const file of filesOnPath(program, process.env, [''])) if (await isProgram(file)) return true;
    return false;
  };
  const missing: string[] = [];
  for (const program of NEEDED) if (!(await isInstalled(program))) missing.push(program);
  if (missing.length > 0)
    return [
      failure(
        'programs',
        `missing: ${missing.join(', ')}`,
        'install them, or correct PATH (docs/install.md)',
      ),
    ];
  return [
    (await isInstalled(USEFUL))
      ? ok('programs', [...NEEDED, USEFUL].join(', '))
      : warning('programs', 'perl is missing: short tasks start several times slower', 'install perl'),
  ];
}

async function checkDisk({ config }: CheckedHost): Promise<readonly Finding[]> {
  const isPassage = config.isolation.enabled && process.getuid?.() === 0;
  return diskFindings(await workerDirectoryFacts(config.worker.dir), isPassage);
}

async function checkIsolation({ config }: CheckedHost): Promise<readonly Finding[]> {
  const parts = await Promise.all(ISOLATION_PROBES.map((probe) => probe(config)));
  return parts.flat().map(isolationFinding);
}

async function checkApplications({ config }: CheckedHost): Promise<readonly Finding[]> {
  const name = 'applications';
  if (!config.worker.detectApplications) return [skipped(name, 'worker.detect_applications is false')];
  const found = await findApplications(KNOWN_APPLICATIONS, {
    system: thisMachine().os,
    environment: allowedVariables(process.env, SECRET_VARIABLES),
    root: '/',
  });
  return [ok(name, found.length === 0 ? 'none of the known ones is installed' : found.join(', '))];
}

/** Checks of the machine. */
export const MACHINE_CHECKS: readonly HostCheck[] = [
  { name: 'own account', deadlineMs: LOCAL_MS, run: checkAccount },
  { name: 'programs', deadlineMs: LOCAL_MS, run: checkPrograms },
  { name: 'worker.dir', deadlineMs: LOCAL_MS, run: checkDisk },
  { name: 'isolation', deadlineMs: LOCAL_MS, run: checkIsolation },
  { name: 'applications', deadlineMs: LOCAL_MS, run: checkApplications },
];
