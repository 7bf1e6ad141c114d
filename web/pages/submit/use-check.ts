import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import type { DryRun } from '../../../client/resources.ts';
import { useService } from '../../state/service.tsx';
import type { Submission } from './model/submission.ts';

/** What the service says of a submission that is only tried. */
export interface Check {
  /** What it was asked; null before it was. */
  readonly request: Submission | null;
  readonly data: DryRun | undefined;
  readonly error: unknown;
  /** The answer is about an earlier request, or on its way. */
  readonly isBusy: boolean;
  /** Asks now. */
  readonly now: () => void;
}

/** The service is asked when nobody has typed for so long. */
const PAUSE_MS = 600;

/**
 * Tries the submission (`dry_run`) after each pause in changing it, while it `isComplete`; one that is not can be tried by `now`: the service says
 * more of the template than the page. Null tries nothing.
 */
export function useCheck(submission: Submission | null, isComplete: boolean): Check {
  const { rest } = useService();
  const text = submission === null ? '' : JSON.stringify(submission);
  const [asked, setAsked] = useState<{ text: string; request: Submission | null }>({
    text: '',
    request: null,
  });
  const ask = useEffectEvent(() => setAsked({ text, request: submission }));
  useEffect(() => {
    if (!isComplete) return undefined;
    const timer = setTimeout(() => ask(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, isComplete]);
  const { request } = asked;
  const query = useQuery({
    queryKey: ['dry-run', asked.text],
    queryFn: ({ signal }) => {
      if (request === null) throw new Error('there is nothing to try');
      return rest.call('post', '/jobs', {
        query: { ...request.query, dry_run: true },
        document: request.document,
        signal,
      });
    },
    enabled: request !== null,
    staleTime: Infinity,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  const answer = query.data;
  return {
    request,
    data: answer !== undefined && 'steps' in answer ? answer : undefined,
    error: query.error,
    isBusy: query.isFetching || (isComplete && text !== asked.text),
    now: () => {
      if (submission === null) return;
      if (text === asked.text) void query.refetch();
      else setAsked({ text, request: submission });
    },
  };
}
