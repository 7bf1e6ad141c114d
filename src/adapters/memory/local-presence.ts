import type { WebhookPresence } from '../../core/ports/webhook-presence.ts';
import { presenceMemory, sharedPresence } from '../system/shared-presence.ts';

/** Returns the presence of webhooks of a service with one thread. */
export const localPresence = (): WebhookPresence => sharedPresence(presenceMemory(false));
