import type { SupportedFeatures } from './extensions.ts';

/**
 * Features that the service and the worker of this version execute. A template that needs more is rejected, not partly
 * executed.
 */
export const RUNNABLE_FEATURES: SupportedFeatures = {
  extensions: ['TASK_CHUNKING', 'REDACTED_ENV_VARS', 'EXPR', 'SVC_PATH_TRANSLATION', 'SVC_CHUNK_BOUNDS'],
};
