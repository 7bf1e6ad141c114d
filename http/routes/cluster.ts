import { clusterView } from '../views/cluster-view.ts';
import { problem, type Handler } from './operation.ts';

export const getCluster: Handler<'getCluster'> = (_call, { cluster }) =>
  cluster === null
    ? problem('not-found', 'this service is a single node, not one of a cluster (cluster.name)')
    : { kind: 'json', status: 200, body: clusterView(cluster.overview()) };
