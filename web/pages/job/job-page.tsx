import { Suspense, useState } from 'react';
import { ListChecks } from 'lucide-react';
import { useParams } from 'wouter';
import { ProblemError } from '../../../client/problem.ts';
import type { JobDetail } from '../../../client/resources.ts';
import { LinkButton } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { lazyPart } from '../../parts/lazy-part.tsx';
import { Page } from '../../parts/page.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { WatchJobButton } from '../../parts/watch-job.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Tabs, type Tab } from '../../parts/tabs.tsx';
import { useUrlState } from '../../state/use-url-state.ts';
import { JobActions } from './job-actions-bar.tsx';
import { JobSummary } from './job-summary.tsx';
import { firstTab, JOB_TABS, JOB_VIEW } from './job-view.ts';
import { DependenciesTab } from './tabs/dependencies-tab.tsx';
import { EnvironmentTab } from './tabs/environment-tab.tsx';
import { FailuresTab } from './tabs/failures-tab.tsx';
import { OutputsTab } from './tabs/outputs-tab.tsx';
import { ParametersTab } from './tabs/parameters-tab.tsx';
import { PreviewsTab } from './tabs/previews-tab.tsx';
import { StepsTab } from './tabs/steps-tab.tsx';
import { TasksTab } from './tabs/tasks-tab.tsx';
import { TemplateTab } from './tabs/template-tab.tsx';
import { useJob } from './use-job.ts';
import './job-page.css';

const JobTimeline = lazyPart(async () => (await import('../../parts/timeline/job-timeline.tsx')).JobTimeline);

const CRUMBS = [{ label: 'Jobs', href: '/jobs' }];

export function JobPage() {
  const { id = '' } = useParams<{ id: string }>();
  // The key resets the state of the page, such as an open form, when the address changes to another job.
  return <JobView key={id} id={id} />;
}

function JobView({ id }: { id: string }) {
  const { query, isRemoved, refresh } = useJob(id);
  const { data: job, error, refetch } = query;
  const isUnknown = error instanceof ProblemError && error.status === 404;
  if (isRemoved || isUnknown) {
    return (
      <Page title={job?.name ?? 'Job'} crumbs={CRUMBS}>
        <EmptyState
          title={isRemoved ? 'Job deleted' : 'Job not found'}
          icon={ListChecks}
          actions={<LinkButton href="/jobs">Show all jobs</LinkButton>}
        >
          {isRemoved
            ? 'Its tasks and logs were deleted with it.'
            : `No job has the ID ${id}. It may have been deleted.`}
        </EmptyState>
      </Page>
    );
  }
  if (job === undefined) {
    return (
      <Page title="Job" crumbs={CRUMBS}>
        {error === null ? (
          <SkeletonLines lines={8} label="Loading the job" />
        ) : (
          <QueryProblem error={error} what="the job" onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  return (
    <Page
      title={job.name}
      crumbs={CRUMBS}
      beside={
        <>
          <StatusBadge kind="job" status={job.status} />
          <CopyButton text={job.id} label="Copy job ID" />
          <WatchJobButton jobId={job.id} name={job.name} status={job.status} />
        </>
      }
      actions={<JobActions job={job} onChanged={refresh} />}
    >
      <JobSummary job={job} onChanged={refresh} />
      <JobTabs job={job} onChanged={refresh} />
    </Page>
  );
}

function JobTabs({ job, onChanged }: { job: JobDetail; onChanged: () => void }) {
  const [{ tab: chosen }, setView] = useUrlState(JOB_VIEW);
  // The tab stays when the status changes: what a user reads does not go away.
  const [first] = useState(() => firstTab(job));
  const tab = chosen === 'auto' ? first : chosen;
  const tabs: readonly Tab[] = [
    { id: 'steps', label: 'Steps', count: job.steps.length },
    { id: 'tasks', label: 'Tasks', count: job.task_counts.total },
    { id: 'timeline', label: 'Timeline' },
    { id: 'failures', label: 'Failures', count: job.failure_summary.failed_count },
    { id: 'outputs', label: 'Outputs' },
    { id: 'previews', label: 'Contact sheet' },
    { id: 'parameters', label: 'Parameters' },
    { id: 'environment', label: 'Environment' },
    { id: 'dependencies', label: 'Dependencies' },
    { id: 'template', label: 'Template' },
  ];
  return (
    <Tabs
      tabs={tabs}
      current={tab}
      label="Job details"
      onChange={(id) => setView({ tab: JOB_TABS.find((each) => each === id) ?? 'auto' })}
    >
      {tab === 'steps' && <StepsTab job={job} onChanged={onChanged} />}
      {tab === 'tasks' && <TasksTab job={job} onChanged={onChanged} />}
      {tab === 'timeline' && (
        <Suspense fallback={<SkeletonLines lines={8} label="Loading the timeline" />}>
          <JobTimeline jobId={job.id} />
        </Suspense>
      )}
      {tab === 'failures' && <FailuresTab job={job} onChanged={onChanged} />}
      {tab === 'outputs' && <OutputsTab job={job} />}
      {tab === 'previews' && <PreviewsTab job={job} />}
      {tab === 'parameters' && <ParametersTab job={job} />}
      {tab === 'environment' && <EnvironmentTab job={job} />}
      {tab === 'dependencies' && <DependenciesTab job={job} />}
      {tab === 'template' && <TemplateTab job={job} />}
    </Tabs>
  );
}
