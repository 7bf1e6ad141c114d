import type { IsolationPart } from '../access/isolation-part.ts';
import { ok, warning, type Finding } from './finding.ts';

/** Returns the finding about one part of the isolation of jobs. */
export const isolationFinding = ({ part, isSupported, detail, fix }: IsolationPart): Finding =>
  isSupported ? ok(`isolation: ${part}`, detail) : warning(`isolation: ${part}`, detail, fix);
