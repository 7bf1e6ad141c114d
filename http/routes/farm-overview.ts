import { farmId } from '../../src/core/ids.ts';
import { keys } from '../../src/core/records/tables.ts';
import { jobCountsView } from '../views/job-counts-view.ts';
import { farmHistoryOf } from './history.ts';
import { NO_ANSWER, type FarmWaitingReader } from './farm-waiting.ts';
import { notFound, type Handler } from './operation.ts';
import { summaryOfWorkers } from './workers.ts';

const HOUR_MINUTES = 60;

export const getFarmOverview =
  (readWaiting: FarmWaitingReader): Handler<'getFarmOverview'> =>
  async ({ query, principal: { ownerScope } }, ports) => {
    const { farm_id: id, minutes, step_minutes: step } = query;
    const farm = farmId(id);
    if (ports.store.get('farm', keys.farm(farm)) === undefined) return notFound('farm', id);
    const waiting = await readWaiting(farm, ownerScope, ports);
    if (waiting === null) return NO_ANSWER;
    return {
      kind: 'json',
      status: 200,
      body: {
        hour: farmHistoryOf(ports, farm, { minutes: HOUR_MINUTES, step: 1 }, ownerScope),
        history: farmHistoryOf(ports, farm, { minutes, step }, ownerScope),
        waiting,
        workers: summaryOfWorkers(ports.store, { farm_id: id }),
        jobs: jobCountsView(ports.jobLists.counts({ farmId: farm, words: [] }, ownerScope)),
      },
    };
  };
