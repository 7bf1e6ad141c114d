import { accountsActor } from './accounts/accounts-actor.ts';
import { auditActor } from './audit/audit-actor.ts';
import { catalogActor } from './catalog/catalog-actor.ts';
import { farmActor } from './farm/farm-actor.ts';
import { idempotencyActor } from './idempotency/idempotency-actor.ts';
import { jobActor, type PreloadedJob } from './job/job-actor.ts';
import { anyActor, type AnyDefinition } from '../kernel/actor.ts';
import { leaseActor } from './lease/lease-actor.ts';
import { purgeActor } from './purge/purge-actor.ts';
import { retentionActor } from './retention/retention-actor.ts';
import { sweepActor } from './retention/sweep-actor.ts';
import type { ServiceSettings, ServiceSystem } from './service-system.ts';
import { webhooksActor } from './webhooks/webhooks-actor.ts';
import { workerActor } from './worker/worker-actor.ts';

/** Returns the definitions of all actors of a shard. */
export const serviceActors = (
  settings: ServiceSettings,
  preloadedJob?: PreloadedJob,
): readonly AnyDefinition<ServiceSystem>[] => [
  anyActor(catalogActor()),
  anyActor(accountsActor()),
  anyActor(auditActor(settings.audit)),
  anyActor(farmActor(settings)),
  anyActor(leaseActor(settings)),
  anyActor(jobActor(settings, preloadedJob)),
  anyActor(workerActor(settings)),
  anyActor(purgeActor()),
  anyActor(retentionActor(settings.retention)),
  anyActor(sweepActor(settings.retention)),
  anyActor(idempotencyActor()),
  anyActor(webhooksActor(settings)),
];
