import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import type { DryRun } from '../../../client/resources.ts';
import { useService } from '../../state/service.tsx';
import type { Submission } from './model/submission.ts';
import { sendSubmission } from './send-submission.ts';

/** A dry run of a submission. */
export interface Check {
  /** The last request; null before the first. */
  readonly request: Submission | null;
  readonly data: DryRun | undefined;
  readonly error: unknown;
  /** The response is of an earlier request, or not there yet. */
  readonly isBusy: boolean;
  /** Starts a dry run immediately. */
  readonly now: () => void;
}

/** Time without a change before a dry run starts. */
const PAUSE_MS = 600;

/**
 * Starts a dry run after each pause in changes of a complete submission. `now` also checks an incomplete one, because the
 * server finds more errors of the template than the page. Null starts none.
 */
export function useCheck(submission: Submission | null, isComplete: boolean): Check {
  const { rest } = useService();
  const text = submission === null ? '' : JSON.stringify(submission);
  const [checked, setChecked] = useState<{ text: string; request: Submission | null }>({
    text: '',
    request: null,
  });
  const startCheck = useEffectEvent(() => setChecked({ text, request: submission }));
  useEffect(() => {
    if (!isComplete) return undefined;
    const timer = setTimeout(() => startCheck(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, isComplete]);
  const { request } = checked;
  const query = useQuery({
    queryKey: ['dry-run', checked.text],
    queryFn: ({ signal }) => {
      if (request === null) throw new Error('no request to check');
      return sendSubmission(rest, request, { isDryRun: true, signal });
    },
    enabled: request !== null,
    staleTime: Infinity,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  const response = query.data;
  return {
    request,
    data: response !== undefined && 'steps' in response ? response : undefined,
    error: query.error,
    isBusy: query.isFetching || (isComplete && text !== checked.text),
    now: () => {
      if (submission === null) return;
      if (text === checked.text) void query.refetch();
      else setChecked({ text, request: submission });
    },
  };
}
