import { useInfiniteQuery } from '@tanstack/react-query';
import { Images } from 'lucide-react';
import { useEffect, useEffectEvent, useRef } from 'react';
import { Link } from 'wouter';
import type { JobDetail, Preview } from '../../../../client/resources.ts';
import { Button } from '../../../parts/button.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { QueryProblem } from '../../../parts/query-problem.tsx';
import { SkeletonLines } from '../../../parts/skeleton.tsx';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { Ago } from '../../../parts/time.tsx';
import { fileName } from '../../../parts/outputs/file-name.ts';
import { hasJobEnded } from '../../../state/ended.ts';
import { queries } from '../../../state/queries.ts';
import { useService } from '../../../state/service.tsx';
import './previews-tab.css';

/** Time between two looks for new previews, for each loaded page: a look requests them all. */
const LOOK_MS = 5_000;

/** Workers make previews after the tasks have ended: the page looks for them until this time after the end of the job. */
const LATE_MS = 300_000;

/** The contact sheet of a job: the previews of its outputs, in the order of the tasks. */
export function PreviewsTab({ job: { id, status, updated_at: changedAt } }: { job: JobDetail }) {
  const { rest } = useService();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...queries.jobPreviews(rest, id),
    refetchInterval: ({ state }) =>
      hasJobEnded(status) && Date.now() - Date.parse(changedAt) > LATE_MS
        ? false
        : LOOK_MS * Math.max(1, state.data?.pages.length ?? 1),
  });
  if (error !== null && data === undefined)
    return <QueryProblem error={error} what="the previews" onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonLines lines={6} label="Loading the previews" />;
  const items = data.pages.flatMap((page) => page.items);
  const newest = data.pages[0]?.newest;
  if (items.length === 0)
    return (
      <EmptyState title="No previews" icon={Images}>
        <p>
          A worker with <code>worker.previews=true</code> makes small previews of images that tasks name with{' '}
          <code>callsheet_output</code>. They appear here a moment after their task has succeeded.
        </p>
      </EmptyState>
    );
  return (
    <div className="stack">
      {newest?.image !== undefined && <Newest preview={newest} />}
      <ol className="contact-sheet" aria-label="Previews">
        {items.map((preview) => (
          <Tile key={`${preview.task_id} ${preview.number}`} preview={preview} />
        ))}
      </ol>
      {hasNextPage && <More isBusy={isFetchingNextPage} onWanted={() => void fetchNextPage()} />}
    </div>
  );
}

const sourceOf = (image: NonNullable<Preview['image']>): string => `data:image/webp;base64,${image.data}`;

function Newest({
  preview: { image, path, task_id: task, task_name: name, received_at: at },
}: {
  preview: Preview;
}) {
  if (image === undefined) return null;
  return (
    <figure className="contact-sheet__newest">
      <img
        src={sourceOf(image)}
        width={image.width}
        height={image.height}
        alt={`Preview of ${fileName(path)}`}
      />
      <figcaption className="stack">
        <strong>Last image</strong>
        <span>
          <Link href={`/tasks/${task}`}>{name}</Link>, <Ago iso={at} />
        </span>
        <span className="mono muted contact-sheet__path">{path}</span>
      </figcaption>
    </figure>
  );
}

function Tile({ preview }: { preview: Preview }) {
  const { task_id: task, task_name: name, task_status: status, path, image, missing } = preview;
  return (
    <li>
      <Link href={`/tasks/${task}`} className="contact-sheet__tile" title={path}>
        <span className="contact-sheet__picture">
          {image === undefined ? (
            <span className="muted">No preview: {missing}</span>
          ) : (
            <img
              src={sourceOf(image)}
              width={image.width}
              height={image.height}
              alt={`Preview of ${fileName(path)}`}
              loading="lazy"
              decoding="async"
            />
          )}
        </span>
        <span className="contact-sheet__name">{name}</span>
        <StatusBadge kind="task" status={status} />
      </Link>
    </li>
  );
}

/** Requests the next page when it comes into view, or on a click. */
function More({ isBusy, onWanted }: { isBusy: boolean; onWanted: () => void }) {
  const place = useRef<HTMLDivElement>(null);
  const wanted = useEffectEvent(onWanted);
  useEffect(() => {
    const element = place.current;
    if (element === null || isBusy) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true) wanted();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [isBusy]);
  return (
    <div ref={place} className="row">
      <Button onPress={onWanted} isBusy={isBusy}>
        Show more previews
      </Button>
    </div>
  );
}
