import type { PointedError } from '../primitives/pointed-error.ts';
import type { DocumentNode } from '../primitives/document.ts';
import type { CheckedTemplate, CheckResult } from './check-template.ts';
import { LANGUAGE_FEATURES } from './extensions.ts';
import { farmNotes } from './farm-notes.ts';
import { Findings } from './findings.ts';
import type { LanguageOptions, LocalPath } from './language/options.ts';
import { rootOf } from './located.ts';
import { readEnvironmentTemplate } from './shape/read-template.ts';
import { limitsOf, TEMPLATE_LIMITS } from './template-limits.ts';
import {
  checkVersionAndExtensions,
  VERSIONS,
  type TemplateKind,
} from './validate/01-version-and-extensions.ts';
import { checkNames } from './validate/03-names.ts';
import { checkParameters } from './validate/04-parameters.ts';
import { checkActions } from './validate/05-actions.ts';
import { checkFormatStrings } from './validate/09-format-strings.ts';

/** An environment template that a job is created with. Its environment is entered outside those of the job. */
export interface OuterEnvironment {
  /** How messages name it: `queue environment "Conda"`. */
  readonly source: string;
  /** From `checkEnvironmentTemplate`. */
  readonly template: CheckedTemplate;
  /** Applied to the paths of its defaults. Absent: they stay as they are. */
  readonly localPath?: LocalPath;
}

/** Returns the kind that a document names as its version. Any document that names another version is a job template. */
export function templateKindOf(document: DocumentNode): TemplateKind {
  if (document.kind !== 'mapping') return 'job';
  const version = document.entries.find(({ key }) => key === 'specificationVersion')?.value;
  return version?.kind === 'string' && version.value === VERSIONS.environment ? 'environment' : 'job';
}

/**
 * Validates an environment template (specification, section 1.2) like `checkTemplate` a job template. The environment is
 * the only one of the checked shape's job environments.
 */
export function checkEnvironmentTemplate(
  document: DocumentNode,
  { limits: given = TEMPLATE_LIMITS, supported = LANGUAGE_FEATURES, expressions }: LanguageOptions,
): CheckResult {
  const findings = new Findings();
  const root = rootOf(document);
  const refused = (): CheckResult => ({ ok: false, errors: findings.sorted() });

  const extensions = checkVersionAndExtensions(findings, root, supported, 'environment');
  if (extensions === undefined) return refused();
  const limits = limitsOf(given, extensions);
  const shape = readEnvironmentTemplate(findings, root, extensions, limits);
  if (shape === undefined) return refused();

  checkNames(findings, shape, limits);
  const parameters = checkParameters(findings, shape, limits);
  checkActions(findings, shape, limits);
  const settings = extensions.has('EXPR') ? expressions : null;
  checkFormatStrings(findings, shape, limits, { settings, namesAtCreation: false });
  return findings.count === 0
    ? { ok: true, template: { shape, parameters, farmNotes: farmNotes(extensions, false) } }
    : refused();
}

/** Returns the name of the environment of a checked environment template. */
export const environmentNameOf = ({ shape }: CheckedTemplate): string =>
  shape.jobEnvironments[0]?.name?.value ?? '';

/** Returns errors of an environment template as errors of the job, whose template they are not in. */
export const errorsOfSource = (source: string, errors: readonly PointedError[]): PointedError[] =>
  errors.map(({ pointer, detail }) => ({
    pointer: '',
    detail: `${source}: ${pointer === '' ? '' : `${pointer}: `}${detail}`,
  }));
