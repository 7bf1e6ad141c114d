import { useMemo } from 'react';
import type { Step } from '../../../../client/resources.ts';
import { classNames } from '../../../parts/class-names.ts';
import { StatusGlyph, statusColor } from '../../../parts/status-badge.tsx';
import { statusStyle } from '../../../parts/status-looks.ts';
import { countsText } from '../../../parts/task-counts.ts';
import { TaskProgress } from '../../../parts/task-progress.tsx';
import { GraphFrame, type NodePlace } from './graph-frame.tsx';
import { layoutOfSteps, NODE_HEIGHT, NODE_WIDTH, type GraphNode } from './step-layout.ts';

/** The steps and their dependencies as a graph with the progress of each step. */
export function StepGraph({
  steps,
  chosen,
  onChoose,
}: {
  steps: readonly Step[];
  chosen: string;
  onChoose: (name: string) => void;
}) {
  const shape = JSON.stringify(steps.map(({ name, depends_on }) => ({ name, depends_on })));
  // Dependencies never change, but each response brings new objects of the steps.
  const layout = useMemo(() => layoutOfSteps(JSON.parse(shape) as readonly GraphNode[]), [shape]);
  return (
    <GraphFrame label="Steps and their dependencies" layout={layout} chosen={chosen}>
      {(placeOf) =>
        steps.map((step) => (
          <Node
            key={step.id}
            step={step}
            place={placeOf(step.name)}
            isChosen={step.name === chosen}
            onChoose={() => onChoose(step.name)}
          />
        ))
      }
    </GraphFrame>
  );
}

function Node({
  step,
  place: { at, reveal },
  isChosen,
  onChoose,
}: {
  step: Step;
  place: NodePlace;
  isChosen: boolean;
  onChoose: () => void;
}) {
  const look = statusStyle('step', step.status);
  return (
    <button
      type="button"
      className={classNames('step-graph__node', isChosen && 'step-graph__node--chosen')}
      style={{ left: at.x, top: at.y, width: NODE_WIDTH, height: NODE_HEIGHT, ...statusColor(look.color) }}
      aria-pressed={isChosen}
      title={`${step.name}: ${countsText(step.task_counts)}${step.waiting_reason === undefined ? '' : `. ${step.waiting_reason}`}`}
      onClick={onChoose}
      onFocus={reveal}
    >
      <span className="step-graph__name">
        <StatusGlyph kind="step" status={step.status} />
        <span>{step.name}</span>
        <span className="visually-hidden">{look.label.toLowerCase()}</span>
      </span>
      <span className="step-graph__count number">
        {step.task_counts.succeeded.toLocaleString('en')}/{step.task_counts.total.toLocaleString('en')}
        {step.task_counts.failed > 0 && (
          <span className="step-graph__failed"> {step.task_counts.failed.toLocaleString('en')} failed</span>
        )}
      </span>
      <TaskProgress counts={step.task_counts} isBare />
    </button>
  );
}
