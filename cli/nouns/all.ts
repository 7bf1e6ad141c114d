import type { Noun, Verb } from '../grammar/verb.ts';
import { presets } from '../products/presets.ts';
import { products } from '../products/products.ts';
import { auditLog } from './audit.ts';
import { bundles } from '../bundles/bundles.ts';
import { contextNoun } from './contexts.ts';
import { explainVerb } from './explain.ts';
import { farms } from './farms.ts';
import { jobs } from '../jobs/jobs.ts';
import { keys } from './keys.ts';
import { locations } from './locations.ts';
import { logsVerb } from '../logs/logs.ts';
import { pools } from './pools.ts';
import { queues } from './queues.ts';
import { statusVerb } from './status.ts';
import { storage } from './storage.ts';
import { submitVerb } from '../submission/submit.ts';
import { tasks } from './tasks.ts';
import { users } from './users.ts';
import { versionVerb } from './version.ts';
import { webhooks } from './webhooks.ts';
import { workers } from './workers.ts';

/** Nouns of the command line, in the order of the help. */
export const NOUNS: readonly Noun[] = [
  jobs,
  tasks,
  workers,
  farms,
  queues,
  pools,
  locations,
  storage,
  products,
  presets,
  bundles,
  webhooks,
  users,
  keys,
  auditLog,
  contextNoun,
];

/** Verbs that need no noun: short forms of common ones, and those about the whole server. */
export const VERBS_WITHOUT_NOUN: readonly Verb[] = [
  submitVerb,
  logsVerb,
  explainVerb,
  statusVerb,
  versionVerb,
];
