import { keepPreviousData, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';

/** Counts that the pages of a list bring with them. */
export interface PageSummary<Summary> {
  /** Those of the page that was loaded last, or of the previous list until the first page is loaded. */
  readonly summary: Summary | undefined;
  /** Keeps the counts of a page. */
  readonly keep: (summary: Summary | undefined) => void;
}

/** Holds the counts of a list, so that they need no request of their own. `key` identifies the filter that they belong to. */
export function usePageSummary<Summary>(key: readonly unknown[]): PageSummary<Summary> {
  const client = useQueryClient();
  const { data } = useQuery<Summary>({
    queryKey: key,
    queryFn: skipToken,
    placeholderData: keepPreviousData,
  });
  return {
    summary: data,
    keep: (summary) => {
      if (summary !== undefined) client.setQueryData(key, summary);
    },
  };
}
