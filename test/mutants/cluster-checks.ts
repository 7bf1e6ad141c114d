import { mutantsOf, type Mutant } from './mutant.ts';

/** Mutants of the checks of a node at its start, and of changes of the members. */
export const CLUSTER_CHECK_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'src/core/cluster/peer-facts.ts',
    ['test/core/cluster/peer-facts.test.ts'],
    [
      'a slow exchange counts as a difference of the clocks',
      'if (facts.timeMs > receivedMs) return facts.timeMs - receivedMs;',
      'if (facts.timeMs > askedMs) return facts.timeMs - askedMs;',
    ],
    [
      'a node with the right clock does not start',
      'if (first === undefined || (!isOwnFar && leads.length > 1)) return null;',
      'if (first === undefined) return null;',
    ],
    [
      'a node starts with another clock than the only other node',
      '(!isOwnFar && leads.length > 1)',
      '!isOwnFar',
    ],
    ['a node starts with records that it cannot read', '> known.record', '> known.record + 1'],
    [
      'a node starts under the name of another',
      'facts.node === own.node && facts.instance !== own.instance',
      'facts.node === own.node && facts.instance === own.instance',
    ],
  ),
  ...mutantsOf(
    'src/adapters/nats/cluster-membership.ts',
    ['test/adapters/nats/cluster-membership.test.ts'],
    [
      'members change while a copy is behind',
      'server !== removed && (!isCurrent || lag > 0)',
      'server !== removed && !isCurrent',
    ],
    [
      'members change while a server is not current',
      'member.server !== removed && !member.isCurrent',
      'member.server === removed && !member.isCurrent',
    ],
  ),
  ...mutantsOf(
    'src/core/config/cluster-config.ts',
    ['test/core/config/cluster-config.test.ts'],
    [
      'a cluster may have two nodes',
      'export const CLUSTER_NODES_MIN = 3;',
      'export const CLUSTER_NODES_MIN = 2;',
    ],
  ),
  ...mutantsOf(
    'client/addresses.ts',
    ['test/client/addresses.test.ts'],
    [
      'a write without a key is sent twice',
      'if (left === 0 || (isAnswerLost(error) && !isRepeatable(request))) throw error;',
      'if (left === 0) throw error;',
    ],
    [
      'a write without a key is repeated at another node after 503',
      'if (left === 0 || !isRepeatable(request)) return answer;',
      'if (left === 0) return answer;',
    ],
    ['an unavailable node is kept', 'const UNAVAILABLE = 503;', 'const UNAVAILABLE = 599;'],
  ),
];
