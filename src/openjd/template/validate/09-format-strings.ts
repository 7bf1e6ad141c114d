import type { Findings } from '../findings.ts';
import type { ExprSettings } from '../language/expressions.ts';
import {
  ARGUMENT,
  ATTRIBUTE_VALUE,
  COUNT,
  OPTIONAL_AMOUNT,
  OPTIONAL_COUNT,
  rangeTarget,
  rangeItemTarget,
} from '../language/field-types.ts';
import { literalTextOf } from '../language/prepared-text.ts';
import { ActionValues } from '../expand/action-values.ts';
import { CreationValues } from '../expand/creation-values.ts';
import { isFormatString, type Located } from '../located.ts';
import {
  environmentScope,
  hookScope,
  jobActionScope,
  jobScopes,
  stepActionScope,
  stepCreationScope,
  stepLetScope,
  stepScopes,
  type JobScopes,
  type Scope,
} from '../scope.ts';
import type { ActionShape, EnvironmentShape, StepShape, TemplateShape } from '../shape/template-shape.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { TextChecker } from '../text-checker.ts';
import { characters } from '../../primitives/text-rules.ts';
import { checkControl } from '../text-checks.ts';
import type { ExprType } from '../../expr/type-system/expr-type.ts';
import type { Value } from '../../expr/values/value.ts';

export const NO_LETS: ReadonlyMap<string, Value> = new Map();

/**
 * Pass 9: format strings (section 7.3), each against the values that exist when it is resolved: at job creation (its
 * name, ranges, chunks, names, amounts and values of requirements, bindings of steps, timeouts and cancelations) or on the worker
 * (actions, embedded files, variables, bindings of scripts, all of hooks).
 */
export function checkFormatStrings(
  findings: Findings,
  template: TemplateShape,
  limits: TemplateLimits,
  { settings, namesAtCreation }: CheckedLanguage,
): { readonly usesNamesAtCreation: boolean } {
  const checker = new TextChecker(findings, settings);
  const parameters = template.parameters.flatMap(({ name, type }) =>
    name === undefined ? [] : [{ name: name.value, type, value: null }],
  );
  const job = jobScopes({ isExpr: settings !== null, parameters, jobName: null, namesAtCreation });
  checkJobName(findings, checker, template, job.creation, limits);
  const lets = bindSteps(checker, template, job);
  for (const [order, step] of template.steps.entries()) {
    checkCreationFields(checker, step, stepCreationScope(job, step, lets[order] ?? NO_LETS));
  }
  checkActionFields(checker, template, job, lets);
  checkHostTexts(checker, template, job, lets);
  return checker;
}

/** The language of a checked template. */
export interface CheckedLanguage {
  /** Settings of expressions, null without EXPR. */
  readonly settings: ExprSettings | null;
  readonly namesAtCreation: boolean;
}

/** Checks the timeouts and cancelations that are resolved at job creation: all but those of hooks. */
function checkActionFields(
  checker: TextChecker,
  template: TemplateShape,
  job: JobScopes,
  lets: readonly ReadonlyMap<string, Value>[],
): void {
  if (!template.extensions.has('FEATURE_BUNDLE_1')) return;
  const checkAll = (scope: Scope, environments: readonly EnvironmentShape[], onRun?: ActionShape): void => {
    const values = new ActionValues(new CreationValues(checker, scope));
    const actions = [onRun, ...environments.flatMap(({ onEnter, onExit }) => [onEnter, onExit])];
    for (const action of actions) if (action !== undefined) values.check(action);
  };
  checkAll(jobActionScope(job), template.jobEnvironments);
  for (const [order, step] of template.steps.entries())
    checkAll(stepActionScope(job, step, lets[order] ?? NO_LETS), step.environments, step.onRun);
}

/** Returns the bindings of each step with their known values. */
export const bindSteps = (
  checker: TextChecker,
  template: TemplateShape,
  job: JobScopes,
): readonly ReadonlyMap<string, Value>[] =>
  template.steps.map((step) =>
    step.lets.length === 0 ? NO_LETS : checker.bind(step.lets, stepLetScope(job, step)),
  );

/**
 * Checks the texts that are resolved on the worker, as far as possible before that. `lets` are the bindings of the
 * steps, in their order. Returns, in the same order, the bindings that the worker needs.
 */
export function checkHostTexts(
  checker: TextChecker,
  template: TemplateShape,
  job: JobScopes,
  lets: readonly ReadonlyMap<string, Value>[],
): readonly ReadonlySet<string>[] {
  for (const environment of template.jobEnvironments) checkEnvironment(checker, environment, job, job.host);
  return template.steps.map((step, order) => {
    checker.used.clear();
    const scopes = stepScopes(job, step, lets[order] ?? NO_LETS, template.extensions);
    for (const environment of step.environments) {
      checkEnvironment(checker, environment, job, scopes.environments);
    }
    const scope = checker.bound(step.scriptLets, scopes.script);
    checkAction(checker, step.onRun, scope);
    for (const file of step.embeddedFiles) checker.check(file.data, scope);
    return new Set(step.lets.map(({ name }) => name).filter((name) => checker.used.has(name)));
  });
}

/** Section 1.1.1. The length counts after resolution; the literal text can already be too long. */
function checkJobName(
  findings: Findings,
  checker: TextChecker,
  template: TemplateShape,
  scope: Scope,
  limits: TemplateLimits,
): void {
  const { name } = template;
  if (name === undefined) return;
  if (name.value === '') findings.add(name.at, 'must not be empty');
  const checked = checker.check(name, scope);
  if (checked === undefined) return;
  checkControl(findings, name, false);
  const length = characters(literalTextOf(checked.text));
  if (length > limits.maxJobName) {
    findings.add(
      name.at,
      `must not have more than ${limits.maxJobName} characters, and has ${length} at least`,
    );
  }
}

function checkCreationFields(checker: TextChecker, step: StepShape, scope: Scope): void {
  const check = (at: Located | undefined, target: ExprType): void => {
    if (at?.node.kind === 'string') checker.check({ value: at.node.value, at }, scope, target);
  };
  for (const { range, chunks, type = 'STRING' } of step.space?.parameters ?? []) {
    if (range?.kind === 'expression') checker.check(range.text, scope, rangeTarget(type));
    else for (const item of range?.items ?? []) check(item, rangeItemTarget(type));
    check(chunks?.defaultTaskCount, COUNT);
    check(chunks?.targetRuntimeSeconds, OPTIONAL_COUNT);
  }
  for (const { name, min, max } of step.hostRequirements?.amounts ?? []) {
    checker.check(name, scope);
    for (const amount of [min, max])
      if (amount !== undefined && isFormatString(amount)) check(amount, OPTIONAL_AMOUNT);
  }
  for (const { name, anyOf, allOf } of step.hostRequirements?.attributes ?? []) {
    checker.check(name, scope);
    for (const value of [...(anyOf ?? []), ...(allOf ?? [])]) checker.check(value, scope, ATTRIBUTE_VALUE);
  }
}

function checkEnvironment(
  checker: TextChecker,
  environment: EnvironmentShape,
  { facts }: JobScopes,
  outer: Scope,
): void {
  const scope = environmentScope(outer, facts, environment.embeddedFiles);
  for (const { value } of environment.variables) checker.check(value, scope);
  const inner = checker.bound(environment.lets, scope);
  checkAction(checker, environment.onEnter, inner);
  checkAction(checker, environment.onExit, inner);
  const { wrap } = environment;
  const ofEnvironment = hookScope(inner, facts, 'environment');
  checkHook(checker, wrap?.onEnvEnter, ofEnvironment);
  checkHook(checker, wrap?.onTaskRun, hookScope(inner, facts, 'step'));
  checkHook(checker, wrap?.onEnvExit, ofEnvironment);
  for (const file of environment.embeddedFiles) checker.check(file.data, inner);
}

/** The worker resolves all fields of a hook, with the action that it wraps. */
function checkHook(checker: TextChecker, hook: ActionShape | undefined, scope: Scope): void {
  if (hook === undefined) return;
  checkAction(checker, hook, scope);
  new ActionValues(new CreationValues(checker, scope)).check(hook);
}

function checkAction(checker: TextChecker, action: ActionShape | undefined, scope: Scope): void {
  checker.check(action?.command, scope);
  for (const argument of action?.args ?? []) checker.check(argument, scope, ARGUMENT);
}
