import { reportedFailureReason } from '../../../src/core/lifecycle/failure-reasons.ts';
import type { ActionPlan } from '../../../src/openjd/template/plan.ts';
import type { ActionEnd } from '../../../src/core/ports/task-processes.ts';
import { outOfMemoryText, overQuotaText, type ResourceUsage } from '../../../src/core/resource-usage.ts';
import { gpuVariables } from './gpu-variables.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-system.ts';
import {
  resolveAction,
  type EnvironmentScript,
  type Resolved,
  type ResolvedAction,
  type Script,
} from './scripts.ts';
import type { RunningAction, SessionState } from './state.ts';
import { hookOf, resolveHook, sessionVariables, wrappedActionOf } from './wrapping.ts';

type SessionContext = AgentContext<'session'>;

const SECOND_MS = 1000;

/** Verdict on an action that has ended. `note` is a text for the owner of the task. */
export type ActionVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly note: string; readonly exitCode?: number };

/**
 * Starts an action of a script. Returns an error text if it cannot be started, else null. `environment` is null for the
 * task's own action.
 */
export function startAction(
  state: SessionState,
  kind: RunningAction['kind'],
  script: Script,
  environment: EnvironmentScript | null,
  plan: ActionPlan,
  context: SessionContext,
): string | null {
  const resolved = resolveStart(state, kind, script, environment, plan);
  if (!resolved.ok) return resolved.detail;
  const { wrapper, plan: applied, ...command } = resolved.value;
  state.runs++;
  state.action = {
    run: state.runs,
    kind,
    environment,
    wrapper,
    plan: applied,
    isStopping: false,
    hasTimedOut: false,
    failText: null,
    directiveError: null,
    logLevel: null,
  };
  const action = {
    run: state.runs,
    ...command,
    variables: variablesOf(state),
    // Processes that an environment starts serve the tasks: a server, or an application that holds the scene.
    keepsChildren: kind !== 'run',
  };
  context.effect({ kind: 'start-action', sessionId: state.sessionId, action });
  return null;
}

interface ResolvedStart extends ResolvedAction {
  /** The plan of the process: that of the hook if one replaces the action. */
  readonly plan: ActionPlan;
  /** The hook, for messages; null if none replaces the action. */
  readonly wrapper: string | null;
}

/** Resolves an action, and the hook that replaces it. */
function resolveStart(
  state: SessionState,
  kind: RunningAction['kind'],
  script: Script,
  environment: EnvironmentScript | null,
  plan: ActionPlan,
): Resolved<ResolvedStart> {
  const { paths, directory, step } = state;
  const resolved = resolveAction(script, plan, directory, paths.rulesFile);
  if (!resolved.ok) return resolved;
  const { value } = resolved;
  const args =
    kind === 'run' ? [...paths.argumentsBefore, ...value.args, ...paths.argumentsAfter] : value.args;
  const action = { ...value, args };
  const hook = hookOf(state, kind, environment);
  if (hook === null) return { ok: true, value: { ...action, plan, wrapper: null } };
  const owner =
    environment === null
      ? ({ kind: 'step', name: step.step_name } as const)
      : ({ kind: 'environment', name: environment.plan.name } as const);
  const variables = [...sessionVariables(paths.variables, state.entered)].flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${value}`],
  );
  const wrapped = wrappedActionOf(plan, action, kind, variables, owner);
  const replaced = resolveHook(hook, wrapped, directory, paths.rulesFile);
  if (!replaced.ok) return { ok: false, detail: `${hook.name}: ${replaced.detail}` };
  const written = new Set(action.files.map(({ path }) => path));
  const files = [...action.files, ...replaced.value.files.filter(({ path }) => !written.has(path))];
  return { ok: true, value: { ...replaced.value, files, wrapper: hook.name } };
}

/**
 * Returns the environment variables of a process (docs/contract/sessions.md#environment-variables): those of its GPUs
 * and delivered ones first, then outer environments before inner ones. Directives override the variables of their environment.
 */
function variablesOf(state: SessionState): Readonly<Record<string, string | null>> {
  const own = {
    ...gpuVariables(state.gpus),
    ...state.paths.variables,
    OPENJD_SESSION_WORKING_DIR: state.directory,
  };
  return Object.fromEntries(sessionVariables(own, state.entered));
}

/** Returns the running action if it has this number, else null. Messages of earlier actions are late. */
export const actionOf = ({ action }: SessionState, run: number): RunningAction | null =>
  action?.run === run ? action : null;

/** Returns the timeout of the action in seconds, or null for none. */
export function timeoutSecondsOf(action: RunningAction): number | null {
  return action.plan.timeoutSeconds ?? (action.kind === 'exit' ? AGENT_LIMITS.exitTimeoutSeconds : null);
}

/**
 * Cancels the running action by its own method (docs/contract/sessions.md#timeouts-and-cancelation): at once, or after
 * a notice.
 */
export function cancelAction(state: SessionState, action: RunningAction, context: SessionContext): void {
  if (action.isStopping) return;
  action.isStopping = true;
  const { sessionId } = state;
  const { cancelation } = action.plan;
  if (cancelation?.mode !== 'NOTIFY_THEN_TERMINATE') {
    context.effect({ kind: 'kill-action', sessionId, run: action.run });
    return;
  }
  const standard =
    action.kind === 'run' ? AGENT_LIMITS.notifyRunSeconds : AGENT_LIMITS.notifyEnvironmentSeconds;
  const periodMs = (cancelation.notifyPeriodSeconds ?? standard) * SECOND_MS;
  context.effect({
    kind: 'notify-action',
    sessionId,
    run: action.run,
    notifyEndAt: context.now + periodMs,
  });
  context.after('kill', periodMs, { type: 'action.kill-due', run: action.run });
}

/**
 * Ends the running action regardless of its method: SIGTERM, then SIGKILL after the grace; without a grace only
 * SIGKILL.
 */
export function interruptAction(
  state: SessionState,
  action: RunningAction,
  graceMs: number,
  context: SessionContext,
): void {
  action.isStopping = true;
  const { sessionId } = state;
  if (graceMs === 0) {
    context.effect({ kind: 'kill-action', sessionId, run: action.run });
    return;
  }
  context.effect({ kind: 'terminate-action', sessionId, run: action.run });
  context.after('kill', graceMs, { type: 'action.kill-due', run: action.run });
}

/** Returns the verdict on an action that has ended. */
export function verdictOf(action: RunningAction, end: ActionEnd, usage?: ResourceUsage): ActionVerdict {
  const exitCode = end.kind === 'exited' ? { exitCode: end.code } : {};
  if (action.directiveError !== null) return { ok: false, note: action.directiveError, ...exitCode };
  if (action.hasTimedOut) {
    return { ok: false, note: `timed out after ${String(timeoutSecondsOf(action))} s`, ...exitCode };
  }
  const quotaText = usage === undefined ? null : overQuotaText(usage);
  if (quotaText !== null) return { ok: false, note: quotaText, ...exitCode };
  const memoryText = usage === undefined ? null : outOfMemoryText(usage);
  if (action.failText !== null) {
    const note = memoryText === null ? action.failText : `${memoryText}; ${action.failText}`;
    return { ok: false, note, ...exitCode };
  }
  // A program that survives the end of a child decides by itself whether it has failed.
  const hasFailed = end.kind === 'signaled' || (end.kind === 'exited' && end.code !== 0);
  if (memoryText !== null && hasFailed) return { ok: false, note: memoryText, ...exitCode };
  switch (end.kind) {
    case 'exited':
      return end.code === 0
        ? { ok: true }
        : { ok: false, note: reportedFailureReason('', end.code), exitCode: end.code };
    case 'signaled':
      return { ok: false, note: `killed by ${end.signal}` };
    case 'not-started':
      return { ok: false, note: end.reason };
    case 'fenced':
      return { ok: false, note: 'its processes were ended by their supervisor' };
  }
}
