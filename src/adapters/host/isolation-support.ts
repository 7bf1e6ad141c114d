import type { IsolationPart } from '../../core/access/isolation-part.ts';
import { limitSupport } from './limit-support.ts';

/** Returns the parts of isolation and whether this machine supports them for this process. Changes nothing. */
export const isolationSupport = (): Promise<readonly IsolationPart[]> => Promise.resolve(limitSupport());
