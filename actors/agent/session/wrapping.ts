import {
  fieldType,
  MAX_NOTIFY_SECONDS,
  MAX_TIMEOUT_SECONDS,
  modeOfValue,
  secondsOfValue,
  type ActionField,
  type FieldValue,
} from '../../../src/openjd/template/action-fields.ts';
import type { HostResolver } from '../../../src/openjd/template/language/host-texts.ts';
import type { ActionPlan, HookFormats, HookPlan, WrapPlan } from '../../../src/openjd/template/plan.ts';
import type { Value } from '../../../src/openjd/expr/values/value.ts';
import { wrappedValues, type WrappedAction } from '../../../src/openjd/template/wrapped-action.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import { resolveAction, type EnvironmentScript, type ResolvedAction, type Resolved } from './scripts.ts';
import type { EnteredEnvironment, RunningAction, SessionState } from './state.ts';

/** The hook of an environment that runs instead of an action (docs/openjd.md#wrapped-actions). */
export interface Hook {
  readonly script: EnvironmentScript;
  readonly plan: HookPlan;
  /** For messages: the hook and its environment. */
  readonly name: string;
}

const HOOKS = {
  enter: ['onWrapEnvEnter', 'onEnvEnter'],
  run: ['onWrapTaskRun', 'onTaskRun'],
  exit: ['onWrapEnvExit', 'onEnvExit'],
} as const satisfies Record<RunningAction['kind'], readonly [string, keyof WrapPlan]>;

/**
 * Returns the hook that replaces an action: of the environment outside of its own that wraps actions, if there is one.
 * `environment` is null for the action of a task.
 */
export function hookOf(
  { entered }: Pick<SessionState, 'entered'>,
  kind: RunningAction['kind'],
  environment: EnvironmentScript | null,
): Hook | null {
  for (const { script } of entered) {
    if (script === environment) return null;
    const { wrap, name } = script.plan;
    if (wrap === undefined) continue;
    const [word, field] = HOOKS[kind];
    return { script, plan: wrap[field], name: `${word} of environment ${name}` };
  }
  return null;
}

/** Returns why the environments cannot be in one session, or null: at most one of them wraps actions. */
export function wrapFault(environments: readonly EnvironmentScript[]): string | null {
  const [first, second] = environments.filter(({ plan }) => plan.wrap !== undefined);
  if (first === undefined || second === undefined) return null;
  return `only one environment of a session can wrap actions: ${first.plan.name} and ${second.plan.name} both do`;
}

/** Returns the variables of a session, null for unset ones: its own first, then those of outer environments before inner ones. */
export function sessionVariables(
  own: Readonly<Record<string, string>>,
  entered: readonly EnteredEnvironment[],
): ReadonlyMap<string, string | null> {
  const variables = new Map<string, string | null>(Object.entries(own));
  for (const environment of entered) {
    for (const [name, value] of Object.entries(environment.variables)) variables.set(name, value);
    for (const [name, value] of environment.directives) variables.set(name, value);
  }
  return variables;
}

/** Returns what a hook knows of the action that it replaces. */
export function wrappedActionOf(
  plan: ActionPlan,
  { command, args }: ResolvedAction,
  kind: RunningAction['kind'],
  environment: readonly string[],
  owner: WrappedAction['owner'],
): WrappedAction {
  const { cancelation } = plan;
  const standard = kind === 'run' ? AGENT_LIMITS.notifyRunSeconds : AGENT_LIMITS.notifyEnvironmentSeconds;
  return {
    command,
    args,
    environment,
    timeoutSeconds: plan.timeoutSeconds ?? null,
    cancelationMode: cancelation?.mode ?? null,
    notifyPeriodSeconds:
      cancelation?.mode === 'NOTIFY_THEN_TERMINATE' ? (cancelation.notifyPeriodSeconds ?? standard) : null,
    owner,
  };
}

/** A hook whose format strings are resolved, and its plan: with the timeout and cancelation that apply to it. */
export interface ResolvedHook extends ResolvedAction {
  readonly plan: ActionPlan;
}

/** Resolves a hook for the action that it replaces. Its environment's files are written again. */
export function resolveHook(
  hook: Hook,
  wrapped: WrappedAction,
  directory: string,
  pathMappingRules: string,
): Resolved<ResolvedHook> {
  const resolver = hook.script.resolver.withValues(wrappedValues(wrapped));
  const plan = hookFields(resolver, hook.plan);
  if (!plan.ok) return plan;
  const action = resolveAction({ ...hook.script, resolver }, hook.plan, directory, pathMappingRules);
  return action.ok ? { ok: true, value: { ...action.value, plan: plan.value } } : action;
}

/** Returns the plan of a hook with the values of its further format strings. */
function hookFields(resolver: HostResolver, hook: HookPlan): Resolved<ActionPlan> {
  const { formats, ...plan } = hook;
  if (formats === undefined) return { ok: true, value: plan };
  const timeout = field(resolver, formats, 'timeout', (value) => secondsOfValue(value, MAX_TIMEOUT_SECONDS));
  if (!timeout.ok) return { ok: false, detail: `timeout: ${timeout.detail}` };
  const timed = timeout.value === null ? plan : { ...plan, timeoutSeconds: timeout.value };
  const mode = field(resolver, formats, 'mode', modeOfValue);
  if (!mode.ok) return { ok: false, detail: `cancelation mode: ${mode.detail}` };
  const period = field(resolver, formats, 'notifyPeriod', (value) =>
    secondsOfValue(value, MAX_NOTIFY_SECONDS),
  );
  if (!period.ok) return { ok: false, detail: `notifyPeriodInSeconds: ${period.detail}` };
  const applied = formats.mode === undefined ? plan.cancelation?.mode : mode.value;
  if (applied === 'NOTIFY_THEN_TERMINATE') {
    const literal = plan.cancelation?.mode === applied ? plan.cancelation.notifyPeriodSeconds : undefined;
    const notifyPeriodSeconds = period.value ?? literal ?? AGENT_LIMITS.notifyEnvironmentSeconds;
    return { ok: true, value: { ...timed, cancelation: { mode: applied, notifyPeriodSeconds } } };
  }
  if (applied === 'TERMINATE' && period.value !== null)
    return { ok: false, detail: 'notifyPeriodInSeconds is for NOTIFY_THEN_TERMINATE only' };
  return { ok: true, value: applied === 'TERMINATE' ? { ...timed, cancelation: { mode: applied } } : timed };
}

function field<T>(
  resolver: HostResolver,
  formats: HookFormats,
  name: ActionField,
  read: (value: Value) => FieldValue<T>,
): FieldValue<T> {
  const format = formats[name];
  if (format === undefined) return { ok: true, value: null };
  const resolved = resolver.value(format, fieldType(name));
  return resolved.ok ? read(resolved.value) : resolved;
}
