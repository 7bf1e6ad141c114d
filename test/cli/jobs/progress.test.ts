import { test } from 'tap';
import {
  ProgressView,
  progressLines,
  stepLine,
  type JobProgress,
  type StepProgress,
} from '../../../cli/jobs/progress.ts';
import type { Terminal } from '../../../cli/terminal/terminal.ts';
import { textWidth } from '../../../cli/terminal/text-width.ts';

const step = (
  name: string,
  status: StepProgress['status'],
  total: number,
  succeeded: number,
  failed = 0,
): StepProgress => ({
  name,
  status,
  task_counts: {
    total,
    pending: 0,
    ready: total - succeeded - failed,
    assigned: 0,
    running: 0,
    succeeded,
    failed,
    canceled: 0,
    unschedulable: 0,
  },
});

const job = (name: string, ...steps: StepProgress[]): JobProgress => {
  const sum = (key: 'total' | 'succeeded' | 'failed'): number =>
    steps.reduce((all, { task_counts: counts }) => all + counts[key], 0);
  const { task_counts } = step('', 'running', sum('total'), sum('succeeded'), sum('failed'));
  return { name, status: 'running', task_counts, steps };
};

/** A terminal that records what is written to standard error. */
function collecting(repaint: Terminal['repaint']): Terminal & { readonly text: () => string } {
  let text = '';
  return {
    out: () => {},
    err: (more) => (text += more),
    isTerminal: false,
    isErrorTerminal: false,
    columns: null,
    colors: false,
    errorColors: false,
    ask: null,
    repaint,
    text: () => text,
  };
}

test('a progress bar fits its line and shows its share', async (t) => {
  t.equal(stepLine(step('bake', 'running', 8, 2), 4, 34), 'bake [███░░░░░░░░░░░] 2/8, running');
  t.equal(stepLine(step('bake', 'running', 8, 7, 1), 4, 44), 'bake [██████████████] 7/8, 1 failed, running');
  const canceled = { ...step('bake', 'canceled', 8, 2).task_counts, canceled: 6 };
  t.equal(
    stepLine({ ...step('bake', 'canceled', 8, 2), task_counts: canceled }, 4, 44),
    'bake [██░░░░░░░░░] 2/8, 6 canceled, canceled',
  );
  t.equal(stepLine(step('bake', 'running', 8, 0), 4, 20), 'bake 0/8, running');
  t.equal(stepLine(step('bake', 'pending', 0, 0), 6, 34), 'bake   [░░░░░░░░░░░░] 0/0, pending');
  for (const columns of [20, 30, 44, 79, 200]) {
    const line = stepLine(step('名前\u001b that is long enough to hurt', 'running', 9, 3, 1), 30, columns);
    t.ok(textWidth(line) <= columns, `${columns}`);
  }
});

test('the progress display has one line for the job and a bar for each step', async (t) => {
  const shot = job('shot', step('Render', 'running', 4, 1), step('Join', 'pending', 1, 0));
  t.same(progressLines(shot, 40, 24), [
    'shot: 1/5, running',
    'Render [████░░░░░░░░░░░░░░] 1/4, running',
    'Join   [░░░░░░░░░░░░░░░░░░] 0/1, pending',
  ]);
});

test('the progress display fits the terminal and keeps running and failed steps', async (t) => {
  const steps = [
    step('a', 'completed', 1, 1),
    step('b', 'completed', 1, 1),
    step('c', 'running', 1, 0),
    step('d', 'pending', 1, 0),
    step('e', 'failed', 1, 0, 1),
  ];
  const lines = progressLines(job('shot', ...steps), 30, 4);
  t.equal(lines.length, 4);
  t.same(
    lines.map((line) => line.split(' ')[0]),
    ['shot:', 'c', 'e', '...'],
  );
  t.equal(lines[3], '... and 3 more steps');
  t.equal(progressLines(job('shot', ...steps), 30, 6).length, 6);
  t.equal(progressLines(job('shot', ...steps), 30, 2).length, 2);
});

test('on a terminal the display is redrawn in place, and only if it has changed', async (t) => {
  const terminal = collecting({ columns: 31, rows: 24 });
  const view = new ProgressView(terminal);
  const shot = job('shot', step('r', 'running', 2, 1));
  view.show(shot);
  view.show(shot);
  view.show(job('shot', step('r', 'completed', 2, 2)));
  view.note('a word');
  view.end();
  t.equal(
    terminal.text(),
    [
      '\rshot: 1/2, running\u001b[K\nr [██████░░░░░░░] 1/2, running\u001b[K\u001b[J',
      '\r\u001b[1Ashot: 2/2, running\u001b[K\nr [███████████] 2/2, completed\u001b[K\u001b[J',
      '\na word\n',
    ].join(''),
  );
});

test('without a terminal a line is written for each change', async (t) => {
  const terminal = collecting(null);
  const view = new ProgressView(terminal);
  const at = (render: number, join: number): JobProgress =>
    job(
      'shot',
      step('Render', render === 40 ? 'completed' : 'running', 40, render),
      step('Join', render < 40 ? 'pending' : 'running', 1, join),
    );
  for (const progress of [at(0, 0), at(1, 0), at(4, 0), at(40, 0), at(40, 1)]) view.show(progress);
  t.equal(
    terminal.text(),
    [
      'shot: 0/41, running',
      '  Render: 0/40, running',
      '  Render: 4/40, running',
      'shot: 40/41, running',
      '  Render: 40/40, completed',
      '  Join: 0/1, running',
      'shot: 41/41, running',
      '  Join: 1/1, running',
      '',
    ].join('\n'),
  );
});
