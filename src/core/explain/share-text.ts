import { jobId, queueId } from '../ids.ts';
import type { ShareExplanation, SharerAhead } from '../lease/explanation.ts';
import type { SharedBy, ShareReason } from '../records/queue-policy.ts';
import type { Names } from './task-facts.ts';
import { listText, numberText, pluralize } from './wording.ts';

type SharerNames = Pick<Names, 'job' | 'queue'>;

/** `owner ana has used 1.8 times a fair share; 2 jobs of owner tomas come first`. */
export function shareText(share: ShareExplanation, names: SharerNames): string {
  const { kind, sharedBy, sharer, cores, ratio, ahead } = share;
  const who = sharerText(sharedBy, sharer, names);
  const has = sharer === '' ? 'have' : 'has';
  const standing: string[] = [];
  if (kind === 'balanced' && cores !== null) {
    const part = ratio === null ? '' : `, ${ratioText(ratio)} an equal share`;
    standing.push(`${who} ${has} ${pluralize(cores, 'core')} in use${part}`);
  }
  if (kind === 'weighted' && cores !== null) {
    const part = ratio === null ? 'used nothing yet' : `used ${ratioText(ratio)} a fair share`;
    standing.push(`${who} ${has} ${part}`);
  }
  const [first] = ahead;
  if (first !== undefined) standing.push(aheadText(sharedBy, ahead, names));
  return standing.length === 0 ? `the farm is shared by ${sharedBy}` : standing.join('; ');
}

/** `2 jobs of owner tomas and 1 job of owner bo come first`. */
function aheadText(sharedBy: SharedBy, ahead: readonly SharerAhead[], names: SharerNames): string {
  const texts = ahead.map(({ sharer, jobs }) => {
    const who = sharerText(sharedBy, sharer, names);
    return sharedBy === 'job' || sharer === '' ? who : `${pluralize(jobs, 'job')} of ${who}`;
  });
  const isOne = ahead.length === 1 && ahead[0]?.jobs === 1 && ahead[0].sharer !== '';
  return `${listText(texts)} ${isOne ? 'comes' : 'come'} first`;
}

/** `owner ana`, `project film`, `queue day`, `job Shot 010`, `jobs without a project`. */
function sharerText(sharedBy: SharedBy, sharer: string, names: SharerNames): string {
  switch (sharedBy) {
    case 'job':
      return `job ${names.job(jobId(sharer))}`;
    case 'queue':
      return `queue ${names.queue(queueId(sharer))}`;
    default:
      return sharer === ''
        ? `jobs without ${sharedBy === 'owner' ? 'an owner' : 'a project'}`
        : `${sharedBy} ${sharer}`;
  }
}

const HUNDRED = 100;
const TEN = 10;

/** `1.8 times`, `0.04 times`, `less than 0.01 times`. */
function ratioText(ratio: number): string {
  const digits = ratio < 1 ? HUNDRED : TEN;
  const rounded = Math.round(ratio * digits) / digits;
  return rounded === 0 && ratio > 0 ? 'less than 0.01 times' : `${numberText(rounded)} times`;
}

/** `owner ana came first with 8 cores in use (policy 3)`. */
export function reasonText(reason: ShareReason, names: SharerNames): string {
  const { kind, sharedBy, sharer, cores, usage, version } = reason;
  const used =
    kind === 'weighted' && usage !== undefined
      ? `${numberText(Math.round(usage))} core seconds by its weight`
      : `${pluralize(cores, 'core')} in use`;
  return `${sharerText(sharedBy, sharer, names)} came first with ${used} (queue policy ${numberText(version)})`;
}
