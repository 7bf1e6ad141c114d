import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { JobDetail } from '../../../../client/resources.ts';
import { OutputList, useOutputLocation } from '../../../parts/outputs/output-list.tsx';
import { queries } from '../../../state/queries.ts';
import { useService } from '../../../state/service.tsx';
import './plain-table.css';

/** The outputs of the job and of its tasks. */
export function OutputsTab({ job }: { job: JobDetail }) {
  const { rest } = useService();
  const [place] = useOutputLocation();
  const steps = useMemo(() => job.steps.map(({ name }) => name), [job.steps]);
  return <OutputList query={useQuery(queries.jobOutputs(rest, job.id, place))} whose="job" steps={steps} />;
}
