import type { Findings } from '../findings.ts';
import type { Text } from '../located.ts';
import { suggestion } from '../../primitives/nearest.ts';
import type { StepShape, TemplateShape } from '../shape/template-shape.ts';
import { quoteForMessage } from '../../primitives/text-rules.ts';

/** Maximum number of steps of a cycle in a message. */
const MAX_SHOWN_STEPS = 10;

/** Pass 8: step dependencies (section 3.2): the step exists, is another one, is named once, and there are no cycles. */
export function checkDependencies(findings: Findings, template: TemplateShape): void {
  const byName = new Map<string, StepShape>();
  for (const step of template.steps) {
    if (step.name !== undefined && !byName.has(step.name.value)) byName.set(step.name.value, step);
  }
  let sound = true;
  for (const step of template.steps) {
    const seen = new Set<string>();
    for (const dependency of step.dependencies) {
      const wrong = dependencyWrong(step, dependency, seen, byName);
      if (wrong !== null) {
        findings.add(dependency.at, wrong);
        sound = false;
      }
      seen.add(dependency.value);
    }
  }
  if (sound) checkCycles(findings, template.steps, byName);
}

function dependencyWrong(
  step: StepShape,
  dependency: Text,
  seen: ReadonlySet<string>,
  byName: ReadonlyMap<string, StepShape>,
): string | null {
  if (dependency.value === step.name?.value) return 'a step cannot depend on itself';
  if (!byName.has(dependency.value)) {
    return `there is no step ${quoteForMessage(dependency.value)}${suggestion(dependency.value, byName.keys())}`;
  }
  return seen.has(dependency.value)
    ? `the dependency on ${quoteForMessage(dependency.value)} exists twice`
    : null;
}

/** Walks depth first without recursion; reaching a step that is still open closes a cycle. */
function checkCycles(
  findings: Findings,
  steps: readonly StepShape[],
  byName: ReadonlyMap<string, StepShape>,
): void {
  const finished = new Set<StepShape>();
  for (const start of steps) {
    const path: { step: StepShape; next: number }[] = [];
    const open = new Set<StepShape>();
    const enter = (step: StepShape): void => {
      path.push({ step, next: 0 });
      open.add(step);
    };
    if (!finished.has(start)) enter(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const dependency = top.step.dependencies[top.next++];
      if (dependency === undefined) {
        finished.add(top.step);
        open.delete(top.step);
        path.pop();
        continue;
      }
      const target = byName.get(dependency.value);
      if (target === undefined || finished.has(target)) continue;
      if (open.has(target)) {
        const cycle = path.slice(path.findIndex(({ step }) => step === target)).map(({ step }) => step);
        findings.add(dependency.at, `the dependencies form a cycle: ${pathText([...cycle, target])}`);
      } else enter(target);
    }
  }
}

function pathText(steps: readonly StepShape[]): string {
  const names = steps.map((step) => quoteForMessage(step.name?.value ?? ''));
  if (names.length <= MAX_SHOWN_STEPS) return names.join(' -> ');
  return `${names.slice(0, MAX_SHOWN_STEPS - 1).join(' -> ')} -> … -> ${names.at(-1) ?? ''}`;
}
