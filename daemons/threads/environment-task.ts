import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import type { JobEnvironment, TemplateText } from '../../src/core/records/job.ts';
import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import {
  checkEnvironmentTemplate,
  environmentNameOf,
  errorsOfSource,
  type OuterEnvironment,
} from '../../src/openjd/template/check-environment.ts';
import { describeParameter, type DescribedParameter } from '../../src/openjd/template/describe-template.ts';
import type { LanguageOptions } from '../../src/openjd/template/language/options.ts';
import { mergeParameters } from '../../src/openjd/template/merge-parameters.ts';
import { TEMPLATE_LIMITS } from '../../src/openjd/template/template-limits.ts';

/** An environment template that a job is submitted with, before it is read. */
export type SubmittedEnvironment = Omit<JobEnvironment, 'name'>;

/** Environment templates of a queue, in the order in which they are entered. */
export interface QueueEnvironments {
  readonly environments: readonly TemplateText[];
  /**
   * Index of the one that is checked: errors are those of its document, and conflicts of its parameters with those of the
   * others. Null: all are known to be valid.
   */
  readonly subject: number | null;
}

export type QueueEnvironmentsResult =
  | {
      readonly ok: true;
      /** Name of the subject's environment; empty without a subject. */
      readonly name: string;
      /** Merged parameters of all, in the order of their definition. */
      readonly parameters: readonly DescribedParameter[];
    }
  | { readonly ok: false; readonly errors: readonly PointedError[] };

type Read =
  | {
      readonly ok: true;
      readonly outer: readonly OuterEnvironment[];
      /** For the row of the job's template. */
      readonly stored: readonly JobEnvironment[];
    }
  | { readonly ok: false; readonly errors: readonly PointedError[] };

/** Reads and checks the environment templates of a submission. Errors name the environment. */
export function readEnvironments(given: readonly SubmittedEnvironment[], language: LanguageOptions): Read {
  const outer: OuterEnvironment[] = [];
  const stored: JobEnvironment[] = [];
  const errors: PointedError[] = [];
  let sent = 0;
  for (const environment of given) {
    const isOfQueue = environment.origin === 'queue';
    if (!isOfQueue) sent += 1;
    const read = readDocument(environment.text, environment.format);
    const checked = read.ok ? checkEnvironmentTemplate(read.document, language) : read;
    if (!checked.ok) {
      const source = isOfQueue ? 'an environment of the queue' : `environment ${sent} of the submission`;
      errors.push(...errorsOfSource(source, checked.errors));
      continue;
    }
    const { template } = checked;
    const name = environmentNameOf(template);
    outer.push({ source: `${isOfQueue ? 'queue ' : ''}environment ${JSON.stringify(name)}`, template });
    stored.push({ ...environment, name });
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, outer, stored };
}

/** Checks an environment template of a queue together with the others, and describes the parameters of all. */
export function describeEnvironments(
  { environments, subject }: QueueEnvironments,
  language: LanguageOptions,
): QueueEnvironmentsResult {
  const outer: OuterEnvironment[] = [];
  for (const [index, { text, format }] of environments.entries()) {
    const read = readDocument(text, format);
    const checked = read.ok ? checkEnvironmentTemplate(read.document, language) : read;
    if (checked.ok) {
      const source =
        index === subject
          ? 'this environment'
          : `queue environment ${JSON.stringify(environmentNameOf(checked.template))}`;
      outer.push({ source, template: checked.template });
    } else if (index === subject) return checked;
    else return { ok: false, errors: errorsOfSource('another environment of the queue', checked.errors) };
  }
  const sources = outer.map(({ source, template }) => ({ name: source, parameters: template.parameters }));
  const merged = mergeParameters(sources, language.limits ?? TEMPLATE_LIMITS);
  const own = subject === null ? undefined : outer[subject]?.template;
  if (merged.conflicts.length > 0) {
    const errors = merged.conflicts.map(({ name, detail }) => {
      const index = own?.parameters.findIndex(({ shape }) => shape.name?.value === name) ?? -1;
      return { pointer: index === -1 ? '' : `/parameterDefinitions/${index}`, detail };
    });
    return { ok: false, errors };
  }
  return {
    ok: true,
    name: own === undefined ? '' : environmentNameOf(own),
    parameters: merged.parameters.map(describeParameter),
  };
}
