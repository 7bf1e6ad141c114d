import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { JobDetail } from '../../../../client/resources.ts';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { counted } from '../../../parts/number-text.ts';
import { QueryProblem } from '../../../parts/query-problem.tsx';
import { SkeletonLines } from '../../../parts/skeleton.tsx';
import { queries } from '../../../state/queries.ts';
import { useService } from '../../../state/service.tsx';
import './template-tab.css';

/** The template as it was submitted. */
export function TemplateTab({ job }: { job: JobDetail }) {
  const { rest } = useService();
  const { data, error, refetch } = useQuery(queries.template(rest, job.id));
  if (error !== null)
    return <QueryProblem error={error} what="the template" onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonLines lines={12} label="Loading the template" />;
  return (
    <div className="template-tab">
      <div className="row">
        <CopyButton text={data} label="Copy template">
          Copy
        </CopyButton>
        <a
          className="button button--small"
          href={rest.url('/jobs/{id}/template', { path: { id: job.id } }).href}
          download={`${fileName(job.name)}.${job.template_format}`}
        >
          <Download aria-hidden="true" />
          Download
        </a>
        <span className="muted">
          {job.template_format.toUpperCase()} as submitted, {counted(lineCount(data), 'line')}
        </span>
      </div>
      {/* Long lines scroll, so they must be reachable by keyboard. */}
      <pre className="template-tab__text" tabIndex={0} aria-label="Template text">
        {data}
      </pre>
    </div>
  );
}

const lineCount = (text: string): number => text.replace(/\n$/, '').split('\n').length;

/** Replaces characters that are not valid in file names. */
const fileName = (name: string): string => name.replaceAll(/[^\p{L}\p{N}._ -]/gu, '_').trim() || 'template';
