import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { FolderOpen } from 'lucide-react';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Output, OutputPage } from '../../../client/resources.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { asString, usePreference } from '../../state/use-preference.ts';
import { CopyButton } from '../copy-button.tsx';
import { QueryProblem } from '../query-problem.tsx';
import { SkeletonLines } from '../skeleton.tsx';
import { fileName } from './file-name.ts';
import { folderLink } from './folder-link.ts';
import './output-list.css';

const AS_GIVEN = '';

/** Returns the compute location whose paths this browser shows, and its setter; empty shows paths as given. */
export const useOutputLocation = (): [string, (place: string | null) => void] =>
  usePreference('output-location', AS_GIVEN, asString);

/** A list of outputs, with the choice of the location whose paths are shown. `whose` is the job or task. */
export function OutputList({
  query,
  whose,
  steps,
  hasPreviews = false,
}: {
  query: UseQueryResult<OutputPage>;
  whose: string;
  /** Names of the steps in their order, to name the task of each output; null to name none. */
  steps: readonly string[] | null;
  /** Whether to show the previews. Each is a request. */
  hasPreviews?: boolean;
}) {
  const { data, error, refetch } = query;
  if (error !== null && data === undefined)
    return <QueryProblem error={error} what="the outputs" onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonLines lines={3} label="Loading the outputs" />;
  if (data.items.length === 0)
    return (
      <p className="muted">
        No outputs. A {whose} lists its OUT parameters here, and paths that its tasks name with
        callsheet_output.
      </p>
    );
  return (
    <div className="stack">
      <LocationChoice />
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">Path</th>
            <th scope="col">Named by</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {data.items.map((output) => (
            <OutputRow
              key={`${output.task_id ?? output.parameter ?? ''} ${output.path}`}
              output={output}
              steps={steps}
              hasPreviews={hasPreviews}
            />
          ))}
        </tbody>
      </table>
      {data.next !== undefined && (
        <p className="muted">Showing the first {data.items.length.toLocaleString('en')} outputs.</p>
      )}
    </div>
  );
}

function OutputRow({
  output,
  steps,
  hasPreviews,
}: {
  output: Output;
  steps: readonly string[] | null;
  hasPreviews: boolean;
}) {
  const { path, mapped_path: mapped, task_id: task, parameter } = output;
  const shown = mapped ?? path;
  const folder = folderLink(shown, output.object_type === 'DIRECTORY');
  return (
    <tr>
      <td>
        <span className="mono">{shown}</span>
        {shown !== path && <span className="output-list__given mono muted">{path}</span>}
        {hasPreviews && <PreviewOf output={output} />}
      </td>
      <td>
        {parameter ??
          (steps !== null && task !== undefined ? (
            <Link href={`/tasks/${task}`}>{taskNumber(task, steps)}</Link>
          ) : (
            'task'
          ))}
      </td>
      <td className="output-list__actions">
        <CopyButton text={shown} label="Copy path" />
        {folder !== null && (
          <a
            href={folder}
            target="_blank"
            rel="noreferrer"
            aria-label={`Open folder of ${shown}`}
            title="Open folder. Browsers open folders only where they allow file links; else copy the path."
          >
            <FolderOpen aria-hidden="true" size={16} />
          </a>
        )}
      </td>
    </tr>
  );
}

function PreviewOf({ output: { path, preview, preview_missing: missing } }: { output: Output }) {
  if (missing !== undefined) return <span className="output-list__given muted">No preview: {missing}</span>;
  if (preview === undefined) return null;
  const { url, width, height } = preview;
  return (
    <img
      className="output-list__preview"
      src={url}
      width={width}
      height={height}
      alt={`Preview of ${fileName(path)}`}
    />
  );
}

/** Returns the step of a task and its position in it: `Render, task 12`. */
function taskNumber(id: string, steps: readonly string[]): string {
  const [index = '', order = ''] = id.split('-').reverse();
  return `${steps[Number(order)] ?? `step ${Number(order) + 1}`}, task ${Number(index) + 1}`;
}

function LocationChoice() {
  const { rest } = useService();
  const storage = useQuery(queries.storageLocations(rest)).data;
  const [place, setPlace] = useOutputLocation();
  const places = useMemo(
    () => [...new Set([...(storage ?? []).flatMap(({ roots }) => Object.keys(roots)), place])].sort(),
    [storage, place],
  );
  // Without roots of locations, all paths are as given.
  if (places.every((each) => each === AS_GIVEN)) return null;
  return (
    <label className="output-list__place">
      <span>Show paths of</span>
      <select
        className="input"
        value={place}
        onChange={(event) => setPlace(event.target.value === AS_GIVEN ? null : event.target.value)}
      >
        <option value={AS_GIVEN}>The task, as given</option>
        {places
          .filter((each) => each !== AS_GIVEN)
          .map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
      </select>
    </label>
  );
}
