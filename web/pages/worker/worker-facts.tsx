import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { WorkerDetail, WorkerDisabling } from '../../../client/resources.ts';
import { KeyValues } from '../../parts/key-values.tsx';
import { UseMeter } from '../../parts/meter.tsx';
import { FarmName } from '../../parts/names.tsx';
import { Panel } from '../../parts/panel.tsx';
import { mibText } from '../../parts/size-text.ts';
import { Skeleton } from '../../parts/skeleton.tsx';
import { durationText } from '../../parts/time-text.ts';
import { Ago, Until } from '../../parts/time.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { QueueNames, WorkerTags } from '../workers/worker-marks.tsx';

/** The machine of the worker, and where the worker belongs. */
export function WorkerFacts({ worker }: { worker: WorkerDetail }) {
  const { compute_location: location, os, os_version: version, arch } = worker;
  return (
    <Panel title="Machine">
      <KeyValues
        facts={[
          [
            'Disabled',
            worker.disabled === undefined ? null : <Disabling key="disabled" by={worker.disabled} />,
          ],
          [
            'Cores',
            <UseMeter
              key="cores"
              used={worker.committed_cores}
              total={worker.cpu_count}
              unit="cores"
              isAim
            />,
          ],
          ...(worker.booked_amounts ?? []).map(({ name, booked, total }): [string, ReactNode] => [
            `Booked ${name.replace(/^amount\.(worker\.)?/, '')}`,
            <UseMeter key={name} used={booked} total={total} unit={name} isAim />,
          ]),
          ['Booked GPUs', bookedGpusText(worker)],
          ['Memory', mibText(worker.memory_mib)],
          ['GPUs', gpuText(worker)],
          ['Scratch space', worker.scratch_mib === 0 ? null : mibText(worker.scratch_mib)],
          ['OS', [os, version === os ? '' : version, arch].filter((text) => text !== '').join(' · ')],
          [
            'Isolation',
            worker.isolation.length === 0 ? null : worker.isolation.join(', ').replaceAll('_', ' '),
          ],
          ['OpenJD extensions', worker.extensions.length === 0 ? null : worker.extensions.join(', ')],
          ['Callsheet', worker.version],
          ['Host name', <span key="host">{worker.hostname}</span>],
          [
            'Location',
            location === '' ? null : (
              <Link key="location" href={`/workers?location=${encodeURIComponent(location)}`}>
                {location}
              </Link>
            ),
          ],
          ['Farm', <FarmName key="farm" id={worker.farm_id} />],
          ['Queues', <QueueNames key="queues" ids={worker.queue_ids} />],
          ['Tags', Object.keys(worker.tags).length === 0 ? null : <WorkerTags key="tags" worker={worker} />],
          ['Last heartbeat', <Ago key="heartbeat" iso={worker.last_heartbeat_at} />],
          ['Without contact', <WithoutContact key="contact" />],
          ['Registered', <Ago key="registered" iso={worker.registered_at} />],
        ]}
      />
    </Panel>
  );
}

/** Who has disabled the worker, when, until when and why. */
function Disabling({ by: { by, at, reason, until } }: { by: WorkerDisabling }) {
  return (
    <span>
      by {by}, <Ago iso={at} />
      {until !== undefined && (
        <>
          , enabled again <Until iso={until} />
        </>
      )}
      {reason !== '' && `: ${reason}`}
    </span>
  );
}

/** Indices of the GPUs that tasks have; null for none. */
const bookedGpusText = ({ booked_gpus: gpus = [] }: WorkerDetail): string | null =>
  gpus.length === 0 ? null : gpus.join(', ');

/** When the server takes the tasks of a silent worker back. */
function WithoutContact() {
  const { rest } = useService();
  const { data } = useQuery(queries.settings(rest));
  if (data === undefined) return <Skeleton width="20ch" />;
  const { heartbeat_timeout_seconds: offline, reclaim_after_seconds: reclaim } = data.scheduler;
  return (
    <span title="scheduler.heartbeat_timeout and scheduler.reclaim_after of the server">
      offline after {durationText(offline * 1_000)}, its tasks run again after {durationText(reclaim * 1_000)}
    </span>
  );
}

function gpuText({
  gpu_count: count,
  gpu_models: models,
  gpu_memory_mib: memory,
}: WorkerDetail): string | null {
  if (count === 0) return null;
  const names = [...new Set(models)].join(', ');
  const size = memory === 0 ? '' : ` with ${mibText(memory)}`;
  return `${count} × ${names === '' ? 'GPU' : names}${size}`;
}
