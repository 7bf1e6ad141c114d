import type { RequestOrigin } from '../../src/core/records/work-cause.ts';
import type { Ports } from '../ports.ts';

/** Returns the ports for the handler of a request: messages to actors name the request as their origin. */
export const causedBy = (ports: Ports, origin: RequestOrigin): Ports => ({
  ...ports,
  actors: {
    ask: (make) => ports.actors.ask(make, origin),
    tell: (envelope) => ports.actors.tell({ ...envelope, origin }),
    submit: (farm, submission, plan) => ports.actors.submit(farm, submission, plan, origin),
  },
});
