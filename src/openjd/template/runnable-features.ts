import type { SupportedFeatures } from './extensions.ts';

/** What the service and the worker of this version carry out: a template that asks for more is refused, not run half. */
export const RUNNABLE_FEATURES: SupportedFeatures = {
  extensions: ['TASK_CHUNKING', 'REDACTED_ENV_VARS', 'EXPR', 'SVC_PATH_TRANSLATION', 'SVC_CHUNK_BOUNDS'],
  usagePools: true,
};
