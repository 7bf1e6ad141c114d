import { GUARD_MUTANTS } from './guard-mutants.ts';
import { testMutants } from './kill-mutants.ts';

testMutants(GUARD_MUTANTS);
