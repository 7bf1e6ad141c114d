import type { AccountsMessage } from './accounts/messages.ts';
import type { AuditMessage } from './audit/messages.ts';
import type { CatalogMessage } from './catalog/messages.ts';
import type { FarmMessage } from './farm/messages.ts';
import type { IdempotencyMessage } from './idempotency/messages.ts';
import type { JobMessage } from './job/messages.ts';
import type { Envelope } from '../kernel/address.ts';
import type { LeaseMessage } from './lease/messages.ts';
import type { PurgeMessage } from './purge/messages.ts';
import type { RetentionMessage, SweepMessage } from './retention/messages.ts';
import type { WebhooksMessage } from './webhooks/messages.ts';
import type { WorkerMessage } from './worker/messages.ts';

/** Every kind of actor of the service and its messages. */
export type ServiceMessages = {
  farm: FarmMessage;
  catalog: CatalogMessage;
  accounts: AccountsMessage;
  audit: AuditMessage;
  lease: LeaseMessage;
  job: JobMessage;
  worker: WorkerMessage;
  purge: PurgeMessage;
  retention: RetentionMessage;
  sweep: SweepMessage;
  idempotency: IdempotencyMessage;
  webhooks: WebhooksMessage;
};

export type ServiceEnvelope = Envelope<ServiceMessages>;
