import { useQuery } from '@tanstack/react-query';
import type { ClusterNode } from '../../client/resources.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { KeyValues } from '../parts/key-values.tsx';
import { QueryProblem } from '../parts/query-problem.tsx';
import { SkeletonLines } from '../parts/skeleton.tsx';
import { At } from '../parts/time.tsx';
import { queries } from '../state/queries.ts';
import { useService } from '../state/service.tsx';

/** Shows the version and the diagnostics for a bug report. */
export function AboutDialog({ onClose }: { onClose: () => void }) {
  const { rest } = useService();
  const { data, error, refetch } = useQuery(queries.version(rest));
  return (
    <Dialog title="About Callsheet" onClose={onClose} foot={<Button onPress={onClose}>Close</Button>}>
      {error !== null && <QueryProblem error={error} what="the version" onRetry={() => void refetch()} />}
      {data === undefined && error === null && <SkeletonLines lines={4} />}
      {data !== undefined && (
        <>
          <KeyValues
            facts={[
              ['Version', data.version],
              ['Commit', <span className="mono">{data.commit}</span>],
              ['Built', <At iso={data.built_at} />],
              ['API', data.api],
              ['Node', data.node],
            ]}
          />
          <ClusterFacts />
          <div className="row">
            <CopyButton
              text={JSON.stringify({ ...data, page: location.href, browser: navigator.userAgent }, null, 2)}
              label="Copy diagnostics for a bug report"
            >
              Copy diagnostics
            </CopyButton>
            <a href="/api/v1/openapi.yaml">API contract</a>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** Shows the nodes of the cluster; nothing on a single node. */
function ClusterFacts() {
  const { rest } = useService();
  const isNode = useQuery(queries.readiness(rest)).data?.details.cluster !== undefined;
  const { data } = useQuery({ ...queries.cluster(rest), enabled: isNode });
  if (data === undefined) return null;
  return (
    <KeyValues
      facts={[
        [
          'Cluster',
          `${data.name}, epoch ${data.epoch}, ${data.quorum.present} of ${data.nodes.length} nodes`,
        ],
        ...data.nodes.map(
          (node) =>
            [`Node ${node.name}${node.name === data.node ? ' (this one)' : ''}`, standingOf(node)] as const,
        ),
      ]}
    />
  );
}

const standingOf = ({ role, position, lag_ms: lag, version }: ClusterNode): string =>
  role === 'unreachable' ? role : `${role}, position ${position}, lag ${lag} ms, version ${version}`;
