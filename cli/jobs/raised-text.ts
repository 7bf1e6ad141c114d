import type { Step } from '../../client/resources.ts';

type Raised = NonNullable<Step['raised_amounts']>[number];

/** `amount.worker.memory 4096 instead of 2048, raised 1 time by retry rule oom`. */
export const raisedText = ({ name, declared, amount, times, rule }: Raised): string =>
  `${name} ${amount}${declared === undefined ? '' : ` instead of ${declared}`}, raised ${times} ${times === 1 ? 'time' : 'times'} by retry rule ${rule}`;
