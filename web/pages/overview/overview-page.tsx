import { useQuery } from '@tanstack/react-query';
import { Page } from '../../parts/page.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { choiceField, textField, useUrlState } from '../../state/use-url-state.ts';
import { FarmOverview } from './farm-overview.tsx';
import { RANGE_NAMES, type RangeName } from './farm-series.ts';
import { FirstStart } from './first-start.tsx';
import { missingSteps } from './first-start-model.ts';
import { useChosenFarm } from './use-chosen-farm.ts';
import { usePresence } from './use-presence.ts';

const VIEW = {
  farm: textField(),
  range: choiceField<RangeName>(RANGE_NAMES, '3h'),
};

/** The overview of a farm, and the setup steps of a new one. */
export function OverviewPage() {
  const { rest } = useService();
  const [view, setView] = useUrlState(VIEW);
  const { presence, error, retry, isOpen } = usePresence();
  const farms = useQuery(queries.farms(rest));
  const queues = useQuery(queries.queues(rest));
  const [farm, remember] = useChosenFarm(view.farm, farms.data ?? []);
  if (presence === null)
    return (
      <Page title="Overview">
        {error === null ? (
          <SkeletonLines lines={8} label="Loading the overview" />
        ) : (
          <QueryProblem error={error} what="the overview" onRetry={retry} />
        )}
      </Page>
    );
  const missing = missingSteps(presence);
  const all = farms.data ?? [];
  return (
    <Page
      title={farm === null || all.length === 1 ? 'Overview' : farm.name}
      actions={
        farm !== null &&
        all.length > 1 && (
          <select
            className="input farm-overview__farm"
            aria-label="Farm"
            value={farm.id}
            onChange={(event) => {
              remember(event.target.value);
              setView({ farm: event.target.value });
            }}
          >
            {all.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )
      }
    >
      {missing.length > 0 && <FirstStart missing={missing} farms={all} queues={queues.data ?? []} />}
      {farm !== null && presence.workers + presence.jobs > 0 && (
        <FarmOverview
          farm={farm}
          isOpen={isOpen}
          range={view.range}
          onRange={(range) => setView({ range }, { replace: true })}
        />
      )}
    </Page>
  );
}
