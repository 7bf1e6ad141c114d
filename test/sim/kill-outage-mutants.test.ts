import { testMutants } from './kill-mutants.ts';
import { OUTAGE_MUTANTS } from './outage-mutants.ts';

testMutants(OUTAGE_MUTANTS);
