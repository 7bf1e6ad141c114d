import type { PointedError } from '../primitives/pointed-error.ts';
import type { DocumentNode } from '../primitives/document.ts';
import { LANGUAGE_FEATURES } from './extensions.ts';
import { farmNotes } from './farm-notes.ts';
import { Findings } from './findings.ts';
import type { LanguageOptions } from './language/options.ts';
import { rootOf } from './located.ts';
import { readTemplate } from './shape/read-template.ts';
import type { TemplateShape } from './shape/template-shape.ts';
import { limitsOf, TEMPLATE_LIMITS } from './template-limits.ts';
import { checkVersionAndExtensions } from './validate/01-version-and-extensions.ts';
import { checkNames } from './validate/03-names.ts';
import { checkParameters, type CheckedParameter } from './validate/04-parameters.ts';
import { checkActions } from './validate/05-actions.ts';
import { checkHostRequirements } from './validate/06-host-requirements.ts';
import { checkParameterSpaces } from './validate/07-parameter-spaces.ts';
import { checkDependencies } from './validate/08-dependencies.ts';
import { checkFormatStrings } from './validate/09-format-strings.ts';
import { checkKnownSpaces } from './expand/known-spaces.ts';
import { checkPathDelivery } from './validate/10-path-delivery.ts';

/** A template without errors. */
export interface CheckedTemplate {
  readonly shape: TemplateShape;
  readonly parameters: readonly CheckedParameter[];
  /** Why a farm can reject it, as sentences; mostly none. */
  readonly farmNotes: readonly string[];
}

export type CheckResult =
  | { readonly ok: true; readonly template: CheckedTemplate }
  | { readonly ok: false; readonly errors: readonly PointedError[] };

/**
 * Validates a template without parameter values. Returns all findings of all passes, by position. Only a document in
 * another language (version, extensions) or with an invalid top level ends early. Never throws because of the content.
 */
export function checkTemplate(
  document: DocumentNode,
  { limits: given = TEMPLATE_LIMITS, supported = LANGUAGE_FEATURES, expressions }: LanguageOptions,
): CheckResult {
  const findings = new Findings();
  const root = rootOf(document);
  const refused = (): CheckResult => ({ ok: false, errors: findings.sorted() });

  const extensions = checkVersionAndExtensions(findings, root, supported);
  if (extensions === undefined) return refused();
  const limits = limitsOf(given, extensions);
  const shape = readTemplate(findings, root, extensions, limits);
  if (shape === undefined) return refused();

  checkNames(findings, shape, limits);
  const parameters = checkParameters(findings, shape, limits);
  checkActions(findings, shape, limits);
  checkHostRequirements(findings, shape, limits);
  checkParameterSpaces(findings, shape, limits);
  checkDependencies(findings, shape);
  const settings = extensions.has('EXPR') ? expressions : null;
  const language = { settings, namesAtCreation: supported.namesAtCreation === true };
  const { usesNamesAtCreation } = checkFormatStrings(findings, shape, limits, language);
  checkPathDelivery(findings, shape, limits);
  if (findings.count === 0) checkKnownSpaces(findings, shape, limits, language);
  return findings.count === 0
    ? { ok: true, template: { shape, parameters, farmNotes: farmNotes(extensions, usesNamesAtCreation) } }
    : refused();
}
