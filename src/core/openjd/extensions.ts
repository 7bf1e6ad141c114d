/**
 * Extensions and features as data (interface.md, "OpenJD template shape", extensions): which names are known, and which of them this
 * service carries out. What is known but not in `supported` is refused with its pointer, never run half.
 */
export type ExtensionName =
  'TASK_CHUNKING' | 'REDACTED_ENV_VARS' | 'EXPR' | 'SVC_PATH_TRANSLATION' | 'SVC_CHUNK_BOUNDS';

export const KNOWN_EXTENSIONS: readonly ExtensionName[] = [
  'TASK_CHUNKING',
  'REDACTED_ENV_VARS',
  'EXPR',
  'SVC_PATH_TRANSLATION',
  'SVC_CHUNK_BOUNDS',
];

export interface SupportedFeatures {
  readonly extensions: readonly ExtensionName[];
  /** Host requirements `amount.worker.usagepool.<name>`. */
  readonly usagePools: boolean;
}

export const SUPPORTED_FEATURES: SupportedFeatures = {
  extensions: ['TASK_CHUNKING', 'SVC_CHUNK_BOUNDS'],
  usagePools: false,
};

export const isKnownExtension = (name: string): name is ExtensionName =>
  KNOWN_EXTENSIONS.some((known) => known === name);
