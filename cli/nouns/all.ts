import type { Noun, Verb } from '../grammar/verb.ts';

/** A noun: its name, the singular if that is accepted too, and how its code is loaded. */
export interface ListedNoun {
  readonly names: readonly [string, ...string[]];
  readonly load: () => Promise<Noun>;
}

/** A verb that needs no noun. */
export interface ListedVerb {
  readonly name: string;
  readonly load: () => Promise<Verb>;
}

/** Nouns of the command line, in the order of the help. The code of one is loaded only if the command line names it. */
export const NOUNS: readonly ListedNoun[] = [
  { names: ['jobs', 'job'], load: async () => (await import('../jobs/jobs.ts')).jobs },
  { names: ['tasks', 'task'], load: async () => (await import('./tasks.ts')).tasks },
  { names: ['workers'], load: async () => (await import('./workers.ts')).workers },
  { names: ['farms'], load: async () => (await import('./farms.ts')).farms },
  { names: ['queues'], load: async () => (await import('./queues.ts')).queues },
  { names: ['pools'], load: async () => (await import('./pools.ts')).pools },
  { names: ['retry-rules'], load: async () => (await import('./retry-rules.ts')).retryRules },
  { names: ['locations'], load: async () => (await import('./locations.ts')).locations },
  { names: ['storage'], load: async () => (await import('./storage.ts')).storage },
  { names: ['products'], load: async () => (await import('../products/products.ts')).products },
  { names: ['presets'], load: async () => (await import('../products/presets.ts')).presets },
  { names: ['bundles', 'bundle'], load: async () => (await import('../bundles/bundles.ts')).bundles },
  { names: ['webhooks'], load: async () => (await import('./webhooks.ts')).webhooks },
  { names: ['users'], load: async () => (await import('./users.ts')).users },
  { names: ['keys'], load: async () => (await import('./keys.ts')).keys },
  { names: ['audit'], load: async () => (await import('./audit.ts')).auditLog },
  { names: ['context'], load: async () => (await import('./contexts.ts')).contextNoun },
];

/** Verbs that need no noun: short forms of common ones, and those about the whole server. */
export const VERBS_WITHOUT_NOUN: readonly ListedVerb[] = [
  { name: 'submit', load: async () => (await import('../submission/submit.ts')).submitVerb },
  { name: 'logs', load: async () => (await import('../logs/logs.ts')).logsVerb },
  { name: 'explain', load: async () => (await import('./explain.ts')).explainVerb },
  { name: 'status', load: async () => (await import('./status.ts')).statusVerb },
  { name: 'version', load: async () => (await import('./version.ts')).versionVerb },
];
