import type { Unevaluated } from '../ports.ts';
import type { Header } from '../pipeline/message.ts';
import { problem, type ProblemReply } from './operation.ts';

/** docs/contract/errors.md, 503: no verdict on the template. */
const DEADLINE_DETAIL = 'template evaluation timed out; the template may be valid, so retry the request';

const BUSY_HEADERS: readonly Header[] = [['Retry-After', '1']];

/** Returns the reply to a request whose template was not evaluated to the end. */
export function unevaluated(result: Unevaluated): ProblemReply {
  if ('deadline' in result) return problem('unavailable', DEADLINE_DETAIL);
  const reply =
    result.busy === 'client'
      ? problem('too-many-requests', 'too many templates of this address wait for their evaluation')
      : problem('unavailable', 'the service is busy with other templates; retry in a moment');
  return { ...reply, headers: BUSY_HEADERS };
}
