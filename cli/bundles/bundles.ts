import { verb, type Noun } from '../grammar/verb.ts';
import { JOB_ARGUMENT } from '../grammar/verb-parts.ts';
import type { BundleExportOptions } from './export-bundle.ts';

/** `callsheet bundles` */
export const bundles: Noun = {
  name: 'bundles',
  singular: 'bundle',
  about: 'Write jobs as job bundles, which callsheet submit and other submitters read.',
  verbs: [
    verb<BundleExportOptions>({
      name: 'export',
      about: 'Write a job as a job bundle. Prints the folder.',
      arguments: [JOB_ARGUMENT],
      options: (command) =>
        command
          .option('--output <folder>', 'folder of the bundle (default: the name of the job)')
          .option('--force', 'write into a folder that is not empty'),
      run: async ([job = ''], options) => (await import('./export-bundle.ts')).exportBundle(job, options),
    }),
  ],
};
