import { AMOUNT_MUTANTS } from './amount-mutants.ts';
import { CAP_MUTANTS } from './cap-mutants.ts';
import { CHUNK_MUTANTS } from './chunk-mutants.ts';
import { PREEMPTION_MUTANTS } from './preemption-mutants.ts';
import { RETRY_RULE_MUTANTS } from './retry-rule-mutants.ts';
import { RULE_MUTANTS } from './rule-mutants.ts';
import { SHARE_MUTANTS } from './share-mutants.ts';
import { testMutants } from './kill-mutants.ts';

testMutants([
  ...RULE_MUTANTS,
  ...CHUNK_MUTANTS,
  ...AMOUNT_MUTANTS,
  ...CAP_MUTANTS,
  ...RETRY_RULE_MUTANTS,
  ...SHARE_MUTANTS,
  ...PREEMPTION_MUTANTS,
]);
